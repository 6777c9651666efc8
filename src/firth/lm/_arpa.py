"""N-gram models in the ARPA format, which KenLM, SRILM and speech recognisers read."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.formats import reading
from firth.lm._counting import BITS, pack
from firth.lm._kneser_ney import Smoothed
from firth.lm._ngrams import NgramModel

__all__ = ["read_arpa", "write_arpa"]

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_MOST_DIGITS = 18
_NEVER = -99.0
"""How the format writes the logarithm of zero."""
_LARGEST = 99.0
"""Larger logarithms of backoff weights are errors."""
_TEN = math.log(10)
_AT_ONCE = 1 << 16

Floats = npt.NDArray[np.float64]


def write_arpa(model: NgramModel, words: Sequence[str], file: IO[str]) -> None:
    """Write an n-gram model.

    Parameters
    ----------
    model : NgramModel
    words : sequence of str
        The words of the model, in the order of their numbers.
    file : text file
    """
    names = [*_checked(words), UNKNOWN, BEGIN, END]
    if len(names) != model.n_words + 3:
        raise InputError(f"The model has {model.n_words:,} words; {len(words):,} were given.")
    sizes = [len(names), len(model.words2), len(model.words3)][: model.order]
    file.write("\\data\\\n" + "".join(f"ngram {k}={n}\n" for k, n in enumerate(sizes, 1)))
    bigrams = np.repeat(np.arange(len(names)), np.diff(model.starts2)), model.words2
    histories = np.repeat(np.arange(len(model.words2)), np.diff(model.starts3))
    tables = [
        ((np.arange(len(names)),), model.p1, model.backoff1),
        (bigrams, model.p2, model.backoff2),
        ((bigrams[0][histories], bigrams[1][histories], model.words3), model.p3, None),
    ]
    for k, (columns, p, backoff) in enumerate(tables[: model.order], 1):
        file.write(f"\n\\{k}-grams:\n")
        for first in range(0, len(p), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            numbers = [column[some].tolist() for column in columns]
            texts = [" ".join([names[i] for i in row]) for row in zip(*numbers, strict=True)]
            file.writelines(
                _lines(
                    texts, p[some], None if k == model.order or backoff is None else backoff[some]
                )
            )
    file.write("\n\\end\\\n")


def _lines(texts: list[str], log_p: Floats, backoff: Floats | None) -> Iterator[str]:
    values = np.where(log_p > -np.inf, log_p / _TEN, _NEVER).tolist()
    if backoff is None:
        return (f"{p:.7g}\t{text}\n" for p, text in zip(values, texts, strict=True))
    left = np.where(backoff > -np.inf, backoff / _TEN, _NEVER).tolist()
    rows = zip(values, texts, left, strict=True)
    return (f"{p:.7g}\t{text}\t{b:.7g}\n" for p, text, b in rows)


def _checked(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if not word or word.split() != [word] or word in (UNKNOWN, BEGIN, END):
            raise InputError(
                f"The word {word!r} cannot be written in the ARPA format: "
                "it contains whitespace, or has a special meaning there."
            )
        yield word


def read_arpa(lines: Iterable[str], name: str | Path = "the file") -> tuple[NgramModel, list[str]]:
    """Read an n-gram model up to trigrams, and its words.

    Parameters
    ----------
    lines : iterable of str
    name : str or Path
        The name of the file, for error messages.
    """
    with reading(name):
        return _read(_Reader(lines, name))


def _read(reader: _Reader) -> tuple[NgramModel, list[str]]:
    sizes = reader.header()
    number: dict[str, int] = {}
    tables = [_Rows() for _ in sizes]
    for k, (n, table) in enumerate(zip(sizes, tables, strict=True)):
        reader.section(k + 1, n, k + 1 == len(sizes), number, table)
    reader.expect("\\end\\")
    for special in (UNKNOWN, BEGIN, END):
        if special not in number:
            reader.fail(f"{special} is missing")
    words = [word for word in number if word not in (UNKNOWN, BEGIN, END)]
    final = {word: k for k, word in enumerate([*words, UNKNOWN, BEGIN, END])}
    renumbered = np.array([final[word] for word in number], np.int64)
    keys, p, backoff = [], [], []
    for k, table in enumerate(tables):
        row = renumbered[np.array(table.numbers, np.int64)].reshape(-1, k + 1)
        found = pack(row.T)
        order = np.argsort(found, kind="stable")
        keys.append(found[order])
        if np.any(keys[k][1:] == keys[k][:-1]):
            reader.fail(f"a {k + 1}-gram occurs twice")
        p.append(_powers(np.array(table.p))[order])
        backoff.append(_powers(np.array(table.backoff))[order])
    if len(keys) > 2 and not np.isin(keys[2] >> np.uint64(BITS), keys[1]).all():
        reader.fail("a trigram begins with a bigram that is missing")
    return NgramModel.of(len(words), Smoothed(keys, p, backoff, [])), words


def _powers(logs: Floats) -> Floats:
    return np.where(logs <= _NEVER, 0.0, 10.0**logs)


class _Rows:
    """N-grams as numbers of words, with log probabilities and log backoff weights."""

    def __init__(self) -> None:
        self.numbers, self.p, self.backoff = array("q"), array("d"), array("d")


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
        while self.next().strip() != "\\data\\":
            pass
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
        if not 1 <= len(sizes) <= 3:
            self.fail("only n-grams of orders 1 to 3 can be read")
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
                table.numbers.extend([number[word] for word in parts[1 : order + 1]])
            except KeyError as error:
                self.fail(f"the word {error} is not a unigram")
            table.p.append(p)
            table.backoff.append(backoff)
