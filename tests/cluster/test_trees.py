"""Trees of groups: cut, checked, and searched for inversions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.cluster.hierarchy

from firth.cluster import check_linkage, cut_tree, inversions, linkage
from firth.errors import InputError, ParameterError
from tests.oracles import clusters as oracle

TREE = [[1, 3, 1.0, 2], [0, 2, 1.5, 2], [4, 5, 2.0, 3], [6, 7, 4.0, 5]]  # of five objects


def random_tree(n: int, seed: int) -> list[list[float]]:
    """Any merges, at any heights."""
    random = np.random.default_rng(seed)
    groups = dict.fromkeys(range(n), 1)
    tree: list[list[float]] = []
    for j in range(n, 2 * n - 1):
        u, v = random.choice(list(groups), 2, replace=False).tolist()
        groups[j] = groups.pop(u) + groups.pop(v)
        tree.append([u, v, float(random.integers(0, 5)), groups[j]])
    return tree


# Cutting ------------------------------------------------------------------------------------------


def test_cutting_a_tree_by_hand() -> None:
    expected = [[0, 0, 0, 0, 0], [0, 1, 0, 1, 1], [0, 1, 0, 1, 2], [0, 1, 2, 1, 3], [0, 1, 2, 3, 4]]
    for k, labels in enumerate(expected, 1):
        found = cut_tree(TREE, k)
        assert found.dtype == np.int64
        assert found.tolist() == labels


@pytest.mark.parametrize("seed", range(20))
def test_cutting_undoes_the_last_merges(seed: int) -> None:
    n = seed + 1
    tree = random_tree(n, seed)
    for k in range(1, n + 1):
        labels = cut_tree(np.reshape(tree, (n - 1, 4)), k).tolist()
        assert labels == oracle.cut(tree, k)
        assert len(set(labels)) == k


def test_cuts_are_those_of_scipy() -> None:
    tree = linkage(np.random.default_rng(0).normal(size=(50, 3)), "average", "euclidean")
    for k in (1, 2, 7, 49, 50):
        scipys = scipy.cluster.hierarchy.cut_tree(tree, k).ravel()
        assert oracle.adjusted_rand(cut_tree(tree, k).tolist(), scipys.tolist()) == pytest.approx(1)


def test_the_order_of_merges_counts_where_heights_do_not_order_them() -> None:
    low_last = [[0, 1, 5.0, 2], [2, 3, 1.0, 2], [4, 5, 0.5, 4]]
    assert cut_tree(low_last, 2).tolist() == [0, 0, 1, 1]
    assert cut_tree(low_last, 3).tolist() == [
        0,
        0,
        1,
        2,
    ]  # undone last: the merge that was made first


@pytest.mark.parametrize("k", [0, -1, 6, True, False, 1.5, "2", None])
def test_wrong_numbers_of_groups(k: Any) -> None:
    message = r"'n_clusters' parameter of cut_tree must be an int of at (least 1|most 5)"
    with pytest.raises(ParameterError, match=message):
        cut_tree(TREE, k)


def test_a_tree_of_one_object() -> None:
    assert check_linkage(np.zeros((0, 4))).shape == (0, 4)
    assert cut_tree(np.zeros((0, 4)), 1).tolist() == [0]
    assert inversions(np.zeros((0, 4))).tolist() == []


# Inversions ---------------------------------------------------------------------------------------


def test_inversions_by_hand() -> None:
    assert inversions(TREE).tolist() == []
    assert inversions([[0, 1, 2.0, 2], [2, 3, 2.0, 3]]).tolist() == []  # as high as its part
    assert inversions([[0, 1, 0.0, 2], [2, 3, 0.0, 3]]).tolist() == []
    assert inversions([[0, 1, 2.0, 2], [2, 3, 1.9, 3]]).tolist() == [1]
    assert inversions([[0, 1, 2.0, 2], [2, 3, 1.0, 2], [4, 5, 1.5, 4]]).tolist() == [
        2
    ]  # of one part
    # a merge that is lower than an earlier one is none where it is no part of it
    assert inversions([[0, 1, 2.0, 2], [2, 3, 1.0, 2], [4, 5, 3.0, 4]]).tolist() == []


@pytest.mark.parametrize("seed", range(20))
def test_inversions_of_any_tree(seed: int) -> None:
    tree = random_tree(12, seed)
    expected = [
        i
        for i, (u, v, height, _) in enumerate(tree)
        if any(part >= 12 and tree[int(part) - 12][2] > height for part in (u, v))
    ]
    assert inversions(tree).tolist() == expected


def test_inversions_of_a_method_that_has_them() -> None:
    """Three points at the same distance: the third is closer to the middle of the other two."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    assert inversions(scipy.cluster.hierarchy.linkage(corners, "centroid")).tolist() == [1]
    assert inversions(scipy.cluster.hierarchy.linkage(corners, "average")).tolist() == []


