"""Clusters of words: many small ones by k-means, merged by Ward's method, and k-means again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.tags._anchors import refine

__all__ = ["k_means", "two_levels", "ward"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def two_levels(
    rows: Floats, counts: Floats, many: int, few: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """For each row its cluster among ``many``, and among the ``few`` that these are merged to.

    Words weigh as much as they are frequent.
    """
    centres, small = k_means(rows, counts, many, rng)
    sizes: Floats = np.bincount(small, counts, many).astype(np.float64)
    start = ward(centres, sizes, few)
    _, large = refine(rows, counts, start)
    return small, large


def k_means(
    rows: Floats, counts: Floats, k: int, rng: np.random.Generator
) -> tuple[Floats, Integers]:
    """The centres of k-means and the nearest of each row, from centres that are drawn far apart."""
    return refine(rows, counts, _far_apart(rows, counts, k, rng))


def _far_apart(rows: Floats, counts: Floats, k: int, rng: np.random.Generator) -> Floats:
    """Rows drawn with a probability proportional to their squared distance from those before (k-means++)."""
    chosen = [int(rng.choice(len(rows), p=counts / counts.sum()))]
    distances = ((rows - rows[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < k:
        p = counts * distances
        if not p.sum() > 0:  # as many different rows as centres
            p = counts
        chosen.append(int(rng.choice(len(rows), p=p / p.sum())))
        distances = np.minimum(distances, ((rows - rows[chosen[-1]]) ** 2).sum(axis=1))
    return rows[chosen]


def ward(centres: Floats, sizes: Floats, n: int) -> Floats:
    """The ``n`` centres that are left when those that cost least are merged, one pair after the other.

    A merge costs the squared distance of the two centres times the product of their sizes over the sum.
    """
    centres, sizes = centres.copy(), sizes.copy()
    while len(centres) > n:
        distances = ((centres[:, None] - centres[None]) ** 2).sum(axis=2)
        sums = sizes[:, None] + sizes[None]
        costs = distances * (sizes[:, None] * sizes[None]) / np.where(sums > 0, sums, 1.0)
        np.fill_diagonal(costs, np.inf)
        a, b = np.unravel_index(int(costs.argmin()), costs.shape)  # a < b: the costs are symmetric
        if sums[a, b] > 0:
            centres[a] = (sizes[a] * centres[a] + sizes[b] * centres[b]) / sums[a, b]
        sizes[a] = sums[a, b]
        centres, sizes = np.delete(centres, b, axis=0), np.delete(sizes, b)
    return centres
