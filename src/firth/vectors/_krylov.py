"""Truncated singular value decomposition of a large sparse matrix.

This is a randomised block Krylov method (Musco and Musco 2015) in the form of block Lanczos on the
transpose of the matrix times the matrix, with full reorthogonalisation. The basis grows by a block
of vectors at a time until the residuals of the wanted singular triplets are small enough. Blocks are
stored in single precision; critical sums are computed in double precision.

The algorithm is written once. A ``Space`` does all that takes time: in this process, on a GPU, or on
the workers of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Engine, limit_blas
from firth.errors import FirthError
from firth.store import Checkpoint, Room, Saved
from firth.vectors._space import Block, Floats, LocalSpace, Operator, Order
from firth.vectors._svd import Svd, rank_of

__all__ = ["Space", "krylov_svd", "svd_in"]

_NOISE = 3e-6
"""Relative size below which a remainder is rounding error of single precision."""
_AMPLIFIED = 1e-3
"""Ratio of squared lengths of directions below which rounding errors are amplified and removed again."""
_EVEN = 1e-2
"""Ratio of squared lengths of directions above which a block is orthonormal after one multiplication."""
_CLEAN = 1e-4
"""Inner products of left vectors that come from right ones without a rotation, at most."""
_LONGEST = 8
"""Vectors of the basis for each wanted one after which the iteration stops."""
_SECONDS_PER_CHECKPOINT = 60.0
"""Longer than for other work, because the basis is large."""
_LARGEST = float(np.finfo(np.float32).max)

Tall = Any
"""A block of columns on one side of the matrix, wherever it is."""
Removed = Callable[[], tuple[Floats, float]]
"""Returns the coefficients of what was removed from a block, and the length of its longest column before.

Whoever asks later waits less: a cluster works on meanwhile.
"""


class Space(Protocol):
    """Blocks of columns on the two sides of a matrix Ω, and a growing orthonormal basis.

    The basis is on the shorter side, which is called the right one here. All its vectors are exactly
    zero where Ω has columns of zeros.
    """

    lanes: int
    """The number of columns of a block."""
    n: int
    """The length of the vectors of the basis."""
    size: int
    """The number of vectors of the basis."""
    limit: int
    """The most vectors that it can have; known after ``start``."""

    def start(self) -> Tall:
        """Ωᵀ times random columns."""

    def square(self, block: Tall) -> Tall:
        """ΩᵀΩ times a block."""

    def append(self, block: Tall) -> None:
        """Add an orthonormal block to the basis."""

    def project(self, block: Tall, first: int) -> tuple[Tall, Removed]:
        """Project a block away from the basis, from its vector ``first`` on.

        Returns the block, which may be changed in place, and what was removed from it.
        """

    def longest(self, block: Tall) -> float:
        """The length of the longest column."""

    def spectrum(self, block: Tall) -> tuple[Floats, Floats]:
        """The squares of the singular values of a block, ascending, and its right singular vectors."""

    def largest(self, inner: Floats, n: int) -> tuple[Floats, Floats]:
        """The ``n`` largest eigenvalues of a symmetric matrix, ascending, and their vectors."""

    def times(self, tall: Tall, small: Floats) -> Tall:
        """A tall matrix times a small one."""

    def with_random(self, block: Tall, lost: npt.NDArray[np.bool_]) -> Tall:
        """A block whose columns ``lost`` are replaced by random ones of unit length."""

    def gram(self, tall: Tall) -> Floats:
        """The inner products of columns, in double precision."""

    def lengths(self, tall: Tall) -> Floats:
        """The lengths of columns, in double precision."""

    def arranged(self, tall: Tall, order: Order, factors: Floats) -> Tall:
        """Columns in another order, multiplied by factors; the matrix may be changed in place."""

    def combined(self, small: Floats) -> Tall:
        """The basis times a small matrix."""

    def images(self, tall: Tall) -> tuple[Tall, Floats]:
        """Ω times any number of columns, scaled to unit length, and their lengths before."""

    def products(self, tall: Tall | None = None) -> Tall:
        """Ω times any number of columns; times the basis by default."""

    def residuals(self, left: Tall, values: Floats, right: Tall) -> Floats:
        """‖Ωᵀu − σv‖ for each triplet."""

    def result(self, left: Tall, values: Floats, right: Tall, residual: float) -> Svd:
        """The decomposition, in this process."""

    def blocks(self, first: int) -> Iterator[Block]:
        """The vectors of the basis, a row each, a block at a time; for checkpoints."""

    def array(self, block: Tall) -> Block:
        """The numbers of a block on the right side."""

    def block(self, array: Block) -> Tall:
        """A block with these numbers."""

    def forget(self) -> None:
        """Begin again, with an empty basis."""

    def release(self) -> None:
        """Give back the memory of the basis, which is not used any more."""

    @property
    def chance(self) -> npt.NDArray[np.uint64]:
        """The state of the random numbers."""

    @chance.setter
    def chance(self, numbers: npt.NDArray[np.uint64]) -> None: ...


def krylov_svd(
    operator: Operator,
    rank: int,
    tolerance: float,
    seed: int = 0,
    engine: Engine = ONE_THREAD,
    room: Room | None = None,
    checkpoint: Checkpoint | None = None,
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
    checkpoint : Checkpoint, optional
        Interrupted work continues from it, and gives the same result.
    """
    space = LocalSpace(operator, seed, engine, room or Room())
    return svd_in(space, rank, tolerance, checkpoint)


