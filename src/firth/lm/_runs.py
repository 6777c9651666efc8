"""Counts of keys, by sorting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm import _kernels as kernels
from firth.store import Room

__all__ = ["pieces", "sorted_counts"]

_KEYS_AT_ONCE = 1 << 22
"""How many keys are sorted at once."""
_AT_ONCE = 1 << 20
"""Elements of arrays that are worked on at a time, without a chance to interrupt."""

Keys = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]
Run = tuple[Keys, Integers]
"""Different keys, sorted, and the count of each."""

sort_by_digit: Any = kernels.sort_by_digit
count_runs: Any = kernels.count_runs
count_different: Any = kernels.count_different
add_counts: Any = kernels.add_counts


def pieces(begin: int, end: int) -> Iterator[slice]:
    """Slices of what is worked on at a time."""
    return (slice(a, min(a + _AT_ONCE, end)) for a in range(begin, end, _AT_ONCE))


def sorted_counts(n: int, make: Callable[[slice, Keys], int], bits: int, room: Room) -> Run:
    """The different keys of a text of ``n`` symbols, sorted, and the count of each.

    ``make`` writes the keys of some symbols and returns their number. Each piece of the text is sorted.
    The sorted runs are merged as soon as the last two are of similar size, so every key is moved a few
    times only.
    """
    runs: list[Run] = []
    for begin in range(0, n, _KEYS_AT_ONCE):
        some = slice(begin, min(begin + _KEYS_AT_ONCE, n))
        keys = np.empty(some.stop - begin, np.uint64)
        runs.append(_counted(keys[: make(some, keys)], bits, room))
        while len(runs) > 1 and len(runs[-2][0]) <= 2 * len(runs[-1][0]):
            runs[-2:] = [_merged(runs[-2], runs[-1], room)]
    while len(runs) > 1:
        runs[-2:] = [_merged(runs[-2], runs[-1], room)]
    return runs[0] if runs else (np.zeros(0, np.uint64), np.zeros(0, np.int64))


def _counted(keys: Keys, bits: int, room: Room) -> Run:
    places, other = np.empty(1 << kernels.DIGIT, np.int64), np.empty_like(keys)
    for digit in range(0, bits, kernels.DIGIT):
        sort_by_digit(keys, digit, places, other)
        keys, other = other, keys
    counts = other.view(np.int64)  # it is not needed any more
    n = count_runs(keys, counts)
    run = room.empty(n, np.uint64), room.empty(n, np.int64)
    run[0][:], run[1][:] = keys[:n], counts[:n]
    return run


def _merged(one: Run, two: Run, room: Room) -> Run:
    """The sums of the counts of two runs."""
    n = count_different(one[0], two[0])
    both = room.empty(n, np.uint64), room.empty(n, np.int64)
    add_counts(*one, *two, *both)
    return both
