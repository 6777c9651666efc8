"""A language model of classes: the class of a word by the classes before it, and the word by its class.

P(w | before) = P(c | classes before) · P(w | c) (Brown and others 1992).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.lm._counting import NgramCounts
from firth.lm._kneser_ney import smooth
from firth.lm._ngrams import NgramModel

__all__ = ["ClassModel"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClassModel:
    """Classes of words, sequences of classes, and words in their classes.

    Attributes
    ----------
    class_of : array of int64, shape (n_words + 3,)
        The class of each symbol of the words' model: for what is not known, beginnings and ends those of ``ngrams``.
    ngrams : NgramModel
        Of classes.
    log_p : array of shape (n_words + 3,)
        The logarithm of the probability of a word, given its class.
    """

    class_of: Integers
    ngrams: NgramModel
    log_p: Floats

    @classmethod
    def learn(
        cls, symbols: npt.NDArray[Any], ends: Integers, class_of: npt.NDArray[Any], order: int = 3
    ) -> ClassModel:
        """From sentences of words, and the class of each word.

        Parameters
        ----------
        symbols : array of int
            Words from ``len(class_of)`` on are not known.
        ends : array of int64
            The number of words up to the end of each sentence.
        class_of : array of int, shape (n_words,)
            Numbers from 0 on.
        order : int
            The longest sequences of classes: 1, 2 or 3.
        """
        whole = cls.classes_of(class_of)
        n_words, n_classes = len(whole) - 3, int(whole[-1]) - 2
        ngrams = NgramCounts.count(whole[np.minimum(symbols, n_words)], ends, n_classes, order)
        return cls.of(whole, ngrams, np.bincount(symbols[symbols < n_words], minlength=n_words))

    @staticmethod
    def classes_of(class_of: npt.NDArray[Any]) -> Integers:
        """The class of each symbol, by the class of each word."""
        given = np.asarray(class_of, np.int64)
        if not given.size or given.min() < 0:
            raise InputError("Every word needs a class, numbered from 0 on.")
        return np.concatenate([given, int(given.max()) + 1 + np.arange(3)])

    @classmethod
    def of(cls, whole: Integers, ngrams: NgramCounts, counts: Integers) -> ClassModel:
        """From counts: the class of each symbol, sequences of classes, and how often each word occurs."""
        given = whole[:-3]
        totals = np.bincount(given, counts, ngrams.n_words)
        with np.errstate(divide="ignore"):
            log_p = np.log(counts) - np.log(np.maximum(totals, 1))[given]
        model = NgramModel.of(ngrams.n_words, smooth(ngrams))
        return cls(whole, model, np.concatenate([log_p, np.zeros(3)]))

    def log_probs(self, text: Integers) -> Floats:
        """The logarithm of the probability of every word after those before it; 0 for beginnings of sentences."""
        found = self.ngrams.look_up(self.class_of[text]).log_p
        return np.asarray(found + self.log_p[text])
