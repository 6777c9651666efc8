"""The slow counts of grammars, against each other and against what can be worked out by hand."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from firth.grammar import LatentGrammar, Node, TensorGrammar
from tests.oracles import grammar_counts as slow
from tests.oracles import lpcfg

pytestmark = pytest.mark.slow

SEEDS = range(4)


def latent(seed: int, n_states: int = 2) -> LatentGrammar:
    return LatentGrammar.random(2, 3, 4, n_states, 2, seed)


def short_trees(grammar: LatentGrammar, n: int, longest: int = 5) -> list[Node]:
    """Trees that were drawn, the longest of those that are not too long."""
    lengths = {tree: slow.places(tree)[0].last + 1 for tree in grammar.sample(300, 1)}
    drawn = [tree for tree, length in lengths.items() if length <= longest]
    return sorted(drawn, key=lambda tree: -lengths[tree])[:n]


Plain = tuple[slow.Integers, slow.Floats, dict[slow.Entry, float], slow.Floats]


def plain(seed: int) -> Plain:
    """A grammar in which two phrases and two tags go together in all ways; two words."""
    rng = np.random.default_rng(seed)
    rules = np.array([(a, b, c) for a in range(2) for b in range(4) for c in range(4)])
    p_rules = rng.dirichlet(np.ones(16), 2).ravel()
    of_words = rng.dirichlet(np.ones(2), 2)
    p_words = {(2 + t, w): float(of_words[t, w]) for t in range(2) for w in range(2)}
    return rules, p_rules, p_words, np.append(rng.dirichlet(np.ones(2)), (0.0, 0.0))


def with_one_state(grammar: Plain) -> TensorGrammar:
    rules, p_rules, p_words, p_roots = grammar
    lexicon = {entry: np.array([p]) for entry, p in p_words.items()}
    return TensorGrammar(rules, p_rules[:, None, None, None], lexicon, p_roots[:, None])


def with_states_as_symbols(grammar: TensorGrammar) -> Plain:
    """The plain grammar whose symbols are pairs of a symbol and a state."""
    m, rules, p_rules = grammar.dim, [], []
    for (a, b, c), tensor in zip(grammar.rules.tolist(), grammar.tensors, strict=True):
        for h, j, k in np.ndindex(*tensor.shape):
            rules.append((a * m + h, b * m + j, c * m + k))
            p_rules.append(tensor[h, j, k])
    p_words = {
        (t * m + h, w): float(vector[h]) for (t, w), vector in grammar.lexicon.items() for h in range(m)
    }  # fmt: skip
    return np.array(rules), np.array(p_rules), p_words, grammar.roots.ravel()


# Trees --------------------------------------------------------------------------------------------


def test_places_number_the_nodes_of_a_tree() -> None:
    leaf = Node(1, word=7)  # the same object may be in a tree many times
    found = slow.places(Node(0, Node(2, leaf, leaf), leaf))
    assert [p[1:] for p in found] == [
        (0, 2, 1, 4), (0, 1, 2, 3), (0, 0, -1, -1), (1, 1, -1, -1), (2, 2, -1, -1),
    ]  # fmt: skip
    rules, tags = slow.parts(found[0].node)
    assert rules == [((0, 2, 1), 0, 1, 2), ((2, 1, 1), 0, 0, 1)]
    assert tags == [(1, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize(("n", "catalan"), [(1, 1), (2, 1), (3, 2), (4, 5), (5, 14), (6, 42)])
def test_shapes_of_trees_are_catalan_numbers(n: int, catalan: int) -> None:
    trees = slow.all_trees([(0, 0, 0)], [(0, 0)], [0] * n, 1)
    assert len(trees) == len(set(trees)) == catalan


def test_a_rule_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        slow.rule_numbers([(0, 1, 1), (0, 1, 1)])


# Expected counts with hidden states ---------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_add_up_to_nodes(seed: int) -> None:
    grammar = latent(seed)
    trees = short_trees(grammar, 8)
    rules, words, roots, log_likelihood = slow.expected_counts(grammar.tensors(), trees)
    nodes = [place for tree in trees for place in slow.places(tree)]
    tagged = Counter((p.node.symbol, p.node.word) for p in nodes if p.left < 0)
    used = Counter(rule for tree in trees for rule, *_ in slow.parts(tree)[0])
    np.testing.assert_allclose(
        rules.sum(axis=(1, 2, 3)), [used[a, b, c] for a, b, c in grammar.rules.tolist()]
    )
    assert {entry: float(v.sum()) for entry, v in words.items()} == pytest.approx(
        {entry: tagged[entry] for entry in words}
    )
    np.testing.assert_allclose(
        roots.sum(axis=1), np.bincount([t.symbol for t in trees], minlength=grammar.n_symbols)
    )
    # every node below has a state that its own parent gave it
    above, below = np.zeros((5, 2)), roots.copy()
    for (a, b, c), count in zip(grammar.rules.tolist(), rules, strict=True):
        above[a] += count.sum(axis=(1, 2))
        below[b] += count.sum(axis=(0, 2))
        below[c] += count.sum(axis=(0, 1))
    for (tag, _), count in words.items():
        above[tag] += count
    np.testing.assert_allclose(above, below, atol=1e-12)
    expected = sum(math.log(lpcfg.tree_probability(grammar, tree)) for tree in trees)
    assert log_likelihood == pytest.approx(expected, rel=1e-12)


def test_with_one_state_trees_are_simply_counted() -> None:
    grammar = latent(1, 1)
    trees = short_trees(grammar, 30, 9)
    rules, words, roots, _ = slow.expected_counts(grammar.tensors(), trees)
    used = Counter(rule for tree in trees for rule, *_ in slow.parts(tree)[0])
    assert rules.ravel().tolist() == [used[a, b, c] for a, b, c in grammar.rules.tolist()]
    leaves = (p.node for tree in trees for p in slow.places(tree) if p.left < 0)
    tagged = Counter((leaf.symbol, leaf.word) for leaf in leaves)
    assert {entry: v.tolist() for entry, v in words.items()} == {e: [tagged[e]] for e in words}
    assert roots[:, 0].tolist() == [sum(t.symbol == a for t in trees) for a in range(5)]


def test_a_posterior_by_hand() -> None:
    """One rule, two states above; the states below are always 0 and 1."""
    tensors = np.zeros((1, 2, 2, 2))
    tensors[0, :, 0, 1] = 1
    lexicon = {(1, 0): np.array([0.5, 0.25]), (1, 1): np.array([0.5, 0.75])}
    grammar = TensorGrammar(
        np.array([(0, 1, 1)]), tensors, lexicon, np.array([(0.2, 0.8), (0.0, 0.0)])
    )
    tree = Node(0, Node(1, word=0), Node(1, word=1))
    rules, words, roots, log_likelihood = slow.expected_counts(grammar, [tree, tree])
    assert log_likelihood == pytest.approx(2 * math.log(0.5 * 0.75))
    np.testing.assert_allclose(rules, 2 * tensors * np.array([0.2, 0.8])[:, None, None])
    np.testing.assert_allclose(roots, [(0.4, 1.6), (0, 0)])
    np.testing.assert_allclose((words[1, 0], words[1, 1]), [(2, 0), (0, 2)])


def test_a_tree_that_cannot_be_adds_nothing() -> None:
    grammar = latent(0).tensors()
    odd = Node(0, Node(2, word=99), Node(2, word=0))
    *counts, log_likelihood = slow.expected_counts(grammar, [odd])
    assert log_likelihood == -math.inf
    assert isinstance(counts[0], np.ndarray)
    assert not counts[0].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_are_slopes_of_the_likelihood(seed: int) -> None:
    """A count is the derivative of the likelihood's logarithm by the logarithm of its parameter."""
    grammar = latent(seed).tensors()
    trees = short_trees(latent(seed), 4)
    rules, words, roots, _ = slow.expected_counts(grammar, trees)
    assert (rules.sum(axis=(1, 2, 3)) > 0.5).sum() > 2, "many rules are in the trees"

    def slope(parameters: slow.Floats, where: tuple[int, ...]) -> float:
        ends, before = [], parameters[where]
        for step in (1e-5, -1e-5):
            parameters[where] = before * math.exp(step)
            ends.append(sum(math.log(slow.joints(grammar, tree).sum()) for tree in trees))
        parameters[where] = before
        return (ends[0] - ends[1]) / 2e-5

    for where, count in np.ndenumerate(rules):
        assert slope(grammar.tensors, where) == pytest.approx(count, abs=1e-6)
    for where, count in np.ndenumerate(roots):
        assert slope(grammar.roots, where) == pytest.approx(count, abs=1e-6)
    for entry, counts in words.items():
        vector = grammar.lexicon[entry].copy()  # no part of an array that others share
        grammar.lexicon[entry] = vector
        for where, count in np.ndenumerate(counts):
            assert slope(vector, where) == pytest.approx(count, abs=1e-6)


