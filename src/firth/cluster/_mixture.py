"""Soft groups: mixtures of Gaussians by expectation maximisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import check_is_fitted, validate_data

from firth.cluster._bottom_up import check_n_clusters
from firth.cluster._distances import check_size
from firth.errors import check_choice, check_count

__all__ = ["COVARIANCES", "MixtureClusters"]

COVARIANCES = {"full": "full", "diagonal": "diag", "tied": "tied", "spherical": "spherical"}
"""Our names, and scikit-learn's."""

Floats = npt.NDArray[np.float64]


class MixtureClusters(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """A mixture of Gaussians by EM, beginning with K-means (Manning and Schütze 1999, 14.2.2), by scikit-learn.

    What it adds to scikit-learn's ``GaussianMixture``: labels and memberships of the objects it was fitted to, groups
    numbered in the order of their first objects, and the likelihood after every round.

    Parameters
    ----------
    n_clusters : int
    covariance : str
        ``full``, ``diagonal``, ``tied`` (one for all groups) or ``spherical``.
    n_init : int
        Starts; the most likely is kept.
    max_iter : int
    tol : float
        EM ends when a round raises the mean logarithm of the likelihood by less.
    regularisation : float
        Added to all variances, so that no group shrinks to a point.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : array of int64
        The most probable group of every object.
    memberships_ : array of shape (n, n_clusters)
        The probability of every group, given the object.
    weights_, means_, covariances_ : array
    log_likelihoods_ : array
        Of all objects, in natural logarithms: at the start, and after every round of EM.
    converged_ : bool

    Examples
    --------
    >>> from firth.cluster import MixtureClusters
    >>> soft = MixtureClusters(2, random_state=0).fit([[0.0], [1.0], [2.6], [5.0], [6.0]])
    >>> soft.labels_, soft.memberships_[0].round(2)
    (array([0, 0, 0, 1, 1]), array([1., 0.]))
    """

    def __init__(
        self, n_clusters: int = 2, *, covariance: str = "full", n_init: int = 1, max_iter: int = 200,
        tol: float = 1e-4, regularisation: float = 1e-6, random_state: Any = 0,
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.regularisation = regularisation
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> MixtureClusters:  # noqa: ARG002, N803
        """Fit the mixture.

        Parameters
        ----------
        X : array of shape (n, dim)
        y : None
            Not used.
        """
        rows = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        check_choice("MixtureClusters", "covariance", self.covariance, list(COVARIANCES))
        check_count("MixtureClusters", "n_init", self.n_init)
        check_count("MixtureClusters", "max_iter", self.max_iter)
        check_n_clusters(self, len(rows))
        check_size(rows)
        found = GaussianMixture(
            self.n_clusters, covariance_type=COVARIANCES[self.covariance], n_init=self.n_init, max_iter=self.max_iter,
            tol=self.tol, reg_covar=self.regularisation, random_state=self.random_state,
        ).fit(rows)  # fmt: skip
        _, first = np.unique(found.predict(rows), return_index=True)
        used = found.predict(rows)[np.sort(first)]
        _renumber(found, [*used, *np.setdiff1d(np.arange(self.n_clusters), used)])
        self._mixture = found
        self.weights_, self.means_, self.covariances_ = (
            found.weights_,
            found.means_,
            found.covariances_,
        )
        self.converged_, self.n_iter_ = bool(found.converged_), int(found.n_iter_)
        self.log_likelihoods_ = np.array([*found.lower_bounds_, found.score(rows)]) * len(rows)
        self.memberships_ = found.predict_proba(rows)
        self.labels_ = self.memberships_.argmax(axis=1)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.int64]:  # noqa: N803
        """The most probable group of every object.

        Parameters
        ----------
        X : array of shape (n, dim)
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The probability of every group, given the object.

        Parameters
        ----------
        X : array of shape (n, dim)
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return np.asarray(self._mixture.predict_proba(rows))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002, N803
        """The mean logarithm of the likelihood of objects.

        Parameters
        ----------
        X : array of shape (n, dim)
        y : None
            Not used.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return float(self._mixture.score(rows))


def _renumber(mixture: GaussianMixture, order: list[int]) -> None:
    """Groups of a mixture in another order."""
    mixture.weights_, mixture.means_ = mixture.weights_[order], mixture.means_[order]
    if mixture.covariance_type != "tied":
        mixture.covariances_ = mixture.covariances_[order]
        mixture.precisions_ = mixture.precisions_[order]
        mixture.precisions_cholesky_ = mixture.precisions_cholesky_[order]
