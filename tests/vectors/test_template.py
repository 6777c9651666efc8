"""The template against a dense twin written from the paper, for every transform and scale."""

from __future__ import annotations

import itertools
import random
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.compute import Engine
from firth.errors import InputError, ParameterError
from firth.vectors import (
    Scale,
    ScaledCounts,
    Template,
    Transform,
    VectorsParameters,
    _decomposition,
)
from tests.conftest import zipf_text
from tests.oracles import embedding as oracle

pytestmark = pytest.mark.slow

CONTEXTS = [
    ("R1", "none"),
    ("LR2", "none"),
    ("bag3", "distance"),
    ("-2,1", "none"),
    ("LR3", "dynamic"),
    ("bag3+LR1/4", "distance"),
    ("bag2+R1", "none"),
]
SCALES = get_args(Scale)
ALL = list(itertools.product(get_args(Transform), SCALES))


def some_counts(
    seed: int, contexts: str = "LR2", weights: Any = "none", n_types: int = 9, min_count: int = 2
) -> firth.Counts:
    """Counts of a small random text, with a rare symbol, and a word that never has a context."""
    chance = random.Random(seed)
    words = [f"w{k}" for k in range(n_types)]
    lines = [
        chance.choices(words, [1 / (k + 1) for k in range(n_types)], k=chance.randint(1, 7))
        for _ in range(40)
    ]
    lines += [["alone"], ["alone"], ["alone"], ["once", "w0"]]
    corpus = firth.Corpus.from_sentences(lines)
    return firth.count(corpus, contexts, min_count, weights=weights)


def dense(counts: firth.Counts) -> list[list[float]]:
    table: list[list[float]] = (counts.matrix.toarray() / counts.scale).tolist()
    return table


def omega(counts: firth.Counts, template: Template) -> Any:
    return template.matrix(counts.matrix, counts.scale, template.margins(counts)).toarray()


@pytest.mark.parametrize(("transform", "scale"), ALL)
@pytest.mark.parametrize(("contexts", "weights"), CONTEXTS)
def test_the_matrix_is_that_of_figure_2(
    transform: str, scale: str, contexts: str, weights: str
) -> None:
    counts = some_counts(1, contexts, weights)
    for alpha, kappa in ((0.75, 0.0), (1.0, 2.5), (0.0, 0.0)):
        template = Template(transform, scale, alpha, 0.0, kappa)
        expected = oracle.omega(
            dense(counts), transform, scale, alpha, kappa, counts.contexts.n_blocks
        )
        np.testing.assert_allclose(omega(counts, template), expected, rtol=1e-12, atol=1e-14)


@given(
    seed=st.integers(0, 10_000),
    combination=st.sampled_from(ALL),
    contexts=st.sampled_from(CONTEXTS),
    alpha=st.floats(0, 1),
    kappa=st.floats(0, 20),
)
def test_the_operator_is_the_matrix(
    seed: int, combination: tuple[str, str], contexts: tuple[str, str], alpha: float, kappa: float
) -> None:
    counts = some_counts(seed, *contexts)
    template = Template(*combination, alpha, 0.0, kappa)
    expected = np.array(
        oracle.omega(dense(counts), *combination, alpha, kappa, counts.contexts.n_blocks)
    )
    operator = ScaledCounts(counts, template, Engine(2))
    assert operator.shape == expected.shape
    chance = np.random.default_rng(seed)
    right = chance.standard_normal((expected.shape[1], 32)).astype(np.float32)
    left = chance.standard_normal((expected.shape[0], 32)).astype(np.float32)
    close: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-4 * max(1.0, float(np.abs(expected).max()))}
    np.testing.assert_allclose(operator.times(right), expected @ right, **close)
    np.testing.assert_allclose(operator.transposed_times(left), expected.T @ left, **close)
    for turned, block in ((False, right), (True, left)):
        there = expected.T if turned else expected
        found = operator.square(block, turned)
        product = there.T @ (there @ block)
        np.testing.assert_allclose(found, product, rtol=1e-4, atol=1e-4 * np.abs(product).max())


