"""Kernels that transpose sparse matrices, by a counting sort."""

from __future__ import annotations

from typing import Any

from firth.compute.kernels import kernel
from firth.compute.search_kernels import first_not_below

__all__ = ["count_columns", "turn"]

Array = Any


@kernel
def count_columns(indptr: Array, indices: Array, first: int, last: int, sizes: Array) -> None:
    """Count the entries of each column from ``first`` to ``last - 1``, in order of the columns."""
    for row in range(indptr.shape[0] - 1):
        end = indptr[row + 1]
        e = first_not_below(indices, indptr[row], end, first)
        while e < end and indices[e] < last:
            sizes[indices[e] - first] += 1
            e += 1


@kernel
def turn(
    indptr: Array, indices: Array, data: Array, rows: Array, first: int, last: int, free: Array,
    new_indices: Array, new_data: Array,
) -> None:  # fmt: skip
    """Write the entries of the columns from ``first`` to ``last - 1`` to where their columns are rows.

    Row ``rows[i]`` of the matrix becomes column i, so new rows come out sorted. ``free`` has the place of
    the next entry of each of the columns.
    """
    for i in range(rows.shape[0]):
        end = indptr[rows[i] + 1]
        e = first_not_below(indices, indptr[rows[i]], end, first)
        while e < end and indices[e] < last:
            place = free[indices[e] - first]
            free[indices[e] - first] = place + 1
            new_indices[place] = i
            new_data[place] = data[e]
            e += 1
