"""A word model interpolated with class models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.lm._buckets import BUCKETS, Histories
from firth.lm._classes import ClassModel
from firth.lm._counting import NgramCounter, NgramCounts
from firth.lm._kneser_ney import smooth
from firth.lm._mixing import learn_weights, mixed
from firth.lm._ngrams import NgramModel
from firth.store import Room

__all__ = ["Counted", "Discounts", "LookedUp", "Mixture", "Sentences"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Discounts = list[tuple[float, float, float]]


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences of symbols, one after the other; ``ends`` has the number of symbols before the end of each."""

    symbols: npt.NDArray[Any]
    ends: Integers

    def some(self, chosen: npt.NDArray[np.bool_]) -> Sentences:
        """The chosen sentences."""
        lengths = np.diff(self.ends, prepend=0)
        return Sentences(self.symbols[np.repeat(chosen, lengths)], np.cumsum(lengths[chosen]))


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts of the n-grams of words and of classes.

    Attributes
    ----------
    words : NgramCounts
    class_of : list of array
        For each class model, the class of each symbol.
    classes : list of NgramCounts
    tokens : array of int64, shape (n_words + 1,)
        The count of each word and of the unknown word.
    n_sentences : int
    """

    words: NgramCounts
    class_of: list[Integers]
    classes: list[NgramCounts]
    tokens: Integers
    n_sentences: int

    @classmethod
    def count(
        cls,
        text: Iterable[Sentences],
        n_words: int,
        order: int,
        class_of: Sequence[Integers],
        class_order: int,
        room: Room | None = None,
    ) -> Counted:
        """Count sentences, some at a time; ``class_of`` has the class of each symbol, for each class model."""
        words = NgramCounter(n_words, order, room)
        classes = [NgramCounter(int(whole[-1]) - 2, class_order, room) for whole in class_of]
        tokens, n_sentences = np.zeros(n_words + 1, np.int64), 0
        with progress.stage("counting", unit="tokens", brief=1.0) as stage:
            for some in text:
                words.add(some.symbols, some.ends)
                for whole, counter in zip(class_of, classes, strict=True):
                    counter.add(whole[some.symbols], some.ends)
                tokens += np.bincount(some.symbols, minlength=n_words + 1)
                n_sentences += len(some.ends)
                stage.advance(len(some.symbols))
            found = [counter.result() for counter in (words, *classes)]
        return cls(found[0], list(class_of), found[1:], tokens, n_sentences)

    def __add__(self, other: Counted) -> Counted:
        """The sums of the counts of two texts."""
        return Counted(
            self.words + other.words, self.class_of,
            [a + b for a, b in zip(self.classes, other.classes, strict=True)],
            self.tokens + other.tokens, self.n_sentences + other.n_sentences,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class LookedUp:
    """What the models of a mixture say of a text.

    Attributes
    ----------
    log_p : array of shape (number of models, n)
        The log probability of each word and each end of a sentence, by each model.
    buckets : array of int64
        The buckets of their histories.
    unknown : array of bool
        Whether each is the unknown word.
    n_sentences : int
    """

    log_p: Floats
    buckets: Integers
    unknown: npt.NDArray[np.bool_]
    n_sentences: int


@dataclass(frozen=True, eq=False)
class Mixture:
    """Linearly interpolated models, with weights that depend on the bucket of the history.

    Attributes
    ----------
    words : NgramModel
    histories : Histories
    classes : tuple of ClassModel
    weights : array of shape (BUCKETS, 1 + number of class models)
    """

    words: NgramModel
    histories: Histories
    classes: tuple[ClassModel, ...]
    weights: Floats

    @classmethod
    def of(cls, counted: Counted, weights: Floats | None = None) -> tuple[Mixture, Discounts]:
        """From counts; without weights, all models have the same weight.

        Returns the mixture, and the discounts of the word model.
        """
        n_models = 1 + len(counted.classes)
        with progress.stage("smoothing", n_models, "models", brief=1.0) as stage:
            smoothed = smooth(counted.words)
            words = NgramModel.of(counted.words.n_words, smoothed, counted.words.room)
            stage.advance(1)
            models = []
            for class_of, counts in zip(counted.class_of, counted.classes, strict=True):
                models.append(ClassModel.of(class_of, counts, counted.tokens[:-1]))
                stage.advance(1)
        if weights is None:
            weights = np.full((BUCKETS, n_models), 1 / n_models)
        return cls(words, Histories.of(counted.words), tuple(models), weights), smoothed.discounts

    @property
    def begin(self) -> int:
        return self.words.begin

    def padded(self, text: Sentences) -> Integers:
        """Sentences with symbols for their beginnings and ends."""
        return NgramCounts(self.words.n_words, [], []).padded(text.symbols, text.ends)

    def look_up(self, text: Integers) -> tuple[Floats, Integers]:
        """The log probabilities of the symbols, a row for each model; and the buckets of their histories."""
        found = self.words.look_up(text)
        log_p = np.stack([found.log_p, *(model.log_probs(text) for model in self.classes)])
        return log_p, self.histories.buckets(text, found)

    def log_probs(self, text: Integers) -> Floats:
        """The log probability of each symbol, given its history; 0 at the beginning of a sentence."""
        if not self.classes:
            return self.words.look_up(text).log_p
        log_p, buckets = self.look_up(text)
        return mixed(log_p, buckets, self.weights)

    def looked_up(self, text: Iterable[Sentences], n: int, room: Room | None = None) -> LookedUp:
        """What the models say of sentences, which have ``n`` words and ends in all."""
        room = room or Room()
        log_p = room.empty((1 + len(self.classes), n), np.float64)
        buckets, unknown = room.empty(n, np.int64), room.empty(n, np.bool_)
        begin = n_sentences = 0
        for some in text:
            whole = self.padded(some)
            found, places = self.look_up(whole)
            predicted = whole != self.begin
            here = slice(begin, begin + int(np.count_nonzero(predicted)))
            log_p[:, here], buckets[here] = found[:, predicted], places[predicted]
            unknown[here] = whole[predicted] == self.words.n_words
            begin, n_sentences = here.stop, n_sentences + len(some.ends)
        return LookedUp(log_p, buckets, unknown, n_sentences)

    def weighted(self, found: LookedUp, room: Room | None = None) -> Mixture:
        """With weights learned from held-out text."""
        with progress.stage("learning weights", unit="", brief=1.0):
            weights = learn_weights(found.log_p, found.buckets, BUCKETS, room)
        return Mixture(self.words, self.histories, self.classes, weights)
