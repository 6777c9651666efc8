"""Linear interpolation of language models, with weights that depend on how often the history was seen.

The weights maximise the likelihood of held-out text. EM finds them; there are no local optima.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.lm import _kernels as kernels

__all__ = ["buckets_of", "learn_weights", "mixed"]

_ITERATIONS = 200
_TOLERANCE = 1e-7
"""EM stops when an iteration gains less than this, in nats per word."""
_PRIOR = 1.0
"""Number of pseudo-words in each bucket, divided evenly among the models."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

share_out: Any = kernels.share_out
mix: Any = kernels.mix


def buckets_of(counts: npt.NDArray[np.int64], n_buckets: int) -> Integers:
    """The bucket of each count: 0 for 0, then one more each time the count doubles.

    >>> buckets_of(np.array([0, 1, 2, 3, 4, 1000]), 5).tolist()
    [0, 1, 2, 2, 3, 4]
    """
    bits = np.frexp(np.asarray(counts, np.float64))[1].astype(np.int64)
    return np.minimum(bits, n_buckets - 1)


def learn_weights(p: Floats, buckets: Integers, n_buckets: int) -> Floats:
    """Learn the interpolation weights of models, for each bucket.

    Parameters
    ----------
    p : array of shape (n_words, n_models)
        The probability of each held-out word, by each model.
    buckets : array of int64, shape (n_words,)
    n_buckets : int

    Returns
    -------
    array of shape (n_buckets, n_models)
        Rows sum to one.
    """
    n, n_models = p.shape
    if not n:
        raise InputError("There are no held-out words to learn weights from.")
    weights = np.full((n_buckets, n_models), 1 / n_models)
    before = -np.inf
    for _ in range(_ITERATIONS):
        shares = np.full((n_buckets, n_models), _PRIOR / n_models)
        now = share_out(p, np.ascontiguousarray(buckets, np.int64), weights, shares) / n
        if now - before < _TOLERANCE:
            break
        before = now
        weights = shares / shares.sum(axis=1, keepdims=True)
    return weights


def mixed(p: Floats, buckets: Integers, weights: Floats) -> Floats:
    """The log probabilities of the interpolated model, from a column of probabilities for each model."""
    found: Floats = np.empty(len(p))
    mix(np.ascontiguousarray(p), np.ascontiguousarray(buckets, np.int64), weights, found)
    return found
