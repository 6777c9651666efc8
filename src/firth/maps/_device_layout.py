"""The layout of a map on a GPU: the same iterations as on the processor, on whole arrays.

Numbers that land in the same place are added as integers, so sums do not depend on the order in which a GPU adds.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Device
from firth.maps._device_neighbours import HINT
from firth.maps._repulsion import STEP, Cache, Place, Waves, place_of, waves_of

__all__ = ["DevicePoints", "both_ways"]

_TOGETHER = 32
"""Pairs of a point that are added up at a time; others fill up the last ones."""
_PAIRS = 1 << 24
"""Pairs that are computed at a time."""
_FORCE, _CHARGE = 2.0**50, 2.0**32
"""One, as an integer: probabilities have sum 1, and the charges of all points are 1."""

Tensor = Any
Floats32 = npt.NDArray[np.float32]


def both_ways(device: Device, ids: Any, weights: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The sum of a sparse matrix and its transpose, as row ends, columns and values of CSR.

    Row i of the matrix has ``weights[i]`` in the columns ``ids[i]``.
    """
    torch, (n, k) = device.torch, ids.shape
    columns = device.put(ids, torch.int64).flatten()
    rows = torch.arange(n, device=device.where).repeat_interleave(k)
    places, order = torch.cat([rows * n + columns, columns * n + rows]).sort(stable=True)
    values = device.put(weights).flatten().repeat(2)[order]
    kept = torch.ones_like(places, dtype=torch.bool)
    kept[1:] = places[1:] != places[:-1]  # a place occurs once or twice
    values[:-1] += torch.where(kept[1:], 0.0, values[1:])
    kept &= values != 0
    places, values = places[kept], values[kept]
    counts = torch.bincount(places // n, minlength=n) if n else places
    indptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return indptr, (places % max(n, 1)).int(), values


class DevicePoints:
    """The state of all points during optimisation, on a device; see ``_Points``."""

    def __init__(self, device: Device, p: Any, start: Floats32, step: float = STEP) -> None:
        self._device, self._torch, self._step = device, device.torch, step
        self._at = device.put(np.ascontiguousarray(start.T))
        self._speed = self._torch.zeros_like(self._at)
        self._gain = self._torch.ones_like(self._at)
        self._pairs = np.asarray(p.indptr, np.int64), np.asarray(p.indices), np.asarray(p.data)
        n = len(start)
        self._kept = device.unless_full(lambda: self._divided(0, n))
        """All pairs, if there is room for them."""
        self._waves = Cache(
            partial(_transformed, device)
        )  # no method: memory would only be freed much later
        self._measure()

    def _divided(self, first: int, last: int) -> tuple[Tensor, Tensor, Tensor]:
        """The pairs of points ``first`` to ``last - 1`` in rows of ``_TOGETHER``, each of one point.

        Returns the point of each row, the others, and the values.
        """
        torch, where, put = self._torch, self._device.where, self._device.put
        ends, *pairs = self._pairs
        here = slice(int(ends[first]), int(ends[last]))
        indices, values = (put(some[here]) for some in pairs)
        indptr = put(ends[first : last + 1] - ends[first])
        pieces = (indptr.diff() + _TOGETHER - 1) // _TOGETHER
        points = torch.arange(len(pieces), device=where).repeat_interleave(pieces)
        begins = torch.arange(len(points), device=where) - (pieces.cumsum(0) - pieces)[points]
        begins = indptr[points] + _TOGETHER * begins
        places = begins[:, None] + torch.arange(_TOGETHER, device=where)
        inside = places < indptr[points + 1][:, None]
        places.masked_fill_(~inside, 0)
        points += first
        # a point does not attract itself
        others = torch.where(inside, indices[places].long(), points[:, None])
        return points, others, torch.where(inside, values.float()[places], 0.0)

    @property
    def positions(self) -> Floats32:
        return np.ascontiguousarray(self._device.get(self._at).T)

    def _measure(self) -> None:
        """Begin to find the corners."""
        least, most = self._at.aminmax(dim=1)
        self._corners = self._device.later(self._torch.stack([least, most], dim=1).flatten())

    def _attraction(self) -> Tensor:
        """Sums of p (other - point) / (1 + d^2)."""
        torch, n = self._torch, self._at.shape[1]
        total = torch.zeros(self._at.shape, dtype=torch.int64, device=self._at.device)

        def pulls(a: int, b: int) -> tuple[Tensor, list[Tensor]]:
            if self._kept:
                points, others, values = (some[a:b] for some in self._kept[0])
            else:
                points, others, values = self._divided(a, b)
            apart = [at[others] - at[points][:, None] for at in self._at]
            near = values / (1 + apart[0].square() + apart[1].square())
            found = [(near * x).sum(dim=1).double() for x in apart]
            return points, [(pull * _FORCE).long() for pull in found]

        rows, step = n, _PAIRS * n // max(1, len(self._pairs[1]))
        if self._kept:
            rows, step = len(self._kept[0][0]), _PAIRS // _TOGETHER
        what = f"a map of {n:,} words"
        for *_, (points, found) in self._device.blocks(rows, max(1, step), pulls, what, HINT):
            for k in range(2):
                total[k].index_add_(0, points, found[k])
        return (total.double() / _FORCE).float()

    def _nodes(self, place: Place, columns: int) -> tuple[Tensor, Tensor]:
        """The 16 nodes around each point, and their weights."""
        torch = self._torch
        firsts, weights = [], []
        for at, origin in zip(self._at, (place.left, place.low), strict=True):
            scaled = (at.double() - origin) / place.step
            firsts.append(scaled.long())
            weights.append(torch.stack(_splines(scaled - firsts[-1]), dim=1).float())
        steps = torch.arange(4, device=self._at.device)
        offsets = (steps[:, None] * columns + steps).flatten()
        nodes = (firsts[0] * columns + firsts[1])[:, None] + offsets
        return nodes, (weights[0][:, :, None] * weights[1][:, None, :]).flatten(1)

    def _repulsion(self, corners: Any) -> tuple[Tensor, Tensor]:
        """Sums of (point - other) / (1 + d^2)^2, from a grid; and the sum of 1 / (1 + d^2) over all pairs."""
        torch, n = self._torch, self._at.shape[1]
        place = place_of(corners, self._step)
        rows, columns = (length // 2 for length in place.lengths)
        nodes, weights = self._nodes(place, columns)
        charges = torch.zeros(rows * columns, dtype=torch.int64, device=self._at.device)
        charges.index_add_(0, nodes.flatten(), (weights.double() * _CHARGE).long().flatten())
        grid = (charges.double() / _CHARGE).float().view(rows, columns)
        some, kernel = torch.fft.rfft2(grid, s=place.lengths), self._waves(place)
        power = (some.real.square() + some.imag.square()) * kernel.closeness
        forces = []
        for way in kernel.forces:
            pushed = torch.fft.irfft2(some * way, s=place.lengths)[:rows, :columns]
            forces.append((pushed.reshape(-1)[nodes] * weights).sum(dim=1))
        return torch.stack(forces), power.sum(dtype=torch.float64) - n

    def forces(self) -> tuple[Tensor, Tensor, Tensor]:
        """Attraction and repulsion of every point, and the normaliser."""
        n = self._at.shape[1]
        pull = self._attraction()  # the GPU computes it while this process waits for the corners
        left, right, low, high = (float(corner) for corner in self._corners())
        push, total = self._repulsion((left, right, low, high))
        least = n * (n - 1) / (1 + (right - left) ** 2 + (high - low) ** 2)
        return pull, push, total.clamp(min=max(least, 1e-12))

    def move(self, exaggeration: float, momentum: float, rate: float, longest: float) -> None:
        """One iteration; see the kernel ``move``."""
        torch = self._torch
        pull, push, total = self.forces()
        slope = -exaggeration * pull - push / total
        grows = (slope > 0) != (self._speed > 0)
        less = (self._gain * 0.8).clamp(min=0.01)
        self._gain = torch.where(grows, self._gain + 0.2, less)
        step = momentum * self._speed - rate * self._gain * slope
        self._speed = step.clamp(-longest, longest)
        self._at += self._speed
        self._at -= self._at.mean(dim=1, keepdim=True, dtype=torch.float64).float()
        self._measure()

    def gradient(self) -> npt.NDArray[np.float64]:
        """The gradient of the divergence."""
        pull, push, total = self.forces()
        found = -4 * (pull.double() + push.double() / total)
        return np.asarray(self._device.get(found).T, np.float64)


def _transformed(device: Device, place: Place) -> Waves:
    """The transforms of kernels, on a device."""
    closeness, forces = waves_of(place, device.put, device.torch.fft.rfft2)
    east, north = (way.to(device.torch.complex64) for way in forces)
    return Waves(closeness.float(), (east, north))


def _splines(t: Tensor) -> tuple[Tensor, ...]:
    """Cubic B-spline weights of the four nodes around a position, t after the second one."""
    r = 1 - t
    return (
        r**3 / 6, (4 + t * t * (3 * t - 6)) / 6, (4 + r * r * (3 * r - 6)) / 6, t**3 / 6,
    )  # fmt: skip
