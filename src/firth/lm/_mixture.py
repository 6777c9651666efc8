"""A word model interpolated with class models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.lm._buckets import BUCKETS, Histories
from firth.lm._classes import ClassModel
from firth.lm._counting import NgramCounts
from firth.lm._kneser_ney import smooth
from firth.lm._mixing import learn_weights, mixed
from firth.lm._ngrams import NgramModel

__all__ = ["Counted", "Discounts", "Mixture", "Sentences"]

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
        text: Sentences,
        n_words: int,
        order: int,
        class_of: Sequence[Integers],
        class_order: int,
    ) -> Counted:
        """Count sentences; ``class_of`` has the class of each symbol, for each class model."""
        with progress.stage("counting", 1 + len(class_of), "models", brief=1.0) as stage:
            words = NgramCounts.count(text.symbols, text.ends, n_words, order)
            stage.advance(1)
            classes = []
            for whole in class_of:
                n_classes = int(whole[-1]) - 2
                classes.append(
                    NgramCounts.count(whole[text.symbols], text.ends, n_classes, class_order)
                )
                stage.advance(1)
        tokens = np.bincount(text.symbols, minlength=n_words + 1)
        return cls(words, list(class_of), classes, tokens, len(text.ends))

    def __add__(self, other: Counted) -> Counted:
        """The sums of the counts of two texts."""
        return Counted(
            self.words + other.words, self.class_of,
            [a + b for a, b in zip(self.classes, other.classes, strict=True)],
            self.tokens + other.tokens, self.n_sentences + other.n_sentences,
        )  # fmt: skip


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
            words = NgramModel.of(counted.words.n_words, smoothed)
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

    def weighted(self, text: Sentences) -> tuple[Mixture, Integers]:
        """With weights learned from held-out text; and the number of its tokens in each bucket."""
        whole = self.padded(text)
        log_p, buckets = self.look_up(whole)
        predicted = whole != self.begin
        with progress.stage("learning weights", unit="", brief=1.0):
            weights = learn_weights(log_p[:, predicted], buckets[predicted], BUCKETS)
        sizes = np.bincount(buckets[predicted], minlength=BUCKETS)
        return Mixture(self.words, self.histories, self.classes, weights), sizes
