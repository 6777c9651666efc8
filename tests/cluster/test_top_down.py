"""Trees from the top down, against figure 14.3 done literally."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest

from firth.cluster import TopDownClusters, cut_tree, inversions
from tests.cluster.choices import COHERENCES, LINKS, SPLITS
from tests.oracles import clusters as oracle
from tests.oracles.clusters import Group

VECTOR_METRICS: list[Any] = ["cosine", "euclidean", "l1"]


def splits_of(tree: Any) -> list[tuple[Group, Group, Group, float]]:
    """What a tree says was split, first split first: the group, both parts, its height."""
    n = len(tree) + 1
    members: list[Group] = [(i,) for i in range(n)]
    splits = []
    for u, v, height, size in tree.tolist():
        one, other = sorted((members[int(u)], members[int(v)]))
        members.append(tuple(sorted(one + other)))
        assert len(members[-1]) == size
        splits.append((members[-1], one, other, height))
    return splits[::-1]


def objects(seed: int, n: int = 11, dim: int = 3) -> Any:
    return np.random.default_rng(seed).normal(size=(n, dim))


@pytest.mark.slow
@pytest.mark.parametrize("coherence", COHERENCES)
@pytest.mark.parametrize("metric", VECTOR_METRICS)
@pytest.mark.parametrize("split", LINKS)
def test_trees_are_those_of_the_literal_figure(coherence: Any, metric: Any, split: Any) -> None:
    for seed in range(2):
        rows = objects(seed)
        d = oracle.distances(rows, metric)
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True) if metric == "cosine" else rows
        in_two = oracle.last_merge(split, metric, unit)
        how_bad = functools.partial(oracle.INCOHERENCES[coherence], d)
        expected = oracle.top_down(len(rows), how_bad, in_two)
        found = TopDownClusters(3, coherence=coherence, split=split, metric=metric).fit(rows)
        ours = splits_of(found.linkage_)
        # pairs of all but equal objects aside, nothing ties: the order is the same
        assert [s[0] for s in ours] == [s[0] for s in expected]
        assert [s[1:3] for s in ours] == [tuple(sorted(s[1:3])) for s in expected]
        np.testing.assert_allclose([s[3] for s in ours], [s[3] for s in expected], atol=1e-9)
        assert found.labels_.tolist() == cut_tree(found.linkage_, 3).tolist()


@pytest.mark.parametrize("coherence", COHERENCES)
@pytest.mark.parametrize("metric", VECTOR_METRICS)
@pytest.mark.parametrize("split", ["k-means", "k-medoids"])
def test_always_the_least_coherent_group_is_split(coherence: Any, metric: Any, split: Any) -> None:
    rows = objects(5, 14)
    found = TopDownClusters(2, coherence=coherence, split=split, metric=metric).fit(rows)
    d = oracle.distances(rows, metric)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True) if metric == "cosine" else rows
    groups: list[Group] = [tuple(range(14))]
    for whole, one, other, height in splits_of(found.linkage_):
        worst = max(oracle.INCOHERENCES[coherence](d, c) for c in groups if len(c) > 1)
        assert whole in groups
        assert oracle.INCOHERENCES[coherence](d, whole) == pytest.approx(worst, abs=1e-9)
        assert height == pytest.approx(worst, abs=1e-9)
        assert sorted(one + other) == list(whole)
        assert_flat_split(unit[list(whole)], [int(x in other) for x in whole], split)
        groups.remove(whole)
        groups += [one, other]
    assert all(len(c) == 1 for c in groups)


def assert_flat_split(members: Any, labels: list[int], split: Any) -> None:
    """A further round of the flat method changes nothing."""
    if split == "k-means":
        centres = np.array([members[np.array(labels) == k].mean(axis=0) for k in (0, 1)])
        assert oracle.nearest(members, centres, "euclidean") == labels
        return
    d = oracle.distances(members, "l1")  # some two members are the centres that make these parts
    numbers = range(len(members))
    parts = [[int(d[x, j] < d[x, i]) for x in numbers] for i in numbers for j in numbers]
    assert labels in parts


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.slow
def test_ending_early_gives_the_same_groups(split: Any) -> None:
    rows = objects(3, 30)
    for k in (1, 2, 5, 30):
        whole, part = (TopDownClusters(k, split=split, whole=w).fit(rows) for w in (True, False))
        assert whole.labels_.tolist() == part.labels_.tolist()
        assert part.linkage_.shape == (k - 1, 4)
        assert whole.linkage_.shape == (29, 4)
        heights = whole.linkage_[30 - k :, 2]
        np.testing.assert_allclose(part.linkage_[:, 2], heights)
        assert list(dict.fromkeys(part.labels_.tolist())) == list(range(k))


def test_single_link_by_removing_the_longest_edges() -> None:
    """The minimum spanning tree cut at its longest edges is the single-link tree (14.1.1)."""
    for seed in range(3):
        rows = objects(seed, 15)
        found = TopDownClusters(2, coherence="single", split="single").fit(rows)
        single = oracle.bottom_up(15, oracle.single(oracle.distances(rows, "euclidean")))
        assert [s[0] for s in splits_of(found.linkage_)] == oracle.groups_of(single)[::-1]
        np.testing.assert_allclose(found.linkage_[:, 2], [row[2] for row in single])
        assert found.inversions_.tolist() == []


def test_complete_coherence_has_no_inversions_but_others_have() -> None:
    """Parts of a group can be less coherent than the whole, except by their two farthest members."""
    found = dict.fromkeys(COHERENCES, 0)
    for seed, coherence in itertools.product(range(3), COHERENCES):
        rows = objects(seed, 25, 2)
        top = TopDownClusters(2, coherence=coherence, split="k-medoids", metric="l1").fit(rows)
        assert top.inversions_.tolist() == inversions(top.linkage_).tolist()
        found[coherence] += len(top.inversions_)
    assert found["complete"] == 0
    assert found["single"] > 0


def test_blobs_are_found_from_the_top() -> None:
    random = np.random.default_rng(0)
    rows = np.repeat([[0, 0], [20, 0], [0, 20], [30, 30]], 12, axis=0) + random.normal(size=(48, 2))
    for coherence, split in itertools.product(COHERENCES, SPLITS):
        found = TopDownClusters(4, coherence=coherence, split=split, whole=False).fit(rows)
        assert found.labels_.tolist() == np.repeat([0, 1, 2, 3], 12).tolist()


@pytest.mark.parametrize("split", SPLITS)
def test_identical_objects_are_split_all_the_same(split: Any) -> None:
    rows = np.repeat([[0.5, 1.0], [2.0, 3.0]], 6, axis=0)
    for metric in VECTOR_METRICS:
        found = TopDownClusters(2, split=split, metric=metric).fit(rows)
        assert found.labels_.tolist() == [0] * 6 + [1] * 6
        assert found.linkage_.shape == (11, 4)
        splits_of(found.linkage_)
        nearly = TopDownClusters(5, split=split, metric=metric).fit(1 + 1e-15 * rows)
        assert len(set(nearly.labels_.tolist())) == 5


def test_the_same_seed_gives_the_same_tree() -> None:
    rows = objects(1, 40)
    trees = [
        TopDownClusters(2, random_state=seed).fit(rows).linkage_.tobytes() for seed in (1, 1, 2)
    ]
    assert trees[0] == trees[1]
    generator = np.random.RandomState(1)
    assert TopDownClusters(2, random_state=generator).fit(rows).linkage_.tobytes() == trees[0]
