"""The Brown model: a hidden Markov model in which every word has one class.

(Brown et al. 1992; Stratos et al. 2014, section 4.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._recovery import RecoveryCondition
from firth.errors import ParameterError, check_count, wrong_parameter

__all__ = ["BrownModel"]

Floats = npt.NDArray[np.float64]
_CLOSE = 1e-9


class BrownModel:
    """A hidden Markov model over classes in which every word belongs to one class.

    Parameters
    ----------
    start : array, shape (m,)
        The probability of each class for the first word, π.
    transitions : array, shape (m, m)
        ``transitions[d, c]`` is the probability of class d after class c, T.
    emissions : array, shape (n, m)
        ``emissions[w, c]`` is the probability of word w in class c, O; every row has one nonzero entry.

    Examples
    --------
    >>> model = BrownModel.random(n_words=6, n_classes=2, seed=0)
    >>> model.class_of.tolist()
    [0, 1, 0, 1, 0, 1]
    >>> words = model.sample(n=1, length=5, seed=1)[0]
    >>> len(words), model.log_prob(words) < 0
    (5, True)
    """

    def __init__(self, start: Any, transitions: Any, emissions: Any) -> None:
        self.start: Floats = np.asarray(start, np.float64)
        self.transitions: Floats = np.asarray(transitions, np.float64)
        self.emissions: Floats = np.asarray(emissions, np.float64)
        m = len(self.start)
        if (
            self.transitions.shape != (m, m)
            or self.emissions.ndim != 2
            or self.emissions.shape[1] != m
        ):
            raise ParameterError(
                "The arrays of a Brown model must have the shapes (m,), (m, m) and (n, m)."
            )
        for name in ("start", "transitions", "emissions"):
            array = getattr(self, name)
            if np.any(array < 0) or np.any(np.abs(array.sum(axis=0) - 1) > _CLOSE):
                raise wrong_parameter(
                    "BrownModel", name, "probabilities that sum to 1 in every column", array
                )
        if np.any((self.emissions > 0).sum(axis=1) != 1):
            raise ParameterError("Every word of a Brown model must belong to exactly one class.")
        self.class_of: npt.NDArray[np.int64] = self.emissions.argmax(axis=1)

    @classmethod
    def random(cls, n_words: int, n_classes: int, seed: int = 0) -> BrownModel:
        """A random model; words are dealt out in turn, so that classes are of equal size."""
        check_count("BrownModel.random", "n_classes", n_classes)
        check_count("BrownModel.random", "n_words", n_words, least=n_classes)
        chance = np.random.default_rng(seed)
        start = chance.dirichlet(np.ones(n_classes))
        transitions = chance.dirichlet(np.ones(n_classes), n_classes).T
        emissions = np.zeros((n_words, n_classes))
        words = np.arange(n_words)
        emissions[words, words % n_classes] = chance.gamma(1.0, size=n_words) + 0.05
        return cls(start, transitions, emissions / emissions.sum(axis=0))

    @property
    def n_words(self) -> int:
        return len(self.emissions)

    @property
    def n_classes(self) -> int:
        return len(self.start)

    def sample(self, n: int, length: int, seed: int = 0) -> npt.NDArray[np.int64]:
        """Draw ``n`` sequences of ``length`` words; an array of word numbers, one row for each sequence."""
        check_count("BrownModel.sample", "n", n)
        check_count("BrownModel.sample", "length", length)
        chance = np.random.default_rng(seed)
        classes = np.empty((n, length), np.int64)
        classes[:, 0] = _draw(chance, np.broadcast_to(self.start, (n, self.n_classes)))
        for i in range(1, length):
            classes[:, i] = _draw(chance, self.transitions.T[classes[:, i - 1]])
        words = np.empty_like(classes)
        for c in range(self.n_classes):
            here = classes == c
            words[here] = chance.choice(self.n_words, int(here.sum()), p=self.emissions[:, c])
        return words

    def log_prob(self, words: Sequence[int] | npt.NDArray[Any]) -> float:
        """The natural logarithm of the probability of a sequence of words."""
        w = np.asarray(words, np.int64)
        if len(w) == 0:
            return 0.0
        c = self.class_of[w]
        with np.errstate(divide="ignore"):
            return float(
                np.log(self.start[c[0]])
                + np.log(self.emissions[w, c]).sum()
                + np.log(self.transitions[c[1:], c[:-1]]).sum()
            )

    def class_probabilities(self, length: int, positions: Iterable[int]) -> Floats:
        """The mean probability of each class over some positions (from 0) of a sequence."""
        wanted = set(positions)
        total, now = np.zeros(self.n_classes), self.start
        for i in range(length):
            if i in wanted:
                total += now
            now = self.transitions @ now
        return total / len(wanted)

    def bigrams(self, length: int, offset: int = 1) -> tuple[Floats, Floats, Floats]:
        """Exact B, u and v (Stratos et al. 2014, section 5.2).

        A position is drawn uniformly from a sequence of ``length`` words such that the position
        ``offset`` further on is in the sequence, too. B has the probabilities of the two words, u those
        of the first, v those of the second.
        """
        check_count("BrownModel.bigrams", "offset", offset)
        check_count("BrownModel.bigrams", "length", length, least=offset + 1)
        pi = self.class_probabilities(length, range(length - offset))
        later = self.emissions @ np.linalg.matrix_power(self.transitions, offset)
        return (self.emissions * pi) @ later.T, self.emissions @ pi, later @ pi

    def omega(self, length: int, power: float = 1.0, offset: int = 1) -> Floats:
        """Exact Ω^(a): the CCA matrix, every entry raised to a power (Stratos et al. 2015, theorem 4.1)."""
        b, u, v = self.bigrams(length, offset)
        omega: Floats = (b / np.sqrt(np.outer(u, v))) ** power
        return omega

    def estimated_omega(self, words: Any, kappa: float = 0.0) -> Floats:
        """Ω estimated from sampled sequences (Stratos et al. 2014, figure 4); zero where a word is not seen.

        Parameters
        ----------
        words : array of int, shape (n, length)
            Such as ``sample`` draws.
        kappa : float
            The pseudocount.
        """
        w = np.asarray(words, np.int64)
        if w.ndim != 2 or w.shape[1] < 2 or not w.size or w.min() < 0 or w.max() >= self.n_words:
            what = f"sequences of at least 2 word numbers below {self.n_words}"
            raise wrong_parameter("BrownModel.estimated_omega", "words", what, w.shape)
        pairs = np.zeros((self.n_words, self.n_words))
        np.add.at(pairs, (w[:, :-1].ravel(), w[:, 1:].ravel()), 1.0)
        scale = np.sqrt(np.outer(pairs.sum(axis=1) + kappa, pairs.sum(axis=0) + kappa))
        return np.divide(pairs, scale, out=np.zeros_like(pairs), where=scale > 0)

    def condition(self, length: int, offset: int = 1) -> RecoveryCondition:
        """When the spectral algorithm recovers the classes (Stratos et al. 2014, theorem 5.2, appendix C).

        The parameters are those of ``bigrams``.

        Examples
        --------
        >>> model = BrownModel.random(n_words=6, n_classes=2, seed=0)
        >>> condition = model.condition(length=10)
        >>> round(condition.sigma_m, 3), round(condition.epsilon, 4)
        (0.657, 0.006)
        >>> condition.holds(model.estimated_omega(model.sample(n=100, length=10)))
        False
        """
        return RecoveryCondition.of(*self.bigrams(length, offset), self.emissions)


def _draw(chance: np.random.Generator, probabilities: Floats) -> npt.NDArray[np.int64]:
    """One draw from each row of probabilities."""
    edges = np.cumsum(probabilities, axis=1)
    marks = chance.random((len(edges), 1)) * edges[:, -1:]
    drawn: npt.NDArray[np.int64] = np.sum(marks >= edges, axis=1, dtype=np.int64)
    return drawn.clip(max=edges.shape[1] - 1)
