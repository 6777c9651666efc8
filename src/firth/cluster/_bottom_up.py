"""Bottom-up clustering as an estimator."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin
from sklearn.utils.validation import validate_data

from firth.cluster._clusterer import Clusterer
from firth.cluster._linkage import linkage
from firth.cluster._methods import BottomUpParameters
from firth.cluster._trees import cut_tree
from firth.compute import engine_for

__all__ = ["BottomUpClusters"]


class BottomUpClusters(BottomUpParameters, ClusterMixin, Clusterer):  # type: ignore[misc]
    """Agglomerative clustering: single, complete, average and group-average link, and Ward's method.

    A thin wrapper around ``linkage``. It adds two things to scikit-learn's
    ``AgglomerativeClustering``: group-average link as defined by Manning and Schütze (1999, 14.1.2),
    and the complete tree in SciPy's form.

    Attributes
    ----------
    labels_ : array of int64
        The cluster of every object; clusters are numbered in the order of their first objects.
    linkage_ : array of shape (n - 1, 4)
        The tree, in SciPy's form.

    Examples
    --------
    >>> from firth.cluster import BottomUpClusters
    >>> BottomUpClusters(2, "single", "euclidean").fit_predict([[0.0], [1.0], [5.0], [6.0]])
    array([0, 0, 1, 1])
    """

    tree_of: ClassVar[Literal["", "objects", "clusters"]] = "objects"

    def fit(self, X: Any, y: Any = None) -> BottomUpClusters:  # noqa: ARG002, N803
        """Merge objects.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, dim), or (n, n) distances
        y : None
            Not used.
        """
        self.check()
        engine = engine_for("BottomUpClusters", self.threads, self.device)
        rows = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        self._check_n_clusters(rows.shape[0])
        self.linkage_ = linkage(rows, self.method, self.metric, threads=engine)
        self.labels_ = self.cut(self.n_clusters)
        return self

    def cut(self, n_clusters: int) -> npt.NDArray[np.int64]:
        """The labels if the tree is cut into another number of clusters.

        Parameters
        ----------
        n_clusters : int
            From 1 to the number of objects.
        """
        self._check_fitted()
        return cut_tree(self.linkage_, int(n_clusters))

    def distance_bytes(self, n: int) -> int:
        """The memory that tables of distances between n objects take."""
        if self.metric == "precomputed":
            return (32 if self.method == "group-average" else 20) * n * n
        if self.method == "group-average":
            return 0 if self.metric == "cosine" else 20 * n * n
        return 4 * n * n if self.method in ("complete", "average") else 0

    @property
    def keeps_sparse(self) -> bool:
        """Whether sparse rows stay sparse."""
        return self.method in ("complete", "average")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric != "precomputed"
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
