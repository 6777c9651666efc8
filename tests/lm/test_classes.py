"""Class models, interpolation, and files in the ARPA format."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest

from firth.errors import InputError
from firth.lm import (
    ClassModel,
    NgramCounts,
    NgramModel,
    buckets_of,
    learn_weights,
    mixed,
)
from firth.lm._arpa import read_arpa, write_arpa
from tests.lm.test_ngrams import flat, sentences


def padded(some: list[list[int]], n_words: int) -> Any:
    return NgramCounts(n_words, [], []).padded(*flat(some))


@pytest.mark.parametrize("order", [2, 3])
def test_a_word_by_its_class(order: int) -> None:
    some, n_words = sentences(200, 6, 1), 6
    class_of = np.array([0, 1, 0, 2, 1, 2])
    model = ClassModel.learn(*flat(some), class_of, order)
    words = [w for one in some for w in one]
    text = padded(some[:20], n_words)
    whole = np.array([*class_of, 3, 4, 5])
    of_classes = NgramModel.learn(
        *flat([[int(whole[min(w, 6)]) for w in one] for one in some]), 3, order
    )
    expected = of_classes.look_up(whole[text]).log_p
    for i, word in enumerate(text):
        if word < n_words:
            in_class = sum(w < n_words and class_of[w] == class_of[word] for w in words)
            expected[i] += math.log(words.count(word) / in_class)
    np.testing.assert_allclose(model.log_probs(text), expected)


def test_probabilities_of_all_words_add_up_to_one() -> None:
    some, n_words = sentences(200, 6, 1), 6
    model = ClassModel.learn(*flat(some), np.array([0, 1, 0, 2, 1, 2]))
    others = [w for w in range(n_words + 3) if w != n_words + 1]
    p = [math.exp(model.log_probs(np.array([n_words + 1, 2, 0, w]))[-1]) for w in others]
    assert sum(p) == pytest.approx(1)


def test_one_class_for_each_word_is_the_model_of_words() -> None:
    some, n_words = sentences(100, 6, 2), 6
    text = padded(some[:30], n_words)
    words = NgramModel.learn(*flat(some), n_words).look_up(text).log_p
    np.testing.assert_allclose(ClassModel.learn(*flat(some), np.arange(6)).log_probs(text), words)


def test_weights_make_held_out_text_most_probable() -> None:
    rng = np.random.default_rng(0)
    log_p = np.log(rng.uniform(0.01, 1, (2, 4000)))
    buckets = rng.integers(0, 2, 4000)
    log_p[0, buckets == 1] -= 3  # the first model is bad there
    weights = learn_weights(log_p, buckets, 3)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights[1, 0] < 0.05
    np.testing.assert_allclose(weights[2], 0.5)
    best = mixed(log_p, buckets, weights).sum()
    for other in (0.2, 0.4, 0.6, 0.8):
        tried = np.tile([other, 1 - other], (3, 1))
        assert mixed(log_p, buckets, tried).sum() < best
    np.testing.assert_allclose(
        mixed(log_p, buckets, weights),
        np.log((weights[buckets].T * np.exp(log_p)).sum(axis=0)),
    )
    with pytest.raises(InputError, match="held-out"):
        learn_weights(log_p[:, :0], buckets[:0], 3)


def test_buckets() -> None:
    assert buckets_of(np.array([0, 1, 7, 8]), 9).tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_models_come_back_from_files(order: int) -> None:
    some, n_words = sentences(100, 6, 3), 6
    model = NgramModel.learn(*flat(some), n_words, order)
    file = io.StringIO()
    words = [f"w{9 - k}" for k in range(n_words)]
    write_arpa(model, words, file)
    again, names = read_arpa(file.getvalue().splitlines(True))
    assert names == words
    text = padded(some[:30], n_words)
    np.testing.assert_allclose(
        again.look_up(text).log_p, model.look_up(text).log_p, rtol=1e-5, atol=1e-9
    )
    assert again.order == order


def test_files_that_are_wrong() -> None:
    model = NgramModel.learn(*flat([[0, 1], [1, 0]]), 2)
    file = io.StringIO()
    write_arpa(model, ["a", "b"], file)
    good = file.getvalue()
    for old, new in (
        ("\\\\data\\\\".replace("\\\\", "\\"), "data"), ("ngram 2=", "ngram 2=x"), ("ngram 1=5", "ngram 1=6"),
        ("\\2-grams:", "\\4-grams:"), ("\\end\\", ""), ("\ta\t", "\tb\t"), ("\t<unk>", "\tz"), ("-99", "0.5"),
        ("-99", "nan"), ("-99", "x"),
    ):  # fmt: skip
        assert old in good
        with pytest.raises(InputError):
            read_arpa(good.replace(old, new, 1).splitlines(True), "a.arpa")
    for words in (["a", "b c"], ["a", "<s>"], ["a", ""], ["a"]):
        with pytest.raises(InputError):
            write_arpa(model, words, io.StringIO())
