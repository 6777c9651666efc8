"""Objects and their distances: checks, and conversions that the methods need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import engine_for, limit_blas
from firth.errors import InputError
from firth.progress import size

__all__ = [
    "SCIPY",
    "check_distances",
    "check_objects",
    "check_size",
    "condensed_distances",
    "dense",
    "unit_rows",
]

Floats = npt.NDArray[np.float64]

SCIPY = {"cosine": "cosine", "euclidean": "euclidean", "l1": "cityblock"}
"""SciPy's names of our metrics."""
_LARGEST = 1e140
_ROWS = 512
"""Number of rows of distances computed at once."""


def check_objects(objects: Any, least: int = 2) -> Any:
    """Check that objects are rows of finite numbers; returns float64, sparse if they are sparse."""
    import scipy.sparse

    sparse = scipy.sparse.issparse(objects)
    try:
        if np.iscomplexobj(objects):
            raise InputError("Objects must be rows of real numbers. Got complex numbers.")
        rows: Any = (
            objects.tocsr().astype(np.float64) if sparse else np.asarray(objects, np.float64)
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"Objects must be rows of numbers: {error}.") from None
    if not rows.size and rows.ndim < 2:
        raise InputError(f"There are no objects: clustering needs at least {least}.")
    if rows.ndim != 2 or not rows.shape[1]:
        raise InputError("Objects must be rows of numbers, all of one length.")
    if rows.shape[0] < least:
        some = "is only one object" if rows.shape[0] else "are no objects"
        raise InputError(f"There {some}: clustering needs at least {least}.")
    values = rows.data if sparse else rows
    if not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(rows.toarray() if sparse else rows))[:, 0]
        raise InputError(
            f"Object {int(where.min()) + 1:,} has a value that is not a number (NaN) or infinite.",
            "Leave such objects out.",
        )
    return rows


def check_size(values: Any) -> None:
    """Raise InputError if sums of squares would overflow."""
    if float(abs(values).max()) > _LARGEST:
        raise InputError(
            f"A value is larger than {_LARGEST:g}: sums of squares would overflow.",
            "Scale all values down.",
        )


def unit_rows(rows: Any, names: Sequence[str] | None = None) -> Any:
    """Rows divided by their lengths; a row of zeros is an error.

    Parameters
    ----------
    rows : array or CSR matrix
    names : sequence of str, optional
        The names of the objects for error messages; numbers by default.
    """
    import scipy.sparse

    if scipy.sparse.issparse(rows):
        largest = np.asarray(abs(rows).max(axis=1).todense()).ravel()
        scaled = rows.copy()
        scaled.data /= np.repeat(np.where(largest > 0, largest, 1), np.diff(rows.indptr))
        lengths = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    else:
        largest = np.abs(rows).max(axis=1)
        scaled = rows / np.where(largest > 0, largest, 1)[:, None]  # squares must not overflow
        lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    if not largest.all():
        first = int(np.argmin(largest != 0))
        which = f"Object {first + 1:,}" if names is None else f"The object {names[first][:60]!r}"
        raise InputError(
            f"{which} is all zeros, so its cosine is undefined.",
            "Leave such objects out, or use the metric euclidean.",
        )
    if scipy.sparse.issparse(rows):
        return (scipy.sparse.diags_array(1 / lengths) @ scaled).tocsr()
    return scaled / lengths[:, None]


def condensed_distances(rows: Any, metric: str) -> Floats:
    """The distances of all pairs in the order of SciPy's pdist; for cosine, rows must have unit length."""
    from scipy.spatial.distance import pdist

    n = rows.shape[0]
    try:
        found = np.empty(n * (n - 1) // 2)
    except MemoryError:
        raise InputError(
            f"The distances of {n:,} objects need {size(4 * n * n)} of memory.",
            "Use fewer objects, or a method without a distance table: group-average with cosine, single or ward.",
        ) from None
    if metric != "cosine":
        return np.asarray(pdist(dense(rows), SCIPY[metric], out=found))
    at = 0
    with limit_blas(engine_for("distances", None).threads):
        for first in range(0, n, _ROWS):
            cosines = dense(rows[first : first + _ROWS] @ rows[first:].T)
            for i in range(len(cosines)):
                part = cosines[i, i + 1 :]
                np.maximum(1.0 - part, 0.0, out=found[at : at + len(part)])
                at += len(part)
    return found


def check_distances(distances: Any) -> Floats:
    """Check a distance matrix: square, symmetric, zero on the diagonal, not negative."""
    table = check_objects(dense(distances))
    check_size(table)
    n = len(table)
    if table.shape[0] != table.shape[1]:
        raise InputError(f"A distance matrix must be square. Got {n:,} × {table.shape[1]:,}.")
    off = np.abs(table - table.T) > 1e-8 * np.abs(table).max()
    if off.any():
        i, j = (int(k) for k in np.argwhere(off)[0])
        raise InputError(
            f"The distances are not symmetric: {table[i, j]:g} from object {i + 1:,} to {j + 1:,}, "
            f"but {table[j, i]:g} from {j + 1:,} to {i + 1:,}.",
            "Give a symmetric distance matrix.",
        )
    if np.diag(table).any():
        raise InputError(
            "The distance of an object to itself must be zero.",
            "Give distances, not similarities.",
        )
    if (table < 0).any():
        raise InputError("Distances must not be negative.")
    return np.asarray((table + table.T) / 2)


def dense(rows: Any) -> Any:
    """Rows as an array, even if they are sparse."""
    return rows.toarray() if hasattr(rows, "toarray") else rows
