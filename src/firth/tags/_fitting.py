"""What taggers have in common that learn from raw text: how ``fit`` begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from firth.compute import Engine, engine_for, limit_blas
from firth.corpus import Corpus, TextData
from firth.errors import InputError
from firth.estimator import Estimator
from firth.parameters import MEMORY, parse_memory
from firth.store import Room
from firth.tags._contexts import ContextCounts
from firth.tags._observations import Observations
from firth.tags._tagger import Tagger

__all__ = ["ContextTagger", "LikelihoodTagger"]


class ContextTagger(Estimator, Tagger):
    """A tagger that learns from the contexts of words."""

    check: Any
    vocabulary: Any
    contexts: Any = "LR1"

    def fit(
        self,
        corpus: TextData,
        using: TextData | None = None,
        memory: int | str = MEMORY,
        folder: Path | None = None,
    ) -> Self:
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
        name = type(self).__name__
        room = Room(parse_memory(memory) // 2, folder)  # lists of words are not in it
        text = Corpus.of(corpus, f"{name}.fit")
        more = None if using is None else Corpus.of(using, f"{name}.fit", "using")
        engine = engine_for(name, self.threads)
        counting = self.contexts, self.vocabulary, memory, engine, room, folder
        with limit_blas(1):  # so that the result does not depend on the number of threads
            counted = ContextCounts.of(text, *counting)
            elsewhere = None if more is None else ContextCounts.of(more, *counting)
            return self._fit(text, counted, elsewhere, engine)

    def _fit(
        self,
        corpus: Corpus,
        counted: ContextCounts,
        elsewhere: ContextCounts | None,
        engine: Engine,
    ) -> Self:
        """Learn from what was counted in the text and, if there is more text, elsewhere."""
        raise NotImplementedError


class LikelihoodTagger(Estimator, Tagger):
    """A tagger that makes the text probable: it learns from its words one after the other."""

    check: Any
    vocabulary: Any

    def fit(self, corpus: TextData, memory: int | str = MEMORY, folder: Path | None = None) -> Self:
        """Learn tags from text.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            The text; see ``Corpus.of``.
        memory : int or str
            About how much memory to use; more is put into files. The result does not depend on it.
        folder : Path, optional
            For these files; a temporary folder by default.
        """
        self.check()
        name = type(self).__name__
        corpus = Corpus.of(corpus, f"{name}.fit")
        engine = engine_for(name, self.threads)
        n, m = corpus.vocabulary.n_kept(1, self.vocabulary), self.n_tags
        if n < m:
            raise InputError(
                f"{m} tags need at least as many words, but there are only {n:,}.",
                "Ask for fewer tags, or use more text.",
            )
        n_symbols = n + (n < corpus.n_types)  # rarer words are one symbol
        room = Room(parse_memory(memory) // 2, folder)  # the model is not in it
        observed = Observations.of_corpus(corpus, n_symbols - 1, room)
        return self._fit(corpus, observed, n, n_symbols, engine)

    def _fit(
        self, corpus: Corpus, observed: Observations, n: int, n_symbols: int, engine: Engine
    ) -> Self:
        """Learn from the symbols of the text: ``n`` words, and one more if there are rarer ones."""
        raise NotImplementedError
