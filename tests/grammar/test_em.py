"""EM: expected counts against all states of all nodes, the step from counts to probabilities, likelihoods."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from firth.grammar import LatentGrammar, Node, Treebank, random_grammar, rounds_of_em
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._em import expected_counts, log_probs
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._smoothing import StateCounts
from tests.grammar.test_parser import plain_lexicon
from tests.oracles import grammar_counts as slow


def small_trees(seed: int, n: int = 12, longest: int = 4) -> tuple[list[Node], int]:
    """Short trees that were drawn from a grammar, and the number of its symbols."""
    grammar = LatentGrammar.random(2, 3, 4, 2, 3, seed)
    drawn = {tree: slow.places(tree)[0].last + 1 for tree in grammar.sample(400, seed)}
    kept = sorted((t for t, length in drawn.items() if length <= longest), key=lambda t: -drawn[t])
    return kept[:n], grammar.n_symbols


def counted(trees: list[Node], n_symbols: int) -> tuple[Treebank, CoarseGrammar]:
    bank = Treebank.of(trees, n_symbols)
    return bank, CoarseGrammar.count(bank, plain_lexicon(bank))


def uneven_grammar(coarse: CoarseGrammar, n_states: int, seed: int) -> FineGrammar:
    """States that differ a lot, in all that there is; some things are impossible."""
    rng = np.random.default_rng(seed)
    m = n_states
    tensors = rng.gamma(0.3, size=(len(coarse.rules), m, m, m))
    vectors = rng.gamma(0.3, size=(len(coarse.lexicon), m))
    tensors[rng.random(tensors.shape) < 0.2] = 0.0
    roots = rng.dirichlet(np.ones(m), coarse.n_symbols) * coarse.roots[:, None]
    return FineGrammar(tensors, vectors, roots, np.ones_like(roots), proper=True)


def check_counts(trees: list[Node], bank: Treebank, coarse: CoarseGrammar, fine: FineGrammar) -> None:  # fmt: skip
    found, likelihood = expected_counts(bank, coarse.lexicon, fine)
    rules, words, roots, expected = slow.expected_counts(fine.form(coarse), trees)
    np.testing.assert_allclose(found.of_rules, rules, rtol=1e-9, atol=1e-12)
    of_pairs = np.array([words[pair] for pair in coarse.lexicon.pairs()])
    np.testing.assert_allclose(found.of_pairs, of_pairs, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.of_roots, roots, rtol=1e-9, atol=1e-12)
    if math.isfinite(expected):
        assert likelihood == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n_states", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_counts_are_those_of_all_states(seed: int, n_states: int) -> None:
    trees, n_symbols = small_trees(seed, longest=4 if n_states == 3 else 5)
    bank, coarse = counted(trees, n_symbols)
    assert bank.rule_counts.max() > 1
    check_counts(trees, bank, coarse, random_grammar(coarse, n_states, seed))
    check_counts(trees, bank, coarse, uneven_grammar(coarse, n_states, seed))


def test_a_tree_that_the_grammar_does_not_have_counts_nothing() -> None:
    trees, n_symbols = small_trees(1, 200, longest=3)
    bank, coarse = counted(trees, n_symbols)
    fine = uneven_grammar(coarse, 2, 5)
    without_rule, without_word = fine.tensors.copy(), fine.vectors.copy()
    no_root = fine.roots.copy()
    without_rule[np.argmin(bank.rule_counts)] = 0.0
    without_word[np.argmin(coarse.lexicon.counts)] = 0.0
    no_root[np.argmin(coarse.roots[:2])] = 0.0
    lamed = [
        replace(fine, tensors=without_rule), replace(fine, vectors=without_word), replace(fine, roots=no_root),
    ]  # fmt: skip
    for grammar in lamed:
        form = grammar.form(coarse)
        there = [tree for tree in trees if slow.joints(form, tree).sum() > 0]
        assert 0 < len(there) < len(trees)
        check_counts(trees, bank, coarse, grammar)
        _, likelihood = expected_counts(bank, coarse.lexicon, grammar)
        logs = [math.log(slow.joints(form, tree).sum()) for tree in there]
        assert likelihood == pytest.approx(sum(logs)), "of the trees that it has"


def test_a_word_that_is_not_in_the_lexicon_counts_nothing() -> None:
    trees, n_symbols = small_trees(2, 40)
    bank, coarse = counted(trees, n_symbols)
    lexicon = coarse.lexicon
    gone = int(np.argmin(lexicon.counts))
    kept = np.arange(len(lexicon)) != gone
    smaller = Lexicon(
        lexicon.tags[kept], lexicon.words[kept], lexicon.p[kept], lexicon.counts[kept]
    )
    less = CoarseGrammar(coarse.rules, coarse.p, smaller, coarse.roots)
    fine = uneven_grammar(less, 2, 1)
    there = [tree for tree in trees if slow.joints(fine.form(less), tree).sum() > 0]
    assert 0 < len(there) < len(trees)
    found, _ = expected_counts(bank, smaller, fine)
    rules, words, roots, _ = slow.expected_counts(fine.form(less), there)
    np.testing.assert_allclose(found.of_rules, rules, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.of_pairs, [words[pair] for pair in smaller.pairs()])
    np.testing.assert_allclose(found.of_roots, roots)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_states", [2, 4])
def test_the_likelihood_never_falls(seed: int, n_states: int) -> None:
    grammar = LatentGrammar.random(3, 3, 6, 2, 4, seed)
    bank = Treebank.of(grammar.sample(80, seed), grammar.n_symbols)
    coarse = CoarseGrammar.count(bank, plain_lexicon(bank))
    start = random_grammar(coarse, n_states, seed)
    rounds = islice(rounds_of_em(bank, coarse.lexicon, start), 30)
    likelihoods = [likelihood for _, likelihood in rounds]
    assert np.all(np.diff(likelihoods) > -1e-9 * abs(likelihoods[0]))
    assert likelihoods[-1] > likelihoods[0] + 5
    plain = log_probs(bank, coarse, FineGrammar.plain(coarse)).sum()
    assert likelihoods[-1] > plain + 1, "states tell more than none"


def test_each_round_begins_with_the_grammar_of_the_last_counts() -> None:
    trees, n_symbols = small_trees(3)
    bank, coarse = counted(trees, n_symbols)
    start = random_grammar(coarse, 2, 0)
    fine = start
    for counts, likelihood in islice(rounds_of_em(bank, coarse.lexicon, start), 4):
        assert likelihood == pytest.approx(float(log_probs(bank, coarse, fine).sum()), rel=1e-10)
        expected, _ = expected_counts(bank, coarse.lexicon, fine)
        np.testing.assert_allclose(counts.of_rules, expected.of_rules)
        fine = counts.grammar(bank, coarse.lexicon)


def test_from_counts_to_probabilities_by_hand() -> None:
    """Symbol 0 becomes 1 2 or 1 1; the words 5 and 6 have tag 1, word 5 has tag 2."""
    one, other = Node(1, word=5), Node(2, word=5)
    bank = Treebank.of([Node(0, one, other), Node(0, one, Node(1, word=6))], 3)
    lexicon = Lexicon(
        np.array([1, 2, 1]), np.array([5, 5, 6]), np.array([0.5, 1.0, 0.5]), np.array([2, 1, 1])
    )
    assert bank.table.tolist() == [[0, 1, 1], [0, 1, 2]]
    of_rules = np.zeros((2, 2, 2, 2))
    of_rules[0, 0, 0, 1], of_rules[0, 0, 1, 1] = 2.0, 1.0
    of_rules[1, 0, 0, 0], of_rules[1, 1, 1, 0] = 5.0, 0.25
    of_pairs = np.array([[1.0, 3.0], [4.0, 0.0], [3.0, 1.0]])
    of_roots = np.array([[6.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    counts = StateCounts(of_rules, of_pairs, of_roots)
    np.testing.assert_allclose(
        counts.of_symbols(bank, lexicon), np.array([[8, 0.25], [4, 4], [4, 0]])
    )
    made = counts.grammar(bank, lexicon)
    expected = np.zeros((2, 2, 2, 2))
    expected[0, 0, 0, 1], expected[0, 0, 1, 1] = 2 / 8, 1 / 8
    expected[1, 0, 0, 0], expected[1, 1, 1, 0] = 5 / 8, 1.0
    np.testing.assert_allclose(made.tensors, expected)
    np.testing.assert_allclose(made.vectors, [[0.25, 0.75], [1.0, 0.0], [0.75, 0.25]])
    np.testing.assert_allclose(made.roots, of_roots / 8)
    assert (made.totals == 1).all()
    assert made.proper


@pytest.mark.parametrize("seed", range(3))
def test_random_grammars_are_proper_and_differ_little(seed: int) -> None:
    trees, n_symbols = small_trees(seed)
    bank, coarse = counted(trees, n_symbols)
    fine = random_grammar(coarse, 3, seed)
    sums = np.zeros((n_symbols, 3))
    np.add.at(sums, bank.table[:, 0], fine.tensors.sum(axis=(2, 3)))
    np.add.at(sums, coarse.lexicon.tags, fine.vectors)
    occurs = bank.symbol_counts > 0
    np.testing.assert_allclose(sums[occurs], 1.0)
    assert fine.roots.sum() == pytest.approx(1)
    assert fine.tensors.min() > 0
    assert not np.allclose(fine.tensors[:, 0], fine.tensors[:, 1]), "all alike would stay alike"
    assert np.array_equal(fine.tensors, random_grammar(coarse, 3, seed).tensors)
    assert not np.array_equal(fine.tensors, random_grammar(coarse, 3, seed + 1).tensors)


@pytest.mark.parametrize("seed", range(4))
def test_logarithms_of_probabilities_of_trees(seed: int) -> None:
    trees, n_symbols = small_trees(seed)
    _, coarse = counted(trees, n_symbols)
    fine = uneven_grammar(coarse, 2, seed)
    other_rule = Node(0, Node(4, word=0), Node(0, Node(4, word=0), Node(4, word=0)))
    strange = [
        Node(0, Node(2, word=99), Node(2, word=0)), Node(2, word=0), Node(0, other_rule, other_rule)
    ]  # fmt: skip
    asked = [*trees, *strange]
    found = log_probs(Treebank.of(asked, n_symbols), coarse, fine)
    form = fine.form(coarse)
    for tree, log in zip(asked, found, strict=True):
        p = float(slow.joints(form, tree).sum())
        assert log == (pytest.approx(math.log(p), rel=1e-10) if p > 0 else -math.inf)
    assert np.isfinite(found).sum() >= 5
    turned = replace(fine, roots=-fine.roots)
    np.testing.assert_allclose(
        log_probs(Treebank.of(asked, n_symbols), coarse, turned), found, err_msg="sizes count"
    )


def test_probabilities_that_would_vanish_do_not() -> None:
    """A tree of 3,000 words: its probability is far below the smallest number there is."""
    small = Node(0, Node(1, word=0), Node(1, word=1))
    bank, coarse = counted([small, Node(0, small, Node(1, word=1))], 2)
    tree = small
    for _ in range(2998):
        tree = Node(0, tree, Node(1, word=1))
    long = Treebank.of([tree], 2)
    assert long.table.tolist() == bank.table.tolist()
    [log] = log_probs(long, coarse, FineGrammar.plain(coarse))
    # word 1 is three of five words; one rule of three goes on
    words, rules = math.log(2 / 5) + 2999 * math.log(3 / 5), 2998 * math.log(1 / 3)
    assert log == pytest.approx(words + rules + math.log(2 / 3), rel=1e-9)
    fine = random_grammar(coarse, 2, 0)
    [hidden] = log_probs(long, coarse, fine)
    counts, likelihood = expected_counts(long, coarse.lexicon, fine)
    assert likelihood == pytest.approx(hidden)
    on, end = (fine.tensors[r] for r in range(2))
    assert bank.table.tolist() == [[0, 0, 1], [0, 1, 1]]
    up, expected = end @ fine.vectors[1] @ fine.vectors[0], 0.0
    for _ in range(2998):
        up = on @ fine.vectors[1] @ up
        expected, up = expected + math.log(up.sum()), up / up.sum()
    assert hidden == pytest.approx(expected + math.log(up @ fine.roots[0]), rel=1e-10)
    assert counts.of_pairs.sum() == pytest.approx(3000)
    np.testing.assert_allclose(counts.of_rules.sum(axis=(1, 2, 3)), long.rule_counts)
