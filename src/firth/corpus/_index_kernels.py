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
    low: int,
    high: int,
    begin: int,
    positions: npt.NDArray[np.uint32 | np.uint64],
    mine: npt.NDArray[np.int64],
) -> bool:
    """Put the position of each token into the next free slot of its word; False if there is none.

    Only of the words from ``low`` to before ``high``. ``positions`` are the slots from ``begin`` on; what
    belongs into others is passed over. ``mine`` is scratch memory.
    """
    for a in range(0, len(ids), len(mine)):
        # first the tokens in question, without a branch, which could not be predicted
        n = 0
        for i in range(a, min(a + len(mine), len(ids))):
            mine[n] = i
            n += np.int64(ids[i] >= low) & np.int64(ids[i] < high)
        for k in range(n):
            i = mine[k]
            word = ids[i]
            slot = free[word]
            # counts come from a file, and a word must not write into the slots of the next
            if slot >= ends[word]:
                return False
            free[word] = slot + 1
            if begin <= slot < begin + len(positions):
                positions[slot - begin] = first + i
    return True
