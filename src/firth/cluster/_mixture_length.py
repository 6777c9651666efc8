"""The description length of a mixture of Gaussians, with the variances of its own clusters.

Manning and Schütze (1999, 14.2) name AUTOCLASS for choosing the number of clusters by the length of a
description. ``description_length`` describes objects by clusters with one variance for all; here the
clusters have the covariances that EM has found, and an object may belong to several of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.cluster._how_many import finest_step

__all__ = ["KINDS", "mixture_length"]

Floats = npt.NDArray[np.float64]
KINDS = ("full", "diagonal", "tied", "spherical")
"""The kinds of covariances."""


def mixture_length(
    rows: Floats, weights: Floats, covariances: Floats, kind: str, log_likelihood: float
) -> float:
    """The description length in bits: of a mixture, plus that of the objects given the mixture.

    Every parameter is encoded as precisely as its objects determine it. With m objects and the
    deviation s, a mean is known to s / √m within the range of its column, the logarithm of a deviation
    to 1 / √2m between the finest step and that range, and a correlation to 1 / √m between -1 and 1.

    Parameters
    ----------
    rows : array of shape (n, dim)
    weights : array of shape (k,)
    covariances : array
        Of the shape that the kind has in scikit-learn.
    kind : str
        One of ``KINDS``.
    log_likelihood : float
        Of all rows, in nats (14.19).
    """
    (n, dim), k = rows.shape, len(weights)
    finest = finest_step(rows)
    span = np.maximum(np.ptp(rows, axis=0), finest)
    sizes = np.maximum(np.asarray(weights, np.float64) * n, 1.0)
    deviations = np.maximum(np.sqrt(_variances(covariances, kind, k, dim)), finest)
    means = _steps(span / deviations * np.sqrt(sizes)[:, None])
    known = np.array([float(n)]) if kind == "tied" else sizes  # from how many objects
    widths = np.log(max(float(span.max()) / finest, math.e)) * np.sqrt(2 * known)
    spreads = _steps(widths) * (1 if kind == "spherical" else dim)
    pairs = dim * (dim - 1) / 2 if kind in ("full", "tied") else 0
    correlations = pairs * _steps(2 * np.sqrt(known))
    number, of_sizes = 2 * math.log2(k) + 1, (k - 1) * math.log2(n)
    objects = -log_likelihood / math.log(2) - n * dim * math.log2(finest)
    return float(number + of_sizes + means + spreads + correlations + objects)


def _variances(covariances: Any, kind: str, k: int, dim: int) -> Floats:
    """The variance of every column in every cluster."""
    if kind == "spherical":
        return np.broadcast_to(np.asarray(covariances)[:, None], (k, dim))
    if kind == "diagonal":
        return np.asarray(covariances)
    return np.broadcast_to(np.diagonal(covariances, axis1=-2, axis2=-1), (k, dim))


def _steps(numbers: Floats) -> float:
    """The bits to choose one of so many steps, in all."""
    return float(np.maximum(np.log2(numbers), 0.0).sum())
