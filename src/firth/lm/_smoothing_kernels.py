"""Kernels that smooth the counts of n-grams.

N-grams are keys: symbols of ``BITS`` bits, the first one highest. ``starts`` has where the bigrams of
each first symbol begin among ``bigrams``, which are sorted and contain whatever is looked up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.compute.search_kernels import first_not_below
from firth.lm._counting import BITS

__all__ = ["add_to_histories", "count_endings", "interpolate"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


@kernel
def _place(key: Any, order: int, starts: Integers, bigrams: Keys) -> Any:
    """The number of a unigram or a bigram among those of its order."""
    if order == 1:
        return np.int64(key)
    symbol = np.int64(key >> np.uint64(BITS))
    return first_not_below(bigrams, starts[symbol], starts[symbol + 1], key)


@kernel
def _ending(key: Any, order: int) -> Any:
    """An n-gram without its first symbol."""
    return key & ((np.uint64(1) << np.uint64(BITS * (order - 1))) - np.uint64(1))


@kernel
def count_endings(keys: Keys, order: int, starts: Integers, bigrams: Keys, ways: Integers) -> None:
    """Count by how many n-grams each n-gram that is shorter by one symbol is ended."""
    for key in keys:
        ways[_place(_ending(key, order), order - 1, starts, bigrams)] += 1


@kernel
def add_to_histories(
    keys: Keys, order: int, counts: Integers, discounts: Floats, starts: Integers, bigrams: Keys,
    totals: Floats, left: Floats,
) -> None:  # fmt: skip
    """Add up the counts and the discounts of all n-grams that continue a history, by history."""
    history = 0
    for i in range(len(keys)):
        before = keys[i] >> np.uint64(BITS)
        # in sorted n-grams, the same history comes several times in a row
        if i == 0 or before != keys[i - 1] >> np.uint64(BITS):
            history = _place(before, order - 1, starts, bigrams)
        totals[history] += counts[i]
        left[history] += discounts[min(counts[i], 3)]


@kernel
def interpolate(
    keys: Keys, order: int, counts: Integers, discounts: Floats, starts: Integers, bigrams: Keys,
    totals: Floats, left: Floats, lower: Floats, p: Floats,
) -> None:  # fmt: skip
    """The probability of the last symbol of each n-gram; ``lower`` has those of the next lower order."""
    history = 0
    for i in range(len(keys)):
        before = keys[i] >> np.uint64(BITS)
        if i == 0 or before != keys[i - 1] >> np.uint64(BITS):
            history = _place(before, order - 1, starts, bigrams)
        kept = (counts[i] - discounts[min(counts[i], 3)]) / totals[history]
        ending = _place(_ending(keys[i], order), order - 1, starts, bigrams)
        p[i] = kept + left[history] * lower[ending]
