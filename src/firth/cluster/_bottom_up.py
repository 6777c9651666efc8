"""Bottom-up clustering as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from firth.cluster._linkage import linkage
from firth.cluster._trees import cut_tree
from firth.errors import check_count, wrong_parameter

__all__ = ["BottomUpClusters", "check_n_clusters"]


class BottomUpClusters(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Groups by merging: single, complete, average and group-average link, and Ward's.

    A thin cover over ``linkage``. What it adds to scikit-learn's ``AgglomerativeClustering``: group-average in the
    sense of Manning and Schütze (1999, 14.1.2), which no other library has, and a whole tree in SciPy's form.

    Parameters
    ----------
    n_clusters : int
        How many groups to cut the tree into.
    method : str
        ``group-average``, ``single``, ``complete``, ``average`` or ``ward``.
    metric : str
        ``cosine``, ``euclidean``, ``l1``, or ``precomputed`` for a matrix of distances.

    Attributes
    ----------
    labels_ : array of int64
        The group of every object; groups are numbered in the order of their first objects.
    linkage_ : array of shape (n - 1, 4)
        The tree, in SciPy's form.

    Examples
    --------
    >>> from firth.cluster import BottomUpClusters
    >>> BottomUpClusters(2, "single", "euclidean").fit_predict([[0.0], [1.0], [5.0], [6.0]])
    array([0, 0, 1, 1])
    """

    def __init__(
        self, n_clusters: int = 2, method: str = "ward", metric: str = "euclidean"
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.metric = metric

    def fit(self, X: Any, y: Any = None) -> BottomUpClusters:  # noqa: ARG002, N803
        """Merge objects.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, dim), or (n, n) distances
        y : None
            Not used.
        """
        rows = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        check_n_clusters(self, rows.shape[0])
        self.linkage_ = linkage(rows, self.method, self.metric)
        self.labels_ = cut_tree(self.linkage_, int(self.n_clusters))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric != "precomputed"
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def check_n_clusters(estimator: Any, n: int) -> None:
    """Raise unless there can be so many groups of n objects."""
    owner, wanted = type(estimator).__name__, estimator.n_clusters
    if isinstance(wanted, np.integer):
        wanted = int(wanted)
    check_count(owner, "n_clusters", wanted)
    if wanted > n:
        raise wrong_parameter(
            owner, "n_clusters", f"an int of at most {n:,} (the objects)", estimator.n_clusters
        )
