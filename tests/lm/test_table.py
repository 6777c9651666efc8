"""A hash table of n-grams scores sentences as the tree does."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.errors import ParameterError
from firth.lm import InterpolatedModel, LanguageModel, Sentences
from firth.lm._scoring import sentence_scores

words = st.sampled_from(["a", "b", "c", "d", "new", "<s>", "</s>", "<unk>"])
texts = st.lists(st.lists(words, max_size=8), min_size=1, max_size=12)


def compare(model: InterpolatedModel, asked: list[list[str]]) -> None:
    found = model.scores(asked)
    slow = sentence_scores(model.mixture_, Sentences(*model.words_.numbered(asked)))
    assert model.mixture_.table is not None
    np.testing.assert_allclose(found.log_prob, slow.log_prob, rtol=1e-12)
    np.testing.assert_allclose(found.log_prob_unknown, slow.log_prob_unknown, rtol=1e-12)
    assert found.n_unknown.tolist() == slow.n_unknown.tolist()
    assert found.n_words.tolist() == slow.n_words.tolist()
    assert [model.log_prob(one) for one in asked] == found.log_prob.tolist()


@settings(max_examples=60, deadline=None)
@given(texts, texts, st.integers(1, 6), st.integers(1, 2))
def test_scores_are_those_of_the_tree(
    text: list[list[str]], asked: list[list[str]], order: int, least: int
) -> None:
    corpus = firth.Corpus.from_sentences([*text, ["a", "b"], ["a", "b"]])
    model = LanguageModel(order, min_count=least).fit(corpus, held_out=0, threads=1)
    compare(model, asked)
    file = io.StringIO()
    model.write_arpa(file)
    compare(InterpolatedModel.from_arpa(file.getvalue().splitlines(True)), asked)


def test_very_long_sentences_do_not_underflow() -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"], ["b", "c"], ["c", "a"]])
    model = LanguageModel(3, min_count=1).fit(corpus, held_out=0, threads=1)
    compare(model, [["a", "new", "c"] * 5000, []])
    assert -1e6 < model.log_prob(["a", "new", "c"] * 5000) < -1e4


def test_a_string_is_not_a_sentence() -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"], ["b", "c"]])
    model = LanguageModel(2, min_count=1).fit(corpus, held_out=0, threads=1)
    with pytest.raises(ParameterError, match="not one string"):
        model.log_prob("a b")


def test_another_fit_makes_another_table() -> None:
    model = LanguageModel(2, min_count=1)
    model.fit(firth.Corpus.from_sentences([["a", "b"]] * 3), held_out=0, threads=1)
    before = model.log_prob(["a", "b"])
    model.fit(firth.Corpus.from_sentences([["b", "a"]] * 3), held_out=0, threads=1)
    assert model.log_prob(["b", "a"]) == pytest.approx(before)
    compare(model, [["b", "a"], ["a", "b"]])


def test_large_models_are_scored_by_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"], ["b", "c"]])
    model = LanguageModel(2, min_count=1).fit(corpus, held_out=0, threads=1)
    wanted = model.log_prob(["a", "b", "new"])
    monkeypatch.setattr("firth.lm._table._LARGEST", 1)
    again = LanguageModel(2, min_count=1).fit(corpus, held_out=0, threads=1)
    assert again.log_prob(["a", "b", "new"]) == pytest.approx(wanted, rel=1e-12)
    assert again.mixture_.table is None
