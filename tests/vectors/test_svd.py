"""The decomposition: against LAPACK, on spectra of many kinds, and against PROPACK."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

import firth
from firth.compute import Engine
from firth.store import Room
from firth.vectors import ScaledCounts, Svd, Template, dense_svd, exact_svd, krylov_svd
from firth.vectors._panels import Panels, panel_edges
from tests.conftest import zipf_text
from tests.spectra import SPECTRA, check_largest, with_spectrum

pytestmark = pytest.mark.slow


class Dense:
    """A small matrix as an operator, in single precision."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix.astype(np.float32)
        self.shape = matrix.shape

    def times(self, block: Any) -> Any:
        return self.matrix @ block

    def transposed_times(self, block: Any) -> Any:
        return self.matrix.T @ block

    def square(self, block: Any, turned: bool) -> Any:
        if turned:
            return self.times(self.transposed_times(block))
        return self.transposed_times(self.times(block))


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("shape", [(700, 600), (600, 900)])
def test_a_known_spectrum_is_found(name: str, shape: tuple[int, int]) -> None:
    values = SPECTRA[name]
    matrix = with_spectrum(values, *shape)
    rank = 30
    found = krylov_svd(Dense(matrix), rank, 1e-3)
    assert found is not None
    check_largest(matrix, found, rank)
    assert found.residual <= 1e-3
    assert found.basis % 32 == 0


GRADED = {
    "one giant": np.concatenate([[1e4], np.arange(1, 400) ** -0.3]),
    "a few giants": np.concatenate([[3e3, 1e3, 1e3, 50], np.arange(1, 400) ** -0.3]),
    "like words": SPECTRA["like words"],
    "steep": 10.0 ** -np.linspace(0, 4, 400),
}


@pytest.mark.parametrize("name", GRADED)
@pytest.mark.parametrize("shape", [(700, 600), (600, 700)])
def test_the_residual_is_the_true_one(name: str, shape: tuple[int, int]) -> None:
    """However large the first values are, the last ones must be found just as well."""
    matrix = with_spectrum(GRADED[name], *shape)
    for tolerance in (0.05, 0.01):
        found = krylov_svd(Dense(matrix), 100, tolerance)
        assert found is not None
        left, right, turned = found.left, found.right, matrix.T
        if shape[0] < shape[1]:
            left, right, turned = right, left, matrix
        errors = np.linalg.norm(turned @ left - right * found.values, axis=0) / found.values
        true = np.sqrt((errors**2).mean())
        assert found.residual <= tolerance
        assert true <= 1.2 * tolerance
        assert true == pytest.approx(found.residual, rel=0.5, abs=0.003)
        for vectors in (left, right):
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(100), atol=5e-3)


def test_less_tolerance_needs_a_larger_basis_and_keeps_more_energy() -> None:
    matrix = with_spectrum(SPECTRA["like words"], 900, 800)
    rough, fine = (krylov_svd(Dense(matrix), 60, tolerance) for tolerance in (0.1, 1e-3))
    assert rough is not None
    assert fine is not None
    assert rough.basis < fine.basis
    assert (rough.values**2).sum() < (fine.values**2).sum()


