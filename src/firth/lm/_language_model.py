"""Training a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes import Hierarchy
from firth.compute import Engine, engine_for
from firth.corpus import Corpus, TextData
from firth.errors import wrong_parameter
from firth.estimator import Estimator
from firth.lm._buckets import BUCKETS
from firth.lm._clusterings import default_sizes, learn_clusterings
from firth.lm._designs import Design, designs_for, expected_work
from firth.lm._entropy import entropy_of_text
from firth.lm._fitting import fit_mixture
from firth.lm._held_out import Selection, held_out_sentences
from firth.lm._interpolated import InterpolatedModel
from firth.lm._learning import Learned, Learner
from firth.lm._mixing import learn_weights
from firth.lm._mixture import (
    Mixture,
    cached_design,
    cached_shares,
    class_rows,
    names_of,
    recent_for,
)
from firth.lm._parameters import HELD_OUT, LanguageModelParameters
from firth.lm._runs import pieces
from firth.lm._scoring import Sums
from firth.lm._spelling import Spelling
from firth.lm._trees import Text
from firth.lm._words import KnownWords, classes_of
from firth.parameters import MEMORY, parse_memory
from firth.store import Room

__all__ = ["LanguageModel"]

_MOST_CLUSTERED = 5_000_000
"""Clusterings are learned from about this number of tokens at most."""
_MANY = 100_000
"""From this number of tokens on, it is said what will be learned."""

Classes = Hierarchy | Mapping[str, Any]
Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]


class LanguageModel(LanguageModelParameters, Estimator, InterpolatedModel):
    """A language model of words, interpolated with models of word classes and a cache of recent words.

    The word model has modified Kneser-Ney smoothing (Chen and Goodman 1998), and so have all others.
    There are two models for each clustering of words: P(w | history) = P(c | class history) P(w | c)
    (Brown et al. 1992), and P(c | history) P(w | c, history), where the history has both classes and
    words (Goodman 2001). All models are interpolated linearly. The weights, which depend on how often
    the history was seen, and all discounts maximise the likelihood of held-out text.

    Words outside the vocabulary are one symbol, the unknown word. It has a probability like any other
    word, and a class of its own. A model of letters tells unknown words apart.

    Attributes
    ----------
    words_ : KnownWords
        The vocabulary, and how text is read.
    facts_ : dict
        Sizes, discounts, entropies of the class models, perplexity of the held-out text.
    weights_ : array
        Interpolation weights: a row for each kind of history (see ``bucket_names``), a column for each
        model, words first.

    Examples
    --------
    >>> import math, firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran", "the cat ran", "a dog sat"] * 3
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> classes = firth.BrownClasses(n_classes=3, min_count=1).fit(corpus).hierarchy_
    >>> model = LanguageModel(order=2).fit(corpus, classes, held_out=0.2)
    >>> [found.word for found in model.next_words(["the"], 2)]
    ['cat', 'dog']
    """

    def fit(
        self,
        corpus: TextData,
        classes: Classes | Sequence[Classes | int] | None = None,
        held_out: float | Corpus = HELD_OUT,
        memory: int | str = MEMORY,
        folder: Path | None = None,
        threads: int | Engine | None = None,
    ) -> LanguageModel:
        """Learn from text.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            The text; see ``Corpus.of``.
        classes : Hierarchy, mapping of str to class, or a list of these or of int, optional
            Word classes; each clustering makes models of its own. For a number, a clustering with this
            number of classes is learned. By default several are learned, if the text is not too small.
            Words without a class get one from their contexts or spelling. Empty for no classes.
        held_out : float or Corpus
            The text that weights and discounts are fitted to: a share of the sentences, in up to ten
            blocks, at most 200,000 tokens; or another text. With 0 there are neither classes nor a cache.
        memory : int or str
            About how much memory to use; more is put into files. The result does not depend on it.
        folder : Path, optional
            For these files; a temporary folder by default.
        threads : int or Engine, optional
            Number of threads; by default as many as there are cores.
        """
        self.check()
        room, engine = Room(parse_memory(memory) // 2, folder), engine_for("LanguageModel", threads)
        corpus = Corpus.of(corpus, "LanguageModel.fit")
        given = _listed(classes)
        chosen = held_out_sentences(corpus, held_out, bool(given))
        aside = Selection(corpus, chosen)
        if isinstance(held_out, Corpus):
            aside = Selection(held_out, np.ones(held_out.n_sentences, bool))
        part = Selection(corpus, ~chosen)
        counts = np.asarray(corpus.vocabulary.counts)
        of_part = part.count_ids() if chosen.any() else counts
        self.words_ = KnownWords.choose(
            corpus, counts if self.refit else of_part, self.min_count, self.vocabulary
        )
        given = self._clusterings(corpus, given, bool(aside.n_sentences))
        designs = designs_for(self.order, self.class_order, len(given), corpus.n_tokens)
        if corpus.n_tokens >= _MANY:
            passes = 1 + (self.refit and bool(aside.n_sentences))
            progress.remark(expected_work(designs, corpus.n_tokens, passes))
        maps = self._maps(corpus, part, given, memory, engine)
        learner = Learner(designs, maps, room, engine)
        numbers = self.words_.numbers_of(corpus)
        text = part.text(numbers, len(self.words_), room)
        self.facts_ = {"buckets": [0] * BUCKETS, "held_out": None}
        fitted = _Fitted(None, np.ones((BUCKETS, 1)), None)
        if aside.n_sentences:
            held = aside.text(self._met(aside.corpus, text), len(self.words_), room)
            fitted = self._fit_to(held, text, learner, designs, maps)
        if self.refit and chosen.any():
            text = Selection(corpus, np.ones(len(chosen), bool)).text(
                numbers, len(self.words_), room
            )
        learned = learner.learned(text, fitted.discounts)
        self.__dict__.pop("_table", None)  # that of an earlier fit
        self.mixture_ = Mixture(
            maps, tuple(designs), learned.trees, learned.tokens, fitted.weights, fitted.cache_weights,
            cached_shares(designs, maps, text.symbols) if fitted.cache_weights is not None else None,
        )  # fmt: skip
        self.spelling_ = Spelling.learn(corpus.vocabulary, self.words_.vocabulary, room)
        self.facts_ |= self._facts(text, learned, room)
        return self

    def _met(self, corpus: Corpus, text: Text) -> Short:
        """The number of each word of held-out text; those that occur there only are unknown so far."""
        numbers = self.words_.numbers_of(corpus)
        met = np.zeros(len(self.words_) + 3, bool)
        met[text.symbols] = True
        return np.where(met[numbers], numbers, np.int32(len(self.words_)))

    def _clusterings(
        self, corpus: Corpus, given: list[Classes | int] | None, useful: bool
    ) -> list[Classes | int]:
        """The clusterings that are given, or those that suit the text, checked."""
        if given is None:
            given = list(default_sizes(len(self.words_), corpus.n_tokens)) if useful else []
            if useful and not given:
                progress.notice(
                    "The language model has no word classes: the text has too few different words."
                )
        largest = max((one for one in given if isinstance(one, int)), default=0)
        if largest > len(self.words_):
            expected = f"numbers from 2 to {len(self.words_):,}, the number of words"
            raise wrong_parameter("LanguageModel.fit", "classes", expected, largest)
        return given

    def _maps(
        self, corpus: Corpus, part: Selection, given: list[Classes | int], memory: int | str, engine: Engine
    ) -> Short:  # fmt: skip
        """The classes of all symbols in all clusterings."""
        sizes = [one for one in given if isinstance(one, int)]
        trees: list[Any] = [one for one in given if not isinstance(one, int)]
        if sizes:
            some = Corpus.from_sentences(part.spelled(_MOST_CLUSTERED))
            trees += learn_clusterings(some, sizes, len(self.words_), engine, self.seed, memory)
        with progress.stage("placing words in classes", unit="", brief=1.0):
            found = [classes_of(self.words_, one, corpus) for one in trees]
        return class_rows(len(self.words_), found)

    def _fit_to(
        self, held: Text, text: Text, learner: Learner, designs: list[Design], maps: Short
    ) -> _Fitted:
        """Fit discounts and weights to held-out text, and evaluate them there."""
        traced, every = learner.traced(text, held)
        inside = held.places > 0
        buckets = every[inside]
        p, weights = fit_mixture(traced, buckets, BUCKETS)
        of_cache = None
        if self.cache:
            shares, cached = cached_shares(designs, maps, text.symbols), cached_design(designs)
            p_class = np.ones(len(held))
            if cached is not None:
                p_class[inside] = traced[cached][0].p()
            found = recent_for(designs, maps).probabilities(
                held, p_class, None if shares is None else shares[held.symbols]
            )
            p = np.concatenate([p, found[inside]], axis=1)
            of_cache = learn_weights(p, buckets, BUCKETS)
        self.facts_["buckets"] = np.bincount(buckets, minlength=BUCKETS).tolist()
        sums = Sums(names_of(designs, maps), weights, of_cache)
        sums.add(
            p, buckets, held.symbols[inside] == len(self.words_), int(np.count_nonzero(~inside))
        )
        self.facts_["held_out"] = sums.result().to_dict()
        return _Fitted([[one.discounts for one in some] for some in traced], weights, of_cache)

    def _facts(self, text: Text, learned: Learned, room: Room) -> dict[str, Any]:
        mixture = self.mixture_
        n_unknown = n_sentences = 0
        for some in pieces(0, len(text)):  # a text may be larger than the memory
            n_sentences += int(np.count_nonzero(text.places[some] == 0))
            n_unknown += int(np.count_nonzero(text.symbols[some] == len(self.words_)))
        return {
            "n_words": len(self.words_), "n_sentences": n_sentences, "n_tokens": len(text) - 2 * n_sentences,
            "n_unknown": n_unknown, "n_grams": learned.n_grams,
            "discounts": learned.discounts[:, 1:].tolist(),
            "classes": [
                {"n_classes": n, **entropy_of_text(text, row, room).to_dict()}
                for n, row in zip(mixture.sizes, mixture.maps[1:], strict=True)
            ],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Fitted:
    """What was fitted to held-out text."""

    discounts: list[list[Floats]] | None
    weights: Floats
    cache_weights: Floats | None


def _listed(
    classes: Classes | Sequence[Classes | int] | None,
) -> list[Classes | int] | None:
    if classes is None:
        return None
    found: list[Classes | int] = (
        [classes] if isinstance(classes, Hierarchy | Mapping) else list(classes)
    )
    for one in found:
        if isinstance(one, bool) or (isinstance(one, int) and one < 2):
            expected = "numbers of at least 2, or classes of words"
            raise wrong_parameter("LanguageModel.fit", "classes", expected, one)
    return found
