"""What the workers of a cluster compute for a decomposition.

Rows of words are divided into panels. These functions work on the rows of one panel, which never leave
the workers, or add up small results of all panels. They do not change their arguments, so that Dask may
call them again. Sums have a fixed order, so results do not depend on which worker did what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, device_here
from firth.compute.kernels import LANES
from firth.counts import Entries
from firth.store import Room
from firth.vectors import _cluster_device as on_device
from firth.vectors._basis import (
    PIECE,
    WIDTH,
    Basis,
    columns_of,
    combine,
    in_lanes,
    inner_products,
    remove,
    slices,
)
from firth.vectors._panels import Panels
from firth.vectors._space import Order, squared_lengths
from firth.vectors._template import Margins, Template

__all__ = [
    "Rows",
    "added",
    "all_rows",
    "appended",
    "arranged",
    "columns",
    "combined",
    "counted",
    "differences",
    "factored",
    "gram",
    "held",
    "joined",
    "measured",
    "multiplied",
    "nonzero",
    "part",
    "product",
    "replaced",
    "row_sizes",
    "rows_of",
    "scaled",
    "some_rows",
    "squared_lengths",
    "stacked",
    "supported",
    "total",
    "triangle",
    "turned",
    "values_of",
    "vectors",
]

_LEAF = 1 << 8
"""Rows of a matrix that is in the cache while it is decomposed."""

Block = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]


# The matrix -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """The rows of Ω that belong to the words of a panel, and the rows of its transpose.

    On the side of contexts, a panel has the same words, in every block of contexts. Factors are those
    of its own rows. Products are scaled where they are made, so nobody needs the factors of others.
    """

    edges: list[int]
    """Where panels begin and end."""
    forward: Panels
    backward: Panels | None
    mirror: list[int] | None
    words: Block
    contexts: Block

    def __sizeof__(self) -> int:
        """The number of bytes, by which Dask decides where to work with it."""
        panels = [panels for panels in (self.forward, self.backward) if panels is not None]
        return sum(panels.n_bytes for panels in panels)

    def factors(self, of_words: bool) -> Block:
        return self.words if of_words else self.contexts


class _Gathered:
    """The pieces of a block from all panels, of which one can take slices within a panel."""

    def __init__(self, pieces: Sequence[Block], edges: Sequence[int]) -> None:
        self._edges = edges
        sizes = np.diff(edges)
        self._pieces = [
            piece.reshape(len(piece) // size, size, LANES)
            for piece, size in zip(pieces, sizes, strict=True)
        ]

    def __getitem__(self, some: slice) -> Block:
        block, first = divmod(int(some.start), self._edges[-1])
        panel = int(np.searchsorted(self._edges, first, side="right")) - 1
        begin = first - self._edges[panel]
        return self._pieces[panel][block, begin : begin + int(some.stop) - int(some.start)]


def held(value: Any) -> Any:
    """A value that is sent along with the work, so that it can be computed again."""
    return value


def row_sizes(raw: Any) -> npt.NDArray[np.int64]:
    """The number of entries in each row of some counts."""
    sizes: npt.NDArray[np.int64] = np.diff(raw[0])
    return sizes


def some_rows(raw: Any, first: int, last: int) -> Any:
    """The rows ``first`` to ``last - 1`` of some counts, as views: they are soon joined with others."""
    indptr, indices, data = raw
    a, b = int(indptr[first]), int(indptr[last])
    return indptr[first : last + 1] - a, indices[a:b], data[a:b]


def all_rows(parts: list[Any]) -> Any:
    """Several ranges of rows as one."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.concatenate([np.diff(indptr) for indptr, _, _ in parts])
    indices, data = (np.concatenate([some[k] for some in parts]) for k in (1, 2))
    return np.append(0, sizes.cumsum()), indices, data


def values_of(
    parts: list[Any], template: Template, scale: int, margins: Margins, n_columns: int, first: int
) -> Any:
    """The rows of a panel, from parts of counts; the first one is that of the word ``first``."""
    values, n = np.empty(sum(len(data) for *_, data in parts), np.float32), 0
    for indptr, indices, data in parts:
        last = first + len(indptr) - 1
        matrix = Entries(indptr, indices, data, (last - first, n_columns))
        mine = Margins(margins.words[first:last], margins.contexts)
        template.values(matrix, scale, mine, values[n : n + len(data)])
        first, n = last, n + len(data)
    indptr, indices, _ = all_rows([(*rows, rows[1][:0]) for *rows, _ in parts])
    return indptr, indices, values


def turned(matrix: Any, n: int, n_blocks: int, first: int, last: int) -> Any:
    """The entries of a panel in the transposed matrix: of the contexts ``first`` to ``last - 1``."""
    from scipy.sparse import csr_array

    indptr, indices, values = matrix
    block, context = np.divmod(indices, n)
    kept = (context >= first) & (context < last)
    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))[kept]
    columns = (block * (last - first) + context - first)[kept]
    shape = n_blocks * (last - first), len(indptr) - 1
    return csr_array((values[kept], (columns, rows)), shape=shape)


