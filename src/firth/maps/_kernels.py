"""Kernels of t-SNE: nearest neighbours, affinities, attraction and repulsion.

Except in ``spread`` and ``move``, which process points in order, points are independent of each other:
the result for a point does not depend on how work is split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

from firth.compute.kernels import kernel

__all__ = [
    "NOBODY", "attract", "calibrate", "keep_best", "log_attraction", "move", "repel", "repel_exactly", "spread",
]  # fmt: skip

NOBODY = np.int32(2**31 - 1)
"""The id of a free slot in a list of neighbours."""
_CHUNK = 64
_MOST_HALVINGS = 100
_CLOSE_ENOUGH = 1e-7
"""Tolerance of the entropy of a point, in nats."""

Array = Any
Function = TypeVar("Function", bound=Callable[..., Any])


def _wide_kernel(function: Function) -> Function:
    """A kernel whose sums are vectorised and whose divisors are never zero.

    The order of a sum is fixed when it is compiled.
    """
    compiled: Function = numba.njit(
        cache=True, nogil=True, _nrt=False, error_model="numpy", fastmath={"reassoc", "nsz", "contract"}
    )(function)  # fmt: skip
    return compiled


@kernel
def _insert(ids: Array, cosines: Array, worst: Array, row: int, other: int, cosine: float) -> None:
    """Insert a neighbour into the sorted list of a row, if it is nearer than the last one."""
    k = ids.shape[1]
    last = cosines[row, k - 1]
    # a total order, by cosine and then id: lists do not depend on the order of insertion
    if cosine < last or (cosine == last and other > ids[row, k - 1]):
        return
    p = k - 1
    while p > 0 and (
        cosines[row, p - 1] < cosine or (cosines[row, p - 1] == cosine and ids[row, p - 1] > other)
    ):
        cosines[row, p] = cosines[row, p - 1]
        ids[row, p] = ids[row, p - 1]
        p -= 1
    cosines[row, p] = cosine
    ids[row, p] = other
    worst[row] = cosines[row, k - 1]


@kernel
def keep_best(
    products: Array, first_row: int, first_column: int, ids: Array, cosines: Array, worst: Array,
) -> None:  # fmt: skip
    """Update the lists of some rows and columns from their inner products.

    If rows and columns are the same, every pair occurs twice, and only the row is updated.
    """
    n_rows, n_columns = products.shape
    same = first_row == first_column
    for r in range(n_rows):
        row = first_row + r
        for start in range(0, n_columns, _CHUNK):
            end = min(start + _CHUNK, n_columns)
            # worst only rises, so an old value may let a pair through, but never hides one
            least = worst[row]
            hits = np.int32(0)
            # most chunks have no hit; without branches, counting them is vectorised
            for c in range(start, end):
                hits += np.int32(products[r, c] >= min(least, worst[first_column + c]))
            if hits == 0:
                continue
            for c in range(start, end):
                product = products[r, c]
                if same:
                    if c != r and product >= worst[row]:
                        _insert(ids, cosines, worst, row, first_column + c, product)
                else:
                    if product >= worst[row]:
                        _insert(ids, cosines, worst, row, first_column + c, product)
                    if product >= worst[first_column + c]:
                        _insert(ids, cosines, worst, first_column + c, row, product)


@_wide_kernel
def _weigh(distances: Array, beta: float, weights: Array) -> float:
    """Gaussian weights of distances, relative to the nearest one; returns their entropy."""
    total = 0.0
    mean = 0.0
    for j in range(distances.shape[0]):
        weights[j] = math.exp(-beta * distances[j])
        total += weights[j]
        mean += weights[j] * distances[j]
    # the nearest distance is zero, so the total is at least one
    for j in range(distances.shape[0]):
        weights[j] /= total
    return math.log(total) + beta * mean / total


@kernel
def calibrate(
    cosines: Array, wanted: float, first: int, last: int, distances: Array, weights: Array
) -> None:
    """For each point, Gaussian weights of its neighbours with a given entropy; ``distances`` is scratch.

    The precision is found by bisection. Neighbours at equal distances get equal weights.
    """
    k = cosines.shape[1]
    for i in range(first, last):
        for j in range(k):  # sorted: the first one is the nearest
            distances[j] = 2.0 * (np.float64(cosines[i, 0]) - np.float64(cosines[i, j]))
        low, high, beta = 0.0, math.inf, 1.0
        for _ in range(_MOST_HALVINGS):
            excess = _weigh(distances, beta, weights[i]) - wanted
            if abs(excess) < _CLOSE_ENOUGH:
                break
            # the entropy falls as beta grows; beta is doubled until there is an upper end
            if excess > 0:
                low = beta
                beta = 2 * beta if high == math.inf else (low + high) / 2
            else:
                high = beta
                beta = (low + high) / 2


@_wide_kernel
def attract(
    indptr: Array, indices: Array, values: Array, x: Array, y: Array, first: int, last: int,
    force_x: Array, force_y: Array,
) -> None:  # fmt: skip
    """The attraction of each point by its neighbours: sums of p (other - point) / (1 + d^2)."""
    # a Python float would widen the arithmetic to double precision
    one = np.float32(1)
    for i in range(first, last):
        at_x, at_y = x[i], y[i]
        sum_x, sum_y = np.float32(0), np.float32(0)
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            dx, dy = x[j] - at_x, y[j] - at_y
            pull = values[e] / (one + dx * dx + dy * dy)
            sum_x += pull * dx
            sum_y += pull * dy
        force_x[i] = sum_x
        force_y[i] = sum_y


@_wide_kernel
def log_attraction(
    indptr: Array, indices: Array, values: Array, x: Array, y: Array, first: int, last: int
) -> float:
    """The sum of p log(p (1 + d^2)) over neighbours, a part of the divergence."""
    total = 0.0
    for i in range(first, last):
        for e in range(indptr[i], indptr[i + 1]):
            if values[e] > 0:
                j = indices[e]
                dx, dy = np.float64(x[j]) - x[i], np.float64(y[j]) - y[i]
                total += values[e] * math.log(values[e] * (1 + dx * dx + dy * dy))
    return total


@_wide_kernel
def repel_exactly(
    x: Array, y: Array, first: int, last: int, force_x: Array, force_y: Array
) -> float:
    """The repulsion of each point by all others: sums of (point - other) / (1 + d^2)^2.

    Returns the sum of 1 / (1 + d^2) over these points and all others.
    """
    one = np.float32(1)
    total = 0.0
    for i in range(first, last):
        at_x, at_y = x[i], y[i]
        sum_x, sum_y, near = np.float32(0), np.float32(0), np.float32(0)
        # j = i has no force; its 1 in the sum is subtracted below, which saves a branch
        for j in range(x.shape[0]):
            dx, dy = at_x - x[j], at_y - y[j]
            push = one / (one + dx * dx + dy * dy)
            near += push
            push *= push
            sum_x += push * dx
            sum_y += push * dy
        force_x[i] = sum_x
        force_y[i] = sum_y
        total += np.float64(near) - 1.0
    return total


@kernel
def splines(t: float) -> Any:
    """Cubic B-spline weights of the four nodes around a position, t after the second one."""
    sixth = 1.0 / 6.0
    r = 1.0 - t
    return (
        np.float32(r * r * r * sixth),
        np.float32((4.0 + t * t * (3.0 * t - 6.0)) * sixth),
        np.float32((4.0 + r * r * (3.0 * r - 6.0)) * sixth),
        np.float32(t * t * t * sixth),
    )


@kernel
def spread(
    x: Array, y: Array, first: int, last: int, left: float, low: float, per_unit: float, grid: Array
) -> None:
    """Spread a unit charge for each point over the 16 nodes around it, by cubic B-splines."""
    for i in range(first, last):
        u, v = (x[i] - left) * per_unit, (y[i] - low) * per_unit
        # the grid has a margin on all sides, so u and v are positive and indices need no check
        a, b = int(u), int(v)
        weights = splines(u - a)
        v0, v1, v2, v3 = splines(v - b)
        for k in range(4):
            w = weights[k]
            grid[a + k, b] += w * v0
            grid[a + k, b + 1] += w * v1
            grid[a + k, b + 2] += w * v2
            grid[a + k, b + 3] += w * v3


@_wide_kernel
def repel(
    x: Array, y: Array, first: int, last: int, left: float, low: float, per_unit: float, grids: Array, forces: Array,
) -> None:  # fmt: skip
    """The repulsion of each point, interpolated from grids, one for each direction."""
    for i in range(first, last):
        u, v = (x[i] - left) * per_unit, (y[i] - low) * per_unit
        a, b = int(u), int(v)
        w0, w1, w2, w3 = splines(u - a)
        v0, v1, v2, v3 = splines(v - b)
        for k in range(2):
            g = grids[k]
            forces[k, i] = (
                w0 * (v0 * g[a, b] + v1 * g[a, b + 1] + v2 * g[a, b + 2] + v3 * g[a, b + 3])
                + w1 * (v0 * g[a + 1, b] + v1 * g[a + 1, b + 1] + v2 * g[a + 1, b + 2] + v3 * g[a + 1, b + 3])
                + w2 * (v0 * g[a + 2, b] + v1 * g[a + 2, b + 1] + v2 * g[a + 2, b + 2] + v3 * g[a + 2, b + 3])
                + w3 * (v0 * g[a + 3, b] + v1 * g[a + 3, b + 1] + v2 * g[a + 3, b + 2] + v3 * g[a + 3, b + 3])
            )  # fmt: skip


@kernel
def _step(
    gradient: float, momentum: float, rate: float, longest: float, speed: Array, gain: Array, k: int, i: int
) -> float:  # fmt: skip
    """The step of a point in one direction: delta-bar-delta (Jacobs 1988) with momentum."""
    # speed points down the slope: opposite signs mean that the direction has not changed
    if (gradient > 0) != (speed[k, i] > 0):
        gain[k, i] += np.float32(0.2)
    else:
        gain[k, i] = max(gain[k, i] * np.float32(0.8), np.float32(0.01))
    step = momentum * speed[k, i] - rate * gain[k, i] * gradient
    step = min(max(step, -longest), longest)
    speed[k, i] = step
    return step


@kernel
def move(
    x: Array, y: Array, pull: Array, push: Array, speed: Array, gain: Array, exaggeration: float, total: float,
    momentum: float, rate: float, longest: float, corners: Array,
) -> None:  # fmt: skip
    """Move all points down the gradient, and centre them at zero.

    The factor 4 of the gradient is part of the learning rate, as usual. ``corners`` becomes the minimum
    and the maximum of ``x`` and of ``y``.
    """
    n = x.shape[0]
    mean_x, mean_y = 0.0, 0.0
    # by one thread and in order, so that the means are always the same
    for i in range(n):
        slope = -exaggeration * pull[0, i] - push[0, i] / total
        x[i] += _step(slope, momentum, rate, longest, speed, gain, 0, i)
        mean_x += x[i]
        slope = -exaggeration * pull[1, i] - push[1, i] / total
        y[i] += _step(slope, momentum, rate, longest, speed, gain, 1, i)
        mean_y += y[i]
    mean_x /= n
    mean_y /= n
    corners[0], corners[2] = math.inf, math.inf
    corners[1], corners[3] = -math.inf, -math.inf
    for i in range(n):
        x[i] -= mean_x
        y[i] -= mean_y
        corners[0] = min(corners[0], x[i])
        corners[1] = max(corners[1], x[i])
        corners[2] = min(corners[2], y[i])
        corners[3] = max(corners[3], y[i])
