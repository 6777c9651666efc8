"""K-means and medoids, against figure 14.8 done literally."""

from __future__ import annotations

import itertools
import math
from typing import Any, cast

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist

from firth.cluster import FlatClusters, _flat, _medians, cluster, cut_tree, linkage
from firth.cluster._medians import find_medians, spread_out
from firth.cluster._medoids import find_medoids
from firth.errors import InputError, ParameterError
from tests.cluster.choices import STARTS
from tests.oracles import clusters as oracle


def blobs(n: int, k: int, seed: int, dim: int = 2, far: float = 12) -> tuple[Any, list[int]]:
    """Objects around centres on a circle, and which centre is whose."""
    random = np.random.default_rng(seed)
    which = np.sort(random.integers(0, k, n))
    which[:k] = np.arange(k)
    turns = 2 * np.pi * np.arange(k) / k
    centres = np.zeros((k, dim))
    centres[:, :2] = far * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return centres[which] + random.normal(size=(n, dim)), which.tolist()


def loss(rows: Any, medoids: Any) -> float:
    return float(cdist(rows, rows[list(medoids)], "cityblock").min(axis=1).sum())


# K-means ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_from_the_same_centres_the_same_clusters_as_the_literal_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(int(random.integers(8, 60)), int(random.integers(1, 4))))
    start = rows[random.permutation(len(rows))[: int(random.integers(1, 5))]]
    labels, centres, errors, _ = oracle.k_means(rows, start)
    found = FlatClusters(len(start), init=start).fit(rows)
    order = list(dict.fromkeys(labels))
    assert found.labels_.tolist() == [order.index(label) for label in labels]
    np.testing.assert_allclose(found.cluster_centers_, centres[order], atol=1e-9)
    assert found.inertia_ == pytest.approx(errors[-1])


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_found_is_a_fixed_point(init: str, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(80, 3))
    found = FlatClusters(5, init=init, random_state=seed).fit(rows)
    labels, centres, errors, rounds = oracle.k_means(rows, found.cluster_centers_)
    assert rounds == 1  # the first round assigns, the second changes nothing
    assert labels == found.labels_.tolist()
    np.testing.assert_allclose(centres, found.cluster_centers_, atol=1e-9)
    assert errors[0] == pytest.approx(found.inertia_)
    assert found.predict(rows).tolist() == labels


def test_what_is_found_is_a_fixed_point_of_many_objects() -> None:
    rows = np.random.default_rng(0).uniform(size=(2000, 2))
    found = FlatClusters(10, n_init=1, tol=0).fit(rows)
    means = np.array([rows[found.labels_ == k].mean(axis=0) for k in range(10)])
    np.testing.assert_allclose(found.cluster_centers_, means, atol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_several_starts_is_the_best_there_is(metric: Any, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(9, 2))
    found = FlatClusters(2, metric=metric, n_init=30, init="random", random_state=seed).fit(rows)
    if metric == "l1":
        best = min(loss(rows, pair) for pair in itertools.combinations(range(9), 2))
    else:
        halves = [tuple(i for i in range(9) if mask >> i & 1) for mask in range(1, 2**9 - 1)]
        others = [tuple(i for i in range(9) if i not in half) for half in halves]
        best = min(
            oracle.squared_error(rows, one) + oracle.squared_error(rows, other)
            for one, other in zip(halves, others, strict=True)
        )
    assert found.inertia_ == pytest.approx(best)


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
@pytest.mark.parametrize("init", STARTS)
def test_known_blobs_are_found(metric: Any, init: str) -> None:
    for seed in range(3):
        rows, which = blobs(150, 4, seed)
        found = FlatClusters(4, metric=metric, init=init, n_init=5, random_state=seed).fit(rows)
        assert found.labels_.tolist() == which


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_more_starts_are_not_worse(metric: Any) -> None:
    rows = np.random.default_rng(3).normal(size=(200, 2))
    better = 0
    for seed in range(4):
        flat = FlatClusters(12, metric=metric, init="random", random_state=seed)
        one, many = (flat.set_params(n_init=n).fit(rows).inertia_ for n in (1, 12))
        assert many <= one
        better += many < one
    assert better > 0


# Ties and numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_an_object_between_two_centres_goes_to_the_lower_number(metric: Any) -> None:
    rows = np.array([[0.0, 0.0], [4.0, 0.0]])
    found = FlatClusters(2, metric=metric).fit(rows)
    between = np.array([[2.0, 0.0], [2.0, 5.0], [2.0, -1.0], [1.9, 0.0], [2.1, 0.0]])
    assert found.predict(between).tolist() == [0, 0, 0, 0, 1]


TIED = np.array([[-3.0], [-1.0], [0.0], [4.0]])  # 0 is as far from -2 as from 2


def test_tied_objects_are_where_prediction_puts_them() -> None:
    found = FlatClusters(2, init=np.array([[2.0], [-2.0]])).fit(TIED)
    assert found.labels_.tolist() == found.predict(TIED).tolist()
    assert found.labels_[2] == 0


def test_tied_objects_where_centres_are_in_order() -> None:
    found = FlatClusters(2, init=np.array([[-2.0], [2.0]])).fit(TIED)
    assert found.labels_.tolist() == found.predict(TIED).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
@pytest.mark.parametrize("seed", range(5))
def test_groups_are_numbered_by_their_first_objects(metric: Any, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(40, 2))
    found = FlatClusters(6, metric=metric, random_state=seed).fit(rows)
    assert list(dict.fromkeys(found.labels_.tolist())) == list(range(6))
    assert found.labels_.tolist() == oracle.nearest(rows, found.cluster_centers_, metric)
    assert found.predict(rows).tolist() == found.labels_.tolist()


@pytest.mark.parametrize("shift", [1e9, 1e10])
def test_where_the_origin_is_does_not_matter(shift: float) -> None:
    rows = np.array([[0.0], [1.0], [5.0], [6.0]])
    assert FlatClusters(2).fit_predict(rows + shift).tolist() == [0, 0, 1, 1]


def test_prediction_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(50, 2))
    found = FlatClusters(4).fit(rows)
    expected = found.predict(rows).tolist()
    for block in (1, 7, 49, 50):
        monkeypatch.setattr(_medians, "_ROWS", block)
        assert found.predict(rows).tolist() == expected
        assert FlatClusters(4).fit(rows).labels_.tolist() == expected


