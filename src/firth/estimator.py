"""The base class of everything that learns: a scikit-learn estimator."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from firth.errors import check_fitted

__all__ = ["Estimator"]


class Estimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn estimator whose parameters are the fields of a ``Parameters`` dataclass.

    ``get_params``, ``set_params``, ``clone``, ``repr`` and the display in notebooks are
    scikit-learn's. Parameters are stored as they are given, and checked by ``fit``.
    """

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def _check_fitted(self) -> None:
        """Raise the one error that says that ``fit`` must be called first."""
        check_fitted(self, self.__sklearn_is_fitted__())
