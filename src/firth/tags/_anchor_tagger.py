"""Part-of-speech induction with anchor words."""

from __future__ import annotations

from typing import Any, Self

from firth.compute import Engine
from firth.corpus import Corpus
from firth.tags._choosing import CHOSEN, choose
from firth.tags._contexts import ContextCounts
from firth.tags._estimation import transitions
from firth.tags._fitting import ContextTagger
from firth.tags._given_anchors import numbers_of
from firth.tags._memberships import anchor_memberships
from firth.tags._parameters import AnchorParameters
from firth.tags._spelling import SpellingGroups

__all__ = ["AnchorTagger"]


class AnchorTagger(AnchorParameters, ContextTagger):
    """Part-of-speech induction with anchor words (Stratos, Collins and Hsu 2016).

    Each word is represented by its contexts. The frequent words that lie furthest apart become
    *anchors*, one for each tag, and every word is a mixture of anchors. The mixtures determine the
    probabilities of a hidden Markov model.

    Five things differ from the paper by default. Words spelled alike share their contexts
    (``sharing``), so that rare words are not judged by one or two occurrences. Anchors are exchanged for
    words that lie further apart (``exchange``) and then moved to the centre of the words around them
    (``refine``), which gives every word exactly one tag. Transitions are those of maximal likelihood
    (``transition_rounds``). Each word type gets one tag (``decode``). Together they tag better in all of
    seven languages. ``AnchorTagger(**firth.tags.ANCHOR_PRESETS["paper"])`` is the method as its authors
    compute it.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sees a dog", "a dog hears the cat", "the bird sees the dog", "a cat hears a bird"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> tagger = AnchorTagger(n_tags=3).fit(corpus)
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
        how: AnchorParameters = self
        contexts = counted if elsewhere is None else counted.plus(elsewhere)
        groups, group = SpellingGroups.learn(counted.words)
        by_hand = how.given_anchors()
        given = None if by_hand is None else numbers_of(by_hand, counted.words, corpus.reading)
        facts: dict[str, Any] = {}
        if how.choose:
            how = choose(contexts, how, group, engine, given)
            facts = {"chosen": {name: getattr(how, name) for name in CHOSEN}}
        memberships, anchors = anchor_memberships(contexts, how, group, engine, given)
        starts, pairs = transitions(counted, memberships, how.transition_rounds, engine)
        names = [counted.words[anchor] for anchor in anchors]
        return self._finish(corpus, memberships, starts, pairs, (groups, group), facts, names)
