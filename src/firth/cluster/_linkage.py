"""Bottom-up (agglomerative) clustering: every object by itself, then always merge the two closest clusters.

Manning and Schütze 1999, figure 14.2. Single link is a minimum spanning tree. Complete and average link
and Ward's method are reducible: no merge brings a third cluster closer, so clusters that are each other's
nearest neighbours can be merged in any order (Murtagh 1983). Group-average link is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.cluster._distances import (
    check_distances,
    check_objects,
    check_size,
    condensed_distances,
    dense,
    unit_rows,
)
from firth.cluster._parameters import LINKS, METRICS
from firth.compute import Engine, engine_for
from firth.errors import InputError, check_choice

__all__ = ["linkage"]

Floats = npt.NDArray[np.float64]
_MERGES = 256
"""Number of merges between two looks at the clock."""


def linkage(
    objects: Any,
    method: str = "group-average",
    metric: str = "cosine",
    *,
    threads: int | Engine | None = None,
) -> Floats:
    """The tree of bottom-up clustering, in SciPy's form.

    Parameters
    ----------
    objects : array or sparse matrix of shape (n, dim), or (n, n) distances for ``metric="precomputed"``
        At least two, all numbers finite.
    method : str
        The distance between two clusters. ``single``: of their two closest members; ``complete``: of
        their two farthest members; ``average``: the mean over all pairs across; ``ward``: the increase
        of the sum of squared distances to the centres; ``group-average``: the mean over all pairs of
        the union, including those within one cluster (Manning and Schütze 1999, 14.4).
    metric : str
        ``cosine`` (one minus the cosine), ``euclidean``, ``l1`` or ``precomputed``. Ward's method
        takes only ``euclidean``.
    threads : int, optional
        Number of threads; all cores by default. The tree does not depend on it.

    Returns
    -------
    array of shape (n - 1, 4)
        Two clusters, the height of their merge, and its size. Of pairs that are equally far apart,
        ``group-average`` merges the one with the lowest numbers.

    Notes
    -----
    Memory: ``group-average`` with cosine, ``single`` and ``ward`` need a few copies of the objects; all
    others need a table of all distances, that is 4 n² bytes, or 16 n² for ``group-average`` with
    another metric. All methods are monotonic: no merge is lower than one of its parts.

    Examples
    --------
    >>> from firth.cluster import linkage
    >>> linkage([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]).round(3).tolist()
    [[0.0, 1.0, 0.006, 2.0], [2.0, 3.0, 0.632, 3.0]]
    """
    check_choice("linkage", "method", method, LINKS)
    check_choice("linkage", "metric", metric, METRICS)
    engine = engine_for("linkage", threads)
    if method == "ward" and metric != "euclidean":
        raise InputError(
            "Ward's method works on squared Euclidean distances.",
            "Use it with the metric euclidean.",
        )
    if metric == "precomputed":
        return _of_distances(check_distances(objects), method)
    rows = check_objects(objects)
    if metric == "cosine":
        rows = unit_rows(rows)
    else:
        check_size(rows)
    if method == "group-average" and metric == "cosine":
        from firth.cluster._group_average import group_average_of_vectors

        return group_average_of_vectors(dense(rows), engine)
    if method == "single":
        return _single(dense(rows), metric)
    if method == "ward":
        return _by_chain(method, rows.shape[0], np.empty(0), dense(rows))
    distances = condensed_distances(rows, metric)
    if method == "group-average":
        from scipy.spatial.distance import squareform

        return _of_distances(squareform(distances), method)
    return _by_chain(method, rows.shape[0], distances, np.empty((0, 0)))


def _of_distances(distances: Floats, method: str) -> Floats:
    if method == "group-average":
        from firth.cluster._group_average import group_average_of_matrix

        return group_average_of_matrix(distances)
    if method == "single":
        return _single(distances, "precomputed")
    from scipy.spatial.distance import squareform

    table = squareform(distances, checks=False)
    return _by_chain(method, len(distances), table, np.empty((0, 0)))


def _single(rows: Floats, metric: str) -> Floats:
    """Single link, in memory linear in n: the edges of the minimum spanning tree."""
    from firth.cluster import _linkage_kernels as kernels

    kind = {"l1": kernels.L1, "precomputed": kernels.GIVEN}.get(metric, kernels.SQUARES)
    n, nothing = len(rows), np.empty((0, 0))
    ids = np.roll(np.arange(n, dtype=np.int64), -1)  # the tree grows from the first object
    blocks = _in_blocks(nothing if metric == "precomputed" else rows[ids])
    given = rows if metric == "precomputed" else nothing
    tree = kernels.Spanning(
        blocks, ids, np.full(n, np.inf), np.zeros(n, np.int64), np.empty(n + kernels.LANES)
    )

    def grow(first: int, last: int, merges: Floats) -> None:
        kernels.grow_tree(first, last, given, kind, tree, merges)

    merges = _in_slices(n, grow)
    if kind == kernels.SQUARES:
        # for rows of unit length, cosines follow from squared distances
        merges[:, 2] = merges[:, 2] / 2 if metric == "cosine" else np.sqrt(merges[:, 2])
    return _numbered(merges)


def _by_chain(method: str, n: int, table: Floats, rows: Floats) -> Floats:
    """Complete and average link of a table of distances, which is overwritten, or Ward's method of rows."""
    from firth.cluster import _linkage_kernels as kernels

    ids = np.arange(n, dtype=np.int64)
    chain = kernels.Chain(
        table, n * ids - ids * (ids + 1) // 2 - ids - 1, _in_blocks(rows), ids, ids.copy(),
        np.ones(n), np.ones(n), np.empty(n, np.int64), np.empty(n + kernels.LANES),
    )  # fmt: skip
    length = 0

    def follow(first: int, last: int, merges: Floats) -> None:
        nonlocal length
        length = kernels.follow_chain(first, last, length, method == "average", chain, merges)

    merges = _in_slices(n, follow)
    if method == "ward":
        merges[:, 2] = np.sqrt(merges[:, 2])
    return _numbered(merges)


def _in_blocks(rows: Floats) -> Floats:
    """Vectors as the kernels read them; the last block is filled up with zeros."""
    from firth.cluster._linkage_kernels import LANES

    n, dim = rows.shape
    blocks = np.zeros((-(-n // LANES), dim, LANES))
    for lane in range(min(n, LANES)):
        part = rows[lane::LANES]
        blocks[: len(part), :, lane] = part
    return blocks


def _in_slices(n: int, run: Callable[[int, int, Floats], None]) -> Floats:
    """All merges of n objects, some at a time."""
    merges = np.empty((n - 1, 3))
    with progress.stage("merging", total=n - 1, unit="merges", brief=1.0) as stage:
        for first in range(0, n - 1, _MERGES):
            last = min(first + _MERGES, n - 1)
            run(first, last, merges)
            stage.advance(last - first)
    return merges


def _numbered(merges: Floats) -> Floats:
    """The tree of merges in any order; of equal heights, those that were made first come first."""
    from firth.cluster._linkage_kernels import number_clusters

    n = len(merges) + 1
    tree = np.empty((n - 1, 4))
    in_order = merges[np.argsort(merges[:, 2], kind="stable")]
    number_clusters(in_order, np.empty(2 * n - 1, np.int64), tree)
    return tree
