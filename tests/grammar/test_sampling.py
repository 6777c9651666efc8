"""Sentences that are drawn are as frequent as they are probable."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from firth.errors import InputError, ParameterError
from firth.grammar import LPCFG, METHODS, LatentGrammar, Node, Parser
from firth.grammar._sampling import Sampler
from firth.grammar._words import GrammarWords
from firth.tags import SpellingGroups
from firth.trees import Tree, parse_trees
from tests.grammar.test_lpcfg import attachment, pronouns
from tests.grammar.test_parser import open_parser
from tests.grammar.test_prefixes import turned_parser
from tests.oracles import grammar_counts as slow

pytestmark = pytest.mark.slow

N_WORDS = 3


def words_of(n: int) -> GrammarWords:
    return GrammarWords([f"w{k}" for k in range(n)], [], SpellingGroups([""]))


def drawn(parser: Parser, n: int, seed: int, longest: int = 100) -> list[Node]:
    sampler = Sampler(parser, words_of(N_WORDS), seed, longest)
    found = []
    for _ in range(n):
        tree, words = sampler.draw()
        assert words == [f"w{leaf.word}" for leaf in leaves(tree)]
        found.append(tree)
    return found


def leaves(tree: Node) -> list[Node]:
    return [place.node for place in slow.places(tree) if place.left < 0]


def check_frequencies(counts: Counter[Any], expected: dict[Any, float], n: int) -> None:
    """A sum of squares that is about as large as its number of terms, if the probabilities are right.

    What is expected fewer than five times is taken together, with all that is not in ``expected``.
    """
    often = {key: p for key, p in expected.items() if n * p >= 5}
    assert len(often) > 5, "there is something to compare"
    rest = 1 - sum(often.values())
    terms = [(counts[key] - n * p) ** 2 / (n * p) for key, p in often.items()]
    if n * rest >= 5:
        others = n - sum(counts[key] for key in often)
        terms.append((others - n * rest) ** 2 / (n * rest))
    assert sum(terms) < len(terms) + 4 * math.sqrt(2 * len(terms))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_trees_are_as_frequent_as_they_are_probable(seed: int, turned: bool) -> None:
    """In another basis too, where numbers are no probabilities."""
    grammar = LatentGrammar.random(2, 2, N_WORDS, 2, 3, seed)
    parser = turned_parser(grammar, seed) if turned else open_parser(grammar)
    n = 3000
    trees = drawn(parser, n, seed)
    form = grammar.tensors()
    expected = {tree: form.tree_probability(tree) for tree in set(trees)}
    check_frequencies(Counter(trees), expected, n)


@pytest.mark.parametrize("turned", [False, True])
def test_states_are_kept_from_left_to_right(turned: bool) -> None:
    """What was drawn at the left says what comes at the right: one state has words 0, the other words 1."""
    same = np.eye(2)[None]
    grammar = LatentGrammar(
        np.array([[0.5, 0.5]]), np.array([[0, 1, 1]]), np.ones((1, 2)), same, same,
        np.array([[[0.9, 0.1], [0.1, 0.9], [0.0, 0.0]]]),
    )  # fmt: skip
    parser = turned_parser(grammar, 1) if turned else open_parser(grammar)
    n = 2000
    pairs = Counter(tuple(leaf.word for leaf in leaves(tree)) for tree in drawn(parser, n, 0))
    for word in ((0, 0), (0, 1), (1, 0), (1, 1)):
        p = 0.5 * (0.9 * 0.9 + 0.1 * 0.1) if word[0] == word[1] else 0.09
        assert abs(pairs[word] / n - p) < 4 * math.sqrt(p / n)
    assert sum(pairs.values()) == n


def test_long_sentences_are_drawn_anew() -> None:
    """Those that are left are as probable as before, among themselves."""
    rng = np.random.default_rng(0)
    grammar = LatentGrammar(
        np.array([[0.5, 0.5]]), np.array([[0, 0, 1], [0, 1, 1]]), np.array([[0.7, 0.4], [0.3, 0.6]]),
        rng.dirichlet(np.ones(2), (2, 2)), rng.dirichlet(np.ones(2), (2, 2)),
        rng.dirichlet(np.ones(N_WORDS), (1, 2)).transpose(0, 2, 1),
    )  # fmt: skip
    n, longest = 3000, 3
    trees = drawn(open_parser(grammar), n, 0, longest)
    assert max(len(leaves(tree)) for tree in trees) == longest
    assert any(len(leaves(tree)) > longest for tree in drawn(open_parser(grammar), 300, 0))
    form, everything = grammar.tensors(), all_short_trees(grammar, longest)
    total = sum(form.tree_probability(tree) for tree in everything)
    expected = {tree: form.tree_probability(tree) / total for tree in everything}
    assert total < 0.8
    assert set(trees) <= set(everything)
    check_frequencies(Counter(trees), expected, n)


def all_short_trees(grammar: LatentGrammar, longest: int) -> list[Node]:
    form = grammar.tensors()
    rules = slow.rule_numbers(form.rules)
    sentences: list[list[int]] = [[]]
    found = []
    for _ in range(longest):
        sentences = [[*words, word] for words in sentences for word in range(N_WORDS)]
        for words in sentences:
            found += slow.all_trees(rules, form.lexicon, words, grammar.n_phrases)
    return found


# Grammars that were learned -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["pcfg", "em"])
def test_trees_of_a_learned_grammar(method: Any) -> None:
    """Words of a tag do not quite add up to one, but what is drawn does."""
    text = ["(S (N a) (V c))", "(S (N b) (V d))", "(S (N a) (VP (V d) (N b)))"]
    text += ["(S (N b) (VP (V c) (N b)))"]
    trees = list(parse_trees("\n".join(text * 300 + text[1:2] * 500 + text[2:3] * 300)))
    parser = LPCFG(2, method=method).fit(trees)
    n = 3000
    counts = Counter(parser.sample(n, 5))
    shares = {tree: math.exp(parser.log_prob(tree)) for tree in counts}
    total = sum(shares.values())
    assert total == pytest.approx(1, abs=0.02)
    check_frequencies(counts, {tree: p / total for tree, p in shares.items()}, n)


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_can_be_drawn_from(method: Any) -> None:
    trees = attachment(120, 0)
    parser = LPCFG(4, method=method).fit(trees)
    found = parser.sample(60, 3, longest=9)
    assert len(found) == 60
    assert parser.sample(60, 3, longest=9) == found
    assert parser.sample(20, 3, longest=9) == found[:20]
    assert parser.sample(60, 4, longest=9) != found
    known = {word for tree in trees for word in tree.words}
    for tree in found:
        assert 1 <= len(tree) <= 9
        assert tree.label == "S"
        assert set(tree.words) <= known
        assert math.isfinite(parser.log_prob(tree))
    assert len(set(found)) > 20


def test_hidden_states_are_drawn_from() -> None:
    """Subjects and objects are not confused, where states tell them apart."""
    states = LPCFG(4, method="clustering").fit(pronouns(400, 0))
    plain = LPCFG(method="pcfg").fit(pronouns(400, 0))

    def confused(parser: LPCFG) -> float:
        found = parser.sample(300, 1)
        return sum(tree.words[0] in ("him", "her", "them") for tree in found) / 300

    assert confused(plain) > 0.45, "it cannot know"
    assert confused(states) < 0.4


def test_rare_words_are_drawn_too() -> None:
    text = [f"(S (N {c}{d}ing) (V goes))" for c in "abcdefgh" for d in "aeiou"]
    parser = LPCFG(method="pcfg").fit(parse_trees("\n".join(text)))
    found = {tree.words[0] for tree in parser.sample(200, 0)}
    assert len(found - {"goes"}) > 20
    assert all(word.endswith("ing") or word == "goes" for word in found)


def test_sentences_that_are_never_short_enough() -> None:
    parser = LPCFG(method="pcfg").fit(attachment(20, 0))
    with pytest.raises(InputError, match="No sentence of up to 2 words") as error:
        parser.sample(1, 0, longest=2)
    assert error.value.hint


def test_bad_requests() -> None:
    with pytest.raises(ParameterError, match="is not fitted"):
        LPCFG().sample()
    parser = LPCFG(method="pcfg").fit(attachment(5, 0))
    bad: Sequence[dict[str, Any]] = [
        {"n": 0}, {"n": 1.5}, {"seed": -1}, {"seed": "x"}, {"longest": 0}, {"longest": None},
    ]  # fmt: skip
    for how in bad:
        with pytest.raises(ParameterError):
            parser.sample(**how)


def chain(n: int, left: bool) -> Tree:
    tree = Tree("N", "a")
    for _ in range(n):
        tree = Tree("S", [tree, Tree("N", "b")] if left else [Tree("N", "b"), tree])
    return tree


@pytest.mark.parametrize("left", [False, True])
def test_deep_trees_are_drawn_or_drawn_again(left: bool) -> None:
    """One random tree in twenty has more than 900 levels; at most 300 words can be asked for."""
    parser = LPCFG(method="pcfg").fit([chain(300, left)])
    for tree in parser.sample(40, 0, longest=300):
        assert len(tree) <= 300
    with pytest.raises(ParameterError, match="from 1 to 300"):
        parser.sample(1, 0, longest=5000)


def test_trees_that_grow_deep_before_they_have_a_word() -> None:
    """Nothing was drawn yet that would be too long."""
    parser = LPCFG(method="pcfg").fit([chain(300, left=True)])
    assert all(len(tree) <= 100 for tree in parser.sample(40, 0))
