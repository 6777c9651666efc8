"""The senses of a word, learned from its contexts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute.portable import logs
from firth.errors import InputError, ParameterError, check_count, wrong_parameter
from firth.estimator import Estimator
from firth.senses._contexts import Contexts, ContextWord
from firth.senses._description import Description, describe
from firth.senses._em import Mixture, expected, learn_mixture
from firth.senses._parameters import SenseParameters
from firth.senses._typical import TypicalWord, typical

__all__ = ["WordSenses"]

Floats = npt.NDArray[np.float64]
_ONCE_IN_TWO = 0.5


class WordSenses(SenseParameters, Estimator):
    """Word-sense induction: a mixture of bags of words, learned by EM.

    Each context has one hidden sense; given the sense, its words are independent. EM estimates how
    frequent the senses are and how probable each context word is in each, from several random starts. It
    maximises the likelihood times a prior that draws the words of each sense towards those of all
    contexts. If the number of senses is not given, it is the one with the shortest description of the
    contexts, in bits.

    Attributes
    ----------
    n_senses_ : int
    shares_ : array, shape (n_senses,)
        The frequency of each sense; the most frequent is the first.
    words_ : list of ContextWord
        The context words.
    word_probabilities_ : array, shape (n_senses, n_words)
        The probability of each word in the contexts of each sense.
    memberships_ : array, shape (n_contexts, n_senses)
        The probability of each sense in each context.
    labels_ : array, shape (n_contexts,)
        The most probable sense of each context.
    log_likelihoods_ : list of float
        Before each iteration.
    objectives_ : list of float
        The same, with the log prior; it never decreases.
    descriptions_ : list of Description
        The description length of the contexts, for each number of senses that was tried.

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

    def fit(self, contexts: Contexts | Sequence[Sequence[str]]) -> WordSenses:
        """Learn senses from contexts.

        Parameters
        ----------
        contexts : Contexts, or list of lists of words
        """
        self.check()
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

    def _numbers(self, contexts: Contexts) -> list[int]:
        """The numbers of senses to try."""
        n = len(contexts)
        if n == 0 or not len(contexts.columns):
            raise InputError(
                "There are no contexts to learn senses from: no word occurs in two of them."
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
        self.memberships_, self.word_counts_, _ = expected(contexts, mixture)
        self.labels_ = self.memberships_.argmax(axis=1)
        self.log_likelihoods_ = [likelihood for likelihood, _ in history]
        self.objectives_ = [objective for _, objective in history]

    def predict_proba(self, contexts: Contexts | Sequence[Sequence[str]]) -> Floats:
        """The probability of each sense in new contexts; unknown context words are ignored.

        Parameters
        ----------
        contexts : Contexts, or list of lists of words
        """
        self._check_fitted()
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
        """Context words that are typical of a sense: at least twice as frequent as in the other senses.

        They are ordered by the number of bits saved by knowing their frequency in this sense, which
        favours words that are both characteristic and frequent. A word that occurs in no other sense
        counts there as half an occurrence.

        Parameters
        ----------
        sense : int
        n : int
            Maximum number of words.
        """
        self._check_sense(sense)
        check_count("WordSenses.typical_words", "n", n)
        counts = self.word_counts_[:, sense]
        others = self.word_counts_.sum(axis=1) - counts + _ONCE_IN_TWO
        return typical(self.words_, counts, others * (counts.sum() / others.sum()), n)

    def typical_contexts(self, sense: int, n: int = 5) -> list[int]:
        """The contexts that are most clearly of a sense; if there is only one, evenly spread contexts.

        Of contexts that share half of their words, the first is taken.

        Parameters
        ----------
        sense : int
        n : int
            Maximum number of contexts.
        """
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
        """The log odds of a sense against the best other sense, in nats."""
        contexts, mixture = self.contexts_, self.mixture_
        rows = np.repeat(np.arange(len(contexts)), np.diff(contexts.starts))
        of_words = logs(mixture.words)
        joint = np.stack(
            [
                np.bincount(rows, contexts.counts * of_words[contexts.columns, k], len(contexts))
                for k in range(self.n_senses_)
            ]
        ) + logs(mixture.shares)[:, None]  # fmt: skip
        others = np.delete(joint, sense, axis=0).max(axis=0)
        return np.asarray(joint[sense] - others)

    def _check_sense(self, sense: int) -> None:
        self._check_fitted()
        if isinstance(sense, bool) or not isinstance(sense, int | np.integer):
            raise wrong_parameter("WordSenses", "sense", "an int", sense)
        if not 0 <= sense < self.n_senses_:
            raise wrong_parameter(
                "WordSenses", "sense", f"an int from 0 to {self.n_senses_ - 1}", sense
            )


def _as_contexts(contexts: Contexts | Sequence[Sequence[str]]) -> Contexts:
    return contexts if isinstance(contexts, Contexts) else Contexts.of_bags(contexts)