# Expected counts without trees --------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_plain_counts_are_slopes_and_add_up(seed: int) -> None:
    rules, p_rules, p_words, p_roots = plain(seed)
    sentences = [[0, 1], [1, 1, 0], [0, 0, 1]]
    counts, words, roots, log_likelihood, without = slow.plain_expected_counts(
        rules, p_rules, p_words, p_roots, sentences
    )
    assert without == 0
    assert counts.sum() == pytest.approx(1 + 2 + 2)
    assert roots.sum() == pytest.approx(3)
    assert words[2, 0] + words[3, 0] == pytest.approx(4)
    assert words[2, 1] + words[3, 1] == pytest.approx(4)
    for r in (0, 5, 11, 15, 16, 31):
        ends = []
        for step in (1e-5, -1e-5):
            moved = p_rules.copy()
            moved[r] *= math.exp(step)
            ends.append(slow.plain_expected_counts(rules, moved, p_words, p_roots, sentences)[3])
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(counts[r], abs=1e-6)
    tensors = with_one_state((rules, p_rules, p_words, p_roots))
    expected = sum(math.log(slow.sentence_probability(tensors, words)) for words in sentences)
    assert log_likelihood == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_of_em_does_not_lower_the_likelihood(seed: int) -> None:
    rules, p_rules, p_words, p_roots = plain(seed)
    sentences = [[0, 1], [1, 1, 0], [0, 0, 1], [0]]
    last = -math.inf
    for _ in range(4):
        counts, words, roots, now, without = slow.plain_expected_counts(
            rules, p_rules, p_words, p_roots, sentences
        )
        assert without == 1, "no phrase has one word"
        assert now > last
        last = now
        p_rules = (counts.reshape(2, 16) / counts.reshape(2, 16).sum(axis=1, keepdims=True)).ravel()
        p_roots = roots / roots.sum()
        of_tag = {t: words[t, 0] + words[t, 1] for t in (2, 3)}
        p_words = {(t, w): n / of_tag[t] for (t, w), n in words.items()}


