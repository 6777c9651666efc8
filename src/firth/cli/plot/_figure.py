"""The output option of all figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.errors import InputError


def _checked_name(output: str) -> str:
    """Fail before anything is done if the name is not that of a figure."""
    from firth.plots import check_figure_name

    try:
        check_figure_name(output)
    except InputError as error:
        shared.fail(error.message, error.hint)
    return output


FigureFile = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The figure to write: .html, .svg, .png or .pdf.",
        callback=_checked_name,
    ),
]


def draw(figure: Any, output: str) -> None:
    """Write a figure, and print its name."""
    from firth.plots import save_figure

    save_figure(figure, Path(output))
    shared.stdout().print(shared.line("drawn: ", (output, "bold")))
