"""Soft clusters: mixtures of Gaussians, fitted by expectation maximisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import validate_data

from firth.cluster._clusterer import Clusterer
from firth.cluster._distances import check_size
from firth.cluster._methods import MixtureParameters

__all__ = ["MixtureClusters"]

Floats = npt.NDArray[np.float64]


class MixtureClusters(MixtureParameters, Clusterer):
    """A mixture of Gaussians by EM, started from K-means (Manning and Schütze 1999, 14.2.2), by scikit-learn.

    It adds to scikit-learn's ``GaussianMixture``: labels and memberships of the objects it was fitted
    to, clusters numbered in the order of their first objects, and the likelihood after every
    iteration.

    Attributes
    ----------
    labels_ : array of int64
        The most probable cluster of every object.
    memberships_ : array of shape (n, n_clusters)
        The probability of every cluster, given the object.
    weights_, means_, covariances_ : array
    log_likelihoods_ : array
        Of all objects, in nats: at the start, and after every EM iteration.
    converged_ : bool
    n_iter_ : int

    Examples
    --------
    >>> from firth.cluster import MixtureClusters
    >>> soft = MixtureClusters(2, random_state=0).fit([[0.0], [1.0], [2.6], [5.0], [6.0]])
    >>> soft.labels_, soft.memberships_[0].round(2)
    (array([0, 0, 0, 1, 1]), array([1., 0.]))
    """

    @property
    def is_soft(self) -> bool:
        """Whether objects belong to several clusters."""
        return True

    def fit(self, X: Any, y: Any = None) -> MixtureClusters:  # noqa: ARG002, N803
        """Fit the mixture.

        Parameters
        ----------
        X : array of shape (n, dim)
        y : None
            Not used.
        """
        self.check()
        rows = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        self._check_n_clusters(len(rows))
        check_size(rows)
        found = GaussianMixture(
            self.n_clusters,
            covariance_type="diag" if self.covariance == "diagonal" else self.covariance,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            reg_covar=self.regularisation,
            random_state=self.random_state,
        ).fit(rows)
        _, first = np.unique(found.predict(rows), return_index=True)
        used = found.predict(rows)[np.sort(first)]
        _renumber(found, [*used, *np.setdiff1d(np.arange(self.n_clusters), used)])
        self._mixture = found
        self.weights_, self.means_ = found.weights_, found.means_
        self.covariances_ = found.covariances_
        self.converged_, self.n_iter_ = bool(found.converged_), int(found.n_iter_)
        self.log_likelihoods_ = np.array([*found.lower_bounds_, found.score(rows)]) * len(rows)
        self.memberships_ = found.predict_proba(rows)
        self.labels_ = self.memberships_.argmax(axis=1)
        return self

    def notes(self) -> Sequence[str]:
        """What a person should know about the result."""
        if self.converged_:
            return ()
        return [f"EM did not converge: it was stopped after {self.n_iter_:,} iterations."]

    def predict(self, X: Any) -> npt.NDArray[np.int64]:  # noqa: N803
        """The most probable cluster of every object.

        Parameters
        ----------
        X : array of shape (n, dim)
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The probability of every cluster, given the object.

        Parameters
        ----------
        X : array of shape (n, dim)
        """
        self._check_fitted()
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return np.asarray(self._mixture.predict_proba(rows))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002, N803
        """The mean log-likelihood of objects.

        Parameters
        ----------
        X : array of shape (n, dim)
        y : None
            Not used.
        """
        self._check_fitted()
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return float(self._mixture.score(rows))


def _renumber(mixture: GaussianMixture, order: list[int]) -> None:
    """Put the clusters of a mixture in another order."""
    mixture.weights_, mixture.means_ = mixture.weights_[order], mixture.means_[order]
    if mixture.covariance_type != "tied":
        mixture.covariances_ = mixture.covariances_[order]
        mixture.precisions_ = mixture.precisions_[order]
        mixture.precisions_cholesky_ = mixture.precisions_cholesky_[order]