def test_phrases_cross() -> None:
    assert slow.crosses((0, 1), (1, 2))
    assert slow.crosses((1, 2), (0, 1))
    for one, other in [((0, 1), (2, 3)), ((0, 3), (1, 2)), ((1, 2), (1, 2)), ((0, 2), (0, 0))]:
        assert not slow.crosses(one, other)
        assert not slow.crosses(other, one)


@pytest.mark.parametrize("seed", SEEDS)
def test_brackets_that_say_nothing_leave_all_trees(seed: int) -> None:
    grammar, sentences = plain(seed), [[0, 1, 1], [1, 0]]
    free = slow.plain_expected_counts(*grammar, sentences)
    silent: list[list[list[slow.Span]]] = [
        [[], []],
        [[(0, 2)], [(0, 1)]],
        [[(1, 1)], [(0, 0), (1, 1)]],
    ]
    for brackets in silent:
        bound = slow.plain_expected_counts(*grammar, sentences, brackets)
        np.testing.assert_array_equal(bound[0], free[0])
        assert bound[1] == free[1]
        assert bound[3:] == free[3:]


def test_brackets_of_a_tree_leave_its_shape_alone() -> None:
    """With one symbol, a tree with all its brackets is the only one, and with fewer is not."""
    grammar = (np.array([(0, 0, 0)]), np.array([0.4]), {(0, 0): 0.6}, np.array([1.0]))
    trees = slow.all_trees([(0, 0, 0)], [(0, 0)], [0] * 4, 1)
    for tree in trees:
        spans = [(p.first, p.last) for p in slow.places(tree) if p.left >= 0]
        assert [t for t in trees if slow.fits(t, spans)] == [tree]
        assert sum(slow.fits(t, spans[:-1]) for t in trees) == 2, "a phrase of three in two ways"
        found = slow.plain_expected_counts(*grammar, [[0] * 4], [spans])
        assert found[3] == pytest.approx(3 * math.log(0.4) + 4 * math.log(0.6))
        assert (found[0].tolist(), found[1], found[2].tolist()) == ([3.0], {(0, 0): 4.0}, [1.0])
    assert slow.plain_expected_counts(*grammar, [[0] * 4])[3] == pytest.approx(
        math.log(5) + 3 * math.log(0.4) + 4 * math.log(0.6)
    )


