"""The geometry of the anchor method: what lies furthest apart, and mixtures of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from firth.compute import Engine
from firth.errors import InputError
from firth.tags import find_anchors, mixtures
from firth.tags._anchors import refine
from tests.oracles import hmm as oracle
from tests.oracles import induction
from tests.oracles.hmm import Floats


def mixed(n: int, m: int, dim: int, seed: int, concentration: float = 1.0) -> tuple[Floats, Floats]:
    """Points that are mixtures of some corners, the corners themselves first; and the weights."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(m, concentration), n)
    weights[:m] = np.eye(m)
    return weights @ rng.standard_normal((m, dim)), weights


# Mixtures -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_mixtures_are_the_nearest_points(m: int) -> None:
    """Against all faces; points lie inside and outside of what the corners span."""
    rng = np.random.default_rng(m)
    for dim in (m - 1, m, m + 3):
        if not dim:
            continue
        corners = rng.standard_normal((m, dim))
        rows = np.concatenate(
            [rng.standard_normal((30, dim)) * 2, rng.dirichlet(np.ones(m), 30) @ corners]
        )
        found = mixtures(rows, corners, Engine(1))
        for row, weights in zip(rows, found, strict=True):
            expected, distance = oracle.nearest_mixture(row, corners)
            assert np.linalg.norm(weights @ corners - row) == pytest.approx(distance, abs=1e-4)
            np.testing.assert_allclose(weights @ corners, expected @ corners, atol=2e-4)
            if dim >= m:  # the weights are unique
                np.testing.assert_allclose(weights, expected, atol=1e-3)


def test_mixtures_agree_with_a_general_solver() -> None:
    rng = np.random.default_rng(0)
    m, dim = 8, 12
    corners = rng.standard_normal((m, dim))
    rows = rng.standard_normal((8, dim))
    found = mixtures(rows, corners, Engine(1))
    for row, weights in zip(rows, found, strict=True):
        solved = minimize(
            lambda w, row=row: ((w @ corners - row) ** 2).sum(),
            np.full(m, 1 / m),
            jac=lambda w, row=row: 2 * corners @ (w @ corners - row),
            bounds=[(0, 1)] * m,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        mine = ((weights @ corners - row) ** 2).sum()
        assert mine == pytest.approx(solved.fun, abs=1e-6)
        np.testing.assert_allclose(weights, solved.x, atol=1e-3)


@pytest.mark.parametrize("m", [2, 5, 20, 45])
def test_mixtures_are_optimal(m: int) -> None:
    """No corner that is used is worse than another: the conditions of Karush, Kuhn and Tucker."""
    rng = np.random.default_rng(m)
    corners = rng.standard_normal((m, 60))
    rows = rng.standard_normal((50, 60)) * 0.5 + rng.dirichlet(np.ones(m), 50) @ corners
    weights = mixtures(rows, corners, Engine(1))
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    gradient = (weights @ corners - rows) @ corners.T
    gap = (weights * gradient).sum(axis=1) - gradient.min(axis=1)
    assert gap.max() <= 2e-9 * (corners**2).sum(axis=1).max()
    assert m < 20 or (weights > 0).sum() < weights.size * 0.8, "many are not needed"


def test_weights_of_mixtures_are_found_again() -> None:
    for m, concentration in ((1, 1.0), (3, 1.0), (6, 0.3), (12, 0.1)):
        rows, weights = mixed(80, m, m + 4, seed=m, concentration=concentration)
        found = mixtures(rows, rows[:m], Engine(1))
        np.testing.assert_allclose(found, weights, atol=1e-3)
        assert np.array_equal(found[:m], np.eye(m)), "a corner is itself"


def test_sparse_rows_and_threads_change_nothing() -> None:
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((20_000, 15)) < 0.3, rng.random((20_000, 15)), 0.0)
    corners = rows[:6]
    found = [mixtures(rows, corners, Engine(threads)) for threads in (1, 2, 4)]
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    sparse = csr_array(rows)
    np.testing.assert_allclose(mixtures(sparse, sparse[:6], Engine(2)), found[0], atol=1e-4)
    assert find_anchors(sparse[:200], 6).tolist() == find_anchors(rows[:200], 6).tolist()


def test_corners_that_are_the_same_share_nothing_twice() -> None:
    corners = np.array([[1.0, 0], [1.0, 0], [0, 1.0]])
    found = mixtures(np.array([[1.0, 0], [0.5, 0.5], [0, 2.0], [0, 0]]), corners, Engine(1))
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(
        found @ corners, [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.5, 0.5]], atol=1e-4
    )
    assert mixtures(np.empty((0, 2)), corners, Engine(1)).shape == (0, 3)


