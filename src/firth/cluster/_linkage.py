"""Groups from the bottom up: every object by itself, then always the two most similar groups together.

Manning and Schütze 1999, figure 14.2. Single link by the minimum spanning tree, complete and average link and Ward's,
all by fastcluster; group-average is Firth's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import check_threads, limit_blas
from firth.errors import InputError, check_choice
from firth.progress import size

__all__ = ["METHODS", "METRICS", "check_distances", "condensed_distances", "linkage", "unit_rows"]

METHODS = ("group-average", "single", "complete", "average", "ward")
METRICS = ("cosine", "euclidean", "l1", "precomputed")

Floats = npt.NDArray[np.float64]

_SCIPY = {"cosine": "cosine", "euclidean": "euclidean", "l1": "cityblock"}
_ROWS = 512
"""Rows of distances that are made at once."""


def linkage(
    objects: Any, method: str = "group-average", metric: str = "cosine", *, threads: int | None = None
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
    distances, that is 4 n² bytes, or 16 n² for ``group-average`` with another metric. ``group-average`` is not
    monotonic: see ``inversions``.

    Examples
    --------
    >>> from firth.cluster import linkage
    >>> linkage([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]).round(3).tolist()
    [[0.0, 1.0, 0.006, 2.0], [2.0, 3.0, 0.632, 3.0]]
    """
    check_choice("linkage", "method", method, METHODS)
    check_choice("linkage", "metric", metric, METRICS)
    n_threads = check_threads("linkage", threads)
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
    if method == "group-average" and metric == "cosine":
        from firth.cluster._group_average import group_average_of_vectors

        return group_average_of_vectors(_dense(rows), n_threads)
    if method in ("single", "ward"):
        return _by_vectors(_dense(rows), method, metric)
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
            rows, method, "euclidean" if metric == "cosine" else _SCIPY[metric]
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


def check_objects(objects: Any, least: int = 2) -> Any:
    """Rows of finite numbers, at least so many; double precision, sparse where they are given so."""
    import scipy.sparse

    sparse = scipy.sparse.issparse(objects)
    try:
        rows: Any = (
            objects.tocsr().astype(np.float64) if sparse else np.asarray(objects, np.float64)
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"Objects must be rows of numbers: {error}.") from None
    if rows.ndim != 2 or not rows.shape[1]:
        raise InputError("Objects must be rows of numbers, all of one length.")
    if rows.shape[0] < least:
        some = "is only one object" if rows.shape[0] else "are no objects"
        raise InputError(f"There {some}: to group them there must be at least {least}.")
    values = rows.data if sparse else rows
    if not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(rows.toarray() if sparse else rows))[:, 0]
        raise InputError(
            f"Object {int(where.min()) + 1:,} has a value that is no number (NaN) or infinite.",
            "Leave such objects out.",
        )
    return rows


def unit_rows(rows: Any) -> Any:
    """Rows divided by their lengths; raises where one is zero."""
    import scipy.sparse

    if scipy.sparse.issparse(rows):
        largest = np.asarray(abs(rows).max(axis=1).todense()).ravel()
        scaled = scipy.sparse.diags_array(1 / np.where(largest > 0, largest, 1)) @ rows
        lengths = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    else:
        largest = np.abs(rows).max(axis=1)
        scaled = rows / np.where(largest > 0, largest, 1)[:, None]  # squares must not overflow
        lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    if not largest.all():
        raise InputError(
            f"Object {int(np.argmin(largest != 0)) + 1:,} is all zeros: it has no direction, so no cosine.",
            "Leave such objects out, or use the metric euclidean.",
        )
    if scipy.sparse.issparse(rows):
        return (scipy.sparse.diags_array(1 / lengths) @ scaled).tocsr()
    return scaled / lengths[:, None]


def condensed_distances(rows: Any, metric: str) -> Floats:
    """The distances of all pairs, each once, as SciPy's pdist orders them; rows are of unit length for cosine."""
    import scipy.sparse
    from scipy.spatial.distance import pdist

    n = rows.shape[0]
    try:
        found = np.empty(n * (n - 1) // 2)
    except MemoryError:
        raise InputError(
            f"The distances of {n:,} objects need {size(4 * n * n)} of memory.",
            "Use fewer objects, or the methods group-average (with cosine), single or ward, which need no such table.",
        ) from None
    if metric != "cosine" and not scipy.sparse.issparse(rows):
        return np.asarray(pdist(rows, _SCIPY[metric], out=found))
    if metric == "l1":
        return np.asarray(pdist(rows.toarray(), _SCIPY[metric], out=found))
    at = 0
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel() if metric == "euclidean" else None
    with limit_blas(check_threads("distances", None)):
        for first in range(0, n, _ROWS):
            products = rows[first : first + _ROWS] @ rows[first:].T
            block = products.toarray() if scipy.sparse.issparse(products) else products
            if squares is None:
                block = 1.0 - block
            else:
                block = np.sqrt(
                    np.maximum(
                        squares[first : first + _ROWS, None] + squares[first:] - 2 * block, 0
                    )
                )
            for i in range(len(block)):
                part = block[i, i + 1 :]
                np.maximum(part, 0.0, out=found[at : at + len(part)])
                at += len(part)
    return found


def check_distances(distances: Any) -> Floats:
    """A matrix of distances: square, symmetric, zero on the diagonal, nowhere negative."""
    table = check_objects(_dense(distances))
    n = len(table)
    if table.shape[0] != table.shape[1]:
        raise InputError(
            f"A matrix of distances must be square; this is {n:,} × {table.shape[1]:,}."
        )
    off = np.abs(table - table.T) > 1e-8 * np.abs(table).max()
    if off.any():
        i, j = (int(k) for k in np.argwhere(off)[0])
        raise InputError(
            f"The distances are not symmetric: {table[i, j]:g} from object {i + 1:,} to {j + 1:,}, "
            f"but {table[j, i]:g} back.",
            "Is it a matrix of distances?",
        )
    if np.diag(table).any():
        raise InputError(
            "The distance of an object to itself must be zero.",
            "Is it a matrix of similarities instead?",
        )
    if (table < 0).any():
        raise InputError("Distances must not be negative.")
    return np.asarray((table + table.T) / 2)


def _dense(rows: Any) -> Any:
    return rows.toarray() if hasattr(rows, "toarray") else rows