def test_sentences_without_a_tree_are_told() -> None:
    rules, p_rules = np.array([(0, 1, 1), (0, 1, 0)]), np.array([0.5, 0.5])
    grammar = (rules, p_rules, {(1, 0): 1.0}, np.array([1.0, 0.0]))
    sentences = [[0, 0, 0], [0], [0, 9], [0, 0, 0]]
    counts, words, roots, log_likelihood, without = slow.plain_expected_counts(
        *grammar, sentences, [[], [], [], [(0, 1)]]
    )
    assert without == 3, "one is too short, one has an unknown word, one's brackets fit no tree"
    assert (counts.tolist(), words, roots.tolist()) == ([1.0, 1.0], {(1, 0): 3.0}, [1.0, 0.0])
    assert log_likelihood == pytest.approx(math.log(0.25))


# The best trees -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_trees_are_in_order_and_add_up(seed: int) -> None:
    grammar, words = plain(seed), [0, 1, 1]
    everything = slow.n_best(*grammar, words, 10_000)
    p = [x for x, _ in everything]
    # two roots, two shapes, two symbols for the phrase of two words, two for each tag
    assert len({tree for _, tree in everything}) == len(p) == 2**6
    assert p == sorted(p, reverse=True)
    assert sum(p) == pytest.approx(math.exp(slow.plain_expected_counts(*grammar, [words])[3]))
    assert slow.n_best(*grammar, words, 3) == everything[:3]
    assert slow.n_best(*grammar, [0], 3) == []
    tensors = with_one_state(grammar)
    for x, tree in everything[:5]:
        assert tensors.tree_probability(tree) == pytest.approx(x, rel=1e-12)


@pytest.fixture
def divided() -> TensorGrammar:
    """S → T X, Y T; X → T T, T U; Y → T T: of three words, one tree has .4, two others .3 each."""
    rules = [(0, 3, 1), (0, 2, 3), (1, 3, 3), (1, 3, 4), (2, 3, 3)]
    p_words = {(3, 0): 1.0, (4, 0): 1.0}
    p_rules = np.array([0.6, 0.4, 0.5, 0.5, 1.0])
    return with_one_state((np.array(rules), p_rules, p_words, np.array([1.0, 0, 0, 0, 0])))


def test_the_greatest_product_need_not_be_the_best_tree(divided: TensorGrammar) -> None:
    t, u = Node(3, word=0), Node(4, word=0)
    assert {tree: p for p, tree in slow.weighted_trees(divided, [0, 0, 0])} == pytest.approx({
        Node(0, t, Node(1, t, t)): 0.3,
        Node(0, t, Node(1, t, u)): 0.3,
        Node(0, Node(2, t, t), t): 0.4,
    })  # fmt: skip
    known = slow.posteriors(divided, [0, 0, 0])
    assert known.tags == pytest.approx({(3, 0): 1, (3, 1): 1, (3, 2): 0.7, (4, 2): 0.3})
    assert known.rules[(0, 3, 1), 0, 0, 2] == pytest.approx(0.6)
    score, tree = slow.max_rule_product(divided, [0, 0, 0])
    assert tree == Node(0, t, Node(1, t, t))
    assert score == pytest.approx(math.log(0.6 * 0.3 * 0.7))  # and not .4 * .4 * .7
    with pytest.raises(ValueError, match="no tree"):
        slow.max_rule_product(divided, [0])


