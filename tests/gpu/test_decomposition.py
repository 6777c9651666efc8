"""The decomposition on a device: products against dense matrices, triplets against LAPACK and the processor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

import firth
import firth.vectors
from firth.compute import Device, Engine
from firth.counts import Counts, Entries
from firth.errors import FirthError
from firth.store import Room
from firth.vectors import Svd, Template, _device_matrix
from firth.vectors._device_matrix import DeviceMatrix
from firth.vectors._device_space import LANES, device_svd
from tests.conftest import zipf_text
from tests.gpu.conftest import full_above
from tests.spectra import SPECTRA, check_largest, with_spectrum


def entries_of(matrix: Any) -> Entries:
    some = csr_array(matrix)
    some.sort_indices()
    return Entries(some.indptr, some.indices, some.data.astype(np.float32), some.shape)


def decomposed(matrix: Any, rank: int, tolerance: float, engine: Engine, half: bool = False) -> Svd:
    assert engine.device is not None
    there = DeviceMatrix.of_entries(entries_of(matrix), engine.device, engine)
    found = device_svd(there, rank, tolerance, 0, engine, Room(), half=half)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def counts_of() -> Any:
    lines = [line.split() for line in zipf_text(3000).splitlines()]
    corpus, known = firth.Corpus.from_sentences(lines), {}

    def count(contexts: str) -> Counts:
        if contexts not in known:
            how: dict[str, Any] = {"weights": "distance" if contexts[0] == "b" else "none"}
            known[contexts] = firth.count(corpus, contexts, min_count=1, **how)
        return known[contexts]

    return count


# Products ----------------------------------------------------------------------------------------


def check_products(there: DeviceMatrix, dense: Any, half: bool) -> None:
    """Products with the matrix and its transpose; each number is the sum of rounded products."""
    device, chance = there.device, np.random.default_rng(1)
    for back, matrix in ((False, dense), (True, dense.T)):
        block = chance.standard_normal((matrix.shape[1] + 3, LANES)).astype(np.float32)
        n = len(matrix) + 5
        found = device.get(there.product(device.put(block), back, half, n)).astype(np.float64)
        block = block[: matrix.shape[1]].astype(np.float64)
        error = np.abs(found[: len(matrix)] - matrix @ block)
        rounding = 2.0**-10 if half else 2e-6
        assert (error <= rounding * (np.abs(matrix) @ np.abs(block)) + 1e-12).all()
        assert not found[len(matrix) :].any()


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("transform", ["none", "sqrt", "log", "two-thirds"])
@pytest.mark.parametrize("contexts", ["LR2", "bag5", "R1"])
def test_products_of_counts(
    on_device: Engine, counts_of: Any, contexts: str, transform: str, half: bool
) -> None:
    counts, device = counts_of(contexts), on_device.device
    assert device is not None
    for scale in ("cca", "none") if transform == "sqrt" else ("cca",):
        template = Template(transform, scale, 0.75, 0.0, 0.0)
        there = DeviceMatrix.of_counts(counts, template, device, on_device)
        omega = template.matrix(counts.matrix, counts.scale, template.margins(counts)).toarray()
        check_products(there, omega, half)


def test_products_with_mutual_information(on_device: Engine, counts_of: Any) -> None:
    counts, device = counts_of("bag5"), on_device.device
    assert device is not None
    template = Template("none", "ppmi", 0.75, 0.0, 0.0)
    there = DeviceMatrix.of_counts(counts, template, device, on_device)
    omega = template.matrix(counts.matrix, counts.scale, template.margins(counts)).toarray()
    check_products(there, omega, half=False)


@pytest.mark.parametrize("stretch", [1, 3, 7, 1024])
@pytest.mark.parametrize("shape", [(50, 80), (80, 50), (1, 40), (40, 1)])
def test_products_of_any_matrix(
    on_device: Engine, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int], stretch: int
) -> None:
    """Also with rows that are empty, and rows that are divided."""
    monkeypatch.setattr(_device_matrix, "_STRETCH", stretch)
    matrix = random_array(shape, density=0.3, rng=np.random.default_rng(2)).toarray()
    matrix[shape[0] // 2] = 0
    matrix[:, shape[1] // 2] = 0
    assert on_device.device is not None
    there = DeviceMatrix.of_entries(entries_of(matrix), on_device.device, on_device)
    for half in (False, True):
        check_products(there, matrix, half)


@pytest.mark.parametrize("unit", [1e-20, 1e20])
def test_rounded_products_of_extreme_numbers(on_device: Engine, unit: float) -> None:
    matrix = random_array((30, 40), density=0.3, rng=np.random.default_rng(2)).toarray()
    device = on_device.device
    assert device is not None
    there = DeviceMatrix.of_entries(entries_of(matrix), device, on_device)
    block = np.random.default_rng(3).standard_normal((40, LANES)).astype(np.float32) * unit
    found = device.get(there.product(device.put(block.astype(np.float32)), False, True))
    bound = 2.0**-10 * (np.abs(matrix) @ np.abs(block.astype(np.float64)))
    assert (np.abs(found - matrix @ block.astype(np.float64)) <= bound).all()


def test_large_counts_are_read_as_they_are(on_device: Engine) -> None:
    device = on_device.device
    assert device is not None
    for numbers in (
        np.array([1, 2**31 - 1, 2**31, 2**32 - 1], np.uint32),
        np.array([1, 2**40, 2**62], np.uint64),
    ):
        found = device.get(_device_matrix._counts(numbers, device, on_device))
        np.testing.assert_array_equal(found, numbers.astype(np.float64))


# Triplets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("shape", [(700, 600), (600, 900)])
def test_a_known_spectrum_is_found(
    on_device: Engine, name: str, shape: tuple[int, int], half: bool
) -> None:
    values, rank = SPECTRA[name], 30
    matrix = with_spectrum(values, *shape)
    found = decomposed(matrix, rank, 1e-3, on_device, half)
    check_largest(matrix, found, rank)
    largest = found.left[np.abs(found.left).argmax(axis=0), np.arange(rank)]
    assert (largest > 0).all()
    assert found.residual <= 1e-3
    assert found.basis % LANES == 0


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("shape", [(700, 600), (600, 700)])
def test_the_residual_is_the_true_one(
    on_device: Engine, shape: tuple[int, int], half: bool
) -> None:
    matrix = with_spectrum(SPECTRA["like words"], *shape)
    found = decomposed(matrix, 100, 0.01, on_device, half)
    left, right, turned = found.left, found.right, matrix.T
    if shape[0] < shape[1]:
        left, right, turned = right, left, matrix
    errors = np.linalg.norm(turned @ left - right * found.values, axis=0) / found.values
    true = np.sqrt((errors**2).mean())
    assert true <= 1.001 * 0.01 if half else 1.2 * 0.01
    assert true == pytest.approx(found.residual, rel=0.02 if half else 0.5, abs=1e-4)


def test_rank_is_found_where_the_matrix_has_less(on_device: Engine) -> None:
    matrix = with_spectrum(SPECTRA["low rank"], 600, 500)
    for half in (False, True):
        found = decomposed(matrix, 100, 0.003, on_device, half)
        assert len(found.values) == 40
        np.testing.assert_allclose(found.values, SPECTRA["low rank"], rtol=1e-4)


def test_rounding_that_is_too_rough_is_not_accepted(
    on_device: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test of the residual decides: products that are wrong are made again in single precision."""
    rough, whole = [], DeviceMatrix.product

    def product(self: DeviceMatrix, block: Any, back: bool, half: bool, n: int) -> Any:
        found = whole(self, block, back, False, n)
        rough.append(half)
        return found + found.std() * self.torch.randn_like(found) if half else found

    monkeypatch.setattr(DeviceMatrix, "product", product)
    matrix = with_spectrum(SPECTRA["like words"], 700, 600)
    found = decomposed(matrix, 30, 1e-3, on_device, half=True)
    assert rough[0]
    assert not any(rough[rough.index(False) :])
    assert found.residual <= 1e-3
    np.testing.assert_allclose(found.values, SPECTRA["like words"][:30], rtol=1e-4)


