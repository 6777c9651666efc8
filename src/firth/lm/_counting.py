"""Counts of unigrams, bigrams and trigrams."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, check_count
from firth.lm import _kernels as kernels

__all__ = ["MOST_SYMBOLS", "NgramCounts", "pack"]

_BITS = 21
MOST_SYMBOLS = 1 << _BITS
"""Maximum number of symbols: three are packed into a key of 64 bits."""
_AT_ONCE = 1 << 22
"""About how many tokens are counted at once."""

Keys = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]

sort_by_digit: Any = kernels.sort_by_digit
count_runs: Any = kernels.count_runs
add_counts: Any = kernels.add_counts


def pack(columns: Iterable[npt.NDArray[Any]]) -> Keys:
    """Rows of symbols as one key each; keys have the order of the rows."""
    found: Any = np.uint64(0)
    for column in columns:
        found = found << np.uint64(_BITS) | column.astype(np.uint64)
    return np.asarray(found, np.uint64)


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """The n-grams of a text, sorted, with their counts.

    Symbols are the words, numbered from 0, and then three more: the unknown word, the beginning and the
    end of a sentence.

    Attributes
    ----------
    n_words : int
    rows : list of array of int64, shape (n, order)
        The n-grams of each order, from unigrams.
    counts : list of array of int64
        The count of each n-gram.
    """

    n_words: int
    rows: list[Integers]
    counts: list[Integers]

    @property
    def order(self) -> int:
        return len(self.rows)

    @property
    def unknown(self) -> int:
        return self.n_words

    @property
    def begin(self) -> int:
        return self.n_words + 1

    @property
    def end(self) -> int:
        return self.n_words + 2

    @classmethod
    def count(
        cls, symbols: npt.NDArray[Any], ends: Integers, n_words: int, order: int = 3
    ) -> NgramCounts:
        """Count the n-grams of sentences.

        Parameters
        ----------
        symbols : array of int
            The sentences, one after the other; numbers from ``n_words`` on are the unknown word.
        ends : array of int64
            The number of symbols before the end of each sentence.
        n_words : int
        order : int
            The order of the longest n-grams: 1, 2 or 3.
        """
        check_count("NgramCounts", "n_words", n_words)
        check_count("NgramCounts", "order", order)
        if order > 3 or n_words + 3 > MOST_SYMBOLS:
            raise InputError(
                f"Only n-grams up to 3 of at most {MOST_SYMBOLS - 3:,} words can be counted.",
                "Use a smaller vocabulary.",
            )
        if not len(ends):
            raise InputError("There are no sentences to learn from.")
        made = cls(n_words, [], [])
        tables = [_Table() for _ in range(order)]
        first = 0
        while first < len(ends):
            begin = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, begin + _AT_ONCE, side="right")))
            text = made.padded(symbols[begin : int(ends[last - 1])], ends[first:last] - begin)
            for k, table in enumerate(tables):
                table.add(*_counted(_windows(text, k + 1, made.begin), k + 1, n_words + 3))
            first = last
        rows = [_unpacked(table.keys, k + 1) for k, table in enumerate(tables)]
        return cls(n_words, rows, [table.counts for table in tables])

    def __add__(self, other: NgramCounts) -> NgramCounts:
        """The sums of the counts of two texts."""
        rows, counts = [], []
        for k, (a, b) in enumerate(zip(self.rows, other.rows, strict=True)):
            table = _Table(pack(a.T), self.counts[k])
            table.add(pack(b.T), other.counts[k])
            rows.append(_unpacked(table.keys, k + 1))
            counts.append(table.counts)
        return NgramCounts(self.n_words, rows, counts)

    def padded(self, symbols: npt.NDArray[Any], ends: Integers) -> Integers:
        """Sentences with symbols for their beginnings and ends."""
        n = len(ends)
        text = np.empty(len(symbols) + 2 * n, np.int64)
        starts = np.concatenate([[0], ends[:-1]]) + 2 * np.arange(n)
        text[starts] = self.begin
        text[ends + 2 * np.arange(1, n + 1) - 1] = self.end
        words = np.ones(len(text), bool)
        words[starts] = words[ends + 2 * np.arange(1, n + 1) - 1] = False
        text[words] = np.minimum(symbols, self.unknown)
        return text


def _windows(text: Integers, order: int, begin: int) -> Keys:
    """The keys of all n-grams of an order within sentences."""
    n = len(text) - order + 1
    columns = [text[k : k + n] for k in range(order)]
    inside = np.ones(max(n, 0), bool)
    for column in columns[1:]:
        inside &= column != begin
    return pack(column[inside] for column in columns)


def _counted(keys: Keys, order: int, n_symbols: int) -> tuple[Keys, Integers]:
    """The different keys, sorted, and the count of each."""
    places, other = np.empty(1 << kernels.DIGIT, np.int64), np.empty_like(keys)
    bits = int(n_symbols - 1).bit_length()
    for symbol in range(order):
        for digit in range(0, bits, kernels.DIGIT):
            sort_by_digit(keys, _BITS * symbol + digit, places, other)
            keys, other = other, keys
    counts = np.empty(len(keys), np.int64)
    n = count_runs(keys, counts)
    return keys[:n].copy(), counts[:n].copy()


class _Table:
    """Sorted keys and their counts, to which others are added."""

    def __init__(self, keys: Keys | None = None, counts: Integers | None = None) -> None:
        self.keys = np.zeros(0, np.uint64) if keys is None else keys
        self.counts = np.zeros(0, np.int64) if counts is None else counts

    def add(self, keys: Keys, counts: Integers) -> None:
        if not len(self.keys):
            self.keys, self.counts = keys, counts
            return
        n = len(self.keys) + len(keys)
        both, total = np.empty(n, np.uint64), np.empty(n, np.int64)
        n = add_counts(self.keys, self.counts, keys, counts, both, total)
        self.keys, self.counts = both[:n].copy(), total[:n].copy()


def _unpacked(keys: Keys, order: int) -> Integers:
    shifts = [np.uint64(_BITS * (order - 1 - k)) for k in range(order)]
    mask = np.uint64(MOST_SYMBOLS - 1)
    # column-major, because columns are what is read
    return np.stack([(keys >> shift & mask).astype(np.int64) for shift in shifts]).T
