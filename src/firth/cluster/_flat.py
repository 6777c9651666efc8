"""Flat clusters: K-means in Euclidean and in L1 space, and k-medoids."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.base import ClusterMixin
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_random_state, validate_data

from firth.cluster._clusterer import Clusterer
from firth.cluster._device_means import DeviceMeans
from firth.cluster._distances import check_size
from firth.cluster._linkage import linkage
from firth.cluster._medians import find_medians, nearest_centres, spread_out
from firth.cluster._medoids import find_medoids
from firth.cluster._methods import FlatParameters
from firth.cluster._trees import cut_tree
from firth.compute import Engine, engine_for
from firth.errors import InputError
from firth.progress import size

__all__ = ["FlatClusters", "buckshot"]


class FlatClusters(FlatParameters, ClusterMixin, Clusterer):  # type: ignore[misc]
    """K-means (Manning and Schütze 1999, 14.2.1) in Euclidean or L1 space, or k-medoids.

    In Euclidean space, K-means is scikit-learn's. In L1 space, centres are medians. Medoids are found by
    FasterPAM (Schubert and Rousseeuw 2021). What this class adds to K-means: the Buckshot start, one
    interface for means, medians and medoids, and fixed rules for ties: an object that is equally far
    from two centres goes to the one with the lower number, and clusters are numbered in the order of
    their first objects.

    Attributes
    ----------
    labels_ : array of int64
    cluster_centers_ : array of shape (n_clusters, dim)
    medoids_ : array of int64
        For medoids: the objects that are the centres.
    inertia_ : float
        The sum of squared distances to the centres; for ``l1`` of distances.
    n_iter_ : int

    Examples
    --------
    >>> from firth.cluster import FlatClusters
    >>> FlatClusters(2, random_state=0).fit_predict([[0.0], [1.0], [5.0], [6.0]])
    array([0, 0, 1, 1])
    """

    def fit(self, X: Any, y: Any = None) -> FlatClusters:  # noqa: ARG002, N803
        """Find the centres.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, dim)
        y : None
            Not used.
        """
        self.check()
        self._engine = engine_for("FlatClusters", None, self.device)
        rows = validate_data(
            self,
            X,
            accept_sparse="csr",
            accept_large_sparse=self.metric != "l1",
            dtype=[np.float64, np.float32],
        )
        self._check_n_clusters(rows.shape[0])
        check_size(rows)
        if self._engine.device is not None and scipy.sparse.issparse(rows):
            raise InputError(
                "A GPU clusters dense arrays only, and this one is sparse.",
                "Leave out the device, or convert: X.toarray()",
            )
        random = check_random_state(self.random_state)
        if self.metric == "euclidean":
            self._fit_means(rows, random)
        elif self._has_medoids:
            self._fit_medoids(rows, random)
        else:
            self._fit_medians(rows, random)
        self._number(rows)
        return self

    _engine: Engine | None = None
    _on_device: DeviceMeans | None = None

    @property
    def _has_medoids(self) -> bool:
        return self.metric == "l1" and self.centres != "centroids"

    def _fit_means(self, rows: Any, random: np.random.RandomState) -> None:
        start = self.init
        if isinstance(start, str) and start == "buckshot":
            start = buckshot(rows, self.n_clusters, random)
        if self._engine is not None and self._engine.device is not None:
            self._on_device = DeviceMeans(rows, self._engine)
            centres, self.inertia_, self.n_iter_ = self._on_device.fit(
                start, self.n_clusters, self.n_init, self.max_iter, self.tol, random
            )
            self.cluster_centers_ = centres.astype(rows.dtype)
            return
        found = KMeans(
            self.n_clusters, init=start, n_init=self.n_init if isinstance(start, str) else 1, max_iter=self.max_iter,
            tol=self.tol, random_state=random,
        ).fit(rows)  # fmt: skip
        self.cluster_centers_, self.n_iter_ = found.cluster_centers_, found.n_iter_
        self.inertia_ = float(found.inertia_)

    def _fit_medoids(self, rows: Any, random: np.random.RandomState) -> None:
        n = rows.shape[0]
        try:
            distances = np.ascontiguousarray(
                pairwise_distances(rows, metric="manhattan"), np.float64
            )
        except MemoryError:
            raise InputError(
                f"The distances of {n:,} objects need {size(8 * n * n)} of memory.",
                "Use fewer objects, or the metric euclidean.",
            ) from None
        starts = range(self.n_init if isinstance(self.init, str) else 1)
        best = min(
            (
                find_medoids(distances, self._first_medoids(rows, distances, random), self.max_iter)
                for _ in starts
            ),
            key=lambda found: found.loss,
        )
        self.medoids_ = best.medoids
        centres = rows[self.medoids_]
        self.cluster_centers_ = centres.toarray() if hasattr(centres, "toarray") else centres
        self.inertia_, self.n_iter_ = best.loss, best.n_iter

    def _fit_medians(self, rows: Any, random: np.random.RandomState) -> None:
        starts = range(self.n_init if isinstance(self.init, str) else 1)
        best = min(
            (find_medians(rows, self._first_centres(rows, random), self.max_iter) for _ in starts),
            key=lambda found: found.loss,
        )
        self.cluster_centers_, self.inertia_, self.n_iter_ = best

    def _first_medoids(self, rows: Any, distances: Any, random: np.random.RandomState) -> Any:
        """The initial medoids."""
        k = self.n_clusters
        if isinstance(self.init, str) and self.init == "random":
            return random.permutation(len(distances))[:k]
        if isinstance(self.init, str) and self.init == "k-means++":
            return spread_out(distances.__getitem__, len(distances), k, random)
        near = pairwise_distances(self._given_centres(rows, random), rows, metric="manhattan")
        chosen: list[int] = []
        for row in near:  # the nearest object that is not taken yet
            row[chosen] = np.inf
            chosen.append(int(row.argmin()))
        return np.array(chosen)

    def _first_centres(self, rows: Any, random: np.random.RandomState) -> Any:
        """The initial medians."""
        k, n = self.n_clusters, rows.shape[0]
        if isinstance(self.init, str) and self.init != "buckshot":

            def distances_of(i: int) -> Any:
                return pairwise_distances(rows[i : i + 1], rows, metric="manhattan")[0]

            plain = self.init == "random"
            some = rows[
                random.permutation(n)[:k] if plain else spread_out(distances_of, n, k, random)
            ]
            return some.toarray() if hasattr(some, "toarray") else some
        return self._given_centres(rows, random)

    def _given_centres(self, rows: Any, random: np.random.RandomState) -> Any:
        k, is_name = self.n_clusters, isinstance(self.init, str)
        centres = buckshot(rows, k, random) if is_name else np.asarray(self.init, np.float64)
        if centres.shape != (k, rows.shape[1]):
            raise InputError(
                f"The initial centres have the shape {centres.shape}; {k:,} clusters of "
                f"{rows.shape[1]:,} columns need {(k, rows.shape[1])}.",
                "Give a row of numbers for every cluster.",
            )
        return centres

    def _number(self, rows: Any) -> None:
        """Set the labels, and put centres in the order of their first objects."""
        nearest = self._nearest_of_fit(rows)
        labels = nearest(self.cluster_centers_)
        used, first = np.unique(labels, return_index=True)
        order = [*used[np.argsort(first)], *np.setdiff1d(np.arange(self.n_clusters), used)]
        self.cluster_centers_ = self.cluster_centers_[order]
        if self._has_medoids:
            self.medoids_ = self.medoids_[order]
        self.labels_ = nearest(self.cluster_centers_)

    def _nearest_of_fit(self, rows: Any) -> Callable[[Any], npt.NDArray[np.int64]]:
        """What finds the nearest centres of the objects that were given to ``fit``."""
        on_device, self._on_device = self._on_device, None
        return on_device.nearest if on_device else lambda _: self._nearest(rows)

    def predict(self, X: Any) -> npt.NDArray[np.int64]:  # noqa: N803
        """The cluster with the nearest centre; of equally near ones, that with the lowest number.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, dim)
        """
        self._check_fitted()
        rows = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False
        )
        return self._nearest(rows)

    def _nearest(self, rows: Any) -> npt.NDArray[np.int64]:
        metric = "euclidean" if self.metric == "euclidean" else "manhattan"
        return nearest_centres(rows, self.cluster_centers_.astype(rows.dtype, copy=False), metric)

    def distance_bytes(self, n: int) -> int:
        """The memory that tables of distances between n objects take."""
        return 8 * n * n if self._has_medoids else 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def buckshot(rows: Any, n_clusters: int, random: np.random.RandomState) -> npt.NDArray[np.float64]:
    """Initial centres: the means of the group-average clusters of a sample (Cutting et al. 1992).

    The sample has the square root of ``n_clusters`` times n objects, so that clustering it takes time
    linear in n. Objects that are all zeros have no direction and are left out.
    """
    n = rows.shape[0]
    wanted = min(n, max(n_clusters, 2, math.ceil(math.sqrt(n_clusters * n))))
    sample = rows[np.sort(random.permutation(n)[:wanted])]
    some = np.asarray(sample.toarray() if hasattr(sample, "toarray") else sample, np.float64)
    some = some[some.any(axis=1)]
    if len(some) < max(n_clusters, 2):
        raise InputError(
            f"Buckshot has sampled only {len(some):,} objects that are not all zeros.",
            "Use another start, such as k-means++.",
        )
    labels = cut_tree(linkage(some, "group-average", "cosine"), n_clusters)
    return np.array([some[labels == k].mean(axis=0) for k in range(n_clusters)])
