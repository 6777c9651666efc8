"""Several language models, mixed: weights that depend on how often what comes before was seen.

Weights make held-out text as probable as they can, by expectation maximisation, which here has no local optima.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.lm import _kernels as kernels

__all__ = ["buckets_of", "learn_weights", "mixed"]

_ROUNDS = 200
_ENOUGH = 1e-7
"""A round that makes text less probable by less than this, in nats a word, is the last."""
_PRIOR = 1.0
"""So many words are thought to be divided evenly, where a bucket has few."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

share_out: Any = kernels.share_out


def buckets_of(counts: npt.NDArray[np.int64], n_buckets: int) -> Integers:
    """Numbers for how often something was seen: 0 for never, and then one more for each time the count doubles.

    >>> buckets_of(np.array([0, 1, 2, 3, 4, 1000]), 5).tolist()
    [0, 1, 2, 2, 3, 4]
    """
    bits = np.floor(np.log2(np.maximum(counts, 1))).astype(np.int64) + 1
    return np.where(counts > 0, np.minimum(bits, n_buckets - 1), 0)


def learn_weights(log_p: Floats, buckets: Integers, n_buckets: int) -> Floats:
    """The weights of models, for each bucket.

    Parameters
    ----------
    log_p : array of shape (n_models, n_words)
        What each model says of held-out words.
    buckets : array of int64, shape (n_words,)
    n_buckets : int

    Returns
    -------
    array of shape (n_buckets, n_models)
        Rows add up to one.
    """
    n_models, n = log_p.shape
    if not n:
        raise InputError("There are no held-out words to learn weights from.")
    p = np.ascontiguousarray(np.exp(log_p - log_p.max(axis=0)).T)
    weights = np.full((n_buckets, n_models), 1 / n_models)
    before = -np.inf
    for _ in range(_ROUNDS):
        shares = np.full((n_buckets, n_models), _PRIOR / n_models)
        now = share_out(p, np.ascontiguousarray(buckets, np.int64), weights, shares) / n
        if now - before < _ENOUGH:
            break
        before = now
        weights = shares / shares.sum(axis=1, keepdims=True)
    return weights


def mixed(log_p: Floats, buckets: Integers, weights: Floats) -> Floats:
    """Logarithms of mixed probabilities."""
    with np.errstate(divide="ignore"):
        logs = np.log(weights[buckets]).T + log_p
    return np.asarray(np.logaddexp.reduce(logs, axis=0))
