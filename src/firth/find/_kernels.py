"""The kernel of a search: patterns of words at given positions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["ANY", "MANY", "match"]

ANY, MANY = -1, -2
"""A slot for any word, and one for the words of the first bit set; MANY - 1 has those of the second."""


@kernel
def _holds(word: int, j: int, only: npt.NDArray[np.int64], bits: npt.NDArray[np.uint8]) -> bool:
    """Whether a word may stand in a slot."""
    if only[j] >= 0:
        return word == only[j]
    if only[j] == ANY:
        return True
    return (bits[MANY - only[j], word >> 3] >> (word & 7)) & 1 == 1


@kernel
def _length(
    ids: npt.NDArray[np.uint32],
    start: int,
    only: npt.NDArray[np.int64],
    bits: npt.NDArray[np.uint8],
    gaps: npt.NDArray[np.int64],
    reach: npt.NDArray[np.uint8],
) -> int:
    """The length of the shortest match that starts at a position, or 0.

    Slot by slot, ``reach`` says at which distances from the start the slot may be filled.
    """
    if not _holds(np.int64(ids[start]), 0, only, bits):
        return 0
    first = last = row = 0
    reach[0, 0] = 1
    for j in range(1, len(only)):
        low, high = gaps[j, 0], gaps[j, 1]
        new_first = new_last = -1
        seen, latest = first, first
        for at in range(first + 1 + low, last + 1 + high + 1):
            if start + at >= len(ids):
                break
            while seen <= last and seen <= at - 1 - low:
                if reach[row, seen]:
                    latest = seen
                seen += 1
            fits = latest >= at - 1 - high and _holds(np.int64(ids[start + at]), j, only, bits)
            reach[1 - row, at] = fits
            if fits:
                new_last = at
                if new_first < 0:
                    new_first = at
        if new_first < 0:
            return 0
        first, last, row = new_first, new_last, 1 - row
    return first + 1


@kernel
def match(
    ids: npt.NDArray[np.uint32],
    ends: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    only: npt.NDArray[np.int64],
    bits: npt.NDArray[np.uint8],
    gaps: npt.NDArray[np.int64],
    reach: npt.NDArray[np.uint8],
    found: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
) -> int:
    """The starts of matches, and the length of the shortest match at each; returns their number.

    ``starts`` rises. ``only`` has the word of each slot, or ANY, or which row of ``bits`` has its words;
    ``gaps`` the fewest and the most words before each slot. A match does not extend over the end of a
    sentence: if the shortest does, so do all others. ``reach`` is scratch memory.
    """
    n = sentence = 0
    for start in starts:
        if start < 0 or start >= len(ids):
            continue
        length = _length(ids, start, only, bits, gaps, reach)
        if length == 0:
            continue
        # the sentence of the start: ever larger steps ahead, then halving
        step = 1
        while sentence + step < len(ends) and ends[sentence + step - 1] <= start:
            sentence += step
            step *= 2
        low, high = sentence, min(sentence + step, len(ends) - 1)
        while low < high:
            middle = (low + high) // 2
            if ends[middle] <= start:
                low = middle + 1
            else:
                high = middle
        sentence = low
        if start + length <= ends[sentence]:
            found[n], lengths[n] = start, length
            n += 1
    return n