def rows_of(
    matrix: Any, pieces: list[Any], edges: list[int], n_blocks: int, mirror: list[int] | None,
    words: Floats, contexts: Floats,
) -> Rows:  # fmt: skip
    """The rows of a panel, ready for products; ``pieces`` of the transposed matrix if they are needed.

    ``words`` and ``contexts`` are the factors of its rows.
    """
    from scipy.sparse import hstack

    indptr, indices, values = matrix
    entries = Entries(indptr, indices, values, (len(indptr) - 1, n_blocks * edges[-1]))
    forward = Panels(entries, values, n_blocks, ONE_THREAD, Room(), edges)
    backward = None
    if pieces:
        joined = hstack(pieces, format="csr")
        backward = Panels(joined, joined.data, 1, ONE_THREAD, Room(), edges)
    factors = (x.astype(np.float32)[:, None] for x in (words, contexts))
    return Rows(edges, forward, backward, None if pieces else mirror, *factors)


def product(rows: Rows, of_words: bool, power: int, sources: list[Block]) -> Block:
    """The rows of a panel of Ω (or of its transpose, unless ``of_words``) times a block.

    ``sources`` are the pieces of the block, already scaled. The result is scaled ``power`` times.
    """
    factors, n = rows.factors(of_words), len(rows.words)
    if (device := device_here()) is not None:
        panels, blocks = rows.forward, [None] if of_words else rows.mirror
        if not of_words and rows.backward is not None:
            panels, blocks = rows.backward, [None]
        found = on_device.panel_times(device, panels, blocks or [], sources, rows.edges)
        found *= factors**power
        return found
    source: Any = _Gathered(sources, rows.edges)
    target = np.empty((len(factors), LANES), np.float32)
    factors = factors**power
    if of_words:
        rows.forward.times(source, target, factors=factors)
    elif rows.backward is not None:
        rows.backward.times(source, target, factors=factors)
    else:
        for k, other in enumerate(rows.mirror or []):
            mine = slice(k * n, (k + 1) * n)
            rows.forward.times(source, target[mine], other, factors[mine])
    return target


# Blocks ---------------------------------------------------------------------------------------------


@cache
def _one_blas_thread() -> None:
    """Workers have a thread for each call; results must not depend on how many BLAS would take."""
    import scipy.linalg
    from threadpoolctl import threadpool_limits

    del scipy
    threadpool_limits(1)


def _changed(piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any]) -> Block:
    """The rows of a block after changes that were put off.

    A change is a product with a small matrix, the last thing that ``factored`` returned, or the removal
    of the vectors of the basis from number ``first`` on, with the coefficients that ``added`` returned.
    """
    if firsts and (device := device_here()) is not None:
        return on_device.changed(device, piece, basis, firsts, smalls)
    _one_blas_thread()
    for first, small in zip(firsts, smalls, strict=True):
        if first is None:
            piece = piece @ small[-1].astype(np.float32)
        else:
            piece = np.array(piece, order="C")
            remove(basis, first, small[0], piece, slice(0, len(piece)))
    return piece


def scaled(
    rows: Rows, of_words: bool, piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any]
) -> Block:  # fmt: skip
    """The rows of a block, scaled for a product."""
    return _changed(piece, basis, firsts, smalls) * rows.factors(of_words)


def part(piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any]) -> Block:
    """The rows of a block, with all changes."""
    return _changed(piece, basis, firsts, smalls)


def appended(basis: Basis, piece: Block, firsts: list[int | None], smalls: list[Any]) -> Basis:
    """A basis with the rows of one more block."""
    block = _changed(piece, basis, firsts, smalls)
    if basis and basis[-1].shape[1] < WIDTH:
        return *basis[:-1], np.hstack([basis[-1], block])
    return *basis, np.array(block, order="C")


def measured(
    piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any], first: int
) -> tuple[Floats, Floats]:
    """Inner products with the basis, from its vector ``first`` on, and squared lengths of columns."""
    if (device := device_here()) is not None:
        return on_device.measured(device, piece, basis, firsts, smalls, first)
    block = np.ascontiguousarray(_changed(piece, basis, firsts, smalls))
    n = sum(some.shape[1] for some in basis) - first
    inner, squares = np.zeros((n, LANES)), np.zeros(LANES)
    for rows in slices(len(block)):
        inner += inner_products(basis, first, n, block, rows)
        squares += np.einsum("ij,ij->j", block[rows], block[rows])
    return inner, squares


def added(parts: list[tuple[Floats, Floats]]) -> tuple[Block, Floats]:
    """The sums of ``measured`` over all panels."""
    inner, squares = (np.sum(some, axis=0) for some in zip(*parts, strict=True))
    return inner.astype(np.float32), squares


