"""Top-down (divisive) clustering: all objects in one cluster, then always split the least coherent one."""

from __future__ import annotations

import heapq
import warnings
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_random_state, validate_data

from firth import progress
from firth.cluster._clusterer import Clusterer
from firth.cluster._distances import check_size, condensed_distances, unit_rows
from firth.cluster._flat import FlatClusters
from firth.cluster._linkage import linkage
from firth.cluster._methods import TopDownParameters
from firth.cluster._trees import cut_tree, inversions
from firth.compute import limit_blas

__all__ = ["TopDownClusters"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class TopDownClusters(TopDownParameters, ClusterMixin, Clusterer):  # type: ignore[misc]
    """Divisive clustering (Manning and Schütze 1999, figure 14.3 and 14.1.4).

    It adds three things to scikit-learn's ``BisectingKMeans``: the chapter's three measures of
    coherence, any method to split a cluster in two, and the complete tree in SciPy's form.

    Attributes
    ----------
    labels_ : array of int64
        The cluster of every object; clusters are numbered in the order of their first objects.
    linkage_ : array of shape (m - 1, 4)
        The tree, in SciPy's form; the last split is the first row. Heights are the incoherences of
        the clusters.
    inversions_ : array of int64
        The rows that are lower than one of their parts: clusters that are less coherent than the
        cluster they were split from.

    Examples
    --------
    >>> from firth.cluster import TopDownClusters
    >>> TopDownClusters(2).fit_predict([[0.0], [1.0], [5.0], [6.0]])
    array([0, 0, 1, 1])
    """

    tree_of: ClassVar[Literal["", "objects", "clusters"]] = "objects"

    def fit(self, X: Any, y: Any = None) -> TopDownClusters:  # noqa: ARG002, N803
        """Split objects.

        Parameters
        ----------
        X : array of shape (n, dim)
        y : None
            Not used.
        """
        self.check()
        rows = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._check_n_clusters(len(rows))
        check_size(rows)
        random = check_random_state(self.random_state)
        rows = unit_rows(rows) if self.metric == "cosine" else rows
        with limit_blas(1):  # to wake threads takes longer than most splits
            n_leaves = len(rows) if self.whole else self.n_clusters
            clusters, splits = self._split_up(rows, n_leaves, random)
        self.linkage_, leaves = _tree(clusters, splits)
        self.inversions_ = inversions(self.linkage_)
        self._leaf_of = np.empty(len(rows), np.int64)
        for number, leaf in enumerate(leaves):
            self._leaf_of[leaf] = number
        self.labels_ = self.cut(self.n_clusters)
        return self

    def cut(self, n_clusters: int) -> npt.NDArray[np.int64]:
        """The labels if the tree is cut into another number of clusters.

        Parameters
        ----------
        n_clusters : int
            From 1 to the number of leaves.
        """
        self._check_fitted()
        return np.asarray(cut_tree(self.linkage_, int(n_clusters))[self._leaf_of])

    @property
    def is_random(self) -> bool:
        """Whether the result depends on the random seed."""
        return self.split in ("k-means", "k-medoids")

    def distance_bytes(self, n: int) -> int:
        """The memory that tables of distances between n objects take."""
        by_sums = self.metric == "cosine"  # averages of cosines need no table
        free = ("k-means", "single", "ward", *(["group-average"] if by_sums else []))
        split = {"k-medoids": 8, "group-average": 20}.get(self.split, 4)
        coherence = 0 if self.coherence == "single" else 4
        if self.coherence == "group-average" and by_sums:
            coherence = 0
        return max(0 if self.split in free else split, coherence) * n * n

    def _split_up(
        self, rows: Floats, n: int, random: np.random.RandomState
    ) -> tuple[list[Integers], list[tuple[int, float]]]:
        """The clusters, with the two parts of every split in order, and the number and height of each split."""
        clusters: list[Integers] = [np.arange(len(rows))]
        splits: list[tuple[int, float]] = []
        waiting = [(-self._incoherence(rows), 0)]
        with progress.stage("splitting", total=n - 1, unit="splits", brief=1.0) as stage:
            while len(splits) < n - 1:
                height, number = heapq.heappop(waiting)
                members = clusters[number]
                second = self._in_two(rows[members], random)
                splits.append((number, -height))
                for part in (members[~second], members[second]):
                    clusters.append(part)
                    if len(part) > 1:
                        heapq.heappush(waiting, (-self._incoherence(rows[part]), len(clusters) - 1))
                stage.advance(1)
        return clusters, splits

    def _incoherence(self, rows: Floats) -> float:
        """How far apart the members of a cluster are."""
        if self.coherence == "group-average" and self.metric == "cosine":  # 14.5
            total, n = rows.sum(axis=0), len(rows)
            return max(0.0, 1 - (float(total @ total) - n) / (n * (n - 1)))
        if self.coherence == "single":
            return float(linkage(rows, "single", self.metric)[-1, 2])
        distances = condensed_distances(rows, self.metric)
        return float(distances.max() if self.coherence == "complete" else distances.mean())

    def _in_two(self, rows: Floats, random: np.random.RandomState) -> npt.NDArray[np.bool_]:
        """Which members go into the second part; the first object always stays in the first."""
        if len(rows) == 2 or (rows == rows[0]).all():
            return np.arange(len(rows)) >= (len(rows) + 1) // 2
        if self.split in ("k-means", "k-medoids"):
            seed = int(random.randint(2**31 - 1))
            medoids = self.split == "k-medoids"
            flat = FlatClusters(
                2, metric="l1" if medoids else "euclidean", n_init=1, random_state=seed
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # nearly identical objects may stay in one cluster
                second = flat.fit(rows).labels_ == 1
            if not second.any() or second.all():
                return np.arange(len(rows)) >= (len(rows) + 1) // 2
            return np.asarray(second != second[0])
        metric = "euclidean" if self.split == "ward" else self.metric
        return np.asarray(cut_tree(linkage(rows, self.split, metric), 2) == 1)


def _tree(
    clusters: list[Integers], splits: list[tuple[int, float]]
) -> tuple[Floats, list[Integers]]:
    """The splits, read backwards, as a tree of merges, and the objects in each of its leaves."""
    split = {number: k for k, (number, _) in enumerate(splits)}
    leaves = sorted(
        (k for k in range(len(clusters)) if k not in split), key=lambda k: int(clusters[k][0])
    )
    n = len(leaves)
    number_of = {leaf: k for k, leaf in enumerate(leaves)}
    for number, k in split.items():
        number_of[number] = n + (n - 2 - k)
    rows = np.empty((n - 1, 4))
    size = np.ones(2 * n - 1)
    for k in range(n - 2, -1, -1):
        a, b = sorted((number_of[2 * k + 1], number_of[2 * k + 2]))
        i = n - 2 - k
        size[n + i] = size[a] + size[b]
        rows[i] = a, b, splits[k][1], size[n + i]
    return rows, [clusters[leaf] for leaf in leaves]
