"""CoNLL-U, the format of the Universal Dependencies treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firth.errors import InputError
from firth.formats._lines import text_lines
from firth.formats._reading import reading
from firth.formats._remote import RemoteFile
from firth.formats._tables import LONGEST

__all__ = [
    "N_COLUMNS",
    "UPOS",
    "ConlluSentence",
    "Row",
    "conllu_rows",
    "conllu_sentences",
    "conllu_text",
    "conllu_with",
    "read_conllu",
]

N_COLUMNS = 10
PLACES = {"upos": 3, "xpos": 4, "misc": 9}
UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
"""The universal parts of speech of Universal Dependencies."""
_NO_BREAKS = str.maketrans("\t\n\r", "   ")
Row = tuple[int, list[str]]
"""The number of a line, counted from 1, and its columns."""


@dataclass(frozen=True)
class ConlluSentence:
    """A sentence as it stands in its file: comments, multiword tokens, empty nodes and all."""

    lines: list[str]
    rows: list[tuple[int, list[str]]]
    """Of each word, its place among the lines, and its columns."""

    @property
    def words(self) -> list[str]:
        return [columns[1] for _, columns in self.rows]


def read_conllu(path: str | Path | RemoteFile) -> Iterator[ConlluSentence]:
    """Read a file of CoNLL-U, ``.gz .bz2 .xz .zst`` included, keeping all that is in it."""
    lines: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    with reading(path) as at:
        for at.line, line in text_lines(Path(path) if isinstance(path, str) else path):
            if line.strip():
                if not line.startswith("#"):
                    columns = _columns(line, f"{path}, line {at.line}")
                    if columns[0].isdecimal():
                        rows.append((len(lines), columns))
                lines.append(line)
                _check_length(len(lines), at.line, str(path))
            elif lines:
                yield ConlluSentence(lines, rows)
                lines, rows = [], []
    if lines:
        yield ConlluSentence(lines, rows)


def conllu_with(sentence: ConlluSentence, values: Mapping[str, Sequence[str]]) -> str:
    """A sentence as it was, but with other values in the columns ``upos``, ``xpos`` or ``misc``."""
    lines = list(sentence.lines)
    for k, (place, columns) in enumerate(sentence.rows):
        filled = list(columns)
        for name, tags in values.items():
            filled[PLACES[name]] = tags[k]
        lines[place] = "\t".join(filled)
    return "\n".join(lines) + "\n\n"


def conllu_text(words: Sequence[str], values: Mapping[str, Sequence[str]]) -> str:
    """Words as a sentence of CoNLL-U, with values in the columns ``upos``, ``xpos`` or ``misc``.

    >>> print(conllu_text(["cats", "sleep"], {"upos": ["NOUN", "VERB"]}), end="")
    1	cats	_	NOUN	_	_	_	_	_	_
    2	sleep	_	VERB	_	_	_	_	_	_
    <BLANKLINE>
    """
    rows = [
        (k, [str(k + 1), word, *["_"] * (N_COLUMNS - 2)])
        for k, word in enumerate(word.translate(_NO_BREAKS) for word in words)
    ]
    return conllu_with(ConlluSentence([""] * len(rows), rows), values)


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
                _check_length(len(rows), count, name)
    if rows:
        yield first, rows


def _check_length(n: int, number: int, name: str) -> None:
    """Raise InputError for a sentence of too many lines, which is probably none."""
    if n > LONGEST:
        raise InputError(
            f"The sentence that ends after line {number:,} of {name} has more than {LONGEST:,} lines.",
            "Sentences of CoNLL-U are separated by empty lines.",
        )


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
        raise InputError(f"{where}: {number[:40]!r} is not a word number of CoNLL-U.")
    return columns