@pytest.mark.parametrize(("transform", "scale"), ALL)
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_the_vectors_are_those_of_figure_2(transform: Any, scale: Any, beta: float) -> None:
    counts = some_counts(3, "bag2", n_types=12)
    dim = 4
    fitted = firth.SpectralEmbedding(dim, transform, scale, 0.75, beta, 1.0, 0).fit(counts)
    expected = oracle.vectors(dense(counts), dim, transform, scale, 0.75, beta, 1.0)[
        : counts.n_words
    ]
    spectrum = np.linalg.svd(omega(counts, Template(transform, scale, 0.75, beta, 1.0)))[1]
    assert spectrum[dim - 1] > spectrum[dim] * 1.001, "the subspace is well defined"
    found = fitted.vectors_.matrix
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=2e-5)
    np.testing.assert_allclose(fitted.svd_.values, spectrum[:dim], rtol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1)[expected.any(axis=1)], 1, rtol=1e-6)


def test_a_word_without_contexts_has_a_vector_of_zeros() -> None:
    counts = some_counts(1)
    for scale in SCALES:
        vectors = firth.SpectralEmbedding(3, scale=scale).fit(counts).vectors_
        assert not vectors["alone"].any()
        assert vectors.similarity("alone", "w0") == 0
        assert vectors.neighbours(["alone"]) == [[]]
        with pytest.raises(firth.WordError, match="zero"):
            vectors.most_similar("alone")


@pytest.mark.parametrize("contexts", ["bag3", "LR2", "R1", "bag3+LR2/8"])
def test_so_it_has_in_the_fast_decomposition(
    contexts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_decomposition, "_DENSE", 10)
    lines = [line.split() for line in zipf_text(400, n_words=300).splitlines()] + [["alone"]] * 3
    counts = firth.count(firth.Corpus.from_sentences(lines), contexts, 2)
    fitted = firth.SpectralEmbedding(8).fit(counts)
    assert fitted.svd_.basis > 0
    assert not fitted.vectors_["alone"].any()
    assert (
        fitted.vectors_.matrix.any(axis=1).sum()
        == (counts.rows[: counts.n_words] > 0).any(axis=1).sum()
    )


def test_the_rare_symbol_takes_part_and_is_not_among_the_words() -> None:
    counts = some_counts(1, min_count=3)
    assert counts.has_rare
    fitted = firth.SpectralEmbedding(3).fit(counts)
    assert len(fitted.svd_.left) == counts.n_words + 1
    assert len(fitted.vectors_) == counts.n_words
    assert "once" not in fitted.vectors_


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("transform", "square", "one of 'none', 'log', 'two-thirds', 'sqrt'"),
        ("scale", "pmi", "one of 'none', 'reg', 'ppmi', 'cca'"),
        ("alpha", 1.5, "a number from 0 to 1"),
        ("beta", -0.1, "a number from 0 to 1"),
        ("kappa", -1, "a number of at least 0"),
        ("kappa", float("nan"), "a number of at least 0"),
        ("kappa", float("inf"), "a number of at least 0"),
        ("dim", 0, "an int of at least 1"),
        ("svd", "slow", "one of 'fast', 'exact'"),
        ("tolerance", 0, "a number from"),
        ("seed", -1, "an int of at least 0"),
    ],
)
def test_wrong_parameters_are_named(name: str, value: Any, rule: str) -> None:
    with pytest.raises(
        ParameterError, match=f"'{name}' parameter of SpectralEmbedding must be {rule}"
    ):
        VectorsParameters(**{name: value}).check()


def test_more_dimensions_than_the_rank_says_the_largest_possible() -> None:
    corpus = firth.Corpus.from_sentences([["a", "b", "c", "d", "e"]] * 3)  # a single chain
    counts = firth.count(corpus, "R1", 1)
    for dim in (5, 6, 500):
        with pytest.raises(ParameterError, match="at most 4, the rank"):
            firth.SpectralEmbedding(dim=dim).fit(counts)
    assert firth.SpectralEmbedding().fit(counts).vectors_.dim == 4


def test_a_matrix_of_zeros_is_said_to_be_one() -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"]] * 3)
    counts = firth.count(corpus, "bag1", 1)
    with pytest.raises(InputError, match="zero after scaling"):
        firth.SpectralEmbedding(transform="log", scale="ppmi", alpha=1.0, kappa=1e6).fit(counts)
