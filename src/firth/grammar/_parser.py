"""A parser: from words to trees, by a coarse grammar and by fine ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.grammar import _chart_kernels as kernels
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._tensors import Node

__all__ = ["DECODERS", "CoarseChart", "Items", "Leaf", "Parser"]

DECODERS = ("phrases", "rules")
"""The tree with the largest sum of the probabilities of its phrases, or the largest product of those of its rules."""
_THRESHOLD = 1e-3
"""Phrases that the coarse grammar holds less probable than this are given up."""
_UNSEEN = 0.3
"""How probable a word is with a symbol that it never had but is told to have, beside one that it had."""
_AGAINST = 0.01
"""How much less probable other symbols are than those that a word is told to have."""
_LIFT, _STEP, _TRIES = 16.0, 16.0, 12
"""Every word is multiplied by this at first, then by more or less, until products of many rules are numbers."""
_TINY = 1e-200
_MOST_EDGES = 20_000_000
"""A sentence with more is given up: they would take more than half a gigabyte."""
_NONE = -1e299
_LEAST = 1e-12
"""What has a smaller share in the probability of a sentence counts as this much."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

add_rule_counts: Any = kernels.add_rule_counts
coarse_inside: Any = kernels.coarse_inside
coarse_outside: Any = kernels.coarse_outside
list_items: Any = kernels.list_items
count_edges: Any = kernels.count_edges
fill_edges: Any = kernels.fill_edges
fine_inside: Any = kernels.fine_inside
fine_outside: Any = kernels.fine_outside
best_lists: Any = kernels.best_lists


@dataclass(frozen=True, eq=False)
class Leaf:
    """What a word can be.

    Attributes
    ----------
    word : int
    tags : array of int64
    pairs : array of int64
        The numbers of each tag and the word in the lexicon; -1 where they are not in it, and nothing is known of them.
    weights : array
        By what the probability of each pair is multiplied; or that probability itself, where it is not known.
    p : array
        The probability of the word, given each tag.
    """

    word: int
    tags: Integers
    pairs: Integers
    weights: Floats
    p: Floats

    @cached_property
    def scale(self) -> float:
        """What all tags of a word have in common says nothing of the tree, and would let products vanish."""
        return float(self.p.max(initial=0.0)) or 1.0

    def vectors(self, fine: FineGrammar) -> Floats:
        """The inside vectors of the word with each tag, divided by the scale."""
        known = np.where(
            (self.pairs >= 0)[:, None], fine.vectors[self.pairs], fine.totals[self.tags]
        )
        return np.asarray(known * (self.weights / self.scale)[:, None])


@dataclass(frozen=True, eq=False)
class Items:
    """The phrases of a sentence that are left, and how they are made of each other.

    Attributes
    ----------
    items : array of int32, shape (n_items, 3)
        Symbol, first word, last word; small spans first.
    edges : array of int32, shape (n_edges, 4)
        Rule, item above, left, right.
    whole : array of int64
        The items of the whole sentence that have a tree.
    lift : float
        By what every word is multiplied.
    """

    items: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int32]
    whole: Integers
    lift: float


@dataclass(frozen=True, eq=False)
class CoarseChart:
    """What a coarse grammar says of a sentence.

    Attributes
    ----------
    inside, outside : array of shape (n_words, n_words, n_symbols)
        For the first and the last word of a phrase. The product is the probability of the phrase, given the sentence.
    active : array of int32, shape (n_words, n_words, n_symbols)
        The symbols that each span can have,
    n_active : array of int32, shape (n_words, n_words)
        and how many they are.
    lift : float
        By what every word was multiplied, so that products of many rules do not vanish.
    log_prob : float
        The logarithm of the probability of the sentence.
    """

    inside: Floats
    outside: Floats
    active: npt.NDArray[np.int32]
    n_active: npt.NDArray[np.int32]
    lift: float
    log_prob: float


