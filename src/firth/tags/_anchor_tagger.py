"""Part-of-speech induction with anchor words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firth.compute import Engine, engine_for, limit_blas
from firth.corpus import Corpus, TextData
from firth.estimator import Estimator
from firth.parameters import MEMORY, parse_memory
from firth.store import Room
from firth.tags._choosing import CHOSEN, choose
from firth.tags._contexts import ContextCounts
from firth.tags._estimation import transitions
from firth.tags._given_anchors import numbers_of
from firth.tags._memberships import anchor_memberships
from firth.tags._parameters import AnchorParameters
from firth.tags._spelling import SpellingGroups
from firth.tags._tagger import Tagger

__all__ = ["AnchorTagger"]


class AnchorTagger(AnchorParameters, Estimator, Tagger):
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

    def fit(
        self,
        corpus: TextData,
        using: TextData | None = None,
        memory: int | str = MEMORY,
        folder: Path | None = None,
    ) -> AnchorTagger:
        """Learn tags from text.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            The text; see ``Corpus.of``.
        using : the same, optional
            More text: the contexts that the words of ``corpus`` have there are counted too.
        memory : int or str
            About how much memory to use; more is put into files. The result does not depend on it.
        folder : Path, optional
            For these files; a temporary folder by default.
        """
        self.check()
        room = Room(parse_memory(memory) // 2, folder)  # lists of words are not in it
        text = Corpus.of(corpus, "AnchorTagger.fit")
        more = None if using is None else Corpus.of(using, "AnchorTagger.fit", "using")
        engine = engine_for("AnchorTagger", self.threads)
        with limit_blas(1):  # so that the result does not depend on the number of threads
            return self._fit(text, more, (memory, engine, room, folder))

    def _fit(
        self,
        corpus: Corpus,
        using: Corpus | None,
        resources: tuple[int | str, Engine, Room, Path | None],
    ) -> AnchorTagger:
        how: AnchorParameters = self
        engine = resources[1]
        counting = how.contexts, how.vocabulary, *resources
        contexts = counted = ContextCounts.of(corpus, *counting)
        if using is not None:
            contexts = counted.plus(ContextCounts.of(using, *counting))
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
