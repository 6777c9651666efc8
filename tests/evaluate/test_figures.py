"""Similarity and analogy, against literal loops and SciPy."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.evaluate import Analogies, WordPairs, evaluate_analogies, evaluate_similarity
from firth.evaluate._bootstrap import bootstrap
from tests.oracles import embedding as oracle


def random_vectors(n: int, dim: int = 5, seed: int = 0) -> firth.WordVectors:
    matrix = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)
    return firth.WordVectors.from_arrays([f"w{i}" for i in range(n)], matrix)


@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 12), st.sampled_from([1.0, 2.5, 4.0, 7.0])),
        max_size=20,
    )
)
def test_correlations_are_those_of_literal_loops(rows: list[tuple[int, int, float]]) -> None:
    vectors = random_vectors(10)  # w10 to w12 have no vector
    pairs = WordPairs("some", [(f"w{a}", f"w{b}") for a, b, _ in rows], [s for *_, s in rows])
    found = evaluate_similarity(vectors, pairs)
    known = [(a, b, s) for a, b, s in rows if a < 10 and b < 10]
    cosines = [
        float(vectors.unit[a].astype(float) @ vectors.unit[b].astype(float)) for a, b, _ in known
    ]
    cosines = [round(c, 6) for c in cosines]
    human = [s for *_, s in known]
    assert (found.n_pairs, found.n_scored) == (len(rows), len(known))
    assert set(found.missing) == {f"w{i}" for row in rows for i in row[:2] if i >= 10}
    if len(set(cosines)) < 2:
        return  # all the same but for rounding
    assert found.pearson == pytest.approx(oracle.pearson(cosines, human), abs=1e-4, nan_ok=True)
    if len({(min(a, b), max(a, b)) for a, b, _ in known}) == len(known) and all(
        a != b for a, b, _ in known
    ):
        assert found.spearman == pytest.approx(
            oracle.spearman(cosines, human), abs=1e-4, nan_ok=True
        )


def test_spearman_is_scipys() -> None:
    vectors = random_vectors(60)
    chance = np.random.default_rng(1)
    rows = chance.integers(0, 60, (200, 2))
    scores = np.round(chance.random(200) * 5)
    pairs = WordPairs("some", [(f"w{a}", f"w{b}") for a, b in rows], scores.tolist())
    found = evaluate_similarity(vectors, pairs)
    cosines = (vectors.unit[rows[:, 0]] * vectors.unit[rows[:, 1]]).sum(axis=1, dtype=np.float64)
    assert found.spearman == pytest.approx(scipy.stats.spearmanr(cosines, scores).statistic)
    if len(set(cosines)) < 2:
        return  # all the same but for rounding
    assert found.pearson == pytest.approx(scipy.stats.pearsonr(cosines, scores).statistic)
    low, high = found.interval
    assert low < found.spearman < high
    assert 0.1 < high - low < 0.5
    expected = scipy.stats.bootstrap(
        (cosines, scores), lambda x, y: scipy.stats.spearmanr(x, y).statistic, paired=True, vectorized=False,
        n_resamples=500, method="percentile", rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    assert (low, high) == pytest.approx(expected, abs=0.05)


def test_words_are_looked_up_as_written_then_in_lower_case() -> None:
    vectors = firth.WordVectors.from_arrays(["Paris", "paris", "rome"], [[1, 0], [0, 1], [1, 1]])
    pairs = WordPairs(
        "case", [("Paris", "rome"), ("PARIS", "rome"), ("Bonn", "rome")], [1.0, 2.0, 3.0]
    )
    found = evaluate_similarity(vectors, pairs)
    assert found.n_scored == 2
    assert found.missing == ("Bonn",)


def test_nothing_to_correlate_is_not_a_number() -> None:
    for pairs, scores in (
        ([], []),
        ([("w0", "w1")], [1.0]),
        ([("w0", "w1"), ("w2", "w3")], [1.0, 1.0]),
    ):
        found = evaluate_similarity(random_vectors(4), WordPairs("few", pairs, scores))
        assert math.isnan(found.spearman)
        assert math.isnan(found.pearson)


@pytest.mark.parametrize("method", ["mul", "add"])
def test_analogies_by_category(method: str) -> None:
    vectors = random_vectors(40, 3)
    chance = np.random.default_rng(2)
    questions, categories, right = [], [], {"one": 0, "two": 0}
    for k in range(60):
        a, b, c = map(int, chance.choice(40, 3, replace=False))
        answer = oracle.analogy(vectors.matrix.tolist(), a, b, c, method)[0][0]
        d = answer if k % 3 == 0 else int(chance.integers(40))
        category = "one" if k < 25 else "two"
        right[category] += d == answer
        questions.append((f"w{a}", f"W{b}", f"w{c}", f"w{d}"))
        categories.append(category)
    questions.append(("w1", "w2", "w3", "nowhere"))
    categories.append("three")
    found = evaluate_analogies(vectors, Analogies("some", questions, categories), method)
    assert (found.n_questions, found.n_answered, found.n_right) == (61, 60, sum(right.values()))
    assert [(c.name, c.n_questions, c.n_answered, c.n_right) for c in found.categories] == [
        ("one", 25, 25, right["one"]), ("two", 35, 35, right["two"]), ("three", 1, 0, 0),
    ]  # fmt: skip
    assert found.accuracy == sum(right.values()) / 60
    assert found.accuracy_over_all == sum(right.values()) / 61
    assert math.isnan(found.categories[2].accuracy)
    low, high = found.interval
    assert low < found.accuracy < high


def test_no_question_can_be_answered() -> None:
    found = evaluate_analogies(random_vectors(4), Analogies("none", [("a", "b", "c", "d")], ["x"]))
    assert (found.n_answered, found.n_right) == (0, 0)
    assert math.isnan(found.accuracy)


def _means(sample: Any, rows: Any) -> Any:
    return sample[rows].mean(axis=1)


def test_bootstrap_covers_what_it_should() -> None:
    """Of many samples of a known population, about 95 % have the true mean in their interval."""
    chance = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        means = partial(_means, chance.standard_normal(100))
        low, high = bootstrap(100, means)
        hits += low < 0 < high
    assert 180 <= hits <= 199
