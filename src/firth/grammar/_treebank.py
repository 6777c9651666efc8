"""The trees of a treebank as a few arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.grammar._tensors import Node

if TYPE_CHECKING:
    from firth.grammar._lexicon import Lexicon

__all__ = ["Treebank"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Treebank:
    """Binary trees of numbers, one after the other; parents come before their children.

    Attributes
    ----------
    symbols : array of int64, shape (n_nodes,)
    words : array of int64
        The word of a tag; -1 for other nodes.
    parents, lefts, rights : array of int64
        Indices of other nodes; -1 for none.
    rules : array of int64
        The index of the rule at each node; -1 for tags.
    table : array of int64, shape (n_rules, 3)
        The rules: symbols of parent, left child and right child.
    starts : array of int64, shape (n_trees,)
        The indices of the roots.
    n_symbols : int
    """

    symbols: Integers
    words: Integers
    parents: Integers
    lefts: Integers
    rights: Integers
    rules: Integers
    table: Integers
    starts: Integers
    n_symbols: int

    @classmethod
    def of(cls, trees: Iterable[Node], n_symbols: int) -> Treebank:
        """Make from trees of numbers."""
        symbols: list[int] = []
        words: list[int] = []
        parents: list[int] = []
        sides: list[int] = []
        starts: list[int] = []
        for tree in trees:
            starts.append(len(symbols))
            waiting = [(tree, -1, 0)]
            while waiting:
                node, parent, side = waiting.pop()
                here = len(symbols)
                symbols.append(node.symbol)
                words.append(node.word)
                parents.append(parent)
                sides.append(side)
                if node.left is not None and node.right is not None:
                    waiting += [(node.right, here, 2), (node.left, here, 1)]
        if not symbols:
            raise InputError("There are no trees to learn from.")
        return cls._finished(symbols, words, parents, sides, starts, n_symbols)

    @classmethod
    def of_tagged(cls, tags: Integers, words: Integers, ends: Integers, n_tags: int) -> Treebank:
        """Make right-branching trees from tagged sentences.

        A sentence is a chain of nodes, one for each word: on the left, a node has the tag of the word, and
        on the right the rest of the sentence, which is the tag ``2 * n_tags`` with the word 0 at its end.
        The symbol of such a node is the number of its tag. The tag itself is ``n_tags`` more.

        Parameters
        ----------
        tags, words : array of int64, shape (n_tokens,)
        ends : array of int64, shape (n_sentences,)
            Where sentences end; none is empty.
        n_tags : int
        """
        if not len(ends):
            raise InputError("There are no trees to learn from.")
        starts = 2 * np.append(0, ends[:-1]) + np.arange(len(ends))
        n = 2 * len(tags) + len(ends)
        is_end = np.zeros(n, bool)
        is_end[np.append(starts[1:], n) - 1] = True
        places = np.flatnonzero(~is_end)
        symbols, spelled = np.full(n, 2 * n_tags), np.zeros(n, np.int64)
        symbols[places[::2]], symbols[places[1::2]] = tags, n_tags + tags
        spelled[places[::2]], spelled[places[1::2]] = -1, words
        parents, sides = np.full(n, -1), np.zeros(n, np.int64)
        parents[places[1::2]], sides[places[1::2]] = places[::2], 1
        rest = np.setdiff1d(np.arange(n), np.concatenate([places[1::2], starts]))
        parents[rest], sides[rest] = rest - 2, 2
        return cls._finished(symbols, spelled, parents, sides, starts, 2 * n_tags + 1)

    @classmethod
    def _finished(
        cls, symbols: Any, words: Any, parents: Any, sides: Any, starts: Any, n_symbols: int
    ) -> Treebank:
        above, side = np.array(parents, np.int64), np.array(sides)
        of = np.array(symbols, np.int64)
        lefts, rights = np.full(len(of), -1, np.int64), np.full(len(of), -1, np.int64)
        places = np.arange(len(of))
        lefts[above[side == 1]] = places[side == 1]
        rights[above[side == 2]] = places[side == 2]
        inner = lefts >= 0
        triples = np.stack([of[inner], of[lefts[inner]], of[rights[inner]]], axis=1)
        table, numbers = np.unique(triples, axis=0, return_inverse=True)
        rules = np.full(len(of), -1, np.int64)
        rules[inner] = numbers.ravel()
        return cls(
            of, np.array(words, np.int64), above, lefts, rights, rules, table.reshape(-1, 3),
            np.array(starts, np.int64), n_symbols,
        )  # fmt: skip

    @cached_property
    def rule_counts(self) -> Integers:
        """The frequency of each rule."""
        return np.bincount(self.rules[self.rules >= 0], minlength=len(self.table))

    @cached_property
    def symbol_counts(self) -> Integers:
        """The frequency of each symbol."""
        return np.bincount(self.symbols, minlength=self.n_symbols)

    def pairs(self, lexicon: Lexicon) -> Integers:
        """The index in a lexicon of the pair of tag and word at each node; -1 for none."""
        found = np.full(len(self), -1, np.int64)
        tags = np.flatnonzero(self.words >= 0)
        found[tags] = lexicon.find(self.symbols[tags], self.words[tags])
        return found

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.symbols)

    @property
    def n_trees(self) -> int:
        return len(self.starts)
