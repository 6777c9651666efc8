"""Kernels of spectral estimation: sums of products of inside and outside projections."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import loose_kernel

__all__ = ["add_moments", "add_products"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@loose_kernel
def add_products(
    rules: Integers, lefts: Integers, rights: Integers, weights: Floats, inside: Floats, outside: Floats,
    tensors: Floats,
) -> None:  # fmt: skip
    """For each node with a rule, add outside ⊗ inside of the left child ⊗ inside of the right child, weighted."""
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


@loose_kernel
def add_moments(
    rules: Integers, lefts: Integers, rights: Integers, weights: Floats, inside: Floats, outside: Floats,
    three: Floats, around_left: Floats, around_right: Floats, left_right: Floats, of_around: Floats,
    of_left: Floats, of_right: Floats,
) -> None:  # fmt: skip
    """Like ``add_products``; also add the products of pairs of the three vectors, and the single vectors."""
    m = inside.shape[1]
    for node in range(len(rules)):
        r = rules[node]
        if r < 0:
            continue
        around, left, right = outside[node], inside[lefts[node]], inside[rights[node]]
        # one pass over the node fills all seven arrays
        for i in range(m):
            a, b = weights[node] * around[i], weights[node] * left[i]
            of_around[r, i] += a
            of_left[r, i] += b
            of_right[r, i] += weights[node] * right[i]
            for j in range(m):
                around_left[r, i, j] += a * left[j]
                around_right[r, i, j] += a * right[j]
                left_right[r, i, j] += b * right[j]
                weight = a * left[j]
                for k in range(m):
                    three[r, i, j, k] += weight * right[k]
