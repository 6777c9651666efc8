"""Probabilities of words, given tags: relative frequencies, smoothed with groups of similar words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.grammar._treebank import Treebank

__all__ = ["Lexicon"]

_SMOOTHING = 1.0
"""Weight of the tags of similar words, in occurrences."""
_LEAST = 1e-3
"""Tags that were never seen with a word are ignored if they are less probable than this."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Pairs of tags and words, sorted by word and then by tag.

    Attributes
    ----------
    tags, words : array of int64
    p : array
        The probability of the word, given the tag.
    counts : array of int64
        Frequency in the treebank; 0 for unseen pairs.
    """

    tags: Integers
    words: Integers
    p: Floats
    counts: Integers

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.tags)

    @cached_property
    def _keys(self) -> Integers:
        return self.words << 32 | self.tags

    @cached_property
    def tag_counts(self) -> Integers:
        """The frequency of each tag."""
        return np.bincount(self.tags, self.counts).astype(np.int64)

    def find(self, tags: Integers, words: Integers) -> Integers:
        """The indices of pairs; -1 for pairs that are not in the lexicon."""
        if not len(self):
            return np.full(len(tags), -1, np.int64)
        keys = words << 32 | tags
        place = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        return np.where(self._keys[place] == keys, place, -1)

    def of_word(self, word: int) -> slice:
        """The pairs of a word."""
        first, last = np.searchsorted(self.words, [word, word + 1])
        return slice(int(first), int(last))

    def pairs(self) -> list[tuple[int, int]]:
        """Tags and words, as numbers."""
        return list(zip(self.tags.tolist(), self.words.tolist(), strict=True))

    @classmethod
    def count(
        cls, bank: Treebank, group_of: Integers, n_groups: int, smoothing: float = _SMOOTHING
    ) -> Lexicon:
        """Estimate from a treebank.

        The tags of a word are smoothed with the tags of its group, which count as ``smoothing`` more
        occurrences; those of a group are smoothed with the tags of all rare words.

        Parameters
        ----------
        bank : Treebank
        group_of : array of int64, shape (n_words,)
            The group of each word; the symbols of groups come last, two for each group.
        n_groups : int
        smoothing : float
        """
        n_words, n_symbols = len(group_of), bank.n_symbols
        places = np.flatnonzero(bank.words >= 0)
        seen = np.zeros((n_words, n_symbols))
        np.add.at(seen, (bank.words[places], bank.symbols[places]), 1)
        rare = np.arange(n_words) >= n_words - 2 * n_groups
        of_group = np.zeros((n_groups, n_symbols))
        np.add.at(of_group, group_of[rare], seen[rare])
        usual = of_group.sum(axis=0)
        usual = (usual + 1e-9 * seen.sum(axis=0)) / max(usual.sum() + 1e-9 * seen.sum(), 1e-300)
        of_group = (of_group + usual) / (of_group.sum(axis=1, keepdims=True) + 1)
        count = seen.sum(axis=1, keepdims=True)
        share = (seen + smoothing * of_group[group_of]) / np.maximum(count + smoothing, 1e-300)
        totals = np.maximum(np.bincount(bank.symbols, minlength=n_symbols), 1)
        kept = (seen > 0) | ((share >= _LEAST) & (totals > 1))
        kept[:, np.setdiff1d(np.arange(n_symbols), np.unique(bank.symbols[places]))] = False
        words, tags = np.nonzero(kept)
        p = share[words, tags] * np.maximum(count[words, 0], 0.5) / totals[tags]
        return cls(tags, words, p, seen[words, tags].astype(np.int64))
