"""K-means on a device: the centres of scikit-learn from the same start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

from firth.cluster import FlatClusters
from firth.cluster import _device_means as on_device_means
from firth.cluster._device_means import DeviceMeans
from firth.compute import Engine
from firth.errors import FirthError
from tests.gpu.conftest import full_above


def blobs(n: int, dim: int, k: int, seed: int, dtype: Any = np.float64) -> Any:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(k, dim))[rng.integers(0, k, n)] * 2 + rng.normal(size=(n, dim))
    ).astype(dtype)


@pytest.mark.parametrize("start", ["k-means++", "random"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(3))
def test_centres_are_those_of_scikit_learn(
    on_device: Engine, seed: int, dtype: Any, start: str
) -> None:
    """With the same random numbers, also for the start."""
    rows = blobs(500, 5, 7, seed, dtype)
    peer = KMeans(9, init=start, n_init=2, random_state=np.random.RandomState(seed), tol=1e-6).fit(
        rows
    )
    made = DeviceMeans(rows, on_device)
    found = made.fit(start, 9, 2, 300, 1e-6, np.random.RandomState(seed))
    np.testing.assert_allclose(found.centres, peer.cluster_centers_, rtol=1e-4, atol=1e-5)
    assert found.inertia == pytest.approx(peer.inertia_, rel=1e-5)
    assert found.n_iter == peer.n_iter_
    np.testing.assert_array_equal(made.nearest(found.centres), peer.labels_)


def test_empty_clusters_get_far_objects(on_device: Engine) -> None:
    rows = np.array([[0.0], [1.0], [2.0], [10.0], [50.0], [51.0]])
    start = np.array([[0.5], [100.0], [-90.0], [200.0]])
    peer = KMeans(4, init=start, n_init=1).fit(rows)
    found = DeviceMeans(rows, on_device).fit(start, 4, 1, 300, 1e-4, np.random.RandomState(0))
    np.testing.assert_allclose(np.sort(found.centres, 0), np.sort(peer.cluster_centers_, 0))
    assert found.inertia == pytest.approx(peer.inertia_)


def test_of_equally_near_centres_the_first(on_device: Engine) -> None:
    made = DeviceMeans(np.array([[0.0], [2.0], [4.0]]), on_device)
    assert made.nearest(np.array([[3.0], [1.0], [1.0], [3.0]])).tolist() == [1, 0, 0]


@pytest.mark.parametrize("size", [1e-30, 1e-3, 1e12, 1e25])
def test_near_ties_are_decided_in_double_precision(on_device: Engine, size: float) -> None:
    """Objects between two centres, nearer to one of them by less than single precision can tell."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(20, 7))
    a, b = rng.integers(0, 20, (2, 400))
    rows = (centres[a] + centres[b]) / 2 + (centres[a] - centres[b]) * 10.0 ** -rng.integers(
        2, 13, (400, 1)
    )
    rows = np.concatenate([rows, rng.normal(size=(100, 7))])
    expected = [int(((row - centres) ** 2).sum(1).argmin()) for row in rows]
    sure = np.append(a != b, np.ones(100, bool))
    found = DeviceMeans(rows * size, on_device).nearest(centres * size)
    np.testing.assert_array_equal(found[sure], np.array(expected)[sure])


def test_blocks(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = blobs(300, 4, 5, 0)
    whole = DeviceMeans(rows, on_device).fit("random", 6, 1, 50, 0.0, np.random.RandomState(0))
    monkeypatch.setattr(on_device_means, "_ROOM", 1000)
    found = DeviceMeans(rows, on_device).fit("random", 6, 1, 50, 0.0, np.random.RandomState(0))
    np.testing.assert_array_equal(found.centres, whole.centres)


def test_full_memory(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks become smaller where that helps; else there is an error that says how many objects would fit."""
    rows, device = blobs(300, 4, 5, 0), on_device.device
    assert device is not None
    made = DeviceMeans(rows, on_device)
    whole = made.fit("random", 6, 1, 50, 0.0, np.random.RandomState(0))
    sizes = full_above(
        monkeypatch, device, device.torch, "addmm", 100, lambda *some, **_: len(some[1])
    )
    found = made.fit("random", 6, 1, 50, 0.0, np.random.RandomState(0))
    assert max(sizes) == 300
    np.testing.assert_array_equal(found.centres, whole.centres)
    full_above(monkeypatch, device, made, "_means", 0, lambda *_: 1)
    words = "too small: K-means of 300 objects does not fit.*objects would fit"
    with pytest.raises(FirthError, match=words):
        made.fit("random", 6, 1, 50, 0.0, np.random.RandomState(0))
    monkeypatch.setattr(type(device), "memory", lambda _: (9600, 10000))
    with pytest.raises(FirthError, match=r"needs about 28.8 kB, and 9.6 kB of .*About 100 objects"):
        DeviceMeans(rows, on_device)


def test_flat_clusters(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimator numbers clusters by their first objects on a device, too."""
    rows = blobs(400, 6, 8, 1)
    plain = FlatClusters(8, n_init=2).fit(rows)
    monkeypatch.setattr("firth.cluster._flat.engine_for", lambda *_: on_device)
    moved = FlatClusters(8, n_init=2).fit(rows)
    np.testing.assert_array_equal(moved.labels_, plain.labels_)
    np.testing.assert_allclose(moved.cluster_centers_, plain.cluster_centers_)
    np.testing.assert_array_equal(moved.predict(rows), moved.labels_)
    assert moved.labels_[0] == 0
