"""Probabilities of words, given tags."""

from __future__ import annotations

import numpy as np
import pytest

from firth.grammar import Node, Treebank
from firth.grammar._lexicon import Lexicon
from firth.grammar._words import GrammarWords


def bank_of(pairs: list[tuple[int, int]], n_symbols: int) -> Treebank:
    """A treebank in which tags and words occur in pairs, under symbol 0."""
    return Treebank.of([Node(0, Node(t, word=w), Node(t, word=w)) for t, w in pairs], n_symbols)


def table(lexicon: Lexicon) -> dict[tuple[int, int], float]:
    keys = zip(lexicon.tags.tolist(), lexicon.words.tolist(), strict=True)
    return dict(zip(keys, lexicon.p.tolist(), strict=True))


def test_without_smoothing_words_are_counted() -> None:
    # words 0 and 1; 2, 3 stand for the one group
    bank = bank_of([(1, 0), (1, 0), (2, 0), (2, 1), (1, 2)], 3)
    found = table(Lexicon.count(bank, np.zeros(4, np.int64), 1, smoothing=0.0))
    assert found[1, 0] == pytest.approx(4 / 6)
    assert found[2, 0] == pytest.approx(2 / 4)
    assert found[2, 1] == pytest.approx(2 / 4)
    assert (1, 1) not in found


def test_words_have_the_tags_of_their_group_too() -> None:
    # words 0, 1 are of groups 0, 1; 2, 3 and 4, 5 stand for them; rare words of group 0 are tag 1, of group 1 tag 2
    bank = bank_of([(1, 0)] * 5 + [(1, 1)] * 5 + [(1, 2)] * 20 + [(2, 4)] * 20, 3)
    group_of = np.array([0, 1, 0, 0, 1, 1])
    lexicon = Lexicon.count(bank, group_of, 2, smoothing=1.0)
    found = table(lexicon)
    usual = 0.5  # of all rare words as many have tag 1 as have tag 2
    of_group = (0 + usual) / (40 + 1)  # tag 2 among the rare words of group 0
    assert found[2, 0] == pytest.approx((0 + of_group) / (10 + 1) * 10 / 40, rel=1e-6)
    assert found[2, 1] > 20 * found[2, 0], "the group of word 1 has tag 2"
    unseen = {(t, w) for t, w in found if lexicon.counts[list(found).index((t, w))] == 0}
    assert (2, 1) in unseen
    assert (0, 0) not in found, "a phrase is no tag"


def test_an_unseen_word_can_have_any_usual_tag() -> None:
    sentences = [["the", "cat"]] * 3 + [["the", f"{c}ing"] for c in "bcdfgh"]
    words = GrammarWords.learn(sentences)
    trees = [Node(0, Node(1, word=a), Node(2, word=b)) for a, b in map(words.numbers, sentences)]
    bank = Treebank.of(trees, 3)
    lexicon = Lexicon.count(bank, words.group_of(), words.n_groups)
    assert len(words.group_of()) == len(words)
    unknown = words.numbers(["x", "?!"])[1]
    assert (2, unknown) in table(lexicon)
    assert all(0 < p < 1 for p in lexicon.p)
