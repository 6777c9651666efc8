"""Labelled brackets are counted as EVALB counts them."""

from __future__ import annotations

import random
from importlib import import_module

import pytest

from firth.errors import InputError
from firth.evaluate import bracket_counts, evaluate_parses, f1_difference
from firth.trees import Tree, parse_trees
from tests.trees.samples import TAGS, random_tree


def one(text: str) -> Tree:
    [tree] = parse_trees(text)
    return tree


def test_by_hand() -> None:
    gold = one("(S (NP (D the) (N cat)) (VP (V sat) (PP (P on) (NP (D a) (N mat)))) (. .))")
    flat = one("(S (NP (D the) (N cat)) (VP (V sat) (P on) (NP (D a) (V mat)) (. .)))")
    row = evaluate_parses([gold], [flat]).overall
    # S 0-6, NP 0-2, VP 2-6, NP 4-6 are there and found; PP 3-6 is not
    assert (row.n_gold, row.n_found, row.n_right, row.exact) == (5, 4, 4, 0.0)
    assert (row.precision, row.recall, row.f1) == (1.0, 0.8, 8 / 9)
    assert row.tags == 5 / 6


def test_punctuation_may_stand_anywhere() -> None:
    gold = one("(S (NP (N cats) (, ,)) (VP (V sleep)) (. .))")
    found = one("(TOP (S (NP (N cats)) (VP (, ,) (V sleep) (. .))))")
    assert evaluate_parses([gold], [found]).overall.exact == 1.0
    dots = one("(S (NP (. .)) (VP (V go)))")
    row = evaluate_parses([dots], [dots]).overall
    assert (row.n_gold, row.tags) == (2, 1.0), "a bracket around nothing is none"


def test_labels_that_are_as_good_as_the_same() -> None:
    gold = one("( (S (NP-SBJ-1 (N he)) (VP (V gave) (PRT (R up)))) )")
    found = one("(S (NP (N he)) (VP (V gave) (ADVP (R up))))")
    assert evaluate_parses([gold], [found]).overall.f1 == 1.0


def test_a_label_twice_over_the_same_words_counts_twice() -> None:
    double, single = one("(S (NP (NP (N a))) (V b))"), one("(S (NP (N a)) (V b))")
    row = evaluate_parses([double], [single]).overall
    assert (row.n_gold, row.n_found, row.n_right) == (3, 2, 2)


def test_rows_by_length_add_up() -> None:
    rng = random.Random(1)
    gold, found = [], []
    for length in (1, 5, 10, 11, 20, 25, 40, 40, 41, 60):
        words = [f"w{k}" for k in range(length)]
        gold.append(random_tree(rng, words))
        found.append(random_tree(rng, words))
    result = evaluate_parses(gold, found)
    assert [row.n_sentences for row in result.rows] == [3, 2, 3, 2]
    assert [row.name for row in result.rows] == [
        "1 to 10 words", "11 to 20 words", "21 to 40 words", "more than 40 words",
    ]  # fmt: skip
    for name in ("n_gold", "n_found", "n_right", "n_sentences"):
        assert sum(getattr(row, name) for row in result.rows) == getattr(result.overall, name)
    low, high = result.interval
    assert low <= result.overall.f1 <= high
    assert result.to_dict()["overall"]["f1"] == result.overall.f1
    assert evaluate_parses(gold, found) == result


def test_as_pyevalb_where_nothing_is_deleted() -> None:
    """PYEVALB deletes no punctuation, equates no labels and counts a bracket once: no such trees here."""
    pytest.importorskip("PYEVALB")
    parser, scorer = (import_module(f"PYEVALB.{name}") for name in ("parser", "scorer"))
    rng = random.Random(7)
    for _ in range(60):
        words = [f"w{k}" for k in range(rng.randint(2, 12))]
        tags = [rng.choice(TAGS) for _ in words]
        changed = [rng.choice(TAGS) if rng.random() < 0.2 else tag for tag in tags]
        gold, found = (
            Tree("S", [random_tree(rng, words, tags)]),
            Tree("S", [random_tree(rng, words, changed)]),
        )
        if any(len(set(tree.spans())) < len(tree.spans()) for tree in (gold, found)):
            continue
        theirs = scorer.Scorer().score_trees(
            *(parser.create_from_bracket_string(repr(tree)) for tree in (gold, found))
        )
        ours = evaluate_parses([gold], [found]).overall
        assert ours.n_right == theirs.matched_brackets
        assert (ours.n_gold, ours.n_found) == (theirs.gold_brackets, theirs.test_brackets)
        assert ours.tags == pytest.approx(theirs.tag_accracy)


@pytest.mark.parametrize(
    ("gold", "found", "what"),
    [
        ([], [], "no trees"),
        (["(N a)"], [], "must be equal"),
        (["(N a)"], ["(N b)"], "different words"),
        (["(N a)"], ["(S (N a) (N b))"], "different words"),
        (["(-NONE- *)"], ["(N a)"], "different words"),
    ],
)
def test_what_cannot_be_compared(gold: list[str], found: list[str], what: str) -> None:
    with pytest.raises(InputError, match=what):
        evaluate_parses([one(x) for x in gold], [one(x) for x in found])


def test_two_parsers_are_compared_by_sentences() -> None:
    gold = list(parse_trees("(S (NP (D a) (N b)) (VP (V c)))" * 12))
    flat = list(parse_trees("(S (D a) (N b) (V c))" * 12))
    other = [*gold[:6], *flat[6:]]
    one, two = (bracket_counts(gold, found) for found in (flat, other))
    difference, (low, high) = f1_difference(one, two)
    figures = [evaluate_parses(gold, found).overall.f1 for found in (flat, other)]
    assert difference == pytest.approx(figures[1] - figures[0])
    assert 0 < low < difference < high
    assert f1_difference(one, one) == (0.0, (0.0, 0.0))
    with pytest.raises(InputError, match="same sentences"):
        f1_difference(one, two[:5])
