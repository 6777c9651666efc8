"""From averages over the nodes of a treebank to a grammar; rare rules are smoothed towards simpler estimates.

A node with a rule has three vectors: z of its outside tree, and y of the inside trees of its two children. The
tensor of a rule is the average of the product of all three. It is interpolated with simpler estimates: products
of the averages of a pair and of a single vector, products of single averages, and averages of the symbols. For a
rule that occurs n times, each estimate gets √n/(C+√n) of the weight that is left.

Spectral estimates and counts of states are both averages. If states are known, y is the indicator vector of
the state, and z is y divided by the relative frequency of the state: averages are then conditional
probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.grammar import _moment_kernels as kernels
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._treebank import Treebank

__all__ = ["Moments", "StateCounts"]

_FREQUENT = 1000
"""A pair of tag and word that is this frequent is not smoothed."""
_TOGETHER = 256
"""Number of rules that are smoothed at a time."""

Floats = npt.NDArray[np.float64]

add_moments: Any = kernels.add_moments


@dataclass(frozen=True, eq=False)
class StateCounts:
    """Counts, or expected counts, of states.

    Attributes
    ----------
    of_rules : array of shape (n_rules, dim, dim, dim)
        States of parent, left child and right child.
    of_pairs : array of shape (n_pairs, dim)
        For each pair of the lexicon.
    of_roots : array of shape (n_symbols, dim)
    """

    of_rules: Floats
    of_pairs: Floats
    of_roots: Floats

    @classmethod
    def zero(cls, bank: Treebank, lexicon: Lexicon, dim: int) -> StateCounts:
        return cls(
            np.zeros((len(bank.table), dim, dim, dim)), np.zeros((len(lexicon), dim)),
            np.zeros((bank.n_symbols, dim)),
        )  # fmt: skip

    def of_symbols(self, bank: Treebank, lexicon: Lexicon) -> Floats:
        """The counts of the states of each symbol."""
        found = np.zeros_like(self.of_roots)
        np.add.at(found, bank.table[:, 0], self.of_rules.sum(axis=(2, 3)))
        np.add.at(found, lexicon.tags, self.of_pairs)
        return found

    def grammar(self, bank: Treebank, lexicon: Lexicon) -> FineGrammar:
        """The maximum-likelihood grammar, without smoothing."""
        totals = np.maximum(self.of_symbols(bank, lexicon), 1e-300)
        return FineGrammar(
            self.of_rules / totals[bank.table[:, 0]][:, :, None, None], self.of_pairs / totals[lexicon.tags],
            self.of_roots / max(self.of_roots.sum(), 1e-300), np.ones_like(totals), proper=True,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Moments:
    """Averages over nodes, for each rule: of z, of y of the left and right child, and of their products.

    Attributes
    ----------
    three : array of shape (n_rules, dim, dim, dim)
    around_left, around_right, left_right : array of shape (n_rules, dim, dim)
    around, left, right : array of shape (n_rules, dim)
    of_pairs : array of shape (n_pairs, dim)
        Averages of z over the nodes of each pair of the lexicon.
    symbol_around, symbol_below : array of shape (n_symbols, dim)
        Averages of z and y over the nodes of each symbol.
    roots : array of shape (n_symbols, dim)
        Sums of y over the roots, divided by the number of trees.
    proper : bool
        Whether they are averages of states, so that the grammar has probabilities.
    """

    three: Floats
    around_left: Floats
    around_right: Floats
    left_right: Floats
    around: Floats
    left: Floats
    right: Floats
    of_pairs: Floats
    symbol_around: Floats
    symbol_below: Floats
    roots: Floats
    proper: bool

    @classmethod
    def of_nodes(cls, bank: Treebank, lexicon: Lexicon, y: Floats, z: Floats) -> Moments:
        """Compute from two vectors for each node."""
        m, n_rules = y.shape[1], len(bank.table)
        three = np.zeros((n_rules, m, m, m))
        around_left, around_right, left_right = np.zeros((3, n_rules, m, m))
        around, left, right = np.zeros((3, n_rules, m))
        even = (
            np.where(bank.rules >= 0, 1 / bank.rule_counts[bank.rules], 0.0)
            if n_rules
            else np.zeros(len(bank))
        )
        add_moments(
            bank.rules,
            bank.lefts,
            bank.rights,
            even,
            y,
            z,
            three,
            around_left,
            around_right,
            left_right,
            around,
            left,
            right,
        )
        tags = np.flatnonzero(bank.words >= 0)
        roots = np.zeros((bank.n_symbols, m))
        np.add.at(roots, bank.symbols[bank.starts], y[bank.starts] / bank.n_trees)
        return cls(
            three, around_left, around_right, left_right, around, left, right,
            _means(bank.pairs(lexicon)[tags], z[tags], len(lexicon)),
            _means(bank.symbols, z, bank.n_symbols), _means(bank.symbols, y, bank.n_symbols), roots, False,
        )  # fmt: skip

    @classmethod
    def of_counts(cls, bank: Treebank, lexicon: Lexicon, counts: StateCounts) -> Moments:
        """Compute from counts of states."""
        of_symbols = counts.of_symbols(bank, lexicon)
        share = of_symbols / np.maximum(of_symbols.sum(axis=1, keepdims=True), 1e-300)
        inverse = np.where(share > 0, 1 / np.maximum(share, 1e-300), 0.0)
        n = np.maximum(counts.of_rules.sum(axis=(1, 2, 3)), 1e-300)
        three = counts.of_rules / n[:, None, None, None]
        left_right, left, right = three.sum(axis=1), three.sum(axis=(1, 3)), three.sum(axis=(1, 2))
        three *= inverse[bank.table[:, 0]][:, :, None, None]
        n_pairs = np.maximum(counts.of_pairs.sum(axis=1, keepdims=True), 1e-300)
        return cls(
            three, three.sum(axis=3), three.sum(axis=2), left_right, three.sum(axis=(2, 3)), left, right,
            counts.of_pairs / n_pairs * inverse[lexicon.tags], (share > 0).astype(np.float64), share,
            counts.of_roots / max(counts.of_roots.sum(), 1e-300), True,
        )  # fmt: skip

    def tensors(self, bank: Treebank, slow: float) -> Floats:
        """The smoothed averages of the product of all three vectors, for each rule.

        Parameters
        ----------
        bank : Treebank
        slow : float
            C: the larger it is, the more weight simpler estimates get.
        """
        found = self.three.copy()
        root = np.sqrt(bank.rule_counts)
        shares = root / (slow + root)
        for first in range(0, len(found), _TOGETHER):
            rules = slice(first, first + _TOGETHER)
            share = shares[rules, None, None, None]
            a, b, c = bank.table[rules].T
            simple = _product(self.symbol_around[a], self.symbol_below[b], self.symbol_below[c])
            single = _product(self.around[rules], self.left[rules], self.right[rules])
            pairs = (
                np.einsum("rij,rk->rijk", self.around_left[rules], self.right[rules])
                + np.einsum("rik,rj->rijk", self.around_right[rules], self.left[rules])
                + np.einsum("rjk,ri->rijk", self.left_right[rules], self.around[rules])
            ) / 3  # fmt: skip
            rest = share * pairs + (1 - share) * (share * single + (1 - share) * simple)
            found[rules] = share * found[rules] + (1 - share) * rest
        return found

    def smoothed(self, bank: Treebank, lexicon: Lexicon, slow: float, own: float) -> FineGrammar:
        """The smoothed grammar.

        Parameters
        ----------
        bank : Treebank
        lexicon : Lexicon
        slow : float
            As for ``tensors``.
        own : float
            The weight of the average of a pair, against that of its tag, if the pair occurs fewer than
            1,000 times.
        """
        p = bank.rule_counts / np.maximum(bank.symbol_counts, 1)[bank.table[:, 0]]
        tensors = self.tensors(bank, slow) * p[:, None, None, None]
        seen = lexicon.counts[:, None]
        weight = np.where(seen == 0, 0.0, np.where(seen < _FREQUENT, own, 1.0))
        mixed = weight * self.of_pairs + (1 - weight) * self.symbol_around[lexicon.tags]
        found = FineGrammar(
            tensors, mixed * lexicon.p[:, None], self.roots, self.symbol_around, self.proper
        )
        return _normalised(bank, lexicon, found) if self.proper else found


def _product(a: Floats, b: Floats, c: Floats) -> Floats:
    return np.asarray(a[:, :, None, None] * b[:, None, :, None] * c[:, None, None, :])


def _means(groups: npt.NDArray[np.int64], rows: Floats, n_groups: int) -> Floats:
    sums = np.zeros((n_groups, rows.shape[1]))
    np.add.at(sums, groups, rows)
    found: Floats = sums / np.maximum(np.bincount(groups, minlength=n_groups), 1)[:, None]
    return found


def _normalised(bank: Treebank, lexicon: Lexicon, fine: FineGrammar) -> FineGrammar:
    """Normalise the probabilities of each symbol and state.

    The words of a tag sum to their sum in the lexicon, which is less than one: some probability is left for
    unseen words.
    """
    rules = np.zeros_like(fine.roots)
    np.add.at(rules, bank.table[:, 0], fine.tensors.sum(axis=(2, 3)))
    words, all_words = np.zeros_like(fine.roots), np.zeros(bank.n_symbols)
    np.add.at(words, lexicon.tags, fine.vectors)
    np.add.at(all_words, lexicon.tags, lexicon.p)
    by_rule = 1 / np.where(rules > 0, rules, 1.0)
    by_word = all_words[:, None] / np.where(words > 0, words, 1.0)
    return FineGrammar(
        fine.tensors * by_rule[bank.table[:, 0]][:, :, None, None], fine.vectors * by_word[lexicon.tags],
        fine.roots, fine.totals, proper=True,
    )  # fmt: skip
