"""K-means with the Kullback-Leibler divergence: distributional clustering at a temperature of zero."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.cluster import _distributional_kernels as kernels
from firth.cluster._annealing import Trace
from firth.cluster._distributions import FLOOR, Distributions

__all__ = ["divergence_means"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_MOST_ROUNDS = 300
_SAME = 1e-14
"""Objects with a smaller divergence from their centroid count as equal to it."""


def divergence_means(
    objects: Distributions, centroids: Floats, n_clusters: int, trace: Trace
) -> Floats:
    """Assign every object to the nearest centroid and update the centroids, until no object moves.

    A cluster without members, or one that annealing did not find, gets the object that adds most to the
    total divergence. The total never rises. Clusters that stay empty are removed.

    Returns
    -------
    array of shape (dim, k)
        The centroids; every cluster has members.
    """
    missing = n_clusters - centroids.shape[1]
    centroids = np.column_stack([centroids, np.zeros((objects.dim, missing))])
    labels = np.full(objects.n, -1)
    for _ in range(_MOST_ROUNDS):
        scores = objects.scores(centroids)
        now = scores.argmax(axis=1)
        trace.add(_total(objects, scores, now), np.inf, centroids.shape[1])
        if np.array_equal(now, labels):
            break
        labels = _fill(objects, now, centroids, trace)
        centroids = _means(objects, labels, centroids)
    sizes = np.bincount(now, objects.weights > 0, centroids.shape[1])
    for cluster in np.flatnonzero(sizes == 0)[::-1].tolist():
        centroids = np.delete(centroids, cluster, axis=1)
        if cluster <= len(trace.parents):
            trace.remove(cluster)
    return centroids


def _total(objects: Distributions, scores: Floats, labels: Integers) -> float:
    own = scores[np.arange(objects.n), labels]
    return float(objects.weights @ (objects.entropies - own))


def _means(objects: Distributions, labels: Integers, before: Floats) -> Floats:
    """The mean of the members of each cluster; unchanged if it has none."""
    sums = np.zeros_like(before)
    kernels.add_members(*objects.arrays, objects.weights, labels, sums)
    masses = sums.sum(axis=0)
    return np.where(masses > 0, sums / np.maximum(masses, FLOOR), before)


def _fill(objects: Distributions, labels: Integers, centroids: Floats, trace: Trace) -> Integers:
    """Labels that leave no cluster empty, as long as some object differs from its centroid."""
    k = centroids.shape[1]
    sizes = np.bincount(labels, objects.weights > 0, k)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return labels
    labels = labels.copy()
    for cluster in empty.tolist():
        scores = objects.scores(_means(objects, labels, centroids))
        far = objects.entropies - scores[np.arange(objects.n), labels]
        far = np.where(far > _SAME, far * objects.weights, 0.0)
        n = int(far.argmax())
        if far[n] <= 0 or sizes[labels[n]] < 2:
            break
        if cluster > len(trace.parents):
            trace.split(int(labels[n]), np.inf)
        sizes[labels[n]] -= 1
        labels[n], sizes[cluster] = cluster, 1
    return labels
