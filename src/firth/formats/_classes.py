"""Word classes in other people's files: those of Liang's wcluster, and those of ClusterCat.

============== =====================================================================================
paths           a path of 0 and 1 in the tree of classes, a word and its count a line, between tabs
clustercat      a word and its class a line, between tabs; mkcls writes the same
============== =====================================================================================

A line ends with ``\\n`` (or ``\\r\\n``) and with nothing else: words may hold any other character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import index
from pathlib import Path
from typing import BinaryIO

from firth import progress
from firth.errors import InputError, ParameterError, check_choice, wrong_parameter
from firth.formats._compression import Stream, open_stream
from firth.formats._lines import byte_lines
from firth.formats._reading import reading
from firth.formats._sniff import compression_of, describe_binary, for_file, guess_encoding
from firth.store import replacing

__all__ = ["CLASS_FORMATS", "ClassTable", "looks_like_classes", "read_classes", "write_classes"]

CLASS_FORMATS = ("paths", "clustercat")
_EXPECTED = {
    "paths": "a path, a word and a count are expected, separated by tabs",
    "clustercat": "a word and its class are expected, separated by a tab",
}
_HEAD = 1 << 16
_AT_ONCE = 10_000
_MOST = (1 << 63) - 1
_BOM = b"\xef\xbb\xbf"
_BITS = re.compile(rb"[01]+")
_NUMBERS = re.compile(rb"\s*(?:[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?:\s+|$))+")
_WHOLE = re.compile(rb"[-+]?\d+")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UNFIT = re.compile("[\t\n\r\ud800-\udfff]")
"""What ends a word or a line, and what UTF-8 cannot hold."""
_FORMATS = "Formats that can be read: " + ", ".join(CLASS_FORMATS) + "."
_RETURN = "there is a carriage return inside the line", "Lines must end with \\n or with \\r\\n."


@dataclass(frozen=True)
class ClassTable:
    """Words, the paths or names of their classes, and their counts where these are known."""

    words: list[str]
    labels: list[str]
    counts: list[int] | None = None


def read_classes(path: str | Path, format: str | None = None) -> ClassTable:  # noqa: A002
    """Read word classes from a file, ``.gz .bz2 .xz .zst`` included.

    Parameters
    ----------
    path : str or Path
    format : {"paths", "clustercat"}, optional
        By default as the first lines of the file tell.

    Raises
    ------
    InputError
        With the line where something is wrong: another number of columns, a path that is not made
        of 0 and 1 or goes on in another path, what is no count, a word twice.
    """
    if format is not None:
        check_choice("read_classes", "format", format, CLASS_FORMATS)
    path = Path(path)
    with reading(path), open_stream(path) as stream:
        head = stream.read(_HEAD)
        lines = _Lines(stream, path, head)
        form = format or _format_of(_rows(head))
        if form is None:
            raise lines.untold()
        return lines.read(form)


def looks_like_classes(path: str | Path) -> bool:
    """Whether a file begins like word classes rather than like vectors or anything else.

    Only the beginning is read; a file that cannot be read does not look like classes. Ask this
    before ``looks_like_vectors``, to which a word with a numbered class is a vector of one number.
    """
    try:
        with open_stream(Path(path)) as stream:
            head = stream.read(_HEAD)
    except InputError:
        return False
    if _is_binary(head):
        return False
    rows = _rows(head)
    if _format_of(rows) is None:
        return False
    # a word, a tab, and then several numbers or fractions is a vector
    others = (row[1] for row in rows if len(row) == 2)
    vectors = sum(bool(_NUMBERS.fullmatch(c)) and not _WHOLE.fullmatch(c) for c in others)
    return 2 * vectors < len(rows)


def _is_binary(head: bytes) -> bool:
    """Whether this is neither UTF-8 (where words may hold anything) nor text in another encoding."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        cut = len(head) == _HEAD and error.start > _HEAD - 4  # a character cut at the end
        return not cut and _CONTROL.search(head) is not None
    return False


