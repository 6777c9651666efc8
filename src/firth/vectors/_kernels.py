"""Kernels for sparse matrices in panels of columns, and their product with a few dense columns.

A panel is so narrow that the corresponding rows of the dense matrix fit into the cache. Columns are
ordered by frequency, so panels can double in width: later columns are needed ever more rarely.
"""

from __future__ import annotations

from typing import Any

from firth.compute.kernels import add_rows, kernel
from firth.compute.product_kernels import add_product

__all__ = ["add_inner_products", "count_entries", "fill", "multiply"]

_ROWS = 256
"""Rows of a dense matrix that fit into the L2 cache."""

Array = Any


@kernel
def count_entries(
    indptr: Array, indices: Array, values: Array, panel_of: Array, first: int, last: int, pointers: Array,
) -> None:  # fmt: skip
    """``pointers[p, i + 1]`` = number of nonzero entries of row i in panel p."""
    for i in range(first, last):
        for e in range(indptr[i], indptr[i + 1]):
            # some scalings make entries zero; row i belongs to one thread, which alone writes here
            if values[e] != 0:
                pointers[panel_of[indices[e]], i + 1] += 1


@kernel
def fill(
    indptr: Array, indices: Array, values: Array, panel_of: Array, starts: Array, first: int, last: int,
    pointers: Array, places: Array, new_indices: Array, new_values: Array,
) -> None:  # fmt: skip
    """Write entries to their panels, columns relative to the panel; ``places`` is scratch memory."""
    for i in range(first, last):
        for p in range(starts.shape[0]):
            places[p] = pointers[p, i]
        for e in range(indptr[i], indptr[i + 1]):
            if values[e] != 0:
                p = panel_of[indices[e]]
                # a panel has at most 65,536 columns, so 16 bits are enough
                new_indices[places[p]] = indices[e] - starts[p]
                new_values[places[p]] = values[e]
                places[p] += 1


@kernel
def multiply(
    pointers: Array, indices: Array, values: Array, source: Array, first: int, last: int, target: Array,
) -> None:  # fmt: skip
    """Add one panel times ``source`` to the rows ``first`` to ``last - 1`` of ``target``."""
    for i in range(first, last):
        # one thread adds the entries of a row in order, so sums do not depend on the threads
        if pointers[i] < pointers[i + 1]:
            add_rows(target, i, source, indices, values, pointers[i], pointers[i + 1])


@kernel
def add_inner_products(
    vectors: Array, begin: int, n: int, block: Array, first: int, last: int, inner: Array
) -> None:
    """Add the inner products of ``n`` columns of ``vectors`` with those of ``block``, of some rows alone."""
    width = vectors.shape[1]
    for a in range(first, last, _ROWS):
        m = min(_ROWS, last - a)
        add_product(inner, 0, n, 0, vectors, a * width + begin, 1, width, block, a, m)
