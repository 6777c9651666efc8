"""Inside-outside: expected counts against all trees of short sentences, brackets, likelihoods, a known language."""

from __future__ import annotations

import numpy as np
import pytest

from firth.errors import InputError, ParameterError
from firth.grammar import Node, random_plain_grammar, reestimate
from firth.grammar._coarse import CoarseGrammar
from tests.grammar.test_parser import best_of
from tests.oracles import grammar_counts as oracle

pytestmark = pytest.mark.slow

SENTENCES = [[0, 1], [2, 0, 1], [1, 1, 0, 2], [2, 2, 1, 0, 0]]
BRACKETS = [
    None,
    [[], [(1, 2)], [(0, 1), (2, 3)], [(1, 3)]],
    [[(0, 1)], [(0, 2), (0, 1)], [(0, 3), (1, 3), (2, 3)], [(3, 4), (2, 4)]],
]


def counted(
    grammar: CoarseGrammar, brackets: list[list[tuple[int, int]]] | None
) -> tuple[CoarseGrammar, float]:
    """One round, from the slow counts, and the likelihood before it."""
    pairs = grammar.lexicon.pairs()
    p_words = dict(zip(pairs, grammar.lexicon.p.tolist(), strict=True))
    rules, words, roots, log, _ = oracle.plain_expected_counts(
        grammar.rules, grammar.p, p_words, grammar.roots, SENTENCES, brackets
    )
    totals = np.zeros(grammar.n_symbols)
    np.add.at(totals, grammar.rules[:, 0], rules)
    of_pairs = np.array([words[pair] for pair in pairs])
    np.add.at(totals, grammar.lexicon.tags, of_pairs)
    lexicon = type(grammar.lexicon)(
        grammar.lexicon.tags, grammar.lexicon.words, of_pairs / totals[grammar.lexicon.tags],
        grammar.lexicon.counts,
    )  # fmt: skip
    p = rules / totals[grammar.rules[:, 0]]
    return CoarseGrammar(grammar.rules, p, lexicon, roots / roots.sum()), log


@pytest.mark.parametrize("brackets", BRACKETS)
@pytest.mark.parametrize("seed", range(3))
def test_a_round_counts_all_trees(seed: int, brackets: list[list[tuple[int, int]]] | None) -> None:
    start = random_plain_grammar(2, 2, 3, seed)
    found = reestimate(start, SENTENCES, brackets, rounds=1)
    expected, log = counted(start, brackets)
    np.testing.assert_allclose(found.grammar.p, expected.p, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.grammar.lexicon.p, expected.lexicon.p, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.grammar.roots, expected.roots, rtol=1e-9)
    assert found.log_likelihoods == [pytest.approx(log)]


@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_never_falls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sentences = [rng.integers(0, 5, rng.integers(2, 8)).tolist() for _ in range(20)]
    logs = reestimate(random_plain_grammar(3, 3, 5, seed), sentences, rounds=25).log_likelihoods
    assert np.all(np.diff(logs) > -1e-9)
    assert logs[-1] > logs[0] + 5


def test_sentences_without_a_tree_count_nothing() -> None:
    start = random_plain_grammar(1, 1, 2)
    some = reestimate(start, [[0, 1], [0, 7], [0]], rounds=2)
    alone = reestimate(start, [[0, 1]], rounds=2)
    assert (some.n_without, alone.n_without) == (2, 0)
    np.testing.assert_allclose(some.grammar.p, alone.grammar.p)


def palindromes(n: int, seed: int) -> tuple[list[list[int]], list[list[tuple[int, int]]]]:
    """Words that come again in the other order, and the phrases of their trees: a, b, b, a."""
    rng = np.random.default_rng(seed)
    sentences, brackets = [], []
    for _ in range(n):
        half = rng.integers(0, 2, rng.integers(1, 4)).tolist()
        sentences.append([*half, *half[::-1]])
        brackets.append([(k, 2 * len(half) - 1 - k) for k in range(len(half))])
    return sentences, brackets


def test_brackets_help_to_find_palindromes() -> None:
    """As Pereira and Schabes saw: trees in part lead where raw text does not."""
    sentences, brackets = palindromes(60, 0)
    asked, known = palindromes(30, 1)
    figures = {}
    for name, given in (("raw", None), ("brackets", brackets)):
        learned = reestimate(random_plain_grammar(3, 2, 2, 2), sentences, given, rounds=60)
        parser = learned.parser()
        right = total = 0
        for words, spans in zip(asked, known, strict=True):
            [tree] = best_of(parser, words)
            found = {(i, j) for _, i, j in spans_of(tree)}
            right += len(found & set(spans))
            total += len(spans)
        figures[name] = right / total
    assert figures["brackets"] > 0.95
    assert figures["brackets"] > figures["raw"]


def spans_of(tree: Node) -> list[tuple[int, int, int]]:
    return [(node.symbol, i, j) for node, i, j in oracle_places(tree)]


def oracle_places(tree: Node, start: int = 0) -> list[tuple[Node, int, int]]:
    if tree.left is None or tree.right is None:
        return [(tree, start, start)]
    left = oracle_places(tree.left, start)
    right = oracle_places(tree.right, left[0][2] + 1)
    return [(tree, start, right[0][2]), *left, *right]


def test_bad_input() -> None:
    start = random_plain_grammar(1, 1, 2)
    with pytest.raises(InputError, match="no sentences"):
        reestimate(start, [])
    with pytest.raises(InputError, match="for every sentence"):
        reestimate(start, [[0, 1]], [])
    for bad in ((-1, 0), (1, 0), (0, 2)):
        with pytest.raises(InputError, match="is not in the sentence"):
            reestimate(start, [[0, 1]], [[bad]])
    with pytest.raises(ParameterError):
        reestimate(start, [[0, 1]], rounds=0)
    with pytest.raises(ParameterError):
        random_plain_grammar(0, 1, 2)