def svd_in(
    space: Space, rank: int, tolerance: float, checkpoint: Checkpoint | None = None
) -> Svd | None:
    """The ``rank`` largest singular triplets of the matrix of a space; see ``krylov_svd``."""
    with limit_blas(1):  # products are split over threads by the space
        search = _Search(space, rank)
        if not space.limit:
            nothing = space.combined(np.empty((0, 0)))
            return space.result(space.products(nothing), np.empty(0), nothing, 0.0)
        return _krylov(search, tolerance, checkpoint or Checkpoint())


def _krylov(search: _Search, tolerance: float, checkpoint: Checkpoint) -> Svd | None:
    space, rank, lanes = search.space, search.rank, search.space.lanes
    checkpoint.every = _SECONDS_PER_CHECKPOINT
    with progress.stage("singular values", unit="vectors", total=3 * rank) as stage:
        check_at = checkpoint.load(search.restore) or search.first_check
        stage.advance(space.size)
        while check_at + lanes <= space.limit:
            while space.size < check_at:
                search.extend()
                stage.total = max(float(stage.total or 0), float(space.size + lanes))
                stage.advance(lanes)
                if checkpoint.is_due:
                    search.save(checkpoint, check_at)
            residual, vectors = search.check(tolerance)
            too_long = space.size >= _LONGEST * rank + 10 * lanes
            if too_long:
                progress.notice(
                    f"The decomposition stopped at a residual of {residual:.2g}.",
                    "Single precision or a flat spectrum limits it; use a larger --tolerance.",
                )
            if residual <= tolerance or too_long:
                return space.result(*search.triplets(vectors, is_last=True), residual)
            # residuals fall by a factor of about 12 while the basis grows by the rank
            missing = min(np.log10(residual / tolerance) / 1.1, 1.0) * rank
            check_at = space.size + max(missing, 2.0 * lanes)
    return None


