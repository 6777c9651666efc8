"""Kernels of dispersion."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["add_counts", "add_dispersion"]

Floats = npt.NDArray[np.float64]


@kernel
def add_counts(ids: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64]) -> None:
    """Count words."""
    for word in ids:
        counts[word] += 1


@kernel
def add_dispersion(
    ids: npt.NDArray[np.uint32], ends: npt.NDArray[np.int64], n_tokens: int,
    places: npt.NDArray[np.int32], counts: npt.NDArray[np.int64], scratch: npt.NDArray[np.int64],
    touched: npt.NDArray[np.int32], parts: npt.NDArray[np.int64], deviations: Floats,
    shares: Floats, squares: Floats,
) -> None:  # fmt: skip
    """Add what some parts of a text, one after the other, say about the dispersion of its words.

    ``deviations`` is the sum of |s - v| - s over the parts in which a word occurs, where s is the share of
    the text and v the share of the word's occurrences; in all other parts |s - v| is s, and the sum of all
    s is 1. ``shares`` and ``squares`` are the sums of the relative frequency in each part and of its
    square. ``scratch`` must be zero, and is afterwards. ``places`` are those of words in all these arrays, -1
    for words that are not asked for.
    """
    start = 0
    for end in ends:
        n = 0
        for k in range(start, end):
            word = places[ids[k]]
            if word < 0:
                continue
            if scratch[word] == 0:
                touched[n] = word
                n += 1
            scratch[word] += 1
        size = end - start
        start = end
        share = size / n_tokens
        for i in range(n):
            word = touched[i]
            frequency = scratch[word] / size
            parts[word] += 1
            deviations[word] += abs(share - scratch[word] / counts[word]) - share
            shares[word] += frequency
            squares[word] += frequency * frequency
            scratch[word] = 0
