"""Objects as distributions over features: their scores, and one EM iteration on all threads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.cluster import _distributional_kernels as kernels
from firth.compute import Engine

__all__ = ["COLDEST", "FLOOR", "Distributions", "arrays_of", "logs_of"]

Floats = npt.NDArray[np.float64]

FLOOR = 1e-300
"""The probability of a feature that no member has."""
COLDEST = 1e14
"""The largest beta: what has not split by then does not split."""
_CRITICAL_STEPS = 200
_BLOCKS, _SMALL = 8, 100_000
"""Number of blocks of objects, each with its own sums; smaller matrices are one block."""


class Distributions:
    """Objects as distributions over features, with weights.

    Parameters
    ----------
    counts : CSR matrix of float64
        Not negative. Rows of zeros have no weight.
    weights : str
        ``counts`` or ``uniform``.
    engine : Engine
    """

    def __init__(self, counts: Any, weights: str, engine: Engine) -> None:
        totals = np.asarray(counts.sum(axis=1)).ravel()
        per_row = np.diff(counts.indptr)
        self.matrix = counts.copy()
        self.matrix.data = counts.data / np.repeat(totals, per_row)
        self.matrix.eliminate_zeros()
        self.n, self.dim = self.matrix.shape
        self.arrays = arrays_of(self.matrix)
        self.weights = totals if weights == "counts" else (totals > 0).astype(np.float64)
        self.weights = self.weights / max(self.weights.sum(), FLOOR)
        p = self.matrix.data
        self.entropies = np.bincount(
            _rows_of(self.matrix), p * np.log(p), self.n
        )  # negative entropies
        nnz = len(p)
        n_blocks = 1 if nnz < _SMALL else max(2, min(_BLOCKS, nnz // (4 * self.dim)))
        cuts = np.searchsorted(self.matrix.indptr, np.linspace(0, nnz, n_blocks + 1)[1:-1])
        edges = [0, *cuts.tolist(), self.n]
        self.blocks = list(pairwise(edges))
        self.engine = engine.at_most(n_blocks)
        self._sums = np.empty((0, 0, 0))

    def everywhere(self, work: Callable[[int], None]) -> None:
        """Call a function for every block of objects, on all threads."""
        for _ in self.engine.map(work, range(len(self.blocks))):
            pass

    def mean(self) -> Floats:
        return np.asarray(self.matrix.T @ self.weights)

    def scores(self, centroids: Floats) -> Floats:
        """The sum over features of p_n log q_c, for all objects and clusters."""
        out = np.empty((self.n, centroids.shape[1]))
        table = logs_of(centroids)
        self.everywhere(lambda i: kernels.score(*self.arrays, table, *self.blocks[i], out))
        return out

    def step(self, centroids: Floats, beta: float) -> tuple[Floats, Floats, Floats]:
        """Memberships, the logarithms of their divisors, and the weighted sums of members."""
        k = centroids.shape[1]
        table, shares, logs = logs_of(centroids), np.empty((self.n, k)), np.empty(self.n)
        if self._sums.shape[2] != k:
            self._sums = np.empty((len(self.blocks), self.dim, k))
        sums = self._sums

        def work(i: int) -> None:
            first, last = self.blocks[i]
            sums[i] = 0.0
            kernels.step(
                *self.arrays, table, self.weights, beta, first, last, shares, logs, sums[i]
            )

        self.everywhere(work)
        return shares, logs, sums.sum(axis=0)

    def critical_beta(self, start: Floats) -> float:
        """Where one cluster begins to split: 1 / the largest principal inertia of the table (power method)."""
        q = np.maximum(self.mean(), FLOOR)
        axis, inertia, turned = start.copy(), 0.0, self.matrix.T
        for _ in range(_CRITICAL_STEPS):
            axis -= q @ axis
            axis /= max(float(q @ axis**2) ** 0.5, FLOOR)
            along = self.matrix @ axis
            before, inertia = inertia, float(self.weights @ along**2)
            if abs(inertia - before) <= 1e-6 * inertia:
                break
            axis = (turned @ (self.weights * along)) / q
        return 1 / inertia if inertia > 1 / COLDEST else np.inf


def logs_of(centroids: Floats) -> Floats:
    return np.log(np.maximum(centroids, FLOOR))


def arrays_of(matrix: Any) -> tuple[Any, Any, Any]:
    indices = np.int32 if matrix.shape[1] < 2**31 else np.int64
    return matrix.indptr.astype(np.int64), matrix.indices.astype(indices), matrix.data


def _rows_of(matrix: Any) -> npt.NDArray[np.int64]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
