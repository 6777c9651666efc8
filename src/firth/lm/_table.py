"""Scores of sentences by one model of words, from a table of its n-grams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from firth.compute.kernels import direct
from firth.lm import _table_kernels as kernels
from firth.lm._results import SentenceScores

__all__ = ["NGramTable"]

score_sentences: Any = kernels.score_sentences
score_symbols: Any = kernels.score_symbols
_PADDING = "\n" * kernels.PADDING

Floats = npt.NDArray[np.float64]


@direct(
    types.Bytes(types.uint8, 1, "C", readonly=True), types.int64, types.Array(types.uint64, 1, "C", readonly=True)
)  # fmt: skip
def _score(text: Any, n_words: int, table: Any) -> float:
    """The log probability of one sentence, as ``score_words`` gives it; NaN if it has other words."""
    end = len(text) - kernels.PADDING
    found = kernels.score_words(text, 0, end, n_words, table)
    # a word that contains a line feed would be two
    return found[0] if n_words <= 0 or found[4] == end + 1 else math.nan


class NGramTable:
    """The n-grams of a model of words, and the words themselves, in one array.

    Scores do not depend on how words and n-grams are hashed. They are those of the tree up to rounding or,
    if the table is quantised, near them.

    Parameters
    ----------
    table : array of uint64
        As ``exact_table`` returns it; kernels trust its header.
    words : KnownWords
        Looks up words that may be known in another form.
    """

    def __init__(self, table: npt.NDArray[np.uint64], words: Any) -> None:
        table.flags.writeable = False
        self._table, self._words = table, words
        self._splits = words.reading.tokens == "whitespace"
        self._score = _score()

    def __reduce__(self) -> Any:
        return NGramTable, (self._table, self._words)

    def log_prob(self, sentence: Sequence[str]) -> float:
        """The log probability of a sentence: its words, or text."""
        n = len(sentence)
        try:
            if isinstance(sentence, str):
                if not self._splits:
                    return self.slowly(sentence)[0]
                text, n = (sentence + _PADDING).encode(), kernels.SPLIT
            else:
                text = ("\n".join(sentence) + _PADDING).encode()
        except (TypeError, UnicodeEncodeError):  # not words, or words that are not Unicode
            return self.slowly(sentence)[0]
        found: float = self._score(text, n, self._table)
        return found if found == found else self.slowly(sentence)[0]

    def slowly(self, sentence: Sequence[str]) -> tuple[float, float, int]:
        """The log probability of a sentence, that of its unknown words, and the number of these."""
        known, of_unknown, n_unknown = self.score(self._words.numbered([sentence])[0])
        return known + of_unknown, of_unknown, n_unknown

    def score(self, symbols: npt.NDArray[np.int32]) -> tuple[float, float, int]:
        """For the numbers of words: the log probability without unknown words, that of these, and their number."""
        found = score_symbols(symbols, self._table, np.empty(len(symbols) + 1))
        return float(found[0]), float(found[1]), int(found[2])

    def probabilities(self, symbols: npt.NDArray[np.int32]) -> Floats:
        """The probability of each symbol of a sentence, and of its end."""
        p = np.empty(len(symbols) + 1)
        score_symbols(symbols, self._table, p)
        return p

    def scores(self, sentences: Sequence[Sequence[str]]) -> SentenceScores:
        """The scores of sentences, each by itself; sentences are words, not text."""
        n = len(sentences)
        lengths = np.fromiter(map(len, sentences), np.int64, n)
        log_p, of_unknown, n_unknown = np.full(n, math.nan), np.zeros(n), np.zeros(n, np.int64)
        try:
            text = "\n".join(["\n".join(one) for one in sentences if one]) + _PADDING
            data = np.frombuffer(text.encode(), np.uint8)
        except (TypeError, UnicodeEncodeError):
            data = np.zeros(0, np.uint8)
        # a word that contains a line feed would be two
        if len(data) and text.count("\n") - kernels.PADDING == max(int(lengths.sum()) - 1, 0):
            score_sentences(data, lengths, self._table, log_p, of_unknown, n_unknown)
        for k in np.flatnonzero(np.isnan(log_p)).tolist():
            log_p[k], of_unknown[k], n_unknown[k] = self.slowly(sentences[k])
        return SentenceScores(log_p, of_unknown, lengths, n_unknown)
