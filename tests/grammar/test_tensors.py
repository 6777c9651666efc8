"""The tensor form gives the probabilities of the grammar with hidden states (figures 2 and 3, theorem 1)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from firth.errors import InputError
from firth.grammar import LatentGrammar, Node
from tests.oracles import lpcfg


def grammar_of(seed: int, n_states: int = 2) -> LatentGrammar:
    return LatentGrammar.random(2, 2, 3, n_states, 2, seed)


def bases(grammar: LatentGrammar, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    m = grammar.n_states
    return rng.normal(size=(grammar.n_symbols, m, m)) + 2 * np.eye(m)


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_of_trees(seed: int) -> None:
    grammar = grammar_of(seed)
    plain, turned = grammar.tensors(), grammar.tensors(bases(grammar, seed))
    small = [tree for tree in grammar.sample(200, seed) if len(lpcfg.nodes_of(tree)) <= 7]
    assert len(small) > 5
    for tree in {repr(tree): tree for tree in small}.values():
        expected = lpcfg.tree_probability(grammar, tree)
        assert expected > 0
        assert plain.tree_probability(tree) == pytest.approx(expected, rel=1e-9)
        assert turned.tree_probability(tree) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_marginals(seed: int) -> None:
    grammar = grammar_of(seed)
    plain, turned = grammar.tensors(), grammar.tensors(bases(grammar, seed))
    for words in ([0, 1], [2, 0, 1], [1, 1, 0, 2]):
        expected = lpcfg.marginals(grammar, words)
        chart = plain.chart(words)
        np.testing.assert_allclose(chart.marginals, expected, rtol=1e-8, atol=1e-15)
        np.testing.assert_allclose(turned.chart(words).marginals, expected, rtol=1e-5, atol=1e-12)
        assert chart.probability == pytest.approx(expected[:, 0, -1].sum(), rel=1e-9)


@pytest.mark.slow
def test_samples_are_as_frequent_as_they_are_probable() -> None:
    grammar = grammar_of(3)
    form = grammar.tensors()
    n = 20_000
    drawn = grammar.sample(n, 1)
    counts = Counter(repr(tree) for tree in drawn)
    by_name = {repr(tree): tree for tree in drawn}
    for name, count in counts.most_common(15):
        p = form.tree_probability(by_name[name])
        assert abs(count / n - p) < 5 * (p / n) ** 0.5
    assert grammar.sample(5, 7) == grammar.sample(5, 7)


def test_what_is_impossible_has_no_probability() -> None:
    grammar = grammar_of(0)
    form = grammar.tensors()
    assert form.tree_probability(Node(2, word=0)) == 0.0, "a tag is no root"
    assert form.tree_probability(Node(2, word=99)) == 0.0
    missing = {(a, b) for a in range(4) for b in range(4)} - {
        (int(b), int(c)) for a, b, c in grammar.rules if a == 0
    }
    left, right = next((a, b) for a, b in missing if a >= 2 and b >= 2)
    assert form.tree_probability(Node(0, Node(left, word=0), Node(right, word=0))) == 0.0
    with pytest.raises(InputError, match="must have words"):
        form.chart([])


def test_probabilities_must_add_up() -> None:
    good = grammar_of(1)
    with pytest.raises(InputError, match="add up"):
        LatentGrammar(
            good.root * 2, good.rules, good.of_rules, good.left, good.right, good.of_words
        )
    with pytest.raises(InputError, match="add up"):
        LatentGrammar(
            good.root, good.rules, good.of_rules * 0.5, good.left, good.right, good.of_words
        )
