"""Sparse matrices as three arrays, which may be in files."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, Engine
from firth.store import Room

__all__ = ["Entries"]

_AT_ONCE = 1 << 24
"""Entries that are written at random places at a time; they should fit into memory."""


class Entries(NamedTuple):
    """The arrays of a matrix in CSR format, the columns of each row sorted, and its shape.

    Unlike SciPy's arrays, they stay where they are: in memory, or in files that are mapped into it.
    """

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    data: npt.NDArray[Any]
    shape: tuple[int, int]

    def transposed(
        self,
        room: Room,
        engine: Engine = ONE_THREAD,
        columns: tuple[int, int] | None = None,
        order: npt.NDArray[np.int64] | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> Entries:
        """The transpose, in arrays of ``room``.

        Parameters
        ----------
        room : Room
        engine : Engine
        columns : tuple of int, optional
            Of these columns alone, from the first to the one after the last.
        order : array of int64, optional
            Put rows, and the columns, into this order: a permutation of both.
        dtype : data type, optional
            Of the entries; by default they keep theirs.
        """
        from firth.counts import _entry_kernels as kernels  # here, because it imports Numba

        count_columns: Any = kernels.count_columns
        turn: Any = kernels.turn
        first, last = columns or (0, self.shape[1])
        sizes = np.zeros(last - first, np.int64)
        count_columns(self.indptr, self.indices, first, last, sizes)
        rows = np.arange(self.shape[0]) if order is None else order
        indptr = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes if order is None else sizes[order], out=indptr[1:])
        free = np.empty(len(sizes), np.int64)
        free[slice(None) if order is None else order] = indptr[:-1]
        n_entries = int(indptr[-1])
        indices = room.empty(n_entries, np.int32)
        data = room.empty(n_entries, dtype or self.data.dtype)

        def work(piece: tuple[int, int]) -> None:
            a, b = piece
            some = self.indptr, self.indices, self.data, rows, first + a, first + b, free[a:b]
            turn(*some, indices, data)

        # each piece goes over all rows, but writes only to the places of its own columns
        n_pieces = max(engine.threads, -(-n_entries // _AT_ONCE))
        cuts = np.searchsorted(np.cumsum(sizes), np.linspace(0, n_entries, n_pieces + 1)[1:-1])
        edges = np.unique([0, *cuts.tolist(), len(sizes)]).tolist()
        for _ in engine.map(work, pairwise(edges)):
            pass
        return Entries(indptr, indices, data, (len(sizes), self.shape[0]))
