"""Part-of-speech induction by clustering and mutual information."""

from __future__ import annotations

from typing import Self

from firth.compute import Engine
from firth.corpus import Corpus
from firth.tags._contexts import ContextCounts
from firth.tags._estimation import transitions
from firth.tags._fitting import ContextTagger
from firth.tags._induction import induced_memberships
from firth.tags._parameters import MutualInformationParameters
from firth.tags._spelling import SpellingGroups

__all__ = ["MutualInformationTagger"]


class MutualInformationTagger(MutualInformationParameters, ContextTagger):
    """Part-of-speech induction by clustering and mutual information.

    Words are clustered by the words beside them and by their spelling. In each round the contexts are the
    clusters of the neighbours, as the round before found them. Finally the tags of words and the tags of
    contexts are changed, by gradient steps, so that they tell more about each other (Stratos 2019).

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sees a dog", "a dog hears the cat", "the bird sees the dog", "a cat hears a bird"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> tagger = MutualInformationTagger(n_tags=3).fit(corpus)
    >>> the, cat, sees, a, bird = tagger.tag([["the", "cat", "sees", "a", "bird"]])[0]
    >>> the == a, cat == bird, len({the, cat, sees})
    (True, True, 3)
    """

    def _fit(
        self,
        corpus: Corpus,
        counted: ContextCounts,
        elsewhere: ContextCounts | None,
        engine: Engine,
    ) -> Self:
        memberships = induced_memberships(counted, self, elsewhere)
        starts, pairs = transitions(counted, memberships, None, engine)
        alike = SpellingGroups.learn(counted.words)
        return self._finish(corpus, memberships, starts, pairs, alike, {})
