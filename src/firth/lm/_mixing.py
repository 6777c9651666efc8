"""Linear interpolation of language models, with weights that depend on how often the history was seen.

The weights maximise the likelihood of held-out text. EM finds them; there are no local optima.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import exps
from firth.errors import InputError
from firth.lm import _kernels as kernels
from firth.store import Room

__all__ = ["buckets_of", "learn_weights", "mixed"]

_ITERATIONS = 200
_TOLERANCE = 1e-7
"""EM stops when an iteration gains less than this, in nats per word."""
_AT_ONCE = 1 << 18
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


def learn_weights(
    log_p: Floats, buckets: Integers, n_buckets: int, room: Room | None = None
) -> Floats:
    """Learn the interpolation weights of models, for each bucket.

    Parameters
    ----------
    log_p : array of shape (n_models, n_words)
        The log probability of each held-out word, by each model.
    buckets : array of int64, shape (n_words,)
    n_buckets : int
    room : Room, optional
        For an array of the size of ``log_p``.

    Returns
    -------
    array of shape (n_buckets, n_models)
        Rows sum to one.
    """
    n_models, n = log_p.shape
    if not n:
        raise InputError("There are no held-out words to learn weights from.")
    p = (room or Room()).empty((n, n_models), np.float64)
    for a in range(0, n, _AT_ONCE):
        some = log_p[:, a : a + _AT_ONCE]
        p[a : a + _AT_ONCE] = exps(some - some.max(axis=0)).T
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


def mixed(log_p: Floats, buckets: Integers, weights: Floats, room: Room | None = None) -> Floats:
    """The log probabilities of the interpolated model."""
    found: Floats = (room or Room()).empty(log_p.shape[1], np.float64)
    mix(np.ascontiguousarray(log_p), np.ascontiguousarray(buckets, np.int64), weights, found)
    return found
