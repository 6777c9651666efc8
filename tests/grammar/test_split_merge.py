"""States that are split and merged: what is lost by merging, and what splitting leaves as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from firth.grammar import LPCFG, LatentGrammar, Treebank
from firth.grammar import _split_merge as module
from firth.grammar._em import expected_counts, log_probs, passes
from firth.grammar._smoothing import StateCounts
from firth.grammar._split_merge import SplitMerge, merge_losses, moved, smoothed
from firth.trees import parse_trees
from tests.cli.grammar_samples import trees
from tests.grammar.test_em import counted, small_trees, uneven_grammar
from tests.oracles import merging as oracle


def ignore(_: int) -> None:
    """No progress."""


def learner(seed: int, most: int = 4) -> tuple[SplitMerge, Treebank, Any]:
    drawn, n_symbols = small_trees(seed, 60, longest=4)
    bank, coarse = counted(drawn, n_symbols)
    return SplitMerge(bank, coarse.lexicon, most, seed), bank, coarse


@pytest.mark.parametrize("seed", range(3))
def test_what_merging_loses_is_what_the_definition_says(seed: int) -> None:
    drawn, n_symbols = small_trees(seed, longest=4)
    bank, coarse = counted(drawn, n_symbols)
    fine = uneven_grammar(coarse, 4, seed)
    fine.tensors[:] += 0.01  # all trees are possible
    form, found = fine.form(coarse), passes(bank, coarse.lexicon, fine)
    often = found.counts.of_symbols(bank, coarse.lexicon)
    siblings = [np.array([0, 2])] * n_symbols
    for symbol, losses in enumerate(merge_losses(bank, found, often, siblings)):
        for place, first in enumerate((0, 2)):
            counts = float(often[symbol, first]), float(often[symbol, first + 1])
            if sum(counts) > 0:
                expected = oracle.merge_loss(form, drawn, symbol, first, counts)
                assert losses[place] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_moved_states_are_sums_over_old_states() -> None:
    _, coarse = counted(*small_trees(0))
    fine = uneven_grammar(coarse, 3, 1)
    rng = np.random.default_rng(0)
    above, below = rng.random((2, coarse.n_symbols, 3, 2))
    old = StateCounts(fine.tensors, fine.vectors, fine.roots)  # type: ignore[arg-type]
    found = moved(old, coarse.rules, coarse.lexicon.tags, above, below)
    a, b, c = coarse.rules.T
    expected = np.einsum("rijk,rix,rjy,rkz->rxyz", fine.tensors, above[a], below[b], below[c])
    np.testing.assert_allclose(found.of_rules, expected)
    pairs = np.einsum("pi,pix->px", fine.vectors, above[coarse.lexicon.tags])
    np.testing.assert_allclose(found.of_pairs, pairs)
    np.testing.assert_allclose(found.of_roots, np.einsum("ai,aix->ax", fine.roots, below))


@pytest.mark.parametrize("seed", range(3))
def test_halves_that_are_alike_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_NOISE", 0.0)
    found, bank, coarse = learner(seed)
    before = log_probs(bank, coarse, found.fine)
    siblings = found._split()
    assert found.sizes.tolist() == [2] * bank.n_symbols
    assert [first.tolist() for first in siblings] == [[0]] * bank.n_symbols
    np.testing.assert_allclose(log_probs(bank, coarse, found.fine), before)
    monkeypatch.setattr(module, "_MERGED", 1.0)
    found._merge(siblings)
    assert found.sizes.tolist() == [1] * bank.n_symbols
    np.testing.assert_allclose(log_probs(bank, coarse, found.fine), before)


def test_half_of_the_splits_is_undone_and_there_is_a_limit() -> None:
    found, bank, coarse = learner(1, most=3)
    sizes = []
    for _ in range(4):
        counts = found.cycle(8, ignore)
        sizes.append(found.sizes)
        often = counts.of_symbols(bank, coarse.lexicon)
        assert not often[np.arange(found.fine.dim) >= found.sizes[:, None]].any()
        assert found.fine.dim == found.sizes.max() <= 3
    assert bank.n_symbols < sizes[0].sum() <= bank.n_symbols * 3 // 2 + 1
    assert sizes[-1].max() == 3
    totals = np.bincount(
        bank.table[:, 0], found.fine.tensors.sum(axis=(2, 3))[:, 0], bank.n_symbols
    )
    totals += np.bincount(coarse.lexicon.tags, found.fine.vectors[:, 0], bank.n_symbols)
    np.testing.assert_allclose(totals, 1.0)  # probabilities of the first state


def test_smoothing_mixes_states_with_their_mean() -> None:
    bank, coarse = counted(*small_trees(0))
    fine = uneven_grammar(coarse, 3, 1)
    sizes = np.array([3, 2, 1, 3, 2])[: bank.n_symbols]
    fine.tensors[np.arange(3) >= sizes[coarse.rules[:, 0]][:, None]] = 0.0
    fine.vectors[np.arange(3) >= sizes[coarse.lexicon.tags][:, None]] = 0.0
    found = smoothed(fine, bank, coarse.lexicon, sizes)
    for r, a in enumerate(coarse.rules[:, 0]):
        mean = fine.tensors[r, : sizes[a]].mean(axis=0)
        for i in range(3):
            expected = 0.99 * fine.tensors[r, i] + 0.01 * mean if i < sizes[a] else 0.0
            np.testing.assert_allclose(found.tensors[r, i], expected)
    for pair, tag in enumerate(coarse.lexicon.tags):
        mean = fine.vectors[pair, : sizes[tag]].mean()
        for i in range(3):
            expected = 0.9 * fine.vectors[pair, i] + 0.1 * mean if i < sizes[tag] else 0.0
            np.testing.assert_allclose(found.vectors[pair, i], expected)


@pytest.mark.slow
def test_trees_of_a_grammar_with_states_become_more_probable() -> None:
    grammar = LatentGrammar.random(2, 2, 4, 2, 2, 5, concentration=0.2)
    bank, coarse = counted(grammar.sample(2_000, 1), grammar.n_symbols)
    found = SplitMerge(bank, coarse.lexicon, 2, 0)
    _, without = expected_counts(bank, coarse.lexicon, found.fine)
    for _ in range(3):
        found.cycle(30, ignore)
    _, log = expected_counts(bank, coarse.lexicon, found.fine)
    truth = grammar.tensors()
    right = sum(np.log(truth.tree_probability(tree)) for tree in grammar.sample(2_000, 1))
    assert log > without + 0.8 * (right - without)


def test_learning_with_it_is_an_option_of_em() -> None:
    bank = list(parse_trees(trees(60)))
    how: dict[str, Any] = {"method": "em", "n_states": 3, "split_merge": 2, "rounds": 4}
    one, again = (LPCFG(**how, seed=1).fit(bank) for _ in range(2))
    assert one.states_ == again.states_
    assert one.facts_["rounds"] == 8
    sizes = [states.n_states for states in one.states_]
    assert max(sizes) <= 3
    assert len(set(sizes)) > 1
    tree = bank[0]
    assert (
        one.log_prob(tree) == again.log_prob(tree) > LPCFG(method="pcfg").fit(bank).log_prob(tree)
    )
    assert LPCFG(method="em", split_merge=1).fit(bank).facts_["rounds"] == 12
    held = LPCFG(**how, held_out=0.2).fit(bank)
    assert held.facts_["rounds"] in (4, 8)
