"""Kernels of the anchor method."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["add_by_group", "find_nearest", "nearest_mixtures"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_MOST_STEPS = 100_000


@kernel
def nearest_mixtures(
    products: Floats, gram: Floats, gap: float, gradient: Floats, weights: Floats
) -> None:
    """Minimise ½ wᵀ G w - bᵀ w over the simplex, for each row b of ``products``.

    A step moves weight from the worst corner that has some to the best corner; it costs as many
    operations as there are corners.
    """
    n, m = products.shape
    for row in range(n):
        b, w = products[row], weights[row]
        # start in the best corner; the objective in corner j is half of gram[j, j], less b[j]
        best = 0
        for j in range(1, m):
            if 0.5 * gram[j, j] - b[j] < 0.5 * gram[best, best] - b[best]:
                best = j
        for j in range(m):
            w[j] = 0.0
            gradient[j] = gram[best, j] - b[j]
        w[best] = 1.0
        for _ in range(_MOST_STEPS):
            low, high = 0, -1
            mean = 0.0
            for j in range(m):
                if gradient[j] < gradient[low]:
                    low = j
                if w[j] > 0.0:
                    mean += w[j] * gradient[j]
                    if high < 0 or gradient[j] > gradient[high]:
                        high = j
            # the duality gap: the objective is at most this far from its minimum
            if mean - gradient[low] <= gap or high == low:
                break
            curvature = gram[low, low] + gram[high, high] - 2.0 * gram[low, high]
            # equal corners have no curvature: all the weight moves
            step = w[high]
            if curvature > 0.0:
                step = min(step, (gradient[high] - gradient[low]) / curvature)
            # exactly zero, so that the corner no longer counts as one with weight
            if step == w[high]:
                w[high] = 0.0
            else:
                w[high] -= step
            w[low] += step
            for j in range(m):
                gradient[j] += step * (gram[low, j] - gram[high, j])


@kernel
def add_by_group(group: Integers, importance: Floats, rows: Floats, sums: Floats) -> None:
    """Add each row, times its importance, to the row of its group."""
    for i in range(len(group)):
        row, target, weight = rows[i], sums[group[i]], importance[i]
        for j in range(len(row)):
            target[j] += weight * row[j]


@kernel
def find_nearest(products: Floats, squares: Floats, nearest: Integers) -> int:
    """Find the nearest centre of each row, the first of several; returns for how many rows it is another one.

    ``products`` has the inner products of rows and centres, ``squares`` the squared lengths of centres.
    """
    changed = 0
    for i in range(len(products)):
        row = products[i]
        best, low = 0, np.inf
        for j in range(len(squares)):
            distance = squares[j] - 2.0 * row[j]
            if distance < low:
                best, low = j, distance
        if nearest[i] != best:
            nearest[i] = best
            changed += 1
    return changed
