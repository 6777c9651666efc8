"""Soft clusters: mixtures of Gaussians, fitted by expectation maximisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import validate_data

from firth.cluster._clusterer import Clusterer
from firth.cluster._distances import check_size
from firth.cluster._methods import MixtureParameters
from firth.cluster._mixture_length import KINDS, mixture_length
from firth.cluster._mixture_start import check_start, given_start

__all__ = ["MixtureClusters"]

Floats = npt.NDArray[np.float64]


class MixtureClusters(MixtureParameters, ClusterMixin, Clusterer):  # type: ignore[misc]
    """A mixture of Gaussians by EM, started from K-means (Manning and Schütze 1999, 14.2.2), by scikit-learn.

    It adds to scikit-learn's ``GaussianMixture``: labels and memberships of the objects it was fitted
    to, clusters numbered in the order of their first objects, the likelihood after every iteration, the
    choice of the kind of covariances, and a description length. With given means, clusters keep their
    order, and with ``max_iter=0`` the memberships are those of the given mixture.

    Attributes
    ----------
    labels_ : array of int64
        The most probable cluster of every object.
    memberships_ : array of shape (n, n_clusters)
        The probability of every cluster, given the object.
    weights_, means_, covariances_ : array
    covariance_ : str
        The kind of covariances; for ``auto``, the one that was chosen.
    description_length_ : float
        Of the objects and the mixture, in bits.
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
        check_start(self)
        kinds = KINDS if self.covariance == "auto" else (self.covariance,)
        models = [self._fitted(rows, kind) for kind in kinds]
        objects = np.asarray(rows, np.float64)
        lengths = [
            mixture_length(objects, model.weights_, model.covariances_, kind, len(rows) * float(model.score(rows)))
            for model, kind in zip(models, kinds, strict=True)
        ]  # fmt: skip
        best = int(np.argmin(lengths))
        self.covariance_, self.description_length_ = kinds[best], lengths[best]
        self._keep(models[best], rows)
        return self

    def _fitted(self, rows: Any, kind: str) -> GaussianMixture:
        """A mixture with some kind of covariances."""
        mixture = GaussianMixture(
            self.n_clusters,
            covariance_type="diag" if kind == "diagonal" else kind,
            n_init=self.n_init if self.means is None else 1,
            max_iter=self.max_iter,
            tol=self.tol,
            reg_covar=self.regularisation,
            random_state=self.random_state,
        )
        if self.means is None:
            mixture.fit(rows)
            first = np.sort(np.unique(mixture.predict(rows), return_index=True)[1])
            used = mixture.predict(rows)[first]
            _renumber(mixture, [*used, *np.setdiff1d(np.arange(self.n_clusters), used)])
            return mixture
        start = given_start(self, kind, rows.shape[1])
        if self.max_iter:
            weights, means, precisions = start.weights, start.means, start.precisions(kind)
            mixture.set_params(weights_init=weights, means_init=means, precisions_init=precisions)
            return mixture.fit(rows)
        mixture.weights_, mixture.means_, mixture.covariances_ = start
        mixture.precisions_, mixture.precisions_cholesky_ = (
            start.precisions(kind),
            start.roots(kind),
        )
        mixture.lower_bounds_, mixture.converged_, mixture.n_iter_ = [], True, 0
        mixture.n_features_in_ = rows.shape[1]
        return mixture

    def _keep(self, found: GaussianMixture, rows: Any) -> None:
        self._mixture = found
        self.weights_, self.means_ = found.weights_, found.means_
        self.covariances_ = found.covariances_
        self.converged_, self.n_iter_ = bool(found.converged_), int(found.n_iter_)
        self.log_likelihoods_ = np.array([*found.lower_bounds_, found.score(rows)]) * len(rows)
        self.memberships_ = found.predict_proba(rows)
        self.labels_ = self.memberships_.argmax(axis=1)

    def notes(self) -> Sequence[str]:
        """What a person should know about the result."""
        notes = []
        if self.covariance == "auto":
            notes.append(f"The covariances with the shortest description: {self.covariance_}.")
        if not self.converged_ and self.max_iter:
            notes.append(f"EM did not converge: it was stopped after {self.n_iter_:,} iterations.")
        return notes

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
