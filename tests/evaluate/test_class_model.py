"""The class bigram model, against literal loops."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import firth
from firth.classes import Hierarchy, mutual_information
from firth.corpus import Vocabulary
from firth.errors import FirthError, InputError, ParameterError
from firth.evaluate import _class_model as class_model
from firth.evaluate import curve, perplexity
from tests.oracles import classes as oracle

pytestmark = pytest.mark.slow

Sentences = list[list[str]]
SENTENCES = st.lists(
    st.lists(st.sampled_from("aaaabbbccdefgh"), min_size=1, max_size=6), min_size=1, max_size=8
)
TRAINING = [list(line) for line in ("abab", "bac", "cabd", "ad", "eabc", "fda", "b", "acbd")]


def learned(
    sentences: Sentences, n_classes: int, min_count: int, across: bool = False
) -> Hierarchy:
    """Classes of a text, where it allows as many."""
    corpus = firth.Corpus.from_sentences(sentences)
    try:
        brown = firth.BrownClasses(n_classes, min_count, across_lines=across, threads=1)
        return brown.fit(corpus).hierarchy_
    except FirthError:
        assume(False)
        raise


class Numbered:
    """A text as the oracle wants it: words by number, the rare symbol last, classes and counts."""

    def __init__(self, classes: Hierarchy, training: Sentences) -> None:
        self.words = {word: i for i, word in enumerate(classes.words)}
        self.class_of = classes.class_of.tolist()
        self.has_rare = classes.rare is not None
        if classes.rare is not None:
            self.class_of.append(classes.rare)
        self.across = classes.made["across_lines"]
        n = len(self.class_of)
        self.counts, self.bigrams = np.zeros(n, np.int64), np.zeros((n, n), np.int64)
        self.sentences = self.pieces(training)
        for sentence in self.sentences:
            for i, w in enumerate(sentence):
                self.counts[w] += 1
                if i:
                    self.bigrams[sentence[i - 1], w] += 1

    def pieces(self, sentences: Sentences) -> list[list[int]]:
        """Sentences, broken where a word is left out."""
        if self.across:
            sentences = [[word for sentence in sentences for word in sentence]]
        found: list[list[int]] = []
        for sentence in sentences:
            found.append([])
            for word in sentence:
                if word in self.words:
                    found[-1].append(self.words[word])
                elif self.has_rare:
                    found[-1].append(len(self.words))
                else:
                    found.append([])
        return [piece for piece in found if piece]

    def discount(self) -> float:
        table: dict[tuple[int, int], int] = {}
        for x, c in enumerate(self.class_of):
            for y, d in enumerate(self.class_of):
                table[c, d] = table.get((c, d), 0) + int(self.bigrams[x, y])
        n1, n2 = (sum(1 for count in table.values() if count == n) for n in (1, 2))
        return min(max(n1 / (n1 + 2 * n2), 0.1), 0.9) if n1 + n2 else 0.5


@settings(max_examples=60)
@given(SENTENCES, SENTENCES, st.integers(2, 4), st.integers(1, 3), st.booleans())
@example(TRAINING, TRAINING, 3, 2, False)
@example(TRAINING, [list("xaxxb"), ["x"]], 3, 1, False)
@example(TRAINING, [list("xaxxb"), ["x"]], 3, 1, True)
def test_perplexity_is_that_of_literal_loops(
    training: Sentences, test: Sentences, n_classes: int, min_count: int, across: bool
) -> None:
    classes = learned(training, n_classes, min_count, across)
    numbers = Numbered(classes, training)
    pieces = numbers.pieces(test)
    assume(pieces)
    found = perplexity(classes, firth.Corpus.from_sentences(test))
    log_prob, n_tokens = oracle.class_bigram_log_prob(
        numbers.bigrams, numbers.counts, numbers.class_of, pieces, numbers.discount()
    )
    assert found.log_prob == pytest.approx(log_prob)
    assert found.perplexity == pytest.approx(math.exp(-log_prob / n_tokens))
    unknown = sum(word not in numbers.words for sentence in test for word in sentence)
    expected = (unknown, 0) if numbers.has_rare else (0, unknown)
    assert (found.n_tokens, found.n_rare, found.n_skipped) == (n_tokens, *expected)


def test_probabilities_of_all_next_words_sum_to_one() -> None:
    classes = learned(TRAINING, 3, 2)
    nexts = [*classes.words, "something rare"]
    for before in nexts:
        total = 0.0
        alone = perplexity(classes, firth.Corpus.from_sentences([[before]])).log_prob
        for word in nexts:
            both = perplexity(classes, firth.Corpus.from_sentences([[before, word]])).log_prob
            total += math.exp(both - alone)
        assert total == pytest.approx(1)


def test_long_texts_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = firth.Corpus.from_sentences([*TRAINING, list("xab")])
    for across in (False, True):
        classes = learned(TRAINING, 3, 1, across)
        expected = perplexity(classes, corpus)
        for at_once in (1, 2, 3, 5):
            with monkeypatch.context() as patch:
                patch.setattr(class_model, "_AT_ONCE", at_once)
                assert perplexity(classes, corpus) == expected


@settings(max_examples=30)
@given(SENTENCES, SENTENCES, st.integers(2, 6), st.integers(1, 2))
def test_a_curve_is_the_perplexity_of_cut_trees(
    training: Sentences, test: Sentences, n_classes: int, min_count: int
) -> None:
    classes = learned(training, n_classes, min_count)
    corpus = firth.Corpus.from_sentences(test)
    assume(Numbered(classes, training).pieces(test))
    found = curve(classes, corpus, range(1, n_classes + 1))
    assert found.kind == "held-out"
    assert [row.k for row in found.rows] == list(range(1, n_classes + 1))
    assert found.rows[-1].perplexity == perplexity(classes, corpus).perplexity
    for row in found.rows:
        cut = classes.cut(row.k)
        assert row.perplexity == pytest.approx(perplexity(cut, corpus).perplexity)
        assert cut.follow is not None
        bits = mutual_information(cut.follow, cut.tokens) / math.log(2)
        assert row.mutual_information == pytest.approx(bits)


def left_out_log_prob(numbers: Numbered) -> tuple[float, int]:
    """Every token predicted from counts made without it, one by one."""
    discount, log_prob, n_tokens = numbers.discount(), 0.0, 0
    for sentence in numbers.sentences:
        for i, w in enumerate(sentence):
            bigrams, counts = numbers.bigrams.copy(), numbers.counts.copy()
            counts[w] -= 1
            c, total = numbers.class_of[w], counts.sum()
            if i:
                bigrams[sentence[i - 1], w] -= 1
            in_class = sum(int(counts[x]) for x, d in enumerate(numbers.class_of) if d == c)
            if in_class == 0:  # as frequent as with the token
                in_class = 1
                before = numbers.class_of[sentence[i - 1]] if i else -1
                follows = [
                    sum(int(bigrams[x, y]) for x, d in enumerate(numbers.class_of) if d == before
                        for y, e in enumerate(numbers.class_of) if e == to)
                    for to in sorted(set(numbers.class_of))
                ]  # fmt: skip
                kinds = sum(count > 0 for count in follows)
                p_class = discount * kinds / sum(follows) / total if sum(follows) else 1 / total
            elif i:
                before = numbers.class_of[sentence[i - 1]]
                p_class = oracle.next_class_prob(
                    bigrams, counts, numbers.class_of, before, c, discount
                )
            else:
                p_class = oracle.class_prob(counts, numbers.class_of, c)
            log_prob += math.log(p_class * max(int(counts[w]), 1) / in_class)
            n_tokens += 1
    return log_prob, n_tokens


@settings(max_examples=40)
@given(SENTENCES, st.integers(2, 5), st.integers(1, 3), st.booleans())
@example(TRAINING, 4, 1, False)
@example(TRAINING, 4, 2, True)
@example([["a", "b"], ["c", "d"]], 4, 1, False)
def test_leave_one_out_is_that_of_literal_loops(
    training: Sentences, n_classes: int, min_count: int, across: bool
) -> None:
    classes = learned(training, n_classes, min_count, across)
    found = curve(classes, sizes=range(1, n_classes + 1))
    assert found.kind == "leave-one-out"
    for row in found.rows:
        log_prob, n_tokens = left_out_log_prob(Numbered(classes.cut(row.k), training))
        assert row.perplexity == pytest.approx(math.exp(-log_prob / n_tokens))


def made_classes(n_classes: int, follow: Any, words_per_class: int = 1, **others: Any) -> Hierarchy:
    """Classes with given counts of pairs."""
    bits = max(1, (n_classes - 1).bit_length())
    words = [f"w{i}" for i in range(n_classes * words_per_class)]
    paths = [f"{i % n_classes:0{bits}b}" for i in range(len(words))]
    plain = Hierarchy.from_paths(words, paths)
    tokens = np.asarray(follow).sum(axis=0)
    counts = np.tile(tokens // words_per_class, words_per_class)
    vocabulary = Vocabulary(pa.array(words, pa.large_string()), counts)
    return Hierarchy(
        vocabulary, plain.class_of, plain.tree, tokens, np.asarray(follow), **others
    )  # fmt: skip


@pytest.mark.parametrize(
    ("n_classes", "expected"),
    [
        (1, [1]),
        (2, [2]),
        (3, [2, 3]),
        (7, [2, 3, 4, 6, 7]),
        (48, [2, 3, 4, 6, 8, 12, 16, 24, 32, 48]),
        (50, [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 50]),
    ],
)
def test_sizes_by_default(n_classes: int, expected: list[int]) -> None:
    found = curve(made_classes(n_classes, np.full((n_classes, n_classes), 5)))
    assert [row.k for row in found.rows] == expected


def test_the_suggestion_is_the_smallest_that_is_nearly_best() -> None:
    row = class_model.CurveRow
    rows = (row(2, 0.1, 120.0), row(4, 0.2, 100.9), row(8, 0.3, 100.0), row(16, 0.3, 105.0))
    found = class_model.Curve("held-out", rows)
    assert found.suggestion == 4
    assert json.loads(json.dumps(found.to_dict())) == {
        "kind": "held-out",
        "suggestion": 4,
        "rows": [{"k": k, "mutual_information": m, "perplexity": p} for k, m, p in rows],
    }


def test_classes_that_follow_each_other_in_a_ring_are_all_needed() -> None:
    follow = np.roll(np.eye(8, dtype=np.int64) * 300, 1, axis=1)
    found = curve(made_classes(8, follow, words_per_class=3))
    assert found.suggestion == 8
    assert found.rows[-1].mutual_information == pytest.approx(3)
    assert found.rows[-1].perplexity == pytest.approx(3, rel=0.05)
    assert curve(made_classes(8, np.full((8, 8), 100))).suggestion == 2  # here none is


def test_figures_go_into_json() -> None:
    found = perplexity(learned(TRAINING, 3, 2), firth.Corpus.from_sentences(TRAINING))
    figures = json.loads(json.dumps(found.to_dict()))
    assert list(figures) == ["perplexity", "log_prob", "n_tokens", "n_rare", "n_skipped"]


def test_a_rare_symbol_without_tokens_is_none() -> None:
    classes = made_classes(3, np.full((3, 3), 4), rare=1)
    found = perplexity(classes, firth.Corpus.from_sentences([["w0", "new", "w1"]]))
    assert (found.n_tokens, found.n_rare, found.n_skipped) == (2, 0, 1)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([0, 3, 4, 5], 0.5),
        ([1, 1, 1, 3], 0.9),
        ([2, 2, 9, 9], 0.1),
        ([1, 1, 2, 9], 0.5),
        ([1, 2, 2, 9], 0.2),
    ],
)
def test_the_discount(cells: list[int], expected: float) -> None:
    assert class_model._discount(np.array(cells).reshape(2, 2)) == pytest.approx(expected)


def test_many_classes_take_seconds() -> None:
    chance = np.random.default_rng(0)
    follow = chance.poisson(1, (1000, 1000))
    classes = made_classes(1000, follow)
    corpus = firth.Corpus.from_sentences([[f"w{i}" for i in chance.integers(0, 1000, 50_000)]])
    started = time.perf_counter()
    for found in (curve(classes), curve(classes, corpus)):
        assert len(found.rows) == 19
        assert found.rows[-1].k == 1000
    assert time.perf_counter() - started < 20


def test_what_cannot_be_predicted() -> None:
    corpus = firth.Corpus.from_sentences(TRAINING)
    elsewhere = Hierarchy.from_paths(["a", "b"], ["0", "1"], [3, 2])
    for ask in (lambda: perplexity(elsewhere, corpus), lambda: curve(elsewhere)):
        with pytest.raises(InputError, match="were imported.*Learn classes"):
            ask()
    with pytest.raises(InputError, match="No word of the text has a class"):
        perplexity(learned(TRAINING, 3, 1), firth.Corpus.from_sentences([["x", "y"]]))
    wrong: Any = TRAINING
    with pytest.raises(ParameterError, match="'corpus' parameter .* must be a Corpus. Got 'list'"):
        perplexity(learned(TRAINING, 3, 1), wrong)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], "at least one number of classes"),
        ([0, 2], "an int of at least 1. Got 0"),
        ([2.5], "an int of at least 1. Got 2.5"),
        ([2, 4], "at most 3, the number of classes. Got 4"),
    ],
)
def test_sizes_that_cannot_be(sizes: Iterable[int], message: str) -> None:
    with pytest.raises(ParameterError, match=f"'sizes' parameter of curve must be {message}"):
        curve(learned(TRAINING, 3, 1), sizes=sizes)
