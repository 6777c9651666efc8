"""Repulsion of all points of a map: exact for few of them, on a grid for many.

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
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.maps import _kernels as kernels

__all__ = ["EXACT", "STEP", "Cache", "Place", "Repulsion", "Waves", "place_of", "waves_of"]

EXACT = 3000
"""Up to this number of points, repulsion is computed for all pairs."""
STEP = 0.4
"""Distance between grid nodes; the kernel falls to one half at 1. Forces are accurate to about 1 %."""
_LEAST_NODES, _MOST_NODES = 64, 2048
_LEAST_STEP = 1e-6
_MARGIN = 16
"""Nodes around the points: a spline of the kernel rings where its ends meet."""
_ROWS_AT_ONCE, _PIECES = 64, 4
_KEPT = 4
"""Number of transformed kernels to cache, because the map may shrink a little now and then."""

Floats32 = npt.NDArray[np.float32]
Complex = npt.NDArray[np.complex64]
Array = Any


class Place(NamedTuple):
    """Where a grid is: its first node, the distance of nodes, and the lengths of the transforms.

    Transforms are twice as long as the grid, because the convolution must not wrap around.
    """

    left: float
    low: float
    step: float
    lengths: tuple[int, int]


def place_of(corners: Any, step: float = STEP) -> Place:
    """A grid for points between ``corners``: the least and largest x, the least and largest y."""
    left, right, low, high = (float(corner) for corner in corners)
    extents = right - left, high - low
    step = _fitting_step(max(extents), step)
    rows, columns = (_length(2 * (math.ceil(extent / step) + _MARGIN)) for extent in extents)
    return Place(left - 2 * step, low - 2 * step, step, (rows, columns))


class Waves(NamedTuple):
    """Transforms of the kernels of a grid: 1 / (1 + d^2), and the force in each direction."""

    closeness: Array
    forces: tuple[Array, Array]


def waves_of(place: Place, put: Callable[[Any], Array], rfft2: Callable[[Array], Array]) -> Waves:
    """Transforms of the kernels, divided by those of the splines on both sides.

    ``put`` makes an array of numbers in double precision what ``rfft2`` transforms.
    """
    from scipy import fft

    step, lengths = place.step, place.lengths
    offsets = [step * length * fft.fftfreq(length) for length in lengths]
    values = 1 / (1 + put(offsets[0])[:, None] ** 2 + put(offsets[1]) ** 2)
    for ways, length in zip(offsets, lengths, strict=True):
        ways[length // 2] = 0  # forces of both ends cancel
    one, other = _spline(lengths[0]), _spline(lengths[1])[: lengths[1] // 2 + 1]
    splines = put(one)[:, None] ** 2 * put(other) ** 2
    closeness = rfft2(values).real / splines  # by Parseval; a real transform has half the terms
    closeness[:, 1:-1] *= 2
    pushes = (way * values**2 for way in (put(offsets[0])[:, None], put(offsets[1])))
    east, north = (rfft2(push) / splines for push in pushes)
    return Waves(closeness / math.prod(lengths), (east, north))


class Cache:
    """The latest transforms of kernels, which are made by a function if they are not there."""

    def __init__(self, make: Callable[[Place], Waves]) -> None:
        self._make = make
        self._known: dict[tuple[float, tuple[int, int]], Waves] = {}

    def __call__(self, place: Place) -> Waves:
        key = place.step, place.lengths
        if key not in self._known:
            self._known[key] = self._make(place)
            if len(self._known) > _KEPT:
                del self._known[next(iter(self._known))]
        return self._known[key]


def _in_single_precision(place: Place) -> Waves:
    from scipy import fft

    # a copy, since numbers of the caller are changed
    closeness, (east, north) = waves_of(place, np.array, fft.rfft2)
    return Waves(closeness.astype(np.float32), (_complex(east), _complex(north)))


def _complex(waves: Array) -> Complex:
    return np.asarray(waves, np.complex64)


class _Grid(NamedTuple):
    """Position of a grid, forces at its nodes, and the normaliser."""

    left: float
    low: float
    per_unit: float
    forces: Floats32
    total: float


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
        step: float = STEP,
        exact: int = EXACT,
    ) -> None:
        self._each, self._step, self._exact = each, step, exact
        self._waves = Cache(_in_single_precision)

    def prepare(self, x: Floats32, y: Floats32, corners: npt.NDArray[np.float64]) -> _Grid | None:
        """The grid for points between ``corners``; None if there are few points."""
        if len(x) <= self._exact:
            return None
        place = place_of(corners, self._step)
        left, low, step, lengths = place
        pieces = np.zeros((_PIECES, lengths[0] // 2, lengths[1] // 2), np.float32)
        edges = [len(x) * i // _PIECES for i in range(_PIECES + 1)]

        def spread(i: int) -> None:
            kernels.spread(x, y, edges[i], edges[i + 1], left, low, 1 / step, pieces[i])

        self._each(spread, range(_PIECES))
        forces, total = self._convolve(pieces.sum(axis=0), self._waves(place), lengths)
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
        self, charges: Floats32, kernel: Waves, lengths: tuple[int, int]
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
