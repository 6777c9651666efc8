"""Ward's method with a window, against the oracle and SciPy; and splitting in two from the top."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from firth.classes import _ward
from firth.classes._merging import names_after
from firth.classes._tree import Tree
from firth.compute import Engine
from tests.classes.samples import same_partition
from tests.oracles import classes as oracle

SEEDS = st.integers(0, 10_000)


def points(n: int, dim: int, seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal((n, dim))


def ward_gap(vectors: Any, m: int, merges: Any) -> float:
    """By how much the merges were cheaper than the next best ones, at least."""
    n, least = len(vectors), np.inf
    clusters = {x: {x} for x in range(m)}
    for step, (a, b, *_) in enumerate(merges):
        if m + step < n:
            clusters[m + step] = {m + step}
        names = sorted(clusters)
        others = [
            oracle.ward_cost(vectors, clusters[c], clusters[d])
            for i, c in enumerate(names)
            for d in names[i + 1 :]
            if (c, d) != (a, b)
        ]
        cost = oracle.ward_cost(vectors, clusters[a], clusters[b])
        least = min([least, *(other - cost for other in others)])
        clusters[a] |= clusters.pop(b)
    return least


def assert_names_clusters(merges: Any, n: int, window: int) -> None:
    """Merges that can be made in this order, with names of clusters that are there."""
    assert merges.shape == (n - 1, 2)
    active = set(range(window))
    for step, (a, b) in enumerate(merges.tolist()):
        if window + step < n:
            active.add(window + step)
        assert a < b
        assert {a, b} <= active
        active.remove(b)
    assert active == {0}


@settings(max_examples=60)
@given(seed=SEEDS, n=st.integers(2, 14), m=st.integers(1, 14), dim=st.integers(1, 5))
def test_merges_are_those_of_the_oracle(seed: int, n: int, m: int, dim: int) -> None:
    m = min(m, n)
    vectors = points(n, dim, seed)
    expected, searches = oracle.ward(vectors, m)
    merges, costs, gamma = _ward.ward(vectors, m)
    assert_names_clusters(merges, n, m)
    if ward_gap(vectors, m, expected) > 1e-9:
        assert merges.tolist() == [[a, b] for a, b, _ in expected]
        np.testing.assert_allclose(costs, [cost for *_, cost in expected], atol=1e-9)
        assert gamma == pytest.approx(searches)
    assert 1 <= gamma <= n


@settings(max_examples=30)
@given(seed=SEEDS, n=st.integers(2, 40), m=st.integers(1, 12), dim=st.integers(1, 6))
def test_costs_are_those_of_the_clusters(seed: int, n: int, m: int, dim: int) -> None:
    """Distances are put right merge by merge; they must be what they would be if made anew."""
    m = min(m, n)
    vectors = points(n, dim, seed) * 10.0 + 3.0
    merges, costs, _ = _ward.ward(vectors, m)
    assert_names_clusters(merges, n, m)
    clusters = {x: {x} for x in range(n)}
    for (a, b), cost in zip(merges.tolist(), costs, strict=True):
        assert cost == pytest.approx(oracle.ward_cost(vectors, clusters[a], clusters[b]), abs=1e-6)
        clusters[a] |= clusters.pop(b)


@pytest.mark.parametrize("block", [1, 2, 3, 7])
@pytest.mark.parametrize("m", [1, 2, 5, 20])
def test_blocks_do_not_change_the_result(
    block: int, m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = points(60, 4, seed=1)
    merges, costs, gamma = _ward.ward(vectors, m)
    monkeypatch.setattr(_ward, "_BLOCK", block)
    in_blocks = _ward.ward(vectors, m)
    assert np.array_equal(in_blocks[0], merges)
    np.testing.assert_allclose(in_blocks[1], costs, atol=1e-9)
    assert in_blocks[2] == gamma


@pytest.mark.parametrize("n", [2, 10, 150])
@pytest.mark.parametrize("seed", range(3))
def test_a_window_of_all_points_is_plain_ward(n: int, seed: int) -> None:
    """SciPy's heights are the roots of twice our costs."""
    vectors = points(n, 5, seed)
    merges, costs, _ = _ward.ward(vectors, n)
    expected = linkage(vectors, "ward")
    np.testing.assert_allclose(np.sqrt(2 * costs), expected[:, 2], rtol=1e-7)
    clusters = [frozenset([i]) for i in range(n)]
    for a, b in expected[:, :2].astype(int):
        clusters.append(clusters[a] | clusters[b])
    found = {i: frozenset([i]) for i in range(n)}
    for step, (a, b) in enumerate(merges.tolist()):
        found[a] |= found[b]
        assert found[a] == clusters[n + step]