def test_the_search_ends_where_the_tolerance_cannot_be_met(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = krylov_svd(Dense(with_spectrum(SPECTRA["like words"], 900, 800)), 10, 1e-12)
    assert found is not None
    assert found.basis <= 8 * 10 + 10 * 32 + 64
    assert found.residual < 1e-3
    assert "stopped at a residual" in caplog.text


def test_rank_is_found_where_the_matrix_has_less() -> None:
    matrix = with_spectrum(SPECTRA["low rank"], 600, 500)
    found = krylov_svd(Dense(matrix), 100, 0.003)
    assert found is not None
    assert len(found.values) == 40
    np.testing.assert_allclose(found.values, SPECTRA["low rank"], rtol=1e-4)


def test_a_matrix_of_zeros_has_no_singular_values() -> None:
    found = krylov_svd(Dense(np.zeros((300, 300))), 10, 0.003)
    assert found is not None
    assert len(found.values) == 0


@pytest.mark.parametrize("shape", [(300, 700), (700, 300), (400, 400)])
def test_rows_and_columns_of_zeros_stay_zeros(shape: tuple[int, int]) -> None:
    matrix = with_spectrum(SPECTRA["like words"][:200], *shape)
    matrix[3::7] = 0
    matrix[:, 5::6] = 0
    found = krylov_svd(Dense(matrix), 20, 0.003)
    assert found is not None
    assert not found.left[3::7].any()
    assert not found.right[5::6].any()
    assert np.linalg.norm(found.left, axis=1)[matrix.any(axis=1)].min() > 0
    exact = dense_svd(csr_array(matrix), 20)
    assert not exact.left[3::7].any()
    assert not exact.right[5::6].any()
    np.testing.assert_allclose(exact.values, np.linalg.svd(matrix)[1][:20], rtol=1e-10)
    np.testing.assert_allclose(found.values, exact.values, rtol=0.01)


def test_few_columns_that_are_not_zero() -> None:
    matrix = np.zeros((500, 500))
    matrix[:, :40] = with_spectrum(np.linspace(3, 1, 30), 500, 40)
    assert krylov_svd(Dense(matrix), 10, 0.003) is None, "nothing to search in"
    assert len(dense_svd(csr_array(matrix), 100).values) == 30


def test_where_nearly_all_is_wanted_the_search_gives_up() -> None:
    assert krylov_svd(Dense(with_spectrum(SPECTRA["flat"], 420, 410)), 350, 1e-4) is None


def test_same_seed_same_result_and_signs_are_fixed() -> None:
    operator = Dense(with_spectrum(SPECTRA["like words"], 500, 500))
    one, two, other = (krylov_svd(operator, 20, 0.001, seed) for seed in (0, 0, 1))
    assert one is not None
    assert two is not None
    assert other is not None
    assert np.array_equal(one.left, two.left)
    assert not np.array_equal(one.left, other.left)
    for found in (one, other):
        largest = np.abs(found.left).argmax(axis=0)
        assert (found.left[largest, np.arange(20)] > 0).all()
    np.testing.assert_allclose(one.left[:, :5], other.left[:, :5], atol=1e-3)


def test_signs_of_lapack_and_propack_are_fixed_the_same_way() -> None:
    matrix = csr_array(random_array((80, 60), density=0.3, rng=np.random.default_rng(0)))
    one, two = dense_svd(matrix, 5), exact_svd(matrix, 5)
    np.testing.assert_allclose(one.values, two.values, rtol=1e-8)
    np.testing.assert_allclose(one.left, two.left, atol=1e-6)
    np.testing.assert_allclose(one.right, two.right, atol=1e-6)


@pytest.mark.parametrize("contexts", ["bag5", "LR2", "R1"])
@pytest.mark.parametrize(
    ("transform", "scale"), [("sqrt", "cca"), ("none", "none"), ("none", "ppmi")]
)
def test_fast_and_exact_agree_on_counts(contexts: str, transform: str, scale: str) -> None:
    corpus = firth.Corpus.from_sentences(
        line.split() for line in zipf_text(3000, n_words=2500).splitlines()
    )
    counts = firth.count(corpus, contexts, 1)
    template = Template(transform, scale, 0.75, 0.0, 0.0)
    matrix = template.matrix(counts.matrix, counts.scale, template.margins(counts))
    exact = exact_svd(matrix, 40)
    fast = krylov_svd(ScaledCounts(counts, template, Engine(2)), 40, 1e-4)
    assert fast is not None
    np.testing.assert_allclose(fast.values, exact.values, rtol=1e-3)
    assert (fast.values**2).sum() >= 0.99999 * (exact.values**2).sum()
    # the same subspace, unless the last values are close
    turned = np.linalg.svd(exact.left[:, :20].T @ fast.left[:, :25])[1]
    assert turned.min() > 0.999


@pytest.mark.parametrize("contexts", ["bag5", "LR1", "R2", "bag5+LR2/8"])
def test_the_result_does_not_depend_on_the_number_of_threads(contexts: str) -> None:
    corpus = firth.Corpus.from_sentences(
        line.split() for line in zipf_text(2000, n_words=2500).splitlines()
    )
    counts = firth.count(corpus, contexts, 1)
    one, two, three = (
        firth.SpectralEmbedding(20, threads=threads).fit(counts) for threads in (1, 2, 3)
    )
    assert one.svd_.basis > 0, "the fast decomposition was used"
    for other in (two, three):
        assert np.array_equal(one.vectors_.matrix, other.vectors_.matrix)
        assert np.array_equal(one.svd_.right, other.svd_.right)
        assert np.array_equal(one.svd_.values, other.svd_.values)


def test_exact_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from firth.vectors import _decomposition

    monkeypatch.setattr(_decomposition, "_DENSE", 10)
    corpus = firth.Corpus.from_sentences(
        line.split() for line in zipf_text(500, n_words=300).splitlines()
    )
    counts = firth.count(corpus, "bag5", 1)
    exact = firth.SpectralEmbedding(10, svd="exact").fit(counts).svd_
    fast = firth.SpectralEmbedding(10, tolerance=1e-4).fit(counts).svd_
    assert exact.basis == 0 < fast.basis
    np.testing.assert_allclose(exact.values, fast.values, rtol=1e-4)


def test_exact_finds_low_ranks_and_equal_values() -> None:
    """Where PROPACK breaks down, ARPACK or an error, never a wrong answer."""
    matrix = csr_array(np.kron(np.eye(20), np.ones((30, 15))))
    found = exact_svd(matrix, 20)
    np.testing.assert_allclose(found.values, np.full(20, np.sqrt(450)), rtol=1e-8)
    np.testing.assert_allclose(found.left.T @ found.left, np.eye(20), atol=1e-7)
    try:
        more = exact_svd(matrix, 30)
    except firth.FirthError as error:
        assert "lower rank" in str(error)  # noqa: PT017
    else:
        assert len(more.values) == 20


@cache
def counts_of_text() -> firth.Counts:
    lines = zipf_text(20_000, n_words=1000).splitlines()
    corpus = firth.Corpus.from_sentences(line.split() for line in lines)
    return firth.count(corpus, "bag10", 1, weights="distance")


@pytest.mark.parametrize("scale", ["none", "cca"])
def test_plain_counts_of_text_are_decomposed_well(scale: str) -> None:
    """Without a transform, the first singular value is thousands of times the others."""
    counts = counts_of_text()
    template = Template("none", scale, 0.75, 0.0, 0.0)
    matrix = template.matrix(counts.matrix, counts.scale, template.margins(counts))
    expected = np.linalg.svd(matrix.toarray())[1]
    found = krylov_svd(ScaledCounts(counts, template, Engine(2)), 100, 0.005, engine=Engine(2))
    assert found is not None
    np.testing.assert_allclose(found.values, expected[:100], rtol=0.01)
    errors = np.linalg.norm(matrix.T @ found.left - found.right * found.values, axis=0)
    assert np.sqrt(((errors / found.values) ** 2).mean()) < 0.007
    np.testing.assert_allclose(found.left.T @ found.left, np.eye(100), atol=1e-3)


@pytest.mark.parametrize("width", [1, 100, 8192, 8193, 20_000, 200_000])
def test_panels_of_any_width_multiply(width: int) -> None:
    edges = panel_edges(width)
    assert edges[0] == 0
    assert edges[-1] == width
    assert max(np.diff(edges)) <= 1 << 16
    chance = np.random.default_rng(width)
    matrix = csr_array(
        random_array((50, 2 * width), density=min(1.0, 2000 / width / 100), rng=chance)
    )
    matrix.data[::7] = 0
    source = chance.standard_normal((2 * width, 32)).astype(np.float32)
    panels = Panels(matrix, matrix.data.astype(np.float32), 2, Engine(2), Room())
    assert panels.n_entries == np.count_nonzero(matrix.data)
    target = np.full((50, 32), np.nan, np.float32)
    panels.times(source, target)
    np.testing.assert_allclose(target, matrix @ source, rtol=1e-4, atol=1e-4)
    panels.times(source[:width], target, block=1)
    np.testing.assert_allclose(target, matrix[:, width:] @ source[:width], rtol=1e-4, atol=1e-4)


def test_svd_leaves_out_what_is_zero() -> None:
    found = Svd.of(np.eye(3), np.array([2.0, 1.0, 1e-20]), -np.eye(3))
    assert found.values.tolist() == [2.0, 1.0]
    assert found.right.shape == (3, 2)
