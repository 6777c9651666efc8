"""Workers with GPUs: the decomposition agrees with that of workers without, also when memory is full."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.compute import Device, Engine, _cluster
from firth.errors import FirthError
from firth.pipeline import learn_vectors
from firth.store import Room
from firth.vectors import Svd, Template, VectorsParameters, decompose
from firth.vectors import _cluster_device as on_device
from firth.vectors import _cluster_space as spaces
from firth.vectors._krylov import svd_in
from tests.conftest import zipf_text
from tests.gpu.conftest import full_above
from tests.gpu.pretended import PretendedDevice
from tests.here import Here

TEMPLATES = {
    "cca": Template("sqrt", "cca", 0.75, 0.0, 0.0),
    "ppmi": Template("none", "ppmi", 0.75, 0.0, 0.0),
}


@pytest.fixture(autouse=True)
def small_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spaces, "_WORK_PER_PANEL", 1 << 17)


@cache
def counts_of(contexts: str) -> firth.Counts:
    lines = zipf_text(1500, n_words=600).splitlines()
    return firth.count(
        firth.Corpus.from_sentences(line.split() for line in lines), contexts, min_count=1
    )


def decomposed(counts: Any, template: str = "cca", device: Device | None = None) -> Svd:
    cluster = Here(device=device)
    panels = spaces.on_workers(counts, cluster)
    assert len(panels) > 3
    space = spaces.ClusterSpace(counts, panels, TEMPLATES[template], cluster, 0, Room())
    found = svd_in(space, 30, 7e-4)
    assert found is not None
    return found


def check_same(found: Svd, expected: Svd) -> None:
    assert found.basis == expected.basis
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-5)
    for mine, other in ((found.left, expected.left), (found.right, expected.right)):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine.T @ mine, np.eye(30), atol=1e-4)
        assert np.linalg.svd(mine[:, :20].T @ other)[1].min() > 1 - 1e-5


def used(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what workers compute on a device from now on."""
    names: list[str] = []

    def noted(name: str) -> Any:
        real = getattr(on_device, name)

        def function(*args: Any) -> Any:
            names.append(name)
            return real(*args)

        return function

    for name in on_device.__all__:
        monkeypatch.setattr(on_device, name, noted(name))
    return names


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("contexts", ["bag5", "LR2", "R2", "bag3+LR1/2"])
def test_it_agrees_with_the_processor(
    contexts: str, template: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = decomposed(counts_of(contexts), template)
    names = used(monkeypatch)
    check_same(decomposed(counts_of(contexts), template, device), expected)
    assert {"changed", "combined", "measured", "panel_times"} <= set(names)


def test_products_of_rows(device: Device) -> None:
    rng = np.random.default_rng(0)
    tall, small = rng.normal(size=(5000, 7)).astype(np.float32), rng.normal(size=(7, 4))
    exact = tall.astype(np.float64)
    np.testing.assert_allclose(on_device.gram(device, tall), exact.T @ exact, rtol=1e-12)
    found = on_device.multiplied(device, tall, small)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, tall @ small, rtol=1e-5, atol=1e-5)


def test_copies_stay_as_long_as_what_was_copied(device: Device) -> None:
    copies, made = on_device._Copies(), []

    def make(array: Any) -> Any:
        made.append(1)
        return device.put(array)

    array = np.arange(3.0)
    assert copies.of(device, array, make) is copies.of(device, array, make)
    assert len(made) == len(copies._there) == 1
    del array
    gc.collect()
    assert not copies._there


@pytest.mark.parametrize("share", [0.8, 0.7])
def test_little_memory(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies are given up, and made again when they are needed."""
    device = PretendedDevice()
    with device.room():
        expected = decomposed(counts_of("LR2"), device=device)
    peak = device.memory_used.peak
    given_up = []
    forget = on_device._COPIES.forget

    def noted() -> None:
        given_up.append(1)
        forget()

    monkeypatch.setattr(on_device._COPIES, "forget", noted)
    with device.room(capacity=int(share * peak)):
        check_same(decomposed(counts_of("LR2"), device=device), expected)
    assert given_up
    forget()
    gc.collect()
    assert not device.memory_used.used


@pytest.mark.parametrize(("share", "enough"), [(1.0, True), (0.6, True), (0.02, False)])
def test_what_has_no_room_is_done_in_parts(
    share: float, enough: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("firth.vectors._decomposition._DENSE", 10)
    device, parameters = PretendedDevice(), VectorsParameters(30, "sqrt", "cca", 0.75, 0.0)
    engine = Engine(1, device=device)
    with device.room():
        expected = decompose(counts_of("LR2"), parameters, engine)
    with device.room(capacity=int(share * device.memory_used.peak)):
        if enough:
            found = decompose(counts_of("LR2"), parameters, engine)
            np.testing.assert_allclose(found.values, expected.values, rtol=1e-3)
        else:
            with pytest.raises(FirthError, match="entries would fit: use a larger --min-count"):
                decompose(counts_of("LR2"), parameters, engine)
    assert ("So the work is done in parts" in caplog.text) == (share < 1)
    assert not device.memory_used.used


def test_too_little_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    full_above(monkeypatch, device, device, "put", 1000, lambda array, *_: np.size(array))
    with pytest.raises(FirthError, match="too small: the share of a worker") as error:
        decomposed(counts_of("LR2"), device=device)
    assert "Start more workers" in str(error.value.hint)


def test_workers_of_a_machine_have_different_gpus() -> None:
    """Unless each may see others, as Dask's own workers for GPUs do."""
    one, two = ("one", ""), ("two", "")
    machines = {"tcp://1:3": one, "tcp://1:2": one, "tcp://2:1": two, "tcp://1:1": one}
    assert _cluster._numbered(machines) == {
        "tcp://1:1": 0, "tcp://1:2": 1, "tcp://1:3": 2, "tcp://2:1": 0,
    }  # fmt: skip
    restricted = {"tcp://1:1": ("one", "0,1"), "tcp://1:2": ("one", "1,0")}
    assert set(_cluster._numbered(restricted).values()) == {0}


@pytest.fixture
def in_threads() -> Iterator[Any]:
    """A client of two workers in this process."""
    distributed = pytest.importorskip("distributed")

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1",
            dashboard_address=None,
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):  # fmt: skip
        yield client


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_each_worker_computes_on_its_own_gpu(
    in_threads: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GPUs are PyTorch's CPU here; this process has none of its own."""
    asked = set()

    def opened(owner: str, name: str, worker: int = 0) -> Device:
        asked.add((name, worker))
        return Device("cpu")

    monkeypatch.setattr("firth.compute._cluster.open_device", opened)
    monkeypatch.setattr("firth.vectors._decomposition._DENSE", 10)
    text = tmp_path / "text.txt"
    text.write_text(zipf_text(1500, n_words=600))
    options: dict[str, Any] = {"dim": 10, "min_count": 1, "tolerance": 1e-4}
    here = learn_vectors(tmp_path / "here", text, **options).vectors
    model = learn_vectors(tmp_path / "there", text, cluster=in_threads, device="cuda", **options)
    there = model.vectors
    assert model.parts["vectors"].facts["device"] == "PyTorch, CPU"
    assert asked == {("cuda", 0), ("cuda", 1)}
    np.testing.assert_allclose(np.abs(here.matrix), np.abs(there.matrix), atol=1e-3)
