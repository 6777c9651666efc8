"""Histories of words, in a few buckets by how often they were seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.lm._counting import NgramCounts
from firth.lm._mixing import buckets_of
from firth.lm._ngrams import Found, NgramModel

__all__ = ["BUCKETS", "Histories", "bucket_names"]

_OF_WORDS, _OF_BIGRAMS = 12, 8
"""The last bucket of words has counts of 1,024 or more, that of bigrams 64 or more."""
BUCKETS = 1 + _OF_WORDS + _OF_BIGRAMS - 1
"""No history; one word, by its count; a bigram that was seen, by its count."""

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Histories:
    """Counts of words and of bigrams, as histories of the next word.

    In a trigram model, the bucket of a history is that of the bigram before the word if it was seen, and
    else that of the last word. In a bigram model, it is always that of the last word.

    Attributes
    ----------
    words : array of int64, shape (n_words + 3,)
        The count of each symbol.
    bigrams : array of int64
        The count of each bigram of a trigram model; empty for other models.
    """

    words: Integers
    bigrams: Integers

    @classmethod
    def of(cls, counts: NgramCounts) -> Histories:
        """From counts; bigrams have the numbers that they have in the model made from the counts."""
        words = np.zeros(counts.n_words + 3, np.int64)
        words[counts.keys[0].astype(np.int64)] = counts.counts[0]
        return cls(words, counts.counts[1] if counts.order > 2 else np.zeros(0, np.int64))

    @classmethod
    def unknown(cls, model: NgramModel) -> Histories:
        """For a model without counts, such as an imported one."""
        n_bigrams = len(model.words2) if model.order > 2 else 0
        return cls(np.zeros(model.n_words + 3, np.int64), np.zeros(n_bigrams, np.int64))

    def buckets(self, text: Integers, found: Found) -> Integers:
        """The bucket of the history of each symbol of a text; 0 for the first word of a sentence."""
        begin = len(self.words) - 2
        before = np.concatenate([text[:1], text[:-1]])
        numbers: Integers = self._of_words[before].astype(np.int64)
        numbers[before == begin] = 0
        if len(self.bigrams):
            known = found.histories >= 0
            seen = np.maximum(self.bigrams[found.histories[known]], 1)
            numbers[known] = _OF_WORDS + buckets_of(seen, _OF_BIGRAMS)
        return numbers

    @cached_property
    def _of_words(self) -> npt.NDArray[np.uint8]:
        return (1 + buckets_of(self.words, _OF_WORDS)).astype(np.uint8)


def bucket_names() -> list[str]:
    """The history of each bucket, in words.

    >>> bucket_names()[:4]
    ['nothing', 'a word seen never', 'a word seen once', 'a word seen 2-3 times']
    >>> bucket_names()[-1]
    'two words seen 64 times or more'
    """
    words = [f"a word seen {_times(k, _OF_WORDS)}" for k in range(_OF_WORDS)]
    bigrams = [f"two words seen {_times(k, _OF_BIGRAMS)}" for k in range(1, _OF_BIGRAMS)]
    return ["nothing", *words, *bigrams]


def _times(k: int, n: int) -> str:
    if k < 2:
        return ("never", "once")[k]
    low = 2 ** (k - 1)
    return f"{low:,} times or more" if k == n - 1 else f"{low:,}-{2 * low - 1:,} times"
