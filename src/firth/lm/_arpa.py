"""N-gram models in the ARPA format, which KenLM, SRILM and speech recognisers read."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute.portable import logs
from firth.errors import InputError
from firth.formats import reading
from firth.lm._ngram_trees import Table, tables_of, tree_of
from firth.lm._trees import Tree

__all__ = ["read_arpa", "write_arpa"]

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_MOST_DIGITS = 18
_NEVER = -99.0
"""How the format writes the logarithm of zero."""
_LARGEST = 37.0
"""Larger logarithms of backoff weights are errors."""
_HIGHEST = 6
"""The highest order that is read."""
_TEN = math.log(10)
_AT_ONCE = 1 << 16

Floats = npt.NDArray[np.float64]


def write_arpa(tree: Tree, order: int, words: Sequence[str], file: IO[str]) -> None:
    """Write a model of words.

    If ``<unk>`` is one of the words, it stands for all unknown words in the file.

    Parameters
    ----------
    tree : Tree
    order : int
    words : sequence of str
        The words of the model, in the order of their numbers.
    file : text file
    """
    n = len(words)
    names = [*_checked(words), UNKNOWN, BEGIN, END]
    left_out = n if UNKNOWN in words else -1
    tables = [
        _written(table, k, left_out, tree, n) for k, table in enumerate(tables_of(tree, order))
    ]
    sizes = "".join(f"ngram {k}={len(table.p)}\n" for k, table in enumerate(tables, 1))
    file.write(f"\\data\\\n{sizes}")
    for k, table in enumerate(tables, 1):
        file.write(f"\n\\{k}-grams:\n")
        for first in range(0, len(table.p), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            texts = [" ".join([names[i] for i in row]) for row in table.rows[some].tolist()]
            backoff = None if k == order else table.backoff[some]
            file.writelines(_lines(texts, table.p[some], backoff))
    file.write("\n\\end\\\n")


def _written(table: Table, k: int, left_out: int, tree: Tree, n_words: int) -> Table:
    """A table without a symbol; unigrams with all other symbols."""
    if k == 0:
        backoff, p = (
            np.ones(n_words + 3),
            np.full(n_words + 3, float(tree.backoff[0] * tree.base[0])),
        )
        p[n_words + 1] = 0.0
        seen = table.rows[:, 0]
        p[seen] = table.p
        first = slice(int(tree.children[0]), int(tree.children[1]))
        backoff[tree.elements[first]] = tree.backoff[first]
        table = Table(np.arange(n_words + 3)[:, None], p, backoff)
    if left_out < 0:
        return table
    kept = (table.rows != left_out).all(axis=1)
    return Table(table.rows[kept], table.p[kept], table.backoff[kept])


def _lines(texts: list[str], p: Floats, backoff: Floats | None) -> Iterator[str]:
    values = _log10(p).tolist()
    if backoff is None:
        return (f"{value:.7g}\t{text}\n" for value, text in zip(values, texts, strict=True))
    left = _log10(backoff).tolist()
    rows = zip(values, texts, left, strict=True)
    return (f"{value:.7g}\t{text}\t{b:.7g}\n" for value, text, b in rows)


def _log10(p: Floats) -> Floats:
    return np.where(p > 0, np.maximum(logs(p) / _TEN, _NEVER), _NEVER) + 0.0


def _checked(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if not word or word.split() != [word] or word in (BEGIN, END):
            raise InputError(
                f"The word {word!r} cannot be written in the ARPA format: "
                "it contains whitespace, or has a special meaning there."
            )
        yield word


def read_arpa(
    lines: Iterable[str], name: str | Path = "the file"
) -> tuple[Tree, list[str], list[int]]:
    """Read an n-gram model: its tree, its words, and the number of n-grams of each order.

    Parameters
    ----------
    lines : iterable of str
    name : str or Path
        The name of the file, for error messages.
    """
    with reading(name):
        return _read(_Reader(lines, name))


def _read(reader: _Reader) -> tuple[Tree, list[str], list[int]]:
    sizes = reader.header()
    number: dict[str, int] = {}
    rows = [_Rows() for _ in sizes]
    for k, (n, table) in enumerate(zip(sizes, rows, strict=True)):
        reader.section(k + 1, n, k + 1 == len(sizes), number, table)
    reader.expect("\\end\\")
    for special in (BEGIN, END):
        if special not in number:
            reader.fail(f"{special} is missing")
    if UNKNOWN not in number:  # SRILM leaves it out by default
        progress.notice("The file has no <unk>, so a text with unknown words has probability zero.")
        number[UNKNOWN] = len(number)
        rows[0].add([number[UNKNOWN]], _NEVER, 0.0)
        sizes[0] += 1
    words = [word for word in number if word not in (UNKNOWN, BEGIN, END)]
    final = {word: k for k, word in enumerate([*words, UNKNOWN, BEGIN, END])}
    renumbered = np.array([final[word] for word in number], np.int64)
    tables = []
    for k, table in enumerate(rows):
        numbers = renumbered[np.array(table.numbers, np.int64)].reshape(-1, k + 1)
        if len(np.unique(numbers, axis=0)) < len(numbers):
            reader.fail(f"a {k + 1}-gram occurs twice")
        tables.append(Table(numbers, _powers(np.array(table.p)), _powers(np.array(table.backoff))))
    return tree_of(tables), words, sizes


def _powers(logs: Floats) -> Floats:
    return np.where(logs <= _NEVER, 0.0, 10.0**logs)


class _Rows:
    """N-grams as numbers of words, with log probabilities and log backoff weights."""

    def __init__(self) -> None:
        self.numbers, self.p, self.backoff = array("q"), array("d"), array("d")

    def add(self, numbers: Iterable[int], p: float, backoff: float) -> None:
        self.numbers.extend(numbers)
        self.p.append(p)
        self.backoff.append(backoff)


class _Reader:
    """The lines of a file, with line numbers for error messages."""

    def __init__(self, lines: Iterable[str], name: str | Path) -> None:
        self._lines, self._name, self._number = iter(lines), name, 0

    def fail(self, why: str) -> None:
        raise InputError(
            f"{self._name}, line {self._number:,}: {why}.", "Is it in the ARPA format?"
        )

    def next(self) -> str:
        for line in self._lines:
            self._number += 1
            if line.strip():
                return line.rstrip("\n")
        if not self._number:
            raise InputError(f"{self._name} is empty.", "Give a file in the ARPA format.")
        self.fail("the file ends too early")
        raise AssertionError

    def expect(self, text: str) -> None:
        line = self.next().strip()
        if line != text:
            self.fail(f"expected {text}, not {line[:40]!r}")

    def header(self) -> list[int]:
        found = False
        for line in self._lines:  # anything may come before
            self._number += 1
            if found := line.strip() == "\\data\\":
                break
        if self._number and not found:
            self.fail("no line is \\data\\")
        sizes: list[int] = []
        while True:
            line = self.next().strip()
            if line == "\\1-grams:":
                break
            order, _, n = line.removeprefix("ngram ").partition("=")
            if (
                not n.strip().isdecimal()
                or len(n) > _MOST_DIGITS
                or order.strip() != str(len(sizes) + 1)
            ):
                self.fail(f"expected a number of n-grams, not {line[:40]!r}")
            sizes.append(int(n))
        if not 1 <= len(sizes) <= _HIGHEST:
            self.fail(f"only n-grams of orders 1 to {_HIGHEST} can be read")
        return sizes

    def section(self, order: int, n: int, last: bool, number: dict[str, int], table: _Rows) -> None:
        """Read the n-grams of one order into a table; unigrams number the words."""
        if order > 1:
            self.expect(f"\\{order}-grams:")
        for _ in range(n):
            parts = self.next().split()
            if len(parts) not in (order + 1, order + 2 - last):
                self.fail(f"expected a log probability and {order} words")
            try:
                p = float(parts[0])
                backoff = float(parts[order + 1]) if len(parts) == order + 2 else 0.0
            except ValueError:
                self.fail("expected a number")
            if not (p <= 0 and p > -math.inf and -math.inf < backoff < _LARGEST):
                self.fail("a log probability or backoff weight is out of range")
            if order == 1:
                if parts[1] in number:
                    self.fail(f"the word {parts[1]!r} occurs twice")
                number[parts[1]] = len(number)
            try:
                table.add([number[word] for word in parts[1 : order + 1]], p, backoff)
            except KeyError as error:
                self.fail(f"the word {error} is not a unigram")