def test_too_little_memory(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "memory", lambda _: (1_000_000, 8_000_000))
    with pytest.raises(FirthError, match=r"decomposition needs about .*MB.*dimensions would fit"):
        decomposed(csr_array(np.eye(700, 600)), 50, 0.01, on_device)


def test_a_matrix_that_does_not_fit(
    on_device: Engine, counts_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error before it is sent, and one if memory is full on the way."""
    device, counts = on_device.device, counts_of("bag5")
    assert device is not None
    template = Template("sqrt", "cca", 0.75, 0.0, 0.0)
    full_above(monkeypatch, device, _device_matrix, "_transformed", 0, lambda *_: 1)
    with pytest.raises(FirthError, match=r"too small: a matrix of .* entries needs.*would fit"):
        DeviceMatrix.of_counts(counts, template, device, on_device)
    full_above(monkeypatch, device, _device_matrix, "_transposed", 0, lambda *_: 1)
    with pytest.raises(FirthError, match=r"too small: a matrix of 3 entries needs.*would fit"):
        DeviceMatrix.of_entries(entries_of(np.eye(3)), device, on_device)
    monkeypatch.setattr(Device, "memory", lambda _: (4000, 8000))
    with pytest.raises(FirthError, match=r"too small: .*4 kB of 8 kB.*About 100 entries would fit"):
        DeviceMatrix.of_counts(counts, template, device, on_device)


def test_more_entries_than_can_be_sorted(
    on_device: Engine, counts_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a matrix that must be turned is sorted."""
    device = on_device.device
    assert device is not None
    monkeypatch.setattr(_device_matrix, "_MOST_SORTED", 10)
    with pytest.raises(
        FirthError, match="11 entries, and a GPU takes at most 10 with.*--min-count"
    ):
        DeviceMatrix.of_entries(entries_of(np.eye(11)), device, on_device)
    DeviceMatrix.of_entries(entries_of(np.eye(10)), device, on_device)
    DeviceMatrix.of_counts(counts_of("LR2"), Template("sqrt", "cca", 0.75, 0, 0), device, on_device)


# Word vectors ------------------------------------------------------------------------------------


def cosines(matrix: Any) -> Any:
    return matrix @ matrix.T


@pytest.mark.parametrize("contexts", ["LR2", "bag5"])
def test_vectors_are_those_of_the_processor(
    on_device: Engine, counts_of: Any, contexts: str
) -> None:
    counts = counts_of(contexts)
    how: dict[str, Any] = {"dim": 40, "tolerance": 1e-4, "spelling": 0.0}
    ours = firth.SpectralEmbedding(**how, threads=on_device).fit(counts)
    theirs = firth.SpectralEmbedding(**how, threads=1).fit(counts)
    np.testing.assert_allclose(ours.svd_.values, theirs.svd_.values, rtol=1e-4)
    np.testing.assert_allclose(
        cosines(ours.vectors_.matrix), cosines(theirs.vectors_.matrix), atol=3e-2
    )
    assert ours.svd_.right.shape == theirs.svd_.right.shape


def test_a_run_is_repeated_exactly(on_device: Engine, counts_of: Any) -> None:
    first, second = (
        firth.SpectralEmbedding(dim=20, threads=on_device).fit(counts_of("LR2")).vectors_.matrix
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


def test_the_facts_name_the_device(on_device: Engine, tmp_path: Any, monkeypatch: Any) -> None:
    from firth import pipeline
    from firth.counts import CountsParameters
    from firth.pipeline._vectors import vectors_parameters
    from firth.store import writing

    path = tmp_path / "text.txt"
    path.write_text(zipf_text(300))
    model = pipeline.learn_corpus(tmp_path / "model", path)
    assert on_device.device is not None
    with writing(model.path) as writer:
        how = vectors_parameters("syntax", CountsParameters(min_count=1), 8)
        assert pipeline.make_vectors(writer, *how, "1G", on_device)
    part = firth.load(model.path).parts["vectors"]
    assert part.facts["device"] == on_device.device.title
    assert "device" not in part.parameters
    with writing(model.path) as writer:
        assert not pipeline.make_vectors(writer, *how, "1G", Engine(1)), "it is not learned again"


@pytest.mark.parametrize("missing", [True, False])
def test_products_without_triton(
    device: Device, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, missing: bool
) -> None:
    """It is not there, as on Windows; or it finds no compiler, as in small containers."""

    def multiply(*_: Any) -> None:
        raise RuntimeError("Failed to find C compiler.")

    module = None if missing else SimpleNamespace(multiply=multiply)
    monkeypatch.setitem(sys.modules, "firth.vectors._device_kernels", module)
    monkeypatch.setattr(firth.vectors, "_device_kernels", module, raising=False)
    if missing:
        monkeypatch.delattr(firth.vectors, "_device_kernels")
    _device_matrix._kernels.cache_clear()
    assert _device_matrix._kernels(device) is None
    _device_matrix._kernels.cache_clear()
    assert [("Failed to find C compiler" in r.message, "gcc" in r.message) for r in caplog.records] == (
        [] if missing else [(True, True)]
    )  # fmt: skip


@pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton")
def test_kernels_in_the_interpreter() -> None:
    """The kernels of Triton, without a GPU; where there is one, the other tests use them."""
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    code = "from tests.gpu.test_decomposition import check_kernels; check_kernels()"
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def check_kernels() -> None:
    """In a process of its own, in which Triton interprets kernels."""
    device, engine = Device("cpu"), Engine(1)
    _device_matrix._STRETCH = 7
    matrix = random_array((50, 80), density=0.3, rng=np.random.default_rng(2)).toarray()
    matrix[25] = 0
    there = DeviceMatrix.of_entries(entries_of(matrix), device, engine)
    there._kernels = kernels = _device_matrix._kernels(device)
    check_current_device(kernels)
    assert there.has_kernels
    for half in (False, True):
        check_products(there, matrix, half)


def check_current_device(kernels: Any) -> None:
    """A kernel begins while the GPU of its tensors is the current one, which Triton takes."""
    current: list[Any] = []
    multiply = kernels._multiply

    @contextmanager
    def device_of(tensor: Any) -> Iterator[None]:
        current.append(tensor)
        yield
        current.pop()

    class Launch:
        def __getitem__(self, grid: Any) -> Any:
            def launch(*arguments: Any, **named: Any) -> None:
                assert current[-1] is arguments[5]
                multiply[grid](*arguments, **named)

            return launch

    kernels.torch.cuda.device_of, kernels._multiply = device_of, Launch()
