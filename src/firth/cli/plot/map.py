"""firth plot map."""

from __future__ import annotations

from typing import Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.plot._figure import FigureFile, draw
from firth.plots import MapFigureParameters


@command(MapFigureParameters)
def map_(
    model: shared.ModelPath,
    output: FigureFile = "map.html",
    *,
    options: dict[str, Any],
    quiet: shared.Quiet = False,
) -> None:
    """Draw the words in two dimensions, coloured by the top branches of the class tree.

    The map is made once and kept in the model, so it is the same every time.

    Example: [bold]firth plot map news -o map.html[/]
    """
    from firth.compute import engine_for
    from firth.maps import MapParameters
    from firth.model import load
    from firth.pipeline import make_map
    from firth.plots import map_figure
    from firth.store import writing

    how = MapFigureParameters(**options)
    how.check()
    shared.open_part(model, "vectors")
    opened = load(model)
    if "map" not in opened or opened.is_stale("map"):
        with shared.reporting(quiet), writing(model) as writer:
            make_map(writer, MapParameters(), engine_for("plot", None))
        opened = load(model)
    classes = opened.classes if "classes" in opened and not opened.is_stale("classes") else None
    draw(map_figure(opened.map, classes, how.top), output)