# Anchors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_anchors_are_those_of_gram_and_schmidt(n: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((int(rng.integers(n, 40)), n + int(rng.integers(0, 4))))
        if seed % 2:
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        assert find_anchors(rows, n).tolist() == oracle.anchors(rows, n)


def test_no_exchange_of_one_anchor_makes_the_volume_larger() -> None:
    for seed in range(5):
        rows = np.random.default_rng(seed).standard_normal((25, 4))
        found = find_anchors(rows, 3).tolist()
        largest = oracle.volume(rows, found)
        for k in range(3):
            for other in range(25):
                changed = [*found[:k], other, *found[k + 1 :]]
                assert oracle.volume(rows, changed) <= largest * (1 + 1e-4)


@pytest.mark.parametrize("m", [1, 2, 4, 8])
def test_corners_are_found_among_mixtures(m: int) -> None:
    for seed in range(10):
        rows, weights = mixed(100, m, m + 3, seed)
        order = np.random.default_rng(seed).permutation(100)
        found = find_anchors(rows[order], m)
        if m > 1:  # else all rows are the corner
            assert sorted(order[found].tolist()) == list(range(m))
        np.testing.assert_allclose(weights[order[found]].max(axis=0), 1)


def test_the_first_of_those_equally_far_is_taken() -> None:
    assert find_anchors(np.eye(5), 3).tolist() == [0, 1, 2]
    assert find_anchors(np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]), 2).tolist() == [0, 2]
    assert find_anchors(np.array([[0.5, 0], [1, 0], [-1, 0], [0, 0.2], [0, -0.2]]), 2).tolist() == [
        1,
        3,
    ]


def test_scale_does_not_matter() -> None:
    rows = np.random.default_rng(1).standard_normal((30, 5))
    expected = find_anchors(rows, 5).tolist()
    for factor in (1e-8, 1e-3, 1e6):
        assert find_anchors(rows * factor, 5).tolist() == expected


def test_too_few_different_rows_are_refused() -> None:
    flat, _ = mixed(30, 3, 8, seed=1)
    assert len(find_anchors(flat, 3)) == 3
    for rows, n in (
        (flat, 4),
        (np.ones((10, 4)), 2),
        (np.zeros((4, 4)), 1),
        (np.eye(3), 4),
        (np.empty((0, 3)), 1),
    ):
        with pytest.raises(InputError, match="differ in") as error:
            find_anchors(rows, n)
        assert error.value.hint


# Moving anchors -----------------------------------------------------------------------------------


def test_refined_centres_are_means_of_what_is_nearest() -> None:
    rng = np.random.default_rng(2)
    true = rng.standard_normal((4, 6)) * 3
    group = rng.integers(0, 4, 200)
    rows, importance = true[group] + rng.standard_normal((200, 6)) * 0.3, rng.uniform(1, 9, 200)
    centres, nearest = refine(rows, importance, true + rng.standard_normal((4, 6)))
    assert np.array_equal(nearest, group)
    for k in range(4):
        mean = np.average(rows[group == k], axis=0, weights=importance[group == k])
        np.testing.assert_allclose(centres[k], mean, atol=1e-9)
    far = ((rows[:, None] - centres) ** 2).sum(axis=2)
    assert np.array_equal(far.argmin(axis=1), nearest)


@pytest.mark.parametrize("seed", range(8))
def test_centres_are_those_of_a_slow_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((300, 5)) ** (1 + 2 * (seed % 2))
    rows[::7] = rows[3]  # some rows are the same
    importance, start = rng.uniform(0, 3, 300), rows[rng.integers(0, 300, 1 + 3 * seed)]
    centres, nearest = refine(rows, importance, start)
    slow_centres, slow_nearest = induction.k_means(rows, importance, start)
    assert np.array_equal(nearest, slow_nearest)
    np.testing.assert_allclose(centres, slow_centres, atol=1e-9)


def test_a_centre_that_loses_all_rows_stays() -> None:
    rows = np.array([[0.0, 0], [0.2, 0], [1, 1]])
    centres, nearest = refine(rows, np.ones(3), np.array([[0.0, 0], [1, 1], [9, 9]]))
    assert nearest.tolist() == [0, 0, 1]
    assert centres.tolist() == [[0.1, 0], [1, 1], [9, 9]]
