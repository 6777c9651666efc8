"""Words with tags that people gave them: CoNLL-U, or a word and its tag a line.

A file is CoNLL-U by its suffix ``.conllu``, or because its first word has 10 columns between tabs and
a number in front. Any other file has two or more columns between tabs or blanks, the word first, and
blank lines between sentences, as those of the CoNLL tasks before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from firth.errors import InputError, wrong_parameter
from firth.formats._conllu import N_COLUMNS, Row, conllu_rows
from firth.formats._limits import current_limits
from firth.formats._lines import text_lines
from firth.formats._reading import reading
from firth.formats._sniff import kind_of
from firth.formats._tables import DOCUMENT, columns_of

__all__ = ["check_tag_column", "read_tagged"]

Line = tuple[int, str]
_NAMED = {"upos": 4, "xpos": 5}
_NOTHING = "_"
_MANY = 200
"""More tags than this must be far fewer than words."""


def read_tagged(path: str | Path, column: str = "upos") -> list[list[tuple[str, str]]]:
    """Read sentences of words with tags, ``.gz .bz2 .xz .zst`` included.

    Multiword tokens, empty nodes and comments of CoNLL-U are passed over, and so are lines that begin
    with ``-DOCSTART-`` in other files. A single word without a tag keeps the ``_`` of the file.

    Parameters
    ----------
    path : str or Path
    column : str
        Where the tags are: ``upos`` or ``xpos`` in a CoNLL-U file. Other files have no such names:
        ``upos``, the default, means their second column. The number of a column, as ``"4"``, counted
        from 1, can be given for any file.

    Returns
    -------
    list of list of (str, str)
        The words of each sentence with their tags.

    Raises
    ------
    InputError
        With the line where something is wrong: no second column, an empty word or tag, bytes that are
        not UTF-8; or the file has no words, most of them have no tag, or nearly each has another one.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "two.txt")
    ...     _ = path.write_text("The DT\\ncat NN\\n\\nCats NNS\\n")
    ...     read_tagged(path)
    [[('The', 'DT'), ('cat', 'NN')], [('Cats', 'NNS')]]
    """
    check_tag_column("read_tagged", "column", column)
    path = Path(path)
    with reading(path):
        start, rest = _beginning(path)
        lines = chain(start, rest)
        if kind_of(path.name) == "conllu" or (start and _is_conllu(start[-1][1])):
            word_at, tag_at = 1, _NAMED.get(column) or int(column)
            sentences = _conllu_rows(lines, path)
        else:
            word_at, tag_at = 0, _place_in_table(path, column)
            sentences = _table_rows(lines)
        pairs = [[_pair(path, row, word_at, tag_at - 1) for row in rows] for rows in sentences]
        _check_tags(path, pairs, tag_at)
    return pairs


def check_tag_column(owner: str, name: str, column: str) -> None:
    """Raise unless this is the name or the number of a column that can have tags."""
    numbered = isinstance(column, str) and column.isascii() and column.isdecimal()
    if column not in _NAMED and not (numbered and int(column) >= 2):
        expected = "'upos', 'xpos' or the number of a column from '2' on"
        raise wrong_parameter(owner, name, expected, column)


def _beginning(path: Path) -> tuple[list[Line], Iterator[Line]]:
    """The lines up to the first that is neither blank nor a comment, and the lines after it."""
    rest = text_lines(path)
    start = []
    for number, line in rest:
        start.append((number, line))
        if line.strip() and not line.startswith("#"):
            break
    return start, rest


def _is_conllu(line: str) -> bool:
    columns = line.split("\t")
    return len(columns) == N_COLUMNS and columns[0][:1].isdecimal()


def _conllu_rows(lines: Iterable[Line], path: Path) -> Iterator[list[Row]]:
    return (rows for _, rows in conllu_rows(lines, str(path)))


def _place_in_table(path: Path, column: str) -> int:
    """The number of the column of tags in a file that is not CoNLL-U."""
    if column == "xpos":
        raise InputError(
            f"{path} is not a CoNLL-U file, so no column of it is called xpos.",
            "Give the number of the column with the tags, as 2 for the second.",
        )
    return 2 if column == "upos" else int(column)


def _table_rows(lines: Iterable[Line]) -> Iterator[list[Row]]:
    """The columns of the lines of each sentence."""
    rows: list[Row] = []
    for number, line in lines:
        if line.strip() and not line.startswith(DOCUMENT):
            rows.append((number, columns_of(line)))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _pair(path: Path, row: Row, word_at: int, tag_at: int) -> tuple[str, str]:
    """The word and the tag of a line."""
    number, columns = row
    if len(columns) <= tag_at:
        there = "only one column" if len(columns) == 1 else f"{len(columns)} columns"
        raise InputError(
            f"Line {number} of {path} has {there}; the tag should be in column {tag_at + 1}.",
            "A word and its tag must stand in one line, with a tab or a blank between them.",
        )
    word, tag = columns[word_at], columns[tag_at]
    if not word or not tag:
        raise InputError(f"Line {number} of {path}: the {'tag' if word else 'word'} is empty.")
    return word, sys.intern(tag)


def _check_tags(path: Path, sentences: list[list[tuple[str, str]]], tag_at: int) -> None:
    if not sentences:
        raise InputError(f"{path} has no words in it.")
    tags = [tag for sentence in sentences for _, tag in sentence]
    n_tagged = len(tags) - tags.count(_NOTHING)
    if 2 * n_tagged < len(tags):
        raise InputError(
            f"{path}: only {n_tagged:,} of {len(tags):,} words have a tag in column {tag_at}, "
            f"the others {_NOTHING!r}.",
            "Choose another column: upos, xpos or the number of one.",
        )
    n_tags, n_words = len(set(tags)), len({word for sentence in sentences for word, _ in sentence})
    if n_tags > _MANY and 2 * n_tags > n_words:
        raise InputError(
            f"{path}: column {tag_at} has {n_tags:,} different entries beside {n_words:,} different words, "
            "so these are probably not tags.",
            "Choose another column, or is this raw text?",
        )
    current_limits().check_labels(n_tags, str(path))
