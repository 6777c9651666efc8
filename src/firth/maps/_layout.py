"""Layout by t-SNE (van der Maaten and Hinton 2008); ``_repulsion`` says how the repulsion is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Engine, Run, engine_for, limit_blas
from firth.errors import ParameterError, check_count, wrong_parameter
from firth.maps import _kernels as kernels
from firth.maps._device_layout import DevicePoints
from firth.maps._device_neighbours import HINT
from firth.maps._repulsion import EXACT, Repulsion

__all__ = ["EARLY", "Repulsion", "divergence", "gradient", "layout", "principal_positions"]

EARLY = 12.0
"""Factor of the attraction in early iterations."""
_START = 1e-4
"""Standard deviation of the first coordinate at the start."""
_MOMENTA = (0.5, 0.8)
_LEAST_RATE = 200.0
_LONGEST_STEP = 5.0
_POINTS_AT_ONCE = 1 << 11
_BLOCK = 1 << 13
Floats32 = npt.NDArray[np.float32]


def principal_positions(unit: Floats32, engine: Engine = ONE_THREAD) -> Floats32:
    """The first two principal components of some vectors, scaled down as initial positions.

    Both are scaled by the same factor, so that the standard deviation of the first is 0.0001. The
    largest entry of an axis (the first one of ties) is positive.
    """
    n, dim = unit.shape
    put: Callable[[Any], Any] = np.asarray
    get: Callable[[Any], Any] = np.asarray
    room: AbstractContextManager[None] = nullcontext()
    there: Any = None
    if device := engine.device:
        put, get = device.put, device.get
        room = device.within_memory(f"{_BLOCK:,} vectors", HINT)
        kept = device.unless_full(lambda: device.send(np.ascontiguousarray(unit), engine))
        there = kept[0] if kept else None

    def rows(a: int) -> Any:
        if device:
            here = device.put(unit[a : a + _BLOCK]) if there is None else there[a : a + _BLOCK]
            return here.double()
        return np.asarray(unit[a : a + _BLOCK], np.float64)

    with limit_blas(1), room:
        mean, products = put(np.zeros(dim)), put(np.zeros((dim, dim)))
        for a in range(0, n, _BLOCK):
            block = rows(a)
            mean += block.sum(axis=0) / n
            products += block.T @ block / n
        _, axes = np.linalg.eigh(get(products) - np.outer(get(mean), get(mean)))
        axes = axes[:, ::-1][:, :2]
        axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
        positions = np.zeros((n, 2))
        for a in range(0, n, _BLOCK):
            block = rows(a) - mean
            positions[a : a + _BLOCK, : axes.shape[1]] = get(
                block @ put(np.ascontiguousarray(axes))
            )
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
        _points(p, start, engine) as points,
    ):
        for iteration in range(n_early + n_late):
            early = iteration < n_early
            points.move(EARLY if early else exaggeration, _MOMENTA[not early], rate, _LONGEST_STEP)
            stage.advance(1)
        return points.positions


@contextmanager
def _points(p: Any, start: Floats32, engine: Engine) -> Iterator[_Points | DevicePoints]:
    """Points where they are moved: on a device, unless they are few."""
    device = engine.device
    if device and len(start) > EXACT:
        with device.within_memory(f"a map of {len(start):,} words", HINT):
            yield DevicePoints(device, p, start)
    else:
        with engine.team() as run:
            yield _Points(p, start, run)


def _each(run: Run, work: Callable[[int], Any], items: Sequence[int]) -> list[Any]:
    """Apply ``work`` to every item; results in order. A single item does not use threads."""
    return list(run(work, items) if len(items) > 1 else map(work, items))


class _Points:
    """The state of all points during optimisation."""

    def __init__(self, p: Any, start: Floats32, run: Run, exact: int = EXACT) -> None:
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

    @property
    def positions(self) -> Floats32:
        return np.stack([self.x, self.y], axis=1)

    def move(self, exaggeration: float, momentum: float, rate: float, longest: float) -> None:
        """One iteration."""
        kernels.move(
            self.x, self.y, self._pull, self._push, self._speed, self._gain, exaggeration, self.forces(),
            momentum, rate, longest, self._corners,
        )  # fmt: skip

    def gradient(self) -> npt.NDArray[np.float64]:
        """The gradient of the divergence."""
        total = self.forces()
        return np.asarray(-4 * (self._pull.T.astype(np.float64) + self._push.T / total))


def gradient(p: Any, positions: Floats32, exact: int = EXACT) -> npt.NDArray[np.float64]:
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
