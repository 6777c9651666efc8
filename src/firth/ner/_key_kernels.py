"""Keys of features, and the hash table from keys to rows of weights (open addressing)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from firth.compute.kernels import kernel, mixed

__all__ = ["Table", "add_keys", "find_row", "find_rows", "key_pair", "row_for"]


class Table(NamedTuple):
    """Rows of weights by key: ``slots`` has row numbers plus one, or 0; ``used[0]`` rows are in use.

    Rows are in the order in which they were added, so nothing depends on ``secret``.
    """

    slots: Any
    keys: Any
    weights: Any
    sums: Any
    used: Any
    secret: Any


@kernel
def key_pair(a: Any, b: Any) -> Any:
    """The key of a pair of a key and a number: the mixing steps of splitmix64."""
    h = np.uint64(a) ^ (
        np.uint64(b) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)
    )
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@kernel
def _slot_of(table: Any, key: Any) -> Any:
    """The slot of a key, or the free slot where it would be."""
    mask = np.uint64(len(table.slots) - 1)
    # keys are hashes, but no secret ones: labelled text and models could be made to collide
    # once is not enough: keys that are numbered would sometimes lie side by side
    once = mixed(key ^ table.secret[0], table.secret[1])
    slot = mixed(once ^ table.secret[2], table.secret[3]) & mask
    # there are at least twice as many slots as rows, so a free one ends the search
    while table.slots[slot] != 0 and table.keys[table.slots[slot] - 1] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def find_row(table: Any, key: Any) -> int:
    """The row of a key, or -1."""
    return np.int64(table.slots[_slot_of(table, key)]) - 1


@kernel
def row_for(table: Any, key: Any) -> int:
    """The row of a key; a key without one gets the next. The table must not be full."""
    slot = _slot_of(table, key)
    if table.slots[slot] == 0:
        row = table.used[0]
        table.used[0] += 1
        table.slots[slot] = np.uint32(row + 1)
        table.keys[row] = key
    return np.int64(table.slots[slot]) - 1


@kernel
def add_keys(table: Any, keys: Any, rows: Any) -> None:
    """The rows of keys; those without one get new rows."""
    for i in range(len(keys)):
        rows[i] = row_for(table, keys[i])


@kernel
def find_rows(table: Any, keys: Any, rows: Any) -> None:
    """The rows of keys, -1 for those without one."""
    for i in range(len(keys)):
        rows[i] = find_row(table, keys[i])
