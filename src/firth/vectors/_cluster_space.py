"""The decomposition on the workers of a cluster: the matrix and the basis in panels of rows.

A panel has the rows of some words, of the matrix, of its transpose, of the basis and of all blocks. A
product sends one block of columns from every panel to every worker; otherwise only small matrices are
sent. Blocks are orthonormalised by TSQR (Demmel et al. 2012): a triangular factor of each panel, and one
of all these. Nothing large comes here but the result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Cluster
from firth.compute.kernels import LANES
from firth.counts import Counts, PanelCounts
from firth.store import Room
from firth.vectors import _cluster_work as work
from firth.vectors._panels import mirror
from firth.vectors._space import Order, largest_eigenpairs, set_state, state_of
from firth.vectors._svd import Svd
from firth.vectors._template import Margins, Template

__all__ = ["ClusterSpace", "RowPanel", "on_workers", "row_edges"]

_WORK_PER_PANEL = 1 << 26
_WORK_PER_ROW = 512
"""The dense products of a row of the basis take about as long as the products of so many entries."""
_MOST_PANELS = 256

Future = Any
RowPanel = tuple[int, int, list[Future]]
"""Rows ``first`` to ``last - 1`` of counts on workers, one part after another: ``indptr``, ``indices`` and ``data``."""
Block = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]


def row_edges(indptr: npt.NDArray[Any]) -> list[int]:
    """Where to divide rows into panels that take about the same time.

    The number of panels depends on the matrix alone. So does the result, then, not on the workers.
    """
    n = len(indptr) - 1
    work = np.asarray(indptr, np.int64) + _WORK_PER_ROW * np.arange(n + 1)
    n_panels = 1  # a power of two, so that most numbers of workers get equal shares
    while n_panels * _WORK_PER_PANEL < work[-1] and n_panels < min(_MOST_PANELS, n):
        n_panels *= 2
    shares = np.arange(1, n_panels) * (int(work[-1]) / n_panels)
    return sorted({0, n, *map(int, np.searchsorted(work, shares))})


def on_workers(counts: Counts | PanelCounts, cluster: Cluster) -> list[RowPanel]:
    """The rows of counts in panels of about the same work, on workers.

    Counts of this process pass through the scheduler, which can send them again if a worker is lost.
    """
    if isinstance(counts, PanelCounts):
        return _divided_anew(counts)
    entries, panels = counts.entries, []
    for a, b in pairwise(row_edges(entries.indptr)):
        begin, end = int(entries.indptr[a]), int(entries.indptr[b])
        data = np.asarray(entries.data[begin:end])
        if int(data.max(initial=0)) < 1 << 32:
            data = data.astype(np.uint32)
        rows = np.asarray(entries.indptr[a : b + 1]) - begin, np.asarray(entries.indices[begin:end])
        with _large():
            panels.append((a, b, [cluster.send((*rows, data))]))
    return panels


def _divided_anew(counts: PanelCounts) -> list[RowPanel]:
    submit, panels = counts.cluster.submit, []
    sizes = counts.cluster.results([submit(work.row_sizes, raw) for _, _, raw in counts.panels])
    for a, b in pairwise(row_edges(np.append(0, np.concatenate(list(sizes))).cumsum())):
        pieces = [
            submit(work.some_rows, raw, max(a, first) - first, min(b, last) - first)
            for first, last, raw in counts.panels
            if first < b and a < last
        ]
        panels.append((a, b, pieces))
    return panels


def _places(cluster: Cluster, n_panels: int) -> list[str]:
    """The address of the worker for each panel: there and back, 0 1 1 0 for two workers.

    The first panels have most entries, the last ones most rows, so every worker gets its share of both.
    """
    slots = cluster.threads()
    order = slots + slots[::-1]
    return [order[p % len(order)] for p in range(n_panels)]


@contextmanager
def _large() -> Iterator[None]:
    """Send large arrays along with the work, although Dask warns of it: they can then be sent again."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        yield


