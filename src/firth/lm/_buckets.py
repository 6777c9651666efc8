"""How well is known what comes before a word: histories in a few groups, by how often they were seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.lm._counting import NgramCounts
from firth.lm._mixing import buckets_of
from firth.lm._ngrams import Found, NgramModel

__all__ = ["BUCKETS", "Histories", "bucket_names"]

_OF_WORDS, _OF_PAIRS = 12, 8
"""Counts of words go up to 1,024 or more, those of pairs up to 64 or more."""
BUCKETS = 1 + _OF_WORDS + _OF_PAIRS - 1
"""Nothing before the word; one word, by its count; two words that were seen together, by their count."""

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Histories:
    """How often words, and pairs of words, were seen.

    Two words before a place that were seen together are a better known history than the last of them alone, which
    counts where they were not. With models of pairs, it always does.

    Attributes
    ----------
    words : array of int64, shape (n_words + 3,)
        The count of each symbol.
    pairs : array of int64
        The count of each pair of a model of three words together; empty for others.
    """

    words: Integers
    pairs: Integers

    @classmethod
    def of(cls, counts: NgramCounts) -> Histories:
        """From counts; pairs are numbered as those of the model that is made of them."""
        words = np.zeros(counts.n_words + 3, np.int64)
        words[counts.rows[0][:, 0]] = counts.counts[0]
        return cls(words, counts.counts[1] if counts.order > 2 else np.zeros(0, np.int64))

    @classmethod
    def unknown(cls, model: NgramModel) -> Histories:
        """Where only probabilities are known, as from a file of another program."""
        n_pairs = len(model.words2) if model.order > 2 else 0
        return cls(np.zeros(model.n_words + 3, np.int64), np.zeros(n_pairs, np.int64))

    def buckets(self, text: Integers, found: Found) -> Integers:
        """The bucket of what is before each symbol of a text; 0 for the first word of a sentence."""
        begin = len(self.words) - 2
        before = np.concatenate([text[:1], text[:-1]])
        numbers: Integers = self._of_words[before].astype(np.int64)
        numbers[before == begin] = 0
        if len(self.pairs):
            known = found.histories >= 0
            numbers[known] = self._of_pairs[found.histories[known]]
        return numbers

    @cached_property
    def _of_words(self) -> npt.NDArray[np.uint8]:
        return (1 + buckets_of(self.words, _OF_WORDS)).astype(np.uint8)

    @cached_property
    def _of_pairs(self) -> npt.NDArray[np.uint8]:
        return (_OF_WORDS + buckets_of(np.maximum(self.pairs, 1), _OF_PAIRS)).astype(np.uint8)


def bucket_names() -> list[str]:
    """What is before a word in each bucket, in words.

    >>> bucket_names()[:4], bucket_names()[-1]
    (['nothing', 'a word seen never', 'a word seen once', 'a word seen 2-3 times'], 'two words seen 64 times or more')
    """
    words = [f"a word seen {_times(k, _OF_WORDS)}" for k in range(_OF_WORDS)]
    pairs = [f"two words seen {_times(k, _OF_PAIRS)}" for k in range(1, _OF_PAIRS)]
    return ["nothing", *words, *pairs]


def _times(k: int, n: int) -> str:
    if k < 2:
        return ("never", "once")[k]
    low = 2 ** (k - 1)
    return f"{low:,} times or more" if k == n - 1 else f"{low:,}-{2 * low - 1:,} times"