def _rows(head: bytes) -> list[list[bytes]]:
    """The columns of the whole lines at the beginning of a file."""
    lines = head.removeprefix(_BOM).split(b"\n")
    if len(head) == _HEAD and len(lines) > 1:
        lines.pop()
    return [line.removesuffix(b"\r").split(b"\t") for line in lines if not _is_blank(line)]


def _is_blank(line: bytes) -> bool:
    return b"\t" not in line and not line.strip()


def _is_path_row(row: Sequence[bytes]) -> bool:
    return len(row) == 3 and _BITS.fullmatch(row[0]) is not None


def _format_of(rows: Sequence[Sequence[bytes]]) -> str | None:
    """The format that at least half of the rows are in, if any.

    Rows of two columns are words with classes, unless they can only be paths without counts.
    """
    triples = sum(map(_is_path_row, rows))
    pairs = [row for row in rows if len(row) == 2]
    if not rows or 2 * (triples + len(pairs)) < len(rows):
        return None
    if triples >= len(pairs):
        return "paths"
    firsts = {row[0] for row in pairs}
    if all(map(_BITS.fullmatch, firsts)) and (
        len(firsts) < len(pairs) or not all(_WHOLE.fullmatch(row[1]) for row in pairs)
    ):
        return "paths"
    return "clustercat"


