"""Neighbours and analogies on a device, against all cosines in double precision and against the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from firth.compute import Engine
from firth.errors import FirthError
from firth.evaluate import Analogies, evaluate_vectors
from firth.maps import _device_neighbours, nearest_neighbours
from firth.vectors import WordVectors, _device_search
from tests.gpu.conftest import full_above


def unit_vectors(n: int, dim: int, seed: int = 0) -> Any:
    vectors = np.random.default_rng(seed).standard_normal((n, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def all_neighbours(unit: Any, k: int) -> tuple[Any, Any]:
    """By definition: cosines in double precision, rounded, the largest first, ties in order of id."""
    cosines = (unit.astype(np.float64) @ unit.T.astype(np.float64)).astype(np.float32)
    np.fill_diagonal(cosines, -np.inf)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(cosines, order, axis=1)


def check(unit: Any, k: int, engine: Engine) -> None:
    ids, cosines = nearest_neighbours(unit, k, engine)
    expected, values = all_neighbours(unit, min(k, len(unit) - 1))
    np.testing.assert_allclose(cosines, values, atol=1.2e-7)  # another order of sums, rounded
    same = ids == expected
    # where sums were rounded in another way, words of nearly the same cosine may change places
    gaps = np.abs(np.diff(values, axis=1, prepend=np.inf, append=-np.inf))
    assert (same | (np.minimum(gaps[:, 1:], gaps[:, :-1]) < 3e-7)).all()
    assert same.mean() > 0.99


@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize(("n", "dim"), [(2, 3), (30, 4), (700, 8), (2500, 20)])
def test_all_neighbours_are_found(on_device: Engine, n: int, dim: int, k: int) -> None:
    check(unit_vectors(n, dim), k, on_device)


@pytest.mark.parametrize("group", [2, 5, 32])
def test_groups_hide_nothing(
    on_device: Engine, monkeypatch: pytest.MonkeyPatch, group: int
) -> None:
    monkeypatch.setattr(_device_neighbours, "_GROUP", group)
    monkeypatch.setattr(_device_neighbours, "_AT_ONCE", 300)
    monkeypatch.setattr(_device_neighbours, "_PARTS", 5000)
    check(unit_vectors(1001, 6), 3, on_device)


def test_rough_products_change_nothing(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates come from rounded products; what they could have missed is found all the same."""
    whole = _device_neighbours._Search._largest

    def rounded(self: Any, scores: Any, size: int) -> Any:
        error = (scores * 1e4).sin() * 0.05
        return whole(self, scores + error, size)

    monkeypatch.setattr(_device_neighbours._Search, "_largest", rounded)
    monkeypatch.setattr(_device_neighbours, "_FAST_ERROR", 0.05)
    check(unit_vectors(900, 10), 4, on_device)


def test_ties_are_in_order_of_id(on_device: Engine) -> None:
    unit = np.zeros((600, 3), np.float32)
    unit[np.arange(500), np.arange(500) % 3] = 1  # and the last hundred are zero
    ids, cosines = nearest_neighbours(unit, 4, on_device)
    expected, values = all_neighbours(unit, 4)
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_array_equal(cosines, values)


def test_they_are_those_of_the_processor(on_device: Engine) -> None:
    unit = unit_vectors(3000, 30)
    ours, theirs = (nearest_neighbours(unit, 15, engine) for engine in (on_device, Engine(2)))
    assert (ours[0] == theirs[0]).mean() > 0.999
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-6)


def test_full_memory_makes_blocks_smaller(
    on_device: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, sizes = _device_neighbours._Search._largest, []
    assert on_device.device is not None
    full = on_device.device.torch.cuda.OutOfMemoryError

    def limited(self: Any, scores: Any, size: int) -> Any:
        sizes.append(len(scores))
        if len(scores) > 100:
            raise full("CUDA out of memory.")
        return whole(self, scores, size)

    monkeypatch.setattr(_device_neighbours._Search, "_largest", limited)
    check(unit_vectors(900, 10), 4, on_device)
    assert max(sizes) > 100


def test_vectors_that_do_not_fit(on_device: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    device, unit = on_device.device, unit_vectors(50, 10)
    assert device is not None
    vectors = WordVectors.from_arrays([f"w{i}" for i in range(50)], unit)
    full_above(monkeypatch, device, type(device), "put", 40, lambda _, array, *__: len(array))
    for work in (
        lambda: nearest_neighbours(unit, 4, on_device),
        lambda: vectors.answers([(0, 1, 2)], threads=on_device),
    ):
        with pytest.raises(FirthError, match=r"too small: 50 vectors needs? about 2 kB.*restrict"):
            work()


# Analogies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["mul", "add"])
def test_answers_are_those_of_the_processor(on_device: Engine, method: str) -> None:
    n, unit = 2000, unit_vectors(2000, 12, seed=3)
    unit[[5, 1700]] = unit[7], unit[7]  # ties
    vectors = WordVectors.from_arrays([f"w{i}" for i in range(n)], unit)
    questions = np.random.default_rng(4).integers(0, n, (3000, 3))
    ours = vectors.answers(questions, method, on_device)
    theirs = vectors.answers(questions, method, 1)
    assert (ours == theirs).mean() > 0.999
    assert not (ours[:, None] == questions).any()
    assert (vectors.answers(questions[:0], method, on_device) == []).all()


@pytest.mark.parametrize("method", ["mul", "add"])
def test_analogies_in_full_memory(
    on_device: Engine, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """What a block has found before memory was full is found again, and nothing else."""
    device, unit = on_device.device, unit_vectors(500, 12, seed=3)
    assert device is not None
    vectors = WordVectors.from_arrays([f"w{i}" for i in range(500)], unit)
    questions = np.random.default_rng(4).integers(0, 500, (300, 3))
    whole = vectors.answers(questions, method, on_device)
    monkeypatch.setattr(_device_search, "_QUESTIONS_AT_ONCE", 100)
    widths: list[int] = []

    def of_third(some: Any, **_: Any) -> int:
        """The number of words of a block, but only of every third group of questions."""
        widths.append(int(some.shape[1]))
        return widths[-1] if len(widths) % 3 == 0 else 0

    full_above(monkeypatch, device, device.torch.Tensor, "amax", 100, of_third)
    np.testing.assert_array_equal(vectors.answers(questions, method, on_device), whole)
    assert widths[0] == 500
    assert widths[-1] <= 100


def test_a_question_without_an_answer(on_device: Engine) -> None:
    vectors = WordVectors.from_arrays(["a", "b", "c"], unit_vectors(3, 2))
    assert vectors.answers([(0, 1, 2)], threads=on_device).tolist() == [-1]


def test_vectors_are_evaluated_on_a_device(on_device: Engine) -> None:
    words = ["king", "man", "queen", "woman", "sea"]
    unit = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0.5, 0.4, 0]], np.float32)
    asked = Analogies("royal", [("man", "king", "woman", "queen")], ["all"])
    (found,) = evaluate_vectors(
        WordVectors.from_arrays(words, unit), [asked], "add", threads=on_device
    )
    assert found.to_dict()["accuracy"] == 1
