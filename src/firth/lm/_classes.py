"""Class-based language models: P(w | history) = P(c | class history) · P(w | c) (Brown et al. 1992)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import logs
from firth.errors import InputError
from firth.lm._counting import NgramCounts
from firth.lm._kneser_ney import smooth
from firth.lm._ngrams import NgramModel

__all__ = ["ClassModel"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClassModel:
    """A class-based n-gram model.

    Attributes
    ----------
    class_of : array of int64, shape (n_words + 3,)
        The class of each symbol of the word model. The unknown word and the beginning and end of a
        sentence have the symbols that ``ngrams`` has for them.
    ngrams : NgramModel
        The n-grams of classes.
    log_p : array of shape (n_words + 3,)
        The log probability of each word, given its class.
    """

    class_of: Integers
    ngrams: NgramModel
    log_p: Floats

    @classmethod
    def learn(
        cls, symbols: npt.NDArray[Any], ends: Integers, class_of: npt.NDArray[Any], order: int = 3
    ) -> ClassModel:
        """Learn from sentences of words, and the class of each word.

        Parameters
        ----------
        symbols : array of int
            Words; numbers from ``len(class_of)`` on are the unknown word.
        ends : array of int64
            The number of words before the end of each sentence.
        class_of : array of int, shape (n_words,)
            The number of the class of each word, from 0.
        order : int
            The order of the class n-grams: 1, 2 or 3.
        """
        whole = cls.classes_of(class_of)
        n_words, n_classes = len(whole) - 3, int(whole[-1]) - 2
        ngrams = NgramCounts.count(whole[np.minimum(symbols, n_words)], ends, n_classes, order)
        return cls.of(whole, ngrams, np.bincount(symbols[symbols < n_words], minlength=n_words))

    @staticmethod
    def classes_of(class_of: npt.NDArray[Any]) -> Integers:
        """The class of each symbol, from the class of each word."""
        given = np.asarray(class_of, np.int64)
        if not given.size or given.min() < 0:
            raise InputError("Every word needs a class, numbered from 0.")
        return np.concatenate([given, int(given.max()) + 1 + np.arange(3)])

    @classmethod
    def of(cls, whole: Integers, ngrams: NgramCounts, counts: Integers) -> ClassModel:
        """From the class of each symbol, the counts of class n-grams, and the count of each word."""
        given = whole[:-3]
        totals = np.bincount(given, counts, ngrams.n_words)
        log_p = logs(counts) - logs(np.maximum(totals, 1))[given]
        model = NgramModel.of(ngrams.n_words, smooth(ngrams), ngrams.room)
        return cls(whole, model, np.concatenate([log_p, np.zeros(3)]))

    def log_probs(self, text: Integers) -> Floats:
        """The log probability of each word, given its history; 0 at the beginning of a sentence."""
        found = self.ngrams.look_up(self.class_of[text]).log_p
        return np.asarray(found + self.log_p[text])
