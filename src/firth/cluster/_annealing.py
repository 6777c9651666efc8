"""Deterministic annealing: soft clusters of distributions that split as the temperature falls.

The memberships of an object n are proportional to exp(-beta D(p_n || q_c)); the centroid q_c is the mean
of all distributions, weighted by memberships. Both are computed in turn until they converge. Then every
centroid is duplicated, and the two copies either merge again or move apart. Then beta grows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.cluster import _distributional_kernels as kernels
from firth.cluster._distributions import COLDEST, FLOOR, Distributions, arrays_of, logs_of

__all__ = ["Annealing", "Trace"]

Floats = npt.NDArray[np.float64]

MOVED_APART = 0.1
"""Two copies are two clusters when beta times the information between copy and feature is at least this."""
FELL_TOGETHER = 0.025
"""Two clusters are merged when beta times their distance is below this."""
ALL_HARD = 1e-6
"""Memberships count as hard when, on average, less than this lies outside the strongest cluster."""
_FEW = 1e-3
"""Objects with a smaller membership in a cluster are divided equally when a split is tried."""
_TRIAL_STEPS, _AXIS_STEPS = 30, 8
_LOOK_EVERY = 5


@dataclass
class Trace:
    """The free energy after every iteration, and the cluster that every new one was split from."""

    free_energies: list[float] = field(default_factory=list)
    betas: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    split_betas: list[float] = field(default_factory=list)

    def add(self, free_energy: float, beta: float, size: int) -> None:
        self.free_energies.append(free_energy)
        self.betas.append(beta)
        self.sizes.append(size)

    def split(self, parent: int, beta: float) -> None:
        self.parents.append(parent)
        self.split_betas.append(beta)

    def remove(self, cluster: int) -> None:
        """Remove a cluster; clusters split from it become children of its parent."""
        parent = self.parents.pop(cluster - 1)
        self.split_betas.pop(cluster - 1)
        self.parents = [parent if p == cluster else p - (p > cluster) for p in self.parents]

    def copy(self) -> Trace:
        return Trace(
            list(self.free_energies), list(self.betas), list(self.sizes), list(self.parents), list(self.split_betas)
        )  # fmt: skip


@dataclass
class _Trial:
    """Two copies of a centroid after iterations of their own, the heavier first, and the gain."""

    gain: float
    pair: Floats


class Annealing:
    """Clusters of distributions as the temperature falls.

    Parameters
    ----------
    objects : Distributions
    growth : float
        Factor by which beta grows.
    tolerance : float
        Iterations at one temperature stop when they change the free energy, times beta, by less.
    most_steps : int
        Maximum number of iterations at one temperature.
    start : array of shape (dim,)
        Where power iterations for main axes start.
    """

    def __init__(
        self, objects: Distributions, growth: float, tolerance: float, most_steps: int, start: Floats
    ) -> None:  # fmt: skip
        self.objects, self.growth, self.start = objects, growth, start
        self.tolerance, self.most_steps = tolerance, most_steps
        self.centroids = objects.mean()[:, None]
        self.beta = self.critical = np.inf
        self.shares, self.logs = np.ones((objects.n, 1)), np.zeros(objects.n)
        self.trace = Trace()

    @property
    def k(self) -> int:
        return int(self.centroids.shape[1])

    def run(self, n_clusters: int, max_beta: float) -> None:
        """Cool until there are ``n_clusters`` clusters and one more would appear."""
        self.beta = self.critical = self.objects.critical_beta(self.start)
        if n_clusters == 1 or not np.isfinite(self.beta) or self.beta >= max_beta:
            self.beta = min(self.beta, max_beta)
            return
        with progress.stage("annealing", float(n_clusters), "clusters", brief=1) as stage:
            while not self._cool(n_clusters, max_beta):
                stage.advance(self.k - stage.done)

    def _cool(self, n_clusters: int, max_beta: float) -> bool:
        """Go to the next temperature; returns whether it was the last."""
        last = self.beta * self.growth >= min(max_beta, COLDEST)
        self.beta = min(self.beta * self.growth, max_beta)
        self.settle()
        while self.k < n_clusters and self.split(n_clusters):
            pass
        if last or (self.k == n_clusters and self._is_hard()):
            return True
        if self.k < n_clusters:
            return False
        before = self.centroids, self.shares, self.logs, self.trace.copy()
        one_more = self.split(n_clusters + 1)
        self.centroids, self.shares, self.logs, self.trace = before
        return one_more

    def _is_hard(self) -> bool:
        return bool(1 - self.objects.weights @ self.shares.max(axis=1) < ALL_HARD)

    def step(self) -> float:
        """Compute memberships, then centroids; returns the free energy of the memberships."""
        progress.check_interrupted()
        objects = self.objects
        self.shares, self.logs, sums = objects.step(self.centroids, self.beta)
        energy = float(objects.weights @ (objects.entropies - self.logs / self.beta))
        self.trace.add(energy, self.beta, self.k)
        masses = sums.sum(axis=0)
        # a cluster without members keeps its centroid
        self.centroids = np.where(masses > 0, sums / np.maximum(masses, FLOOR), self.centroids)
        return energy

    def settle(self) -> None:
        """Iterate at one temperature until convergence, and merge clusters that have become equal."""
        before = self.step()
        for i in range(1, self.most_steps + 1):
            now = self.step()
            done = self.beta * (before - now) < self.tolerance
            before = now
            if (done or i % _LOOK_EVERY == 0) and self._merge():
                before = self.step()
            elif done:
                break

    def _merge(self) -> bool:
        """Remove the newer of any two clusters that have become equal; returns whether there were any."""
        roots = np.sqrt(self.centroids)
        near = np.triu(self.beta * (1 - roots.T @ roots) < FELL_TOGETHER, 1)
        gone = np.flatnonzero(near.any(axis=0))
        for cluster in gone[::-1].tolist():
            self.trace.remove(cluster)
        self.centroids = np.delete(self.centroids, gone, axis=1)
        return bool(len(gone))

    def split(self, limit: int) -> bool:
        """Split clusters, the largest gain first, until there are at most twice as many.

        Returns whether there are more of them in the end.
        """
        k = self.k
        limit = min(limit, 2 * k)
        trials = list(self.objects.engine.map(self._trial, range(k)))
        while self.k < limit:
            best = max(range(self.k), key=lambda c: trials[c].gain)
            if trials[best].gain <= 0:
                break
            pair = trials[best].pair
            self.centroids = np.column_stack([self.centroids, pair[:, 1]])
            self.centroids[:, best] = pair[:, 0]
            self.trace.split(best, self.beta)
            if self.k < limit:
                self.step()
                trials[best] = self._trial(best)
                trials.append(self._trial(self.k - 1))
        if self.k > k:
            self.settle()
        return self.k > k

    def _trial(self, cluster: int) -> _Trial:
        """Iterate two copies of a centroid, while all other centroids stay fixed."""
        share = self.shares[:, cluster]
        rows = np.flatnonzero(share > _FEW)
        part, weights, share = self.objects.matrix[rows], self.objects.weights[rows], share[rows]
        turned = part.T
        members = weights * share
        side = _side(part, members / max(members.sum(), FLOOR), self.start)
        if not len(rows) or side.all() or not side.any():
            return _Trial(0.0, self.centroids[:, :0])
        with np.errstate(divide="ignore"):  # log(0) where no other cluster has a share
            others = self.logs[rows] + np.log1p(-np.minimum(share, 1.0))
        mass = float(self.objects.weights @ self.shares[:, cluster])
        rest = np.maximum(mass * self.centroids[:, cluster] - turned @ members, 0)[:, None] / 2
        sums = np.column_stack(
            [turned @ (members * s) for s in (0.1 + 0.8 * side, 0.9 - 0.8 * side)]
        )
        shares, logs, arrays = np.empty((len(rows), 2)), np.empty(len(rows)), arrays_of(part)
        before = -np.inf
        for _ in range(_TRIAL_STEPS):
            pair = (sums + rest) / (sums + rest).sum(axis=0)
            sums = np.zeros_like(sums)
            kernels.step_pair(
                *arrays, logs_of(pair), weights, others, self.beta, shares, logs, sums
            )
            now = float(weights @ logs)
            if now - before < self.tolerance * mass:
                break
            before = now
        sizes = (sums + rest).sum(axis=0)
        sizes = sizes / sizes.sum()
        middle = pair @ sizes
        apart = float(sizes @ (pair * (logs_of(pair) - logs_of(middle)[:, None])).sum(axis=0))
        return _Trial(
            mass * apart if self.beta * apart >= MOVED_APART else 0.0, pair[:, np.argsort(-sizes, kind="stable")]
        )  # fmt: skip


def _side(part: Any, weights: Floats, start: Floats) -> npt.NDArray[np.bool_]:
    """The side of each member along the main axis of the square roots of the distributions."""
    roots = part.copy()
    roots.data = np.sqrt(part.data)
    turned = roots.T
    middle, axis = turned @ weights, start
    for _ in range(_AXIS_STEPS):
        along = roots @ axis
        along -= weights @ along
        axis = turned @ (weights * along) - middle * (weights @ along)
        size = np.abs(axis).max(initial=0.0)
        if size <= FLOOR:  # all members are identical
            return np.zeros(part.shape[0], np.bool_)
        axis /= size
    along = roots @ axis
    return np.asarray(along > weights @ along)
