"""Spectral estimates against their definition, and against the grammar that the trees come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from firth.errors import InputError
from firth.grammar import LatentGrammar, Moments, Node, Treebank, project, spectral_grammar
from firth.grammar._lexicon import Lexicon

pytestmark = pytest.mark.slow


def simple_features(bank: Treebank) -> tuple[Any, Any]:
    """One-hot: the rule or word below each node; the rule above and the side, or that there is none."""
    n, n_rules = len(bank), len(bank.table)
    below = np.where(bank.rules >= 0, bank.rules, n_rules + bank.words)
    above = np.where(bank.parents >= 0, 2 * bank.rules[bank.parents], 2 * n_rules)
    above += (bank.parents >= 0) & (bank.lefts[bank.parents] != np.arange(n))
    ones, places = np.ones(n), np.arange(n)
    inside = csr_array((ones, (places, below)), shape=(n, n_rules + int(bank.words.max()) + 1))
    outside = csr_array((ones, (places, above)), shape=(n, 2 * n_rules + 1))
    return inside, outside


def bank_of(grammar: LatentGrammar, n: int, seed: int) -> tuple[list[Node], Treebank]:
    trees = grammar.sample(n, seed)
    return trees, Treebank.of(trees, grammar.n_symbols)


def test_the_arrays_of_a_treebank() -> None:
    tree = Node(0, Node(2, word=5), Node(1, Node(2, word=4), Node(3, word=6)))
    bank = Treebank.of([tree, tree], 4)
    assert bank.symbols.tolist() == [0, 2, 1, 2, 3] * 2
    assert bank.words.tolist() == [-1, 5, -1, 4, 6] * 2
    assert bank.parents.tolist() == [-1, 0, 0, 2, 2, -1, 5, 5, 7, 7]
    assert bank.lefts.tolist() == [1, -1, 3, -1, -1, 6, -1, 8, -1, -1]
    assert bank.rights.tolist() == [2, -1, 4, -1, -1, 7, -1, 9, -1, -1]
    assert bank.table.tolist() == [[0, 2, 1], [1, 2, 3]]
    assert bank.rules.tolist() == [0, -1, 1, -1, -1] * 2
    assert (bank.starts.tolist(), bank.n_trees, len(bank)) == ([0, 5], 2, 10)
    with pytest.raises(InputError, match="no trees"):
        Treebank.of([], 4)


def test_estimates_are_averages_over_nodes() -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, 0)
    _, bank = bank_of(grammar, 40, 1)
    found = project(bank, *simple_features(bank), 2)
    form = spectral_grammar(bank, found)
    y, z = found.inside, found.outside
    for r, (a, _, _) in enumerate(bank.table):
        here = np.flatnonzero(bank.rules == r)
        n_above = int((bank.symbols == a).sum())
        expected = sum(
            np.einsum("i,j,k->ijk", z[v], y[bank.lefts[v]], y[bank.rights[v]]) for v in here
        )
        np.testing.assert_allclose(form.tensors[r], expected / n_above, atol=1e-10)
    for (tag, word), vector in form.lexicon.items():
        here = (bank.symbols == tag) & (bank.words == word)
        np.testing.assert_allclose(vector, z[here].sum(axis=0) / (bank.symbols == tag).sum())
    for a in range(grammar.n_symbols):
        here = bank.starts[bank.symbols[bank.starts] == a]
        np.testing.assert_allclose(form.roots[a], y[here].sum(axis=0) / bank.n_trees)


def test_the_covariance_of_projections_is_the_identity() -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, 3)
    _, bank = bank_of(grammar, 400, 1)
    found = project(bank, *simple_features(bank), 2)
    for a in range(grammar.n_symbols):
        here, rank = bank.symbols == a, found.ranks[a]
        covariance = found.inside[here].T @ found.outside[here] / here.sum()
        np.testing.assert_allclose(covariance[:rank, :rank], np.eye(rank), atol=1e-8)
        assert not found.inside[here][:, rank:].any()
        assert found.largest[a] >= found.smallest[a] > 0


def error(grammar: LatentGrammar, n: int, seed: int) -> float:
    """The mean relative error of the probabilities of trees, some of them and the same for all estimates."""
    _, bank = bank_of(grammar, n, seed)
    form = spectral_grammar(bank, project(bank, *simple_features(bank), grammar.n_states, 1e-9))
    truth = grammar.tensors()
    asked = list({repr(t): t for t in grammar.sample(60, 99)}.values())
    right = np.array([truth.tree_probability(t) for t in asked])
    found = np.array([form.tree_probability(t) for t in asked])
    return float(np.abs(found / right - 1).mean())


def test_the_error_falls_with_the_root_of_the_number_of_trees() -> None:
    grammar = LatentGrammar.random(2, 2, 4, 2, 2, 5, concentration=0.4)
    few = np.median([error(grammar, 1_000, seed) for seed in range(3)])
    many = np.median([error(grammar, 10_000, seed) for seed in range(3)])
    assert many < 0.5 * few
    assert many < 0.2


def test_features_for_every_node() -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, 0)
    _, bank = bank_of(grammar, 10, 1)
    inside, outside = simple_features(bank)
    with pytest.raises(InputError, match="features"):
        project(bank, inside[:-1], outside, 2)
    with pytest.raises(InputError, match="no features"):
        project(bank, inside * 0, outside, 2)


def test_smoothed_estimates_by_hand() -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 3, 4)
    _, bank = bank_of(grammar, 60, 1)
    found = project(bank, *simple_features(bank), 2)
    group_of = np.array([0, 1, 1, 0, 0, 1, 1])  # three words, and two for each of two groups
    lexicon = Lexicon.count(bank, group_of, 2)
    y, z = found.inside, found.outside
    form = Moments.of_nodes(bank, lexicon, y, z).smoothed(bank, lexicon, slow=10.0, own=0.6)

    def mean(rows: Any) -> Any:
        return np.mean(rows, axis=0)

    for r, (a, b, c) in enumerate(bank.table):
        here = np.flatnonzero(bank.rules == r)
        zs, ls, rs = z[here], y[bank.lefts[here]], y[bank.rights[here]]
        full = mean([np.einsum("i,j,k->ijk", *three) for three in zip(zs, ls, rs, strict=True)])
        zl, zr, lr = (
            mean([np.outer(p, q) for p, q in zip(one, two, strict=True)])
            for one, two in ((zs, ls), (zs, rs), (ls, rs))
        )
        pairs = (
            np.einsum("ij,k->ijk", zl, mean(rs)) + np.einsum("ik,j->ijk", zr, mean(ls))
            + np.einsum("jk,i->ijk", lr, mean(zs))
        ) / 3  # fmt: skip
        single = np.einsum("i,j,k->ijk", mean(zs), mean(ls), mean(rs))
        simple = np.einsum(
            "i,j,k->ijk", *(mean(part[bank.symbols == s]) for part, s in ((z, a), (y, b), (y, c)))
        )
        share = len(here) ** 0.5 / (10 + len(here) ** 0.5)
        mixed = share * full + (1 - share) * (
            share * pairs + (1 - share) * (share * single + (1 - share) * simple)
        )
        expected = mixed * len(here) / (bank.symbols == a).sum()
        np.testing.assert_allclose(form.tensors[r], expected, atol=1e-10)
    for tag, word, p, vector in zip(
        lexicon.tags, lexicon.words, lexicon.p, form.vectors, strict=True
    ):
        of_tag = bank.symbols == tag
        here = of_tag & (bank.words == word)
        expected = mean(z[of_tag]) * p
        if here.any():
            expected = (0.6 * mean(z[here]) + 0.4 * mean(z[of_tag])) * p
        np.testing.assert_allclose(vector, expected)
    np.testing.assert_allclose(form.roots, spectral_grammar(bank, found).roots)
