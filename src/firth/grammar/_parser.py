"""A parser: from words to a tree, by a coarse grammar and a fine one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.grammar import _chart_kernels as kernels
from firth.grammar._lexicon import Lexicon
from firth.grammar._tensors import Node, TensorGrammar
from firth.grammar._treebank import Treebank

__all__ = ["CoarseGrammar", "Parser"]

_THRESHOLD = 1e-3
"""Phrases that the coarse grammar holds less probable than this are given up."""

Floats = npt.NDArray[np.float64]

coarse_inside: Any = kernels.coarse_inside
coarse_outside: Any = kernels.coarse_outside
list_items: Any = kernels.list_items
count_edges: Any = kernels.count_edges
fill_edges: Any = kernels.fill_edges
fine_inside: Any = kernels.fine_inside
fine_outside: Any = kernels.fine_outside
best_trees: Any = kernels.best_trees


@dataclass(frozen=True, eq=False)
class CoarseGrammar:
    """Plain probabilities of rules and words: a grammar without hidden states.

    Attributes
    ----------
    rules : array of int64, shape (n_rules, 3)
    p : array of shape (n_rules,)
    of_words : dict of int to list of (int, float)
        For each word its tags and the probability of the word given each.
    roots : array of shape (n_symbols,)
    """

    rules: npt.NDArray[np.int64]
    p: Floats
    of_words: dict[int, list[tuple[int, float]]]
    roots: Floats

    @classmethod
    def count(cls, bank: Treebank, lexicon: Lexicon) -> CoarseGrammar:
        """From the frequencies in a treebank."""
        totals = np.maximum(np.bincount(bank.symbols, minlength=bank.n_symbols), 1)
        inner = bank.rules >= 0
        p = np.bincount(bank.rules[inner], minlength=len(bank.table)) / totals[bank.table[:, 0]]
        of_words: dict[int, list[tuple[int, float]]] = {}
        for word, tag, p_word in zip(
            lexicon.words.tolist(), lexicon.tags.tolist(), lexicon.p.tolist(), strict=True
        ):
            of_words.setdefault(word, []).append((tag, p_word))
        roots = np.bincount(bank.symbols[bank.starts], minlength=bank.n_symbols) / bank.n_trees
        return cls(bank.table, p, of_words, roots)


@dataclass(frozen=True, eq=False)
class Items:
    """The phrases of a sentence that are left, and how they are made of each other."""

    items: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int32]


class Parser:
    """Finds the trees of sentences.

    Parameters
    ----------
    coarse : CoarseGrammar
    fine : TensorGrammar
        With the same rules, in the same order.
    threshold : float
        Phrases that the coarse grammar holds less probable than this are given up.
    """

    def __init__(
        self, coarse: CoarseGrammar, fine: TensorGrammar, threshold: float = _THRESHOLD
    ) -> None:
        self.coarse, self.fine, self.threshold = coarse, fine, threshold
        order = np.argsort(coarse.rules[:, 1], kind="stable")
        self._above, left, self._right = coarse.rules[order].T.astype(np.int32)
        self._above, self._right = (
            np.ascontiguousarray(self._above),
            np.ascontiguousarray(self._right),
        )
        self._by_left = np.searchsorted(left, np.arange(fine.n_symbols + 1)).astype(np.int64)
        self._p = np.ascontiguousarray(coarse.p[order])
        self._tensors = np.ascontiguousarray(fine.tensors[order])

    def items(self, words: Sequence[int]) -> Items | None:
        """The phrases of a sentence that the coarse grammar finds probable; None where it has no tree for it."""
        n, s = len(words), self.fine.n_symbols
        inside, outside = np.zeros((n, n, s)), np.zeros((n, n, s))
        active, n_active = np.zeros((n, n, s), np.int32), np.zeros((n, n), np.int32)
        for i, word in enumerate(words):
            tags = self.coarse.of_words.get(word, [])
            # what all tags of a word have in common says nothing of the tree, and would let products vanish
            scale = max((p for _, p in tags), default=1.0)
            for k, (tag, p) in enumerate(sorted(tags)):
                inside[i, i, tag] = p / scale
                active[i, i, k] = tag
            n_active[i, i] = len(tags)
        rules = self._by_left, self._above, self._right, self._p
        coarse_inside(n, *rules, inside, active, n_active)
        total = float(inside[0, n - 1] @ self.coarse.roots)
        if not total > 0:
            return None
        outside[0, n - 1] = self.coarse.roots / total
        coarse_outside(n, *rules, inside, active, n_active, outside)
        number_of = np.full((n, n, s), -1, np.int32)
        items = np.empty((int(n_active.sum()), 3), np.int32)
        count = list_items(n, inside, outside, active, n_active, self.threshold, items, number_of)
        without = self._by_left, self._above, self._right
        edges = np.empty((count_edges(n, *without, active, n_active, number_of), 4), np.int32)
        fill_edges(n, *without, active, n_active, number_of, edges)
        return Items(items[:count].copy(), edges)

    def marginals(self, words: Sequence[int], found: Items) -> Floats:
        """The share of each item in the probability of the sentence, by the fine grammar; may be below zero."""
        m = self.fine.dim
        inside, outside = np.zeros((len(found.items), m)), np.zeros((len(found.items), m))
        scale = {word: max(p for _, p in self.coarse.of_words[word]) for word in set(words)}
        for number, (symbol, i, j) in enumerate(found.items.tolist()):
            if i == j:
                vector = self.fine.lexicon.get((symbol, words[i]))
                if vector is not None:
                    inside[number] = vector / scale[words[i]]
        fine_inside(found.edges, self._tensors, inside)
        whole = (found.items[:, 1] == 0) & (found.items[:, 2] == len(words) - 1)
        outside[whole] = self.fine.roots[found.items[whole, 0]]
        fine_outside(found.edges, self._tensors, inside, outside)
        shares = (inside * outside).sum(axis=1)
        total = float(shares[whole].sum())
        return np.asarray(shares / total if abs(total) > 1e-300 else shares)

    def parse(self, words: Sequence[int]) -> Node | None:
        """The tree with the largest sum of marginals (Goodman 1996); None where there is none."""
        found = self.items(words)
        if found is None:
            return None
        value = np.abs(self.marginals(words, found))
        best, choice = np.empty(len(value)), np.empty(len(value), np.int32)
        best_trees(found.items, found.edges, value, best, choice)
        whole = np.flatnonzero((found.items[:, 1] == 0) & (found.items[:, 2] == len(words) - 1))
        whole = whole[best[whole] > -1e299]
        if not len(whole):
            return None
        return self._tree(int(whole[np.argmax(best[whole])]), words, found, choice)

    def _tree(
        self, item: int, words: Sequence[int], found: Items, choice: npt.NDArray[np.int32]
    ) -> Node:
        symbol, i, _ = found.items[item].tolist()
        if choice[item] < 0:
            return Node(symbol, word=words[i])
        _, _, left, right = found.edges[choice[item]].tolist()
        return Node(
            symbol, self._tree(left, words, found, choice), self._tree(right, words, found, choice)
        )