@dataclass
class _Tall:
    """The rows of a block, a future for each panel, and changes that are made when they are used.

    Small changes are made again wherever the rows are needed, which takes less time than another task.
    """

    pieces: list[Future]
    width: int = LANES
    firsts: list[int | None] = field(default_factory=list)
    smalls: list[Any] = field(default_factory=list)
    factor: Future | None = None
    """Its triangular factor, as ``work.factored`` returns it."""
    known: Any = None
    """The same, once it is here."""
    is_guess: bool = False
    """Whether it was made before it was asked for."""
    guess: _Tall | None = None
    """The block with orthonormal columns, unless some of them are only rounding errors."""

    def changed(self, first: int | None, small: Any) -> _Tall:
        """The block with one more change."""
        return _Tall(self.pieces, LANES, [*self.firsts, first], [*self.smalls, small])


class ClusterSpace:
    """Blocks are in the memory of workers; see ``Space``.

    Parameters
    ----------
    counts : Counts or PanelCounts
        Only what it says about the rows and columns is used.
    panels : sequence of RowPanel
        The counts, on workers, in order and without gaps.
    template : Template
    cluster : Cluster
    seed : int
    room : Room
        For the result.
    """

    lanes = LANES

    def __init__(
        self, counts: Counts | PanelCounts, panels: Sequence[RowPanel], template: Template,
        cluster: Cluster, seed: int, room: Room,
    ) -> None:  # fmt: skip
        self._cluster, self._room = cluster, room
        self._chance = np.random.default_rng(seed)
        self._at = _places(cluster, len(panels))
        self._edges = [0, *(last for _, last, _ in panels)]
        self._n_blocks = counts.contexts.n_blocks
        self._basis_of_words = self._n_blocks > 1  # the basis is on the shorter side
        self._rows = self._matrix(counts, panels, template)
        self.n, self.size, self.limit = self._edges[-1], 0, 0
        self._basis: list[Any] = [()] * len(panels)
        """The vectors of each panel."""

    def _matrix(
        self, counts: Counts | PanelCounts, panels: Sequence[RowPanel], template: Template
    ) -> list[Future]:
        """The rows of Ω, ready for products."""
        margins = template.margins(counts)
        words, contexts = template.factors(margins)
        contexts = contexts.reshape(self._n_blocks, -1)
        if template.scale != "ppmi":  # no other entry depends on them
            margins = Margins(np.empty(0), np.empty(0))
        sent = self._cluster.send(margins)
        how = template, counts.scale, sent, contexts.size
        values = self._each(work.values_of, lambda p: (panels[p][2], *how, panels[p][0]))
        other = mirror(counts.contexts) if template.scale != "ppmi" else None
        pieces: list[list[Future]] = [[] for _ in panels]
        if other is None:
            for some, (a, b, _) in zip(pieces, panels, strict=True):
                cut = self._edges[-1], self._n_blocks, a, b
                some += self._each(work.turned, lambda p, cut=cut: (values[p], *cut))  # type: ignore[misc]
        factors = [(words[a:b], contexts[:, a:b].ravel()) for a, b, _ in panels]
        how_cut = self._edges, self._n_blocks, other
        return self._each(work.rows_of, lambda p: (values[p], pieces[p], *how_cut, *factors[p]))

    # Blocks -----------------------------------------------------------------------------------------

    def _each(
        self, function: Callable[..., Any], args: Callable[[int], tuple[Any, ...]]
    ) -> list[Future]:
        """Call a function for every panel, on the worker that has it.

        Left to itself, Dask sends panels to whatever worker is idle, which takes longer than waiting.
        """
        return [self._cluster.submit(function, *args(p), at=at) for p, at in enumerate(self._at)]

    def _of(self, block: _Tall, p: int) -> tuple[Any, ...]:
        """The rows of a block, and what is still to be done with them."""
        return block.pieces[p], self._basis[p], block.firsts, block.smalls

    def _sum(self, futures: list[Future], function: Any = work.counted) -> Any:
        return self._cluster.result(self._cluster.submit(function, futures))

    def _random(self, of_words: bool) -> list[Future]:
        """A random block, the same as in a local space."""
        n_blocks = 1 if of_words else self._n_blocks
        block = self._chance.standard_normal((n_blocks, self.n, LANES), np.float32)
        parts = [block[:, a:b].reshape(-1, LANES) for a, b in pairwise(self._edges)]
        with _large():
            return self._each(work.held, lambda p: (parts[p],))

    def start(self) -> _Tall:
        of_words = not self._basis_of_words
        start = self._product(self._scaled(_Tall(self._random(of_words)), of_words), True)
        self._support = self._each(work.nonzero, lambda p: (start[p],))
        n_left = self.n * (self._n_blocks if self._basis_of_words else 1)
        sizes = self._each(work.total, lambda p: (self._support[p],))
        self.limit = min(n_left, int(self._sum(sizes)))
        return _Tall(start)

    def _scaled(self, block: _Tall, of_words: bool) -> list[Future]:
        return self._each(work.scaled, lambda p: (self._rows[p], of_words, *self._of(block, p)))

    def _product(self, sources: list[Future], back: bool, power: int = 1) -> list[Future]:
        """Ω times a scaled block; its transpose if ``back``. All pieces go to all panels."""
        of_words = self._basis_of_words == back
        return self._each(work.product, lambda p: (self._rows[p], of_words, power, sources))

    def square(self, block: _Tall) -> _Tall:
        there = self._product(self._scaled(block, self._basis_of_words), False, power=2)
        return _Tall(self._product(there, True))

    def append(self, block: _Tall) -> None:
        def args(p: int) -> tuple[Any, ...]:
            piece, basis, *changes = self._of(block, p)
            return basis, piece, *changes

        self._basis = self._each(work.appended, args)
        self.size += LANES

    def project(self, block: _Tall, first: int) -> tuple[_Tall, Callable[[], tuple[Floats, float]]]:
        parts = self._each(work.measured, lambda p: (*self._of(block, p), first))
        total = self._cluster.submit(work.added, parts)
        block = block.changed(first, total)
        if self.size - first > 2 * LANES:
            block = _Tall(self._made(block))
            self._begin_factor(block)

        def removed() -> tuple[Floats, float]:
            inner, squares = self._cluster.result(total)
            return inner.astype(np.float64), float(np.sqrt(squares.max()))

        return block, removed

    def _made(self, block: _Tall) -> list[Future]:
        """The rows of a block after all changes."""
        return self._each(work.part, lambda p: self._of(block, p))

    def _begin_factor(self, block: _Tall) -> Future:
        """Begin with the triangular factor of a block.

        So does what will be wanted next, unless columns have been lost: the block with orthonormal
        columns and, once, its own factor, because rounding calls for a second pass.
        """
        if block.factor is None:
            triangles = self._each(work.triangle, lambda p: self._of(block, p))
            block.factor = self._cluster.submit(work.factored, triangles)
            block.guess = block.changed(None, block.factor)
            block.guess.is_guess = True
            if not block.is_guess:
                self._begin_factor(block.guess)
        return block.factor

    def _factor(self, block: _Tall) -> tuple[Floats, Floats, Floats, Floats]:
        if block.known is None:
            block.known = self._cluster.result(self._begin_factor(block))
        found: tuple[Floats, Floats, Floats, Floats] = block.known
        return found

    def longest(self, block: _Tall) -> float:
        lengths, *_ = self._factor(block)
        return float(lengths.max())

    def spectrum(self, block: _Tall) -> tuple[Floats, Floats]:
        _, squares, vectors, _ = self._factor(block)
        return squares, vectors

    def largest(self, inner: Floats, n: int) -> tuple[Floats, Floats]:
        return largest_eigenpairs(inner, n)

    def times(self, tall: _Tall, small: Floats) -> _Tall:
        if tall.guess and np.array_equal(small, self._factor(tall)[-1]):
            return tall.guess
        if small.shape == (LANES, LANES):
            return tall.changed(None, (small,))
        sent = self._cluster.send(small)
        made = self._each(work.multiplied, lambda p: (tall.pieces[p], sent))
        return _Tall(made, small.shape[1])

    def with_random(self, block: _Tall, lost: npt.NDArray[np.bool_]) -> _Tall:
        random = self._random(self._basis_of_words)
        others = _Tall(self._each(work.supported, lambda p: (random[p], self._support[p])))
        lengths, *_ = self._factor(others)

        def args(p: int) -> tuple[Any, ...]:
            return *self._of(block, p), others.pieces[p], lengths, lost

        return _Tall(self._each(work.replaced, args))

    # Any number of columns --------------------------------------------------------------------------

    def gram(self, tall: _Tall) -> Floats:
        found: Floats = self._sum(self._each(work.gram, lambda p: (tall.pieces[p],)))
        return found

    def lengths(self, tall: _Tall) -> Floats:
        found: Floats = self._sum(self._each(work.squared_lengths, lambda p: (tall.pieces[p],)))
        return np.sqrt(found)

    def arranged(self, tall: _Tall, order: Order, factors: Floats) -> _Tall:
        made = self._each(work.arranged, lambda p: (tall.pieces[p], order, factors))
        return _Tall(made, tall.width)

    def combined(self, small: Floats) -> _Tall:
        sent, sizes = self._cluster.send(small), np.diff(self._edges).tolist()
        made = self._each(work.combined, lambda p: (self._basis[p], sent, sizes[p]))
        return _Tall(made, small.shape[1])

    def images(self, tall: _Tall) -> tuple[_Tall, Floats]:
        left = self.products(tall)
        lengths = self.lengths(left)
        factors = 1 / np.where(lengths > 0, lengths, 1)
        return self.arranged(left, np.arange(tall.width), factors), lengths

    def products(self, tall: _Tall | None = None) -> _Tall:
        return self._products(tall or _Tall(self._basis, self.size), False)

    def _products(self, tall: _Tall, back: bool) -> _Tall:
        of_words = self._basis_of_words != back
        found = []
        for a in range(0, max(tall.width, 1), LANES):

            def args(p: int, a: int = a) -> tuple[Any, ...]:
                return self._rows[p], of_words, tall.pieces[p], a

            found.append(self._product(self._each(work.columns, args), back))
        blocks = list(zip(*found, strict=True))
        made = self._each(work.joined, lambda p: (list(blocks[p]), tall.width))
        return _Tall(made, tall.width)

    def residuals(self, left: _Tall, values: Floats, right: _Tall) -> Floats:
        back = self._products(left, True)
        parts = self._each(work.differences, lambda p: (back.pieces[p], right.pieces[p], values))
        lengths: Floats = np.sqrt(self._sum(parts))
        return lengths

    # At home ----------------------------------------------------------------------------------------

    def _home(self, tall: _Tall, of_words: bool) -> Block:
        """The rows of all panels, in one array."""
        n_blocks = 1 if of_words else self._n_blocks
        array = self._room.empty((n_blocks, self.n, tall.width))
        parts = zip(pairwise(self._edges), self._cluster.results(tall.pieces), strict=True)
        for (a, b), piece in parts:
            array[:, a:b] = piece.reshape(n_blocks, b - a, tall.width)
        found: Block = array.reshape(-1, tall.width)
        return found

    def result(self, left: _Tall, values: Floats, right: _Tall, residual: float) -> Svd:
        there, here = (
            self._home(tall, of_words)
            for tall, of_words in ((left, not self._basis_of_words), (right, self._basis_of_words))
        )
        words, contexts = (here, there) if self._basis_of_words else (there, here)
        return Svd.of(words, values, contexts, residual, self.size)

    def blocks(self, first: int) -> Iterator[Block]:
        for k in range(first, self.size, LANES):
            parts = self._each(work.vectors, lambda p, k=k: (self._basis[p], k))  # type: ignore[misc]
            yield np.hstack(list(self._cluster.results(parts)))

    def array(self, block: _Tall) -> Block:
        return np.vstack(list(self._cluster.results(self._made(block))))

    def block(self, array: Block) -> _Tall:
        return _Tall([self._cluster.send(array[a:b].copy()) for a, b in pairwise(self._edges)])

    def forget(self) -> None:
        self.size = 0
        self.release()

    def release(self) -> None:
        self._basis = [()] * len(self._rows)

    @property
    def chance(self) -> npt.NDArray[np.uint64]:
        return state_of(self._chance)

    @chance.setter
    def chance(self, numbers: npt.NDArray[np.uint64]) -> None:
        set_state(self._chance, numbers)
