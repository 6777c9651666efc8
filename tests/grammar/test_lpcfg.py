"""Parsers that have learned from trees, as a person would use them."""

from __future__ import annotations

import math
import random

import pytest

from firth.evaluate import evaluate_parses
from firth.grammar import LPCFG
from firth.trees import Tree, parse_trees

VERBS = ("sees", "hears", "likes")


def pronouns(n: int, seed: int) -> list[Tree]:
    """Sentences in which subjects and objects are other words under the same symbols."""
    rng = random.Random(seed)
    trees = []
    for _ in range(n):
        subject, verb, thing = (
            rng.choice(("he", "she", "they")),
            rng.choice(VERBS),
            rng.choice(("him", "her", "them")),
        )
        trees.append(
            f"(S (NP (P {subject}) (A {rng.choice('xy')})) (VP (V {verb}) (NP (P {thing}) (A {rng.choice('xy')}))))"
        )
    return list(parse_trees("\n".join(trees)))


def attachment(n: int, seed: int) -> list[Tree]:
    """Sentences with phrases that belong to the verb or to the noun, by the preposition."""
    rng = random.Random(seed)
    trees = []
    for _ in range(n):
        verb, noun, other = (
            rng.choice(VERBS),
            rng.choice(("cat", "dog", "man")),
            rng.choice(("hat", "bed", "house")),
        )
        phrase = "(PP (I {}) (NP (D the) (N {})))"
        if rng.random() < 0.5:
            rest = f"(V {verb}) (NP (D the) (N {noun})) " + phrase.format("with", other)
        else:
            rest = f"(V {verb}) (NP (NP (D the) (N {noun})) " + phrase.format("of", other) + ")"
        trees.append(f"(S (NP (D the) (N {rng.choice(('cat', 'dog', 'man'))})) (VP {rest}))")
    return list(parse_trees("\n".join(trees)))


def test_hidden_states_tell_subjects_from_objects() -> None:
    trees = pronouns(400, 0)
    right, wrong = parse_trees(
        "(S (NP (P he) (A x)) (VP (V sees) (NP (P him) (A y)))) (S (NP (P him) (A x)) (VP (V sees) (NP (P he) (A y))))"
    )
    plain, hidden = LPCFG(method="pcfg").fit(trees), LPCFG(n_states=4).fit(trees)
    assert plain.log_prob(right) == pytest.approx(plain.log_prob(wrong), abs=0.3), "it cannot know"
    assert hidden.log_prob(right) > hidden.log_prob(wrong) + 1
    assert hidden.log_prob(right) > plain.log_prob(right)


def test_hidden_states_tell_where_phrases_belong() -> None:
    trees, dev = attachment(400, 0), attachment(60, 1)
    sentences = [tree.words for tree in dev]
    figures = {}
    for method in ("pcfg", "spectral"):
        parsed = list(LPCFG(n_states=6, method=method).fit(trees).parses(sentences))
        assert all(parse.found for parse in parsed)
        figures[method] = evaluate_parses(dev, [parse.tree for parse in parsed]).overall.exact
    assert figures["pcfg"] < 0.8
    assert figures["spectral"] > 0.95


def test_every_sentence_gets_a_tree() -> None:
    parser = LPCFG(n_states=2).fit(attachment(50, 0))
    [strange] = parser.parses([["of", "of", "the"]])
    assert not strange.found
    assert strange.tree.words == ["of", "of", "the"]
    [unseen] = parser.parses(["the zebra sees the unicorn".split()])
    assert unseen.found
    assert parser.parse(["cat"]).words == ["cat"]
    long = "the cat".split() + "of the cat".split() * 66
    assert parser.parse(long).words == long


def test_traces_and_function_tags_do_not_matter() -> None:
    plain = LPCFG(n_states=2).fit(attachment(50, 0))
    dressed = [
        Tree("", [Tree("S-1", [Tree("NP-SBJ", [Tree("-NONE-", "*")]), *tree.children])])
        for tree in attachment(50, 0)
    ]
    assert LPCFG(n_states=2).fit(dressed).facts_ == plain.facts_


def test_treebanks_of_one_tree_and_of_one_word() -> None:
    [tree] = parse_trees("(S (NP (N cats)) (VP (V sleep)))")
    for method in ("pcfg", "spectral"):
        assert LPCFG(method=method).fit([tree]).parse(["cats", "sleep"]) == tree
    [word] = parse_trees("(S (VP (V go)))")
    parser = LPCFG().fit([tree, word])
    assert parser.parse(["go"]).words == ["go"]
    chain = Tree("N", "a")
    for k in range(50):
        chain = Tree(f"X{k % 2}", [chain])
    assert LPCFG().fit([tree, chain]).parse(["a"]).words == ["a"]


def test_probabilities_of_what_the_grammar_does_not_have() -> None:
    parser = LPCFG(n_states=2).fit(attachment(50, 0))
    for text in ("(Q (N cat))", "(NP (V the) (V cat))", "(-NONE- *)"):
        [tree] = parse_trees(text)
        assert parser.log_prob(tree) == -math.inf
    again = LPCFG(n_states=2).fit(attachment(50, 0))
    [tree] = attachment(1, 9)
    assert again.log_prob(tree) == parser.log_prob(tree)
