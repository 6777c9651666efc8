"""Kernels of spectral estimation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import loose_kernel

__all__ = ["add_products"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@loose_kernel
def add_products(
    rules: Integers, lefts: Integers, rights: Integers, weights: Floats, inside: Floats, outside: Floats,
    tensors: Floats,
) -> None:  # fmt: skip
    """For each node with a rule add outside ⊗ inside of the left child ⊗ inside of the right one, weighted."""
    m = inside.shape[1]
    for node in range(len(rules)):
        if rules[node] < 0 or weights[node] == 0.0:
            continue
        target = tensors[rules[node]]
        around, left, right = outside[node], inside[lefts[node]], inside[rights[node]]
        for i in range(m):
            for j in range(m):
                weight = weights[node] * around[i] * left[j]
                for k in range(m):
                    target[i, j, k] += weight * right[k]
