"""The text that the commands of firth grammar read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from firth.cli import _shared as shared

TextOrInput = Annotated[
    str | None, shared.argument("[TEXT]", "A text file; standard input by default.")
]


def plain_lines(text: str | None) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file of plain text, or of standard input."""
    from firth.formats import kind_of

    what = "plain text with one sentence per line"
    if text is not None and kind_of(text) != "text":
        shared.fail(f"{text} is not plain text.", f"Give a file: {what}.")
    return shared.input_lines(text, what)
