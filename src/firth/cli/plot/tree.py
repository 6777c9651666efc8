"""firth plot tree."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli._classes import ClassesPath, open_classes
from firth.cli._options import command
from firth.cli.plot._figure import FigureFile, draw
from firth.formats import FileLimits


@command(FileLimits)
def tree(
    model: ClassesPath,
    output: FigureFile = "tree.html",
    depth: Annotated[int, shared.option("--depth", "N", "Number of levels to draw.", least=1)] = 6,
) -> None:
    """Draw the class tree: a box for every node, with a width proportional to its share of the text.

    A web page (.html) can be zoomed, and shows typical words under the pointer.

    Example: [bold]firth plot tree news -o tree.html[/]
    """
    from firth.plots import tree_figure

    draw(tree_figure(open_classes(model), depth), output)
