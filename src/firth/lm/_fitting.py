"""Discounts and interpolation weights with which held-out text is most probable.

All discounts and weights are fitted together: models that are good alone are smoother than those that
are good in a mixture, where other models take care of what they have not seen. The discounts of the
first model, that of words, are left as they are, so that it is good alone and can be exported.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.lm._mixing import learn_weights
from firth.lm._trees import Traced

__all__ = ["fit_mixture"]

_ROUNDS = 3
"""How often all discounts are fitted in turn."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def fit_mixture(
    traced: Sequence[Sequence[Traced]], buckets: Integers, n_buckets: int
) -> tuple[Floats, Floats]:
    """Fit the discounts, which are changed in place, and return probabilities and weights.

    Parameters
    ----------
    traced : sequence of sequences of Traced
        Held-out text in the trees of each model.
    buckets : array of int64
        The bucket of the history of each held-out symbol.
    n_buckets : int

    Returns
    -------
    p : array of shape (n_symbols, n_models)
    weights : array of shape (n_buckets, n_models)
    """
    factors = [[one.p() for one in model] for model in traced]
    p = np.stack([_product(found) for found in factors], axis=1)
    weights = learn_weights(p, buckets, n_buckets)
    with progress.stage("fitting to held-out text", _ROUNDS, "rounds", brief=1.0) as stage:
        for _ in range(_ROUNDS):
            for k, model in enumerate(traced[1:], 1):
                here = weights[buckets, k]
                rest = (p * weights[buckets]).sum(axis=1) - here * p[:, k]
                for number, one in enumerate(model):
                    others = _product(factors[k][:number] + factors[k][number + 1 :], len(p))
                    one.fit(here * others, np.maximum(rest, 0.0))
                    factors[k][number] = one.p()
                p[:, k] = _product(factors[k])
            weights = learn_weights(p, buckets, n_buckets)
            stage.advance(1)
    return p, weights


def _product(factors: Sequence[Floats], n: int = 0) -> Floats:
    found = np.ones(len(factors[0]) if factors else n)
    for factor in factors:
        found *= factor
    return found
