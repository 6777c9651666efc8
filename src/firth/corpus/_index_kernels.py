"""The kernel of the word index: a counting sort."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["place"]


@kernel
def place(
    ids: npt.NDArray[np.uint32],
    first: int,
    free: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    begin: int,
    positions: npt.NDArray[np.uint32 | np.uint64],
) -> bool:
    """Put the position of each token into the next free slot of its word; False if there is none.

    ``positions`` are the slots from ``begin`` on; what belongs into others is passed over.
    """
    for i in range(len(ids)):
        word = ids[i]
        slot = free[word]
        # counts come from a file, and a word must not write into the slots of the next
        if slot >= ends[word]:
            return False
        free[word] = slot + 1
        if begin <= slot < begin + len(positions):
            positions[slot - begin] = first + i
    return True
