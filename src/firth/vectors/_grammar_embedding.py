"""Grammatical vectors as a scikit-learn estimator."""

from __future__ import annotations

from firth.compute import engine_for
from firth.corpus import Corpus, TextData
from firth.counts import Counts, CountsParameters, count
from firth.estimator import Estimator
from firth.parameters import MEMORY
from firth.vectors._decomposition import room_for_vectors
from firth.vectors._grammar import grammar_vectors
from firth.vectors._grammar_parameters import GRAMMAR_CONTEXTS, GrammarParameters

__all__ = ["GrammarEmbedding"]


class GrammarEmbedding(GrammarParameters, Estimator):
    """Word vectors by which words are similar if they can replace each other in a sentence.

    The contexts of a word are the two words before and after it, each position by itself, its own shape and
    its suffixes. The matrix of counts is scaled and decomposed as by ``SpectralEmbedding``, twice: the second
    time with the classes of the neighbours, found by k-means, as further contexts. The first dimension,
    which is much the same for all words, is left out.

    Attributes
    ----------
    vectors_ : WordVectors

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran", "the cat ran", "a dog sat"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> vectors = firth.GrammarEmbedding().fit(corpus, min_count=1).vectors_
    >>> vectors.most_similar("cat", n=1)[0].word
    'dog'
    """

    def fit(
        self, text: TextData, counts: Counts | None = None, min_count: int = CountsParameters.min_count,
        memory: int | str = MEMORY,
    ) -> GrammarEmbedding:  # fmt: skip
        """Learn grammatical vectors from text.

        Parameters
        ----------
        text : Corpus, list of token lists, list of str, str or Path
            See ``Corpus.of``.
        counts : Counts, optional
            Of the same text in LR2 contexts without weights, if they have been counted.
        min_count : int
            Words with fewer occurrences get no vectors; not used with ``counts``.
        memory : int or str
            About how much memory counting and decomposing may use.
        """
        self.check()
        engine = engine_for("GrammarEmbedding", self.threads, self.device)
        corpus = Corpus.of(text, "GrammarEmbedding.fit", "text")
        if counts is None:
            counts = count(
                corpus, GRAMMAR_CONTEXTS, min_count=min_count, memory=memory, threads=engine
            )
        self.vectors_ = grammar_vectors(corpus, counts, self, engine, room_for_vectors(memory))
        return self
