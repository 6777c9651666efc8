"""The decomposition on a cluster: against the local one, with any workers, and when one of them dies."""

from __future__ import annotations

import os
import random
import signal
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.compute import Cluster, Engine
from firth.counts import count_panels
from firth.errors import FirthError, ParameterError
from firth.pipeline import learn_vectors
from firth.store import Checkpoint, Room
from firth.vectors import ScaledCounts, Svd, Template, VectorsParameters, decompose, krylov_svd
from firth.vectors import _cluster_space as spaces
from firth.vectors import _cluster_work as work
from firth.vectors._cluster_space import ClusterSpace, on_workers, row_edges
from firth.vectors._krylov import svd_in
from tests.conftest import zipf_text
from tests.here import Here
from tests.vectors.test_checkpoints import Always, assert_same

CCA = Template("sqrt", "cca", 0.75, 0.0, 0.0)
PPMI = Template("none", "ppmi", 0.75, 0.0, 0.0)
PLAIN = Template("none", "none", 0.75, 0.0, 0.0)


@pytest.fixture(autouse=True)
def small_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spaces, "_WORK_PER_PANEL", 1 << 17)


@cache
def corpus() -> firth.Corpus:
    lines = zipf_text(1500, n_words=600).splitlines()
    return firth.Corpus.from_sentences(line.split() for line in lines)


@cache
def counts_of(contexts: str) -> firth.Counts:
    return firth.count(corpus(), contexts, 1)


def decomposed(
    counts: Any,
    template: Template = CCA,
    cluster: Any = None,
    checkpoint: Checkpoint | None = None,
    tolerance: float = 1e-4,
) -> Svd:
    cluster = cluster or Here()
    panels = on_workers(counts, cluster)
    assert len(panels) in (4, 8)
    space = ClusterSpace(counts, panels, template, cluster, 0, Room())
    found = svd_in(space, 30, tolerance, checkpoint)
    assert found is not None
    return found


@pytest.mark.parametrize("template", [CCA, PPMI, PLAIN], ids=["cca", "ppmi", "plain"])
@pytest.mark.parametrize("contexts", ["bag5", "LR2", "R2", "bag3+LR1/2"])
def test_it_agrees_with_the_local_one_up_to_rounding(contexts: str, template: Template) -> None:
    counts = counts_of(contexts)
    tolerance = 7e-4  # below 1e-4 residuals of plain counts are rounding errors
    found = decomposed(counts, template, tolerance=tolerance)
    local = krylov_svd(ScaledCounts(counts, template, Engine(1)), 30, tolerance)
    assert local is not None
    assert found.basis == local.basis
    assert found.residual == pytest.approx(local.residual, rel=0.2)
    np.testing.assert_allclose(found.values, local.values, rtol=1e-5)
    matrix = template.matrix(counts.matrix, counts.scale, template.margins(counts)).toarray()
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    np.testing.assert_allclose(found.values, values[:30], rtol=1e-4)
    for mine, other, exact in (
        (found.left, local.left, left),
        (found.right, local.right, right.T),
    ):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine.T @ mine, np.eye(30), atol=1e-4)
        # the same subspaces; the last vectors may be turned if values are close
        assert np.linalg.svd(mine[:, :20].T @ other[:, :30])[1].min() > 1 - 1e-5
        assert np.linalg.svd(mine[:, :20].T @ exact[:, :30])[1].min() > 1 - 1e-4


def test_a_low_rank_is_found() -> None:
    """The basis goes on with random vectors, which are those of the local space."""
    chance = random.Random(0)
    pairs = [[f"x{chance.randrange(400)}", f"y{chance.randrange(20)}"] for _ in range(8000)]
    counts = firth.count(firth.Corpus.from_sentences(pairs), "bag1", 1)
    local = krylov_svd(ScaledCounts(counts, CCA, Engine(1)), 60, 0.003)
    space = ClusterSpace(counts, on_workers(counts, Here()), CCA, Here(), 0, Room())
    found = svd_in(space, 60, 0.003)
    assert local is not None
    assert found is not None
    assert len(found.values) == len(local.values) == 40
    np.testing.assert_allclose(found.values, local.values, rtol=1e-4)


def test_what_comes_next_is_begun_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    real, guessed = ClusterSpace.times, []

    def times(self: ClusterSpace, tall: Any, small: Any) -> Any:
        found = real(self, tall, small)
        if small.shape == (32, 32):
            guessed.append(found is tall.guess)
        return found

    monkeypatch.setattr(ClusterSpace, "times", times)
    decomposed(counts_of("bag5"))
    assert guessed
    assert all(guessed)


def test_work_changes_nothing_that_it_gets() -> None:
    """Or else it could not be done again."""
    assert_same(
        decomposed(counts_of("LR1"), cluster=Here(watch=True)), decomposed(counts_of("LR1"))
    )


