"""A tagger whose words have features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from firth import unicode
from firth.compute import Engine, limit_blas
from firth.corpus import Corpus
from firth.tags._feature_hmm import FeatureHMM
from firth.tags._fitting import LikelihoodTagger
from firth.tags._hmm import normalised
from firth.tags._observations import Observations
from firth.tags._parameters import FeatureParameters
from firth.tags._spelling import SpellingGroups

__all__ = ["FeatureTagger", "word_features"]


class FeatureTagger(FeatureParameters, LikelihoodTagger):
    """A hidden Markov model with spelling features, of maximal likelihood (Berg-Kirkpatrick et al. 2010).

    The probability of a word, given its tag, is log-linear in features of the word: the word itself, a
    capital at the beginning, a digit, a hyphen, and suffixes of up to three characters. So rare words have
    the tags of words that are spelled alike. The weights of the features maximise the likelihood of the
    text, less a penalty, by direct gradient (L-BFGS).

    Attributes
    ----------
    objectives_ : list of float
        The penalised log-likelihood before the first iteration and after each.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sees a dog", "a dog hears the cat", "the bird sees the dog", "a cat hears a bird"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> tagger = FeatureTagger(n_tags=3, penalty=0.01).fit(corpus)
    >>> the, cat, sees, a, bird = tagger.tag([["the", "cat", "sees", "a", "bird"]])[0]
    >>> the == a, cat == bird
    (True, True)
    """

    def _fit(
        self, corpus: Corpus, observed: Observations, n: int, n_symbols: int, engine: Engine
    ) -> Self:
        words = corpus.vocabulary.words[:n].to_pylist()
        features = word_features(words, n_symbols)
        with limit_blas(1):  # so that the result does not depend on the number of threads
            model = FeatureHMM(features, self.n_tags, self.penalty, engine)
            found = model.fit(observed, self.rounds, self.tolerance, self.seed)
        self.objectives_ = found.objectives
        starts, pairs, emitted, likelihood = found.hmm.expectations(observed)
        memberships = normalised(found.hmm.emission[:n] * emitted.sum(axis=0), 1)
        facts = {"log_likelihood": likelihood, "rounds": len(found.objectives) - 1}
        alike = SpellingGroups.learn(words)
        return self._finish(corpus, memberships, starts, pairs, alike, facts)


def word_features(words: Sequence[str], n_symbols: int) -> Any:
    """A CSR array of symbols by features; symbols after the words have themselves as their only feature."""
    from scipy.sparse import csr_array

    known: dict[str, int] = {}
    rows, columns = list(range(n_symbols)), list(range(n_symbols))
    for row, word in enumerate(words):
        features = [f"-{word[-k:]}" for k in (1, 2, 3) if len(word) >= k]
        features += ["A"] * unicode.is_upper(word[:1]) + ["1"] * any(map(unicode.is_digit, word))
        features += ["hyphen"] * ("-" in word)
        rows += [row] * len(features)
        columns += [n_symbols + known.setdefault(feature, len(known)) for feature in features]
    shape = (n_symbols, n_symbols + len(known))
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
