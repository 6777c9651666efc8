"""Coarse-to-fine parsing: phrases are pruned by a coarse grammar, and scored by fine grammars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.grammar import _chart_kernels as kernels
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._parameters import GrammarParameters
from firth.grammar._tensors import Node

__all__ = ["CoarseChart", "Items", "Leaf", "Parser", "Shares"]

_UNSEEN = 0.3
"""Probability of a word with a given tag it was not seen with, relative to one it was seen with."""
_AGAINST = 0.01
"""Factor of the probabilities of other tags than the given one."""
LIFT, STEP, TRIES = 16.0, 16.0, 12
"""Words are scaled to avoid underflow: initial factor, how it is changed, number of attempts."""
TINY = 1e-200
"""The smallest probability of a scaled sentence that is precise enough."""
MOST_EDGES = 20_000_000
"""Sentences with more edges are not parsed: these would take more than half a gigabyte."""
_NONE = -1e299
"""Values below this mean that there is no tree."""
LEAST = 1e-12
"""Smaller shares in the probability of a sentence are rounded up to this, for their logarithms."""

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
    """A word with its possible tags.

    Attributes
    ----------
    word : int
    tags : array of int64
    pairs : array of int64
        The index in the lexicon of the word with each tag; -1 if it is not in the lexicon.
    weights : array
        The factor of the probability of each pair; for pairs that are not in the lexicon, the probability.
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
        """The largest probability. Words are divided by it, to avoid underflow; trees stay the same."""
        return float(self.p.max(initial=0.0)) or 1.0

    def vectors(self, fine: FineGrammar) -> Floats:
        """The inside vectors of the word with each tag, divided by ``scale``."""
        known = np.where(
            (self.pairs >= 0)[:, None], fine.vectors[self.pairs], fine.totals[self.tags]
        )
        return np.asarray(known * (self.weights / self.scale)[:, None])


@dataclass(frozen=True, eq=False)
class Items:
    """The phrases of a sentence that are not pruned, and their derivations.

    Attributes
    ----------
    items : array of int32, shape (n_items, 3)
        Symbol, first word, last word; short spans first.
    edges : array of int32, shape (n_edges, 4)
        Rule, and the items of parent, left child and right child.
    whole : array of int64
        The items that span the sentence and have a tree.
    lift : float
        The scale factor of the words.
    """

    items: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int32]
    whole: Integers
    lift: float


@dataclass(frozen=True, eq=False)
class CoarseChart:
    """The chart of a coarse grammar.

    Attributes
    ----------
    inside, outside : array of shape (n_words, n_words, n_symbols)
        By first and last word. The product is the probability of the phrase, given the sentence.
    active : array of int32, shape (n_words, n_words, n_symbols)
        The possible symbols of each span.
    n_active : array of int32, shape (n_words, n_words)
        The number of possible symbols.
    lift : float
        The scale factor of the words.
    log_prob : float
        The log-probability of the sentence.
    """

    inside: Floats
    outside: Floats
    active: npt.NDArray[np.int32]
    n_active: npt.NDArray[np.int32]
    lift: float
    log_prob: float


@dataclass(frozen=True, eq=False)
class Shares:
    """What is computed of a sentence before its trees and phrases are chosen.

    Attributes
    ----------
    leaves : sequence of Leaf
    found : Items
    items, edges : list of array
        The share of each item and edge in the probability of the sentence, for each of the fine grammars.
    """

    leaves: Sequence[Leaf]
    found: Items
    items: list[Floats]
    edges: list[Floats]

    def of_phrases(self) -> Floats:
        """The probability of each item, given the sentence: the mean of the grammars."""
        return np.asarray(np.mean(self.items, axis=0))


