"""Looking up sequences of words in ordered tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["look_up"]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]


@kernel
def _find(words: Short, first: int, last: int, word: int) -> int:
    """The place of a word in a part of an ordered list; -1 where it is not there."""
    while first < last:
        middle = (first + last) // 2
        if words[middle] < word:
            first = middle + 1
        else:
            last = middle
    return first


@kernel
def look_up(
    text: Integers, begin: int, p1: Floats, backoff1: Floats, starts2: Integers, words2: Short, p2: Floats,
    backoff2: Floats, starts3: Integers, words3: Short, p3: Floats, found: Floats, orders: npt.NDArray[np.uint8],
    histories: Integers,
) -> None:  # fmt: skip
    """Logarithms of the probabilities of all symbols but beginnings, after up to two before them.

    All tables have logarithms. ``orders`` tells how many symbols the sequence had that was found, ``histories`` the
    number of the pair before each symbol; -1 where it was never seen, or there is none.
    """
    pair = -1
    for i in range(len(text)):
        word = text[i]
        if word == begin:
            found[i], orders[i], histories[i] = 0.0, 0, -1
            pair = -1
            continue
        before = text[i - 1]
        first, last = starts2[before], starts2[before + 1]
        place = _find(words2, first, last, word)
        now = place if place < last and words2[place] == word else -1
        value, order = 0.0, 1
        if now >= 0:
            value, order = p2[now], 2
        else:
            value = backoff1[before] + p1[word]
        if pair >= 0:
            first, last = starts3[pair], starts3[pair + 1]
            place = _find(words3, first, last, word)
            if place < last and words3[place] == word:
                value, order = p3[place], 3
            else:
                value += backoff2[pair]
        found[i], orders[i], histories[i] = value, order, pair
        pair = now
