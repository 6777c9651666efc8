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
    loss_with,
    nearest_class,
    put_into,
)
from firth.classes._loss_kernels import Classes, Tables
from firth.compute.kernels import kernel

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
) -> Any:
    """Move each word to the class where mutual information is highest, if that is better.

    A word that is alone in its class stays. Returns the number of words moved, and the gain.
    """
    n_moved, gain = 0, np.int64(0)
    for x in range(begin, end):
        here = np.int64(slot_of[x])
        # no class may become empty: the number of classes is fixed
        if sizes[here] == 1:
            continue
        f_x = words.f[x]
        itself, a_x = gather(x, words, slot_of, room)
        # taken out first, so that its own class is compared like any other
        put_into(here, -1, f_x, itself, a_x, classes, tables, room)
        there, loss = nearest_class(f_x, itself, a_x, classes, tables, room)
        if there != here:
            stay = loss_with(here, f_x, itself, a_x, classes, tables, room)
            # a tie is no reason to move, so mutual information rises with every move
            if stay <= loss:
                there = here
            else:
                n_moved += 1
                gain += stay - loss
                sizes[here] -= 1
                sizes[there] += 1
                slot_of[x] = there
        put_into(there, 1, f_x, itself, a_x, classes, tables, room)
        clear(room)
    return n_moved, gain
