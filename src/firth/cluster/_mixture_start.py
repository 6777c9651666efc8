"""Mixtures that begin with given means, covariances and weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.errors import ParameterError, wrong_parameter

__all__ = ["Start", "check_start", "given_start"]

Floats = npt.NDArray[np.float64]
_CLOSE = 1e-6


class Start(NamedTuple):
    """A mixture of Gaussians, with covariances of some kind."""

    weights: Floats
    means: Floats
    covariances: Floats

    def precisions(self, kind: str) -> Floats:
        """The inverse covariances."""
        inverse = np.linalg.inv if kind in ("full", "tied") else np.reciprocal
        return np.asarray(inverse(self.covariances))

    def roots(self, kind: str) -> Floats:
        """Cholesky factors of the inverse covariances, as scikit-learn has them."""
        if kind in ("full", "tied"):
            return np.swapaxes(np.linalg.inv(np.linalg.cholesky(self.covariances)), -1, -2)
        return 1 / np.sqrt(self.covariances)


def check_start(given: Any) -> None:
    """Raise ParameterError if there are covariances or weights, but no means."""
    for name in ("covariances", "weights"):
        if given.means is None and getattr(given, name) is not None:
            raise ParameterError(
                f"The {name!r} parameter of {type(given).__name__} needs 'means'.",
                "Give the means of the clusters, too.",
            )


def given_start(given: Any, kind: str, dim: int) -> Start:
    """The means, covariances and weights of a ``MixtureClusters``, checked.

    Parameters
    ----------
    given : MixtureClusters
    kind : str
        The kind of covariances.
    dim : int
        The number of columns of the objects.
    """
    k = given.n_clusters
    weights = np.full(k, 1 / k) if given.weights is None else _numbers(given, "weights", (k,))
    if np.any(weights <= 0) or abs(weights.sum() - 1) > _CLOSE:
        raise _wrong(given, "weights", "positive numbers with sum 1")
    means = _numbers(given, "means", (k, dim))
    shape = {"full": (k, dim, dim), "diagonal": (k, dim), "tied": (dim, dim), "spherical": (k,)}[kind]  # fmt: skip
    if given.covariances is None or np.ndim(given.covariances) == 0:
        variance = 1.0 if given.covariances is None else _numbers(given, "covariances", ())
        unit = np.eye(dim) if kind in ("full", "tied") else np.ones(shape)
        covariances = np.array(np.broadcast_to(variance * unit, shape))
    else:
        covariances = _numbers(given, "covariances", shape)
    if not _positive(covariances, kind):
        raise _wrong(given, "covariances", "variances above 0, or positive definite matrices")
    return Start(weights / weights.sum(), means, covariances)


def _numbers(given: Any, name: str, shape: tuple[int, ...]) -> Floats:
    try:
        array = np.asarray(getattr(given, name), np.float64)
    except (TypeError, ValueError):
        raise _wrong(given, name, "numbers") from None
    if array.shape != shape or not np.isfinite(array).all():
        what = "a finite number" if shape == () else f"finite numbers of shape {shape}"
        raise _wrong(given, name, what)
    return array


def _positive(covariances: Floats, kind: str) -> bool:
    if kind in ("diagonal", "spherical"):
        return bool(np.all(covariances > 0))
    if np.any(np.abs(covariances - np.swapaxes(covariances, -1, -2)) > _CLOSE * np.abs(covariances).max()):  # fmt: skip
        return False
    return bool(np.all(np.linalg.eigvalsh(covariances) > 0))


def _wrong(given: Any, name: str, expected: str) -> ParameterError:
    return wrong_parameter(type(given).__name__, name, expected, getattr(given, name))
