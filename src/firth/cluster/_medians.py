"""K-means in L1 space: centres are medians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.metrics import pairwise_distances, pairwise_distances_argmin

from firth.progress import check_interrupted

__all__ = ["Medians", "find_medians", "nearest_centres", "spread_out"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_ROWS = 1 << 14
"""Number of objects that are compared with the centres at once."""
_NUMBERS = 1 << 22
"""Number of values whose medians are computed at once."""


class Medians(NamedTuple):
    """Centres that neither step of K-means moves, unless the iterations ran out."""

    centres: Floats
    loss: float
    """The sum of the distances of all objects to their nearest centres."""
    n_iter: int


def find_medians(rows: Any, first: Floats, max_iter: int) -> Medians:
    """K-means with the L1 distance (Manning and Schütze 1999, figure 14.8).

    The point with the smallest sum of L1 distances to all members of a cluster is the median in every
    coordinate; of an even number of members, the mean of the two in the middle. A centre that no object
    is nearest to stays where it is.

    Parameters
    ----------
    rows : array or sparse matrix of shape (n, dim)
    first : array of shape (k, dim)
        The initial centres.
    max_iter : int
    """
    centres = np.array(first, np.float64)
    labels = nearest_centres(rows, centres, "manhattan")
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        check_interrupted()
        for k in np.unique(labels).tolist():
            centres[k] = _medians(rows[np.flatnonzero(labels == k)])
        before, labels = labels, nearest_centres(rows, centres, "manhattan")
        if np.array_equal(labels, before):
            break
    return Medians(centres, _loss(rows, centres, labels), n_iter)


def _medians(members: Any) -> Floats:
    """The median of every column; sparse columns are made dense some at a time."""
    if not scipy.sparse.issparse(members):
        return np.asarray(np.median(members, axis=0), np.float64)
    columns, n = members.tocsc(), max(1, _NUMBERS // members.shape[0])
    blocks = [columns[:, i : i + n].toarray() for i in range(0, members.shape[1], n)]
    return np.concatenate([np.median(block, axis=0) for block in blocks])


def _loss(rows: Any, centres: Floats, labels: Integers) -> float:
    total = 0.0
    for k in np.unique(labels).tolist():
        some = rows[np.flatnonzero(labels == k)]
        total += float(pairwise_distances(some, centres[k : k + 1], metric="manhattan").sum())
    return total


def nearest_centres(rows: Any, centres: Any, metric: str) -> Integers:
    """The number of the nearest centre of every object; of equally near ones, the lowest."""
    # Euclidean distances are computed from products, which are accurate only near the origin
    origin = 0 if scipy.sparse.issparse(rows) else centres.mean(axis=0)
    return np.concatenate(
        [
            pairwise_distances_argmin(rows[k : k + _ROWS] - origin, centres - origin, metric=metric)
            for k in range(0, rows.shape[0], _ROWS)
        ]
    ).astype(np.int64)


def spread_out(
    distances_of: Callable[[int], Floats], n: int, k: int, random: np.random.RandomState
) -> Integers:
    """Objects far apart: each is drawn with a probability by its distance to those before (k-means++).

    Parameters
    ----------
    distances_of : function
        Takes the number of an object, and returns its distances to all.
    n, k : int
        The number of objects, and how many of them are drawn.
    random : RandomState
    """
    chosen = [int(random.randint(n))]
    near = distances_of(chosen[0]).copy()
    while len(chosen) < k:
        near[chosen] = 0.0
        total = near.sum()
        free = np.setdiff1d(np.arange(n), chosen)
        chosen.append(int(random.choice(n, p=near / total) if total > 0 else free[0]))
        near = np.minimum(near, distances_of(chosen[-1]))
    return np.array(chosen)
