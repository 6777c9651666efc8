"""Words of a grammar: frequent ones by themselves, rare and unseen ones by what they are like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from firth.tags import SpellingGroups

__all__ = ["GrammarWords"]

_RARE = 2
"""Words that occur no more often than this are taken for the group that they are like."""
_LEAST = 20
"""How many rare words make a group."""


class GrammarWords:
    """Numbers for frequent words, and for groups of rare ones that are alike.

    Rare words are alike that are spelled alike; or that share a class, where classes from other text are known: those
    tell more. A rare word at the beginning of a sentence is told apart: its capital says less.

    Parameters
    ----------
    words : sequence of str
        Frequent words, in the order of their numbers.
    rare : sequence of str
        The other words that were seen.
    groups : SpellingGroups
        Groups of rare words.
    classes : mapping of str to str
        The classes of words, as they are known from other text.
    groups_of_classes : sequence of str
        Classes that are groups of rare words. Each group, of spelling and then of classes, has two numbers: for words
        within a sentence and at its beginning.

    Examples
    --------
    >>> known = GrammarWords.learn([["the", "cat"], ["the", "dog"], ["the", "bird"]])
    >>> known.numbers(["the", "newt"]), len(known)
    ([0, 1], 3)
    """

    def __init__(
        self, words: Sequence[str], rare: Sequence[str], groups: SpellingGroups,
        classes: Mapping[str, str] | None = None, groups_of_classes: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.words, self.rare, self.groups = list(words), list(rare), groups
        self.classes, self.groups_of_classes = dict(classes or {}), list(groups_of_classes)
        self._number = {word: number for number, word in enumerate(self.words)}
        self._of_class = {name: len(groups) + k for k, name in enumerate(self.groups_of_classes)}

    @classmethod
    def learn(
        cls, sentences: Iterable[Sequence[str]], classes: Mapping[str, str] | None = None
    ) -> GrammarWords:
        """From the words of a treebank, and classes of words from elsewhere."""
        counts = Counter(word for sentence in sentences for word in sentence)
        rare = sorted(word for word, count in counts.items() if count <= _RARE)
        groups, _ = SpellingGroups.learn(rare, _LEAST)
        sizes = Counter((classes or {}).get(word, "") for word in rare)
        large = sorted(name for name, size in sizes.items() if name and size >= _LEAST)
        frequent = sorted(word for word, count in counts.items() if count > _RARE)
        return cls(frequent, rare, groups, classes, large)

    @property
    def n_groups(self) -> int:
        return len(self.groups) + len(self.groups_of_classes)

    def __len__(self) -> int:
        return len(self.words) + 2 * self.n_groups

    def group_of(self) -> npt.NDArray[np.int64]:
        """The group of each word, and of those that stand for groups."""
        groups = [self._group(word) for word in self.words]
        return np.array([*groups, *np.repeat(np.arange(self.n_groups), 2)], np.int64)

    def numbers(self, sentence: Sequence[str]) -> list[int]:
        """The numbers of the words of a sentence."""
        return [self._find(word, place == 0) for place, word in enumerate(sentence)]

    def by_group(self) -> list[list[str]]:
        """The rare words of each group."""
        found: list[list[str]] = [[] for _ in range(self.n_groups)]
        for word in self.rare:
            found[self._group(word)].append(word)
        return found

    def _group(self, word: str) -> int:
        of_class = self._of_class.get(self.classes.get(word, ""))
        return self.groups.find(word) if of_class is None else of_class

    def _find(self, word: str, first: bool) -> int:
        known = self._number.get(word)
        return len(self.words) + 2 * self._group(word) + first if known is None else known
