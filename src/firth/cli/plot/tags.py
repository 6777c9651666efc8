"""firth plot tags."""

from __future__ import annotations

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.plot._figure import FigureFile, draw


@command()
def tags(model: shared.ModelPath, output: FigureFile = "tags.html") -> None:
    """Draw the transition probabilities between tags as a heat map.

    Example: [bold]firth plot tags news -o tags.html[/]
    """
    from firth.plots import tags_figure

    draw(tags_figure(shared.open_part(model, "tags")), output)
