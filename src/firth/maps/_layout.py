"""Layout by t-SNE (van der Maaten and Hinton 2008), with repulsion computed on a grid.

As in Linderman et al. (2019), the repulsion of all points is computed by spreading them onto a regular
grid, a convolution, and interpolation. Some differences make it cheaper. Points are spread, and
forces interpolated, by cubic B-splines, whose error falls with the fourth power of the grid step. One
set of charges, all equal to 1, is convolved with the two components of the force; the normaliser is a
sum over the transform of the charges. The grid step stays the same while the map grows, so the
transforms of the kernels are seldom recomputed. Forces on the grid are antisymmetric, so points at the
same position do not repel themselves, which would draw them into the rows of the grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Engine, Run, engine_for, limit_blas
from firth.errors import ParameterError, check_count, wrong_parameter
from firth.maps import _kernels as kernels

__all__ = ["EARLY", "Repulsion", "divergence", "gradient", "layout", "principal_positions"]

EARLY = 12.0
"""Factor of the attraction in early iterations."""
_START = 1e-4
"""Standard deviation of the first coordinate at the start."""
_MOMENTA = (0.5, 0.8)
_LEAST_RATE = 200.0
_LONGEST_STEP = 5.0
_EXACT = 3000
"""Up to this number of points, repulsion is computed for all pairs."""
_STEP = 0.4
"""Distance between grid nodes; the kernel falls to one half at 1. Forces are accurate to about 1 %."""
_LEAST_NODES, _MOST_NODES = 64, 2048
_LEAST_STEP = 1e-6
_MARGIN = 16
"""Nodes around the points: a spline of the kernel rings where its ends meet."""
_ROWS_AT_ONCE, _POINTS_AT_ONCE, _PIECES = 64, 1 << 11, 4
_BLOCK = 1 << 13
_KEPT = 4
"""Number of transformed kernels to cache, because the map may shrink a little now and then."""

Floats32 = npt.NDArray[np.float32]
Complex = npt.NDArray[np.complex64]


def principal_positions(unit: Floats32) -> Floats32:
    """The first two principal components of some vectors, scaled down as initial positions.

    Both are scaled by the same factor, so that the standard deviation of the first is 0.0001. The
    largest entry of an axis (the first one of ties) is positive.
    """
    n, dim = unit.shape
    mean = np.zeros(dim)
    products = np.zeros((dim, dim))
    with limit_blas(1):
        for a in range(0, n, _BLOCK):
            block = np.asarray(unit[a : a + _BLOCK], np.float64)
            mean += block.sum(axis=0) / n
            products += block.T @ block / n
        _, axes = np.linalg.eigh(products - np.outer(mean, mean))
        axes = axes[:, ::-1][:, :2]
        axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
        positions = np.zeros((n, 2))
        for a in range(0, n, _BLOCK):
            block = np.asarray(unit[a : a + _BLOCK], np.float64) - mean
            positions[a : a + _BLOCK, : axes.shape[1]] = block @ axes
    deviation = float(positions[:, 0].std())
    # if all vectors are equal, only rounding errors are left
    scaled = positions * (_START / deviation) if deviation > 1e-7 else np.zeros((n, 2))
    return scaled.astype(np.float32)


def layout(
    p: Any,
    start: Floats32,
    n_early: int = 250,
    n_late: int = 500,
    exaggeration: float = 1.0,
    rate: float | None = None,
    threads: int | Engine | None = None,
) -> Floats32:
    """Positions in the plane in which points of high affinity are near each other.

    Parameters
    ----------
    p : scipy.sparse.csr_array, shape (n, n)
        Probabilities of pairs, from ``affinities``.
    start : array of float32, shape (n, 2)
        Initial positions, from ``principal_positions``.
    n_early, n_late : int
        Number of iterations with attraction times 12 and momentum 0.5; number of iterations with
        attraction times ``exaggeration`` and momentum 0.8.
    exaggeration : float
        Factor of the attraction in late iterations. 1 is t-SNE as published; larger values make
        clusters more compact.
    rate : float, optional
        Learning rate; by default n / 12, but at least 200.
    threads : int, optional
        Number of threads; all cores by default. The result does not depend on it.

    Returns
    -------
    array of float32, shape (n, 2)
    """
    check_count("layout", "n_early", n_early, least=0)
    check_count("layout", "n_late", n_late, least=0)
    if not isinstance(exaggeration, int | float) or not 0 < exaggeration < math.inf:
        raise wrong_parameter("layout", "exaggeration", "a number above 0", exaggeration)
    n = len(start)
    if start.shape != (n, 2) or p.shape != (n, n):
        raise ParameterError(
            f"Positions of shape {start.shape} do not match affinities of shape {p.shape}."
        )
    engine = engine_for("layout", threads)
    rate = max(_LEAST_RATE, n / EARLY) if rate is None else rate
    with (
        progress.stage("map", total=n_early + n_late, unit="iterations", brief=1) as stage,
        engine.team() as run,
    ):
        points = _Points(p, start, run)
        for iteration in range(n_early + n_late):
            early = iteration < n_early
            points.move(EARLY if early else exaggeration, _MOMENTA[not early], rate)
            stage.advance(1)
    return np.stack([points.x, points.y], axis=1)


def _each(run: Run, work: Callable[[int], Any], items: Sequence[int]) -> list[Any]:
    """Apply ``work`` to every item; results in order. A single item does not use threads."""
    return list(run(work, items) if len(items) > 1 else map(work, items))


class _Points:
    """The state of all points during optimisation."""

    def __init__(self, p: Any, start: Floats32, run: Run, exact: int = _EXACT) -> None:
        n = len(start)
        self.x, self.y = (np.array(start[:, k], np.float32) for k in range(2))
        self._indptr = np.asarray(p.indptr, np.int64)
        self._indices = np.asarray(p.indices, np.int32)
        self._values = np.asarray(p.data, np.float32)
        self._pull = np.zeros((2, n), np.float32)
        self._push = np.zeros((2, n), np.float32)
        self._speed = np.zeros((2, n), np.float32)
        self._gain = np.ones((2, n), np.float32)
        self._corners = np.zeros(4)
        if n:
            self._corners[:] = self.x.min(), self.x.max(), self.y.min(), self.y.max()
        self._each = partial(_each, run)
        self._repulsion = Repulsion(self._each, exact=exact)

    def forces(self) -> float:
        """Compute attraction and repulsion of every point; returns the normaliser."""
        grid = self._repulsion.prepare(self.x, self.y, self._corners)

        def work(first: int) -> float:
            last = min(first + _POINTS_AT_ONCE, len(self.x))
            kernels.attract(
                self._indptr, self._indices, self._values, self.x, self.y, first, last, *self._pull
            )
            return self._repulsion.push(grid, self.x, self.y, first, last, self._push)

        parts = self._each(work, range(0, len(self.x), _POINTS_AT_ONCE))
        total: float = math.fsum(parts) if grid is None else grid.total
        width, height = self._corners[1] - self._corners[0], self._corners[3] - self._corners[2]
        # a lower bound: no two points are further apart than the corners
        return float(
            max(total, len(self.x) * (len(self.x) - 1) / (1 + width**2 + height**2), 1e-12)
        )

    def move(self, exaggeration: float, momentum: float, rate: float) -> None:
        """One iteration."""
        kernels.move(
            self.x, self.y, self._pull, self._push, self._speed, self._gain, exaggeration, self.forces(),
            momentum, rate, _LONGEST_STEP, self._corners,
        )  # fmt: skip

    def gradient(self) -> npt.NDArray[np.float64]:
        """The gradient of the divergence."""
        total = self.forces()
        return np.asarray(-4 * (self._pull.T.astype(np.float64) + self._push.T / total))


class _Grid(NamedTuple):
    """Position of a grid, forces at its nodes, and the normaliser."""

    left: float
    low: float
    per_unit: float
    forces: Floats32
    total: float


class _Waves(NamedTuple):
    """Transforms of the kernels of a grid: 1 / (1 + d^2), and the force in each direction."""

    closeness: Floats32
    forces: tuple[Complex, Complex]


class Repulsion:
    """Repulsion of all points: exact for few points, on a grid for many.

    Parameters
    ----------
    each : callable
        Applies a function to each of several numbers; returns the results in order.
    step : float
        Distance between grid nodes. It is smaller while the map is small, and larger if the map would
        need more than 2048 nodes in a direction.
    exact : int
        Maximum number of points without a grid.
    """

    def __init__(
        self,
        each: Callable[[Callable[[int], Any], Sequence[int]], list[Any]],
        step: float = _STEP,
        exact: int = _EXACT,
    ) -> None:
        self._each, self._step, self._exact = each, step, exact
        self._kernels: dict[tuple[float, int, int], _Waves] = {}

    def prepare(self, x: Floats32, y: Floats32, corners: npt.NDArray[np.float64]) -> _Grid | None:
        """The grid for points between ``corners``; None if there are few points."""
        if len(x) <= self._exact:
            return None
        extents = corners[1] - corners[0], corners[3] - corners[2]
        step = _fitting_step(max(extents), self._step)
        # twice the size of the grid, because the convolution must not wrap around
        lengths = [_length(2 * (math.ceil(extent / step) + _MARGIN)) for extent in extents]
        left, low = corners[0] - 2 * step, corners[2] - 2 * step
        pieces = np.zeros((_PIECES, lengths[0] // 2, lengths[1] // 2), np.float32)
        edges = [len(x) * i // _PIECES for i in range(_PIECES + 1)]

        def spread(i: int) -> None:
            kernels.spread(x, y, edges[i], edges[i + 1], left, low, 1 / step, pieces[i])

        self._each(spread, range(_PIECES))
        forces, total = self._convolve(pieces.sum(axis=0), self._waves(step, lengths), lengths)
        return _Grid(left, low, 1 / step, forces, total - len(x))

    def push(
        self, grid: _Grid | None, x: Floats32, y: Floats32, first: int, last: int, forces: Floats32
    ) -> float:
        """Compute the forces on some points; without a grid, returns their part of the normaliser."""
        if grid is None:
            return float(kernels.repel_exactly(x, y, first, last, *forces))
        kernels.repel(x, y, first, last, grid.left, grid.low, grid.per_unit, grid.forces, forces)
        return 0.0

    def _convolve(
        self, charges: Floats32, kernel: _Waves, lengths: list[int]
    ) -> tuple[Floats32, float]:
        """The forces at all nodes, and the sum of closeness over all pairs, including i = j.

        Transforms are done in pieces of fixed size. Half of the rows and columns are padding, zero
        before and not needed after: they are left out.
        """
        from scipy import fft

        rows, columns = charges.shape
        waves = np.empty((3, rows, lengths[1] // 2 + 1), np.complex64)
        forces = np.empty((2, rows, columns), np.float32)

        def along(a: int) -> None:
            here = slice(a, a + _ROWS_AT_ONCE)
            waves[2, here] = fft.rfft(charges[here], lengths[1], 1)

        def across(a: int) -> float:
            here = slice(a, a + _ROWS_AT_ONCE)
            some = fft.fft(waves[2, :, here], lengths[0], 0)
            for k in range(2):
                pushed = fft.ifft(some * kernel.forces[k][:, here], axis=0, overwrite_x=True)
                waves[k, :, here] = pushed[:rows]
            power = (some.real**2 + some.imag**2) * kernel.closeness[:, here]
            return float(power.sum(dtype=np.float64))

        def back(a: int) -> None:
            here = slice(a, a + _ROWS_AT_ONCE)
            for k in range(2):
                forces[k, here] = fft.irfft(waves[k, here], lengths[1], 1)[:, :columns]

        self._each(along, range(0, rows, _ROWS_AT_ONCE))
        parts = self._each(across, range(0, waves.shape[2], _ROWS_AT_ONCE))
        self._each(back, range(0, rows, _ROWS_AT_ONCE))
        return forces, math.fsum(parts)

    def _waves(self, step: float, lengths: list[int]) -> _Waves:
        """Transforms of the kernels, divided by those of the splines on both sides."""
        from scipy import fft

        key = (step, lengths[0], lengths[1])
        if key not in self._kernels:
            dx, dy = (step * length * fft.fftfreq(length) for length in lengths)
            values = 1 / (1 + dx[:, None] ** 2 + dy**2)
            dx[lengths[0] // 2] = dy[lengths[1] // 2] = 0  # forces of both ends cancel
            splines = (
                _spline(lengths[0])[:, None] ** 2 * _spline(lengths[1])[: lengths[1] // 2 + 1] ** 2
            )
            closeness = (
                fft.rfft2(values).real / splines
            )  # by Parseval; a real transform has half the terms
            closeness[:, 1:-1] *= 2
            pushes = (way * values**2 for way in (dx[:, None], dy))
            east, north = ((fft.rfft2(push) / splines).astype(np.complex64) for push in pushes)
            scaled = (closeness / math.prod(lengths)).astype(np.float32)
            self._kernels[key] = _Waves(scaled, (east, north))
            if len(self._kernels) > _KEPT:
                del self._kernels[next(iter(self._kernels))]
        return self._kernels[key]


def _fitting_step(extent: float, step: float) -> float:
    """The grid step for a map of some extent; a power of 2 times ``step``, so that kernels are reused.

    >>> [_fitting_step(extent, 0.5) for extent in (1, 100, 2000)]
    [0.015625, 0.5, 1.0]
    """
    while extent > _MOST_NODES * step:
        step *= 2
    while extent < _LEAST_NODES * step and step > _LEAST_STEP:
        step /= 2
    return step


def _spline(length: int) -> npt.NDArray[np.float64]:
    """The transform of a cubic B-spline at the nodes: 1/6, 4/6, 1/6."""
    return np.asarray((2 + np.cos(2 * np.pi * np.arange(length) / length)) / 3)


def _length(least: int) -> int:
    """A length for transforms: even, fast, and the same for a range of grids, so that kernels are reused."""
    from scipy import fft

    steps = max(8, 1 << max(0, least.bit_length() - 4))
    length = -(-least // steps) * steps
    while fft.next_fast_len(length, real=True) != length or length % 2 or length % 25 == 0:
        length += 1
    return length


def gradient(p: Any, positions: Floats32, exact: int = _EXACT) -> npt.NDArray[np.float64]:
    """The gradient of the divergence, as ``layout`` follows it; from a grid for more than ``exact`` points."""
    with ONE_THREAD.team() as run:
        return _Points(p, positions, run, exact).gradient()


def divergence(p: Any, positions: Floats32, threads: int | Engine | None = None) -> float:
    """The Kullback-Leibler divergence of positions from probabilities, exactly, from all pairs."""
    x, y = (np.ascontiguousarray(positions[:, k], np.float32) for k in range(2))
    indptr, indices = np.asarray(p.indptr, np.int64), np.asarray(p.indices, np.int32)
    values, scratch = np.asarray(p.data, np.float64), np.empty((2, len(x)), np.float32)

    def work(first: int) -> tuple[float, float]:
        last = min(first + _POINTS_AT_ONCE, len(x))
        near = kernels.log_attraction(indptr, indices, values, x, y, first, last)
        return near, kernels.repel_exactly(x, y, first, last, *scratch)

    pieces = range(0, len(x), _POINTS_AT_ONCE)
    parts = list(engine_for("divergence", threads).map(work, pieces))
    total = math.fsum(part[1] for part in parts)
    if total <= 0:
        return 0.0
    return math.fsum(part[0] for part in parts) + float(values.sum()) * math.log(total)
