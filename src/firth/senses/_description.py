"""How many bits it takes to describe the contexts of a word with the help of its senses."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.senses._contexts import Contexts
from firth.senses._em import Mixture, expected

__all__ = ["Description", "describe", "factors", "said_bits"]

MORE = (2.0, 4.0, 8.0, 16.0, 64.0)
"""A word can be said to be so many times as frequent in one sense as it would be."""
LESS = (1 / 2, 1 / 4, 1 / 8)
"""The same downwards, where there are more than two senses."""
_ROUNDS = 10
_ROUNDS_OF_SAYING = 4
_SAID_AT_FIRST = 0.2
_GAIN = 1.0
_LEAST_SHARE = 1e-9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Description:
    """How many bits the contexts take, described with some number of senses.

    What is the same for every number of senses is left out: the list of the words, how frequent
    each is in all contexts together, and how long contexts are.
    """

    n_senses: int
    model_bits: float
    """For the shares of the senses, and for what is said about words."""
    data_bits: float
    """For the contexts, given that."""
    n_said: int
    """About how many words something is said: that they are more, or less, frequent in one sense."""

    @property
    def bits(self) -> float:
        """All together."""
        return self.model_bits + self.data_bits


def factors(shares: Floats) -> Floats:
    """What can be said about a word: a row for each thing, a column for each sense.

    The first row says nothing. The others say that a word is 2, 4, ... times as frequent in one sense. Entries
    are how frequent the word then is in each sense, divided by how frequent it is in all of them together.
    """
    n_senses = len(shares)
    steps = MORE + LESS if n_senses > 2 else MORE
    rows = np.ones((1 + n_senses * len(steps), n_senses))
    for k in range(n_senses):
        for j, step in enumerate(steps):
            rows[1 + k * len(steps) + j, k] = step
    return np.asarray(rows / (rows @ shares)[:, None])


def said_bits(times: npt.NDArray[np.int64]) -> float:
    """Bits to tell for each word what is said about it, when each thing is said so many times.

    Each next one is told with the probabilities that follow from those before, each thing counted once more
    than it was said: log2 of (n + a - 1)! / ((a - 1)! · times[0]! · times[1]! · ...).
    """
    n, a = int(times.sum()), len(times)
    nats = math.lgamma(n + a) - math.lgamma(a) - sum(math.lgamma(t + 1) for t in times.tolist())
    return nats / math.log(2)


def describe(contexts: Contexts, mixture: Mixture) -> Description:
    """The shortest description that is found with the senses of a mixture.

    Parameters
    ----------
    contexts : Contexts
    mixture : Mixture

    Examples
    --------
    >>> import numpy as np
    >>> from firth.senses import Contexts, Mixture, describe
    >>> contexts = Contexts.of_bags([["river", "water"], ["money", "loan"]] * 100)
    >>> one = Mixture(np.ones(1), np.full((4, 1), 1 / 4))
    >>> describe(contexts, one).bits  # 400 tokens, two bits each
    800.0
    >>> two = Mixture(np.full(2, 1 / 2), np.array([[4, 1], [4, 1], [1, 4], [1, 4]]) / 10)
    >>> round(describe(contexts, two).bits)
    625
    """
    totals = contexts.totals()
    whole = totals / totals.sum()
    n_senses = len(mixture.shares)
    if n_senses == 1:
        bits = -float(totals[totals > 0] @ np.log2(whole[totals > 0]))
        return Description(1, 0.0, bits, 0)
    memberships, added, _ = expected(contexts, mixture)
    times: npt.NDArray[np.int64] | None = None
    scale = np.ones(n_senses)
    best: Description | None = None
    for _ in range(_ROUNDS):
        shares = np.maximum(memberships.mean(axis=0), _LEAST_SHARE)
        shares /= shares.sum()
        things = factors(shares)
        said, times, scale = _say(whole, added, things, times, scale)
        told = Mixture(shares, whole[:, None] * things[said] * scale)
        memberships, added, likelihood = expected(contexts, told)
        model = said_bits(times) + (n_senses - 1) / 2 * math.log2(len(contexts))
        found = Description(n_senses, model, -likelihood / math.log(2), int(np.count_nonzero(said)))
        if best is not None and found.bits > best.bits - _GAIN:
            break
        best = found
    assert best is not None  # noqa: S101
    return best


def _say(
    whole: Floats,
    added: Floats,
    things: Floats,
    times: npt.NDArray[np.int64] | None,
    scale: Floats,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """What to say about each word so that it saves more bits than it takes.

    Gives the number of what is said about each word, how many times each thing is said, and what makes the
    probabilities of each sense sum to one.
    """
    n_words, n_things = len(whole), len(things)
    if times is None:
        usual = _SAID_AT_FIRST * n_words / n_things
        times = np.full(n_things, round(usual), np.int64)
        times[0] = round((1 - _SAID_AT_FIRST) * n_words)
    tokens = added.sum(axis=0)
    said = np.zeros(n_words, np.int64)
    for _ in range(_ROUNDS_OF_SAYING):
        price = -np.log2((times + 1) / (times.sum() + n_things))
        # a word that becomes more probable makes all others less so, which the last term stands for
        bits = (
            price
            - added @ np.log2(things * scale).T
            + np.outer(whole, things @ (tokens * scale)) / math.log(2)
        )
        said = bits.argmin(axis=1)
        times = np.bincount(said, minlength=n_things)
        scale = 1 / (whole @ things[said])
    return said, times, scale
