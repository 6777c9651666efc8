"""Kernels that add up the counts of adjacent words."""

from __future__ import annotations

from typing import Any

from firth.compute.kernels import kernel

__all__ = ["add_between", "add_rows"]

Array = Any


@kernel
def add_between(
    indptr: Array, indices: Array, data: Array, class_of: Array, together: Array
) -> None:
    """Add the count of every pair of words to that of their classes; words of class -1 are passed over."""
    for word in range(indptr.shape[0] - 1):
        c = class_of[word]
        if c >= 0:
            for e in range(indptr[word], indptr[word + 1]):
                d = class_of[indices[e]]
                if d >= 0:
                    together[c, d] += data[e]


@kernel
def add_rows(rows: Array, indptr: Array, indices: Array, data: Array, total: Array) -> None:
    """Add some rows of a sparse matrix to a dense one."""
    for row in rows:
        for e in range(indptr[row], indptr[row + 1]):
            total[indices[e]] += data[e]
