"""Kernel that checks the matrix of co-occurrence counts before others use it."""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel

Array = Any  # a NumPy array, inside kernels


@kernel
def check_rows(
    begin: int, end: int, indptr: Array, indices: Array, data: Array, n_rows: int, rows: Array, columns: Array
) -> bool:  # fmt: skip
    """Whether the rows from ``begin`` to ``end - 1`` are sorted and have the right sums.

    Adds their entries to ``columns``. All indices must be in range, all entries and sums positive and
    below 2**62.
    """
    n_blocks = rows.shape[1]
    for row in range(begin, end):
        previous, block, total = np.int64(-1), 0, np.int64(0)
        for e in range(indptr[row], indptr[row + 1]):
            column, entry = np.int64(indices[e]), np.int64(data[e])
            if column <= previous:
                return False
            previous = column
            while column >= (block + 1) * n_rows:
                if total != rows[row, block]:
                    return False
                block, total = block + 1, np.int64(0)
            total += entry
            # sums only grow, so this also keeps them from overflowing
            if total > rows[row, block]:
                return False
            columns[column] += entry
        while block < n_blocks:
            if total != rows[row, block]:
                return False
            block, total = block + 1, np.int64(0)
    return True