class Parser:
    """Finds the trees of sentences.

    Parameters
    ----------
    coarse : CoarseGrammar
    fine : sequence of FineGrammar
        With the same rules and pairs, in the same order. Where there are several, they decide together.
    threshold : float
        Phrases that the coarse grammar holds less probable than this are given up.
    decode : {"phrases", "rules"}
        Which tree is the best: that with the largest sum of the probabilities of its phrases (Goodman 1996), or
        with the largest product of those of its rules (Petrov and Klein 2007).
    """

    def __init__(
        self, coarse: CoarseGrammar, fine: Sequence[FineGrammar], threshold: float = _THRESHOLD,
        decode: str = "phrases",
    ) -> None:  # fmt: skip
        self.coarse, self.fine, self.threshold, self.decode = coarse, list(fine), threshold, decode
        order = np.argsort(coarse.rules[:, 1], kind="stable")
        above, left, right = (
            np.ascontiguousarray(x) for x in coarse.rules[order].T.astype(np.int32)
        )
        starts = np.searchsorted(left, np.arange(coarse.n_symbols + 1)).astype(np.int64)
        self._rules = starts, above, right
        self._p = np.ascontiguousarray(coarse.p[order])
        self._number = order.astype(np.int32)
        self._pairs = _by_pairs(coarse)

    def leaves(self, words: Sequence[int], tags: Sequence[Integers | None] = ()) -> list[Leaf]:
        """What the words of a sentence can be.

        Parameters
        ----------
        words : sequence of int
        tags : sequence of array of int64, optional
            The symbols that each word has, by somebody who should know; others are then far less probable.
        """
        lexicon = self.coarse.lexicon
        found = []
        for place, word in enumerate(words):
            own = lexicon.of_word(word)
            pairs, symbols, p = np.arange(own.start, own.stop), lexicon.tags[own], lexicon.p[own]
            weights = np.ones(len(pairs))
            told = tags[place] if place < len(tags) else None
            if told is not None:
                weights[~np.isin(symbols, told)] = _AGAINST
                new = np.setdiff1d(told, symbols)
                usual = float(p[np.isin(symbols, told)].max(initial=0.0)) * _UNSEEN
                unseen = np.full(len(new), usual or float(p.max(initial=0.0)) or 1.0)
                p = np.concatenate([p * weights, unseen])
                weights, symbols = np.concatenate([weights, unseen]), np.concatenate([symbols, new])
                pairs = np.concatenate([pairs, np.full(len(new), -1)])
            found.append(Leaf(word, symbols, pairs, weights, p))
        return found

    def coarse_chart(
        self, leaves: Sequence[Leaf], allowed: npt.NDArray[np.uint8] | None = None
    ) -> CoarseChart | None:
        """What the coarse grammar says of all phrases; None where it has no tree.

        Parameters
        ----------
        leaves : sequence of Leaf
        allowed : array of uint8, shape (n_words, n_words), optional
            Which spans can be phrases: 1 at their first and last word.
        """
        n, s = len(leaves), self.coarse.n_symbols
        allowed = np.ones((n, n), np.uint8) if allowed is None else allowed
        inside, outside = np.zeros((n, n, s)), np.zeros((n, n, s))
        active, n_active = np.empty((n, n, s), np.int32), np.zeros((n, n), np.int32)
        left_of, right_of = np.zeros((n, s, n)), np.zeros((n, s, n))
        along = left_of, right_of, np.empty((n, s, 2), np.int32), np.empty((n, s, 2), np.int32)
        lift, total = _LIFT, 0.0
        for _ in range(_TRIES):
            inside[:] = 0.0
            for i, leaf in enumerate(leaves):
                inside[i, i, leaf.tags] = leaf.p / leaf.scale * lift
                n_active[i, i] = len(leaf.tags)
                active[i, i, : len(leaf.tags)] = leaf.tags
            left_of[:] = right_of[:] = 0.0
            coarse_inside(n, *self._pairs, allowed, inside, active, n_active, *along)
            if not n_active[0, n - 1]:
                return None
            with np.errstate(over="ignore", invalid="ignore"):
                total = float(inside[0, n - 1] @ self.coarse.roots)
            if _TINY < total < 1 / _TINY:
                break
            # all of the sentence is multiplied by as many lifts as it has words
            known = 0 < total < np.inf
            lift *= (
                total ** (-1 / n) if known else 1 / _STEP if np.isnan(total) or total > 0 else _STEP
            )
        if not 0 < total < np.inf:
            return None
        outside[0, n - 1] = self.coarse.roots / total
        outs = np.zeros((n, s, n)), np.zeros((n, s, n))
        coarse_outside(n, *self._pairs, inside, active, n_active, *along, *outs, outside)
        log = math.log(total) + sum(math.log(leaf.scale / lift) for leaf in leaves)
        return CoarseChart(inside, outside, active, n_active, lift, log)

    def add_rule_counts(self, chart: CoarseChart, counts: Floats) -> None:
        """Add how often each rule is expected in the trees of a sentence."""
        add_rule_counts(
            len(chart.inside), *self._rules, self._number, self._p, chart.inside, chart.active, chart.n_active,
            chart.outside, counts,
        )  # fmt: skip

    def items(self, leaves: Sequence[Leaf], threshold: float | None = None) -> Items | None:
        """The phrases of a sentence that the coarse grammar finds probable, with a tree of them.

        None where it has no tree for the sentence. If what is left holds none, less is given up.

        Parameters
        ----------
        leaves : sequence of Leaf
        threshold : float, optional
            In place of the parser's.
        """
        chart = self.coarse_chart(leaves)
        if chart is None:
            return None
        threshold = self.threshold if threshold is None else threshold
        for least in dict.fromkeys((threshold, threshold * 1e-3, threshold * 1e-6, 0.0)):
            found = self._listed(chart, least)
            if found is None or len(found.whole):
                return found
        return None

    def _listed(self, chart: CoarseChart, least: float) -> Items | None:
        """Phrases at least so probable; None where they are made of each other in too many ways."""
        n, s = len(chart.inside), self.coarse.n_symbols
        number_of = np.full((n, n, s), -1, np.int32)
        items = np.empty((int(chart.n_active.sum()), 3), np.int32)
        spans = chart.active, chart.n_active
        count = list_items(n, chart.inside, chart.outside, *spans, least, items, number_of)
        items = items[:count].copy()
        n_edges = count_edges(n, *self._rules, *spans, number_of)
        if n_edges > _MOST_EDGES:
            return None
        edges = np.empty((n_edges, 4), np.int32)
        fill_edges(n, *self._rules, self._number, *spans, number_of, edges)
        best, choice = np.empty((count, 1)), np.empty((count, 1, 3), np.int32)
        best_lists(items, edges, np.zeros(count), np.zeros(n_edges), best, choice)
        whole = np.flatnonzero((items[:, 1] == 0) & (items[:, 2] == n - 1) & (best[:, 0] > _NONE))
        return Items(items, edges, whole, chart.lift)

    def inside(self, leaves: Sequence[Leaf], found: Items, fine: FineGrammar) -> Floats:
        """The inside vectors of all items, with every word divided by its scale and multiplied by the lift."""
        vectors = np.zeros((len(found.items), fine.dim))
        tags = np.flatnonzero(found.items[:, 1] == found.items[:, 2])
        for i, leaf in enumerate(leaves):
            mine = tags[found.items[tags, 1] == i]
            place = np.full(len(fine.roots), -1)
            place[leaf.tags] = np.arange(len(leaf.tags))
            vectors[mine] = leaf.vectors(fine)[place[found.items[mine, 0]]] * found.lift
        fine_inside(found.edges, fine.tensors, vectors)
        return vectors

    def shares(
        self, leaves: Sequence[Leaf], found: Items, fine: FineGrammar
    ) -> tuple[Floats, Floats]:
        """The share of each item, and of each edge, in the probability of the sentence; may be below zero."""
        inside = self.inside(leaves, found, fine)
        outside, of_edges = np.zeros_like(inside), np.empty(len(found.edges))
        outside[found.whole] = fine.roots[found.items[found.whole, 0]]
        fine_outside(found.edges, fine.tensors, inside, outside, of_edges)
        of_items = (inside * outside).sum(axis=1)
        total = float(of_items[found.whole].sum())
        if abs(total) > 1e-300:
            of_items /= total
            of_edges /= total
        return of_items, of_edges

    def marginals(self, leaves: Sequence[Leaf], found: Items) -> Floats:
        """The probability of each item, given the sentence: the mean of what the grammars say."""
        return np.asarray(
            np.mean([self.shares(leaves, found, fine)[0] for fine in self.fine], axis=0)
        )

    def log_prob(self, leaves: Sequence[Leaf], found: Items) -> float:
        """The logarithm of the probability of a sentence, all trees that are left together."""
        sizes = [
            abs(float((self.inside(leaves, found, fine)[found.whole] * fine.roots[found.items[found.whole, 0]]).sum()))
            for fine in self.fine
        ]  # fmt: skip
        size = float(np.mean(sizes))
        scales = sum(math.log(leaf.scale / found.lift) for leaf in leaves)
        return math.log(size) + scales if size > 0 else -math.inf

    def best(self, leaves: Sequence[Leaf], n: int = 1) -> list[Node]:
        """The best trees of a sentence, the very best first; none where the grammar has none."""
        found = self.items(leaves)
        if found is None:
            return []
        of_items, of_edges = np.zeros(len(found.items)), np.zeros(len(found.edges))
        is_tag = found.items[:, 1] == found.items[:, 2]
        for fine in self.fine:
            items, edges = self.shares(leaves, found, fine)
            if self.decode == "phrases":
                of_items += np.abs(items)
            else:
                of_items += np.where(is_tag, np.log(np.maximum(np.abs(items), _LEAST)), 0.0)
                of_edges += np.log(np.maximum(np.abs(edges), _LEAST))
        best = np.empty((len(found.items), n))
        choice = np.empty((len(found.items), n, 3), np.int32)
        best_lists(found.items, found.edges, of_items, of_edges, best, choice)
        ranked = sorted(
            (-best[item, rank], int(item), rank)
            for item in found.whole
            for rank in range(n)
            if best[item, rank] > _NONE
        )
        return [self._tree(item, rank, leaves, found, choice) for _, item, rank in ranked[:n]]

    def _tree(
        self, item: int, rank: int, leaves: Sequence[Leaf], found: Items, choice: npt.NDArray[np.int32]
    ) -> Node:  # fmt: skip
        symbol, i, _ = found.items[item].tolist()
        edge, first, second = choice[item, rank].tolist()
        if edge < 0:
            return Node(symbol, word=leaves[i].word)
        _, _, left, right = found.edges[edge].tolist()
        return Node(
            symbol, self._tree(left, first, leaves, found, choice), self._tree(right, second, leaves, found, choice)
        )  # fmt: skip


def _by_pairs(coarse: CoarseGrammar) -> tuple[npt.NDArray[Any], ...]:
    """Rules by the pair of their children: pairs by the left one, the right ones, rules by pair, what is above, p."""
    order = np.lexsort((coarse.rules[:, 2], coarse.rules[:, 1]))
    above, left, right = coarse.rules[order].T
    key = left * coarse.n_symbols + right
    pairs, starts = np.unique(key, return_index=True)
    by_left = np.searchsorted(pairs // coarse.n_symbols, np.arange(coarse.n_symbols + 1))
    return (
        by_left.astype(np.int64), (pairs % coarse.n_symbols).astype(np.int32),
        np.append(starts, len(key)).astype(np.int64), above.astype(np.int32), np.ascontiguousarray(coarse.p[order]),
    )  # fmt: skip
