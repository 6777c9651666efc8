"""Pairs of words with counts: which noun was the object of which verb, and how often."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from firth.errors import InputError
from firth.formats._compression import open_stream
from firth.formats._lines import text_lines
from firth.formats._objects import ObjectTable
from firth.formats._reading import reading
from firth.formats._tables import columns_of

__all__ = ["looks_like_pairs", "read_pairs"]

_HEAD, _LOOKED_AT = 1 << 14, 10

_LARGEST = 2**53
_HOW = "A line has two words and perhaps a count, with tabs or blanks between them."


def read_pairs(path: str | Path) -> ObjectTable:
    """Read pairs of words, as nouns and the verbs whose objects they are; ``.gz .bz2 .xz .zst`` included.

    A line is ``noun verb`` or ``noun verb count``, between tabs (words may then have blanks in them) or blanks. Without
    a count it is one. Pairs that are there more than once are added up. Empty lines are passed over.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    ObjectTable
        ``rows`` is the sparse matrix of counts in CSR form, ``names`` are the first words of pairs, ``columns`` the
        second ones, both in the order in which they came; ``counts`` are the sums of rows.

    Raises
    ------
    InputError
        With the line where something is wrong: one column or more than three, another number of columns than in the
        lines before, an empty word, a count that is not a whole number above zero.

    Examples
    --------
    >>> import tempfile
    >>> from firth.formats import read_pairs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "pairs.txt"
    ...     _ = file.write_text("apple eat 3\\ntea drink 2\\napple peel 1\\n")
    ...     table = read_pairs(file)
    >>> table.names, table.columns, table.counts
    (['apple', 'tea'], ['eat', 'drink', 'peel'], [4, 2])
    >>> table.rows.toarray()
    array([[3., 0., 1.],
           [0., 2., 0.]])
    """
    path = Path(path)
    firsts: dict[str, int] = {}
    seconds: dict[str, int] = {}
    found: dict[tuple[int, int], int] = {}
    width = 0
    with reading(path) as at:
        for at.line, line in text_lines(path):
            if not line.strip():
                continue
            columns = _checked(path, at.line, columns_of(line.strip(" ")), width)
            width = len(columns)
            count = _count(path, at.line, columns[2]) if width == 3 else 1
            place = (
                firsts.setdefault(columns[0], len(firsts)),
                seconds.setdefault(columns[1], len(seconds)),
            )
            found[place] = found.get(place, 0) + count
            if found[place] > _LARGEST:
                raise InputError(f"Line {at.line} of {path}: the count of this pair is too large.")
        if not found:
            raise InputError(f"{path} has no pairs in it.", _HOW)
        rows, counts = _matrix(found, len(firsts), len(seconds))
    return ObjectTable(rows, list(firsts), counts, list(seconds))


def looks_like_pairs(path: str | Path) -> bool:
    """Whether the first lines are two words and perhaps a count, with tabs or blanks between them."""
    with open_stream(Path(path)) as stream:
        head = stream.read(_HEAD)
    *lines, last = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    if len(head) < _HEAD:
        lines.append(last)
    some = [line.strip() for line in lines if line.strip()][:_LOOKED_AT]
    rows = [line.split("\t") if "\t" in line else line.split() for line in some]
    return bool(rows) and "\0" not in lines[0] and all(map(_is_pair, rows))


def _is_pair(columns: list[str]) -> bool:
    """Whether columns are two words and perhaps a count.

    >>> _is_pair(["tea", "drink"]), _is_pair(["tea", "drink", "3"]), _is_pair(["tea", "0.5", "3"])
    (True, True, False)
    """

    def is_number(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    if len(columns) not in (2, 3) or any(map(is_number, columns[:2])):
        return False
    return len(columns) == 2 or columns[2].strip().isdecimal()


def _checked(path: Path, number: int, columns: list[str], width: int) -> list[str]:
    n = len(columns)
    if n not in (2, 3):
        there = "only one column" if n == 1 else f"{n} columns"
        raise InputError(f"Line {number} of {path} has {there}.", _HOW)
    if width and n != width:
        raise InputError(
            f"Line {number} of {path} has {n} columns; the lines before have {width}.",
            "Give a count in every line, or in none.",
        )
    if not columns[0] or not columns[1]:
        which = "second" if columns[0] else "first"
        raise InputError(f"Line {number} of {path}: the {which} word is empty.", _HOW)
    return columns


def _count(path: Path, number: int, text: str) -> int:
    count = int(text) if text.isascii() and text.isdecimal() and len(text) < 17 else 0
    if not 0 < count <= _LARGEST:
        shown = text if len(text) <= 40 else text[:37] + "..."
        raise InputError(
            f"Line {number} of {path}: {shown!r} is not a count.",
            "A count is a whole number above zero; words with blanks in them need tabs between the columns.",
        )
    return count


def _matrix(found: dict[tuple[int, int], int], n: int, dim: int) -> tuple[Any, list[int]]:
    """The counts as a sparse matrix, and their sums by rows."""
    import scipy.sparse as sp

    places = np.fromiter(chain.from_iterable(found), np.int64, 2 * len(found)).reshape(-1, 2)
    values = np.fromiter(found.values(), np.float64, len(found))
    matrix = sp.csr_matrix((values, (places[:, 0], places[:, 1])), shape=(n, dim))
    matrix.sort_indices()
    counts = [0] * n
    for (row, _), count in found.items():
        counts[row] += count
    return matrix, counts
