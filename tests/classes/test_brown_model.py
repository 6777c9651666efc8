"""The Brown model against enumeration, and the theorems about its singular vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.classes import BrownModel, tells_classes
from firth.errors import ParameterError
from tests.oracles import embedding as oracle


@settings(max_examples=30)
@given(st.integers(0, 1000), st.integers(2, 3), st.integers(2, 5), st.integers(1, 2))
def test_bigrams_are_exact(seed: int, n_classes: int, length: int, offset: int) -> None:
    model = BrownModel.random(5, n_classes, seed)
    if offset >= length:
        with pytest.raises(ParameterError):
            model.bigrams(length, offset)
        return
    parts = model.start.tolist(), model.transitions.tolist(), model.emissions.tolist()
    both: Any = zip(
        model.bigrams(length, offset), oracle.brown_bigrams(*parts, length, offset), strict=True
    )
    for found, expected in both:
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@settings(max_examples=30)
@given(st.integers(0, 1000), st.lists(st.integers(0, 4), max_size=5))
def test_log_probabilities_are_exact(seed: int, words: list[int]) -> None:
    model = BrownModel.random(5, 3, seed)
    parts = model.start.tolist(), model.transitions.tolist(), model.emissions.tolist()
    assert model.log_prob(words) == pytest.approx(oracle.brown_log_prob(*parts, words), rel=1e-12)


def test_samples_follow_the_model() -> None:
    model = BrownModel.random(6, 2, seed=3)
    words = model.sample(20_000, 4, seed=1)
    assert np.array_equal(words, model.sample(20_000, 4, seed=1))
    b, u, _ = model.bigrams(4)
    found = np.zeros((6, 6))
    np.add.at(found, (words[:, :-1].ravel(), words[:, 1:].ravel()), 1)
    np.testing.assert_allclose(found / found.sum(), b, atol=0.006)
    np.testing.assert_allclose(b.sum(axis=1), u, rtol=1e-12)


def assert_rows_tell_classes(rows: Any, class_of: Any, tolerance: float) -> None:
    """Unit rows coincide within a class and are orthogonal across classes."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    same = class_of[:, None] == class_of[None]
    np.testing.assert_allclose(unit @ unit.T, same.astype(float), atol=tolerance)


@pytest.mark.parametrize("power", [1.0, 2 / 3, 0.5])
@pytest.mark.parametrize("seed", range(5))
def test_theorems_5_1_and_4_1(power: float, seed: int) -> None:
    """Stratos et al. 2014, theorem 5.1 (power 1), and 2015, theorem 4.1."""
    model = BrownModel.random(40, 4, seed)
    left, values, _ = np.linalg.svd(model.omega(10, power))
    assert values[3] > 1e4 * values[4], "the rank is the number of classes"
    assert_rows_tell_classes(left[:, :4], model.class_of, 1e-8)
    if power == 1.0:  # U is the square root of O, turned
        np.testing.assert_allclose(
            left[:, :4] @ left[:, :4].T,
            np.sqrt(model.emissions) @ np.sqrt(model.emissions).T,
            atol=1e-10,
        )


def test_theorem_4_1_needs_the_power_of_the_transitions_to_have_full_rank() -> None:
    """The theorem asks for T of full rank; for a power other than 1, T^(a) must be, too."""
    roots = np.array([[0.9, 0.3, 0.3], [0.2, 0.5, 0.8]])
    squares = np.vstack([roots, roots.sum(axis=0)]) ** 2
    transitions = (squares / squares.sum(axis=1, keepdims=True)).T
    emissions = np.kron(np.eye(3), [[0.3], [0.7]])
    model = BrownModel([0.2, 0.3, 0.5], transitions, emissions)
    assert np.linalg.matrix_rank(transitions) == 3
    plain, root = (np.linalg.svd(model.omega(10, power))[1] for power in (1.0, 0.5))
    assert plain[2] > 1e-3
    assert root[2] < 1e-12


# The condition of theorem 5.2, and appendix C


@settings(max_examples=25)
@given(st.integers(0, 1000), st.integers(2, 4), st.integers(2, 6))
def test_the_condition_is_that_of_the_paper(seed: int, n_classes: int, length: int) -> None:
    model = BrownModel.random(9, n_classes, seed)
    found = model.condition(length)
    parts = model.start.tolist(), model.transitions.tolist(), model.emissions.tolist()
    expected = oracle.recovery_condition(*parts, length)
    assert found.sigma_1 == pytest.approx(1)  # the square roots of u and v are singular vectors
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value), name
    worst = max(found.n1, found.n2, 1 / found.u_min, 1 / found.v_min)
    bound = np.log(9 / 0.05) * worst / (found.sigma_m * found.epsilon) ** 2
    assert found.n_pairs(0.05) == pytest.approx(bound)
    assert found.n_pairs(0.01) > found.n_pairs(0.05)
    if length == 2:  # as the paper bounds it
        assert found.n2 <= 9 / model.start.min()
        assert found.n1 <= 9 / (model.transitions @ model.start).min()


