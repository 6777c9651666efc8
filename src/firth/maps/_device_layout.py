"""The layout of a map on a GPU: the same iterations as on the processor, on whole arrays.

Numbers that land in the same place are added as integers, so sums do not depend on the order in which a GPU adds.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Device
from firth.maps._repulsion import STEP, Cache, Place, Waves, place_of, waves_of

__all__ = ["DevicePoints", "both_ways", "room_for_map"]

_TOGETHER = 32
"""Pairs of a point that are added up at a time; others fill up the last ones."""
_PAIRS = 1 << 24
"""Pairs that are computed at a time."""
_FORCE, _CHARGE = 2.0**50, 2.0**32
"""One, as an integer: probabilities have sum 1, and the charges of all points are 1."""

Tensor = Any
Floats32 = npt.NDArray[np.float32]


def room_for_map(
    device: Device, n_words: int, n_pairs: int, each: int
) -> AbstractContextManager[None]:
    """A ``with`` block in which a map of some words takes ``each`` bytes for each pair."""
    most = device.fitting(each * n_pairs / max(n_words, 1))
    hint = f"About {most} words would fit: --words N keeps the most frequent ones."
    return device.within_memory(f"a map of {n_words:,} words", hint, each * n_pairs)


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
        self._divide(*(device.put(np.asarray(a)) for a in (p.indptr, p.indices, p.data)))
        self._waves = Cache(
            partial(_transformed, device)
        )  # no method: memory would only be freed much later
        self._measure()

    def _divide(self, indptr: Tensor, indices: Tensor, values: Tensor) -> None:
        """Pairs in rows of ``_TOGETHER``, each of one point."""
        torch, where = self._torch, self._device.where
        indptr = indptr.long()
        pieces = (indptr.diff() + _TOGETHER - 1) // _TOGETHER
        self._points = torch.arange(len(pieces), device=where).repeat_interleave(pieces)
        first = (pieces.cumsum(0) - pieces)[self._points]
        begins = torch.arange(len(self._points), device=where) - first
        begins = indptr[self._points] + _TOGETHER * begins
        places = begins[:, None] + torch.arange(_TOGETHER, device=where)
        inside = places < indptr[self._points + 1][:, None]
        places.masked_fill_(~inside, 0)
        # a point does not attract itself
        self._others = torch.where(inside, indices[places].long(), self._points[:, None])
        self._values = torch.where(inside, values.float()[places], 0.0)

    @property
    def positions(self) -> Floats32:
        return np.ascontiguousarray(self._device.get(self._at).T)

    def _measure(self) -> None:
        """Begin to find the corners."""
        least, most = self._at.aminmax(dim=1)
        self._corners = self._device.later(self._torch.stack([least, most], dim=1).flatten())

    def _attraction(self) -> Tensor:
        """Sums of p (other - point) / (1 + d^2)."""
        torch = self._torch
        total = torch.zeros(self._at.shape, dtype=torch.int64, device=self._at.device)
        step = max(1, _PAIRS // _TOGETHER)
        for a in range(0, len(self._points), step):
            here = slice(a, a + step)
            points, others = self._points[here], self._others[here]
            apart = [at[others] - at[points][:, None] for at in self._at]
            near = self._values[here] / (1 + apart[0].square() + apart[1].square())
            for k in range(2):
                pull = (near * apart[k]).sum(dim=1).double()
                total[k].index_add_(0, points, (pull * _FORCE).long())
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
