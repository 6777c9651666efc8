"""EM for the mixture: a context has a sense, and given the sense its words are independent of each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.senses._contexts import Contexts

__all__ = ["Mixture", "Prior", "expected", "learn_mixture", "raised"]

Floats = npt.NDArray[np.float64]

BETAS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The powers to which probabilities are raised, one after the other, before EM proper."""
_ROUNDS_EACH = 15
_ROUNDS_TO_COMPARE = 20
_SMALL_GAIN = 1e-4
"""So few nats a context are not worth another round on the way."""
_EVENNESS = 5.0
_NOISE = 0.3
SEARCHED = 5_000
"""Starts are tried on so many contexts at the most."""


@dataclass(frozen=True)
class Prior:
    """What is taken for granted before a context is seen.

    Every sense has seen each word in proportion to ``words``, and one context.
    """

    words: Floats
    """Pseudocounts of words: how frequent each is in all contexts, times the strength of the smoothing."""

    @classmethod
    def of(cls, contexts: Contexts, smoothing: float) -> Prior:
        """Pseudocounts that are a share of the counts of all contexts together; none may be zero."""
        return cls(smoothing * contexts.totals())


@dataclass(frozen=True)
class Mixture:
    """How frequent each sense is, and how probable each word is in its contexts."""

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
        """The logarithms of shares and words."""
        return np.log(self.shares), np.log(self.words)

    def log_prior(self, prior: Prior) -> float:
        """The logarithm of the prior's density, without its constant."""
        shares, words = self.logs
        return float(shares.sum() + (prior.words @ words).sum())

    def in_order(self) -> Mixture:
        """The most frequent sense first."""
        order = np.argsort(-self.shares, kind="stable")
        return Mixture(self.shares[order], np.ascontiguousarray(self.words[:, order]))


def expected(
    contexts: Contexts, mixture: Mixture, beta: float = 1.0
) -> tuple[Floats, Floats, float]:
    """Memberships of contexts, expected counts of words, and the log-likelihood (the E step).

    With ``beta`` below one, probabilities are raised to that power, and the last figure is the free energy
    (up to its sign) instead.
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
    """Make a mixture more probable, round by round.

    Parameters
    ----------
    contexts : Contexts
    mixture : Mixture
        Where to start.
    prior : Prior
    rounds : int
        The most rounds.
    tolerance : float
        The end comes where a round gains less than so many nats a context.
    beta : float
        The power to which probabilities are raised in the E step.

    Returns
    -------
    mixture : Mixture
    history : list of (float, float)
        The log-likelihood before each round, and the same with the prior added: the latter never falls.
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
    """The most probable mixture that is found from several random starts, and the way of the last rounds.

    Each start is led through powers of the probabilities that rise to one (deterministic annealing). Where
    there are very many contexts, starts are compared on some of them.
    """
    some = contexts.spread(SEARCHED)
    whole = Prior.of(contexts, smoothing)
    prior = Prior(whole.words * (len(some) / len(contexts)))
    rng = np.random.default_rng(seed)
    best: tuple[float, Mixture] | None = None
    for _ in range(restarts if n_senses > 1 else 1):
        mixture = _annealed(some, n_senses, prior, rng)
        mixture, history = raised(some, mixture, prior, _ROUNDS_TO_COMPARE, _SMALL_GAIN)
        if best is None or history[-1][1] > best[0]:
            best = history[-1][1], mixture
    assert best is not None  # noqa: S101
    mixture, history = raised(contexts, best[1], whole, rounds, tolerance)
    return mixture.in_order(), history


def _annealed(contexts: Contexts, n_senses: int, prior: Prior, rng: np.random.Generator) -> Mixture:
    """A start at random, with memberships that are nearly even, led through rising powers.

    Before each power the words of the senses are disturbed a little: at low powers senses become the same, and
    what is the same stays the same.
    """
    evenly = np.full(n_senses, _EVENNESS)
    memberships = rng.dirichlet(evenly, len(contexts))
    mixture = Mixture.estimated(memberships.sum(axis=0), _added(contexts, memberships), prior)
    if n_senses > 1:
        for beta in BETAS:
            words = mixture.words * np.exp(_NOISE * rng.standard_normal(mixture.words.shape))
            mixture = Mixture(mixture.shares, words / words.sum(axis=0))
            mixture, _ = raised(contexts, mixture, prior, _ROUNDS_EACH, _SMALL_GAIN, beta)
    return mixture


def _added(contexts: Contexts, memberships: Floats) -> Floats:
    """Expected counts of words, given memberships."""
    rows = np.repeat(np.arange(len(contexts)), np.diff(contexts.starts))
    weights = contexts.counts[:, None] * memberships[rows]
    columns = [np.bincount(contexts.columns, weight, len(contexts.words)) for weight in weights.T]
    return np.stack(columns, axis=1)