def test_rounding_is_no_inversion() -> None:
    third = 0.1 + 0.2  # a little more than 0.3
    assert inversions([[0, 1, third, 2], [2, 3, 0.3, 3]]).tolist() == []
    assert inversions([[0, 1, 1e9, 2], [2, 3, np.nextafter(1e9, 0), 3]]).tolist() == []


# Damage -------------------------------------------------------------------------------------------


def damaged(row: int, column: int, value: float) -> Any:
    tree = np.array(TREE)
    tree[row, column] = value
    return tree


DAMAGE = {
    "three columns": (np.array(TREE)[:, :3], "four columns"),
    "one row": (np.array(TREE)[0], "four columns"),
    "a number": (3.0, "four columns"),
    "three dimensions": (np.array([TREE]), "four columns"),
    "no rows, no columns": (np.zeros((0, 0)), "four columns"),
    "an empty list": ([], "four columns"),
    "a part twice": (damaged(1, 0, 1), "every cluster must be part of exactly one later merge"),
    "a part with itself": (
        damaged(0, 1, 1),
        "every cluster must be part of exactly one later merge",
    ),
    "half a part": (damaged(0, 1, 2.5), "every cluster must be part of exactly one later merge"),
    "a negative part": (damaged(0, 0, -1), "every cluster must be part of exactly one later merge"),
    "a part too large": (damaged(0, 0, 8), "every cluster must be part of exactly one later merge"),
    "a part that is no number": (
        damaged(0, 0, np.nan),
        "every cluster must be part of exactly one later merge",
    ),
    "an infinite part": (
        damaged(0, 0, np.inf),
        "every cluster must be part of exactly one later merge",
    ),
    "a row missing": (np.array(TREE)[1:], "every cluster must be part of exactly one later merge"),
    "rows in the wrong order": (
        np.array(TREE)[[2, 0, 1, 3]],
        "every cluster must be part of exactly one later merge",
    ),
    "a merge of itself": (
        [[2, 0, 1.0, 2], [1, 3, 1.0, 3]][::-1],
        "every cluster must be part of exactly one later merge",
    ),
    "no height": (damaged(2, 2, np.nan), "heights must be finite"),
    "an infinite height": (damaged(2, 2, np.inf), "heights must be finite"),
    "a wrong size": (damaged(2, 3, 4), "size of a merge must be"),
    "no size": (damaged(0, 3, np.nan), "size of a merge must be"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_trees(name: str) -> None:
    tree, message = DAMAGE[name]
    for function in (check_linkage, inversions, lambda t: cut_tree(t, 1)):
        with pytest.raises(InputError, match=message):
            function(tree)


@pytest.mark.parametrize(
    "tree", [[[0, 1, "high", 2]], [[0, 1, 1.0, 2], [0, 1]], [["a", "b", "c", "d"]]]
)
def test_trees_that_are_no_numbers(tree: Any) -> None:
    with pytest.raises(InputError):
        check_linkage(tree)


def test_a_good_tree_stays_as_it_is() -> None:
    tree = np.array(TREE)
    found = check_linkage(tree)
    assert found.tolist() == TREE
    assert check_linkage(TREE).dtype == np.float64
    assert check_linkage(np.asfortranarray(tree)).flags.c_contiguous
