"""What the commands of firth ner share."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli._opening import open_part

Column = Annotated[
    int,
    typer.Option(
        "--column", metavar="N",
        help="Where the labels are: columns count from 1, the word, or from the last, -1, backwards.",
    ),
]  # fmt: skip


def labelled_file(name: str) -> Path:
    """The path of a file that must be there."""
    if name == "-":
        shared.fail(
            "Standard input cannot be learned from: a model notes the name of its text.",
            "Write the labelled text to a file first, and give its name.",
        )
    path = Path(name)
    if path.is_dir():
        shared.fail(f"{name} is a folder.", "Give a file with a word and a label on each line.")
    if not path.is_file():
        shared.fail(
            f"There is no file {name}.", "Give a file with a word and a label on each line."
        )
    return path


@contextmanager
def labelled_text(name: str) -> Iterator[Path]:
    """The path of a file that must be there; for -, of one with what came from standard input."""
    from firth.errors import InputError

    if name != "-":
        yield labelled_file(name)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "input")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield path
        except InputError as error:
            message = error.message.replace(str(path), "standard input")
            raise InputError(message, error.hint) from None


def open_tagger(model: str) -> Any:
    """The tagger of a model."""
    return open_part(model, "ner", "tagger of names", "FILE")