class Parser:
    """Parses sentences of numbers.

    Parameters
    ----------
    coarse : CoarseGrammar
    fine : sequence of FineGrammar
        With the same rules and pairs, in the same order. Several grammars are combined.
    threshold : float
        Phrases that are less probable with the coarse grammar are pruned.
    decode : {"phrases", "rules"}
        Which tree is the best: the one with the largest sum of the probabilities of its phrases (Goodman
        1996), or with the largest product of those of its rules (Petrov and Klein 2007).
    """

    def __init__(
        self,
        coarse: CoarseGrammar,
        fine: Sequence[FineGrammar],
        threshold: float = GrammarParameters.threshold,
        decode: str = "phrases",
    ) -> None:
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
        self._leaf_of: dict[int, Leaf] = {}

    def leaves(self, words: Sequence[int], tags: Sequence[Integers | None] = ()) -> list[Leaf]:
        """The words of a sentence with their possible tags.

        Parameters
        ----------
        words : sequence of int
        tags : sequence of array of int64, optional
            The symbols of each word, if they are known; other symbols become much less probable.
        """
        lexicon = self.coarse.lexicon
        found = []
        for place, word in enumerate(words):
            known = tags[place] if place < len(tags) else None
            if known is None and word in self._leaf_of:
                found.append(self._leaf_of[word])
                continue
            own = lexicon.of_word(word)
            pairs, symbols, p = np.arange(own.start, own.stop), lexicon.tags[own], lexicon.p[own]
            weights = np.ones(len(pairs))
            if known is not None:
                weights[~np.isin(symbols, known)] = _AGAINST
                new = np.setdiff1d(known, symbols)
                usual = float(p[np.isin(symbols, known)].max(initial=0.0)) * _UNSEEN
                unseen = np.full(len(new), usual or float(p.max(initial=0.0)) or 1.0)
                p = np.concatenate([p * weights, unseen])
                weights, symbols = np.concatenate([weights, unseen]), np.concatenate([symbols, new])
                pairs = np.concatenate([pairs, np.full(len(new), -1)])
            leaf = Leaf(word, symbols, pairs, weights, p)
            if known is None:
                self._leaf_of[word] = leaf
            found.append(leaf)
        return found

    def coarse_chart(
        self, leaves: Sequence[Leaf], allowed: npt.NDArray[np.uint8] | None = None
    ) -> CoarseChart | None:
        """The chart of the coarse grammar; None if it has no tree.

        Parameters
        ----------
        leaves : sequence of Leaf
        allowed : array of uint8, shape (n_words, n_words), optional
            The spans that can be phrases: 1 at their first and last word.
        """
        n, s = len(leaves), self.coarse.n_symbols
        allowed = np.ones((n, n), np.uint8) if allowed is None else allowed
        inside, outside = np.zeros((n, n, s)), np.zeros((n, n, s))
        active, n_active = np.empty((n, n, s), np.int32), np.zeros((n, n), np.int32)
        left_of, right_of = np.zeros((n, s, n)), np.zeros((n, s, n))
        along = left_of, right_of, np.empty((n, s, 2), np.int32), np.empty((n, s, 2), np.int32)
        lift, total = LIFT, 0.0
        for _ in range(TRIES):
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
            if TINY < total < 1 / TINY:
                break
            # the probability of a sentence of n words is scaled by lift ** n
            known = 0 < total < np.inf
            lift *= (
                total ** (-1 / n) if known else 1 / STEP if np.isnan(total) or total > 0 else STEP
            )
        if not 0 < total < np.inf:
            return None
        outside[0, n - 1] = self.coarse.roots / total
        outs = np.zeros((n, s, n)), np.zeros((n, s, n))
        coarse_outside(n, *self._pairs, inside, active, n_active, *along, *outs, outside)
        log = math.log(total) + sum(math.log(leaf.scale / lift) for leaf in leaves)
        return CoarseChart(inside, outside, active, n_active, lift, log)

    def add_rule_counts(self, chart: CoarseChart, counts: Floats) -> None:
        """Add the expected count of each rule in the trees of a sentence."""
        add_rule_counts(
            len(chart.inside), *self._rules, self._number, self._p, chart.inside, chart.active, chart.n_active,
            chart.outside, counts,
        )  # fmt: skip

    def items(self, leaves: Sequence[Leaf], threshold: float | None = None) -> Items | None:
        """The phrases of a sentence that are not pruned; None if the coarse grammar has no tree.

        If no tree is left, the threshold is lowered.

        Parameters
        ----------
        leaves : sequence of Leaf
        threshold : float, optional
            Instead of that of the parser.
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
        """The phrases with at least this probability; None if there are too many edges."""
        n, s = len(chart.inside), self.coarse.n_symbols
        number_of = np.full((n, n, s), -1, np.int32)
        items = np.empty((int(chart.n_active.sum()), 3), np.int32)
        spans = chart.active, chart.n_active
        count = list_items(n, chart.inside, chart.outside, *spans, least, items, number_of)
        items = items[:count].copy()
        n_edges = count_edges(n, *self._rules, *spans, number_of)
        if n_edges > MOST_EDGES:
            return None
        edges = np.empty((n_edges, 4), np.int32)
        fill_edges(n, *self._rules, self._number, *spans, number_of, edges)
        best, choice = np.empty((count, 1)), np.empty((count, 1, 3), np.int32)
        best_lists(items, edges, np.zeros(count), np.zeros(n_edges), best, choice)
        whole = np.flatnonzero((items[:, 1] == 0) & (items[:, 2] == n - 1) & (best[:, 0] > _NONE))
        return Items(items, edges, whole, chart.lift)

    def inside(self, leaves: Sequence[Leaf], found: Items, fine: FineGrammar) -> Floats:
        """The inside vectors of all items; words are divided by ``scale`` and multiplied by ``lift``."""
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
        """The share of each item and edge in the probability of the sentence; can be negative."""
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

    def all_shares(self, leaves: Sequence[Leaf]) -> Shares | None:
        """The shares of all items and edges; None if the coarse grammar has no tree."""
        found = self.items(leaves)
        if found is None:
            return None
        shares = Shares(leaves, found, [], [])
        for fine in self.fine:
            progress.check_interrupted()
            items, edges = self.shares(leaves, found, fine)
            shares.items.append(items)
            shares.edges.append(edges)
        return shares

    def log_prob(self, leaves: Sequence[Leaf], found: Items) -> float:
        """The log-probability of a sentence, summed over all trees that are not pruned."""
        sizes = [
            abs(float((self.inside(leaves, found, fine)[found.whole] * fine.roots[found.items[found.whole, 0]]).sum()))
            for fine in self.fine
        ]  # fmt: skip
        size = float(np.mean(sizes))
        scales = sum(math.log(leaf.scale / found.lift) for leaf in leaves)
        return math.log(size) + scales if size > 0 else -math.inf

    def best(self, shares: Shares | None, n: int = 1, decode: str | None = None) -> list[Node]:
        """The best trees of a sentence, the best one first; empty if the grammar has none.

        Parameters
        ----------
        shares : Shares or None
            As ``all_shares`` computes them.
        n : int
            Maximum number of trees.
        decode : {"phrases", "rules"}, optional
            Instead of that of the parser.
        """
        if shares is None:
            return []
        leaves, found = shares.leaves, shares.found
        of_items, of_edges = np.zeros(len(found.items)), np.zeros(len(found.edges))
        is_tag = found.items[:, 1] == found.items[:, 2]
        for items, edges in zip(shares.items, shares.edges, strict=True):
            if (decode or self.decode) == "phrases":
                of_items += np.abs(items)
            else:
                of_items += np.where(is_tag, np.log(np.maximum(np.abs(items), LEAST)), 0.0)
                of_edges += np.log(np.maximum(np.abs(edges), LEAST))
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
    """Rules grouped by their children, as ``coarse_inside`` takes them.

    Returns the first pair of each left symbol, the right symbol of each pair, the first rule of each pair, and
    the parent and probability of each rule.
    """
    order = np.lexsort((coarse.rules[:, 2], coarse.rules[:, 1]))
    above, left, right = coarse.rules[order].T
    key = left * coarse.n_symbols + right
    pairs, starts = np.unique(key, return_index=True)
    by_left = np.searchsorted(pairs // coarse.n_symbols, np.arange(coarse.n_symbols + 1))
    return (
        by_left.astype(np.int64), (pairs % coarse.n_symbols).astype(np.int32),
        np.append(starts, len(key)).astype(np.int64), above.astype(np.int32), np.ascontiguousarray(coarse.p[order]),
    )  # fmt: skip
