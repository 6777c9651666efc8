"""Distributional clustering: objects are distributions, and clusters split as the temperature falls."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_random_state, validate_data

from firth.cluster import _distributional_kernels as kernels
from firth.cluster._annealing import Annealing, Trace
from firth.cluster._clusterer import Clusterer
from firth.cluster._distributions import Distributions
from firth.cluster._divergence_means import divergence_means
from firth.cluster._methods import DistributionalParameters
from firth.compute import engine_for, limit_blas
from firth.errors import ParameterError

__all__ = ["DistributionalClusters"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_NAME = "DistributionalClusters"


class DistributionalClusters(DistributionalParameters, Clusterer):
    """Soft or hard clusters of objects by the distributions of what they occur with.

    Nouns, for example, by the verbs whose objects they are (Pereira, Tishby and Lee 1993; Manning and
    Schütze 1999, 14.1.4). An object belongs to each cluster in proportion to ``exp(-beta D(p || q))``,
    where D is the Kullback-Leibler divergence of its distribution p from the centroid q. At a small
    ``beta`` there is one cluster, the mean. As ``beta`` grows, clusters split one after the other, which
    gives a tree of clusters. No library known to us has this method.

    Attributes
    ----------
    labels_ : array of int64
        The cluster that an object belongs to most.
    memberships_ : array of shape (n, k)
    centroids_ : array of shape (k, dim)
        Distributions.
    masses_ : array of shape (k,)
        The share of all objects that each cluster has, by weight.
    n_clusters_ : int
        k.
    beta_ : float
        The final ``beta``; infinite for hard clusters.
    critical_beta_ : float
        Where one cluster begins to split, in theory; see the page on distributional clustering.
    free_energies_, betas_, sizes_ : arrays of shape (``n_iter_``,)
        The free energy, ``beta`` and the number of clusters after every iteration. While the last two
        stay the same, the first does not rise. Where ``beta`` is infinite, the free energy is the
        mean divergence.
    n_iter_ : int
    parents_ : array of shape (k - 1,)
        Cluster i + 1 was split from cluster ``parents_[i]``, which kept the larger part.
    split_betas_ : array of shape (k - 1,)
        ``beta`` at that split.
    linkage_ : array of shape (k - 1, 4)
        The splits as a tree in SciPy's form; heights are temperatures, 1 / ``beta``.

    Examples
    --------
    Four nouns that are eaten or drunk, with counts of verbs:

    >>> from firth.cluster import DistributionalClusters
    >>> nouns = [[9, 1, 0], [8, 0, 1], [0, 7, 0], [1, 9, 0]]
    >>> found = DistributionalClusters(2).fit(nouns)
    >>> found.labels_
    array([0, 0, 1, 1])
    >>> found.predict([[5, 1, 0]])
    array([0])
    """

    tree_of: ClassVar[Literal["", "objects", "clusters"]] = "clusters"
    takes_counts: ClassVar[bool] = True

    @property
    def is_soft(self) -> bool:
        """Whether objects belong to several clusters."""
        return not self.hard

    def fit(self, X: Any, y: Any = None) -> DistributionalClusters:  # noqa: ARG002, N803
        """Find clusters.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, dim)
            Counts: not negative, and not all zero.
        y : None
            Not used.
        """
        self.check()
        counts = self._counts(X, reset=True)
        self._check_n_clusters(counts.shape[0])
        objects = Distributions(counts, self.weights, engine_for(_NAME, self.threads))
        wanted = _different(objects.matrix, self.n_clusters)
        start = check_random_state(self.random_state).standard_normal(counts.shape[1])
        annealing = Annealing(objects, self.growth, self.tol, self.max_iter, start)
        with limit_blas(1):  # its threads would spin between short calls
            annealing.run(wanted, np.inf if self.max_beta is None else self.max_beta)
            trace, centroids = annealing.trace, annealing.centroids
            self.critical_beta_, self.beta_ = annealing.critical, float(annealing.beta)
            if self.hard:
                centroids = divergence_means(objects, centroids, wanted, trace)
                self.beta_ = np.inf
        self._finish(objects, centroids, trace)
        self._warn(wanted)
        return self

    def _finish(self, objects: Distributions, centroids: Floats, trace: Trace) -> None:
        self.centroids_ = np.ascontiguousarray(centroids.T)
        self.n_clusters_ = len(self.centroids_)
        self.memberships_, mean = self._shares(objects)
        self.labels_ = self.memberships_.argmax(axis=1)
        self.masses_ = objects.weights @ self.memberships_
        trace.add(float(objects.weights @ (objects.entropies - mean)), self.beta_, self.n_clusters_)
        self.free_energies_, self.betas_ = np.array(trace.free_energies), np.array(trace.betas)
        self.sizes_, self.n_iter_ = np.array(trace.sizes), len(trace.sizes)
        self.parents_ = np.array(trace.parents, np.int64)
        self.split_betas_ = np.array(trace.split_betas, np.float64)
        self.linkage_ = _linkage(self.parents_, self.split_betas_)

    def _shares(self, objects: Distributions) -> tuple[Floats, Floats]:
        """Memberships, and the soft maximum of the scores of every object."""
        scores = objects.scores(np.ascontiguousarray(self.centroids_.T))
        if not np.isfinite(self.beta_):
            best = scores.argmax(axis=1)
            return np.eye(self.n_clusters_)[best], scores.max(axis=1)
        logs = np.empty(objects.n)
        objects.everywhere(lambda i: kernels.divide(scores, self.beta_, *objects.blocks[i], logs))
        return scores, logs / self.beta_

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Memberships of new objects.

        Features that no object had before are ignored; an object that has only such features belongs to
        all clusters equally.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, dim)

        Returns
        -------
        array of shape (n, k)
        """
        self._check_fitted()
        counts = self._counts(X, reset=False)
        objects = Distributions(counts, "uniform", engine_for(_NAME, self.threads))
        return self._shares(objects)[0]

    def predict(self, X: Any) -> Integers:  # noqa: N803
        """The cluster that each new object belongs to most.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, dim)

        Returns
        -------
        array of int64
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def _counts(self, X: Any, reset: bool) -> Any:  # noqa: N803
        given = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        counts = sp.csr_matrix(given, copy=True)
        counts.sum_duplicates()
        if len(counts.data) and counts.data.min() < 0:
            row = int(np.flatnonzero((counts < 0).sum(axis=1))[0])
            raise ParameterError(
                f"Negative values in data passed to {_NAME}: row {row} of X has one.",
                "The rows of X are counts of what objects occur with.",
            )
        counts.eliminate_zeros()
        with np.errstate(over="ignore"):
            totals = np.asarray(counts.sum(axis=1)).ravel()
        if not np.isfinite(totals.sum()):
            raise ParameterError(
                "The numbers in X are too large to be added up.", "Scale them down."
            )
        if not totals.all() and (self.empty == "error" or (reset and not totals.any())):
            row, n = int(np.flatnonzero(totals == 0)[0]), int((totals == 0).sum())
            more = f" ({n:,} rows are like this)" if n > 1 else ""
            message = f"Row {row} of X has no counts, so it has no distribution{more}."
            raise ParameterError(message, "Leave such rows out.")
        return counts

    def _warn(self, wanted: int) -> None:
        """Warn if there are fewer clusters than were asked for."""
        if self.n_clusters_ == self.n_clusters:
            return
        why = "objects differ too little"
        if wanted < self.n_clusters:
            why = "no more distributions are different"
        elif self.max_beta is not None:
            why = "max_beta was reached"
        message = (
            f"Number of distinct clusters ({self.n_clusters_}) found smaller than n_clusters "
            f"({self.n_clusters}): {why}."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags = ClassifierTags(multi_class=True)  # what predict_proba returns
        return tags


def _different(matrix: Any, most: int) -> int:
    """The number of different rows that are not empty; counting stops at ``most``."""
    seen = set()
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
    for begin, end in pairwise(indptr):
        if begin < end:
            seen.add(indices[begin:end].tobytes() + data[begin:end].tobytes())
        if len(seen) == most:
            break
    return len(seen)


def _linkage(parents: Integers, betas: Floats) -> Floats:
    """The tree of splits in SciPy's form: the last split is the first merge."""
    k = len(parents) + 1
    tree = np.empty((k - 1, 4))
    nodes, sizes = np.arange(k), np.ones(k)
    for i in range(k - 1):
        new = k - 1 - i
        old = int(parents[new - 1])
        sizes[old] += sizes[new]
        tree[i] = (
            min(nodes[old], nodes[new]),
            max(nodes[old], nodes[new]),
            1 / betas[new - 1],
            sizes[old],
        )
        nodes[old] = k + i
    return tree
