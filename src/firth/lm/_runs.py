"""Counts of keys, by sorting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm import _kernels as kernels
from firth.store import Room, map_memory

__all__ = ["keys_at_once", "pieces", "sorted_counts"]

_FEWEST_KEYS, _MOST_KEYS = 1 << 16, 1 << 22
"""How many keys are sorted at once."""
_AT_ONCE = 1 << 18
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


def keys_at_once(room: Room, threads: int = 1) -> int:
    """How many keys each of some threads sorts at once, so that all of them take a quarter of a room more."""
    return int(min(max(room.limit / (64 * threads), _FEWEST_KEYS), _MOST_KEYS))


def sorted_counts(
    n: int, make: Callable[[slice, Keys], int], bits: int, room: Room, at_once: int | None = None
) -> Run:
    """The different keys of a text of ``n`` symbols, sorted, and the count of each.

    ``make`` writes the keys of some symbols and returns their number. Each piece of the text, of
    ``at_once`` symbols, is sorted. The sorted runs are merged as soon as the last two are of similar size,
    so every key is moved a few times only.
    """
    runs: list[Run] = []
    at_once = at_once or keys_at_once(room)
    # not in the room, where they would be files if it is full
    scratch = [np.frombuffer(map_memory(8 * max(min(at_once, n), 1)), np.uint64) for _ in range(2)]
    for begin in range(0, n, at_once):
        some = slice(begin, min(begin + at_once, n))
        keys, other = (array[: some.stop - begin] for array in scratch)
        n_keys = make(some, keys)
        runs.append(_counted(keys[:n_keys], other[:n_keys], bits, room))
        while len(runs) > 1 and len(runs[-2][0]) <= 2 * len(runs[-1][0]):
            runs[-2:] = [_merged(runs[-2], runs[-1], room)]
    while len(runs) > 1:
        runs[-2:] = [_merged(runs[-2], runs[-1], room)]
    return runs[0] if runs else (np.zeros(0, np.uint64), np.zeros(0, np.int64))


def _counted(keys: Keys, other: Keys, bits: int, room: Room) -> Run:
    places = np.empty(1 << kernels.DIGIT, np.int64)
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