# Medoids ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("seed", range(4))
def test_no_other_object_is_a_better_medoid(init: str, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(30, 3))
    found = FlatClusters(4, metric="l1", init=init, n_init=1, random_state=seed).fit(rows)
    medoids = found.medoids_.tolist()
    assert len(set(medoids)) == 4
    assert found.cluster_centers_.tolist() == rows[medoids].tolist()
    assert found.labels_.tolist() == oracle.nearest(rows, rows[medoids], "l1")
    assert found.labels_[medoids].tolist() == [0, 1, 2, 3]
    assert found.inertia_ == pytest.approx(loss(rows, medoids))
    for at, other in itertools.product(range(4), set(range(30)) - set(medoids)):
        swapped = [*medoids[:at], other, *medoids[at + 1 :]]
        assert loss(rows, swapped) >= found.inertia_ - 1e-9
    # so it is a fixed point of figure 14.8 with medoids, too
    labels, _, errors, _ = oracle.k_means(rows, rows[medoids], "l1", oracle.medoid)
    assert labels == found.labels_.tolist()
    assert errors[-1] == pytest.approx(found.inertia_)
    assert errors[0] == pytest.approx(errors[-1])


@pytest.mark.parametrize("points", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_swaps_are_those_of_the_literal_twin(seed: int, points: bool) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 26))
    first = random.permutation(n)[: random.integers(2, n + 1)]
    given = first.copy()
    if points:
        rows = random.integers(0, 1000, (n, 3))
        d = cdist(rows, rows, "cityblock")
    else:  # not those of any points, and many tie
        d = np.triu(random.integers(0, 10, (n, n)), 1).astype(float)
        d += d.T
    for max_iter in (1, 2, 300):  # all sums are exact
        expected = oracle.swap_medoids(d, first.tolist(), max_iter)
        found = find_medoids(d, first, max_iter)
        assert (found.medoids.tolist(), found.loss, found.n_iter) == expected
    assert first.tolist() == given.tolist()  # it is the caller's


def test_one_medoid_is_the_most_central_object() -> None:
    d = cdist(TIED, TIED)
    found = find_medoids(d, np.array([3]), 300)
    assert (found.medoids.tolist(), found.loss) == ([1], 8.0)
    found = find_medoids(d, np.array([2]), 300)
    assert (found.medoids.tolist(), found.loss) == ([2], 8.0)  # as good


