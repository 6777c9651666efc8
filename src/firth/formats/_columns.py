"""Files of columns: one word per line, empty lines between sentences.

The word is in the first column. Columns are separated by spaces or, from the first line with a tab on,
by tabs. Every line has the same number of columns. Lines that start with ``-DOCSTART-`` start a document.
There are no comments: ``#`` is a word.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from firth.errors import InputError, wrong_parameter
from firth.formats._entities import OUTSIDE, LabelFault, examine, is_label
from firth.formats._limits import current_limits
from firth.formats._lines import text_lines
from firth.formats._reading import reading
from firth.formats._tables import DOCUMENT, LONGEST, between_blanks, between_tabs
from firth.progress import count_of

__all__ = ["LabelledText", "Sentence", "check_column", "read_columns", "read_labelled"]

Line = tuple[int, str]
_WITHOUT_MARKS, _WITH_MARKS = 5_000, 100_000
"""A document ends at the first sentence end after this many words, without and with document marks."""
_THE_FORM = (
    "Each line has a word and its columns, separated by tabs or spaces; "
    "sentences are separated by empty lines."
)
_PARTS_OF_SPEECH = frozenset(
    "NN NNS NNP NNPS DT IN JJ RB CC CD VB VBD VBG VBN VBP VBZ MD TO PRP PRP$ POS WDT WP . , : "
    "NOUN PROPN VERB AUX ADJ ADV ADP DET PRON NUM PART CCONJ SCONJ CONJ PUNCT SYM INTJ X".split()
)


class Sentence(NamedTuple):
    """A sentence of a file of columns.

    Attributes
    ----------
    rows : list of list of str
        The columns of each word.
    line : int
        The number of the line of its first word; word ``i`` is in line ``line + i``.
    separator : str
        What separates columns: a tab or a space.
    marks : list of str
        The lines before it that start with ``-DOCSTART-``; usually none, or one.
    """

    rows: list[list[str]]
    line: int
    separator: str
    marks: list[str]

    @property
    def words(self) -> list[str]:
        """The first column."""
        return [row[0] for row in self.rows]

    def labels(self, column: int = -1) -> list[str]:
        """One of the columns.

        Parameters
        ----------
        column : int
            Counted from 1, or from the last backwards (-1, -2 and so on).
        """
        check_column("labels", "column", column)
        at = _place(column, len(self.rows[0]), f"Line {self.line}")
        return [row[at] for row in self.rows]

    def lines_with(self, column: Sequence[str]) -> list[str]:
        """The lines of the file with one more column, and the empty line that ends the sentence.

        Document marks get an ``O``, and an empty line after them.

        Examples
        --------
        >>> sentence = Sentence([["Peter", "NNP"]], 3, " ", ["-DOCSTART- -X-"])
        >>> sentence.lines_with(["B-PER"])
        ['-DOCSTART- -X- O', '', 'Peter NNP B-PER', '']
        """
        if len(column) != len(self.rows):
            raise InputError(
                f"The sentence in line {self.line} has {count_of(len(self.rows), 'word')}, but the new "
                f"column has {len(column)} entries."
            )
        between = self.separator
        lines = []
        for mark in self.marks:
            lines += [f"{mark}{between}{OUTSIDE}", ""]
        lines += [between.join([*row, new]) for row, new in zip(self.rows, column, strict=True)]
        lines.append("")
        return lines


@dataclass(frozen=True)
class LabelledText:
    """Sentences with labels of named entities.

    Attributes
    ----------
    documents : list of list of (list of str, list of str)
        The words and the labels of each sentence of each document, as they are in the file.
    scheme : str
        The labelling scheme: one of ``SCHEMES``.
    n_slips : int
        The number of labels that are invalid in the scheme; more than one entity in a hundred is an
        error. ``entities`` says how they are read.
    """

    documents: list[list[tuple[list[str], list[str]]]]
    scheme: str
    n_slips: int

    @property
    def sentences(self) -> list[tuple[list[str], list[str]]]:
        """The words and the labels of each sentence of all documents, in order."""
        return [sentence for document in self.documents for sentence in document]


def read_columns(
    source: str | Path | Iterable[Line], name: str = "the input"
) -> Iterator[list[Sentence]]:
    """Read a file of columns of any size, one document at a time.

    A document starts with a mark (``-DOCSTART-``). In a file without marks, documents end at the first
    sentence end after 5,000 words; in a file with marks, after 100,000 words at the latest.

    Parameters
    ----------
    source : str, Path or iterable of (int, str)
        A file, which may be compressed (``.gz .bz2 .xz .zst``), or numbered lines.
    name : str
        What error messages call lines that do not come from a file.

    Yields
    ------
    list of Sentence
        The sentences of a document.

    Raises
    ------
    InputError
        A line has another number of columns than those before, an empty word, or bytes that are not
        UTF-8; a sentence has more than 100,000 words; or there are no words. The line is named.

    Examples
    --------
    >>> lines = ["-DOCSTART- O", "", "EU I-ORG", "rejects O", "", "Peter I-PER"]
    >>> for document in read_columns(enumerate(lines, 1)):
    ...     [(sentence.line, sentence.words, sentence.labels()) for sentence in document]
    [(3, ['EU', 'rejects'], ['I-ORG', 'O']), (6, ['Peter'], ['I-PER'])]
    """
    if isinstance(source, str | Path):
        with reading(source):
            yield from _documents(text_lines(Path(source)), str(source))
    else:
        yield from _documents(_plain_lines(source), name)


def _documents(lines: Iterable[Line], name: str) -> Iterator[list[Sentence]]:
    document: list[Sentence] = []
    n_words, most = 0, _WITHOUT_MARKS
    nothing = True
    for sentence in _sentences(lines, name):
        nothing = False
        if sentence.marks:
            most = _WITH_MARKS
        if document and (sentence.marks or n_words >= most):
            yield document
            document, n_words = [], 0
        document.append(sentence)
        n_words += len(sentence.rows)
    if nothing:
        raise InputError(f"{name} contains no words.", _THE_FORM)
    yield document


def read_labelled(
    source: str | Path | Iterable[Line], column: int = -1, name: str = "the input"
) -> LabelledText:
    """Read a file of columns with labels of named entities, as a whole.

    Parameters
    ----------
    source : str, Path or iterable of (int, str)
        As for ``read_columns``.
    column : int
        The column of the labels, counted from 1, or from the last backwards (-1, -2 and so on).
    name : str
        What error messages call lines that do not come from a file.

    Raises
    ------
    InputError
        As for ``read_columns``; or there is no such column, it does not contain entity labels, or not
        all of them are in one scheme. The line is named.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "two.txt")
    ...     _ = path.write_text("EU NNP I-ORG\\nrejects VBZ O\\n\\nPeter NNP I-PER\\n")
    ...     text = read_labelled(path)
    >>> text.scheme, text.documents
    ('iob1', [[(['EU', 'rejects'], ['I-ORG', 'O']), (['Peter'], ['I-PER'])]])
    """
    check_column("read_labelled", "column", column)
    if isinstance(source, str | Path):
        with reading(source):
            return _labelled(source, column, str(source))
    return _labelled(source, column, name)


def _labelled(source: str | Path | Iterable[Line], column: int, name: str) -> LabelledText:
    documents, lines = [], []
    sample: list[Sentence] = []
    for document in read_columns(source, name):
        if not sample:
            sample = document
            at = _place(column, len(sample[0].rows[0]), f"Line {sample[0].line} of {name}")
        documents.append([(s.words, [sys.intern(row[at]) for row in s.rows]) for s in document])
        lines += [sentence.line for sentence in document]
    sequences = [labels for document in documents for _, labels in document]
    if all(word.isdecimal() for document in documents for words, _ in document for word in words):
        raise InputError(
            f"The first column of {name} contains numbers, not words.",
            "The first column must be the words. Remove the numbers, for example with cut -f 2-.",
        )
    found = examine(sequences)
    if isinstance(found, LabelFault):
        where = f"Line {lines[found.sentence] + found.word} of {name}"
        raise _wrong_label(
            where, found, Counter(label for s in sequences for label in s), sample, at
        )
    types = {label[2:] for labels in sequences for label in labels if label != OUTSIDE}
    current_limits().check_labels(1 + 4 * len(types), name)  # words inside and at the ends differ
    return LabelledText(documents, found.scheme, found.n_slips)


def _plain_lines(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines without line ends and byte order mark."""
    first = True
    for number, line in lines:
        if first:
            line, first = line.removeprefix("\ufeff"), False
        yield number, line.rstrip("\r\n")


