"""firth plot map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.plot._figure import FigureFile, draw
from firth.maps import MAPS
from firth.parameters import DeviceOption
from firth.plots import MapFigureParameters
from firth.vectors import KINDS

if TYPE_CHECKING:
    from firth.compute import Engine
    from firth.maps import WordMap
    from firth.vectors import WordVectors


@command(MapFigureParameters, DeviceOption)
def map_(
    model: shared.ModelPath,
    output: FigureFile = "map.html",
    *,
    options: dict[str, Any],
    quiet: shared.Quiet = False,
) -> None:
    """Draw the words in two dimensions, with the names of regions.

    Words are close together if they go with the same topics or, with --kind grammar, if they can replace each other.
    The first map is coloured by its regions, the second by the top branches of the class tree.

    The map is made once by t-SNE and kept in the model, so it is the same every time. With another method, the
    layout is computed each time.

    Example: [bold]firth plot map news -o map.html[/]
    """
    from firth.compute import engine_for
    from firth.maps import regions_of
    from firth.model import load
    from firth.plots import map_figure

    device = DeviceOption(**DeviceOption.take(options)).device
    how = MapFigureParameters(**options)
    how.check()
    engine = engine_for("plot", None, device)
    vectors, name = shared.open_part(model, KINDS[how.kind]), MAPS[how.kind]
    opened = load(model)
    current = name in opened and not opened.is_stale(name)
    with shared.reporting(quiet):
        if how.method and not (current and opened.part(name).method == how.method):
            drawn = _other_map(vectors, how, engine)
        else:
            drawn = opened.part(name) if current else _kept_map(model, how.kind, engine)
    classes = opened.classes if "classes" in opened and not opened.is_stale("classes") else None
    islands = drawn.method == "t-sne"
    by_class = how.kind == "grammar" or not islands
    regions = regions_of(drawn, vectors) if islands or classes is None else None
    draw(map_figure(drawn, classes if by_class else None, how.n_words, regions=regions), output)


def _kept_map(model: str, kind: str, engine: Engine) -> WordMap:
    """A map of a model, made if there is none."""
    from firth.maps import MapParameters
    from firth.model import load
    from firth.pipeline import make_map
    from firth.store import writing

    with writing(model) as writer:
        make_map(writer, MapParameters(), engine, kind)
    kept: WordMap = load(model).part(MAPS[kind])
    return kept


def _other_map(vectors: WordVectors, how: MapFigureParameters, engine: Engine) -> WordMap:
    """The most frequent words, laid out by another method."""
    from firth.maps import MapParameters, WordMap

    method = how.method or MapParameters.method
    return WordMap.learn(vectors, MapParameters(words=how.n_words, method=method), engine)
