"""Parts of speech from raw text, by anchors."""

from __future__ import annotations

from typing import Any

from firth import progress
from firth.compute import Engine, engine_for, limit_blas
from firth.corpus import Corpus
from firth.errors import wrong_parameter
from firth.tags._choosing import CHOSEN, choose
from firth.tags._contexts import ContextCounts
from firth.tags._estimation import beginnings, steps
from firth.tags._hmm import normalised
from firth.tags._memberships import anchor_memberships
from firth.tags._parameters import AnchorParameters
from firth.tags._spelling import SpellingGroups
from firth.tags._tagger import Tagger

__all__ = ["AnchorTagger"]

_POSSIBLE = 1e-9
"""No step is impossible in the beginning: what is zero stays so."""


class AnchorTagger(Tagger):
    """Finds parts of speech in raw text (Stratos, Collins and Hsu 2016).

    Words become points by the words beside them; the frequent words that lie furthest apart are
    *anchors*, one for each tag; every word is a mixture of them. From the mixtures follow the
    probabilities of a hidden Markov model.

    Two things go beyond the paper, because they tag better in six of seven languages. Words that are
    spelled alike share their contexts (``sharing``), so that rare words are not judged by one or two
    occurrences. And anchors are moved to the middle of the words around them (``refine``), which makes
    every word a member of one tag only. Without both, ``sharing=0, refine=False``, this is the paper's
    method.

    Parameters
    ----------
    n_tags : int
    contexts : str
        Which places around a word count; see ``firth.count``. The end of a sentence counts too.
    spelling : float
        How much signs of spelling (capital, hyphen, digit, endings) weigh beside contexts; 0.1 in the paper.
    sharing : float
        As how many occurrences of a word those of words that are spelled alike count.
    representation : {"spectral", "conditional", "cca", "random"}
        What a word is: the row of unit length of the singular vectors of square roots of counts; or the
        distribution of its contexts, as it is, projected by canonical correlation analysis, or projected
        at random. The three find a model with anchor words again, when there is one; ``spectral``
        tags better.
    pseudocount : float
        Added to the counts of words and of contexts before they scale anything.
    candidates : int
        Anchors are chosen among so many of the most frequent words.
    refine : bool
        Whether anchors are moved to the middle of the words around them.
    choose : bool
        Whether ``spelling``, ``sharing`` and ``candidates`` are chosen for the text: those of 18 settings
        under which tags change least when they are learned from halves of the counts. It takes about 100 times
        as long.
    vocabulary : int or None
        How many of the most frequent words are learned; others are tagged by their spelling.
    decode : {"type", "posterior", "viterbi"}
        How tags are given; see ``Tagger.tag``.
    seed : int
        Of the random start of the decomposition.
    threads : int, optional
        All cores by default. The result does not depend on it.

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

    def __init__(
        self,
        n_tags: int = 12,
        *,
        contexts: str = "LR1",
        spelling: float = 0.0,
        sharing: float = 1.0,
        representation: str = "spectral",
        pseudocount: float = 10.0,
        candidates: int = 300,
        refine: bool = True,
        choose: bool = False,
        vocabulary: int | None = 200_000,
        decode: str = "type",
        seed: int = 0,
        threads: int | Engine | None = None,
    ) -> None:
        self.parameters = AnchorParameters(
            n_tags, contexts, spelling, sharing, representation, pseudocount, candidates, refine,
            choose, vocabulary, decode, seed,
        )  # fmt: skip
        self.decode, self.threads = decode, threads

    def fit(
        self, corpus: Corpus, using: Corpus | None = None, memory: int | str = "4G"
    ) -> AnchorTagger:
        """Learn from a corpus.

        Parameters
        ----------
        corpus : Corpus
        using : Corpus, optional
            More text: the contexts that the words of ``corpus`` have there count too.
        memory : int or str
            About how much memory counting may use.
        """
        if not isinstance(corpus, Corpus):
            raise wrong_parameter("AnchorTagger.fit", "corpus", "a Corpus", type(corpus).__name__)
        if using is not None and not isinstance(using, Corpus):
            raise wrong_parameter("AnchorTagger.fit", "using", "a Corpus", type(using).__name__)
        engine = engine_for("AnchorTagger", self.threads)
        with limit_blas(1):  # so that the result does not depend on the number of threads
            return self._fit(corpus, using, memory, engine)

    def _fit(
        self, corpus: Corpus, using: Corpus | None, memory: int | str, engine: Engine
    ) -> AnchorTagger:
        how = self.parameters
        counted = ContextCounts.of(corpus, how.contexts, how.vocabulary, memory, engine)
        contexts = counted
        if using is not None:
            contexts = counted.plus(
                ContextCounts.of(using, how.contexts, how.vocabulary, memory, engine)
            )
        groups, group = SpellingGroups.learn(counted.words)
        facts: dict[str, Any] = {}
        if how.choose:
            how = choose(contexts, how, group, engine)
            facts = {"chosen": {name: getattr(how, name) for name in CHOSEN}}
        memberships, anchors = anchor_memberships(contexts, how, group, engine)
        emission = normalised(memberships * counted.counts[:, None], 0)
        with progress.stage("steps from tag to tag", unit="", brief=1.0):
            likely = memberships.T @ (counted.pairs @ memberships) + _POSSIBLE
            pairs = counted.pairs.sum() * steps(counted.pairs, emission, likely, engine)
            likely = counted.starts @ memberships + _POSSIBLE
            starts = counted.starts.sum() * beginnings(counted.starts, emission, likely)
        names = [counted.words[anchor] for anchor in anchors]
        return self._finish(corpus, memberships, starts, pairs, (groups, group), facts, names)
