"""Modified Kneser-Ney smoothing (Chen and Goodman 1998), interpolated.

A discount is subtracted from the count of every n-gram; it depends on whether the n-gram occurs once,
twice or more often. The probability that becomes free is distributed by the distribution of the next
lower order. In lower orders, the count of an n-gram is the number of different words before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm import _smoothing_kernels as kernels
from firth.lm._counting import BITS, NgramCounts
from firth.store import Room

__all__ = ["Smoothed", "pieces", "smooth"]

_USUAL = (0.5, 1.0, 1.5)
"""The discounts where there are too few n-grams to estimate them."""
_AT_ONCE = 1 << 20
"""N-grams that are worked on at a time, without a chance to interrupt."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

count_endings: Any = kernels.count_endings
add_to_histories: Any = kernels.add_to_histories
interpolate: Any = kernels.interpolate


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Smoothed probabilities of n-grams.

    Attributes
    ----------
    keys : list of array of uint64
        The n-grams of each order, sorted; all symbols as unigrams.
    p : list of array
        The probability of the last symbol, given those before it; 0 for the beginning of a sentence.
    backoff : list of array
        The backoff weight of each n-gram as a history, but for those of the highest order; 1 for a
        history that was never seen.
    discounts : list of tuple of float
        For each order, the discounts of n-grams that occur once, twice, and more often.
    """

    keys: list[Keys]
    p: list[Floats]
    backoff: list[Floats]
    discounts: list[tuple[float, float, float]]


def pieces(n: int) -> Iterator[slice]:
    """Slices of ``n`` n-grams that are worked on at a time."""
    return (slice(a, min(a + _AT_ONCE, n)) for a in range(0, n, _AT_ONCE))


def smooth(counts: NgramCounts) -> Smoothed:
    """Smooth counts."""
    symbols = np.arange(counts.n_words + 3, dtype=np.uint64)
    keys = [symbols, *counts.keys[1:]]
    bigrams = _bigrams(counts)
    adjusted = _adjusted(counts, bigrams)
    discounts = [_discounts(found) for found in adjusted]
    p, backoff = [_unigrams(adjusted[0], discounts[0], counts.begin)], []
    for k in range(1, counts.order):
        away = np.array([0.0, *discounts[k]])
        left, made = _zeros(len(keys[k - 1]), counts.room), counts.room.empty(len(keys[k]), float)
        totals = _zeros(len(left), counts.room)
        of = [
            (keys[k][some], k + 1, adjusted[k][some], away, *bigrams) for some in pieces(len(made))
        ]
        for arguments in of:
            add_to_histories(*arguments, totals, left)
        for some in pieces(len(left)):
            total = totals[some]
            share = left[some] / np.where(total > 0, total, 1)
            left[some] = np.where(total > 0, share, 1.0)
        for arguments, some in zip(of, pieces(len(made)), strict=True):
            interpolate(*arguments, totals, left, p[k - 1], made[some])
        p.append(made)
        backoff.append(left)
    return Smoothed(keys, p, backoff, discounts)


def _unigrams(found: Integers, discounts: tuple[float, float, float], begin: int) -> Floats:
    """The probability of each symbol."""
    away = np.array([0.0, *discounts])[np.minimum(found, 3)]
    everything = np.zeros(len(found), np.int64)
    total, left = (np.bincount(everything, weights)[0] for weights in (found, away))
    p: Floats = (found - away) / total + left / total * (1 / (len(found) - 1))
    p[begin] = 0.0
    return p


def _bigrams(counts: NgramCounts) -> tuple[Integers, Keys]:
    """Where the bigrams of each first symbol begin, and all bigrams; empty if there are none."""
    keys = counts.keys[1] if counts.order > 1 else np.zeros(0, np.uint64)
    symbols = np.arange(counts.n_words + 4, dtype=np.uint64)
    return np.searchsorted(keys, symbols << np.uint64(BITS)).astype(np.int64), keys


def _adjusted(counts: NgramCounts, bigrams: tuple[Integers, Keys]) -> list[Integers]:
    """The counts of the highest order; in lower orders, the number of different words before each n-gram.

    N-grams at the beginning of a sentence have no word before them, and keep their counts. Unigrams are
    all symbols; the beginning of a sentence has the count zero.
    """
    found: list[Integers] = []
    for k in range(counts.order):
        n = counts.n_words + 3 if k == 0 else len(counts.keys[k])
        here = counts.counts[k]
        if k == 0:
            here = np.zeros(n, np.int64)
            here[counts.keys[0].astype(np.int64)] = counts.counts[0]
        if k < counts.order - 1:
            ways = _zeros(n, counts.room, np.int64)
            longer = counts.keys[k + 1]
            for some in pieces(len(longer)):
                count_endings(longer[some], k + 2, *bigrams, ways)
            if k:
                begin = np.array([counts.begin, counts.begin + 1], np.uint64) << np.uint64(BITS * k)
                first = slice(*np.searchsorted(counts.keys[k], begin))
                ways[first] = here[first]
            here = ways
        if k == 0:
            here[counts.begin] = 0
        found.append(here)
    return found


def _zeros(n: int, room: Room, dtype: npt.DTypeLike = np.float64) -> Any:
    made = room.empty(n, dtype)
    made[:] = 0
    return made


def _discounts(counts: Integers) -> tuple[float, float, float]:
    """Discounts estimated from the numbers of n-grams that occur 1, 2, 3 and 4 times."""
    sizes = sum(
        np.bincount(np.minimum(counts[some], 5), minlength=6) for some in pieces(len(counts))
    )
    n = np.asarray(sizes, np.float64)[1:5]
    if np.any(n == 0):
        return _USUAL
    y = n[0] / (n[0] + 2 * n[1])
    found = [k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)]
    if any(not 0 < d <= k for k, d in enumerate(found, 1)):
        return _USUAL
    return float(found[0]), float(found[1]), float(found[2])
