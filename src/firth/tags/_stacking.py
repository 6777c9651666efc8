"""Sparse matrices that are made some rows at a time, in arrays of a room.

They are SciPy's CSR arrays. What SciPy makes of a whole matrix would be in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.counts import Entries
from firth.store import Room

__all__ = ["row_pieces", "some_rows", "stacked"]

_ENTRIES = 1 << 19
"""About how many entries are worked on at a time."""


def row_pieces(sizes: npt.NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Ranges of rows with not too many entries, or of one row; ``sizes`` has the entries of each."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(ends):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _ENTRIES, side="right")))
        yield first, last
        first = last


def some_rows(matrix: Any, first: int, last: int) -> Any:
    """The rows from ``first`` to ``last - 1`` of a CSR array or of Entries, as a CSR array."""
    from scipy.sparse import csr_array

    if not isinstance(matrix, Entries):
        return matrix[first:last]
    begin, end = int(matrix.indptr[first]), int(matrix.indptr[last])
    arrays = matrix.data[begin:end], matrix.indices[begin:end], matrix.indptr[first : last + 1]
    return csr_array((*arrays[:2], arrays[2] - begin), shape=(last - first, matrix.shape[1]))


def stacked(pieces: Iterable[Any], shape: tuple[int, int], most: int, room: Room) -> Any:
    """The rows of some CSR arrays, one below the other, as float64.

    Parameters
    ----------
    pieces : iterable of CSR array
    shape : tuple of int
        Of the result.
    most : int
        At least the number of entries.
    room : Room
    """
    from scipy.sparse import csr_array

    kind = np.int32 if max(most, *shape) < 1 << 31 else np.int64  # SciPy wants one for both
    indices, data = room.empty(most, kind), room.empty(most, np.float64)
    indptr = np.zeros(shape[0] + 1, kind)
    row = begin = 0
    for piece in pieces:
        end, last = begin + piece.nnz, row + piece.shape[0]
        indices[begin:end], data[begin:end] = piece.indices, piece.data
        indptr[row + 1 : last + 1] = piece.indptr[1:] + begin
        row, begin = last, end
    return csr_array((data[:begin], indices[:begin], indptr), shape=shape)
