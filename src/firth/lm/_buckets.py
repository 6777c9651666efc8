"""Histories of words, in a few buckets by how often they were seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm import _kernels as kernels
from firth.lm._mixing import buckets_of
from firth.lm._trees import CountedTree, Text, Tree

__all__ = ["BUCKETS", "bucket_names", "history_buckets"]

_OF_WORDS, _OF_BIGRAMS = 12, 8
"""The last bucket of words has counts of 1,024 or more, that of bigrams 64 or more."""
BUCKETS = 1 + _OF_WORDS + _OF_BIGRAMS - 1
"""No history; one word, by its count; a bigram that was seen, by its count."""

Integers = npt.NDArray[np.int64]

recent_nodes: Any = kernels.recent_nodes


def history_buckets(text: Text, words: Tree | CountedTree, tokens: Integers) -> Integers:
    """The bucket of the history of each symbol of a text; 0 for the first word of a sentence.

    It is that of the two words before if they were seen together, and else that of the last word. In a
    model of bigrams, it is always that of the last word.

    Parameters
    ----------
    text : Text
    words : Tree
        The tree of words.
    tokens : array of int64
        How often the histories of its first nodes were seen, up to those of two words.
    """
    one, two = np.empty((2, len(text)), np.int64)
    recent_nodes(text.symbols, text.places, words.children, words.elements, one, two)
    known = one >= 0
    numbers: Integers = np.ones(len(text), np.int64)
    numbers[known] = 1 + buckets_of(tokens[one[known]], _OF_WORDS)
    numbers[text.places <= 1] = 0
    longer = (two >= 0) & (two < len(tokens)) & (text.places > 1)
    numbers[longer] = _OF_WORDS + buckets_of(np.maximum(tokens[two[longer]], 1), _OF_BIGRAMS)
    return numbers


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
