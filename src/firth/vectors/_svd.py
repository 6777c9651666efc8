"""Truncated singular value decomposition of a large sparse matrix.

``krylov_svd`` is a randomised block Krylov method (Musco and Musco 2015) in the form of block Lanczos
on the transpose of the matrix times the matrix, with full reorthogonalisation. The basis grows by
``LANES`` vectors at a time until the residuals of the wanted singular triplets are small enough.
Blocks are stored in single precision; critical sums are computed in double precision.

Dense products are split into pieces of fixed size, each computed by one thread, so that the result does
not depend on the number of threads, and no thread of the BLAS library waits in a busy loop during
sparse products.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Engine, limit_blas
from firth.compute.kernels import LANES
from firth.errors import FirthError
from firth.store import Room

__all__ = ["Operator", "Svd", "dense_svd", "exact_svd", "krylov_svd"]

_NOISE = 3e-6
"""Relative size below which a remainder is rounding error of single precision."""
_AMPLIFIED = 1e-3
"""Ratio of squared lengths of directions below which rounding errors are amplified and removed again."""
_LONGEST = 8
"""Vectors of the basis for each wanted one after which the iteration stops."""
_PIECE = 1 << 12
_VECTORS_AT_ONCE = 128

Block = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]


class Operator(Protocol):
    """A matrix that can be multiplied with blocks of ``LANES`` float32 columns."""

    shape: tuple[int, int]

    def times(self, block: Block) -> Block: ...

    def transposed_times(self, block: Block) -> Block: ...


@dataclass(frozen=True)
class Svd:
    """Singular values, the largest first, and singular vectors as columns.

    Signs are fixed: the entry of largest absolute value in each left vector is positive.
    """

    left: npt.NDArray[Any]
    values: Floats
    right: npt.NDArray[Any]
    residual: float
    """Root mean square of the residuals of the triplets, relative to their singular values."""
    basis: int
    """The size of the Krylov basis; 0 for other solvers."""

    @classmethod
    def of(cls, left: Any, values: Any, right: Any, residual: float = 0.0, basis: int = 0) -> Svd:
        """Fix signs, in place, and drop singular values that are zero up to rounding."""
        precision = 20 * np.finfo(left.dtype).eps
        rank = int(np.sum(values > values[0] * precision)) if len(values) else 0
        left, values, right = left[:, :rank], values[:rank], right[:, :rank]
        signs = np.where(_of_largest_size(left) < 0, -1, 1).astype(left.dtype)
        left *= signs  # in place, because they are large
        right *= signs
        return cls(left, np.asarray(values, np.float64), right, residual, basis)


def _of_largest_size(matrix: Any) -> Any:
    """The entry of the largest absolute value in each column; the first of several."""
    found = np.zeros(matrix.shape[1], matrix.dtype)
    for a in range(0, len(matrix), _PIECE):
        rows = matrix[a : a + _PIECE]
        some = rows[np.argmax(np.abs(rows), axis=0), np.arange(matrix.shape[1])]
        found = np.where(np.abs(some) > np.abs(found), some, found)
    return found


def dense_svd(matrix: Any, rank: int) -> Svd:
    """Decompose a small matrix with LAPACK, in double precision."""
    from scipy.linalg import svd

    def decompose(some: Any) -> tuple[Any, Any, Any]:
        left, values, right = svd(some.toarray(), full_matrices=False, check_finite=False)
        return left[:, :rank], values[:rank], right[:rank].T

    return _without_zeros(matrix, decompose)


def exact_svd(matrix: Any, rank: int) -> Svd:
    """Decompose to machine precision with PROPACK or else ARPACK: slow, for checking."""
    return _without_zeros(matrix, lambda some: _by_scipy(some, rank))


def _by_scipy(matrix: Any, rank: int) -> tuple[Any, Any, Any]:
    from scipy.sparse.linalg import svds

    for solver in ("propack", "arpack"):
        with progress.stage(f"singular values by {solver.upper()}", unit=""), suppress(Exception):
            left, values, right = svds(matrix, rank, solver=solver, rng=np.random.default_rng(0))
            order = np.argsort(-values, kind="stable")
            left, values, right = left[:, order], values[order], right[order].T
            errors = matrix.T @ left - right * values
            turned = np.abs(left.T @ left - np.eye(rank)) * (values > 1e-9 * values[0])
            if np.abs(errors).max() < 1e-8 * values[0] and turned.max() < 1e-8:
                return left, values, right
    raise FirthError(
        "Neither PROPACK nor ARPACK could decompose the matrix.",
        "It may have a lower rank than --dim; use a smaller --dim or --svd fast.",
    )


def _without_zeros(matrix: Any, decompose: Callable[[Any], tuple[Any, Any, Any]]) -> Svd:
    """Decompose without zero rows and columns, which are zero in the singular vectors."""
    sizes = abs(matrix)
    rows, columns = (np.flatnonzero(np.asarray(sizes.sum(axis=axis))) for axis in (1, 0))
    if not len(rows):
        return Svd.of(np.empty((matrix.shape[0], 0)), np.empty(0), np.empty((matrix.shape[1], 0)))
    some_left, values, some_right = decompose(matrix[rows][:, columns])
    left = np.zeros((matrix.shape[0], len(values)))
    right = np.zeros((matrix.shape[1], len(values)))
    left[rows], right[columns] = some_left, some_right
    return Svd.of(left, values, right)


def krylov_svd(
    operator: Operator,
    rank: int,
    tolerance: float,
    seed: int = 0,
    engine: Engine = ONE_THREAD,
    room: Room | None = None,
) -> Svd | None:
    """The ``rank`` largest singular triplets; None if the basis would become too large.

    Parameters
    ----------
    operator : Operator
    rank : int
    tolerance : float
        Stop when the root mean square of ‖Ωᵀu − σv‖ / σ over the triplets (u, σ, v) is at most this
        (of ‖Ωv − σu‖ / σ if the matrix has more columns than rows).
    seed : int
        Random seed.
    engine : Engine
    room : Room, optional
        For arrays that grow with the matrix and the rank. The result depends on neither of the two.
    """
    turned = operator.shape[1] > operator.shape[0]  # the basis is on the shorter side
    with limit_blas(1):  # products are split over threads here
        side = _Turned(operator) if turned else operator
        search = _Search(side, rank, seed, engine, room or Room())
        found = _krylov(search, rank, tolerance) if search.limit else search.nothing()
    if found is None or not turned:
        return found
    return Svd.of(found.right, found.values, found.left, found.residual, found.basis)


class _Turned:
    """The transpose of a matrix."""

    def __init__(self, operator: Operator) -> None:
        self.shape = operator.shape[::-1]
        self.times, self.transposed_times = operator.transposed_times, operator.times


def _krylov(search: _Search, rank: int, tolerance: float) -> Svd | None:
    check_at = max(2.5 * rank, 4.0 * LANES)
    with progress.stage("singular values", unit="vectors", total=3 * rank) as stage:
        while check_at + LANES <= search.limit:
            while search.size < check_at:
                search.extend()
                stage.total = max(float(stage.total or 0), float(search.size + LANES))
                stage.advance(LANES)
            residual, vectors = search.check(tolerance)
            too_long = search.size >= _LONGEST * rank + 10 * LANES
            if too_long:
                progress.notice(
                    f"The decomposition stopped at a residual of {residual:.2g}.",
                    "Single precision or a flat spectrum limits it; use a larger --tolerance.",
                )
            if residual <= tolerance or too_long:
                return search.triplets(vectors, residual)
            # residuals fall by a factor of about 100 while the basis grows by the rank
            missing = min(np.log10(residual / tolerance) / 2, 1.0) * rank
            check_at = search.size + max(missing, 2.0 * LANES)
    return None


class _Search:
    """A growing orthonormal basis of right vectors, and the matrix ΩᵀΩ in it."""

    def __init__(
        self, operator: Operator, rank: int, seed: int, engine: Engine, room: Room
    ) -> None:
        self.operator, self.rank, self._engine, self._room = operator, rank, engine, room
        self.n = operator.shape[1]
        self._chance = np.random.default_rng(seed)
        self._basis = np.empty((0, self.n), np.float32)  # a vector a row
        self._inner = np.empty((0, 0))
        self.size = 0
        mixture = self._chance.standard_normal((operator.shape[0], LANES), np.float32)
        start = operator.transposed_times(mixture)
        self._support = start.any(axis=1, keepdims=True)
        """Nonzero columns. All vectors are exactly zero elsewhere."""
        self.limit = min(operator.shape[0], int(self._support.sum()))
        self._next, _ = self._orthonormal(start)
        self._link = np.zeros((LANES, LANES))
        """The component of ΩᵀΩ times the last block along the next block."""

    def _random(self) -> Block:
        return self._chance.standard_normal((self.n, LANES), np.float32) * self._support

    def _make_room(self) -> None:
        room = len(self._basis)
        if self.size + LANES > room:
            # grow by half the first guess; untouched pages take no memory
            room += -(-max(3 * self.rank, 8 * LANES) // LANES) * LANES // (2 if room else 1)
            basis = self._room.empty((room, self.n))
            for k in range(0, self.size, LANES):  # copying all of it at once takes seconds
                basis[k : k + LANES] = self._basis[k : k + LANES]
            inner = np.zeros((room, room))
            inner[: self.size, : self.size] = self._inner[: self.size, : self.size]
            self._basis, self._inner = basis, inner

    def extend(self) -> None:
        """Add a block to the basis."""
        self._make_room()
        block, k = self._next, self.size
        self._basis[k : k + LANES] = block.T
        self.size += LANES
        product = self.operator.transposed_times(self.operator.times(block))
        length = _longest(product)
        # in exact arithmetic only the last two blocks contribute; the rest is removed afterwards
        near = max(0, k - LANES)
        inner = np.zeros((self.size, LANES))
        inner[near:] = self._project(product, near)
        inner += self._project_away(product)
        self._inner[: self.size, k : self.size] = inner
        self._inner[k : self.size, : self.size] = inner.T
        self._next, self._link = self._orthonormal(product, length)

    def _project_away(self, block: Block) -> Floats:
        """Project a block away from the basis, repeatedly until little is removed."""
        total = np.zeros((self.size, LANES))
        for _ in range(4):
            before = _longest(block)
            total += self._project(block, 0)
            if _longest(block) > 0.5 * before:
                break
        return total

    def _project(self, block: Block, first: int) -> Floats:
        """Project a block away from the basis, in place; returns the coefficients."""
        basis = self._basis[first : self.size]
        inner = np.empty((len(basis), LANES), np.float32)

        def measure(some: slice) -> None:
            inner[some] = basis[some] @ block

        def remove(rows: slice) -> None:
            block[rows] -= basis[:, rows].T @ inner

        self._pieces(measure, len(basis), _VECTORS_AT_ONCE)
        self._pieces(remove, len(block))
        return inner.astype(np.float64)

    def _pieces(self, work: Callable[[slice], None], n: int, size: int = _PIECE) -> None:
        """Call ``work`` for pieces of fixed size, on all threads."""
        for _ in self._engine.map(work, (slice(a, a + size) for a in range(0, n, size))):
            pass

    def _times(self, tall: Any, small: Floats) -> Block:
        """A tall matrix times a small one, in single precision."""
        product: Block = self._room.empty((len(tall), small.shape[1]))
        factor = small.astype(np.float32)

        def multiply(rows: slice) -> None:
            product[rows] = tall[rows] @ factor

        self._pieces(multiply, len(tall))
        return product

    def _gram(self, block: Block) -> Floats:
        """The inner products of columns, in double precision."""
        total = np.zeros((block.shape[1], block.shape[1]))

        def of(a: int) -> Floats:
            rows = block[a : a + _PIECE].astype(np.float64)
            return rows.T @ rows

        for some in self._engine.map(of, range(0, len(block), _PIECE)):
            total += some
        return total

    def _orthonormal(self, block: Block, length: float = 0.0) -> tuple[Block, Floats]:
        """Orthonormalise the columns of a block; also returns the factor that gives the old block back.

        Directions that are only rounding errors are replaced by random ones.
        """
        link = np.eye(LANES)
        for attempt in range(3):
            values, vectors = np.linalg.eigh(self._gram(block))
            floor = (_NOISE * length) ** 2 if attempt == 0 else 0.0
            lost = values <= max(floor, values[-1] * 1e-12)
            scale = np.sqrt(np.maximum(values, 0))
            link = (scale[:, None] * vectors.T) @ link
            block = self._times(block, vectors / np.where(lost, 1.0, scale))
            if lost.any():
                others = self._random()[:, lost]
                block[:, lost] = others / np.maximum(np.linalg.norm(others, axis=0), 1e-30)
            if attempt and not lost.any() and values[0] > 0.5 * values[-1]:
                break
            if self.size and (lost.any() or values[0] < _AMPLIFIED * values[-1]):
                self._project_away(block)
        return block, link

    def check(self, tolerance: float) -> tuple[float, Floats]:
        """The residual of the wanted triplets, and coefficients of their right vectors."""
        k = self.size
        squares, vectors = self._largest((self._inner[:k, :k] + self._inner[:k, :k].T) / 2)
        rounding = np.finfo(np.float32).eps * squares[-1]
        if rounding > 0.5 * tolerance * squares[0]:
            return self._check_directly()
        residuals = ((self._link @ vectors[-LANES:]) ** 2).sum(axis=0) / squares**2
        return float(np.sqrt(residuals.mean())), vectors

    def _check_directly(self) -> tuple[float, Floats]:
        """The same if the squares of small singular values are below the rounding error of large ones.

        Uses products of Ω with the whole basis instead of ΩᵀΩ, and measures the residuals.
        """
        _, vectors = self._largest(self._gram(self._products(self._basis[: self.size].T)))
        found = self.triplets(vectors, 0.0)
        back = self._products(found.left, self.operator.transposed_times)
        back -= found.right * found.values
        errors = np.linalg.norm(back, axis=0) / found.values
        return float(np.sqrt((errors**2).mean())), vectors

    def _largest(self, inner: Floats) -> tuple[Floats, Floats]:
        """The wanted eigenvalues, ascending, and their vectors."""
        from scipy.linalg import eigh

        if not np.isfinite(inner).all():
            raise FirthError(
                "The decomposition failed: the matrix has entries that are not finite."
            )
        wanted = (len(inner) - self.rank, len(inner) - 1)
        values, vectors = eigh(inner, subset_by_index=wanted, check_finite=False, overwrite_a=True)
        return np.maximum(values, 0), vectors

    def _products(self, columns: Any, times: Callable[[Block], Block] | None = None) -> Block:
        """The matrix (or ``times``) applied to any number of columns."""
        times = times or self.operator.times
        block = np.zeros((len(columns), LANES), np.float32)
        n_rows = sum(self.operator.shape) - len(columns)
        products: Block = self._room.empty((n_rows, columns.shape[1]))
        for a in range(0, columns.shape[1], LANES):
            some = columns[:, a : a + LANES]
            block[:, : some.shape[1]] = some
            products[:, a : a + LANES] = times(block)[:, : some.shape[1]]
        return products

    def nothing(self) -> Svd:
        """The decomposition of a matrix of zeros."""
        empty = [np.empty((n, 0), np.float32) for n in self.operator.shape]
        return Svd.of(empty[0], np.empty(0), empty[1])

    def triplets(self, vectors: Floats, residual: float) -> Svd:
        """Singular triplets in the span of the wanted right vectors, computed from products with Ω."""
        right = self._times(self._basis[: self.size].T, vectors)
        left = self._products(right)
        squares, turn = np.linalg.eigh(self._gram(left))
        values, turn = np.sqrt(np.maximum(squares[::-1], 0)), turn[:, ::-1]
        floor = np.where(values > 0, values, 1)
        left, right = self._times(left, turn / floor), self._times(right, turn)
        return Svd.of(left, values, right, residual, self.size)


def _longest(block: Block) -> float:
    """The length of the longest column."""
    return float(np.sqrt(np.einsum("ij,ij->j", block, block).max()))
