"""Truncated singular value decompositions: what all solvers return, and those of LAPACK and PROPACK.

``krylov_svd`` (see ``_krylov``) is the one for large matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.errors import FirthError
from firth.store import Room

__all__ = ["Svd", "dense_svd", "exact_svd", "rank_of", "unit_rows"]

_ROWS = 1 << 12
_ZERO = 1e-10
"""Rows shorter than this, relative to the longest one, are zero up to rounding."""

Floats = npt.NDArray[np.float64]


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
        rank = rank_of(values, left.dtype)
        left, values, right = left[:, :rank], values[:rank], right[:, :rank]
        signs = np.where(_of_largest_size(left) < 0, -1, 1).astype(left.dtype)
        left *= signs  # in place, because they are large
        right *= signs
        return cls(left, np.asarray(values, np.float64), right, residual, basis)


def rank_of(values: Floats, dtype: Any) -> int:
    """The number of singular values that are not zero up to rounding."""
    precision = 20 * np.finfo(dtype).eps
    return int(np.sum(values > values[0] * precision)) if len(values) else 0


def unit_rows(
    left: npt.NDArray[Any], factors: Floats, engine: Engine, room: Room
) -> npt.NDArray[np.float32]:
    """The rows of a matrix, its columns multiplied by factors, at unit length; rows of zeros stay zero."""
    n, small = len(left), factors.astype(left.dtype)
    lengths, unit = np.empty((n, 1)), room.empty((n, len(small)))
    pieces = [slice(a, min(a + _ROWS, n)) for a in range(0, n, _ROWS)]

    def measure(some: slice) -> None:
        scaled = (left[some] * small).astype(np.float64)
        lengths[some] = np.linalg.norm(scaled, axis=1, keepdims=True)

    def scale(some: slice) -> None:
        scaled = left[some] * small / np.where(present[some], lengths[some], 1)
        unit[some] = np.where(present[some], scaled, 0)

    engine.each(measure, pieces)
    present = lengths > _ZERO * lengths.max()
    engine.each(scale, pieces)
    return unit  # type: ignore[no-any-return]


def _of_largest_size(matrix: Any) -> Any:
    """The entry of the largest absolute value in each column; the first of several."""
    found = np.zeros(matrix.shape[1], matrix.dtype)
    for a in range(0, len(matrix), _ROWS):
        rows = matrix[a : a + _ROWS]
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
