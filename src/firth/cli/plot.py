"""firth plot: figures."""

from __future__ import annotations

from typing import Annotated

import typer

from firth.cli import _shared as shared

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
