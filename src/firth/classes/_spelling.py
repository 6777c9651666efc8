"""Classes of words from their endings and shapes."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.corpus import Vocabulary

__all__ = ["Spelling", "shape"]

_LONGEST = 5
_FEWEST = 3
"""Minimum number of words with an ending."""
_MOST_WORDS = 100_000
_TELLING = ("number", "mark", "capitals", "capitalised")
"""Shapes that are informative without an ending."""


def shape(word: str) -> str:
    """A coarse shape: number, mark, CAPITALS, Capitalised, hyphen-ated, or lower.

    >>> [shape(w) for w in ("1987", "!?", "NATO", "Paris", "well-known", "dog")]
    ['number', 'mark', 'capitals', 'capitalised', 'hyphen', 'lower']
    """
    if any(map(unicode.is_digit, word)):
        return "number"
    if not any(map(unicode.is_alpha, word)):
        return "mark"
    if len(word) > 1 and unicode.is_upper(word):
        return "capitals"
    if unicode.is_upper(word[:1]):
        return "capitalised"
    return "hyphen" if "-" in word else "lower"


class Spelling:
    """The most frequent class of each combination of shape and ending.

    New words are rare, so only the rarer half of the vocabulary is used.
    """

    def __init__(self, classes: dict[tuple[str, str], int]) -> None:
        self.classes = classes

    @classmethod
    def learn(cls, vocabulary: Vocabulary, class_of: npt.NDArray[Any]) -> Spelling:
        n = len(vocabulary)
        rarer = np.argsort(-np.asarray(vocabulary.counts), kind="stable")[n // 2 :][-_MOST_WORDS:]
        if not np.any(vocabulary.counts):  # counts are unknown: use all words
            rarer = np.arange(n)
        votes: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)
        words = vocabulary.words.take(rarer).to_pylist()
        for word, c in zip(words, class_of[rarer].tolist(), strict=True):
            for key in _keys(word):
                votes[key][c] += 1
        return cls(
            {
                key: min(found, key=lambda c: (-found[c], c))
                for key, found in votes.items()
                if found.total() >= _FEWEST
            }
        )

    def class_of(self, word: str) -> int | None:
        """The class for the shape of a word and its longest known ending, or None."""
        for key in _keys(word):
            if key in self.classes:
                return self.classes[key]
        return None


def _keys(word: str) -> list[tuple[str, str]]:
    """Shape and ending of a word, the longest ending first; every digit is a 0."""
    kind, plain = shape(word), unicode.zero_digits(word)
    longest = min(_LONGEST, len(plain))
    keys = [(kind, plain[-length:]) for length in range(longest, 1, -1)]
    return keys + [(kind, "")] * (kind in _TELLING)
