"""EM with states that are split and merged (Petrov, Barrett, Thibaux and Klein 2006).

Learning starts without states. In each cycle, states are split in two, EM tells the halves apart, the splits that
gain least likelihood are undone, and EM continues, at the end with states that are smoothed towards each other.
So symbols get states where they need them, and EM depends less on its start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.grammar._em import Passes, expected_counts, passes
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._smoothing import StateCounts
from firth.grammar._treebank import Treebank

__all__ = ["SplitMerge", "merge_losses"]

_NOISE = 0.01
"""How much the halves of a state differ at first, at random."""
_MERGED = 0.5
"""The share of the splits that is undone."""
_OF_RULES, _OF_WORDS = 0.01, 0.1
"""The weight of the mean of all states of a symbol in each of them."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(eq=False)
class SplitMerge:
    """Learns states in cycles of splitting and merging.

    Parameters
    ----------
    bank : Treebank
    lexicon : Lexicon
    most : int
        The maximum number of states of a symbol.
    seed : int

    Attributes
    ----------
    fine : FineGrammar
        The grammar so far; without states at first.
    sizes : array of int64, shape (n_symbols,)
        The number of states of each symbol.
    """

    bank: Treebank
    lexicon: Lexicon
    most: int
    seed: int

    def __post_init__(self) -> None:
        bank, lexicon = self.bank, self.lexicon
        self._rng = np.random.default_rng(self.seed)
        self.sizes: Integers = np.ones(bank.n_symbols, np.int64)
        counts = StateCounts.zero(bank, lexicon, 1)
        counts.of_rules[:, 0, 0, 0] = bank.rule_counts
        counts.of_pairs[:, 0] = lexicon.counts
        np.add.at(counts.of_roots[:, 0], bank.symbols[bank.starts], 1.0)
        self.fine = counts.grammar(bank, lexicon)

    def cycle(self, rounds: int, done: Callable[[int], Any]) -> StateCounts:
        """Split, merge and smooth, with EM iterations in between; returns the last expected counts.

        Half of the iterations follow the split, a quarter the merging, and a quarter is smoothed. ``done``
        is called with the number of iterations that have been done.
        """
        after_split = max(1, rounds // 2)
        after_merge = max(1, rounds // 4)
        siblings = self._split()
        self._em(after_split, done)
        self._merge(siblings)
        self._em(after_merge, done)
        return self._em(max(1, rounds - after_split - after_merge), done, smooth=True)

    def _em(self, rounds: int, done: Callable[[int], Any], smooth: bool = False) -> StateCounts:
        for _ in range(rounds):
            counts, _ = expected_counts(self.bank, self.lexicon, self.fine)
            self.fine = counts.grammar(self.bank, self.lexicon)
            if smooth:
                self.fine = smoothed(self.fine, self.bank, self.lexicon, self.sizes)
            done(1)
        return counts

    def _split(self) -> list[Integers]:
        """Split states in two, the most frequent ones if there is not room for all.

        Returns, for each symbol, the first state of each pair.
        """
        counts, _ = expected_counts(self.bank, self.lexicon, self.fine)
        often = counts.of_symbols(self.bank, self.lexicon)
        copies, siblings = [], []
        for size, found in zip(self.sizes.tolist(), often, strict=True):
            split = np.zeros(size, bool)
            split[np.argsort(-found[:size], kind="stable")[: self.most - size]] = True
            origin = np.repeat(np.arange(size), 1 + split)
            siblings.append(np.flatnonzero(np.diff(origin, append=-1) == 0))
            copies.append(origin)
        self.sizes = np.array([len(origin) for origin in copies], np.int64)
        above = np.zeros((len(copies), self.fine.dim, int(self.sizes.max())))
        for symbol, origin in enumerate(copies):
            above[symbol, origin, np.arange(len(origin))] = 1.0
        below = above / np.maximum(above.sum(axis=2, keepdims=True), 1.0)
        fine = self.fine  # probabilities, as if they were counts
        old = StateCounts(fine.tensors, fine.vectors, fine.roots)  # type: ignore[arg-type]
        new = moved(old, self.bank.table, self.lexicon.tags, above, below)
        for values in (new.of_rules, new.of_pairs):
            values *= self._rng.uniform(1 - _NOISE, 1 + _NOISE, values.shape)
        self.fine = new.grammar(self.bank, self.lexicon)
        return siblings

    def _merge(self, siblings: list[Integers]) -> None:
        """Undo the splits that gain least."""
        found = passes(self.bank, self.lexicon, self.fine)
        often = found.counts.of_symbols(self.bank, self.lexicon)
        losses = merge_losses(self.bank, found, often, siblings)
        limit = np.quantile(np.concatenate(losses), _MERGED) if any(map(len, losses)) else 0.0
        target = []
        for size, pairs, loss in zip(self.sizes.tolist(), siblings, losses, strict=True):
            keeps_own = np.ones(size, bool)
            keeps_own[pairs[loss <= limit] + 1] = False  # the second state becomes the first one
            target.append(np.cumsum(keeps_own) - 1)
        self.sizes = np.array([places[-1] + 1 for places in target], np.int64)
        into = np.zeros((len(target), self.fine.dim, int(self.sizes.max())))
        for symbol, places in enumerate(target):
            into[symbol, np.arange(len(places)), places] = 1.0
        merged = moved(found.counts, self.bank.table, self.lexicon.tags, into, into)
        self.fine = merged.grammar(self.bank, self.lexicon)


def moved(
    values: StateCounts, table: Integers, tags: Integers, above: Floats, below: Floats
) -> StateCounts:
    """Rules, words and roots with other states.

    ``above`` and ``below`` have a matrix for each symbol, of old states by new states: for what a symbol
    expands to, and for what it is part of.
    """
    rules, pairs, roots = values.of_rules, values.of_pairs, values.of_roots
    old, new = above.shape[1:]
    a, b, c = table.T
    n = len(table)
    turned = np.matmul(above[a].transpose(0, 2, 1), rules.reshape(n, old, old * old))
    turned = np.matmul(turned.reshape(n, new * old, old), below[c]).reshape(n, new, old, new)
    turned = np.matmul(below[b].transpose(0, 2, 1)[:, None], turned)
    return StateCounts(
        np.ascontiguousarray(turned), np.matmul(pairs[:, None], above[tags])[:, 0],
        np.matmul(roots[:, None], below)[:, 0],
    )  # fmt: skip


def merge_losses(
    bank: Treebank, found: Passes, often: Floats, siblings: list[Integers]
) -> list[Floats]:
    """How much log-likelihood is lost if two states are merged, for each pair of each symbol.

    As in the paper, nodes are regarded one by one: at each of them, a merged state has the mean of the
    inside probabilities of both, weighted by their frequency, and the sum of the outside probabilities.

    Parameters
    ----------
    bank : Treebank
    found : Passes
        Inside and outside vectors; their inner product is 1 at each node, or 0 in trees that the
        grammar does not have.
    often : array of shape (n_symbols, dim)
        The frequency of each state.
    siblings : list of arrays of int64
        The first state of each pair of a symbol; the second one is the next.
    """
    order = np.argsort(bank.symbols, kind="stable")
    bounds = np.searchsorted(bank.symbols[order], np.arange(bank.n_symbols + 1))
    losses = []
    for symbol, first in enumerate(siblings):
        places = order[bounds[symbol] : bounds[symbol + 1]]
        one, two = (
            (found.inside[places][:, s], found.outside[places][:, s]) for s in (first, first + 1)
        )
        both = np.maximum(often[symbol, first] + often[symbol, first + 1], 1e-300)
        share = often[symbol, first] / both
        inside = share * one[0] + (1 - share) * two[0]
        change = inside * (one[1] + two[1]) - one[0] * one[1] - two[0] * two[1]
        losses.append(-np.log(np.maximum(1 + change, 1e-12)).sum(axis=0))
    return losses


def smoothed(fine: FineGrammar, bank: Treebank, lexicon: Lexicon, sizes: Integers) -> FineGrammar:
    """The states of a symbol, mixed with their mean."""
    has = np.arange(fine.dim) < sizes[:, None]

    def mixed(values: Any, symbols: Integers, weight: float) -> Any:
        shape = (-1, fine.dim) + (1,) * (values.ndim - 2)
        mean = values.sum(axis=1, keepdims=True) / sizes[symbols].reshape(
            -1, *(1,) * (values.ndim - 1)
        )
        return ((1 - weight) * values + weight * mean) * has[symbols].reshape(shape)

    return replace(
        fine,
        tensors=mixed(fine.tensors, bank.table[:, 0], _OF_RULES),
        vectors=mixed(fine.vectors, lexicon.tags, _OF_WORDS),
    )
