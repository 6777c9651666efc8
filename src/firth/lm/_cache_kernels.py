"""Kernels of the cache: words that occurred a short time ago are more probable.

``symbols`` begins with ``n_old`` symbols that were predicted before, so that histories can be found
there. ``before`` is scratch space, with the last place before each symbol where the same symbol is, and
``last`` has the last place of each symbol. The weight of a word that occurred ``k`` words ago is
``keep ** k``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["recent_histories", "recent_words"]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]


@kernel
def _power(keep: float, n: int) -> float:
    """A power by squaring, with the same bits on every machine."""
    found = 1.0
    while n > 0:
        if n & 1:
            found *= keep
        keep *= keep
        n >>= 1
    return found


@kernel
def recent_words(
    symbols: Short, n_old: int, begin: int, of: Short, keep: float, sums: Floats, times: Integers, now: int,
    total: Floats, found: Floats, totals: Floats,
) -> int:  # fmt: skip
    """The weights of the earlier occurrences of each symbol, or of its class, and of all symbols.

    ``of`` has the number of each symbol in ``sums``, which has sums as of ``times``. Returns the time.
    """
    for i in range(n_old, len(symbols)):
        if symbols[i] == begin:
            continue
        k = of[symbols[i]]
        here = sums[k] * _power(keep, now - times[k])
        found[i - n_old], totals[i - n_old] = here, total[0]
        sums[k], times[k] = here + 1.0, now + 1
        # all sums are as of the next symbol, for which this one is one word ago
        sums[k] *= keep
        total[0] = (total[0] + 1.0) * keep
        now += 1
    return now


@kernel
def recent_histories(
    symbols: Short, n_old: int, begin: int, window: int, keep: float, last: Any, before: Integers, one: Floats,
    all_one: Floats, two: Floats, all_two: Floats,
) -> None:  # fmt: skip
    """The weights of earlier places with the same word before, and of those where the same symbol follows.

    ``one`` and ``all_one`` are for one word before, ``two`` and ``all_two`` for two.
    """
    for i in range(len(symbols)):
        word = symbols[i]
        if i >= n_old and word != begin:
            first = symbols[i - 1]
            second = symbols[i - 2] if first != begin else -1
            place = before[i - 1]
            while place >= 0 and i - place <= window:
                weight = _power(keep, i - 1 - place)
                follows = symbols[place + 1] == word
                all_one[i - n_old] += weight
                if follows:
                    one[i - n_old] += weight
                if first == begin or (place > 0 and symbols[place - 1] == second):
                    all_two[i - n_old] += weight
                    if follows:
                        two[i - n_old] += weight
                place = before[place]
        before[i] = last[word]
        last[word] = i
    # so that it can be used again
    for i in range(len(symbols)):
        last[symbols[i]] = -1
