"""Words of a grammar: frequent ones by themselves, rare and unseen ones by what they look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from firth.tags import SpellingGroups

__all__ = ["GrammarWords"]

_RARE = 2
"""Words that occur no more often than this are taken for the group that they are spelled like."""
_LEAST = 5
"""How many rare words make a group."""


class GrammarWords:
    """Numbers for frequent words, and for groups of rare ones that are spelled alike.

    A word at the beginning of a sentence is told apart where it is rare: its capital says less.

    Parameters
    ----------
    words : sequence of str
        Frequent words, in the order of their numbers.
    groups : SpellingGroups
        Groups of rare words; each has two numbers, for words within a sentence and at its beginning.

    Examples
    --------
    >>> known = GrammarWords.learn([["the", "cat"], ["the", "dog"], ["the", "bird"]])
    >>> known.numbers(["the", "newt"]), len(known)
    ([0, 1], 3)
    """

    def __init__(self, words: Sequence[str], groups: SpellingGroups) -> None:
        self.words, self.groups = list(words), groups
        self._number = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[str]], rare: int = _RARE) -> GrammarWords:
        """From the words of a treebank."""
        counts = Counter(word for sentence in sentences for word in sentence)
        groups, _ = SpellingGroups.learn(
            sorted(word for word, count in counts.items() if count <= rare), _LEAST
        )
        return cls(sorted(word for word, count in counts.items() if count > rare), groups)

    def __len__(self) -> int:
        return len(self.words) + 2 * len(self.groups)

    def group_of(self) -> npt.NDArray[np.int64]:
        """The group of each word, and of those that stand for groups."""
        groups = [self.groups.find(word) for word in self.words]
        return np.array([*groups, *np.repeat(np.arange(len(self.groups)), 2)], np.int64)

    def numbers(self, sentence: Sequence[str]) -> list[int]:
        """The numbers of the words of a sentence."""
        return [self._find(word, place == 0) for place, word in enumerate(sentence)]

    def _find(self, word: str, first: bool) -> int:
        known = self._number.get(word)
        return len(self.words) + 2 * self.groups.find(word) + first if known is None else known