def _sentences(lines: Iterable[Line], name: str) -> Iterator[Sentence]:
    """The sentences of all documents; all lines must have the same number of columns."""
    rows: list[list[str]] = []
    marks: list[str] = []
    start = width = 0
    columns, between = between_blanks, " "
    for number, line in lines:
        mark = line.startswith(DOCUMENT)
        if mark or not line.strip():
            if rows:
                yield Sentence(rows, start, between, marks)
                rows, marks = [], []
            if mark:
                marks.append(line)
            continue
        if between == " " and "\t" in line:
            columns, between = between_tabs, "\t"
        row = columns(line)
        if len(row) != width or not row[0]:
            _check_row(row, width, f"Line {number} of {name}")
            width = len(row)
        if not rows:
            start = number
        rows.append(row)
        if len(rows) > LONGEST:
            raise InputError(
                f"The sentence that starts in line {start} of {name} has more than {LONGEST:,} words.",
                f"Is this a file of columns? {_THE_FORM}",
            )
    if rows:
        yield Sentence(rows, start, between, marks)


def _check_row(row: list[str], width: int, where: str) -> None:
    """Raise InputError if a word is empty, or if the number of columns changes; 0 in the first line."""
    if not row[0]:
        raise InputError(f"{where}: the word is empty.", _THE_FORM)
    if width and len(row) != width:
        raise InputError(
            f"{where} has {_n_columns(len(row))}, but the lines before it have {width}.", _THE_FORM
        )


