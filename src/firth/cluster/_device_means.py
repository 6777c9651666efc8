"""K-means on a GPU: the steps of scikit-learn's ``KMeans``, with products and sums in double precision.

The start is drawn with the same random numbers. An object that is equally far from two centres goes to the first one.
Sums over the objects of a cluster are in a fixed order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Device

__all__ = ["DeviceMeans", "Means"]

_ROOM = 1 << 30
"""Bytes of the distances that are computed at once; a sixteenth of the free memory if that is less."""

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
    device : Device
    """

    def __init__(self, rows: npt.NDArray[Any], device: Device) -> None:
        self.device, self._hint = device, "Use fewer objects, or leave out --device."
        with device.within_memory(f"K-means of {len(rows):,} objects", 16 * rows.size, self._hint):
            self._rows = device.put(rows).double()
            # products are accurate only near the origin
            self._mean = self._rows.mean(0)
            self._rows -= self._mean
            self._squares = (self._rows * self._rows).sum(1)

    def fit(
        self, start: str | Floats, n_clusters: int, n_init: int, max_iter: int, tol: float,
        random: np.random.RandomState,
    ) -> Means:  # fmt: skip
        """The best of several runs."""
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
        moved = self.device.put(np.asarray(centres, np.float64)) - self._mean
        found: npt.NDArray[np.int64] = self.device.get(self._nearest(moved)[0])
        return found

    def _nearest(self, centres: Tensor) -> tuple[Tensor, Tensor]:
        """The nearest centre of each object, and the squared distance."""
        squares, torch = (centres * centres).sum(1), self.device.torch

        def work(a: int, b: int) -> tuple[Tensor, Tensor]:
            near = torch.addmm(squares, self._rows[a:b], centres.T, alpha=-2).min(1)
            return near.indices, near.values

        room = min(_ROOM, self.device.memory()[0] // 16)
        size = max(1, room // (8 * len(centres)))
        found = [x for _, _, x in self.device.blocks(
            len(self._rows), size, work, f"K-means with {len(centres):,} clusters", self._hint
        )]  # fmt: skip
        near, values = (torch.cat(parts) for parts in zip(*found, strict=True))
        return near, (values + self._squares).clamp(min=0)

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
            candidates = torch.searchsorted(near.cumsum(0), drawn).clamp(max=n - 1)
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
                labels, distances = self._nearest(centres)
                new = self._means(labels, distances, centres)
                moved, centres = float(((new - centres) ** 2).sum()), new
                stage.advance(1)
                if (before is not None and bool((labels == before).all())) or moved <= least:
                    break
        _, distances = self._nearest(centres)
        return Means(self.device.get(centres + self._mean), float(distances.sum()), done)

    def _means(self, labels: Tensor, distances: Tensor, centres: Tensor) -> Tensor:
        """The means of the clusters; an empty one gets the object that is farthest from its centre."""
        torch, k = self.device.torch, len(centres)
        counts = torch.bincount(labels, minlength=k)
        used = counts > 0
        sums = torch.zeros_like(centres)
        sums[used] = self.device.segment_sums(self._rows[labels.argsort(stable=True)], counts[used])
        empty = (~used).nonzero()[:, 0]
        if len(empty):
            far = distances.argsort(stable=True, descending=True)[: len(empty)]
            sums[empty] = self._rows[far]
            sums.index_put_((labels[far],), -self._rows[far], accumulate=True)
            counts.index_put_((labels[far],), torch.full_like(far, -1), accumulate=True)
            counts[empty] = 1
        return torch.where((counts > 0)[:, None], sums / counts.clamp(min=1)[:, None], centres)