@pytest.mark.parametrize("m", [1, 2, 8, 30, 45])
def test_points_that_are_the_same_or_zero(m: int) -> None:
    vectors = np.repeat(points(9, 3, seed=0), 5, axis=0)
    vectors[10:20] = 0
    merges, costs, _ = _ward.ward(vectors, m)
    assert_names_clusters(merges, 45, m)
    assert np.all(np.isfinite(costs))
    assert np.all(costs >= 0)
    if m >= 9:  # eight different points have room
        assert np.count_nonzero(costs > 1e-9) == 7
        names = names_after(merges[: 45 - 8], 45)
        assert same_partition(names.tolist(), [row.tobytes() for row in vectors])


@pytest.mark.parametrize("m", [1, 3, 10])
def test_ten_points_at_one_place(m: int) -> None:
    for vectors in (np.zeros((10, 2)), np.full((10, 2), 0.1)):
        merges, costs, _ = _ward.ward(vectors, m)
        assert_names_clusters(merges, 10, m)
        np.testing.assert_allclose(costs, 0, atol=1e-12)


@pytest.mark.parametrize("m", [5, 40])
def test_the_result_does_not_depend_on_the_number_of_threads(m: int) -> None:
    vectors = points(900, 30, seed=2).astype(np.float32)
    one, two = (_ward.ward(vectors, m, Engine(threads)) for threads in (1, 2))
    assert one[0].tobytes() == two[0].tobytes()
    assert one[1].tobytes() == two[1].tobytes()
    assert one[2] == two[2]


def test_gamma_is_small_where_clusters_are_clear() -> None:
    """The paper's point: the nearest pair is found in a few searches, not in as many as clusters."""
    vectors = points(400, 10, seed=3)
    _, _, gamma = _ward.ward(vectors, 50)
    assert 1 <= gamma < 5


def assert_is_a_split(class_of: Any, merges: Any, costs: Any, n: int, k: int) -> None:
    assert class_of.shape == (n,)
    assert np.array_equal(np.unique(class_of), np.arange(k)), "k classes, and none is empty"
    firsts = [int(np.flatnonzero(class_of == c)[0]) for c in range(k)]
    assert firsts == sorted(firsts), "numbered by their first points"
    assert_names_clusters(merges, k, k)
    assert np.all(costs >= 0)
    tree, new_of = Tree.from_merges(merges, costs)
    assert len(tree) == k
    assert sorted(new_of.tolist()) == list(range(k))


@settings(max_examples=60)
@given(
    seed=SEEDS,
    n=st.integers(2, 40),
    k=st.integers(1, 12),
    dim=st.integers(1, 4),
    same=st.booleans(),
)
def test_splits_are_a_tree_of_all_points(seed: int, n: int, k: int, dim: int, same: bool) -> None:
    k = min(k, n)
    vectors = points(n, dim, seed)
    if same:
        vectors = vectors[np.random.default_rng(seed).integers(0, min(n, 3), n)]
    class_of, merges, costs = _ward.split_in_two(vectors, k)
    assert_is_a_split(class_of, merges, costs, n, k)
    clusters = {c: set(np.flatnonzero(class_of == c).tolist()) for c in range(k)}
    for (a, b), cost in zip(merges.tolist(), costs, strict=True):
        assert cost == pytest.approx(oracle.ward_cost(vectors, clusters[a], clusters[b]), abs=1e-4)
        clusters[a] |= clusters.pop(b)


@pytest.mark.parametrize("n", [2, 7, 16])
@pytest.mark.parametrize("value", [0.0, 0.3])
def test_the_same_point_again_and_again_can_be_split(n: int, value: float) -> None:
    for k in range(1, n + 1):
        class_of, merges, costs = _ward.split_in_two(np.full((n, 3), value), k)
        assert_is_a_split(class_of, merges, costs, n, k)
        np.testing.assert_allclose(costs, 0, atol=1e-6)


@pytest.mark.parametrize("cluster", ["ward", "two-means"])
@pytest.mark.parametrize("seed", range(5))
def test_groups_that_lie_apart_are_found(cluster: str, seed: int) -> None:
    chance = np.random.default_rng(seed)
    group = np.concatenate([np.arange(6), chance.integers(0, 6, 300)])
    vectors = 20 * np.eye(6, 8)[group] + chance.standard_normal((306, 8))
    if cluster == "ward":
        found = names_after(_ward.ward(vectors, 6)[0][:300], 306)
    else:
        found = _ward.split_in_two(vectors, 6)[0]
    assert same_partition(found.tolist(), group.tolist())


def test_the_widest_cluster_is_split_first() -> None:
    """Two pairs: one far apart, one close together, and both far from each other."""
    vectors = np.array([[0.0], [1.0], [100.0], [110.0]])
    class_of, merges, costs = _ward.split_in_two(vectors, 3)
    assert class_of.tolist() == [0, 0, 1, 2]
    assert merges.tolist() == [[1, 2], [0, 1]]
    # 1 * 1 / 2 * 10**2, and 2 * 2 / 4 * (105 - 0.5)**2
    np.testing.assert_allclose(costs, [50.0, 104.5**2], rtol=1e-5)
