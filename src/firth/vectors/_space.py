"""Blocks of columns in this process, and the orthonormal basis of the decomposition.

Dense products are split into pieces of fixed size, each computed by one thread, so that the result does
not depend on the number of threads, and no thread of the BLAS library waits in a busy loop during
sparse products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.compute.kernels import LANES
from firth.store import Room
from firth.vectors._basis import (
    PIECE,
    WIDTH,
    columns_of,
    combine,
    in_lanes,
    inner_products,
    remove,
    slices,
)
from firth.vectors._svd import Svd

__all__ = [
    "Block",
    "Floats",
    "LocalSpace",
    "Operator",
    "Order",
    "largest_eigenpairs",
    "set_state",
    "squared_lengths",
    "state_of",
]

Block = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Order = npt.NDArray[np.intp]


class Operator(Protocol):
    """A matrix that can be multiplied with blocks of ``LANES`` float32 columns."""

    shape: tuple[int, int]

    def times(self, block: Block) -> Block: ...

    def transposed_times(self, block: Block) -> Block: ...

    def square(self, block: Block, turned: bool) -> Block:
        """The product with the matrix and then with its transpose; the other way round if ``turned``."""


class LocalSpace:
    """Blocks are arrays of this process; see ``Space``."""

    lanes = LANES

    def __init__(self, operator: Operator, seed: int, engine: Engine, room: Room) -> None:
        self._turned = operator.shape[1] > operator.shape[0]  # the basis is on the shorter side
        self._times, self._back, self._square = (
            operator.times,
            operator.transposed_times,
            operator.square,
        )
        self._shape = operator.shape
        if self._turned:
            self._times, self._back, self._shape = self._back, self._times, self._shape[::-1]
        self._engine, self._room = engine, room
        self._chance = np.random.default_rng(seed)
        self.n, self.size, self.limit = self._shape[1], 0, 0
        self._basis: list[Block] = []

    def start(self) -> Block:
        start = self._back(self._chance.standard_normal((self._shape[0], LANES), np.float32))
        self._support = start.any(axis=1, keepdims=True)
        """Nonzero columns."""
        self.limit = min(self._shape[0], int(self._support.sum()))
        return start

    def square(self, block: Block) -> Block:
        return self._square(block, self._turned)

    def append(self, block: Block) -> None:
        at = self.size % WIDTH
        if not at:
            self._basis.append(self._room.empty((self.n, WIDTH)))
        self._copy(block, self._basis[-1][:, at : at + LANES])
        self.size += LANES

    def project(self, block: Block, first: int) -> tuple[Block, Callable[[], tuple[Floats, float]]]:
        block = np.ascontiguousarray(block)
        before, n = self.longest(block), self.size - first
        inner = np.zeros((n, LANES))
        for some in self._engine.map(
            lambda rows: inner_products(self._basis, first, n, block, rows), slices(self.n)
        ):
            inner += some
        single = inner.astype(np.float32)
        self._pieces(lambda rows: remove(self._basis, first, single, block, rows), self.n)
        return block, lambda: (inner, before)

    def _pieces(self, work: Callable[[slice], None], n: int) -> None:
        """Call ``work`` for pieces of ``n`` rows, on all threads."""
        self._engine.each(work, slices(n))

    def longest(self, block: Block) -> float:
        return float(np.sqrt(np.einsum("ij,ij->j", block, block).max()))

    def spectrum(self, block: Block) -> tuple[Floats, Floats]:
        values, vectors = np.linalg.eigh(self.gram(block))
        return values, vectors

    def largest(self, inner: Floats, n: int) -> tuple[Floats, Floats]:
        return largest_eigenpairs(inner, n)

    def times(self, tall: Any, small: Floats) -> Block:
        product: Block = self._room.empty((len(tall), small.shape[1]))
        factor = small.astype(np.float32)

        def multiply(rows: slice) -> None:
            product[rows] = tall[rows] @ factor

        self._pieces(multiply, len(tall))
        return product

    def with_random(self, block: Block, lost: npt.NDArray[np.bool_]) -> Block:
        others = self._chance.standard_normal((self.n, LANES), np.float32) * self._support
        others = others[:, lost]
        block[:, lost] = others / np.maximum(np.linalg.norm(others, axis=0), 1e-30)
        return block

    def gram(self, tall: Block) -> Floats:
        total = np.zeros((tall.shape[1], tall.shape[1]))

        def of(a: int) -> Floats:
            rows = tall[a : a + PIECE].astype(np.float64)
            return rows.T @ rows

        for some in self._engine.map(of, range(0, len(tall), PIECE)):
            total += some
        return total

    def lengths(self, tall: Block) -> Floats:
        total = np.zeros(tall.shape[1])
        for some in self._engine.map(
            lambda a: squared_lengths(tall[a : a + PIECE]), range(0, len(tall), PIECE)
        ):
            total += some
        return np.sqrt(total)

    def arranged(self, tall: Block, order: Order, factors: Floats) -> Block:
        small = factors.astype(np.float32)

        def arrange(rows: slice) -> None:
            tall[rows] = tall[rows][:, order] * small

        self._pieces(arrange, len(tall))
        return tall

    def combined(self, small: Floats) -> Block:
        product: Block = self._room.empty((self.n, small.shape[1]))
        factors = in_lanes(small)
        self._pieces(lambda rows: combine(self._basis, factors, product, rows), self.n)
        return product

    def images(self, tall: Block) -> tuple[Block, Floats]:
        lengths = np.empty(tall.shape[1])

        def measure(some: Block, first: int) -> Floats:
            found = self.lengths(some)
            lengths[first : first + len(found)] = found
            return 1 / np.where(found > 0, found, 1)

        def columns(a: int) -> Block:
            return tall[:, a : a + LANES]

        return self._products(tall.shape, columns, self._times, measure), lengths

    def products(self, tall: Block | None = None) -> Block:
        if tall is not None:
            return self._products(tall.shape, lambda a: tall[:, a : a + LANES], self._times)
        return self._products(
            (self.n, self.size), lambda a: columns_of(self._basis, a), self._times
        )

    def _products(
        self,
        shape: tuple[int, ...],
        columns: Callable[[int], Block],
        times: Callable[[Block], Block],
        factors: Callable[[Block, int], Floats] | None = None,
    ) -> Block:
        """The products with ``LANES`` columns at a time, multiplied by factors."""
        n, width = shape
        block = np.zeros((n, LANES), np.float32)
        products: Block = self._room.empty((sum(self._shape) - n, width))
        for a in range(0, width, LANES):
            some, target = columns(a), products[:, a : a + LANES]
            self._copy(some, block[:, : some.shape[1]])
            product = times(block)[:, : some.shape[1]]
            self._copy(product, target, factors and factors(product, a))
        return products

    def _copy(self, source: Any, target: Any, factors: Floats | None = None) -> None:
        small = None if factors is None else factors.astype(np.float32)

        def copy(rows: slice) -> None:
            if small is None:
                target[rows] = source[rows]
            else:
                np.multiply(source[rows], small, out=target[rows])

        self._pieces(copy, len(target))

    def residuals(self, left: Block, values: Floats, right: Block) -> Floats:
        back = self._products(left.shape, lambda a: left[:, a : a + LANES], self._back)
        back -= right * values
        lengths: Floats = np.linalg.norm(back, axis=0)
        return lengths

    def result(self, left: Block, values: Floats, right: Block, residual: float) -> Svd:
        words, contexts = (right, left) if self._turned else (left, right)
        return Svd.of(words, values, contexts, residual, self.size)

    def blocks(self, first: int) -> Iterator[Block]:
        for k in range(first, self.size, LANES):
            yield columns_of(self._basis, k).T

    def array(self, block: Block) -> Block:
        return block

    def block(self, array: Block) -> Block:
        return array

    def forget(self) -> None:
        self.size = 0
        self.release()

    def release(self) -> None:
        self._basis = []

    @property
    def chance(self) -> npt.NDArray[np.uint64]:
        return state_of(self._chance)

    @chance.setter
    def chance(self, numbers: npt.NDArray[np.uint64]) -> None:
        set_state(self._chance, numbers)


def largest_eigenpairs(inner: Floats, n: int) -> tuple[Floats, Floats]:
    """The ``n`` largest eigenvalues of a symmetric matrix, ascending, and their vectors, by LAPACK."""
    from scipy.linalg import eigh

    wanted = (len(inner) - n, len(inner) - 1)
    values, vectors = eigh(inner, subset_by_index=wanted, check_finite=False, overwrite_a=True)
    return values, vectors


def squared_lengths(rows: Block) -> Floats:
    """The sum of squares in each column, in double precision."""
    found: Floats = np.einsum("ij,ij->j", rows, rows, dtype=np.float64)
    return found


def state_of(chance: np.random.Generator) -> npt.NDArray[np.uint64]:
    """The state of a random generator of some seed."""
    state: Any = chance.bit_generator.state
    high, low = divmod(state["state"]["state"], 1 << 64)
    return np.array([high, low, state["has_uint32"], state["uinteger"]], np.uint64)


def set_state(chance: np.random.Generator, numbers: npt.NDArray[np.uint64]) -> None:
    """Set the state of a random generator of the same seed."""
    high, low, has_half, half = map(int, numbers)
    state: Any = chance.bit_generator.state
    state["state"]["state"] = (high << 64) + low
    state["has_uint32"], state["uinteger"] = has_half & 1, half & 0xFFFFFFFF
    chance.bit_generator.state = state
