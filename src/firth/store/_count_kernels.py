"""The kernel that counts ids."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["add_ids"]


@kernel
def add_ids(ids: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64]) -> None:
    """Count how often each number occurs."""
    for i in ids:
        counts[i] += 1
