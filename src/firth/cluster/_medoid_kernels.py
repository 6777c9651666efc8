"""k-medoids by swaps: FasterPAM (Schubert and Rousseeuw 2021), from the paper.

Every object keeps its nearest and its second nearest medoid, with their distances. To put another
object in the place of a medoid then changes the loss by a sum of three parts, which one pass over the
objects gives for all k medoids at once: what it costs to remove the medoid (``removal``, known before
the pass), what the new medoid saves, and a correction for objects of the removed medoid that are closer
to the new one than to their second. A swap is made as soon as it lowers the loss.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from firth.compute.kernels import kernel

__all__ = ["Medoids", "assign", "improve", "most_central"]

Array = Any


class Medoids(NamedTuple):
    """The medoids, in slots 0 to k - 1, and the objects' nearest two."""

    chosen: Array
    """The object in every slot."""
    slot: Array
    """The slot of every object, or -1."""
    nearest: Array
    """The slot of the nearest medoid of every object, ..."""
    second: Array
    """... and of the second nearest."""
    near: Array
    """The distance to the nearest medoid, ..."""
    far: Array
    """... and to the second nearest."""
    removal: Array
    """By how much the loss grows if the medoid in a slot is removed."""
    change: Array
    """Scratch space: one number for every slot."""


@kernel
def assign(distances: Array, medoids: Medoids) -> float:
    """Find the two nearest of at least two medoids for every object; returns the loss."""
    medoids.slot[:] = -1
    for k in range(len(medoids.chosen)):
        medoids.slot[medoids.chosen[k]] = k
    for x in range(len(distances)):
        medoids.near[x], medoids.nearest[x] = np.inf, -1
        for k in range(len(medoids.chosen)):
            d = distances[x, medoids.chosen[k]]
            if medoids.nearest[x] < 0 or d < medoids.near[x]:
                medoids.near[x], medoids.nearest[x] = d, k
        _find_second(x, distances, medoids)
    return _loss(medoids)


@kernel
def _find_second(x: int, distances: Array, medoids: Medoids) -> None:
    """Find the second nearest medoid of an object whose nearest is known."""
    best, at = np.inf, -1
    for k in range(len(medoids.chosen)):
        d = distances[x, medoids.chosen[k]]
        if k != medoids.nearest[x] and (at < 0 or d < best):
            best, at = d, k
    medoids.far[x], medoids.second[x] = best, at


@kernel
def _loss(medoids: Medoids) -> float:
    """The sum of distances to the nearest medoids; sets what the removal of each would add."""
    medoids.removal[:] = 0.0
    loss = 0.0
    for x in range(len(medoids.near)):
        loss += medoids.near[x]
        medoids.removal[medoids.nearest[x]] += medoids.far[x] - medoids.near[x]
    return loss


@kernel
def _try(row: Array, medoids: Medoids) -> int:
    """The slot whose medoid is best replaced by the object with these distances, or -1 if none is."""
    near, far, nearest, change = medoids.near, medoids.far, medoids.nearest, medoids.change
    for k in range(len(change)):
        change[k] = medoids.removal[k]
    saved = 0.0
    for x in range(len(row)):
        d = row[x]
        if d < far[x]:
            if d < near[x]:  # goes to the new medoid, whichever one is removed
                saved += d - near[x]
                change[nearest[x]] += near[x] - far[x]
            else:  # goes there only if its own one is removed
                change[nearest[x]] += d - far[x]
    best = 0
    for k in range(1, len(change)):
        if change[k] < change[best]:
            best = k
    return best if change[best] + saved < 0.0 else -1


@kernel
def _put(c: int, k: int, distances: Array, medoids: Medoids) -> float:
    """Make an object the medoid in slot k; returns the new loss."""
    row, near, far = distances[c], medoids.near, medoids.far
    nearest, second = medoids.nearest, medoids.second
    medoids.slot[medoids.chosen[k]] = -1
    medoids.chosen[k], medoids.slot[c] = c, k
    for x in range(len(row)):
        d = row[x]
        if nearest[x] == k:
            if d <= far[x]:
                near[x] = d
            else:
                near[x], nearest[x] = far[x], second[x]
                _find_second(x, distances, medoids)
        elif d < near[x]:
            far[x], second[x] = near[x], nearest[x]
            near[x], nearest[x] = d, k
        elif second[x] == k and d > far[x]:
            _find_second(x, distances, medoids)
        elif d <= far[x]:
            far[x], second[x] = d, k
    return _loss(medoids)


@kernel
def improve(loss: float, distances: Array, medoids: Medoids, last: Array) -> float:
    """Try all objects once, in their order, as medoids; returns the new loss.

    ``last[0]`` is the object that was swapped in last, or -1. When its turn comes again, all others have
    been tried in vain: ``last[0]`` becomes -1, and the search is over.
    """
    for c in range(len(distances)):
        if c == last[0]:
            last[0] = -1
            return loss
        if medoids.slot[c] >= 0:
            continue
        k = _try(distances[c], medoids)
        if k >= 0:
            loss, last[0] = _put(c, k, distances, medoids), c
    return loss


@kernel
def most_central(first: int, distances: Array, totals: Array) -> int:
    """The object with the smallest sum of distances to all others: ``first`` if it is one of them."""
    for c in range(len(distances)):
        totals[c] = 0.0
        for x in range(len(distances)):
            totals[c] += distances[c, x]
    best = first
    for c in range(len(distances)):
        if totals[c] < totals[best]:
            best = c
    return best
