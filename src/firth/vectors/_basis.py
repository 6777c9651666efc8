"""The vectors of a basis, or some of their rows, and products with them.

A basis is a sequence of arrays with up to ``WIDTH`` vectors each, as columns. A row of such an array is
short, so both products, with the vectors and with their transpose, read it from beginning to end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import LANES
from firth.compute.product_kernels import add_product
from firth.vectors import _kernels as kernels

__all__ = [
    "PIECE",
    "WIDTH",
    "Basis",
    "arrays",
    "columns_of",
    "combine",
    "in_lanes",
    "inner_products",
    "remove",
    "slices",
]

WIDTH = 128
"""Vectors of an array. Their coefficients fit into the L1 cache."""
PIECE = 1 << 12
"""Rows whose products are summed in single precision."""
_ROWS = 1 << 8
"""Rows whose combinations fit into the L2 cache."""

Block = npt.NDArray[np.float32]
Basis = Sequence[Block]


def slices(n: int) -> Iterator[slice]:
    """``n`` rows in pieces."""
    return (slice(a, min(a + PIECE, n)) for a in range(0, n, PIECE))


def arrays(basis: Basis, first: int, n: int) -> Iterator[tuple[Block, int, int, int]]:
    """The arrays with the ``n`` vectors from ``first`` on: first column, number of columns, number of the vector."""
    at = 0
    for some in basis:
        begin, end = max(first - at, 0), min(first + n - at, some.shape[1])
        if begin < end:
            yield some, begin, end - begin, at + begin - first
        at += some.shape[1]


def columns_of(basis: Basis, first: int) -> Block:
    """The ``LANES`` vectors from ``first`` on, as columns."""
    [(some, begin, n, _)] = arrays(basis, first, LANES)
    return some[:, begin : begin + n]


def inner_products(basis: Basis, first: int, n: int, block: Block, rows: slice) -> Block:
    """The inner products of the ``n`` vectors from ``first`` on with a block, of some rows alone."""
    inner = np.zeros((n, LANES), np.float32)
    for some, begin, m, at in arrays(basis, first, n):
        kernels.add_inner_products(some, begin, m, block, rows.start, rows.stop, inner[at : at + m])
    return inner


def remove(basis: Basis, first: int, inner: Block, block: Block, rows: slice) -> None:
    """Subtract the product of vectors from ``first`` on with a small matrix, in some rows of a block."""
    factors = -inner
    for some, begin, m, at in arrays(basis, first, len(inner)):
        a, width = rows.start, some.shape[1]
        add_product(block, a, rows.stop, 0, some, a * width + begin, width, 1, factors, at, m)


def _starts(width: int) -> list[int]:
    """The first of ``LANES`` columns at a time. The last ones overlap those before them."""
    return [*range(0, width - LANES, LANES), max(width - LANES, 0)]


def in_lanes(small: npt.NDArray[Any]) -> Block:
    """The columns of a small matrix, ``LANES`` at a time, for ``combine``; each of them once, other ones are 0."""
    starts = _starts(small.shape[1])
    found = np.zeros((len(starts), len(small), LANES), np.float32)
    for k, a in enumerate(starts):
        columns = small[:, k * LANES : (k + 1) * LANES]
        found[k, :, k * LANES - a :][:, : columns.shape[1]] = columns
    return found


def combine(basis: Basis, small: Block, target: Block, rows: slice) -> None:
    """Write the product of the first vectors with a small matrix to some rows of ``target``.

    The matrix is as ``in_lanes`` returns it.
    """
    width = target.shape[1]
    for a in range(rows.start, rows.stop, _ROWS):
        b = min(a + _ROWS, rows.stop)
        to = np.zeros((b - a, max(width, LANES)), np.float32)
        for some, _, m, at in arrays(basis, 0, small.shape[1]):
            for factors, column in zip(small, _starts(width), strict=True):
                n = some.shape[1]
                add_product(to, 0, b - a, column, some, a * n, n, 1, factors, at, m)
        target[a:b] = to[:, :width]
