"""EM for a mixture of senses: given the sense of a context, its words are independent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute.portable import exps, logs
from firth.senses._contexts import Contexts

__all__ = ["Mixture", "Prior", "expected", "learn_mixture", "raised"]

Floats = npt.NDArray[np.float64]

BETAS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The powers to which probabilities are raised, in this order, before plain EM."""
_ITERATIONS_EACH = 15
"""Maximum number of EM iterations at each power."""
_ITERATIONS_TO_COMPARE = 20
"""Maximum number of EM iterations before restarts are compared."""
_SMALL_GAIN = 1e-4
"""The tolerance of these iterations, in nats per context."""
_EVENNESS = 5.0
"""The parameter of the Dirichlet distribution of random memberships."""
_NOISE = 0.3
"""The standard deviation of the noise that is added to log probabilities of words."""
SEARCHED = 5_000
"""Maximum number of contexts on which restarts are compared."""


@dataclass(frozen=True)
class Prior:
    """Pseudocounts: every sense begins with the word counts ``words``, and one context."""

    words: Floats
    """The counts of the words in all contexts, times the strength of the smoothing."""

    @classmethod
    def of(cls, contexts: Contexts, smoothing: float) -> Prior:
        """Pseudocounts proportional to the counts in all contexts; none may be zero."""
        return cls(smoothing * contexts.totals())


@dataclass(frozen=True)
class Mixture:
    """The share of each sense, and the probability of each word in its contexts."""

    shares: Floats
    words: Floats
    """A row for each word, a column for each sense; columns sum to one."""

    @classmethod
    def estimated(cls, n_contexts: Floats, n_words: Floats, prior: Prior) -> Mixture:
        """The most probable mixture, given expected counts of contexts and of words for each sense."""
        shares = n_contexts + 1.0
        words = n_words + prior.words[:, None]
        return cls(shares / shares.sum(), words / words.sum(axis=0))

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """The logarithms of ``shares`` and ``words``."""
        return logs(self.shares), logs(self.words)

    def log_prior(self, prior: Prior) -> float:
        """The log density of the prior, without its constant."""
        shares, words = self.logs
        return float(shares.sum() + (prior.words[:, None] * words).sum())

    def in_order(self) -> Mixture:
        """The most frequent sense first."""
        order = np.argsort(-self.shares, kind="stable")
        return Mixture(self.shares[order], np.ascontiguousarray(self.words[:, order]))


def expected(
    contexts: Contexts, mixture: Mixture, beta: float = 1.0
) -> tuple[Floats, Floats, float]:
    """The E step: memberships of contexts, expected counts of words, and the log likelihood.

    With ``beta`` below one, probabilities are raised to that power, and the negative free energy takes
    the place of the log likelihood.
    """
    from firth.senses._kernels import expect

    n_senses = len(mixture.shares)
    memberships = np.empty((len(contexts), n_senses))
    added = np.empty((len(contexts.words), n_senses))
    total = expect(
        contexts.starts, contexts.columns, contexts.counts, *mixture.logs, beta, memberships, added
    )  # fmt: skip
    return memberships, added, float(total)


def raised(
    contexts: Contexts,
    mixture: Mixture,
    prior: Prior,
    rounds: int,
    tolerance: float = 0.0,
    beta: float = 1.0,
) -> tuple[Mixture, list[tuple[float, float]]]:
    """Improve a mixture by EM.

    Parameters
    ----------
    contexts : Contexts
    mixture : Mixture
        The initial mixture.
    prior : Prior
    rounds : int
        Maximum number of iterations.
    tolerance : float
        Stop when an iteration gains less than this, in nats per context.
    beta : float
        The power to which probabilities are raised in the E step.

    Returns
    -------
    mixture : Mixture
    history : list of (float, float)
        The log likelihood before each iteration, and its sum with the log prior, which never decreases.
    """
    history: list[tuple[float, float]] = []
    for _ in range(rounds):
        progress.check_interrupted()
        memberships, added, likelihood = expected(contexts, mixture, beta)
        history.append((likelihood, likelihood + mixture.log_prior(prior)))
        if len(history) > 1 and history[-1][1] - history[-2][1] < tolerance * len(contexts):
            break
        mixture = Mixture.estimated(memberships.sum(axis=0), added, prior)
    return mixture, history


def learn_mixture(
    contexts: Contexts,
    n_senses: int,
    smoothing: float,
    restarts: int,
    rounds: int,
    tolerance: float,
    seed: int,
) -> tuple[Mixture, list[tuple[float, float]]]:
    """The most probable mixture of several random restarts, and the history of the last iterations.

    Each restart begins with deterministic annealing: probabilities are raised to powers that increase to
    one. If there are very many contexts, restarts are compared on a sample.
    """
    some = contexts.spread(SEARCHED)
    whole = Prior.of(contexts, smoothing)
    prior = Prior(whole.words * (len(some) / len(contexts)))
    rng = np.random.default_rng(seed)
    best: tuple[float, Mixture] | None = None
    for _ in range(restarts if n_senses > 1 else 1):
        mixture = _annealed(some, n_senses, prior, rng)
        mixture, history = raised(some, mixture, prior, _ITERATIONS_TO_COMPARE, _SMALL_GAIN)
        if best is None or history[-1][1] > best[0]:
            best = history[-1][1], mixture
    assert best is not None  # noqa: S101
    mixture, history = raised(contexts, best[1], whole, rounds, tolerance)
    return mixture.in_order(), history


def _annealed(contexts: Contexts, n_senses: int, prior: Prior, rng: np.random.Generator) -> Mixture:
    """A random restart with nearly even memberships, after deterministic annealing.

    Noise is added before each power: at low powers the senses become equal, and equal senses stay equal.
    """
    memberships = rng.dirichlet(np.full(n_senses, _EVENNESS), len(contexts))
    mixture = Mixture.estimated(memberships.sum(axis=0), _added(contexts, memberships), prior)
    if n_senses > 1:
        for beta in BETAS:
            words = mixture.words * exps(_NOISE * rng.standard_normal(mixture.words.shape))
            mixture = Mixture(mixture.shares, words / words.sum(axis=0))
            mixture, _ = raised(contexts, mixture, prior, _ITERATIONS_EACH, _SMALL_GAIN, beta)
    return mixture


def _added(contexts: Contexts, memberships: Floats) -> Floats:
    """The expected counts of words, given memberships."""
    rows = np.repeat(np.arange(len(contexts)), np.diff(contexts.starts))
    weights = contexts.counts[:, None] * memberships[rows]
    columns = [np.bincount(contexts.columns, weight, len(contexts.words)) for weight in weights.T]
    return np.stack(columns, axis=1)
