"""Kernel for the overlap of sparse distributions, all pairs at once."""

from __future__ import annotations

from typing import Any

from firth.compute.kernels import kernel

Array = Any  # a NumPy array, inside kernels


@kernel
def add_overlaps(
    indptr: Array, indices: Array, data: Array,
    column_starts: Array, column_rows: Array, column_data: Array, overlaps: Array,
) -> None:  # fmt: skip
    """Add the sum of the elementwise minimum of rows i and j to ``overlaps[i, j]``, for j above i.

    The matrix is given by rows and by columns (rows ascending in each column), so that only entries
    that are nonzero in both rows are visited.
    """
    for i in range(indptr.shape[0] - 1):
        for e in range(indptr[i], indptr[i + 1]):
            share = data[e]
            column = indices[e]
            f = column_starts[column + 1] - 1
            # rows after i are at the end of the column, and row i itself ends the loop
            while column_rows[f] > i:
                overlaps[i, column_rows[f]] += min(share, column_data[f])
                f -= 1
