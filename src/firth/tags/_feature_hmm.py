"""Hidden Markov models whose probabilities are log-linear in features (Berg-Kirkpatrick et al. 2010)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.tags._hmm import HMM
from firth.tags._observations import Observations

__all__ = ["FeatureHMM", "Fitted"]

_SPREAD = 0.1
"""Weights begin between zero and this, at random: with equal ones, all states would stay alike."""

Floats = npt.NDArray[np.float64]


class Fitted(NamedTuple):
    """A model that was fitted."""

    hmm: HMM
    weights: Floats
    objectives: list[float]
    """The objective before the first iteration and after each; it never falls."""


class FeatureHMM:
    """A hidden Markov model with features on emissions, and how likely it makes some sentences.

    The probability of symbol *x* in state *h* is in proportion to exp(Σ_k f_k(x) w_k(h)), over the features
    *f_k(x)* of the symbol. Initial and transition probabilities have a weight of their own for each state
    and each pair of states. The objective is the log-likelihood, less ``penalty`` times the sum of the
    squares of all weights.

    Parameters
    ----------
    features : CSR array of shape (n_symbols, n_features)
    n_states : int
    penalty : float
    engine : Engine
    """

    def __init__(self, features: Any, n_states: int, penalty: float, engine: Engine) -> None:
        self.features, self.turned = features, features.T.tocsr()
        self.n_states, self.penalty, self.engine = n_states, penalty, engine

    @property
    def n_weights(self) -> int:
        return self.n_states * (1 + self.n_states + int(self.features.shape[1]))

    def hmm(self, weights: Floats) -> HMM:
        """The probabilities that some weights give."""
        initial, transition, emission = self._parts(weights)
        return HMM(
            _softmax(initial, 0),
            _softmax(transition, 1),
            _softmax(self.features @ emission, 0),
            self.engine,
        )

    def objective(
        self, weights: Floats, observed: Observations, stage: progress.Stage | None = None
    ) -> tuple[float, Floats]:
        """The objective and its gradient.

        The gradient of the log-likelihood is that of the expected one, with the expectations fixed: for the
        scores of a distribution, expected counts less their sum times the probabilities.
        """
        hmm = self.hmm(weights)
        starts, pairs, emitted, likelihood = hmm.expectations(observed, stage)
        of_pairs = pairs - pairs.sum(axis=1, keepdims=True) * hmm.transition
        of_emitted = self.turned @ (emitted - emitted.sum(axis=0) * hmm.emission)
        gradient = np.concatenate(
            [starts - starts.sum() * hmm.initial, of_pairs.ravel(), of_emitted.ravel()]
        )
        value = likelihood - self.penalty * float(weights @ weights)
        return value, gradient - 2 * self.penalty * weights

    def fit(self, observed: Observations, rounds: int, tolerance: float, seed: int) -> Fitted:
        """Climb from random weights (L-BFGS), until an iteration gains less than ``tolerance`` nats per token."""
        from scipy.optimize import minimize

        n = max(1, len(observed))
        start = np.random.default_rng(seed).uniform(0, _SPREAD, self.n_weights)
        objectives = [self.objective(start, observed)[0]]

        with progress.stage("features", float(rounds), "iterations") as stage:

            def loss(weights: Floats) -> tuple[float, Floats]:
                progress.check_interrupted()
                value, gradient = self.objective(weights, observed)
                return -value / n, -gradient / n

            def after(intermediate_result: Any) -> None:
                stage.advance(1)
                objectives.append(-n * float(intermediate_result.fun))
                if objectives[-1] - objectives[-2] < tolerance * n:
                    raise StopIteration

            found = minimize(
                loss, start, jac=True, method="L-BFGS-B", callback=after,
                options={"maxiter": rounds, "maxfun": 20 * rounds, "ftol": 0.0, "gtol": 0.0},
            )  # fmt: skip
        return Fitted(self.hmm(found.x), found.x, objectives)

    def _parts(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        m = self.n_states
        initial, transition, emission = np.split(weights, [m, m + m * m])
        return initial, transition.reshape(m, m), emission.reshape(-1, m)


def _softmax(scores: Floats, axis: int) -> Floats:
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    probabilities: Floats = raised / raised.sum(axis=axis, keepdims=True)
    return probabilities
