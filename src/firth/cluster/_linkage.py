"""Bottom-up (agglomerative) clustering: every object by itself, then always merge the two closest clusters.

Manning and Schütze 1999, figure 14.2. Single, complete and average link and Ward's method are computed
by fastcluster; group-average link is Firth's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.cluster._distances import (
    SCIPY,
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
    if method in ("single", "ward"):
        return _by_vectors(dense(rows), method, metric)
    distances = condensed_distances(rows, metric)
    if method == "group-average":
        from scipy.spatial.distance import squareform

        return _of_distances(squareform(distances), method)
    return _fastcluster(distances, method)


def _by_vectors(rows: Floats, method: str, metric: str) -> Floats:
    """Single link and Ward's method, in memory linear in n; for unit rows cosines follow from distances."""
    import fastcluster

    tree = np.asarray(
        fastcluster.linkage_vector(
            rows, method, "euclidean" if metric == "cosine" else SCIPY[metric]
        )
    )
    if metric == "cosine":
        tree[:, 2] = tree[:, 2] ** 2 / 2
    return tree


def _of_distances(distances: Floats, method: str) -> Floats:
    from scipy.spatial.distance import squareform

    if method == "group-average":
        from firth.cluster._group_average import group_average_of_matrix

        return group_average_of_matrix(distances)
    return _fastcluster(squareform(distances, checks=False), method)


def _fastcluster(condensed: Floats, method: str) -> Floats:
    import fastcluster

    return np.asarray(fastcluster.linkage(condensed, method, preserve_input=False))
