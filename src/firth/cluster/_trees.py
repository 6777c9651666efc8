"""Trees of clusters in SciPy's form: a row for each merge, with its two parts, its height and its size.

Objects are numbered from 0; the merge in row i makes cluster n + i.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, check_count, wrong_parameter

__all__ = ["check_linkage", "cut_tree", "inversions"]

Tree = npt.NDArray[np.float64]


def check_linkage(tree: npt.ArrayLike) -> Tree:
    """Check a tree of clusters, and return it as an array of float64."""
    try:
        rows = np.ascontiguousarray(tree, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "A tree of clusters must be an array of numbers with four columns."
        ) from None
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InputError("A tree of clusters must have four columns: two parts, a height, a size.")
    n = len(rows) + 1
    parts = rows[:, :2]
    used = np.sort(parts.ravel())
    if (
        not np.array_equal(used, np.arange(2 * n - 2))
        or (parts.max(axis=1, initial=-1) >= n + np.arange(n - 1)).any()
    ):
        raise InputError(
            "In a tree of clusters, every cluster must be part of exactly one later merge."
        )
    if not np.isfinite(rows[:, 2]).all():
        raise InputError("In a tree of clusters, heights must be finite numbers.")
    if not np.array_equal(rows[:, 3], _sizes(rows)):
        raise InputError(
            "In a tree of clusters, the size of a merge must be the sum of the sizes of its parts."
        )
    return rows


def _sizes(rows: Tree) -> npt.NDArray[np.int64]:
    n = len(rows) + 1
    sizes = np.ones(2 * n - 1, np.int64)
    for i, (a, b) in enumerate(rows[:, :2].astype(np.int64).tolist()):
        sizes[n + i] = sizes[a] + sizes[b]
    return sizes[n:]


def inversions(tree: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The merges that are lower than one of their own parts.

    If there are any, the similarity is not monotonic (Manning and Schütze 1999, 14.2): merging brought
    clusters closer to each other, and what is close in the tree need not be similar.

    Parameters
    ----------
    tree : array of shape (n - 1, 4)

    Returns
    -------
    array of int64
        Rows of the tree.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.cluster import inversions
    >>> inversions(np.array([[0, 1, 2.0, 2], [2, 3, 1.0, 3]]))
    array([1])
    """
    rows = check_linkage(tree)
    heights = np.concatenate([np.full(len(rows) + 1, -np.inf), rows[:, 2]])
    below = heights[rows[:, :2].astype(np.int64)].max(axis=1, initial=-np.inf)
    tolerance = 1e-12 * np.abs(rows[:, 2]).max(initial=0.0)
    return np.flatnonzero(rows[:, 2] < below - tolerance)


def cut_tree(tree: npt.ArrayLike, n_clusters: int) -> npt.NDArray[np.int64]:
    """The cluster of every object after the last merges are undone.

    Clusters are numbered in the order of their first objects. Merges are undone in reverse order, so
    the result is also right for trees that are not monotonic.

    Parameters
    ----------
    tree : array of shape (n - 1, 4)
    n_clusters : int
        From 1 to the number of objects.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.cluster import cut_tree
    >>> cut_tree(np.array([[0, 2, 1.0, 2], [1, 3, 2.0, 3]]), 2)
    array([0, 1, 0])
    """
    rows = check_linkage(tree)
    n = len(rows) + 1
    check_count("cut_tree", "n_clusters", n_clusters)
    if n_clusters > n:
        raise wrong_parameter(
            "cut_tree", "n_clusters", f"an int of at most {n:,} (the number of objects)", n_clusters
        )
    top: npt.NDArray[Any] = np.arange(2 * n - 1)
    for i in range(n - 1 - n_clusters, -1, -1):
        a, b = rows[i, :2].astype(np.int64)
        top[a] = top[b] = top[n + i]
    _, first, labels = np.unique(top[:n], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[labels])
