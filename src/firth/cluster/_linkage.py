"""Groups from the bottom up: every object by itself, then always the two most similar groups together.

Manning and Schütze 1999, figure 14.2. Single link by the minimum spanning tree, complete and average link and Ward's,
all by fastcluster; group-average is Firth's own.
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
from firth.compute import Engine, engine_for
from firth.errors import InputError, check_choice

__all__ = ["METHODS", "METRICS", "linkage"]

METHODS = ("group-average", "single", "complete", "average", "ward")
METRICS = ("cosine", "euclidean", "l1", "precomputed")

Floats = npt.NDArray[np.float64]


def linkage(
    objects: Any, method: str = "group-average", metric: str = "cosine", *, threads: int | Engine | None = None
) -> Floats:  # fmt: skip
    """The tree of objects, from the bottom up, in SciPy's form.

    Parameters
    ----------
    objects : array or sparse matrix of shape (n, dim), or (n, n) distances for ``metric="precomputed"``
        At least two, all numbers finite.
    method : str
        How far apart two groups are. ``single``: their two closest members; ``complete``: their two farthest;
        ``average``: all pairs across; ``ward``: by how much the squared distances to the centres grow;
        ``group-average``: all pairs of the union, also those within one group (Manning and Schütze 1999, 14.4).
    metric : str
        ``cosine`` (one minus it), ``euclidean``, ``l1`` or ``precomputed``. Ward's has only ``euclidean``.
    threads : int, optional
        All cores by default. The tree does not depend on it.

    Returns
    -------
    array of shape (n - 1, 4)
        Two groups, the height of their merge, its size. Of pairs that are equally far, ``group-average`` takes that
        with the lowest numbers.

    Notes
    -----
    Memory: ``group-average`` with cosine, ``single`` and ``ward`` need a few copies of the objects; all else needs all
    distances, that is 4 n² bytes, or 16 n² for ``group-average`` with another metric. All
    methods are monotonic: no merge is lower than one of its parts.

    Examples
    --------
    >>> from firth.cluster import linkage
    >>> linkage([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]).round(3).tolist()
    [[0.0, 1.0, 0.006, 2.0], [2.0, 3.0, 0.632, 3.0]]
    """
    check_choice("linkage", "method", method, METHODS)
    check_choice("linkage", "metric", metric, METRICS)
    engine = engine_for("linkage", threads)
    if method == "ward" and metric != "euclidean":
        raise InputError(
            "Ward's method is about squared Euclidean distances.",
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
    """Single link and Ward's, in memory that grows with the objects; on unit rows cosines follow from lengths."""
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
