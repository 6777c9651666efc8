"""Move single words to better classes. Gains are integers, the same on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._brown_kernels import (
    Room,
    Words,
    agreed_class,
    clear,
    gather,
    nearest_class,
    put_column,
    put_row,
)
from firth.classes._loss_kernels import Classes, Tables
from firth.classes._merge_kernels import NONE
from firth.compute.kernels import kernel
from firth.compute.meeting_kernels import share

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

    A word that is alone in its class stays. Called by every part, each with its own ``sizes`` and
    ``room``. Returns the number of words moved, and the gain.
    """
    n_moved, gain = 0, np.int64(0)
    left, right = share(part, len(classes.f), board)
    for x in range(begin, end):
        here = np.int64(slot_of[x])
        # no class may become empty: the number of classes is fixed
        if sizes[here] == 1:
            continue
        f_x = words.f[x]
        itself, a_x = gather(x, words, slot_of, room)
        there, loss = nearest_class(f_x, itself, a_x, here, left, right, classes, tables, room)
        stay = room.losses[here] if left <= here < right else -NONE
        go_on, there, loss, stay = agreed_class(there, loss, here, stay, classes, board, part)
        if not go_on:
            break
        # most words stay, so nothing is written unless a word moves
        if there != here:
            put_row(here, -1, itself, left, right, classes, tables, room)
            if left <= here < right:
                put_column(here, -1, f_x, a_x, classes, tables, room)
            put_row(there, 1, itself, left, right, classes, tables, room)
            if left <= there < right:
                put_column(there, 1, f_x, a_x, classes, tables, room)
            n_moved += 1
            gain += stay - loss
            sizes[here] -= 1
            sizes[there] += 1
            # by all parts: each of them reads it before it meets the others
            slot_of[x] = there
        clear(room)
    return n_moved, gain
