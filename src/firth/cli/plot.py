"""firth plot: figures."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared
from firth.cli._classes import ClassesPath, open_classes

app = typer.Typer(
    no_args_is_help=True, help="Figures, as a page (.html) or a picture (.svg .png .pdf)."
)

FigureFile = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The figure to write: .html .svg .png .pdf"
    ),
]


@app.command("scree")
@shared.guarded
def scree(
    model: shared.ModelPath,
    output: FigureFile = "scree.html",
) -> None:
    """Draw the singular values of the word vectors: how much each dimension tells.

    Example: [bold]firth plot scree news -o scree.html[/]
    """
    from firth.model import load
    from firth.plots import save_figure, scree_figure

    save_figure(scree_figure(load(model).vectors), output)
    shared.stdout().print(shared.line("drawn: ", (output, "bold")))


@app.command("tree")
@shared.guarded
def tree(
    model: ClassesPath,
    output: FigureFile = "tree.html",
    depth: Annotated[
        int, typer.Option("--depth", metavar="N", min=1, help="How far down to draw.")
    ] = 6,
) -> None:
    """Draw the tree of classes: a box for every node, as wide as its share of the text.

    A page (.html) can be zoomed into, and shows typical words under the mouse.

    Example: [bold]firth plot tree news -o tree.html[/]
    """
    from firth.plots import save_figure, tree_figure

    save_figure(tree_figure(open_classes(model), depth), output)
    shared.stdout().print(shared.line("drawn: ", (output, "bold")))
