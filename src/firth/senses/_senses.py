"""The senses of a word, learned from its contexts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.errors import InputError, ParameterError, check_count, wrong_parameter
from firth.senses._contexts import Contexts, ContextWord
from firth.senses._description import Description, describe
from firth.senses._em import Mixture, expected, learn_mixture
from firth.senses._typical import TypicalWord, typical

__all__ = ["WordSenses"]

Floats = npt.NDArray[np.float64]
_ONCE_IN_TWO = 0.5


class WordSenses:
    """The senses of a word: a mixture of bags of words, learned by EM.

    Each context has one sense, which nobody sees; given the sense, its words are independent of each other.
    EM finds how frequent the senses are and how probable each context word is in each, from several random
    starts. It maximises the likelihood times a prior that draws the words of each sense towards those of all
    contexts together. Where the number of senses is not given, it is the one with which the contexts can be
    described in the fewest bits.

    Parameters
    ----------
    n_senses : int, optional
        By default that of the shortest description.
    max_senses : int
        The most to try where the number is not given.
    smoothing : float
        The strength of the prior: each sense has seen the words of all contexts together, times this.
    restarts : int
        How many random starts are tried; the most probable mixture is kept.
    rounds : int
        The most rounds of EM.
    tolerance : float
        The end comes where a round gains less than so many nats a context.
    seed : int
        Of the random starts. The same seed gives the same senses.

    Attributes
    ----------
    n_senses_ : int
    shares_ : array, shape (n_senses,)
        How frequent each sense is; the most frequent is the first.
    words_ : list of ContextWord
        The words that were learned.
    word_probabilities_ : array, shape (n_senses, n_words)
        How probable each word is in the contexts of each sense.
    memberships_ : array, shape (n_contexts, n_senses)
        How probable each sense is in each context.
    labels_ : array, shape (n_contexts,)
        The most probable sense of each context.
    log_likelihoods_ : list of float
        Before each round.
    objectives_ : list of float
        The same, with the logarithm of the prior; it never falls.
    descriptions_ : list of Description
        For each number of senses that was tried, how many bits it takes to describe the contexts.

    Examples
    --------
    >>> import firth
    >>> from firth.senses import Contexts
    >>> lines = ["the bank of the river", "a bank near the water", "my bank lends money", "the bank counts money"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines * 5])
    >>> senses = firth.WordSenses(n_senses=2).fit(Contexts.of(corpus, "bank"))
    >>> senses.shares_.round(2).tolist()
    [0.5, 0.5]
    >>> first, second, third, fourth = senses.labels_[:4].tolist()
    >>> first == second, third == fourth, first == third
    (True, True, False)
    >>> int(senses.predict([["lends", "money"]])[0]) == third
    True
    """

    def __init__(
        self,
        n_senses: int | None = None,
        *,
        max_senses: int = 6,
        smoothing: float = 0.3,
        restarts: int = 5,
        rounds: int = 200,
        tolerance: float = 1e-4,
        seed: int = 0,
    ) -> None:
        self.n_senses = n_senses
        self.max_senses = max_senses
        self.smoothing = smoothing
        self.restarts = restarts
        self.rounds = rounds
        self.tolerance = tolerance
        self.seed = seed

    def fit(self, contexts: Contexts | Sequence[Sequence[str]]) -> WordSenses:
        """Learn senses.

        Parameters
        ----------
        contexts : Contexts, or list of lists of words
        """
        self._check()
        found = _as_contexts(contexts).without_rare(1)
        numbers = self._numbers(found)
        self.descriptions_: list[Description] = []
        best = math.inf
        with progress.stage("senses", float(len(numbers)), "numbers of senses", brief=2.0) as stage:
            for n_senses in numbers:
                mixture, history = learn_mixture(
                    found, n_senses, self.smoothing, self.restarts, self.rounds, self.tolerance, self.seed
                )  # fmt: skip
                description = describe(found, mixture)
                self.descriptions_.append(description)
                if self.n_senses == n_senses or (self.n_senses is None and description.bits < best):
                    best = description.bits
                    self._keep(found, mixture, history)
                stage.advance(1)
        return self

    def _check(self) -> None:
        owner = "WordSenses"
        if self.n_senses is not None:
            check_count(owner, "n_senses", self.n_senses)
        for name in ("max_senses", "restarts", "rounds"):
            check_count(owner, name, getattr(self, name))
        check_count(owner, "seed", self.seed, least=0)
        for name, least, rule in (
            ("smoothing", 1e-9, "a number above 0"),
            ("tolerance", 0.0, "a number of at least 0"),
        ):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not least <= value < math.inf:
                raise wrong_parameter(owner, name, rule, value)

    def _numbers(self, contexts: Contexts) -> list[int]:
        """The numbers of senses to try."""
        n = len(contexts)
        if n == 0 or not len(contexts.columns):
            raise InputError(
                "There are no contexts to learn senses from: no word is in two of them."
                if n
                else "There are no contexts to learn senses from.",
                "Use a larger window, or more text.",
            )
        if self.n_senses is None:
            return list(range(1, min(self.max_senses, n) + 1))
        if self.n_senses > n:
            error = ParameterError(
                f"{self.n_senses} senses are too many: there are only {n:,} contexts.",
                "Use fewer senses, or more text.",
            )
            raise error
        return sorted({1, self.n_senses})

    def _keep(
        self, contexts: Contexts, mixture: Mixture, history: list[tuple[float, float]]
    ) -> None:
        self.contexts_ = contexts
        self.mixture_ = mixture
        self.n_senses_ = len(mixture.shares)
        self.shares_ = mixture.shares
        self.words_ = contexts.words
        self.word_probabilities_ = mixture.words.T
        self.memberships_, self._added, _ = expected(contexts, mixture)
        self.labels_ = self.memberships_.argmax(axis=1)
        self.log_likelihoods_ = [likelihood for likelihood, _ in history]
        self.objectives_ = [objective for _, objective in history]

    def predict_proba(self, contexts: Contexts | Sequence[Sequence[str]]) -> Floats:
        """How probable each sense is in new contexts; words that were not learned say nothing.

        Parameters
        ----------
        contexts : Contexts, or list of lists of words
        """
        found = _as_contexts(contexts).fitted_to(self.words_)
        return expected(found, self.mixture_)[0]

    def predict(self, contexts: Contexts | Sequence[Sequence[str]]) -> npt.NDArray[np.int64]:
        """The most probable sense of new contexts.

        Parameters
        ----------
        contexts : Contexts, or list of lists of words
        """
        return np.asarray(self.predict_proba(contexts).argmax(axis=1), np.int64)

    def typical_words(self, sense: int, n: int = 10) -> list[TypicalWord]:
        """The context words that are typical of a sense: at least twice as frequent as in the other senses.

        They are ordered by how many bits it saves to know how frequent they are in this sense, so that a word
        must be both much more frequent and there often enough. A word that is in no other sense is taken to
        be there half a time.

        Parameters
        ----------
        sense : int
        n : int
            The most words to give.
        """
        self._check_sense(sense)
        check_count("WordSenses.typical_words", "n", n)
        counts = self._added[:, sense]
        others = self._added.sum(axis=1) - counts + _ONCE_IN_TWO
        return typical(self.words_, counts, others * (counts.sum() / others.sum()), n)

    def typical_contexts(self, sense: int, n: int = 5) -> list[int]:
        """The contexts that speak most clearly for a sense, and not for the next best; evenly spread ones where there is one sense.

        Of contexts that share half of their words, the first is taken.

        Parameters
        ----------
        sense : int
        n : int
            The most contexts to give.
        """  # noqa: E501
        self._check_sense(sense)
        check_count("WordSenses.typical_contexts", "n", n)
        if self.n_senses_ == 1:
            spread = np.linspace(0, len(self.contexts_) - 1, min(n, len(self.contexts_)))
            return [int(i) for i in spread]
        margins = self._margins(sense)
        order = np.argsort(-margins.round(9), kind="stable")
        found: list[int] = []
        seen: list[set[ContextWord]] = []
        for i in order[margins[order] > 0].tolist():
            words = {word for word, _ in self.contexts_.row(i)}
            if all(2 * len(words & others) < len(words) for others in seen):
                found.append(i)
                seen.append(words)
            if len(found) == n:
                break
        return found

    def _margins(self, sense: int) -> Floats:
        """How much more a sense is spoken for than the best of the others, in nats."""
        contexts, mixture = self.contexts_, self.mixture_
        rows = np.repeat(np.arange(len(contexts)), np.diff(contexts.starts))
        logs = np.log(mixture.words)
        joint = np.stack(
            [
                np.bincount(rows, contexts.counts * logs[contexts.columns, k], len(contexts))
                for k in range(self.n_senses_)
            ]
        ) + np.log(mixture.shares)[:, None]  # fmt: skip
        others = np.delete(joint, sense, axis=0).max(axis=0)
        return np.asarray(joint[sense] - others)

    def _check_sense(self, sense: int) -> None:
        if isinstance(sense, bool) or not isinstance(sense, int | np.integer):
            raise wrong_parameter("WordSenses", "sense", "an int", sense)
        if not 0 <= sense < self.n_senses_:
            raise wrong_parameter(
                "WordSenses", "sense", f"an int from 0 to {self.n_senses_ - 1}", sense
            )


def _as_contexts(contexts: Contexts | Sequence[Sequence[str]]) -> Contexts:
    return contexts if isinstance(contexts, Contexts) else Contexts.of_bags(contexts)
