"""K-means on a GPU: the steps of scikit-learn's ``KMeans``, with decisions and sums in double precision.

The nearest centre is found with products that are rounded (TF32). Where the second one is not farther by more than
the largest possible error, both are compared in double precision. The start is drawn with the same random numbers. An
object that is equally far from two centres goes to the first one. Sums over the objects of a cluster are in a fixed
order.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Device, Engine

__all__ = ["DeviceMeans", "Means"]

_ROOM = 1 << 29
"""Bytes of the distances that are computed at once; a sixteenth of the free memory if that is less."""

_FACTOR, _SUM, _SMALL = 2.0**-8, 2.0**-21, 2.0**-120
"""Bounds of errors: of a product of two rounded numbers, of a sum, of a product that is too small for float32."""

Tensor = Any
Floats = npt.NDArray[np.float64]


class Means(NamedTuple):
    """Centres, the sum of squared distances to them, and the number of iterations."""

    centres: Floats
    inertia: float
    n_iter: int


class DeviceMeans:
    """Objects on a device.

    Parameters
    ----------
    rows : array of shape (n, dim)
    engine : Engine
        With a device.
    """

    def __init__(self, rows: npt.NDArray[Any], engine: Engine) -> None:
        assert engine.device is not None  # noqa: S101
        self.device: Device = engine.device
        device, each = self.device, 24 * rows.shape[1]
        self._hint = f"About {device.fitting(each)} objects would fit; or leave out --device."
        self._what = f"K-means of {len(rows):,} objects"
        with self._within_memory(each * len(rows)):
            self._rows = device.send(rows, engine).double()
            # products are accurate only near the origin
            self._mean = self._rows.mean(0)
            self._rows -= self._mean
            self._squares = (self._rows * self._rows).sum(1)
            self._rounded = self._rows.float()

    def fit(
        self, start: str | Floats, n_clusters: int, n_init: int, max_iter: int, tol: float,
        random: np.random.RandomState,
    ) -> Means:  # fmt: skip
        """The best of several runs."""
        with self._within_memory():
            return self._fit(start, n_clusters, n_init, max_iter, tol, random)

    def _within_memory(self, needed: float = 0) -> AbstractContextManager[None]:
        return self.device.within_memory(self._what, self._hint, needed)

    def _fit(
        self, start: str | Floats, n_clusters: int, n_init: int, max_iter: int, tol: float,
        random: np.random.RandomState,
    ) -> Means:  # fmt: skip
        least = tol * float(self._rows.var(0, correction=0).mean())
        best: Means | None = None
        for _ in range(n_init if isinstance(start, str) else 1):
            centres = self._first(start, n_clusters, random)
            found = self._run(centres, max_iter, least)
            if best is None or found.inertia < best.inertia:
                best = found
        assert best is not None  # noqa: S101
        return best

    def nearest(self, centres: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The number of the nearest centre of every object; of equally near ones, the lowest."""
        with self._within_memory():
            moved = self.device.put(np.asarray(centres, np.float64)) - self._mean
            found: npt.NDArray[np.int64] = self.device.get(self._nearest(moved))
            return found

    def _nearest(self, centres: Tensor) -> Tensor:
        """The nearest centre of each object."""
        torch, k = self.device.torch, len(centres)
        squares, rounded = (centres * centres).sum(1), centres.float()
        rounded_squares, bounds = squares.float(), self._bounds(squares)

        def work(a: int, b: int) -> Tensor:
            with self.device.products("fast"):
                far = torch.addmm(rounded_squares, self._rounded[a:b], rounded.T, alpha=-2)
            first = far.min(1)
            second = far.scatter_(1, first.indices[:, None], torch.inf).amin(1)
            # also if something is not a number
            close = ~(second.double() - first.values.double() > 2 * bounds[a:b])
            unclear = close.nonzero()[:, 0]
            if k > 1 and len(unclear):
                near = torch.addmm(squares, self._rows[a:b][unclear], centres.T, alpha=-2)
                first.indices[unclear] = near.argmin(1)
            return first.indices

        room = min(_ROOM, self.device.memory()[0] // 32)
        size = max(1, room // (4 * k))
        found = [x for _, _, x in self.device.blocks(
            len(self._rows), size, work, f"K-means with {k:,} clusters", self._hint
        )]  # fmt: skip
        return torch.cat(found)

    def _bounds(self, squares: Tensor) -> Tensor:
        """The largest error of a rounded distance of each object, less the square of the object.

        A product of vectors x and c of n numbers has an error of at most |x||c| times the sum of that of a product of
        two numbers and that of n sums; and each product can be too small for single precision.
        """
        n, largest = self._rows.shape[1] + 2, squares.max()
        both = (self._squares * largest).sqrt()
        return 2 * (_FACTOR + n * _SUM) * both + _SUM * (largest + 2 * both) + 2 * n * _SMALL

    def _apart(self, labels: Tensor, centres: Tensor) -> Tensor:
        """The squared distance of each object to its centre."""

        def work(a: int, b: int) -> Tensor:
            return ((self._rows[a:b] - centres[labels[a:b]]) ** 2).sum(1)

        size = max(1, min(_ROOM, self.device.memory()[0] // 32) // (16 * centres.shape[1]))
        return self.device.torch.cat([x for _, _, x in self.device.blocks(
            len(labels), size, work, "K-means", self._hint
        )])  # fmt: skip

    def _first(self, start: str | Floats, k: int, random: np.random.RandomState) -> Tensor:
        """The initial centres."""
        if not isinstance(start, str):
            return self.device.put(np.asarray(start, np.float64)) - self._mean
        n = len(self._rows)
        if start == "random":
            chosen = random.choice(n, size=k, replace=False, p=np.full(n, 1 / n))
            return self._rows[self.device.put(chosen)]
        return self._spread_out(k, random)

    def _spread_out(self, k: int, random: np.random.RandomState) -> Tensor:
        """k-means++ with several candidates for each centre: the one that leaves the smallest sum is kept."""
        torch, n, rows = self.device.torch, len(self._rows), self._rows
        n_candidates = 2 + int(np.log(k))
        chosen = [int(random.choice(n, p=np.full(n, 1 / n)))]
        near = self._distances(rows[chosen])[0]
        for _ in range(1, k):
            progress.check_interrupted()
            drawn = self.device.put(random.uniform(size=n_candidates)) * near.sum()
            candidates = torch.searchsorted(self.device.running_sums(near), drawn).clamp(max=n - 1)
            nearer = torch.minimum(near, self._distances(rows[candidates]))
            best = nearer.sum(1).argmin()
            chosen.append(int(candidates[best]))
            near = nearer[best]
        return rows[self.device.put(np.array(chosen))]

    def _distances(self, centres: Tensor) -> Tensor:
        """Squared distances: a row for each of some centres."""
        squares = (centres * centres).sum(1)
        found = squares[:, None] + self._squares - 2 * (centres @ self._rows.T)
        return found.clamp(min=0)

    def _run(self, centres: Tensor, max_iter: int, least: float) -> Means:
        """Lloyd's iterations, until no object moves or centres move by less than ``least``."""
        labels, done = None, 0
        with progress.stage("K-means", unit="iterations", brief=1.0) as stage:
            for number in range(1, max_iter + 1):
                done, before = number, labels
                labels = self._nearest(centres)
                new = self._means(labels, centres)
                moved, centres = float(((new - centres) ** 2).sum()), new
                stage.advance(1)
                if (before is not None and bool((labels == before).all())) or moved <= least:
                    break
        inertia = self._apart(self._nearest(centres), centres).sum()
        return Means(self.device.get(centres + self._mean), float(inertia), done)

    def _means(self, labels: Tensor, centres: Tensor) -> Tensor:
        """The means of the clusters; an empty one gets the object that is farthest from its centre."""
        torch, k = self.device.torch, len(centres)
        counts = torch.bincount(labels, minlength=k)
        used = counts > 0
        sums = torch.zeros_like(centres)
        sums[used] = self.device.segment_sums(self._rows[labels.argsort(stable=True)], counts[used])
        empty = (~used).nonzero()[:, 0]
        if len(empty):
            far = self._apart(labels, centres).argsort(stable=True, descending=True)[: len(empty)]
            sums[empty] = self._rows[far]
            sums.index_put_((labels[far],), -self._rows[far], accumulate=True)
            counts.index_put_((labels[far],), torch.full_like(far, -1), accumulate=True)
            counts[empty] = 1
        return torch.where((counts > 0)[:, None], sums / counts.clamp(min=1)[:, None], centres)
