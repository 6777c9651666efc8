"""What the commands of firth ner share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared

Column = Annotated[
    int,
    typer.Option(
        "--column", metavar="N",
        help="Where the labels are: columns count from 1, the word, or from the last, -1, backwards.",
    ),
]  # fmt: skip


def labelled_file(name: str) -> Path:
    """The path of a file that must be there."""
    path = Path(name)
    if path.is_dir():
        shared.fail(f"{name} is a folder.", "Give a file with a word and a label on each line.")
    if not path.is_file():
        shared.fail(
            f"There is no file {name}.", "Give a file with a word and a label on each line."
        )
    return path


def open_tagger(model: str) -> Any:
    """The tagger of a model."""
    from firth.model import load

    opened = load(model)
    if "ner" not in opened:
        shared.fail(
            f"The model {model} has no tagger of names.",
            f"Learn one: firth ner learn FILE -o {model}",
        )
    return opened.ner