class _Lines:
    """The lines of one file as they come, checked."""

    def __init__(self, stream: Stream, path: Path, head: bytes) -> None:
        self.stream, self.path, self.head = stream, path, head
        self.words: dict[str, int] = {}
        self.labels: list[str] = []
        self.counts: list[int] = []

    def read(self, form: str) -> ClassTable:
        known: dict[str, str] = {}  # one string for all words of a class
        paths = form == "paths"
        lines = byte_lines(self.stream, self.head.removeprefix(_BOM))
        with progress.stage("reading classes", None, "words") as stage:
            for number, line in lines:
                try:
                    columns = line.decode().split("\t")
                except UnicodeDecodeError:
                    raise self._not_utf8(number, line) from None
                if len(columns) != 2 + paths and _is_blank(line):
                    continue
                if b"\r" in line:
                    raise self._wrong(number, *_RETURN)
                if len(columns) != 2 + paths:
                    raise self._wrong_columns(number, len(columns), form)
                if paths:
                    label, word, count = columns
                    self.counts.append(self._count(number, word, count))
                else:
                    word, label = columns
                if label not in known:
                    self._check_label(number, label, form)
                    known[label] = label
                if not word:
                    raise self._wrong(number, "there is no word", _as_expected(form))
                if self.words.setdefault(word, number) != number:
                    first = self.words[word]
                    raise self._wrong(
                        number, f"the word {_shown(word)} is there already, in line {first:,}",
                        "Remove one of the two.",
                    )  # fmt: skip
                self.labels.append(known[label])
                if not len(self.labels) % _AT_ONCE:
                    stage.advance(_AT_ONCE)
        if not self.words:
            raise self._empty()
        if paths:
            self._check_tree(known)
        return ClassTable(list(self.words), self.labels, self.counts if paths else None)

    def untold(self) -> InputError:
        """Why the format cannot be told: the first line that fits none."""
        n_lines = 0
        for number, line in byte_lines(self.stream, self.head.removeprefix(_BOM)):
            row = line.split(b"\t")
            if _is_blank(line):
                continue
            n_lines += 1
            if len(row) == 2 or _is_path_row(row):
                continue
            if _is_binary(self.head) or describe_binary(self.head):
                return self._binary()
            if b"\r" in line:
                return self._wrong(number, *_RETURN)
            hint = "Separate the columns by tabs, not by spaces." if len(row) == 1 else _FORMATS
            return self._wrong(number, f"{_EXPECTED['paths']}; or {_EXPECTED['clustercat']}", hint)
        if not n_lines:
            return self._empty()
        return InputError(
            f"The beginning of {self.path} does not match any known format.", _FORMATS
        )

    def _binary(self) -> InputError:
        what, advice = describe_binary(self.head) or ("a binary file", _FORMATS)
        return InputError(
            f"{self.path} is {what}, not a file of word classes.", for_file(advice, self.path)
        )

    def _empty(self) -> InputError:
        return InputError(f"{self.path} is empty.", "Was it written to the end?")

    def _wrong(self, number: int, what: str, hint: str | None = None) -> InputError:
        return InputError(f"Line {number:,} of {self.path}: {what}.", hint)

    def _not_utf8(self, number: int, line: bytes) -> InputError:
        if _is_binary(self.head):
            return self._binary()
        at = self.head.find(line)
        guess = guess_encoding(self.head[at:] if at >= 0 else line)
        if guess and self.stream.compression is None:
            advice = f"It may be in another encoding. {for_file(guess, self.path)}"
        else:
            advice = "Convert the file first, as iconv does."
        return InputError(f"Line {number:,} of {self.path} is not in UTF-8.", advice)

    def _wrong_columns(self, number: int, n: int, form: str) -> InputError:
        if form == "paths" and n == 2:
            return self._wrong(number, "the count is missing", _as_expected(form))
        if n == 1:
            hint = "Separate the columns by tabs, not by spaces."
        elif form == "clustercat" and n == 3:
            hint = (
                "Where this is a count or the like, keep the first two columns, as cut -f 1,2 does."
            )
        else:
            hint = "A word cannot hold a tab; remove the line, or the columns that are too many."
        found = "1 column" if n == 1 else f"{n:,} columns"
        return self._wrong(number, f"{found} where {_EXPECTED[form]}", hint)

    def _check_label(self, number: int, label: str, form: str) -> None:
        what = "path" if form == "paths" else "class"
        if not label:
            raise self._wrong(number, f"there is no {what}", _as_expected(form))
        if form != "paths" and "\0" in label:  # text in UTF-16 without a mark
            raise self._binary()
        if form == "paths" and label.strip("01"):
            raise self._wrong(
                number, f"the path {_shown(label)} is not made of 0 and 1", _as_expected(form)
            )

    def _count(self, number: int, word: str, count: str) -> int:
        if not count:
            raise self._wrong(number, "the count is missing", _as_expected("paths"))
        if not (count.isascii() and count.isdigit()):
            raise self._wrong(
                number, f"the count of {_shown(word)} is {_shown(count)}",
                "It must be a whole number of at least 0.",
            )  # fmt: skip
        value = int(count.lstrip("0")[:20] or 0)  # 20 digits are too large, whatever follows
        if value > _MOST:
            raise self._wrong(
                number, f"the count of {_shown(word)} is too large: {_shown(count)}",
                f"It can be at most {_MOST:,}.",
            )  # fmt: skip
        return value

    def _check_tree(self, paths: Iterable[str]) -> None:
        pair = _leaf_and_node(paths)
        if pair:
            lines = list(self.words.values())
            places = [(lines[self.labels.index(path)], _shown(path)) for path in pair]
            (inner, leaf), (further, longer) = places
            raise self._wrong(
                max(inner, further),
                f"the path {longer} of line {further:,} continues the path {leaf} of line "
                f"{inner:,}, where a class is already",
                "A path cannot be the beginning of another one; take the paths from one tree.",
            )


def _as_expected(form: str) -> str:
    return f"In the format {form} {_EXPECTED[form]}."


def _shown(text: str) -> str:
    return repr(text if len(text) < 60 else text[:50] + "...")


def _leaf_and_node(paths: Iterable[str]) -> tuple[str, str] | None:
    """A path and another one that goes on from it, if there are such.

    In the order of the alphabet all that goes on from a path comes just after it.
    """
    pairs = pairwise(sorted(paths))
    return next(((path, longer) for path, longer in pairs if longer.startswith(path)), None)


