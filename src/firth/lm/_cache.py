"""A cache: words that occurred a short time ago are more probable (Kuhn and De Mori 1990).

It has three models, which become part of a mixture:

- the recent words, whatever is before;
- the words that recently came after the same two words, or the same word;
- a class, predicted from the history, and the recent words of this class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm import _cache_kernels as kernels
from firth.lm._trees import Text

__all__ = ["CACHE_NAMES", "Recent"]

CACHE_NAMES = ("recent words", "recent n-grams", "recent words of the class")
_WORDS, _HISTORIES, _OF_CLASSES = 1 - 1 / 150, 1 - 1 / 1500, 1 - 1 / 400
"""What remains of the weight of a word after one more word, for each model."""
_WINDOW = 3000
"""How many words back histories are looked for."""
_FLAT, _ONE, _TWO, _IN_CLASS = 1.0, 2.0, 1.0, 2.0
"""The weight, in words, of the next simpler model: of all words alike, of recent words, of those after
one word, and of the words of a class."""

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]

recent_words: Any = kernels.recent_words
recent_histories: Any = kernels.recent_histories


class Recent:
    """The recent words of a text that is read in pieces.

    Parameters
    ----------
    n_symbols : int
    class_of : array of int32, optional
        The class of each symbol, for the last model.
    """

    def __init__(self, n_symbols: int, class_of: Short | None = None) -> None:
        self._n_symbols, self._begin = n_symbols, n_symbols - 2
        self._numbers = np.arange(n_symbols, dtype=np.int32)
        self._class_of = class_of
        self._old = np.zeros(0, np.int32)
        self._last = np.full(n_symbols, -1, np.int64)
        self._words = _Sums(n_symbols)
        self._in_class, self._classes = _Sums(n_symbols), _Sums(n_symbols)

    def probabilities(
        self, text: Text, p_class: Floats | None, p_in_class: Floats | None
    ) -> Floats:
        """The probability of each symbol, with a column for each model; then they are recent themselves.

        Parameters
        ----------
        text : Text
        p_class, p_in_class : array, optional
            The probability of the class of each symbol, given its history; and of the symbol, given its
            class.
        """
        symbols = np.concatenate([self._old, text.symbols])
        some = symbols, len(self._old), self._begin
        found, totals = self._words.add(some, self._numbers, _WORDS)
        flat = 1 / (self._n_symbols - 1)
        words = (found + _FLAT * flat) / (totals + _FLAT)
        one, all_one, two, all_two = np.zeros((4, len(text)))
        before = np.empty(len(symbols), np.int64)
        recent_histories(*some, _WINDOW, _HISTORIES, self._last, before, one, all_one, two, all_two)
        after_one = (one + _ONE * words) / (all_one + _ONE)
        columns = [words, (two + _TWO * after_one) / (all_two + _TWO)]
        if self._class_of is not None and p_class is not None and p_in_class is not None:
            here, _ = self._in_class.add(some, self._numbers, _OF_CLASSES)
            of_class, _ = self._classes.add(some, self._class_of, _OF_CLASSES)
            columns.append(p_class * (here + _IN_CLASS * p_in_class) / (of_class + _IN_CLASS))
        self._old = symbols[-_WINDOW - 2 :]
        return np.stack(columns, axis=1)


class _Sums:
    """Sums of decaying weights."""

    def __init__(self, n: int) -> None:
        self._sums, self._times = np.zeros(n), np.zeros(n, np.int64)
        self._total, self._now = np.zeros(1), 0

    def add(self, some: Any, of: Short, keep: float) -> tuple[Floats, Floats]:
        """The sums of each symbol, and of all, before it is added."""
        symbols, n_old, begin = some
        found, totals = np.zeros((2, len(symbols) - n_old))
        self._now = recent_words(
            symbols,
            n_old,
            begin,
            of,
            keep,
            self._sums,
            self._times,
            self._now,
            self._total,
            found,
            totals,
        )
        return found, totals
