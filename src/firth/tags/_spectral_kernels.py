"""Kernels of the observable representation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["add_triples"]

Floats = npt.NDArray[np.float64]


@kernel
def add_triples(
    triples: npt.NDArray[np.int32], left: Floats, inverse: Floats, operators: Floats
) -> None:
    """For each triple y, x, z of symbols add left[z] ⊗ inverse[y] to the operator of x."""
    m = left.shape[1]
    for t in range(len(triples)):
        before, after = inverse[triples[t, 0]], left[triples[t, 2]]
        target = operators[triples[t, 1]]
        for i in range(m):
            weight = after[i]
            for j in range(m):
                target[i, j] += weight * before[j]
