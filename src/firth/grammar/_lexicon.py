"""How probable words are, given tags: counted, and smoothed by how words are spelled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.grammar._treebank import Treebank

__all__ = ["Lexicon"]

_SMOOTHING = 1.0
_LEAST = 1e-3
"""A tag that a word has with a smaller probability, and never had, is not tried."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Pairs of tags and words, in order of the words and then of the tags.

    Attributes
    ----------
    tags, words : array of int64
    p : array
        The probability of the word, given the tag.
    counts : array of int64
        How often the two occur together; 0 for pairs that were never seen.
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
        """How often each tag occurs."""
        return np.bincount(self.tags, self.counts).astype(np.int64)

    def find(self, tags: Integers, words: Integers) -> Integers:
        """The numbers of some pairs; -1 for pairs that are not here."""
        if not len(self):
            return np.full(len(tags), -1, np.int64)
        keys = words << 32 | tags
        place = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        return np.where(self._keys[place] == keys, place, -1)

    def of_word(self, word: int) -> slice:
        """The pairs with a word."""
        first, last = np.searchsorted(self.words, [word, word + 1])
        return slice(int(first), int(last))

    def pairs(self) -> list[tuple[int, int]]:
        """Tags and words, as numbers."""
        return list(zip(self.tags.tolist(), self.words.tolist(), strict=True))

    @classmethod
    def count(
        cls, bank: Treebank, group_of: Integers, n_groups: int, smoothing: float = _SMOOTHING
    ) -> Lexicon:
        """From a treebank.

        A word has, beside its own tags, those of its group, as if it had occurred ``smoothing`` times more; a group
        has those of all rare words.

        Parameters
        ----------
        bank : Treebank
        group_of : array of int64, shape (n_words,)
            The group of each word; the words that stand for groups come last, two for each.
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