def test_estimates_are_those_of_figure_4() -> None:
    model = BrownModel.random(4, 2, seed=0)
    words = np.array([[0, 1, 2], [1, 2, 2]])
    pairs = {(0, 1): 1, (1, 2): 2, (2, 2): 1}
    for kappa in (0.0, 2.0):
        found = model.estimated_omega(words, kappa)
        for x in range(4):
            for y in range(4):
                u = sum(n for (a, _), n in pairs.items() if a == x) / 4 + kappa / 4
                v = sum(n for (_, b), n in pairs.items() if b == y) / 4 + kappa / 4
                both = pairs.get((x, y), 0) / 4
                assert found[x, y] == pytest.approx(both / np.sqrt(u * v) if both else 0.0)
    exact = model.condition(8)
    errors = [
        exact.error(model.estimated_omega(model.sample(n, 8, seed=1)))
        for n in (100, 10_000, 300_000)
    ]
    assert errors[0] > 3 * errors[1] > 9 * errors[2]


@pytest.mark.parametrize("seed", range(12))
def test_theorem_5_2(seed: int) -> None:
    """Whatever the error is, if it is small enough every word is nearest to its own class."""
    model = BrownModel.random(20, 3, seed)
    condition = model.condition(6)
    random = np.random.default_rng(seed)
    for kind in range(3):
        if kind == 0:  # against the smallest singular direction: the worst that can be
            left, _, right = np.linalg.svd(condition.omega)
            noise = np.outer(left[:, 2], right[2])
        else:
            noise = random.normal(size=(20, 20)) * random.random((20, 20)) ** kind
        noise *= condition.epsilon * condition.sigma_m / np.linalg.norm(noise, 2)
        assert condition.holds(condition.omega + 0.999 * noise)
        assert tells_classes(condition.omega + 0.999 * noise, model.class_of)
        assert not condition.holds(condition.omega + 1.001 * noise)
    wrong = (model.class_of + (np.arange(20) == 5)) % 3
    assert not tells_classes(condition.omega, wrong)


def test_wrong_estimates_and_models_are_refused() -> None:
    model = BrownModel.random(5, 2, seed=0)
    with pytest.raises(ParameterError, match="'estimate' .* shape .5, 5."):
        model.condition(4).error(np.zeros((4, 4)))
    with pytest.raises(ParameterError, match="'delta' .* between 0 and 1"):
        model.condition(4).n_pairs(1.0)
    for words in ([[0, 5]], [[0]], [0, 1], [[-1, 0]], np.zeros((0, 3))):
        with pytest.raises(ParameterError, match="'words' .* word numbers below 5"):
            model.estimated_omega(words)
    never = BrownModel([1.0, 0.0], [[1.0, 0.5], [0.0, 0.5]], np.eye(2))
    with pytest.raises(ParameterError, match="never occurs"):
        never.condition(3)


@pytest.mark.slow
@pytest.mark.parametrize("transform", ["none", "two-thirds", "sqrt"])
def test_vectors_of_exact_counts_tell_classes(transform: Any) -> None:
    """The same through counts: whole numbers in just the proportions of a model's bigrams."""
    model = BrownModel.random(24, 3, seed=2)
    b, _, _ = model.bigrams(12)
    pairs = np.rint(b * 2e5).astype(int)
    sentences = [
        [f"w{x}", f"w{y}"] for x in range(24) for y in range(24) for _ in range(pairs[x, y])
    ]
    counts = firth.count(firth.Corpus.from_sentences(sentences), "R1", 1)
    vectors = (
        firth.SpectralEmbedding(3, transform, "cca", alpha=1.0, beta=0.0, spelling=0)
        .fit(counts)
        .vectors_
    )
    class_of = np.array([model.class_of[int(word[1:])] for word in vectors.words])
    assert_rows_tell_classes(vectors.matrix, class_of, 0.06)


@pytest.mark.parametrize("transform", ["none", "two-thirds", "sqrt"])
def test_classes_are_recovered_from_a_sample(transform: Any) -> None:
    model = BrownModel.random(60, 3, seed=4)
    words = model.sample(20_000, 10, seed=0)
    corpus = firth.Corpus.from_sentences([f"w{w}" for w in line] for line in words)
    counts = firth.count(corpus, "R1", 1)
    vectors = (
        firth.SpectralEmbedding(3, transform, "cca", beta=0.0, spelling=0).fit(counts).vectors_
    )
    class_of = np.array([model.class_of[int(word[1:])] for word in vectors.words])
    frequent = vectors.counts > 500
    unit, class_of = vectors.matrix[frequent], class_of[frequent]
    cosines = unit @ unit.T
    same = class_of[:, None] == class_of[None]
    assert len(unit) > 30
    assert cosines[same].min() > cosines[~same].max()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([1.0], [[1.0]], [[0.5], [0.6]]), "sum to 1"),
        (([0.5, 0.5], [[1.0]], [[1.0]]), "must have the shapes"),
        (([0.5, 0.5], np.eye(2), [[0.5, 0.5], [0.5, 0.5]]), "exactly one class"),
        (([0.5, 0.5], [[-1, 0], [2, 1]], np.eye(2)), "sum to 1"),
    ],
)
def test_what_is_no_model_is_refused(parts: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        BrownModel(*parts)
