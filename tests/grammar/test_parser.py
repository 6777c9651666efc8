"""The parser against figure 3 of the paper, and against all trees of short sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from firth.grammar import LatentGrammar, Node, Parser, Treebank
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from tests.oracles import lpcfg

SENTENCES = ([0, 1], [2, 0, 1], [1, 1, 0, 2], [0, 2, 2, 1, 0])


def all_pairs(grammar: LatentGrammar) -> Lexicon:
    """Every tag with every word, all alike."""
    n_words = grammar.of_words.shape[1]
    words = np.repeat(np.arange(n_words), grammar.n_tags)
    tags = np.tile(np.arange(grammar.n_phrases, grammar.n_symbols), n_words)
    return Lexicon(tags, words, np.full(len(words), 0.5), np.ones(len(words), np.int64))


def open_parser(grammar: LatentGrammar, change: Any = None, decode: str = "phrases") -> Parser:
    """A parser whose coarse grammar lets everything pass."""
    roots = np.zeros(grammar.n_symbols)
    roots[: grammar.n_phrases] = 1.0
    lexicon = all_pairs(grammar)
    coarse = CoarseGrammar(grammar.rules, np.full(len(grammar.rules), 0.3), lexicon, roots)
    totals = np.ones((grammar.n_symbols, grammar.n_states))
    fine = FineGrammar.of(grammar.tensors(change), lexicon, totals)
    return Parser(coarse, [fine], threshold=0.0, decode=decode)


def best_of(parser: Parser, words: Sequence[int], n: int = 1) -> list[Node]:
    """The best trees of a sentence."""
    return parser.best(parser.all_shares(parser.leaves(words)), n)


def plain_lexicon(bank: Treebank) -> Lexicon:
    """Words as they were counted, without any smoothing."""
    n_words = int(bank.words.max()) + 3
    return Lexicon.count(bank, np.zeros(n_words, np.int64), 1, smoothing=0.0)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_states", [1, 3])
def test_marginals_are_those_of_figure_3(seed: int, n_states: int) -> None:
    grammar = LatentGrammar.random(2, 2, 3, n_states, 3, seed)
    parser = open_parser(grammar)
    for words in SENTENCES:
        chart = grammar.tensors().chart(words)
        leaves = parser.leaves(words)
        computed = parser.all_shares(leaves)
        if computed is None or chart.probability == 0:
            assert chart.probability == 0
            continue
        found, shares = computed.found, computed.of_phrases()
        expected = np.array([chart.marginals[a, i, j] for a, i, j in found.items])
        np.testing.assert_allclose(shares * chart.probability, expected, rtol=1e-9, atol=1e-15)
        assert parser.log_prob(leaves, found) == pytest.approx(np.log(chart.probability), rel=1e-9)
        others = chart.marginals.copy()
        others[tuple(found.items.T)] = 0
        assert not others.any(), "no phrase is missing"


@pytest.mark.parametrize("seed", range(8))
def test_parses_have_the_largest_sum_of_marginals(seed: int) -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, seed)
    parser = open_parser(grammar)
    for words in SENTENCES:
        marginals = lpcfg.marginals(grammar, words)
        trees = [t for a in range(2) for t in lpcfg.all_trees(grammar, words, a)]
        found = best_of(parser, words)
        if not trees:
            assert not found
            continue
        [tree] = found

        def value(tree: Node, marginals: Any = marginals) -> float:
            return float(sum(marginals[a, i, j] for a, i, j in lpcfg.spans_of(tree)[0]))

        assert value(tree) == pytest.approx(max(map(value, trees)), rel=1e-9)
        assert [node.word for node in lpcfg.nodes_of(tree) if node.left is None] == words


def test_another_basis_gives_the_same_parses() -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, 5)
    rng = np.random.default_rng(0)
    change = rng.normal(size=(grammar.n_symbols, 2, 2)) + 2 * np.eye(2)
    for words in SENTENCES:
        plain, turned = open_parser(grammar), open_parser(grammar, change)
        best = best_of(plain, words)
        assert best == best_of(turned, words)


def test_the_coarse_grammar_is_counted() -> None:
    tree = Node(0, Node(2, word=5), Node(1, Node(2, word=4), Node(3, word=6)))
    other = Node(0, Node(2, word=5), Node(3, word=6))
    bank = Treebank.of([tree, other], 4)
    coarse = CoarseGrammar.count(bank, plain_lexicon(bank))
    rules = {
        tuple(rule): p for rule, p in zip(coarse.rules.tolist(), coarse.p.tolist(), strict=True)
    }
    assert rules == {(0, 2, 1): 0.5, (0, 2, 3): 0.5, (1, 2, 3): 1.0}
    seen = dict(zip(coarse.lexicon.pairs(), coarse.lexicon.p.tolist(), strict=True))
    assert seen == {(2, 4): 1 / 3, (2, 5): 2 / 3, (3, 6): 1.0}
    assert coarse.roots.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_pruning_gives_up_what_is_improbable_only() -> None:
    grammar = LatentGrammar.random(3, 3, 5, 2, 4, 1)
    trees = grammar.sample(500, 0)
    bank = Treebank.of(trees, grammar.n_symbols)
    coarse = CoarseGrammar.count(bank, plain_lexicon(bank))
    used = {tuple(rule): r for r, rule in enumerate(grammar.rules.tolist())}
    kept = [used[tuple(rule)] for rule in coarse.rules.tolist()]
    form = grammar.tensors()
    chosen = type(form)(coarse.rules, form.tensors[kept], form.lexicon, form.roots)
    fine = [FineGrammar.of(chosen, coarse.lexicon, np.ones_like(form.roots))]
    words = next(
        [n.word for n in lpcfg.nodes_of(t) if n.left is None]
        for t in trees
        if len(lpcfg.nodes_of(t)) > 13
    )
    parser = Parser(coarse, fine, threshold=1e-2)
    whole, some = parser.items(parser.leaves(words), 0.0), parser.items(parser.leaves(words))
    assert whole is not None
    assert some is not None
    assert 0 < len(some.items) < len(whole.items)
    assert {tuple(x) for x in some.items.tolist()} < {tuple(x) for x in whole.items.tolist()}


def test_a_word_that_no_tag_has() -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, 0)
    parser = open_parser(grammar)
    assert not best_of(parser, [0, 99])
