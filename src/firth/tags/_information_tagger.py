"""Part-of-speech induction by clustering and mutual information."""

from __future__ import annotations

from pathlib import Path

from firth.compute import engine_for, limit_blas
from firth.corpus import Corpus, TextData
from firth.estimator import Estimator
from firth.parameters import MEMORY, parse_memory
from firth.store import Room
from firth.tags._contexts import ContextCounts
from firth.tags._estimation import transitions
from firth.tags._induction import induced_memberships
from firth.tags._parameters import MutualInformationParameters
from firth.tags._spelling import SpellingGroups
from firth.tags._tagger import Tagger

__all__ = ["MutualInformationTagger"]

_MOST_ELSEWHERE = 200.0
"""So many contexts of a word in other text count: enough for rare words, and frequent ones keep their own."""


class MutualInformationTagger(MutualInformationParameters, Estimator, Tagger):
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

    def fit(
        self,
        corpus: TextData,
        using: TextData | None = None,
        memory: int | str = MEMORY,
        folder: Path | None = None,
    ) -> MutualInformationTagger:
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
        room = Room(parse_memory(memory) // 2, folder)
        text = Corpus.of(corpus, "MutualInformationTagger.fit")
        more = None if using is None else Corpus.of(using, "MutualInformationTagger.fit", "using")
        engine = engine_for("MutualInformationTagger", self.threads)
        counting = "LR1", self.vocabulary, memory, engine, room, folder
        with limit_blas(1):  # so that the result does not depend on the number of threads
            contexts = counted = ContextCounts.of(text, *counting)
            if more is not None:
                contexts = counted.plus(ContextCounts.of(more, *counting), _MOST_ELSEWHERE)
            memberships = induced_memberships(contexts, self)
            starts, pairs = transitions(counted, memberships, None, engine)
        alike = SpellingGroups.learn(counted.words)
        return self._finish(text, memberships, starts, pairs, alike, {})