@pytest.mark.parametrize("seed", range(5))
def test_swaps_end_where_many_are_equally_good(seed: int) -> None:
    """Sums of tenths are rounded: a swap that changes nothing may look like a gain."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 4, (120, 3)) / 10
    d = cdist(rows, rows, "cityblock")
    found = find_medoids(d, random.permutation(120)[:9], 300)
    assert found.n_iter < 20
    assert found.loss == d[found.medoids].min(axis=0).cumsum()[-1]
    for at, other in itertools.product(range(9), range(120)):
        swapped = [*found.medoids[:at], other, *found.medoids[at + 1 :]]
        assert d[swapped].min(axis=0).sum() >= found.loss - 1e-9


def test_medoids_to_begin_with_are_the_nearest_objects() -> None:
    rows = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    given = FlatClusters(2, metric="l1", init=np.array([[0.9], [11.2]]), max_iter=1).fit(rows)
    assert given.medoids_.tolist() == [1, 4]
    twice = FlatClusters(2, metric="l1", init=np.array([[1.1], [1.1]]))
    first = twice._first_medoids(rows, cdist(rows, rows), np.random.RandomState(0))
    assert first.tolist() == [1, 2]  # no object twice
    assert len(set(twice.fit(rows).medoids_.tolist())) == 2


def test_first_medoids_are_different_objects() -> None:
    same = np.zeros((6, 6))
    for seed in range(5):
        chosen = spread_out(same.__getitem__, 6, 6, np.random.RandomState(seed)).tolist()
        assert sorted(chosen) == list(range(6))
    d = cdist(TIED, TIED)
    for seed in range(20):
        assert (
            len(set(spread_out(d.__getitem__, len(d), 3, np.random.RandomState(seed)).tolist()))
            == 3
        )


def test_first_medoids_are_far_from_each_other() -> None:
    rows, which = blobs(60, 3, 0, far=1000)
    d = cdist(rows, rows, "cityblock")
    chosen = [
        spread_out(d.__getitem__, len(d), 3, np.random.RandomState(seed)) for seed in range(40)
    ]
    apart = sum(len({which[int(i)] for i in three}) == 3 for three in chosen)
    assert apart >= 38  # at random it would be 9


# Medians ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("seed", range(12))
def test_medians_are_those_of_the_literal_twin(seed: int, form: Any) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(-40, 40, (int(random.integers(6, 50)), int(random.integers(1, 5)))) / 8
    start = rows[random.permutation(len(rows))[: int(random.integers(1, 5))]]
    labels, centres, errors, _ = oracle.k_means(rows, start, "l1", oracle.median)
    found = find_medians(form(rows), start, 300)
    assert found.centres.tolist() == centres.tolist()  # all sums are exact
    assert found.loss == errors[-1]
    flat = FlatClusters(len(start), metric="l1", centres="centroids", init=start).fit(form(rows))
    order = list(dict.fromkeys(labels))
    assert flat.labels_.tolist() == [order.index(label) for label in labels]
    rest = [k for k in range(len(start)) if k not in order]
    assert flat.cluster_centers_.tolist() == centres[[*order, *rest]].tolist()
    assert flat.predict(form(rows)).tolist() == flat.labels_.tolist()
    assert not hasattr(flat, "medoids_")
    assert flat.distance_bytes(1000) == 0


@pytest.mark.parametrize("init", STARTS)
def test_medians_find_known_blobs(init: str) -> None:
    for seed in range(3):
        rows, which = blobs(150, 4, seed)
        flat = FlatClusters(4, "l1", "centroids", init=init, n_init=5, random_state=seed)
        assert flat.fit(rows).labels_.tolist() == which
        sparse = flat.fit(scipy.sparse.csr_array(rows))
        assert sparse.labels_.tolist() == which


def test_sparse_medians_are_computed_some_columns_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = np.random.default_rng(0).poisson(0.7, (40, 9)).astype(float)
    expected = find_medians(rows, rows[:3], 300)
    monkeypatch.setattr(_medians, "_NUMBERS", 30)
    found = find_medians(scipy.sparse.csr_array(rows), rows[:3], 300)
    assert found.centres.tolist() == expected.centres.tolist()


def test_more_starts_of_medians_are_not_worse_and_iterations_end() -> None:
    rows = np.random.default_rng(3).normal(size=(200, 2))
    flat = FlatClusters(12, "l1", "centroids", init="random")
    one, many = (flat.set_params(n_init=n).fit(rows).inertia_ for n in (1, 12))
    assert many < one
    assert flat.set_params(max_iter=1).fit(rows).n_iter_ == 1


@pytest.mark.parametrize("centres", ["centroids", "medoids"])
@pytest.mark.parametrize("start", [np.zeros((3, 2)), np.zeros((2, 3)), np.zeros(2)])
def test_initial_centres_must_fit(centres: Any, start: Any) -> None:
    flat = FlatClusters(2, "l1", centres, init=start)
    with pytest.raises(InputError, match="need \\(2, 2\\)"):
        flat.fit(np.eye(2).repeat(4, axis=0))


def test_methods_and_metrics_choose_the_centres() -> None:
    rows, which = blobs(60, 3, 0)
    for method, metric, centres in (
        ("k-means", "l1", _medians.find_medians(rows, rows[[0, 30, 59]], 300).centres),
        ("k-means", "euclidean", [rows[np.array(which) == k].mean(axis=0) for k in range(3)]),
    ):
        found = cluster(rows, method, 3, metric=cast(Any, metric))
        assert found.labels.tolist() == which
        np.testing.assert_allclose(found.estimator.cluster_centers_, centres)
        assert not hasattr(found.estimator, "medoids_")
    medoids = cluster(rows, "k-medoids", 3).estimator
    assert medoids.cluster_centers_.tolist() == rows[medoids.medoids_].tolist()


def test_medoids_are_for_l1() -> None:
    with pytest.raises(ParameterError, match="'metric' .* must be 'l1' for medoids"):
        FlatClusters(2, centres="medoids").fit(np.eye(4))


# Buckshot -----------------------------------------------------------------------------------------


def test_buckshot_begins_with_means_of_group_average_clusters() -> None:
    rows = np.random.default_rng(0).normal(size=(7, 3))
    k = 6  # the sample is everything
    labels = cut_tree(linkage(rows, "group-average", "cosine"), k)
    expected = [rows[labels == j].mean(axis=0).tolist() for j in range(k)]
    found = _flat.buckshot(rows, k, np.random.RandomState(0))
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (100, 1), (100, 4), (1000, 10), (50, 50), (50, 40)])
def test_buckshot_draws_a_sample(n: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []

    def spy(rows: Any, *args: Any) -> Any:
        drawn.append(rows)
        return linkage(rows, *args)

    monkeypatch.setattr(_flat, "linkage", spy)
    rows = np.random.default_rng(n).normal(size=(n, 2))
    centres = _flat.buckshot(rows, k, np.random.RandomState(1))
    assert centres.shape == (k, 2)
    assert len(drawn[0]) == max(2, min(n, math.ceil(math.sqrt(k * n))))
    assert len(set(map(tuple, drawn[0].tolist()))) == len(drawn[0])  # none twice
    assert set(map(tuple, drawn[0].tolist())) <= set(map(tuple, rows.tolist()))


def test_buckshot_leaves_out_objects_without_direction() -> None:
    rows = np.zeros((40, 2))
    rows[:3] = [[1, 0], [0, 1], [1, 1]]
    with pytest.raises(InputError, match="only .* objects that are not all zeros"):
        FlatClusters(10, init="buckshot").fit(rows)
    rows = np.random.default_rng(0).normal(size=(40, 2))
    rows[5] = 0
    found = FlatClusters(39, init="buckshot").fit(rows)  # the sample is everything
    assert np.isfinite(found.cluster_centers_).all()


# Forms of input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
@pytest.mark.parametrize("init", STARTS)
def test_sparse_is_dense(metric: Any, init: str) -> None:
    rows = np.random.default_rng(1).poisson(0.7, (60, 8)) + np.random.default_rng(2).random((60, 8))
    dense = FlatClusters(4, metric=metric, init=init).fit(rows)
    sparse = FlatClusters(4, metric=metric, init=init).fit(scipy.sparse.csr_array(rows))
    assert dense.labels_.tolist() == sparse.labels_.tolist()
    assert sparse.inertia_ == pytest.approx(dense.inertia_)
    np.testing.assert_allclose(dense.cluster_centers_, sparse.cluster_centers_)
    assert sparse.predict(scipy.sparse.csr_array(rows)).tolist() == dense.labels_.tolist()


def test_single_precision_and_lists() -> None:
    rows, which = blobs(60, 3, 1)
    for form in (rows.astype(np.float32), rows.tolist(), np.asfortranarray(rows)):
        found = FlatClusters(3, n_init=5).fit(form)
        assert found.labels_.tolist() == which
        assert found.predict(form).tolist() == which


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_the_same_seed_gives_the_same_clusters(metric: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(100, 2))
    flat = FlatClusters(9, metric=metric, n_init=1, init="random")
    runs = [flat.set_params(random_state=seed).fit_predict(rows).tolist() for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
