"""Kernels that count keys, and interpolate models."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.compute.portable_kernels import log
from firth.lm._tree_kernels import find

__all__ = [
    "DIGIT",
    "add_counts",
    "count_different",
    "count_runs",
    "mix",
    "recent_nodes",
    "share_out",
    "sort_by_digit",
]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

DIGIT = 11
"""The number of bits of a key that one pass sorts by."""


@kernel
def sort_by_digit(keys: Keys, shift: int, places: Integers, out: Keys) -> None:
    """One pass of a radix sort: keys by ``DIGIT`` of their bits; it is stable. ``places`` is scratch space."""
    low, mask = np.uint64(shift), np.uint64((1 << DIGIT) - 1)
    # count the digits, sum up the counts to where each digit begins, and move the keys there
    places[:] = 0
    for key in keys:
        places[np.int64(key >> low & mask)] += 1
    total = 0
    for digit in range(len(places)):
        n = places[digit]
        places[digit] = total
        total += n
    # in order, so that keys with the same digit stay sorted by their lower digits
    for key in keys:
        digit = np.int64(key >> low & mask)
        out[places[digit]] = key
        places[digit] += 1


@kernel
def count_runs(keys: Keys, counts: Integers) -> int:
    """Remove duplicates from sorted keys, in place, and count them; returns the number of different keys."""
    n = 0
    # n is never above i, so no key is overwritten before it is read
    for i in range(len(keys)):
        if n > 0 and keys[i] == keys[n - 1]:
            counts[n - 1] += 1
        else:
            keys[n], counts[n] = keys[i], 1
            n += 1
    return n


@kernel
def count_different(a: Keys, b: Keys) -> int:
    """The number of different keys in two sorted lists, each of different keys."""
    i = j = n = 0
    while i < len(a) and j < len(b):
        here, there = a[i], b[j]
        i += here <= there
        j += there <= here
        n += 1
    return n + len(a) - i + len(b) - j


@kernel
def add_counts(a: Keys, n_a: Integers, b: Keys, n_b: Integers, keys: Keys, counts: Integers) -> int:
    """Merge two sorted lists of different keys, adding their counts; returns the length of the result."""
    i = j = n = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            keys[n], counts[n] = a[i], n_a[i]
            if a[i] == b[j]:
                counts[n] += n_b[j]
                j += 1
            i += 1
        else:
            keys[n], counts[n] = b[j], n_b[j]
            j += 1
        n += 1
    for k in range(i, len(a)):
        keys[n], counts[n] = a[k], n_a[k]
        n += 1
    for k in range(j, len(b)):
        keys[n], counts[n] = b[k], n_b[k]
        n += 1
    return n


@kernel
def share_out(p: Floats, buckets: Integers, weights: Floats, shares: Floats) -> float:
    """The E step of interpolation: add the expected number of words of each model to ``shares``, by bucket.

    ``p`` has a row for each word, ``weights`` and ``shares`` have one for each bucket, and all have a
    column for each model. Words that are impossible do not count. Returns the log likelihood.
    """
    log_prob = 0.0
    for i in range(len(p)):
        bucket, total = buckets[i], 0.0
        for k in range(p.shape[1]):
            total += weights[bucket, k] * p[i, k]
        if total <= 0.0:
            continue
        log_prob += log(total)
        for k in range(p.shape[1]):
            shares[bucket, k] += weights[bucket, k] * p[i, k] / total
    return log_prob


@kernel
def mix(p: Floats, buckets: Integers, weights: Floats, out: Floats) -> None:
    """The log probability of each word (rows), from those of several models and their weights by bucket."""
    for i in range(len(out)):
        total = 0.0
        for k in range(p.shape[1]):
            total += weights[buckets[i], k] * p[i, k]
        out[i] = log(total)


@kernel
def recent_nodes(
    text: Short, places: Short, children: Any, elements: Any, one: Integers, two: Integers
) -> None:
    """The nodes of the last word and of the last two words before each symbol; -1 for those never seen."""
    for i in range(len(text)):
        one[i] = two[i] = -1
        if places[i] >= 1:
            one[i] = find(elements, children[0], children[1], text[i - 1])
        if places[i] >= 2 and one[i] >= 0:
            two[i] = find(elements, children[one[i]], children[one[i] + 1], text[i - 2])
