"""Products with the scaled matrix of counts, on all threads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.compute.kernels import AHEAD, LANES
from firth.counts import Counts
from firth.store import Room
from firth.vectors import _kernels as kernels
from firth.vectors._template import Template

__all__ = ["Panels", "ScaledCounts", "SparseMatrix"]

_NARROWEST, _WIDEST = 1 << 13, 1 << 16
"""Columns of a panel: the rows of the dense matrix that fit into the L2 cache; what 16 bits can index."""
_STRETCHES_PER_THREAD = 8

Block = npt.NDArray[np.float32]


def panel_edges(n_columns: int) -> list[int]:
    """The edges of the panels: the first one is narrow, the others double in width.

    >>> panel_edges(100_000)
    [0, 8192, 16384, 32768, 65536, 100000]
    """
    edges = [0]
    while edges[-1] < n_columns:
        edges.append(min(n_columns, edges[-1] + min(max(edges[-1], _NARROWEST), _WIDEST)))
    return edges


class Panels:
    """A sparse matrix, split into panels of columns; see ``_kernels``.

    Parameters
    ----------
    matrix : CSR array or Entries
        The positions of the entries; those that are zero in ``values`` are left out.
    values : array of float32
    n_blocks : int
        The number of blocks of columns, of equal width; no panel crosses their boundaries.
    engine : Engine
    room : Room
        For the entries.
    """

    def __init__(
        self, matrix: Any, values: Block, n_blocks: int, engine: Engine, room: Room
    ) -> None:
        self.n_rows, width = matrix.shape
        self.engine = engine
        self.block_width = width // n_blocks
        edges = panel_edges(self.block_width)
        self.per_block = len(edges) - 1
        self.starts = np.add.outer(np.arange(n_blocks) * self.block_width, edges[:-1]).ravel()
        self.ends = np.append(self.starts[1:], width)
        panel_of = np.repeat(np.arange(len(self.starts), dtype=np.int32), self.ends - self.starts)
        entries = matrix.indptr, matrix.indices, values, panel_of
        self._stretches = _equal_stretches(matrix.indptr, engine)
        pointers = np.zeros((len(self.starts), self.n_rows + 1), np.int64)
        self._everywhere(lambda a, b: kernels.count_entries(*entries, a, b, pointers))
        # entries are ordered by panel, then by row
        np.cumsum(pointers, axis=1, out=pointers)
        pointers[1:] += np.cumsum(pointers[:-1, -1])[:, None]
        self.pointers = pointers
        self.n_entries = int(pointers[-1, -1])
        self.indices = room.empty(self.n_entries + AHEAD, np.uint16)
        self.indices[self.n_entries :] = 0
        self.values = room.empty(self.n_entries, np.float32)

        def fill(a: int, b: int) -> None:
            places = np.empty(len(self.starts), np.int64)
            kernels.fill(*entries, self.starts, a, b, pointers, places, self.indices, self.values)

        self._everywhere(fill)
        self._stretches = _equal_stretches(
            np.append(0, np.diff(pointers, axis=1).sum(axis=0).cumsum()), engine
        )

    def _everywhere(self, work: Callable[[int, int], None]) -> None:
        """Call ``work`` for ranges of rows, on all threads."""
        for _ in self.engine.map(lambda stretch: work(*stretch), self._stretches):
            pass

    def times(self, source: Block, target: Block, block: int | None = None) -> None:
        """Write the product with a dense matrix of ``LANES`` columns to ``target``.

        If ``block`` is given, of this block of columns alone.
        """
        panels = range(len(self.starts))
        origin = 0
        if block is not None:
            panels = range(block * self.per_block, (block + 1) * self.per_block)
            origin = block * self.block_width

        def multiply(a: int, b: int) -> None:
            target[a:b] = 0
            for p in panels:
                here = source[self.starts[p] - origin : self.ends[p] - origin]
                kernels.multiply(self.pointers[p], self.indices, self.values, here, a, b, target)

        self._everywhere(multiply)


def _equal_stretches(indptr: Any, engine: Engine) -> list[tuple[int, int]]:
    """Ranges of rows with about the same number of entries."""
    n = engine.threads * _STRETCHES_PER_THREAD
    cuts = np.searchsorted(indptr, np.linspace(0, int(indptr[-1]), n + 1)[1:-1])
    bounds = [0, *map(int, np.minimum(cuts, len(indptr) - 1)), len(indptr) - 1]
    return [(a, b) for a, b in pairwise(bounds) if a < b]


class ScaledCounts:
    """The matrix Ω of the template, as a linear operator on float32 blocks of ``LANES`` columns.

    If contexts are symmetric, the matrix of an offset is the transpose of the matrix of the opposite
    offset (and the matrix of a bag is its own transpose), so that one copy serves both directions.
    Otherwise a transposed copy is made.
    """

    def __init__(
        self, counts: Counts, template: Template, engine: Engine, room: Room | None = None
    ) -> None:
        room = room or Room()
        margins = template.margins(counts)
        matrix, n_blocks = counts.entries, counts.contexts.n_blocks
        self.shape: tuple[int, int] = matrix.shape
        self.left, self.right = (x.astype(np.float32)[:, None] for x in template.factors(margins))
        values = room.empty(counts.n_entries)
        template.values(matrix, counts.scale, margins, values)
        self._forward = Panels(matrix, values, n_blocks, engine, room)
        self._mirror = _mirror(counts)
        self._backward: Panels | None = None
        # ppmi treats words and contexts differently
        if self._mirror is None or template.scale == "ppmi":
            turned = counts.matrix.T.tocsr()
            template.values(turned, counts.scale, margins, values, transposed=True)
            self._backward = Panels(turned, values, 1, engine, room)

    @property
    def n_entries(self) -> int:
        return self._forward.n_entries

    def times(self, block: Block) -> Block:
        """Ω times a block of ``LANES`` columns."""
        target = np.empty((self.shape[0], LANES), np.float32)
        self._forward.times(block * self.right, target)
        target *= self.left
        return target

    def transposed_times(self, block: Block) -> Block:
        """The transpose of Ω times a block of ``LANES`` columns."""
        target = np.empty((self.shape[1], LANES), np.float32)
        source = block * self.left
        if self._backward is not None:
            self._backward.times(source, target)
        else:
            n = self.shape[0]
            for k, other in enumerate(self._mirror or []):
                self._forward.times(source, target[k * n : (k + 1) * n], other)
        target *= self.right
        return target


class SparseMatrix:
    """Any CSR array, as a linear operator on float32 blocks of ``LANES`` columns."""

    def __init__(self, matrix: Any, engine: Engine) -> None:
        self.shape: tuple[int, int] = matrix.shape
        self._forward, self._backward = (
            Panels(side, side.data.astype(np.float32), 1, engine, Room())
            for side in (matrix, matrix.T.tocsr())
        )

    def times(self, block: Block) -> Block:
        """The matrix times a block of ``LANES`` columns."""
        target = np.empty((self.shape[0], LANES), np.float32)
        self._forward.times(np.ascontiguousarray(block), target)
        return target

    def transposed_times(self, block: Block) -> Block:
        """The transpose of the matrix times a block of ``LANES`` columns."""
        target = np.empty((self.shape[1], LANES), np.float32)
        self._backward.times(np.ascontiguousarray(block), target)
        return target


def _mirror(counts: Counts) -> list[int] | None:
    """For each block of columns, the block that is its transpose; None if there is none."""
    contexts = counts.contexts
    weights = dict(zip(contexts.offsets, contexts.weights, strict=True))
    if any(weights.get(-offset) != weight for offset, weight in weights.items()):
        return None
    return [0] if contexts.bag else [contexts.offsets.index(-offset) for offset in contexts.offsets]
