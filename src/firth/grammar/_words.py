"""The words of a grammar: frequent words, and groups of similar rare words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from firth.tags import SpellingGroups

__all__ = ["GrammarWords"]

_RARE = 2
"""Words that are not more frequent than this are replaced by their group."""
_LEAST = 20
"""The minimum size of a group."""


class GrammarWords:
    """The numbers of frequent words, and of groups of rare words.

    Rare words are grouped by spelling, or by word class if classes from other text are given, which are more
    informative. A rare word at the beginning of a sentence has a number of its own, because its capital
    letter is less informative.

    Parameters
    ----------
    words : sequence of str
        Frequent words, in the order of their numbers.
    rare : sequence of str
        The other words of the treebank.
    groups : SpellingGroups
        Groups of rare words by spelling.
    classes : mapping of str to str
        Word classes from other text.
    groups_of_classes : sequence of str
        Classes that are groups of rare words. Each group, first by spelling and then by class, has two
        numbers: for words within a sentence and at its beginning.

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
        """Learn from the words of a treebank, and from word classes."""
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
        """The group of each word, and of the symbol of each group."""
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
