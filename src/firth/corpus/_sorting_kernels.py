"""Kernels that divide words into groups, which are sorted independently."""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel

__all__ = ["beginnings", "groups_of"]

Array = Any  # a NumPy array, inside kernels


@kernel
def beginnings(offsets: Array, spellings: Array, out: Array) -> None:
    """The first eight bytes of each word as a number: a smaller one belongs to a smaller word."""
    for word in range(out.shape[0]):
        first, last = offsets[word], offsets[word + 1]
        number = np.uint64(0)
        for i in range(first, first + 8):
            number = number << np.uint64(8)
            if i < last:
                number |= np.uint64(spellings[i])
        out[word] = number


@kernel
def groups_of(
    counts: Array, starts: Array, cut_counts: Array, cut_starts: Array, groups: Array
) -> None:
    """The number of cuts before each word, by decreasing count and then by its beginning."""
    for word in range(groups.shape[0]):
        count, start = counts[word], starts[word]
        low, high = 0, cut_counts.shape[0]
        while low < high:
            middle = (low + high) // 2
            if cut_counts[middle] > count or (
                cut_counts[middle] == count and cut_starts[middle] <= start
            ):
                low = middle + 1
            else:
                high = middle
        groups[word] = low
