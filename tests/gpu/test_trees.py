"""Trees whose products are computed on a device: those of the processor."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from firth.classes._ward import ward
from firth.cluster import BottomUpClusters, linkage
from firth.compute import Device, Engine
from firth.errors import FirthError, ParameterError
from tests.gpu.conftest import full_above


def unit_rows(n: int, dim: int, seed: int) -> Any:
    """Rows around a few centres, some of them twice."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(5, dim))[rng.integers(0, 5, n)] + rng.normal(size=(n, dim))
    rows[n // 2] = rows[0]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(("n", "dim"), [(2, 3), (17, 1), (60, 2), (300, 20)])
@pytest.mark.parametrize("seed", range(3))
def test_group_average_is_the_same_bytes(on_device: Engine, seed: int, n: int, dim: int) -> None:
    """Products on the device only say which pairs to compare in double precision."""
    rows = unit_rows(n, dim, seed)
    found = linkage(rows, threads=on_device)
    np.testing.assert_array_equal(found, linkage(rows, threads=1))


def test_group_average_is_the_formula(on_device: Engine) -> None:
    """Every merge is that of the pair with the largest average of all similarities in its union."""
    rows = unit_rows(30, 4, 7)
    cosines, members = rows @ rows.T, {i: [i] for i in range(30)}

    def average(pair: tuple[int, int]) -> float:
        union = members[pair[0]] + members[pair[1]]
        return float(
            (cosines[np.ix_(union, union)].sum() - len(union)) / (len(union) * (len(union) - 1))
        )

    for k, (a, b, height, size) in enumerate(linkage(rows, threads=on_device)):
        best = max(map(average, itertools.combinations(members, 2)))
        assert average((int(a), int(b))) == pytest.approx(best, abs=1e-12)
        assert height == pytest.approx(1 - best, abs=1e-12)
        members[30 + k] = members.pop(int(a)) + members.pop(int(b))
        assert size == len(members[30 + k])


@pytest.mark.parametrize("window", [1, 7, 40, 500])
def test_windowed_ward_merges_the_same_pairs(on_device: Engine, window: int) -> None:
    rng = np.random.default_rng(window)
    rows = rng.normal(size=(600, 12)).astype(np.float32)
    order = rng.permutation(600)
    merges, costs, gamma = ward(rows, window, on_device, order)
    expected = ward(rows, window, order=order)
    np.testing.assert_array_equal(merges, expected[0])
    np.testing.assert_allclose(costs, expected[1], rtol=1e-9)
    assert gamma == expected[2]


def test_full_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    full_above(monkeypatch, device, device, "put", 0, lambda *_: 1)
    with pytest.raises(FirthError, match="too small: group-average clustering of 50 objects"):
        linkage(unit_rows(50, 4, 0), threads=Engine(1, device=device))


def test_ward_in_full_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    full_above(monkeypatch, device, device, "put", 0, lambda *_: 1)
    rows = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    with pytest.raises(FirthError, match="too small: a window of 20 classes does not fit"):
        ward(rows, 20, Engine(1, device=device))


@pytest.mark.parametrize(("method", "metric"), [("single", "cosine"), ("group-average", "l1")])
def test_other_trees_are_for_the_processor(method: Any, metric: Any) -> None:
    with pytest.raises(
        ParameterError, match="'cpu', except for group-average with the metric cosine"
    ):
        BottomUpClusters(2, method, metric, device="cuda").fit([[0.0, 1.0], [1.0, 0.0]])
