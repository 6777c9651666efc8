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
from firth.vectors._svd import Svd

__all__ = [
    "Block",
    "Floats",
    "LocalSpace",
    "Operator",
    "Order",
    "set_state",
    "squared_lengths",
    "state_of",
]

_PIECE = 1 << 12
_VECTORS_AT_ONCE = 128

Block = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Order = npt.NDArray[np.intp]


class Operator(Protocol):
    """A matrix that can be multiplied with blocks of ``LANES`` float32 columns."""

    shape: tuple[int, int]

    def times(self, block: Block) -> Block: ...

    def transposed_times(self, block: Block) -> Block: ...


class LocalSpace:
    """Blocks are arrays of this process; see ``Space``."""

    def __init__(
        self, operator: Operator, rank: int, seed: int, engine: Engine, room: Room
    ) -> None:
        self._turned = operator.shape[1] > operator.shape[0]  # the basis is on the shorter side
        self._times, self._back = operator.times, operator.transposed_times
        self._shape = operator.shape
        if self._turned:
            self._times, self._back, self._shape = self._back, self._times, self._shape[::-1]
        self._engine, self._room = engine, room
        self._chance = np.random.default_rng(seed)
        self._first_room = -(-max(3 * rank, 8 * LANES) // LANES) * LANES
        self.n, self.size, self.limit = self._shape[1], 0, 0
        self._basis = np.empty((0, self.n), np.float32)  # a vector a row

    def start(self) -> Block:
        start = self._back(self._chance.standard_normal((self._shape[0], LANES), np.float32))
        self._support = start.any(axis=1, keepdims=True)
        """Nonzero columns."""
        self.limit = min(self._shape[0], int(self._support.sum()))
        return start

    def square(self, block: Block) -> Block:
        return self._back(self._times(block))

    def append(self, block: Block) -> None:
        room = len(self._basis)
        if self.size + LANES > room:
            # grow by half the first guess; untouched pages take no memory
            room += self._first_room // (2 if room else 1)
            basis = self._room.empty((room, self.n))
            for k in range(0, self.size, LANES):  # copying all of it at once takes seconds
                basis[k : k + LANES] = self._basis[k : k + LANES]
            self._basis = basis
        vectors = self._basis[self.size : self.size + LANES]

        def keep(rows: slice) -> None:
            vectors[:, rows] = block[rows].T

        self._pieces(keep, self.n)
        self.size += LANES

    def project(self, block: Block, first: int) -> tuple[Block, Callable[[], tuple[Floats, float]]]:
        before = self.longest(block)
        basis = self._basis[first : self.size]
        inner = np.empty((len(basis), LANES), np.float32)

        def measure(some: slice) -> None:
            inner[some] = basis[some] @ block

        def remove(rows: slice) -> None:
            block[rows] -= basis[:, rows].T @ inner

        self._pieces(measure, len(basis), _VECTORS_AT_ONCE)
        self._pieces(remove, len(block))
        return block, lambda: (inner.astype(np.float64), before)

    def _pieces(self, work: Callable[[slice], None], n: int, size: int = _PIECE) -> None:
        """Call ``work`` for pieces of fixed size, on all threads."""
        self._engine.each(work, (slice(a, a + size) for a in range(0, n, size)))

    def longest(self, block: Block) -> float:
        return float(np.sqrt(np.einsum("ij,ij->j", block, block).max()))

    def spectrum(self, block: Block) -> tuple[Floats, Floats]:
        values, vectors = np.linalg.eigh(self.gram(block))
        return values, vectors

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
            rows = tall[a : a + _PIECE].astype(np.float64)
            return rows.T @ rows

        for some in self._engine.map(of, range(0, len(tall), _PIECE)):
            total += some
        return total

    def lengths(self, tall: Block) -> Floats:
        total = np.zeros(tall.shape[1])
        for some in self._engine.map(
            lambda a: squared_lengths(tall[a : a + _PIECE]), range(0, len(tall), _PIECE)
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
        return self.times(self._basis[: self.size].T, small)

    def products(self, tall: Block | None = None) -> Block:
        return self._products(self._basis[: self.size].T if tall is None else tall, self._times)

    def _products(self, columns: Any, times: Callable[[Block], Block]) -> Block:
        block = np.zeros((len(columns), LANES), np.float32)
        products: Block = self._room.empty((sum(self._shape) - len(columns), columns.shape[1]))
        for a in range(0, columns.shape[1], LANES):
            some, target = columns[:, a : a + LANES], products[:, a : a + LANES]
            self._copy(some, block[:, : some.shape[1]])
            self._copy(times(block)[:, : some.shape[1]], target)
        return products

    def _copy(self, source: Any, target: Any) -> None:
        def copy(rows: slice) -> None:
            target[rows] = source[rows]

        self._pieces(copy, len(target))

    def residuals(self, left: Block, values: Floats, right: Block) -> Floats:
        back = self._products(left, self._back)
        back -= right * values
        lengths: Floats = np.linalg.norm(back, axis=0)
        return lengths

    def result(self, left: Block, values: Floats, right: Block, residual: float) -> Svd:
        found = Svd.of(left, values, right, residual, self.size)
        if self._turned:
            return Svd.of(found.right, found.values, found.left, residual, self.size)
        return found

    def blocks(self, first: int) -> Iterator[Block]:
        for k in range(first, self.size, LANES):
            yield self._basis[k : k + LANES]

    def array(self, block: Block) -> Block:
        return block

    def block(self, array: Block) -> Block:
        return array

    def forget(self) -> None:
        self.size = 0

    @property
    def chance(self) -> npt.NDArray[np.uint64]:
        return state_of(self._chance)

    @chance.setter
    def chance(self, numbers: npt.NDArray[np.uint64]) -> None:
        set_state(self._chance, numbers)


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