class _Search:
    """The next block of the basis of a space, and the matrix ΩᵀΩ in that basis."""

    def __init__(self, space: Space, rank: int) -> None:
        self.space, self.rank, self.lanes = space, rank, space.lanes
        self.first_check = max(2.0 * rank, 4.0 * self.lanes)
        """The size of the basis at which it is checked first."""
        self._is_clean = False
        """Whether rounding has left the wanted right vectors orthogonal after products with Ω."""
        self._inner = np.empty((0, 0))
        self._next, _ = self._orthonormal(space.start())
        self._link = np.zeros((self.lanes, self.lanes))
        """The component of ΩᵀΩ times the last block along the next block."""

    def _make_room(self, size: int) -> None:
        before = len(self._inner)
        if size > before:
            inner = np.zeros((max(size, 2 * before),) * 2)
            inner[:before, :before] = self._inner
            self._inner = inner

    def extend(self) -> None:
        """Add a block to the basis."""
        space, block, k = self.space, self._next, self.space.size
        space.append(block)
        self._make_room(space.size)
        # in exact arithmetic only the last two blocks contribute; the rest is removed afterwards
        near = max(0, k - self.lanes)
        product, removed = space.project(space.square(block), near)
        product, inner = self._project_away(product)
        some, length = removed()
        inner[near:] += some
        self._inner[: space.size, k : space.size] = inner
        self._inner[k : space.size, : space.size] = inner.T
        self._next, self._link = self._orthonormal(product, length)

    def _project_away(self, block: Tall) -> tuple[Tall, Floats]:
        """Project a block away from the basis, repeatedly until little is removed."""
        total = np.zeros((self.space.size, self.lanes))
        for _ in range(4):
            block, removed = self.space.project(block, 0)
            some, before = removed()
            total += some
            if self.space.longest(block) > 0.5 * before:
                break
        return block, total

    def _orthonormal(self, block: Tall, length: float = 0.0) -> tuple[Tall, Floats]:
        """Orthonormalise the columns of a block; also returns the factor that gives the old block back.

        Directions that are only rounding errors are replaced by random ones.
        """
        link = np.eye(self.lanes)
        for attempt in range(3):
            values, vectors = self.space.spectrum(block)
            floor = (_NOISE * length) ** 2 if attempt == 0 else 0.0
            lost = values <= max(floor, values[-1] * 1e-12)
            scale = np.sqrt(np.maximum(values, 0))
            link = (scale[:, None] * vectors.T) @ link
            block = self.space.times(block, vectors / np.where(lost, 1.0, scale))
            if lost.any():
                block = self.space.with_random(block, lost)
            if not lost.any() and values[0] > (0.5 if attempt else _EVEN) * values[-1]:
                break
            if self.space.size and (lost.any() or values[0] < _AMPLIFIED * values[-1]):
                block, _ = self._project_away(block)
        return block, link

    def check(self, tolerance: float) -> tuple[float, Floats]:
        """The residual of the wanted triplets, and coefficients of their right vectors."""
        k = self.space.size
        squares, vectors = self._largest((self._inner[:k, :k] + self._inner[:k, :k].T) / 2)
        rounding = np.finfo(np.float32).eps * squares[-1]
        self._is_clean = bool(rounding <= _CLEAN * squares[0])
        if rounding > 0.5 * tolerance * squares[0]:
            return self._check_directly()
        residuals = ((self._link @ vectors[-self.lanes :]) ** 2).sum(axis=0) / squares**2
        return float(np.sqrt(residuals.mean())), vectors

    def _check_directly(self) -> tuple[float, Floats]:
        """The same if the squares of small singular values are below the rounding error of large ones.

        Uses products of Ω with the whole basis instead of ΩᵀΩ, and measures the residuals.
        """
        _, vectors = self._largest(self.space.gram(self.space.products()))
        left, values, right = self.triplets(vectors)
        kept = rank_of(values, np.float32)
        errors = self.space.residuals(left, values, right)[:kept] / values[:kept]
        return float(np.sqrt((errors**2).mean())), vectors

    def _largest(self, inner: Floats) -> tuple[Floats, Floats]:
        """The wanted eigenvalues, ascending, and their vectors."""
        if not np.isfinite(inner).all():
            raise FirthError(
                "The decomposition failed: the matrix has entries that are not finite."
            )
        values, vectors = self.space.largest(inner, self.rank)
        return np.maximum(values, 0), vectors

    def triplets(self, vectors: Floats, is_last: bool = False) -> tuple[Tall, Floats, Tall]:
        """Singular triplets in the span of the wanted right vectors, computed from products with Ω."""
        space = self.space
        right = space.combined(vectors[:, ::-1])  # the largest values first
        if is_last:
            space.release()
        if self._is_clean:
            left, values = space.images(right)
            order = np.argsort(-values, kind="stable")
            if (order != np.arange(len(order))).any():
                ones = np.ones(len(order))
                left, right = (space.arranged(tall, order, ones) for tall in (left, right))
            return left, values[order], right
        left = space.products(right)
        squares, turn = np.linalg.eigh(space.gram(left))
        values, turn = np.sqrt(np.maximum(squares[::-1], 0)), turn[:, ::-1]
        floor = np.where(values > 0, values, 1)
        return space.times(left, turn / floor), values, space.times(right, turn)

    def save(self, checkpoint: Checkpoint, check_at: float) -> None:
        """Save the basis and all that follows from it; ``check_at`` is where it is to be checked."""
        space = self.space
        checkpoint.save(
            blocks=space.blocks(checkpoint.n_blocks * self.lanes),
            inner=self._inner[: space.size, : space.size],
            next=space.array(self._next),
            link=self._link,
            check_at=np.array([check_at]),
            chance=space.chance,
        )

    def restore(self, saved: Saved) -> float:
        """Continue from what was saved; returns where the basis is to be checked.

        The first block, which was computed again, tells whether it belongs to the same matrix.
        """
        space, size, first = self.space, saved.n_blocks * self.lanes, self.space.array(self._next)
        saved.require(0 < size <= space.limit, "the basis is too large")
        inner = saved.array("inner.f64", (size, size), -_LARGEST, _LARGEST)
        latest = max(self.first_check, 2.0 * space.limit)
        check_at = float(saved.array("check_at.f64", 1, self.first_check, latest)[0])
        link = saved.array("link.f64", (self.lanes, self.lanes), -_LARGEST, _LARGEST)
        following = saved.array("next.f32", (space.n, self.lanes), -1.001, 1.001)
        chance = saved.array("chance.u64", 4, 0, (1 << 64) - 1)
        try:
            for block in saved.blocks(self.lanes * space.n, -1.001, 1.001):
                vectors = block.reshape(self.lanes, space.n).T
                saved.require(space.size or np.array_equal(vectors, first), "another matrix")
                space.append(space.block(vectors))
                progress.check_interrupted()
        except BaseException:
            space.forget()
            raise
        self._make_room(size)
        self._inner[:size, :size] = inner
        self._next, self._link, space.chance = space.block(following), link, chance
        return check_at
