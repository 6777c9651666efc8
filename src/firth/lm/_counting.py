"""Counts of unigrams, bigrams and trigrams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, check_count
from firth.lm import _kernels as kernels
from firth.store import Room

__all__ = ["BITS", "MOST_SYMBOLS", "NgramCounter", "NgramCounts", "pack", "stretches"]

BITS = 21
"""The bits of a symbol in a key."""
MOST_SYMBOLS = 1 << BITS
"""Maximum number of symbols: three are packed into a key of 64 bits."""
_AT_ONCE = 1 << 22
"""About how many tokens are counted at once."""

Keys = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]

sort_by_digit: Any = kernels.sort_by_digit
count_runs: Any = kernels.count_runs
count_different: Any = kernels.count_different
add_counts: Any = kernels.add_counts


def pack(columns: Iterable[npt.NDArray[Any]]) -> Keys:
    """Rows of symbols as one key each; keys have the order of the rows."""
    found: Any = np.uint64(0)
    for column in columns:
        found = found << np.uint64(BITS) | column.astype(np.uint64)
    return np.asarray(found, np.uint64)


def stretches(ends: Integers, at_once: int) -> Iterator[tuple[slice, slice]]:
    """Some sentences at a time, of about ``at_once`` symbols: which sentences, and which symbols."""
    first = begin = 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, begin + at_once, side="right")))
        end = int(ends[last - 1])
        yield slice(first, last), slice(begin, end)
        first, begin = last, end


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """The n-grams of a text, sorted, with their counts.

    Symbols are the words, numbered from 0, and then three more: the unknown word, the beginning and the
    end of a sentence.

    Attributes
    ----------
    n_words : int
    keys : list of array of uint64
        The n-grams of each order, from unigrams, as ``pack`` makes them.
    counts : list of array of int64
        The count of each n-gram.
    room : Room
        For sums of counts, and for what is made of them.
    """

    n_words: int
    keys: list[Keys]
    counts: list[Integers]
    room: Room = field(default_factory=Room)

    @property
    def rows(self) -> list[Integers]:
        """The n-grams of each order as arrays with a column for each symbol."""
        return [_unpacked(keys, k + 1) for k, keys in enumerate(self.keys)]

    @property
    def order(self) -> int:
        return len(self.keys)

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
        counter = NgramCounter(n_words, order)
        for sentences, places in stretches(ends, _AT_ONCE):
            counter.add(symbols[places], ends[sentences] - places.start)
        return counter.result()

    def __add__(self, other: NgramCounts) -> NgramCounts:
        """The sums of the counts of two texts."""
        both = [
            _merged(run, more, self.room)
            for run, more in zip(
                zip(self.keys, self.counts, strict=True),
                zip(other.keys, other.counts, strict=True),
                strict=True,
            )
        ]
        return NgramCounts(self.n_words, [k for k, _ in both], [n for _, n in both], self.room)

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


class NgramCounter:
    """Counts the n-grams of a text that comes in pieces.

    Each piece is sorted. The sorted runs are merged as soon as the last two are of similar size, so every
    n-gram is moved a few times only.

    Parameters
    ----------
    n_words : int
    order : int
        The order of the longest n-grams: 1, 2 or 3.
    room : Room, optional
    """

    def __init__(self, n_words: int, order: int, room: Room | None = None) -> None:
        check_count("NgramCounts", "n_words", n_words)
        check_count("NgramCounts", "order", order)
        if order > 3 or n_words + 3 > MOST_SYMBOLS:
            raise InputError(
                f"Only n-grams up to 3 of at most {MOST_SYMBOLS - 3:,} words can be counted.",
                "Use a smaller vocabulary.",
            )
        self._empty = NgramCounts(n_words, [], [], room or Room())
        self._runs: list[list[_Run]] = [[] for _ in range(order)]

    def add(self, symbols: npt.NDArray[Any], ends: Integers) -> None:
        """Count some sentences; ``symbols`` and ``ends`` as for ``NgramCounts.count``."""
        text = self._empty.padded(symbols, ends)
        for k, runs in enumerate(self._runs):
            keys = _windows(text, k + 1, self._empty.begin)
            runs.append(_counted(keys, k + 1, self._empty.n_words + 3, self._empty.room))
            while len(runs) > 1 and len(runs[-2][0]) <= 2 * len(runs[-1][0]):
                self._merge(runs)

    def _merge(self, runs: list[_Run]) -> None:
        last = runs.pop()
        runs[-1] = _merged(runs[-1], last, self._empty.room)

    def result(self) -> NgramCounts:
        """All counts."""
        for runs in self._runs:
            if not runs:
                raise InputError("There are no sentences to learn from.")
            while len(runs) > 1:
                self._merge(runs)
        found = [runs[0] for runs in self._runs]
        keys, counts = [run[0] for run in found], [run[1] for run in found]
        return NgramCounts(self._empty.n_words, keys, counts, self._empty.room)


_Run = tuple[Keys, Integers]
"""Different keys, sorted, and the count of each."""


def _windows(text: Integers, order: int, begin: int) -> Keys:
    """The keys of all n-grams of an order within sentences."""
    n = len(text) - order + 1
    columns = [text[k : k + n] for k in range(order)]
    inside = np.ones(max(n, 0), bool)
    for column in columns[1:]:
        inside &= column != begin
    return pack(column[inside] for column in columns)


def _counted(keys: Keys, order: int, n_symbols: int, room: Room) -> _Run:
    """The different keys, sorted, and the count of each."""
    places, other = np.empty(1 << kernels.DIGIT, np.int64), np.empty_like(keys)
    bits = int(n_symbols - 1).bit_length()
    for symbol in range(order):
        for digit in range(0, bits, kernels.DIGIT):
            sort_by_digit(keys, BITS * symbol + digit, places, other)
            keys, other = other, keys
    counts = other.view(np.int64)  # it is not needed any more
    n = count_runs(keys, counts)
    run = room.empty(n, np.uint64), room.empty(n, np.int64)
    run[0][:], run[1][:] = keys[:n], counts[:n]
    return run


def _merged(one: _Run, two: _Run, room: Room) -> _Run:
    """The sums of the counts of two runs."""
    n = count_different(one[0], two[0])
    both = room.empty(n, np.uint64), room.empty(n, np.int64)
    add_counts(*one, *two, *both)
    return both


def _unpacked(keys: Keys, order: int) -> Integers:
    shifts = [np.uint64(BITS * (order - 1 - k)) for k in range(order)]
    mask = np.uint64(MOST_SYMBOLS - 1)
    # column-major, because columns are what is read
    return np.stack([(keys >> shift & mask).astype(np.int64) for shift in shifts]).T