@pytest.mark.parametrize("seed", SEEDS)
def test_posteriors_are_those_of_pairs_of_symbols_and_states(seed: int) -> None:
    grammar = latent(seed).tensors()
    expanded = with_states_as_symbols(grammar)
    for tree in short_trees(latent(seed), 3, 4):
        words = [p.node.word for p in slow.places(tree) if p.left < 0]
        counts, *_, log_likelihood, _ = slow.plain_expected_counts(*expanded, [words])
        assert slow.sentence_probability(grammar, words) == pytest.approx(
            math.exp(log_likelihood), rel=1e-10
        )
        known = slow.posteriors(grammar, words)
        by_rule: Counter[slow.Rule] = Counter()
        for (rule, *_), p in known.rules.items():
            by_rule[rule] += p  # type: ignore[assignment]
        for rule, total in zip(
            grammar.rules.tolist(), counts.reshape(-1, 8).sum(axis=1), strict=True
        ):
            assert by_rule[tuple(rule)] == pytest.approx(total, abs=1e-10)
        for i in range(len(words)):
            assert sum(p for (_, at), p in known.tags.items() if at == i) == pytest.approx(1)
        score, best = slow.max_rule_product(grammar, words)
        assert score <= 1e-12
        assert best in {t for _, t in slow.weighted_trees(grammar, words)}


# Sentences and their beginnings -------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_sentences_are_as_in_the_other_oracle(seed: int) -> None:
    grammar = latent(seed)
    change = np.random.default_rng(seed).normal(size=(5, 2, 2))
    for words in ([0, 1], [2, 0, 3], [1, 1, 2, 0]):
        p = slow.sentence_probability(grammar.tensors(), words)
        assert p == pytest.approx(lpcfg.marginals(grammar, words)[:, 0, -1].sum(), rel=1e-10)
        # in another basis the numbers are no probabilities, but those of sentences stay
        assert slow.sentence_probability(grammar.tensors(change), words) == pytest.approx(p)


def left_branching(p: float, u: float) -> TensorGrammar:
    """S → S T with p, T T else; T → 0 with u, 1 else."""
    rules, p_words = np.array([(0, 0, 1), (0, 1, 1)]), {(1, 0): u, (1, 1): 1 - u}
    return with_one_state((rules, np.array([p, 1 - p]), p_words, np.array([1.0, 0.0])))


@pytest.mark.parametrize("p", [0.0, 0.3, 0.9])
def test_beginnings_by_hand(p: float) -> None:
    """Any number of words above one, each drawn alone: as many more as a coin with p says."""
    grammar, u = left_branching(p, 0.2), 0.2
    for words in ([], [0], [1], [0, 1], [1, 1], [0, 1, 1], [0, 0, 1, 0]):
        value, bound = slow.prefix_probability(grammar, words)
        expected = math.prod(u if w == 0 else 1 - u for w in words) * p ** max(0, len(words) - 2)
        assert value == pytest.approx(expected, abs=1e-12)
        assert 0 <= bound <= 1e-14
    # cut short, the bound holds: what is missing has been expanded at left more than 5 times
    value, bound = slow.prefix_probability(grammar, [0], most_steps=6)
    assert value <= u <= value + bound + 1e-15
    assert bound == pytest.approx(p**6 + p**5 * (1 - p))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beginning_is_a_sentence_or_goes_on(seed: int) -> None:
    grammar = latent(seed).tensors()

    def begins(*words: int) -> float:
        return slow.prefix_probability(grammar, words)[0]

    assert begins() == pytest.approx(1)
    for n in range(3):
        for words in product(range(4), repeat=n):
            longer = sum(begins(*words, word) for word in range(4))
            here = slow.sentence_probability(grammar, words)
            assert begins(*words) == pytest.approx(here + longer, abs=1e-12)
    assert sum(begins(word) for word in range(4)) == pytest.approx(1)


@pytest.mark.parametrize("seed", [0, 3])
def test_beginnings_are_sums_over_sentences(seed: int) -> None:
    """All sentences up to some length: what they leave out is the rest of all probability."""
    grammar = LatentGrammar.random(2, 2, 2, 2, 1, seed).tensors()
    total: Counter[tuple[int, ...]] = Counter()
    for n in range(2, 7):
        for words in product(range(2), repeat=n):
            p = slow.sentence_probability(grammar, words)
            for end in range(4):
                if end <= n:
                    total[words[:end]] += p  # type: ignore[assignment]
    rest = 1 - total[()]
    assert rest < 0.01
    for words, lower in total.items():
        value, _ = slow.prefix_probability(grammar, words)
        assert lower - 1e-12 <= value <= lower + rest + 1e-12
