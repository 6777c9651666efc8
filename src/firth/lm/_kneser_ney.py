"""Modified Kneser-Ney smoothing (Chen and Goodman 1998), interpolated.

A discount is subtracted from the count of every n-gram; it depends on whether the n-gram occurs once,
twice or more often. The probability that becomes free is distributed by the distribution of the next
lower order. In lower orders, the count of an n-gram is the number of different words before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm import _kernels as kernels
from firth.lm._counting import NgramCounts

__all__ = ["Smoothed", "smooth"]

_USUAL = (0.5, 1.0, 1.5)
"""The discounts where there are too few n-grams to estimate them."""
_AT_ONCE = 1 << 21
"""N-grams that are looked up without a chance to interrupt."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

find_bigrams: Any = kernels.find_bigrams


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Smoothed probabilities of n-grams.

    Attributes
    ----------
    rows : list of array of int64, shape (n, order)
        The n-grams of each order, sorted; all symbols as unigrams.
    p : list of array
        The probability of the last symbol, given those before it; 0 for the beginning of a sentence.
    backoff : list of array
        The backoff weight of each n-gram as a history; 1 for a history that was never seen.
    discounts : list of tuple of float
        For each order, the discounts of n-grams that occur once, twice, and more often.
    """

    rows: list[Integers]
    p: list[Floats]
    backoff: list[Floats]
    discounts: list[tuple[float, float, float]]


def smooth(counts: NgramCounts) -> Smoothed:
    """Smooth counts."""
    n_symbols = counts.n_words + 3
    adjusted = _adjusted(counts)
    p: list[Floats] = []
    backoff: list[Floats] = []
    discounts = []
    rows = [np.arange(n_symbols)[:, None], *counts.rows[1:]]
    find = _Finder(counts)
    for k, table in enumerate(rows):
        found = adjusted[k]
        if k == 0:
            found = np.zeros(n_symbols, np.int64)
            found[counts.rows[0][:, 0]] = adjusted[0]
            found[counts.begin] = 0
        given = _discounts(found)
        discounts.append(given)
        history = np.zeros(len(table), np.int64) if k == 0 else find(table[:, :k])
        n_histories = 1 if k == 0 else len(rows[k - 1])
        totals = np.bincount(history, found, n_histories)
        away = np.array([0.0, *given])[np.minimum(found, 3)]
        left = np.bincount(history, away, n_histories) / np.where(totals > 0, totals, 1)
        left = np.where(totals > 0, left, 1.0)
        if k == 0:
            lower = np.full(n_symbols, 1 / (n_symbols - 1))
        else:
            lower = p[k - 1][find(table[:, 1:])]
            backoff.append(left)
        p.append((found - away) / totals[history] + left[history] * lower)
    p[0][counts.begin] = 0.0
    backoff.append(np.ones(len(rows[-1])))
    return Smoothed(rows, p, backoff, discounts)


def _adjusted(counts: NgramCounts) -> list[Integers]:
    """The counts of the highest order; in lower orders, the number of different words before each n-gram.

    N-grams at the beginning of a sentence have no word before them, and keep their counts.
    """
    found, find = list(counts.counts), _Finder(counts)
    for k in range(counts.order - 1):
        here = counts.rows[k][:, 0] if k == 0 else slice(None)
        n = counts.n_words + 3 if k == 0 else len(counts.rows[k])
        ways = np.bincount(find(counts.rows[k + 1][:, 1:]), minlength=n)[here]
        first = counts.rows[k][:, 0] == counts.begin
        found[k] = np.where(first, counts.counts[k], ways)
    return found


class _Finder:
    """Finds unigrams and bigrams in the sorted tables of counts, which contain all of them."""

    def __init__(self, counts: NgramCounts) -> None:
        self._seconds = counts.rows[1][:, 1] if counts.order > 2 else None
        if counts.order > 2:
            symbols = np.arange(counts.n_words + 4)
            self._starts = np.searchsorted(counts.rows[1][:, 0], symbols).astype(np.int64)

    def __call__(self, rows: Integers) -> Integers:
        if rows.shape[1] == 1:
            return rows[:, 0]
        found = np.empty(len(rows), np.int64)
        columns = (np.ascontiguousarray(column) for column in (self._seconds, *rows.T))
        seconds, first, second = columns
        for a in range(0, len(rows), _AT_ONCE):
            some = slice(a, a + _AT_ONCE)
            find_bigrams(self._starts, seconds, first[some], second[some], found[some])
        return found


def _discounts(counts: Integers) -> tuple[float, float, float]:
    """Discounts estimated from the numbers of n-grams that occur 1, 2, 3 and 4 times."""
    n = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if np.any(n == 0):
        return _USUAL
    y = n[0] / (n[0] + 2 * n[1])
    found = [k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)]
    if any(not 0 < d <= k for k, d in enumerate(found, 1)):
        return _USUAL
    return float(found[0]), float(found[1]), float(found[2])
