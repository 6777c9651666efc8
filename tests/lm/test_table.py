"""A hash table of n-grams scores sentences as the tree does."""

from __future__ import annotations

import copy
import io
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.corpus import tokenise
from firth.errors import ParameterError
from firth.lm import InterpolatedModel, LanguageModel, Sentences
from firth.lm._scoring import sentence_scores
from tests.oracles.language_models import slow_values

words = st.sampled_from(
    ["a", "b", "c", "d", "new", "<s>", "</s>", "<unk>", "é", "A-long-word-of-20-bytes"]
)
texts = st.lists(st.lists(words, max_size=8), min_size=1, max_size=12)


def compare(model: InterpolatedModel, asked: list[list[str]]) -> None:
    """With the tree; the probability of each word must be the same number."""
    found, table = model.scores(asked), model._table
    slow = sentence_scores(model.mixture_, Sentences(*model.words_.numbered(asked)))
    assert table is not None
    np.testing.assert_allclose(found.log_prob, slow.log_prob, rtol=1e-12)
    np.testing.assert_allclose(found.log_prob_unknown, slow.log_prob_unknown, rtol=1e-12)
    assert found.n_unknown.tolist() == slow.n_unknown.tolist()
    assert found.n_words.tolist() == slow.n_words.tolist()
    assert [model.log_prob(one) for one in asked] == found.log_prob.tolist()
    assert [table.slowly(one)[0] for one in asked] == found.log_prob.tolist()
    for one in asked[:5]:
        if len(one) < 50:
            symbols, _ = model.words_.numbered([one])
            n_symbols = len(model.words_) + 3
            values = slow_values(
                model.mixture_.trees[0][0], symbols.tolist(), n_symbols, model.order
            )
            assert table.probabilities(symbols).tolist() == values


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


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab\n \t\x1c\x00éÉ\u2028X" + chr(0xD800), max_size=4), max_size=150))
def test_any_words_are_scored_as_their_numbers(asked: list[str]) -> None:
    model = small_model()
    assert model.log_prob(asked) == model.scores([["a"], asked, []]).log_prob[1]
    symbols, _ = model.words_.numbered([asked])
    one = model.log_prob([*map(model.words_.names.__getitem__, symbols.tolist())])
    assert model.log_prob(asked) == one


@cache
def small_model() -> LanguageModel:
    corpus = firth.Corpus.from_sentences(
        [["a", "b"], ["b", "é"], ["é", "a\nb"], ["b", "\x00", "a b"]] * 2
    )
    return LanguageModel(3, min_count=1).fit(corpus, held_out=0, threads=1)


@settings(max_examples=60, deadline=None)
@given(st.text("ab\n \t\x0b\x1c\x00éÉ\u2028\u0301X", max_size=200), st.booleans())
def test_text_is_split_as_the_training_text(text: str, lowercase: bool) -> None:
    model = model_of_text(lowercase)
    split = [word for one in tokenise(text, "whitespace", "none") for word in one]
    assert model.log_prob(text) == model.log_prob(split)
    assert model.scores([text, "a"]).log_prob[0] == model.log_prob(split)
    assert [one.word for one in model.word_scores(text)[:-1]] == split


@cache
def model_of_text(lowercase: bool) -> LanguageModel:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text("a b ab é\nb a X\nA-very-long-word-for-a-key a\n" * 2, encoding="utf-8")
        corpus = firth.Corpus.from_files(path, tokens="whitespace", lowercase=lowercase, threads=1)
        return LanguageModel(3, min_count=1).fit(corpus, held_out=0, threads=1)


def test_words_are_folded() -> None:
    model = model_of_text(True)
    assert model.log_prob(["X", "É", "A-VERY-long-word-for-a-key"]) == model.log_prob(
        ["x", "é", "a-very-long-word-for-a-key"]
    )
    assert model.log_prob("e\u0301 x") == model.log_prob("é x")


def test_text_is_tokenised_like_that_of_the_model() -> None:
    corpus = firth.Corpus.of(["It rains, and it rains."])
    model = LanguageModel(2, min_count=1).fit(corpus, held_out=0, threads=1)
    assert model.log_prob("It rains.") == model.log_prob(["It", "rains", "."])


def test_what_is_no_sentence() -> None:
    model = small_model()
    with pytest.raises(ParameterError, match="must be a string"):
        model.log_prob(["a", 3])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="must be a string"):
        model.scores([["a"], [b"a"]])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="must be a list"):
        model.scores("a b")
    with pytest.raises(TypeError):
        model.log_prob(word for word in ["a", "b"])  # type: ignore[arg-type]


def test_a_model_can_be_copied() -> None:
    model = small_model()
    wanted = model.log_prob(["a", "b"])
    assert copy.deepcopy(model).log_prob(["a", "b"]) == wanted


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
    monkeypatch.setattr("firth.lm._interpolated.LARGEST", 1)
    again = LanguageModel(2, min_count=1).fit(corpus, held_out=0, threads=1)
    assert again.log_prob(["a", "b", "new"]) == pytest.approx(wanted, rel=1e-12)
    assert again._table is None
