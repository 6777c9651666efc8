"""Trees from the bottom up, against figure 14.2 done literally and against SciPy."""

from __future__ import annotations

import itertools
import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.sparse
from scipy.spatial.distance import pdist, squareform

from firth.cluster import (
    _distances,
    _group_average,
    _linkage,
    check_linkage,
    inversions,
    linkage,
)
from tests.cluster.choices import LINKS, METRICS
from tests.oracles import clusters as oracle

pytestmark = pytest.mark.slow

VECTOR_METRICS = ("cosine", "euclidean", "l1")
ALL = [
    (method, metric)
    for method, metric in itertools.product(LINKS, VECTOR_METRICS)
    if method != "ward" or metric == "euclidean"
]


def test_names_are_those_tested() -> None:
    assert set(LINKS) == {*oracle.LINKS, "ward"}
    assert set(METRICS) == {*oracle.METRICS, "precomputed"}


def apart_of(rows: Any, method: str, metric: str) -> oracle.Apart:
    if method == "ward":
        return oracle.ward(rows)
    return oracle.LINKS[method](oracle.distances(rows, metric))


def cosines(rows: Any) -> Any:
    """Distances by cosine, as a matrix, for many objects."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    d = 1 - unit @ unit.T
    np.fill_diagonal(d, 0.0)
    return d


def same_tree(one: Any, other: Any, tolerance: float = 1e-9) -> None:
    """Where nothing ties there is only one tree; which part is named first does not matter."""
    np.testing.assert_array_equal(np.sort(one[:, :2], axis=1), np.sort(other[:, :2], axis=1))
    np.testing.assert_allclose(one[:, 2:], other[:, 2:], rtol=tolerance, atol=tolerance)


# Against the literal figure -----------------------------------------------------------------------


@pytest.mark.parametrize(("method", "metric"), ALL)
@pytest.mark.parametrize("seed", range(6))
def test_trees_of_random_objects(method: str, metric: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(random.integers(2, 14), random.integers(2, 6)))
    tree = linkage(rows, method, metric)
    same_tree(tree, np.array(oracle.bottom_up(len(rows), apart_of(rows, method, metric))))
    check_linkage(tree)
    assert scipy.cluster.hierarchy.is_valid_linkage(tree)


@pytest.mark.parametrize(("method", "metric"), ALL)
@pytest.mark.parametrize("seed", range(8))
def test_with_ties_every_merge_is_one_of_the_closest(method: str, metric: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    n, dim = int(random.integers(3, 13)), int(random.integers(1, 4))
    rows = random.integers(-1, 2, (n, dim)).astype(float)  # a small grid: many are the same
    if metric == "cosine":
        rows[~rows.any(axis=1), 0] = 1.0
    tree = linkage(rows, method, metric)
    heights = oracle.follow(tree, apart_of(rows, method, metric))
    np.testing.assert_allclose(tree[:, 2], heights, atol=1e-7 if metric == "cosine" else 1e-9)
    check_linkage(tree)
    assert scipy.cluster.hierarchy.is_valid_linkage(np.abs(tree))


@pytest.mark.parametrize("method", [method for method in LINKS if method != "ward"])
@pytest.mark.parametrize("seed", range(6))
def test_trees_of_given_distances(method: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 12))
    d = random.random((n, n)) if seed % 2 else random.integers(0, 4, (n, n)).astype(float)
    d = np.triu(d, 1) + np.triu(d, 1).T  # not those of any points
    before = d.copy()
    tree = linkage(d, method, "precomputed")
    np.testing.assert_allclose(tree[:, 2], oracle.follow(tree, oracle.LINKS[method](d)), atol=1e-9)
    assert d.tobytes() == before.tobytes()  # it is the caller's
    same_tree(linkage(scipy.sparse.csr_array(d), method, "precomputed"), tree, 0)


@pytest.mark.parametrize(("method", "metric"), ALL)
def test_given_distances_are_those_of_the_metric(method: str, metric: str) -> None:
    rows = np.random.default_rng(3).normal(size=(40, 4))
    before = rows.copy()
    tree = linkage(rows, method, metric)
    assert rows.tobytes() == before.tobytes()
    if method != "ward":
        same_tree(linkage(squareform(pdist(rows, _distances.SCIPY[metric])), method, "precomputed"), tree)  # fmt: skip


@pytest.mark.parametrize(("method", "metric"), [pair for pair in ALL if pair[0] != "group-average"])
@pytest.mark.parametrize(("n", "dim"), [(2, 1), (60, 3), (300, 20)])
def test_trees_are_those_of_scipy(method: str, metric: str, n: int, dim: int) -> None:
    rows = np.random.default_rng(n).normal(size=(n, dim))
    if metric == "cosine" and dim == 1:
        rows = np.abs(rows)
    scipys = scipy.cluster.hierarchy.linkage(pdist(rows, _distances.SCIPY[metric]), method)
    same_tree(linkage(rows, method, metric), scipys)


@pytest.mark.parametrize(("method", "metric"), [pair for pair in ALL if pair[0] != "group-average"])
def test_merges_in_slices(method: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(1, 9, (50, 3)).astype(float)
    expected = linkage(rows, method, metric).tobytes()
    for merges in (1, 7, 48, 49):
        monkeypatch.setattr(_linkage, "_MERGES", merges)
        assert linkage(rows, method, metric).tobytes() == expected


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
@pytest.mark.parametrize("seed", range(4))
def test_trees_rise_where_rounded_distances_tie(method: str, seed: int) -> None:
    """Averages of equal tenths are not all equal; even so, no merge is lower than its parts."""
    rows = np.random.default_rng(seed).integers(0, 3, (150, 3)) / 10
    tree = check_linkage(linkage(rows, method, "euclidean"))
    assert (np.diff(tree[:, 2]) >= 0).all()
    scipys = scipy.cluster.hierarchy.linkage(pdist(rows), method)
    if method == "single":  # of the others, ties give different trees
        np.testing.assert_allclose(tree[:, 2], scipys[:, 2], atol=1e-12)


@pytest.mark.parametrize(
    ("method", "metric"), [("single", "l1"), ("single", "cosine"), ("ward", "euclidean")]
)
def test_no_table_of_distances(method: str, metric: str) -> None:
    rows = np.random.default_rng(0).normal(size=(3000, 2))
    linkage(rows[:10], method, metric)
    tracemalloc.start()
    try:
        linkage(rows, method, metric)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000  # a table would have 36 million bytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("metric", VECTOR_METRICS)
@pytest.mark.parametrize("block", [1, 7, 40, 512])
def test_distances_made_in_blocks(metric: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_distances, "_ROWS", block)
    rows = np.random.default_rng(1).normal(size=(40, 5))
    rows = _distances.unit_rows(rows) if metric == "cosine" else rows
    expected = pdist(rows, _distances.SCIPY[metric])
    for form in (np.asarray, scipy.sparse.csr_array):
        found = _distances.condensed_distances(form(rows), metric)
        np.testing.assert_allclose(found, expected, atol=1e-12)


# Group-average ------------------------------------------------------------------------------------

HALVES = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
EXACT = np.vstack([np.eye(4), -np.eye(4), HALVES, -HALVES])  # of length one; all products are exact


def assert_lowest_numbers(rows: Any) -> None:
    expected = oracle.bottom_up(len(rows), oracle.group_average(1 - rows @ rows.T))
    tree = linkage(rows)
    assert tree[:, [0, 1, 3]].tolist() == [[u, v, size] for u, v, _, size in expected]
    np.testing.assert_allclose(tree[:, 2], [row[2] for row in expected], atol=1e-14)


@pytest.mark.parametrize("seed", range(12))
def test_of_equal_averages_that_with_the_lowest_numbers(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 14))
    assert_lowest_numbers(np.eye(5)[random.integers(0, 5, n)])  # one-hot: averages are 0, 1, or tie
    assert_lowest_numbers(EXACT[random.integers(0, 16, n)])


@pytest.mark.parametrize("seed", range(12))
def test_of_equal_given_distances_that_with_the_lowest_numbers(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 16))
    d = np.triu(random.integers(1, 3, (n, n)), 1).astype(float)
    d += d.T
    expected = oracle.bottom_up(n, oracle.group_average(d))
    tree = linkage(d, "group-average", "precomputed")
    assert tree[:, [0, 1, 3]].tolist() == [[u, v, size] for u, v, _, size in expected]
    np.testing.assert_allclose(tree[:, 2], [row[2] for row in expected], atol=1e-14)


def test_lowest_numbers_also_in_groups_of_six_and_more() -> None:
    twice = [[-1, 1, 1, -1], [-1, -1, 1, 1], [0, 0, 2, 0], [-1, -1, -1, -1], [1, -1, -1, 1], [2, 0, 0, 0],
             [0, -2, 0, 0], [-1, 1, -1, 1], [0, 0, 0, -2]]  # fmt: skip
    assert_lowest_numbers(np.array(twice) / 2)


def test_a_chain_of_nearest_neighbours_would_be_wrong() -> None:
    degrees = np.radians([280, 175, 45, 40])
    rows = np.stack([np.cos(degrees), np.sin(degrees)], axis=1)
    apart = apart_of(rows, "group-average", "cosine")
    wrong = [group for group, _ in oracle.nearest_neighbour_chain(4, apart)]
    right = oracle.groups_of(oracle.bottom_up(4, apart))
    assert set(wrong) == {(2, 3), (0, 1), (0, 1, 2, 3)}
    assert right == [
        (2, 3),
        (0, 2, 3),
        (0, 1, 2, 3),
    ]  # after 2 and 3 have merged, 0 is closer to both
    assert oracle.groups_of(linkage(rows).tolist()) == right


def test_the_chain_is_right_where_merging_brings_nothing_closer() -> (
    None
):  # so that it is no straw man
    for seed in range(5):
        d = oracle.distances(np.random.default_rng(seed).normal(size=(9, 3)), "euclidean")
        chain = [group for group, _ in oracle.nearest_neighbour_chain(9, oracle.average(d))]
        assert chain == oracle.groups_of(oracle.bottom_up(9, oracle.average(d)))


def test_how_often_the_chain_is_wrong() -> None:
    wrong = 0
    for seed in range(60):
        rows = np.random.default_rng(seed).normal(size=(8, 3))
        apart = apart_of(rows, "group-average", "cosine")
        right = oracle.groups_of(linkage(rows).tolist())
        assert right == oracle.groups_of(oracle.bottom_up(8, apart))
        wrong += {group for group, _ in oracle.nearest_neighbour_chain(8, apart)} != set(right)
    assert wrong >= 3


def test_heights_of_group_average_never_fall() -> None:
    """Not reducible, and yet monotonic.

    Let A and B merge at the largest average S, with sums W of similarities within.  By induction all groups have
    averages of at least S within.  For a third group X neither A and X nor B and X together had more than S.  Add up:
    W(ABX) = W(AX) + W(BX) + W(AB) - W(A) - W(B) - W(X), and the same for the numbers of pairs; so the average of
    ABX is at most S.  The tree has inversions only where the search for the largest average went wrong.
    """
    for seed in range(60):
        random = np.random.default_rng(seed)
        n = int(random.integers(3, 40))
        d = random.random((n, n)) ** random.choice([0.2, 1, 4])
        trees = [
            linkage(random.normal(size=(n, random.integers(1, 5)))),
            linkage(np.triu(d, 1) + np.triu(d, 1).T, "group-average", "precomputed"),
        ]
        for tree in trees:
            assert (np.diff(tree[:, 2]) > -1e-14).all()
            assert inversions(tree).tolist() == []


@pytest.mark.parametrize(("method", "metric"), [pair for pair in ALL if pair[0] != "group-average"])
def test_other_methods_are_monotonic(method: str, metric: str) -> None:
    for seed in range(3):
        rows = np.random.default_rng(seed).normal(size=(60, 3))
        assert inversions(linkage(rows, method, metric)).tolist() == []


@pytest.mark.parametrize(
    ("n", "dim", "seed"),
    [(9, 2, 0), (10, 2, 1), (17, 3, 2), (18, 3, 3), (33, 1, 4), (150, 2, 5), (200, 10, 6), (300, 50, 7), (60, 1000, 8)],
)  # fmt: skip
def test_more_objects_than_lists_and_batches(n: int, dim: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, dim))
    tree = linkage(rows)
    np.testing.assert_allclose(tree[:, 2], oracle.follow_group_average(tree, cosines(rows)), atol=1e-12)  # fmt: skip
    rounded = np.where(np.abs(rows) < 1, 0.0, np.sign(rows))  # a sparse grid: many ties
    rounded[~rounded.any(axis=1), 0] = 1
    tree = linkage(rounded)
    np.testing.assert_allclose(tree[:, 2], oracle.follow_group_average(tree, cosines(rounded)), atol=1e-12)  # fmt: skip


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_more_given_distances_than_lists_and_batches(metric: str) -> None:
    rows = np.random.default_rng(2).normal(size=(150, 3))
    for objects in (rows, rows.round()):
        d = squareform(pdist(objects, _distances.SCIPY[metric]))
        tree = linkage(objects, "group-average", metric)
        np.testing.assert_allclose(tree[:, 2], oracle.follow_group_average(tree, d), atol=1e-12)


def test_clusters_within_clusters() -> None:
    random = np.random.default_rng(0)
    centres = random.normal(size=(6, 20))
    middles = np.repeat(centres, 5, axis=0) + 0.3 * random.normal(size=(30, 20))
    rows = np.repeat(middles, 6, axis=0) + 0.05 * random.normal(size=(180, 20))
    for objects in (rows, rows[random.permutation(180)], rows[np.lexsort(rows.T)]):
        tree = linkage(objects)
        oracle.follow_group_average(tree, cosines(objects), 1e-12)


def decoys(listed: int, pairs: int) -> Any:
    """So many objects that two others like best, but that soon go elsewhere; and pairs far away."""
    here = 2 * listed
    d = np.full((here + 2 + 2 * pairs,) * 2, 30.0)
    for i in range(listed):
        d[i, listed + i] = 1 + i / 100
        d[i, here : here + 2] = 10 + i / 10
    d[here, here + 1] = 15
    for k in range(1, pairs + 1):
        d[here + 2 * k, here + 2 * k + 1] = 2 + k / 100
    return np.triu(d, 1) + np.triu(d, 1).T


@pytest.mark.parametrize("pairs", [10, 50])
def test_partners_outside_the_short_list_are_not_forgotten(pairs: int) -> None:
    d = decoys(_group_average._LISTED, pairs)
    oracle.follow_group_average(linkage(d, "group-average", "precomputed"), d)


def tables(kind: str, seed: int) -> Any:
    """Given distances: few different ones, or those of groups within groups."""
    random = np.random.default_rng(seed)
    n = int(random.integers(10, 50))
    if kind == "ties":
        d = random.integers(1, 4, (n, n)).astype(float)
    else:
        rows = np.repeat(random.normal(size=(max(n // 6, 1), 3)) * 3, 6, axis=0)[:n]
        rows = np.vstack([rows, random.normal(size=(n - len(rows), 3))])
        rows = rows + random.normal(size=(n, 3)) * random.choice([0.1, 1], size=(n, 1))
        d = np.linalg.norm(rows[:, None] - rows, axis=2)
    return np.triu(d, 1) + np.triu(d, 1).T


def exact_vectors(kind: str, seed: int) -> Any:
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 80))
    return np.eye(4)[random.integers(0, 4, n)] if kind == "one-hot" else EXACT[random.integers(0, 16, n)]  # fmt: skip


@cache
def objects_and_tree(kind: str, seed: int) -> Any:
    """Objects, as ``linkage`` takes them, and the tree that the oracle makes of them."""
    if kind in ("ties", "nested"):
        d = tables(kind, seed)
        return (d, "group-average", "precomputed"), oracle.group_average_tree(d)
    rows = exact_vectors(kind, seed)
    return (rows,), oracle.group_average_tree(1 - rows @ rows.T)


@pytest.mark.parametrize(("listed", "at_once"), [(None, None), (1, 1), (2, 1), (3, 2), (5, 3)])
@pytest.mark.parametrize("kind", ["ties", "nested", "one-hot", "exact"])
def test_lists_and_batches_of_any_length_give_the_one_right_tree(
    kind: str, listed: int | None, at_once: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if listed and at_once:
        monkeypatch.setattr(_group_average, "_LISTED", listed)
        monkeypatch.setattr(_group_average, "_AT_ONCE", at_once)
    # among these seeds are some that have shown what goes wrong where bounds are not kept
    for seed in (0, 1, 2, 4, 8, 10, 15, 17, 18, 20, 21, 26, 29, 31, 36, 52):
        objects, expected = objects_and_tree(kind, seed)
        tree = linkage(*objects)
        assert tree[:, [0, 1, 3]].tolist() == [[u, v, size] for u, v, _, size in expected]
        np.testing.assert_allclose(tree[:, 2], [row[2] for row in expected], atol=1e-12)


def test_the_faster_twin_is_the_literal_one() -> None:
    for seed in range(4):
        d = tables("ties", seed)[:11, :11]
        assert oracle.group_average_tree(d) == oracle.bottom_up(len(d), oracle.group_average(d))


# What single precision cannot tell ----------------------------------------------------------------


@pytest.mark.parametrize("step", [1e-7, 1e-9, 1e-12])
@pytest.mark.parametrize("angle", [0.05, 1.0])
def test_differences_that_only_double_precision_tells(step: float, angle: float) -> None:
    """Pairs in planes of their own, each a little closer than the one before."""
    n = 40
    rows = np.zeros((2 * n, 2 * n))
    order = np.random.default_rng(0).permutation(n)
    for k, rank in enumerate(order.tolist()):
        theta = np.arccos(np.cos(angle) + rank * step)
        rows[2 * k, 2 * k] = 1
        rows[2 * k + 1, 2 * k : 2 * k + 2] = np.cos(theta), np.sin(theta)
    tree = linkage(rows)
    first = [int(u) // 2 for u in tree[:n, 0]]
    assert first == np.argsort(-order).tolist()
    assert [int(v) // 2 for v in tree[:n, 1]] == first
    oracle.follow_group_average(tree, cosines(rows), 1e-15)


NEARLY = [
    *[(2, 1e-3), (2, 1e-5), (2, 1e-7), (2, 1e-12), (30, 1e-3), (30, 1e-5), (30, 1e-7), (30, 1e-12)],
]


@pytest.mark.parametrize(("dim", "noise"), NEARLY)
def test_nearly_equal_vectors(dim: int, noise: float) -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=dim) + noise * random.normal(size=(60, dim))
    tree = linkage(rows)
    # products of unit vectors are rounded to about 1e-16: what is asked is to be right up to that
    heights = oracle.follow_group_average(tree, cosines(rows), 1e-14)
    np.testing.assert_allclose(tree[:, 2], heights, atol=1e-14)
    assert (tree[:, 2] >= 0).all()


@pytest.mark.parametrize("noise", [1e-7, 1e-12])
def test_nearly_equal_vectors_in_other_trees(noise: float) -> None:
    random = np.random.default_rng(1)
    rows = 1 + noise * random.normal(size=(10, 3))
    for method, metric in ALL:
        if metric != "cosine":
            tree = linkage(rows, method, metric)
            heights = oracle.follow(tree, apart_of(rows - 1, method, metric), 1e-6 * noise)
            np.testing.assert_allclose(tree[:, 2], heights, rtol=1e-3)


def test_single_link_by_cosine_of_nearly_equal_vectors() -> None:
    """Lengths of differences tell more than products do."""
    angles = np.array([0.0, 1e-9, 3e-9, 6e-9])
    tree = linkage(np.stack([np.cos(angles), np.sin(angles)], axis=1), "single", "cosine")
    assert tree[:, :2].tolist() == [[0, 1], [2, 4], [3, 5]]
    np.testing.assert_allclose(tree[:, 2], np.array([1e-9, 2e-9, 3e-9]) ** 2 / 2, rtol=1e-6)


@pytest.mark.parametrize("method", [method for method in LINKS if method != "ward"])
def test_lengths_of_vectors_do_not_matter_to_cosines(method: str) -> None:
    random = np.random.default_rng(4)
    rows = random.normal(size=(25, 4))
    expected = linkage(rows, method, "cosine")
    for power in (1, 100, 300):  # squares of these would overflow, or be zero
        scaled = rows * 10.0 ** random.integers(-power, power, (25, 1))
        same_tree(linkage(scaled, method, "cosine"), expected)
        same_tree(linkage(scipy.sparse.csr_array(scaled), method, "cosine"), expected)


@pytest.mark.parametrize(("method", "metric"), [pair for pair in ALL if pair[1] != "cosine"])
def test_units_do_not_matter(method: str, metric: str) -> None:
    rows = np.random.default_rng(4).normal(size=(25, 4))
    expected = linkage(rows, method, metric)
    for scale in (1e-100, 1e-6, 1e6, 1e100):
        tree = linkage(rows * scale, method, metric)
        tree[:, 2] /= scale
        same_tree(tree, expected)


@pytest.mark.parametrize(("method", "metric"), ALL)
def test_one_dimension(method: str, metric: str) -> None:
    rows = np.array([[3.0], [-1.0], [2.0], [-7.0], [0.5], [11.0]])
    tree = linkage(rows, method, metric)
    np.testing.assert_allclose(tree[:, 2], oracle.follow(tree, apart_of(rows, method, metric)), atol=1e-12)  # fmt: skip


# Forms of input, and threads ----------------------------------------------------------------------


@pytest.mark.parametrize(("method", "metric"), ALL)
def test_sparse_is_dense(method: str, metric: str) -> None:
    rows = np.random.default_rng(5).poisson(0.5, (40, 12)).astype(float)
    rows[:, 0] = np.random.default_rng(6).random(40)  # so that nothing ties
    expected = linkage(rows, method, metric)
    for form in (scipy.sparse.csr_array, scipy.sparse.coo_array, scipy.sparse.csc_matrix):
        same_tree(linkage(form(rows), method, metric), expected)


def test_sparse_is_dense_where_objects_are_nearly_equal() -> None:
    rows = np.array([[1, 2], [1 + 1e-7, 2], [1 + 3e-7, 2], [1 + 3.5e-7, 2]])
    expected = linkage(rows, "complete", "euclidean")[:, 2]
    found = linkage(scipy.sparse.csr_array(rows), "complete", "euclidean")[:, 2]
    np.testing.assert_allclose(found, expected, rtol=1e-3)


@pytest.mark.parametrize(("method", "metric"), ALL)
def test_lists_and_other_types(method: str, metric: str) -> None:
    rows = np.random.default_rng(6).integers(1, 9, (12, 3))
    expected = linkage(rows.astype(float), method, metric)
    for form in (
        rows.tolist(),
        rows,
        rows.astype(np.float32),
        np.asfortranarray(rows),
        rows[::-1][::-1],
    ):
        assert linkage(form, method, metric).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("method", "metric"), ALL)
def test_any_number_of_threads_gives_the_same_bytes(method: str, metric: str) -> None:
    random = np.random.default_rng(7)
    for rows in (random.normal(size=(120, 9)), random.integers(1, 4, (120, 3)).astype(float)):
        trees = {linkage(rows, method, metric, threads=t).tobytes() for t in (None, 1, 2, 3, 40)}
        assert len(trees) == 1


def test_identical_objects() -> None:
    for method, metric in ALL:
        tree = linkage(np.full((9, 4), 3.0), method, metric)
        np.testing.assert_allclose(tree[:, 2], 0, atol=1e-15)
        assert sorted(tree[:, 3])[-1] == 9
        assert inversions(tree).tolist() == []


def test_identical_objects_are_no_inversions() -> None:
    rows = np.repeat(np.random.default_rng(0).normal(size=(40, 1, 50)), 40, axis=1)
    assert [len(inversions(linkage(same))) for same in rows] == [0] * 40