def write_classes(
    file: str | Path | BinaryIO,
    words: Iterable[str],
    labels: Iterable[str],
    counts: Iterable[int] | None,
    format: str,  # noqa: A002
) -> int:
    """Write word classes into a file that other programs read; returns how many words there are.

    In ``paths`` words stand by their paths, the most frequent ones first; in ``clustercat`` as they
    are given. Nothing is written, and no file is made, where anything is wrong.

    Parameters
    ----------
    file : str, Path or binary file
    words, labels : iterable of str
        Words, and for each the path or the name of its class.
    counts : iterable of int, optional
        How often the words occur; needed for ``paths`` and not used for ``clustercat``.
    format : {"paths", "clustercat"}

    Raises
    ------
    InputError
        A word or a class cannot be written in this format.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_classes(file, ["see", "the", "a"], ["1", "0", "0"], [5, 7, 9], "paths")
    3
    >>> file.getvalue()
    b'0\\ta\\t9\\n0\\tthe\\t7\\n1\\tsee\\t5\\n'
    """
    check_choice("write_classes", "format", format, CLASS_FORMATS)
    words, labels = list(words), list(labels)
    if len(labels) != len(words):
        raise ParameterError(f"There are {len(words):,} words and {len(labels):,} classes.")
    _check_words(words, format)
    _check_labels(words, labels, format)
    if format == "paths":
        numbers = _checked_counts(words, counts)
        order = sorted(range(len(words)), key=lambda i: (labels[i], -numbers[i]))
        lines = [f"{labels[i]}\t{words[i]}\t{numbers[i]}\n" for i in order]
    else:
        lines = [f"{word}\t{label}\n" for word, label in zip(words, labels, strict=True)]
    start = lines[0].encode()
    if start.startswith(_BOM) or compression_of(start):
        lines[0] = _BOM.decode() + lines[0]  # or else the first word would be taken for a mark
    if isinstance(file, str | Path):
        with replacing(file) as opened:
            _write(opened, lines)
    else:
        _write(file, lines)
    return len(words)


def _write(file: BinaryIO, lines: Sequence[str]) -> None:
    with progress.stage("writing", len(lines), "words", brief=1.0) as stage:
        for a in range(0, len(lines), _AT_ONCE):
            some = lines[a : a + _AT_ONCE]
            file.write("".join(some).encode())
            stage.advance(len(some))


def _check_words(words: Sequence[str], form: str) -> None:
    if not words:
        raise InputError("There are no words to write.", "A file of classes needs at least one.")
    seen: set[str] = set()
    for word in words:
        if not word or _UNFIT.search(word):
            raise InputError(
                f"The format {form} cannot hold the word {_shown(word)}.",
                "Words must be text in UTF-8, not empty, without tabs and line ends; leave this one out.",
            )
        if word in seen:
            raise InputError(
                f"The word {_shown(word)} is there twice.", "Leave one of the two out."
            )
        seen.add(word)


def _check_labels(words: Sequence[str], labels: Sequence[str], form: str) -> None:
    first = dict(zip(reversed(labels), reversed(words), strict=True))
    for label, word in first.items():
        if form == "paths" and not label:
            raise InputError(
                f"The path of the word {_shown(word)} is empty: a single class has no path.",
                "Learn two classes or more, or write clustercat.",
            )
        if form == "paths" and label.strip("01"):
            raise InputError(
                f"The path {_shown(label)} of the word {_shown(word)} is not made of 0 and 1.",
                "Classes without paths can be written as clustercat.",
            )
        if not label or "\0" in label or _UNFIT.search(label):
            raise InputError(
                f"The format {form} cannot hold the class {_shown(label)} of the word {_shown(word)}.",
                "Names of classes must be text in UTF-8, not empty, without tabs, line ends and zero bytes.",
            )
    pair = _leaf_and_node(first) if form == "paths" else None
    if pair:
        leaf, longer = pair
        raise InputError(
            f"The path {_shown(longer)} of the word {_shown(first[longer])} continues the path "
            f"{_shown(leaf)} of the word {_shown(first[leaf])}.",
            "A path cannot be the beginning of another one.",
        )


def _checked_counts(words: Sequence[str], counts: Iterable[int] | None) -> list[int]:
    if counts is None:
        raise wrong_parameter("write_classes", "counts", "given for the format paths", None)
    numbers = [index(count) for count in counts]
    if len(numbers) != len(words):
        raise ParameterError(f"There are {len(words):,} words and {len(numbers):,} counts.")
    wrong = next((n for n in numbers if not 0 <= n <= _MOST), None)
    if wrong is not None:
        raise wrong_parameter("write_classes", "counts", "whole numbers of at least 0", wrong)
    return numbers
