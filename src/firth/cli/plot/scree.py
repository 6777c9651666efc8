"""firth plot scree."""

from __future__ import annotations

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.plot._figure import FigureFile, draw


@command()
def scree(model: shared.ModelPath, output: FigureFile = "scree.html") -> None:
    """Draw the singular values of the word vectors, which show the importance of each dimension.

    Example: [bold]firth plot scree news -o scree.html[/]
    """
    from firth.plots import scree_figure

    draw(scree_figure(shared.open_part(model, "vectors")), output)
