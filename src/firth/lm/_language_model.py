"""Training a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes import Hierarchy
from firth.corpus import Corpus, TextData
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.estimator import Estimator
from firth.lm._buckets import BUCKETS
from firth.lm._classes import ClassModel
from firth.lm._counting import stretches
from firth.lm._entropy import entropy_of_counts
from firth.lm._interpolated import InterpolatedModel
from firth.lm._mixture import Counted, Discounts, Mixture, Sentences
from firth.lm._parameters import HELD_OUT, LanguageModelParameters
from firth.lm._scoring import Sums
from firth.lm._words import KnownWords, classes_of
from firth.parameters import MEMORY, parse_memory
from firth.store import Room

__all__ = ["LanguageModel"]

_BYTES_PER_TOKEN = 64
"""What counting takes, beside the counts."""
_LEAST_AT_ONCE, _MOST_AT_ONCE = 1 << 16, 1 << 22

Classes = Hierarchy | Mapping[str, Any]
Integers = npt.NDArray[np.int64]


class LanguageModel(LanguageModelParameters, Estimator, InterpolatedModel):
    """An n-gram language model of words, interpolated with models of word classes.

    The word model has modified Kneser-Ney smoothing (Chen and Goodman 1998). A class model is
    P(w | history) = P(c | class history) P(w | c) (Brown et al. 1992). All models are interpolated
    linearly; the weights depend on how often the history was seen, and maximise the likelihood of
    held-out text.

    Words outside the vocabulary are one symbol, the unknown word. It has a probability like any other
    word, and a class of its own.

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
    >>> round(math.exp(model.log_prob(["a", "cat", "sat"])), 3)
    0.047
    >>> [found.word for found in model.next_words(["the"], 2)]
    ['cat', 'dog']
    """

    def fit(
        self,
        corpus: TextData,
        classes: Classes | Sequence[Classes] | None = None,
        held_out: float | Corpus = HELD_OUT,
        memory: int | str = MEMORY,
        folder: Path | None = None,
    ) -> LanguageModel:
        """Learn from text.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            The text; see ``Corpus.of``.
        classes : Hierarchy, mapping of str to class, or a list of these, optional
            Word classes; each makes a model of its own. A tree can be given several times, cut to
            different numbers of classes. Words without a class get one from their contexts or spelling.
        held_out : float or Corpus
            The text that interpolation weights are learned from: a share of the sentences, evenly
            spread, or another text. Without classes there are no weights, and 0 is allowed.
        memory : int or str
            About how much memory to use; more is put into files. The result does not depend on it.
        folder : Path, optional
            For these files; a temporary folder by default.
        """
        self.check()
        n_bytes = parse_memory(memory)
        room, at_once = Room(n_bytes // 2, folder), _tokens_at_once(n_bytes)
        corpus = Corpus.of(corpus, "LanguageModel.fit")
        given = _listed(classes)
        chosen = _held_out(corpus, held_out, bool(given))
        text = _Text(corpus, ~chosen, at_once)
        counts = np.asarray(corpus.vocabulary.counts)
        if not self.refit and chosen.any():
            counts = text.count_ids()
        self.words_ = KnownWords.choose(corpus, counts, self.min_count, self.vocabulary)
        with progress.stage("placing words in classes", unit="", brief=1.0):
            of_words = [
                ClassModel.classes_of(classes_of(self.words_, one, corpus)) for one in given
            ]
        numbers = self.words_.numbers_of(corpus)
        aside, of_aside = _Text(corpus, chosen, at_once), numbers
        if isinstance(held_out, Corpus):
            aside = _Text(held_out, np.ones(held_out.n_sentences, bool), at_once)
            of_aside = self.words_.numbers_of(held_out)
        self.facts_ = {"buckets": [0] * BUCKETS, "held_out": None}
        counted = self._count(text.sentences(numbers), of_words, room)
        mixture, discounts = Mixture.of(counted)
        if aside.n_sentences:
            # words that occur in the held-out text only are unknown to the counts so far
            met = np.where((counted.tokens > 0)[of_aside], of_aside, np.int32(len(self.words_)))
            mixture = self._weigh(mixture, aside, met, room)
        if self.refit and chosen.any():
            counted += self._count(aside.sentences(of_aside), of_words, room)
            mixture, discounts = Mixture.of(counted, mixture.weights)
        self.mixture_ = mixture
        self.facts_ |= self._facts(counted, discounts)
        return self

    def _count(
        self, text: Iterator[Sentences], of_words: Sequence[Integers], room: Room
    ) -> Counted:
        longest = self.class_order or max(2, self.order)
        return Counted.count(text, len(self.words_), self.order, of_words, longest, room)

    def _weigh(
        self, mixture: Mixture, aside: _Text, numbers: npt.NDArray[np.int32], room: Room
    ) -> Mixture:
        """Learn interpolation weights, and evaluate them on the held-out text."""
        n = aside.n_tokens + aside.n_sentences
        found = mixture.looked_up(aside.sentences(numbers), n, room)
        weighted = mixture.weighted(found, room)
        self.mixture_ = weighted
        self.facts_["buckets"] = np.bincount(found.buckets, minlength=BUCKETS).tolist()
        sums = Sums(len(self.component_names))
        sums.add(weighted, found, room)
        self.facts_["held_out"] = sums.result(self.component_names).to_dict()
        return weighted

    def _facts(self, counted: Counted, discounts: Discounts) -> dict[str, Any]:
        return {
            "n_words": len(self.words_), "n_sentences": counted.n_sentences, "n_tokens": int(counted.tokens.sum()),
            "n_unknown": int(counted.tokens[-1]), "n_grams": [len(self.words_) + 3, *map(len, counted.words.keys[1:])],
            "discounts": [list(some) for some in discounts],
            "classes": [
                {
                    "n_classes": counts.n_words, "order": counts.order,
                    **entropy_of_counts(counts, counted.tokens, counted.n_sentences, class_of).to_dict(),
                }
                for counts, class_of in zip(counted.classes, counted.class_of, strict=True)
            ],
        }  # fmt: skip


class _Text:
    """Some sentences of a corpus, a few at a time.

    Parameters
    ----------
    corpus : Corpus
    chosen : array of bool
        Which sentences.
    at_once : int
        About how many tokens of the corpus at a time.
    """

    def __init__(self, corpus: Corpus, chosen: npt.NDArray[np.bool_], at_once: int) -> None:
        self._corpus, self._chosen, self._at_once = corpus, chosen, at_once
        self.n_sentences = int(np.count_nonzero(chosen))

    def sentences(self, numbers: npt.NDArray[np.int32]) -> Iterator[Sentences]:
        """The sentences; ``numbers`` has the number of each word, by its id."""
        ends = np.asarray(self._corpus.ends)
        for sentences, places in stretches(ends, self._at_once):
            chosen = self._chosen[sentences]
            if chosen.any():
                ids = np.asarray(self._corpus.ids[places])
                some = Sentences(numbers[ids], ends[sentences] - places.start)
                yield some if chosen.all() else some.some(chosen)

    @cached_property
    def n_tokens(self) -> int:
        ends, total = np.asarray(self._corpus.ends), 0
        for sentences, places in stretches(ends, self._at_once):
            lengths = np.diff(ends[sentences], prepend=places.start)
            total += int(lengths[self._chosen[sentences]].sum())
        return total

    def count_ids(self) -> Integers:
        """How often each word occurs, by its id."""
        n = self._corpus.n_types
        same, total = np.arange(n, dtype=np.int32), np.zeros(n, np.int64)
        for some in self.sentences(same):
            np.add.at(total, some.symbols, 1)
        return total


def _tokens_at_once(n_bytes: int) -> int:
    """How many tokens are counted at once, in a quarter of the memory."""
    return max(_LEAST_AT_ONCE, min(_MOST_AT_ONCE, n_bytes // (4 * _BYTES_PER_TOKEN)))


def _listed(classes: Classes | Sequence[Classes] | None) -> list[Classes]:
    if classes is None:
        return []
    return [classes] if isinstance(classes, Hierarchy | Mapping) else list(classes)


def _held_out(corpus: Corpus, held_out: float | Corpus, needed: bool) -> npt.NDArray[np.bool_]:
    """Which sentences are held out: evenly spread, at least one."""
    chosen = np.zeros(corpus.n_sentences, bool)
    if isinstance(held_out, Corpus):
        return chosen
    if isinstance(held_out, bool) or not isinstance(held_out, int | float) or not 0 <= held_out < 1:
        expected = "a share from 0 to below 1, or a Corpus"
        raise wrong_parameter("LanguageModel.fit", "held_out", expected, held_out)
    if not held_out:
        if needed:
            raise ParameterError(
                "Interpolation with classes needs held-out text.",
                "Hold out a share, such as 5%, or use no classes.",
            )
        return chosen
    n = corpus.n_sentences
    if n < 2:
        if needed:
            raise InputError(
                "There is only one sentence, so nothing can be held out.",
                "Use more text, with one sentence per line, or a file for --held-out.",
            )
        return chosen
    n_held = max(1, int(n * held_out))
    chosen[(2 * np.arange(n_held) + 1) * n // (2 * n_held)] = True
    return chosen
