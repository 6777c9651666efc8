"""Move single words to better classes. Gains are integers, the same on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._brown_kernels import (
    Room,
    Words,
    clear,
    gather,
    nearest_class,
    put_column,
    put_row,
)
from firth.classes._loss_kernels import Classes, Tables
from firth.compute.kernels import kernel
from firth.compute.meeting_kernels import leave, left_by, meet

__all__ = ["move_words"]

Array = npt.NDArray[Any]


@kernel
def move_words(
    begin: int,
    end: int,
    words: Words,
    slot_of: Array,
    sizes: Array,
    classes: Classes,
    tables: Tables,
    room: Room,
    board: Array,
    part: int,
) -> Any:
    """Move each word to the class where mutual information is highest, if that is better.

    A word that is alone in its class stays. Called by every part, each with its own ``room``. Returns
    the number of words moved, and the gain.

    Each part looks at a word of its own, as if the words before it stayed where they are. Most do. The
    first word that does not is moved; those after it are looked at again.
    """
    n_parts = len(board) - 1
    n_moved, gain, x = 0, np.int64(0), begin
    while x < end:
        there, gained, itself, a_x = _better_class(
            x + part, end, words, slot_of, sizes, classes, tables, room
        )
        leave(there, gained, 0, part, board)
        if not meet(part, board):
            break
        first = 0
        while first < n_parts and left_by(first, part, board)[0] < 0:
            first += 1
        if first < n_parts:
            n_moved += 1
            gain += left_by(first, part, board)[1]
            if first == part:
                _move(x + part, there, itself, a_x, words, slot_of, sizes, classes, tables, room)
            if not meet(part, board):
                break
        clear(room)
        x += min(first + 1, n_parts)
    return n_moved, gain


@kernel
def _better_class(
    x: int,
    end: int,
    words: Words,
    slot_of: Array,
    sizes: Array,
    classes: Classes,
    tables: Tables,
    room: Room,
) -> Any:
    """The class that word x should move to, or -1, and the gain; also its counts with itself and in all."""
    if x >= end:
        return np.int64(-1), np.int64(0), np.int64(0), np.int64(0)
    here = np.int64(slot_of[x])
    # no class may become empty: the number of classes is fixed
    if sizes[here] == 1:
        return np.int64(-1), np.int64(0), np.int64(0), np.int64(0)
    itself, a_x = gather(x, words, slot_of, room)
    m = len(classes.f)
    there, loss = nearest_class(words.f[x], itself, a_x, here, 0, m, classes, tables, room)
    gain = room.losses[here] - loss
    if there == here:
        there = np.int64(-1)
    return there, gain, itself, a_x


@kernel
def _move(
    x: int,
    there: int,
    itself: int,
    a_x: int,
    words: Words,
    slot_of: Array,
    sizes: Array,
    classes: Classes,
    tables: Tables,
    room: Room,
) -> Any:
    """Move word x, whose counts are in ``room``, to another class."""
    here, m = np.int64(slot_of[x]), len(classes.f)
    for z, sign in ((here, -1), (np.int64(there), 1)):
        put_row(z, sign, itself, 0, m, classes, tables, room)
        put_column(z, sign, words.f[x], a_x, classes, tables, room)
        sizes[z] += sign
    slot_of[x] = there
