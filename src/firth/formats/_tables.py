"""Lines of tables of words: what stands in their columns, and where documents begin."""

from __future__ import annotations

__all__ = ["DOCUMENT", "LONGEST", "between_blanks", "between_tabs", "columns_of"]

DOCUMENT = "-DOCSTART-"
"""How a line begins that is no word, but the mark of a new document."""
LONGEST = 100_000
"""A sentence of more words is none: the empty lines between sentences are missing."""


def columns_of(line: str) -> list[str]:
    """The columns of a line: between tabs where there are any, which may be empty, else between blanks.

    Other white space than the plain blank can be part of a word, as in ``10\u00a0000``.
    """
    return between_tabs(line) if "\t" in line else between_blanks(line)


def between_tabs(line: str) -> list[str]:
    """What stands between tabs, without the blanks around it."""
    columns = line.split("\t")
    return [column.strip(" ") for column in columns] if " " in line else columns


def between_blanks(line: str) -> list[str]:
    """What stands between blanks, however many."""
    columns = line.split(" ")
    return [column for column in columns if column] if "" in columns else columns
