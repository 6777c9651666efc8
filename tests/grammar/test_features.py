"""Heads, words and features of inside and outside trees, against what one finds by walking through a tree."""

from __future__ import annotations

import string
from collections import Counter
from typing import Any

import numpy as np
import pytest

from firth.grammar import LatentGrammar, Node, Treebank
from firth.grammar._features import inside_features, outside_features
from firth.grammar._heads import find_heads, head_leaves
from firth.grammar._words import GrammarWords


@pytest.fixture(scope="module")
def bank() -> Treebank:
    grammar = LatentGrammar.random(3, 3, 6, 2, 4, 2)
    return Treebank.of(grammar.sample(40, 3), grammar.n_symbols)


def walk(bank: Treebank, node: int) -> list[int]:
    """The tags below a node, as places."""
    if bank.lefts[node] < 0:
        return [node]
    return walk(bank, int(bank.lefts[node])) + walk(bank, int(bank.rights[node]))


def slow_inside(bank: Treebank, heads: Any, v: int) -> list[Any]:
    s, w = bank.symbols, bank.words
    if bank.lefts[v] < 0:
        return [("word", w[v]), ("even", w[v] % 2)]
    a, b = bank.lefts[v], bank.rights[v]
    bounds = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50]
    n = len(walk(bank, v))
    return [
        ("left", s[a]), ("right", s[b]), ("both", s[a], s[b]), ("rule left", bank.rules[v], bank.rules[a]),
        ("rule right", bank.rules[v], bank.rules[b]), ("head", s[heads[v]]), ("head word", w[heads[v]]),
        ("length", sum(n > bound for bound in bounds)), ("first word", w[walk(bank, v)[0]]),
    ]  # fmt: skip


def slow_outside(bank: Treebank, heads: Any, v: int) -> list[Any]:
    s, w, up = bank.symbols, bank.words, bank.parents

    def step(x: int) -> Any:
        if up[x] < 0:
            return None
        return bank.rules[up[x]], "left" if bank.lefts[up[x]] == x else "right"

    chain = [v]
    while up[chain[-1]] >= 0:
        chain.append(int(up[chain[-1]]))
    steps = [step(x) for x in chain] + [None, None]
    tags = walk(bank, chain[-1])
    mine = walk(bank, v)
    before = tags[tags.index(mine[0]) - 1] if mine[0] != tags[0] else None
    after = tags[tags.index(mine[-1]) + 1] if mine[-1] != tags[-1] else None
    other = next((s[heads[x]] for x in chain if heads[x] != heads[v]), None)
    found = [
        ("one", steps[0]),
        ("parent", s[chain[1]] if len(chain) > 1 else None, steps[0] and steps[0][1]),
    ]
    if len(chain) > 1:
        found += [("two", *steps[:2]), ("three", *steps[:3])]
        found += [("grand", s[chain[1]], s[chain[2]] if len(chain) > 2 else None)]
    found += [("head", other)]
    for name, near in (("before", before), ("after", after)):
        found += [(f"tag {name}", None if near is None else s[near])]
        found += [(f"word {name}", None if near is None else w[near])]
    return found


@pytest.mark.parametrize("kind", ["inside", "outside"])
def test_features_are_those_one_finds_by_walking(bank: Treebank, kind: str) -> None:
    family = np.arange(bank.n_symbols)
    heads = head_leaves(bank, find_heads(bank, family))
    if kind == "inside":
        spelling = [bank.words, np.where(bank.words >= 0, bank.words % 2, -1)]
        matrix, slow = inside_features(bank, heads, spelling), slow_inside
    else:
        matrix, slow = outside_features(bank, heads, bank.words), slow_outside
    told = [
        [(int(bank.symbols[v]), *one) for one in slow(bank, heads, v)] for v in range(len(bank))
    ]
    counts = Counter(one for row in told for one in row)
    assert matrix.shape == (len(bank), len(counts))
    totals = Counter(bank.symbols.tolist())
    for v, row in enumerate(told):
        start, end = matrix.indptr[v], matrix.indptr[v + 1]
        values = sorted(matrix.data[start:end])
        expected = sorted((totals[one[0]] / (counts[one] + 5)) ** 0.5 for one in row)
        np.testing.assert_allclose(values, expected)
    # nodes share as many columns as they share features
    product = (matrix != 0).astype(int) @ (matrix != 0).astype(int).T
    for a in range(0, len(bank), 7):
        for b in range(0, len(bank), 11):
            assert product[a, b] == len(set(told[a]) & set(told[b]))


def test_heads_are_where_tags_tell_most() -> None:
    """Phrase 0 has its telling tag on the left, phrase 1 on the right; the other side is the same for both."""
    rng = np.random.default_rng(0)
    trees = []
    for _ in range(200):
        other = Node(int(rng.integers(4, 6)), word=0)
        trees.append(Node(0, Node(2, word=1), other))
        trees.append(Node(1, other, Node(3, word=2)))
    bank = Treebank.of(trees, 6)
    on_left = find_heads(bank, np.arange(6))
    assert on_left[:2].tolist() == [True, False]
    heads = head_leaves(bank, on_left)
    assert {int(bank.symbols[h]) for h in heads[bank.starts]} == {2, 3}
    tags = np.flatnonzero(bank.words >= 0)
    assert (heads[tags] == tags).all()


def test_words_and_groups() -> None:
    sentences = (
        [["the", "cat", "sat"]] * 3
        + [[f"{c}ing"] for c in string.ascii_lowercase[1:23]]
        + [["the", f"X{c}ed"] for c in string.ascii_lowercase[1:23]]
    )
    known = GrammarWords.learn(sentences)
    assert known.words == ["cat", "sat", "the"]
    the, walking, first = *known.numbers(["the", "walking"]), known.numbers(["walking"])[0]
    assert the == 2
    assert first == walking + 1
    assert known.numbers(["a", "Xhed"])[1] != walking
    assert known.groups.keys[(walking - 3) // 2] == " ing"
    assert max(known.numbers(["?", "Zz9", "walking", "Xhed"])) < len(known)
    assert GrammarWords.learn([]).numbers(["a", "b"]) == [1, 0]


def test_rare_words_of_a_class_go_together() -> None:
    sentences = [["the", f"{c}{c}ing"] for c in string.ascii_lowercase]
    classes = {f"{c}{c}ing": "0110" for c in string.ascii_lowercase[:21]} | {
        "newt": "0110",
        "the": "1",
    }
    known = GrammarWords.learn(sentences, classes)
    assert known.groups_of_classes == ["0110"]
    there = known.numbers(["the", "aaing", "newt", "zzing", "ning"])
    assert there[1] == there[2] == len(known.words) + 2 * len(known.groups)
    assert there[3] == there[4] != there[1], "words without a class go by their spelling"
    assert known.by_group()[(there[1] - len(known.words)) // 2] == [
        f"{c}{c}ing" for c in string.ascii_lowercase[:21]
    ]
    assert len(known.group_of()) == len(known)
