"""The layout of a map on a device: forces against all pairs, affinities and iterations against the processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from firth.compute import Device, Engine
from firth.errors import FirthError
from firth.maps import _device_layout as on_gpu
from firth.maps import affinities, layout, nearest_neighbours, principal_positions
from firth.maps._device_layout import DevicePoints
from firth.maps._layout import gradient
from tests.gpu.conftest import full_above
from tests.gpu.test_neighbours import unit_vectors
from tests.oracles import mapping as oracle

CONFIGURATIONS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "spread": (lambda chance: 30 * chance.standard_normal((400, 2)), 0.03),
    "tiny": (lambda chance: 1e-4 * chance.standard_normal((400, 2)), 1e-4),
    "thin": (lambda chance: chance.standard_normal((400, 2)) * [20, 0.1], 0.03),
    "one place": (lambda chance: np.repeat(chance.standard_normal((20, 2)), 20, axis=0), 0.03),
}


def pairs_of(n: int, k: int, engine: Engine) -> Any:
    unit = unit_vectors(n, 12)
    return affinities(*nearest_neighbours(unit, k, 1), k / 3, engine)


def forces_of_all_pairs(p: Any, positions: Any) -> tuple[Any, Any, float]:
    """By definition, in double precision."""
    at = positions.astype(np.float64)
    apart = at[:, None] - at
    near = 1 / (1 + (apart**2).sum(axis=2))
    pull = -((p.toarray() * near)[:, :, None] * apart).sum(axis=1)
    push = ((near**2)[:, :, None] * apart).sum(axis=1)
    return pull, push, float(near.sum() - len(at))


def relative(found: Any, expected: Any) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("at_once", [64, 1 << 24])
def test_forces_are_those_of_all_pairs(
    on_device: Engine, monkeypatch: pytest.MonkeyPatch, name: str, at_once: int
) -> None:
    """Attraction up to rounding, repulsion and the normaliser up to the error of the grid."""
    monkeypatch.setattr(on_gpu, "_PAIRS", at_once)
    make, tolerance = CONFIGURATIONS[name]
    positions = make(np.random.default_rng(1)).astype(np.float32)
    p, device = pairs_of(400, 40, on_device), on_device.device
    assert device is not None
    pull, push, total = (device.get(f) for f in DevicePoints(device, p, positions).forces())
    expected = forces_of_all_pairs(p, positions)
    assert relative(pull.T, expected[0]) < 1e-5
    assert relative(push.T, expected[1]) < tolerance
    assert float(total) == pytest.approx(expected[2], rel=0.02)
    ours, theirs = DevicePoints(device, p, positions).gradient(), gradient(p, positions, exact=0)
    assert relative(ours, theirs) < 1e-4, "the grid is the same as on the processor"


def test_the_gradient_is_that_of_the_paper(on_device: Engine) -> None:
    p = pairs_of(25, 6, on_device)
    positions = np.random.default_rng(1).standard_normal((25, 2)).astype(np.float32)
    assert on_device.device is not None
    found = DevicePoints(on_device.device, p, positions).gradient()
    expected = oracle.gradient(p.toarray().tolist(), positions.astype(np.float64).tolist())
    assert relative(found, np.array(expected)) < 1e-3


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (50, 49), (700, 30)])
def test_affinities_are_those_of_the_processor(on_device: Engine, n: int, k: int) -> None:
    near = nearest_neighbours(unit_vectors(n, 4), k, 1)
    near[1][: n // 2, k // 2 :] = -40.0  # so far away that some are exactly zero
    ours, theirs = (affinities(*near, 1.5, engine) for engine in (on_device, 1))
    for ours_, theirs_ in zip(
        (ours.indptr, ours.indices, ours.data),
        (theirs.indptr, theirs.indices, theirs.data),
        strict=True,
    ):
        np.testing.assert_array_equal(ours_, theirs_)


def test_the_start_is_that_of_the_processor(on_device: Engine) -> None:
    unit = unit_vectors(9000, 10) * np.linspace(1, 0.2, 10, dtype=np.float32)
    ours, theirs = (principal_positions(unit, engine) for engine in (on_device, Engine(1)))
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_first_iterations_are_those_of_the_processor(on_device: Engine) -> None:
    """Later ones drift apart, because small differences grow."""
    n = 3300
    p = pairs_of(n, 15, on_device)
    start = principal_positions(unit_vectors(n, 12))
    ours, theirs = (layout(p, start, 12, 3, threads=engine) for engine in (on_device, Engine(2)))
    assert np.abs(theirs - start).max() > 0.5 * np.abs(start).max()
    assert relative(ours - start, theirs - start) < 1e-2


def test_what_would_fit_is_told(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "memory", lambda _: (300, 1000))
    words = (
        r"too small: 50 vectors needs about 800 bytes.*About 18 would fit. Use fewer words: rest"
    )
    with pytest.raises(FirthError, match=words):
        nearest_neighbours(unit_vectors(50, 4), 3, on_device)


def test_pairs_stay_here_if_there_is_no_room(
    on_device: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are sent in parts in every iteration, and positions are the same bytes."""
    n = 3100
    p, start = pairs_of(n, 15, on_device), 1000 * principal_positions(unit_vectors(n, 12))
    expected = layout(p, start, 2, 1, threads=on_device)
    device = on_device.device
    assert device is not None
    sizes = full_above(
        monkeypatch, device, DevicePoints, "_divided", 1000, lambda _, first, last: last - first
    )
    np.testing.assert_array_equal(layout(p, start, 2, 1, threads=on_device), expected)
    assert sizes[0] == n
    assert sum(size <= 1000 for size in sizes) > 9


def test_a_start_in_parts(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, device = principal_positions(unit_vectors(50, 4), on_device), on_device.device
    assert device is not None
    full_above(monkeypatch, device, device, "send", 0, lambda *_: 1)
    np.testing.assert_array_equal(principal_positions(unit_vectors(50, 4), on_device), expected)


def test_the_same_numbers_come_out_again(on_device: Engine) -> None:
    n = 3100
    p, start = pairs_of(n, 15, on_device), 1000 * principal_positions(unit_vectors(n, 12))
    first, again = (layout(p, start, 6, 3, threads=on_device) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, start)
