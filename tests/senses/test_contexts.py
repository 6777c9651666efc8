"""The contexts of a word, against walking through the sentences."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.corpus import Index, build_index
from firth.senses import Contexts, ContextWord
from firth.store import Part
from tests.oracles import senses as slow

SENTENCES = st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=8), min_size=1, max_size=8)  # fmt: skip


def bags(contexts: Contexts) -> list[slow.Bag]:
    rows = (contexts.row(i) for i in range(len(contexts)))
    return [Counter({(w.word, w.side): n for w, n in row}) for row in rows]


@settings(max_examples=40)
@given(
    SENTENCES, st.sampled_from([1, 2, 3, 7, None]), st.booleans(), st.integers(1, 3), st.booleans()
)
def test_contexts_are_those_of_the_sentences(
    sentences: list[list[str]], window: int | None, beside: bool, least: int, two: bool
) -> None:
    sentences = [*sentences, ["a", "b", "c", "b"]]
    corpus = firth.Corpus.from_sentences(sentences)
    words = ["a", "b"] if two else ["a"]
    found = Contexts.of(corpus, words, window, beside=beside, min_contexts=least)
    wanted = slow.without_rare(slow.contexts(sentences, words, window, beside), least)
    assert bags(found) == wanted
    assert found.places is not None
    flat = [word for sentence in sentences for word in sentence]
    assert found.places.tolist() == [i for i, word in enumerate(flat) if word in words]
    assert found.n_tokens == sum(bag.total() for bag in wanted)
    assert found.n_occurrences == len(found) == len(wanted)


def test_the_index_gives_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    sentences = [[f"w{x}" for x in rng.zipf(1.5, 9) if x < 60] + ["a"] for _ in range(200)]
    corpus = firth.Corpus.from_sentences(sentences)
    build_index(corpus, tmp_path)
    index = Index(Part.in_folder(tmp_path), corpus)
    for words in (["w1"], ["w2", "w1", "a"]):
        plain, quick = (Contexts.of(corpus, words, index=i) for i in (None, index))
        assert plain.words == quick.words
        for name in ("starts", "columns", "counts", "places"):
            assert np.array_equal(getattr(plain, name), getattr(quick, name)), name


def test_frequent_words_can_be_left_out_and_occurrences_chosen() -> None:
    lines = ["the bank of the river", "the bank of the town"] * 10
    corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    found = Contexts.of(corpus, "bank", beside=False, max_share=0.3)
    assert {w.word for w in found.words} == {"of", "river", "town"}, "the is 4 of 10 tokens"
    found = Contexts.of(corpus, "bank", most=5)
    assert (len(found), found.n_occurrences) == (5, 20)
    assert found.places is not None
    assert (found.places[0], found.places[-1]) == (1, 96)


def test_bags_and_other_columns() -> None:
    found = Contexts.of_bags([["b", "a", "b"], [], ["c"]])
    assert bags(found) == [Counter({("b", ""): 2, ("a", ""): 1}), Counter(), Counter({("c", ""): 1})]  # fmt: skip
    other = found.fitted_to([ContextWord("c"), ContextWord("b"), ContextWord("z", "after")])
    assert bags(other) == [Counter({("b", ""): 2}), Counter(), Counter({("c", ""): 1})]
    assert other.fitted_to(other.words) is other
    assert found.totals().tolist() == [2, 1, 1]
    some = Contexts.of_bags([[str(i)] for i in range(10)]).spread(4)
    assert [row[0][0].word for row in (some.row(i) for i in range(4))] == ["0", "3", "6", "9"]
    assert found.spread(3) is found
    assert Contexts.of_bags([["a", "b"], ["a"]], min_contexts=2).words == [ContextWord("a")]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"window": 0}, "'window'.*at least 1"), ({"window": 1001}, "'window'.*at most 1000"),
        ({"window": 2.0}, "'window'"), ({"min_contexts": 0}, "'min_contexts'"),
        ({"max_share": 0}, "'max_share'.*above 0"), ({"max_share": 1.5}, "'max_share'"), ({"most": 0}, "'most'"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_told(how: dict[str, Any], said: str) -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"]])
    with pytest.raises(firth.ParameterError, match=said):
        Contexts.of(corpus, "a", **how)


def test_words_that_are_not_there_and_contexts_that_are_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = firth.Corpus.from_sentences([["Bank", "b", "b"]])
    with pytest.raises(firth.WordError, match="There is 'Bank'"):
        Contexts.of(corpus, "bank")
    for bags in ("bank", ["bank", "b"]):
        with pytest.raises(firth.ParameterError, match="lists of words"):
            Contexts.of_bags(bags)
    monkeypatch.setattr("firth.senses._contexts._MOST_TOKENS", 2)
    with pytest.raises(firth.InputError, match="have 3 tokens; at most 2 are possible"):
        Contexts.of(corpus, "Bank")
