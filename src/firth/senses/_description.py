"""The description length of the contexts of a word, for a number of senses.

The word distribution of a sense is that of all contexts, adjusted: a few words are described as 2, 4, ...
times as frequent in one sense. An adjustment costs bits, so only words that save more bits have one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute.portable import log2s
from firth.senses._contexts import Contexts
from firth.senses._em import Mixture, expected

__all__ = ["Description", "adjustment_bits", "adjustments", "describe"]

MORE = (2.0, 4.0, 8.0, 16.0, 64.0)
"""Factors by which a word can be more frequent in one sense."""
LESS = (1 / 2, 1 / 4, 1 / 8)
"""Factors by which it can be less frequent, if there are more than two senses."""
_ITERATIONS = 10
"""Maximum number of times that adjustments and memberships are computed in turn."""
_ITERATIONS_OF_CHOICE = 4
"""How many times adjustments are chosen and their costs are updated in turn."""
_ADJUSTED_AT_FIRST = 0.2
"""The share of words that the first costs assume to be adjusted."""
_GAIN = 1.0
"""Stop when an iteration saves less than this, in bits."""
_LEAST_SHARE = 1e-9
"""The smallest share of a sense, so that none is zero."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Description:
    """The description length of the contexts with a number of senses, in bits.

    What is the same for every number of senses is not included: the vocabulary, the frequency of each
    word in all contexts, and the lengths of the contexts.
    """

    n_senses: int
    model_bits: float
    """For the shares of the senses, and the adjustments of word frequencies."""
    data_bits: float
    """For the contexts, given the model."""
    n_said: int
    """Number of words that are described as more, or less, frequent in one sense."""

    @property
    def bits(self) -> float:
        """The whole description length."""
        return self.model_bits + self.data_bits


def adjustments(shares: Floats) -> Floats:
    """The possible adjustments of a word: a row for each, a column for each sense.

    The first row changes nothing. In the others, a word is 2, 4, ... times as frequent in one sense. An
    entry is the frequency of the word in a sense, divided by its frequency in all contexts.
    """
    n_senses = len(shares)
    steps = MORE + LESS if n_senses > 2 else MORE
    rows = np.ones((1 + n_senses * len(steps), n_senses))
    for k in range(n_senses):
        for j, step in enumerate(steps):
            rows[1 + k * len(steps) + j, k] = step
    return np.asarray(rows / (rows * shares).sum(axis=1, keepdims=True))


def adjustment_bits(times: npt.NDArray[np.int64]) -> float:
    """Bits to encode the adjustment of every word; ``times`` has how many words have each adjustment.

    The code is adaptive: the probability of the next adjustment is its count so far plus one, normalised.
    This gives log2 of (n + a - 1)! / ((a - 1)! · times[0]! · times[1]! · ...).
    """
    n, a = int(times.sum()), len(times)
    nats = math.lgamma(n + a) - math.lgamma(a) - sum(math.lgamma(t + 1) for t in times.tolist())
    return nats / math.log(2)


def describe(contexts: Contexts, mixture: Mixture) -> Description:
    """Search for the shortest description of contexts, beginning with the senses of a mixture.

    Parameters
    ----------
    contexts : Contexts
    mixture : Mixture

    Examples
    --------
    >>> import numpy as np
    >>> from firth.senses import Contexts, Mixture
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
        met = totals > 0
        bits = -float((totals[met] * log2s(whole[met])).sum())
        return Description(1, 0.0, bits, 0)
    memberships, added, _ = expected(contexts, mixture)
    times: npt.NDArray[np.int64] | None = None
    scale = np.ones(n_senses)
    best: Description | None = None
    for _ in range(_ITERATIONS):
        progress.check_interrupted()
        shares = np.maximum(memberships.mean(axis=0), _LEAST_SHARE)
        shares /= shares.sum()
        possible = adjustments(shares)
        chosen, times, scale = _choose(whole, added, possible, times, scale)
        described = Mixture(shares, whole[:, None] * possible[chosen] * scale)
        memberships, added, likelihood = expected(contexts, described)
        # half of log2(n) bits for each free share is the usual precision
        model = adjustment_bits(times) + (n_senses - 1) / 2 * math.log2(len(contexts))
        n_adjusted = int(np.count_nonzero(chosen))
        found = Description(n_senses, model, -likelihood / math.log(2), n_adjusted)
        if best is not None and found.bits > best.bits - _GAIN:
            break
        best = found
    assert best is not None  # noqa: S101
    return best


def _choose(
    whole: Floats,
    added: Floats,
    possible: Floats,
    times: npt.NDArray[np.int64] | None,
    scale: Floats,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """Choose the adjustment of each word that takes the fewest bits.

    Returns the adjustment of each word, the number of words with each adjustment, and the factors that
    make the probabilities of each sense sum to one.
    """
    n_words, n_possible = len(whole), len(possible)
    if times is None:
        usual = _ADJUSTED_AT_FIRST * n_words / n_possible
        times = np.full(n_possible, round(usual), np.int64)
        times[0] = round((1 - _ADJUSTED_AT_FIRST) * n_words)
    tokens = added.sum(axis=0)
    chosen = np.zeros(n_words, np.int64)
    for _ in range(_ITERATIONS_OF_CHOICE):
        price = -log2s((times + 1) / (times.sum() + n_possible))
        saved = log2s(possible * scale)
        # the last term: a word that becomes more probable makes all others less probable
        bits = (
            price
            - sum(np.outer(added[:, k], saved[:, k]) for k in range(len(scale)))
            + np.outer(whole, (possible * (tokens * scale)).sum(axis=1)) / math.log(2)
        )
        chosen = bits.argmin(axis=1)
        times = np.bincount(chosen, minlength=n_possible)
        scale = 1 / (whole[:, None] * possible[chosen]).sum(axis=0)
    return chosen, times, scale