@pytest.mark.parametrize("left", [250, 450])
def test_an_interrupted_one_goes_on(left: int, tmp_path: Path) -> None:
    path = tmp_path / "some.state"
    with pytest.raises(KeyboardInterrupt):
        decomposed(counts_of("bag5"), cluster=Here(left), checkpoint=Always(path))
    assert path.exists()
    some = Here()
    found = decomposed(counts_of("bag5"), cluster=some, checkpoint=Checkpoint(path))
    assert_same(found, decomposed(counts_of("bag5"), cluster=(all_ := Here())))
    assert some.left > all_.left, "it did not begin again"


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=50))
def test_panels_have_all_rows_and_about_the_same_work(sizes: list[int]) -> None:
    indptr = np.append(0, np.cumsum(sizes))
    edges = row_edges(indptr)
    assert edges == sorted(set(edges))
    assert (edges[0], edges[-1]) == (0, len(sizes))
    shares = np.diff(indptr[edges]) + 512 * np.diff(edges)
    assert shares.max() <= shares.sum() / 2 ** np.ceil(np.log2(len(shares))) + 3000 + 512


@given(st.lists(st.integers(0, 12), min_size=2, max_size=4, unique=True), st.integers(0, 2**32))
def test_rows_are_divided_and_joined(cuts: list[int], seed: int) -> None:
    chance = np.random.default_rng(seed)
    sizes = chance.integers(0, 4, 12)
    raw = np.append(0, sizes.cumsum()), chance.integers(0, 9, sizes.sum()), np.arange(sizes.sum())
    edges = sorted({0, 12, *cuts})
    parts = [work.some_rows(raw, a, b) for a, b in pairwise(edges)]
    for again, whole in zip(work.all_rows(parts), raw, strict=True):
        np.testing.assert_array_equal(again, whole)
    np.testing.assert_array_equal(np.concatenate([work.row_sizes(part) for part in parts]), sizes)


@given(st.integers(2, 700), st.integers(0, 2**32))
def test_triangular_factors_have_the_inner_products(n: int, seed: int) -> None:
    block = np.random.default_rng(seed).standard_normal((n, 32)).astype(np.float32)
    found = work.stacked(
        [work.triangle(block[: n // 2], (), [], []), work.triangle(block[n // 2 :], (), [], [])]
    )
    np.testing.assert_allclose(found.T @ found, block.T.astype(float) @ block, atol=1e-9 * n)


# With real worker processes --------------------------------------------------------------------


def with_workers(test: Any) -> Any:
    """Dask leaves some sockets to the garbage collector."""
    for ignored in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
        test = pytest.mark.filterwarnings(f"ignore::{ignored}")(test)
    return pytest.mark.slow(test)


@with_workers
@pytest.mark.parametrize("contexts", ["bag5", "R2", "bag5+LR2/8"])
def test_the_bytes_do_not_depend_on_workers(contexts: str, workers: Any) -> None:
    found = decomposed(counts_of(contexts), cluster=Cluster(lambda: workers))
    assert_same(found, decomposed(counts_of(contexts)))


@with_workers
def test_counts_may_be_on_workers(workers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, counts = Cluster(lambda: workers), counts_of("bag5")
    parts = count_panels(corpus(), counts.parameters, cluster)
    assert_same(decomposed(parts, cluster=cluster), decomposed(counts))
    parameters = VectorsParameters(20)
    monkeypatch.setattr("firth.vectors._decomposition._DENSE", 10)
    far = decompose(parts, parameters, Engine(1))
    near = decompose(counts, parameters, Engine(1))
    assert far.basis == near.basis > 0
    np.testing.assert_allclose(far.values, near.values, rtol=1e-5)
    monkeypatch.setattr("firth.vectors._decomposition._DENSE", 10**6)
    assert_same(decompose(parts, parameters, Engine(1)), decompose(counts, parameters, Engine(1)))


@with_workers
def test_vectors_are_learned_on_a_cluster(
    workers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.vectors._decomposition._DENSE", 10)
    text = tmp_path / "text.txt"
    text.write_text(zipf_text(1500, n_words=600))
    here, there = (
        learn_vectors(tmp_path / name, text, dim=10, min_count=1, tolerance=1e-4, **options).vectors
        for name, options in (("here", {}), ("there", {"cluster": workers}))
    )
    assert list(here.vocabulary) == list(there.vocabulary)
    np.testing.assert_allclose(np.abs(here.matrix), np.abs(there.matrix), atol=1e-3)


@with_workers
def test_workers_without_gpus_are_named(workers: Any) -> None:
    """As those of the tests; before any work."""
    with pytest.raises(FirthError, match=r"A worker on .*: (Computing|No GPU|The installed)"):
        Cluster(lambda: workers, "cuda").connect()


def test_a_wrong_device_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'cuda:1' for the second"):
        learn_vectors(tmp_path / "model", "none.txt", cluster=2, device="gpu")


@with_workers
def test_a_worker_that_dies_is_replaced(workers: Any) -> None:
    killed = []

    class Killing(ClusterSpace):
        def append(self, block: Any) -> None:
            super().append(block)
            if self.size == 160:
                victim = next(iter(workers.run(os.getpid).values()))
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

    cluster, counts = Cluster(lambda: workers), counts_of("bag5")
    space = Killing(counts, on_workers(counts, cluster), CCA, cluster, 0, Room())
    found = svd_in(space, 30, 1e-4)
    assert found is not None
    assert killed
    assert_same(found, decomposed(counts))