def triangle(piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any]) -> Floats:
    """The triangular factor of the rows of a block."""
    if (device := device_here()) is not None:
        return on_device.triangle(device, piece, basis, firsts, smalls)
    from scipy.linalg.lapack import dgeqrf

    block = _changed(piece, basis, firsts, smalls)
    leaf, found = np.zeros((_LEAF, LANES), order="F"), []
    for a in range(0, len(block), _LEAF):
        some = block[a : a + _LEAF]
        leaf[: len(some)], leaf[len(some) :] = some, 0
        found.append(np.triu(dgeqrf(leaf, LANES * LANES, overwrite_a=True)[0][:LANES]))
    return stacked(found)


def stacked(triangles: list[Floats]) -> Floats:
    """The triangular factor of several triangular ones, one below the other."""
    _one_blas_thread()
    found: Any = np.linalg.qr(np.vstack(triangles), mode="r")
    return found  # type: ignore[no-any-return]


def factored(triangles: list[Floats]) -> tuple[Floats, Floats, Floats, Floats]:
    """What follows from the triangular factors of all panels of a block.

    Returns the lengths of its columns, the squares of its singular values, ascending, its right singular
    vectors, and the matrix whose product with it has orthonormal columns.
    """
    triangle = stacked(triangles)
    _, values, vectors = np.linalg.svd(triangle)
    squares, vectors = values[::-1] ** 2, vectors[::-1].T
    scale = np.sqrt(squares)
    normal = vectors / np.where(scale > 0, scale, 1.0)
    return np.linalg.norm(triangle, axis=0), squares, vectors, normal


def nonzero(piece: Block) -> Block:
    """1 where a row is not zero, as a column."""
    found: Any = piece.any(axis=1, keepdims=True)
    return found.astype(np.float32)  # type: ignore[no-any-return]


def supported(piece: Block, support: Block) -> Block:
    """The rows of a block, zero where the matrix has columns of zeros."""
    return piece * support


def total(piece: Any) -> float:
    """The sum of all elements."""
    return float(piece.sum())


def replaced(
    piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any],
    others: Block, lengths: Floats, lost: npt.NDArray[np.bool_],
) -> Block:  # fmt: skip
    """The rows of a block with some columns replaced by those of another one, at unit length."""
    block = _changed(piece, basis, firsts, smalls).copy()
    block[:, lost] = others[:, lost] / np.maximum(lengths[lost], 1e-30).astype(np.float32)
    return block


# Any number of columns ------------------------------------------------------------------------------


def combined(basis: Basis, small: Floats, n: int) -> Block:
    """The rows of the basis times a small matrix."""
    if (device := device_here()) is not None:
        return on_device.combined(device, basis, small, n)
    total = np.empty((n, small.shape[1]), np.float32)
    combine(basis, in_lanes(small), total, slice(0, n))
    return total


def multiplied(tall: Block, small: Floats) -> Block:
    """Rows times a small matrix."""
    if (device := device_here()) is not None:
        return on_device.multiplied(device, tall, small)
    _one_blas_thread()
    return tall @ small.astype(np.float32)


def vectors(basis: Basis, first: int) -> Block:
    """``LANES`` vectors of the rows of a basis, a row each."""
    return columns_of(basis, first).T


def columns(rows: Rows, of_words: bool, tall: Block | tuple[Block, ...], first: int) -> Block:
    """``LANES`` columns from number ``first`` on, scaled for a product; zero where there are none."""
    some = columns_of(tall, first) if isinstance(tall, tuple) else tall[:, first : first + LANES]
    block = np.zeros((len(some), LANES), np.float32)
    block[:, : some.shape[1]] = some * rows.factors(of_words)
    return block


def joined(blocks: list[Block], n: int) -> Block:
    """The first ``n`` columns of several blocks side by side."""
    return np.hstack(blocks)[:, :n]


def gram(tall: Block) -> Floats:
    """The inner products of columns."""
    if (device := device_here()) is not None:
        return on_device.gram(device, tall)
    _one_blas_thread()
    total = np.zeros((tall.shape[1], tall.shape[1]))
    for a in range(0, len(tall), PIECE):
        rows = tall[a : a + PIECE].astype(np.float64)
        total += rows.T @ rows
    return total


def arranged(tall: Block, order: Order, factors: Floats) -> Block:
    """Columns in another order, multiplied by factors."""
    found: Block = tall[:, order] * factors.astype(np.float32)
    return found


def differences(back: Block, right: Block, values: Floats) -> Floats:
    """The sum of the squares of ``back - right * values`` in each column."""
    total = np.zeros(len(values))
    for a in range(0, len(back), PIECE):
        total += ((back[a : a + PIECE] - right[a : a + PIECE] * values) ** 2).sum(axis=0)
    return total


def counted(parts: list[Any]) -> Any:
    """The sum of the results of all panels."""
    return np.sum(parts, axis=0)
