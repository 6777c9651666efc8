"""Products with the scaled matrix of counts, on all threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.compute.kernels import AHEAD, LANES
from firth.counts import Contexts, Counts, Entries
from firth.store import Room
from firth.vectors import _kernels as kernels
from firth.vectors._template import Template

__all__ = ["Panels", "ScaledCounts", "SparseMatrix", "mirror", "panel_edges"]

_NARROWEST, _WIDEST = 1 << 13, 1 << 16
"""Columns of a panel: the rows of the dense matrix that fit into the L2 cache; what 16 bits can index."""
_STRETCHES_PER_THREAD = 8
_ROWS = 1 << 12

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
    cuts : sequence of int
        Columns of a block, beside those of ``panel_edges``, at which a panel ends.
    """

    def __init__(
        self,
        matrix: Any,
        values: Block,
        n_blocks: int,
        engine: Engine,
        room: Room,
        cuts: Sequence[int] = (),
    ) -> None:
        self.n_rows, width = matrix.shape
        self.engine = engine
        self.block_width = width // n_blocks
        edges = sorted({*panel_edges(self.block_width), *cuts})
        self.per_block = len(edges) - 1
        self.starts = np.add.outer(np.arange(n_blocks) * self.block_width, edges[:-1]).ravel()
        self.ends = np.append(self.starts[1:], width)
        panel_of = np.repeat(np.arange(len(self.starts), dtype=np.int32), self.ends - self.starts)
        entries = matrix.indptr, matrix.indices, values, panel_of
        self._stretches = _equal_stretches(matrix.indptr, engine)
        pointers = room.empty((len(self.starts), self.n_rows + 1), np.int64)
        pointers[:] = 0
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

    @property
    def n_bytes(self) -> int:
        return int(self.indices.nbytes + self.values.nbytes + self.pointers.nbytes)

    def _everywhere(self, work: Callable[[int, int], None]) -> None:
        """Call ``work`` for ranges of rows, on all threads."""
        self.engine.each(lambda stretch: work(*stretch), self._stretches)

    def times(
        self,
        source: Block,
        target: Block,
        block: int | None = None,
        factors: Block | None = None,
        power: int = 1,
    ) -> None:
        """Write the product with a dense matrix of ``LANES`` columns to ``target``.

        If ``block`` is given, of this block of columns alone. Rows of the product are multiplied by
        ``factors``, ``power`` times (the squares of some are too large for single precision).
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
            if factors is not None:
                for _ in range(power):
                    target[a:b] *= factors[a:b]

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
        self._room = room = room or Room()
        margins = template.margins(counts)
        matrix, n_blocks = counts.entries, counts.contexts.n_blocks
        self.shape: tuple[int, int] = matrix.shape
        self.left, self.right = (x.astype(np.float32)[:, None] for x in template.factors(margins))
        values = room.empty(counts.n_entries)
        template.values(matrix, counts.scale, margins, values, engine=engine)
        self._forward = Panels(matrix, values, n_blocks, engine, room)
        self._mirror = mirror(counts.contexts)
        self._backward: Panels | None = None
        self._between: Block = np.empty((0, LANES), np.float32)
        # ppmi treats words and contexts differently
        if self._mirror is None or template.scale == "ppmi":
            turned = matrix.transposed(room, engine)
            template.values(turned, counts.scale, margins, values, transposed=True, engine=engine)
            self._backward = Panels(turned, values, 1, engine, room)

    @property
    def n_entries(self) -> int:
        return self._forward.n_entries

    def times(self, block: Block) -> Block:
        """Ω times a block of ``LANES`` columns."""
        target: Block = self._room.empty((self.shape[0], LANES))
        self._multiply(self._scaled(block, self.right), target, self.left)
        return target

    def transposed_times(self, block: Block) -> Block:
        """The transpose of Ω times a block of ``LANES`` columns."""
        target: Block = self._room.empty((self.shape[1], LANES))
        self._multiply_back(self._scaled(block, self.left), target, self.right)
        return target

    def square(self, block: Block, turned: bool) -> Block:
        """ΩᵀΩ times a block of ``LANES`` columns; ΩΩᵀ if ``turned``.

        The other side is scaled once instead of twice, and its block is made once.
        """
        sides = (self._multiply, self.left), (self._multiply_back, self.right)
        (there, between), (back, here) = sides[::-1] if turned else sides
        if len(self._between) != len(between):
            self._between = self._room.empty((len(between), LANES))
        there(self._scaled(block, here), self._between, between, 2)
        target: Block = self._room.empty(block.shape)
        back(self._between, target, here)
        return target

    def _multiply(self, source: Block, target: Block, factors: Block, power: int = 1) -> None:
        self._forward.times(source, target, factors=factors, power=power)

    def _multiply_back(self, source: Block, target: Block, factors: Block, power: int = 1) -> None:
        if self._backward is not None:
            self._backward.times(source, target, factors=factors, power=power)
        else:
            n = self.shape[0]
            for k, other in enumerate(self._mirror or []):
                rows = slice(k * n, (k + 1) * n)
                self._forward.times(source, target[rows], other, factors[rows], power)

    def _scaled(self, block: Block, factors: Block) -> Block:
        """A block with its rows multiplied by factors."""
        scaled: Block = self._room.empty(block.shape)

        def scale(a: int) -> None:
            rows = slice(a, a + _ROWS)
            np.multiply(block[rows], factors[rows], out=scaled[rows])

        self._forward.engine.each(scale, range(0, len(block), _ROWS))
        return scaled


class SparseMatrix:
    """Any sparse matrix, as a linear operator on float32 blocks of ``LANES`` columns.

    Parameters
    ----------
    matrix : Entries
        Of numbers that become float32.
    engine : Engine
    room : Room, optional
    """

    def __init__(self, matrix: Entries, engine: Engine, room: Room | None = None) -> None:
        self._room = room = room or Room()
        self.shape: tuple[int, int] = matrix.shape
        values = room.empty(len(matrix.data))
        panels = []
        for side in (matrix, matrix.transposed(room, engine)):
            np.copyto(values, side.data, casting="same_kind")
            panels.append(Panels(side, values, 1, engine, room))
        self._forward, self._backward = panels

    def times(self, block: Block) -> Block:
        """The matrix times a block of ``LANES`` columns."""
        target: Block = self._room.empty((self.shape[0], LANES))
        self._forward.times(np.ascontiguousarray(block), target)
        return target

    def transposed_times(self, block: Block) -> Block:
        """The transpose of the matrix times a block of ``LANES`` columns."""
        target: Block = self._room.empty((self.shape[1], LANES))
        self._backward.times(np.ascontiguousarray(block), target)
        return target

    def square(self, block: Block, turned: bool) -> Block:
        """Its transpose times the matrix times a block; the other way round if ``turned``."""
        if turned:
            return self.times(self.transposed_times(block))
        return self.transposed_times(self.times(block))


def mirror(contexts: Contexts) -> list[int] | None:
    """For each block of columns, the block that is its transpose; None if there is none."""
    blocks: list[dict[int, int]] = [{} for _ in range(contexts.n_blocks)]
    for block, offset, weight in zip(
        contexts.blocks, contexts.offsets, contexts.weights, strict=True
    ):
        blocks[block][offset] = weight
    turned = [{-offset: weight for offset, weight in block.items()} for block in blocks]
    return [blocks.index(block) for block in turned] if all(b in blocks for b in turned) else None