def _n_columns(n: int) -> str:
    return "only one column" if n == 1 else f"{n} columns"


def check_column(owner: str, name: str, column: object) -> None:
    """Raise ParameterError unless a number can be that of a column other than the words."""
    if isinstance(column, bool) or not isinstance(column, int) or column in (0, 1):
        rule = "an int of at least 2, or a negative int to count from the last column"
        raise wrong_parameter(owner, name, rule, column)


def _place(column: int, width: int, where: str) -> int:
    """The index of a column in a row."""
    place = column - 1 if column > 0 else width + column
    if not 0 < place < width:
        wanted = "no column of labels" if width == 1 else f"no column {column}"
        raise InputError(
            f"{where} has {_n_columns(width)}: there is {wanted}.",
            "Column 1 has the words; -1 is the last column, -2 the one before it.",
        )
    return place


def _wrong_label(
    where: str, fault: LabelFault, labels: Counter[str], sample: list[Sentence], at: int
) -> InputError:
    """The error about an invalid label, or about the whole column if most of it is invalid."""
    strange = Counter({label: n for label, n in labels.items() if not is_label(label)})
    if 2 * strange.total() <= labels.total() - labels[OUTSIDE]:
        return InputError(f"{where}: {fault.what}", fault.hint)
    hint = fault.hint
    good = [
        str(k + 1) for k in range(len(sample[0].rows[0]) - 1, 0, -1) if _holds_labels(sample, k)
    ]
    if good:
        hint = f"Give the column of the labels: perhaps {' or '.join(good)}."
    return InputError(
        f"{where}: {fault.what} Column {at + 1} seems to contain {_seems(strange)}.", hint
    )


def _holds_labels(sentences: list[Sentence], at: int) -> bool:
    return all(is_label(row[at]) for sentence in sentences for row in sentence.rows)


def _seems(values: Counter[str]) -> str:
    """What a column with these values probably contains."""
    n = values.total()
    if sum(values[tag] for tag in _PARTS_OF_SPEECH) > n / 2:
        return "parts of speech"
    if sum(k for value, k in values.items() if value.isdecimal()) > n / 2:
        return "numbers"
    if len(values) > 50 and len(values) > n / 20:
        return "words"
    common = [repr(value[:20]) for value, _ in values.most_common(3)]
    return "types without a prefix, or something else: " + ", ".join(common)
