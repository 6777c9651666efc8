"""Groups from the top down: all objects together, then always the least coherent group in two."""

from __future__ import annotations

import heapq
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_random_state, validate_data

from firth import progress
from firth.cluster._bottom_up import check_n_clusters
from firth.cluster._distances import check_size, condensed_distances, unit_rows
from firth.cluster._flat import FlatClusters
from firth.cluster._linkage import linkage
from firth.cluster._trees import cut_tree, inversions
from firth.compute import limit_blas
from firth.errors import check_choice

__all__ = ["COHERENCES", "SPLITS", "TopDownClusters"]

COHERENCES = ("group-average", "single", "complete")
SPLITS = ("k-means", "k-medoids", "group-average", "single", "complete", "average", "ward")

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class TopDownClusters(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Groups by splitting (Manning and Schütze 1999, figure 14.3 and 14.1.4).

    What it adds to scikit-learn's ``BisectingKMeans``: the chapter's three measures of how coherent a group is, any
    method to split it in two, and the whole tree in SciPy's form.

    Parameters
    ----------
    n_clusters : int
        How many groups to give labels for.
    coherence : str
        Which group is split next: that with the largest average distance over its pairs (``group-average``), the
        longest edge of its minimum spanning tree (``single``), or its two farthest members (``complete``).
    split : str
        How it is split: ``k-means`` (in two), ``k-medoids``, or the last merge of a bottom-up method.
    metric : str
        ``cosine``, ``euclidean`` or ``l1``.
    whole : bool
        Go on to single objects, so that ``linkage_`` is a tree of all objects. Otherwise splitting ends with
        ``n_clusters`` groups, and ``linkage_`` is a tree of these.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : array of int64
        The group of every object; groups are numbered in the order of their first objects.
    linkage_ : array of shape (m - 1, 4)
        The tree, in SciPy's form; the last split is the first row. Heights are incoherences of the groups.
    inversions_ : array of int64
        The rows that are lower than one of their parts: groups that are less coherent than what they were split from.

    Examples
    --------
    >>> from firth.cluster import TopDownClusters
    >>> TopDownClusters(2).fit_predict([[0.0], [1.0], [5.0], [6.0]])
    array([0, 0, 1, 1])
    """

    def __init__(
        self, n_clusters: int = 2, *, coherence: str = "group-average", split: str = "k-means",
        metric: str = "euclidean", whole: bool = True, random_state: Any = 0,
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.coherence = coherence
        self.split = split
        self.metric = metric
        self.whole = whole
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> TopDownClusters:  # noqa: ARG002, N803
        """Split objects.

        Parameters
        ----------
        X : array of shape (n, dim)
        y : None
            Not used.
        """
        rows = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_n_clusters(self, len(rows))
        check_size(rows)
        check_choice("TopDownClusters", "coherence", self.coherence, COHERENCES)
        check_choice("TopDownClusters", "split", self.split, SPLITS)
        check_choice("TopDownClusters", "metric", self.metric, ("cosine", "euclidean", "l1"))
        self._random = check_random_state(self.random_state)
        rows = unit_rows(rows) if self.metric == "cosine" else rows
        with limit_blas(1):  # to wake threads takes longer than most splits
            groups, splits = self._split_up(rows, len(rows) if self.whole else self.n_clusters)
        del self._random
        self.linkage_, leaves = _tree(groups, splits)
        self.inversions_ = inversions(self.linkage_)
        self.labels_ = np.empty(len(rows), np.int64)
        for leaf, label in zip(leaves, cut_tree(self.linkage_, int(self.n_clusters)), strict=True):
            self.labels_[leaf] = label
        return self

    def _split_up(self, rows: Floats, n: int) -> tuple[list[Integers], list[tuple[int, float]]]:
        """Groups, the two parts of every split after each other; and the group and incoherence of every split."""
        groups: list[Integers] = [np.arange(len(rows))]
        splits: list[tuple[int, float]] = []
        waiting = [(-self._incoherence(rows), 0)]
        with progress.stage("splitting", total=n - 1, unit="splits", brief=1.0) as stage:
            while len(splits) < n - 1:
                height, number = heapq.heappop(waiting)
                members = groups[number]
                second = self._in_two(rows[members])
                splits.append((number, -height))
                for part in (members[~second], members[second]):
                    groups.append(part)
                    if len(part) > 1:
                        heapq.heappush(waiting, (-self._incoherence(rows[part]), len(groups) - 1))
                stage.advance(1)
        return groups, splits

    def _incoherence(self, rows: Floats) -> float:
        """How far apart the members of a group are."""
        if self.coherence == "group-average" and self.metric == "cosine":  # 14.5
            total, n = rows.sum(axis=0), len(rows)
            return max(0.0, 1 - (float(total @ total) - n) / (n * (n - 1)))
        if self.coherence == "single":
            return float(linkage(rows, "single", self.metric)[-1, 2])
        distances = condensed_distances(rows, self.metric)
        return float(distances.max() if self.coherence == "complete" else distances.mean())

    def _in_two(self, rows: Floats) -> npt.NDArray[np.bool_]:
        """Which members go into the second part; the first object is in the first."""
        if len(rows) == 2 or (rows == rows[0]).all():
            return np.arange(len(rows)) >= (len(rows) + 1) // 2
        if self.split in ("k-means", "k-medoids"):
            metric = "l1" if self.split == "k-medoids" else "euclidean"
            seed = int(self._random.randint(2**31 - 1))
            flat = FlatClusters(2, metric=metric, n_init=1, random_state=seed)
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # a group of nearly identical objects may not fall apart
                second = flat.fit(rows).labels_ == 1
            if not second.any() or second.all():
                return np.arange(len(rows)) >= (len(rows) + 1) // 2
            return np.asarray(second != second[0])
        metric = "euclidean" if self.split == "ward" else self.metric
        return np.asarray(cut_tree(linkage(rows, self.split, metric), 2) == 1)


def _tree(groups: list[Integers], splits: list[tuple[int, float]]) -> tuple[Floats, list[Integers]]:
    """Splits, read backwards, as a tree of merges; and the objects in each of its leaves."""
    split = {number: k for k, (number, _) in enumerate(splits)}
    leaves = sorted(
        (k for k in range(len(groups)) if k not in split), key=lambda k: int(groups[k][0])
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
    return rows, [groups[leaf] for leaf in leaves]
