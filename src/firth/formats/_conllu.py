"""CoNLL-U, the format of the Universal Dependencies treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firth.errors import InputError

__all__ = ["N_COLUMNS", "Row", "conllu_rows", "conllu_sentences"]

N_COLUMNS = 10
Row = tuple[int, list[str]]
"""The number of a line, counted from 1, and its columns."""


def conllu_sentences(
    lines: Iterable[tuple[int, str]], name: str
) -> Iterator[tuple[int, list[str]]]:
    """The words of each sentence, with the place of its first line.

    Multiword tokens (``1-2``) and empty nodes (``8.1``) are passed over, so the words are the
    syntactic words.

    Parameters
    ----------
    lines : iterable of (int, str)
        The place of each line, and the line without its end.
    name : str
        The name of the file, for messages.
    """
    for place, rows in conllu_rows(lines, name):
        yield place, [columns[1] for _, columns in rows]


def conllu_rows(lines: Iterable[tuple[int, str]], name: str) -> Iterator[tuple[int, list[Row]]]:
    """The columns of the words of each sentence, with the place of its first line.

    Parameters
    ----------
    lines, name
        As for ``conllu_sentences``.
    """
    rows: list[Row] = []
    first = -1
    for count, (place, line) in enumerate(lines, 1):
        if not line.strip():
            if rows:
                yield first, rows
            rows, first = [], -1
            continue
        if first < 0:
            first = place
        if not line.startswith("#"):
            columns = _columns(line, f"{name}, line {count}")
            if columns[0].isdecimal():
                rows.append((count, columns))
    if rows:
        yield first, rows


def _columns(line: str, where: str) -> list[str]:
    """The columns of a line, checked: the number, and the form where the line is a word."""
    columns = line.split("\t")
    if len(columns) != N_COLUMNS:
        raise InputError(
            f"{where}: a word of a CoNLL-U file has {N_COLUMNS} columns between tabs; "
            f"this one has {len(columns)}.",
            "If this is not CoNLL-U, give the file another suffix than .conllu.",
        )
    number, form = columns[:2]
    if number.isdecimal():
        if not form:
            raise InputError(f"{where}: the FORM column is empty.")
    elif not all(piece.isdecimal() for piece in number.replace("-", ".", 1).split(".", 1)):
        raise InputError(f"{where}: {number[:40]!r} is no word number of CoNLL-U.")
    return columns
