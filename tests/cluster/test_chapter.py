"""The chapter's own examples: Manning and Schütze (1999), figures 14.4 to 14.7 and some exercises."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from firth.cluster import (
    BottomUpClusters,
    FlatClusters,
    MixtureClusters,
    TopDownClusters,
    cut_tree,
    inversions,
    linkage,
    together,
)
from tests.oracles import clusters as oracle

# Figures 14.4 to 14.7 -----------------------------------------------------------------------------

NAMES = "abcdefgh"
CLOUD = np.array(
    [[x, y] for y in (2.0, 0.0) for x in (0.0, 1.0, 2.8, 3.8)]
)  # a b c d above e f g h


def apart(pair: str) -> float:
    one, other = (CLOUD[NAMES.index(name)] for name in pair)
    return oracle.euclidean(one, other)


def groups(labels: list[int]) -> set[str]:
    named = list(zip(NAMES, labels, strict=True))
    return {"".join(name for name, label in named if label == k) for k in labels}


def test_the_cloud_is_as_the_text_says() -> None:
    pairs = {a + b: apart(a + b) for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]}
    assert set(sorted(pairs, key=lambda p: pairs[p])[:4]) == {"ab", "cd", "ef", "gh"}
    assert set(sorted(pairs, key=lambda p: pairs[p])[4:6]) == {"bc", "fg"}
    assert max(apart("bc"), apart("fg")) < min(apart("bf"), apart("cg"))
    assert apart("ae") < 0.6 * apart("ad")  # much closer
    assert max(apart("af"), apart("be")) < apart("ad")


def test_first_the_four_closest_pairs() -> None:
    for method in ("single", "complete", "average", "group-average", "ward"):
        tree = linkage(CLOUD, method, "euclidean")
        assert groups(cut_tree(tree, 4).tolist()) == {"ab", "cd", "ef", "gh"}  # figure 14.5


def test_single_link_gives_the_two_elongated_clusters() -> None:
    tree = linkage(CLOUD, "single", "euclidean")
    oracle.follow(tree, oracle.single(oracle.distances(CLOUD, "euclidean")))
    assert groups(cut_tree(tree, 2).tolist()) == {"abcd", "efgh"}  # figure 14.6
    np.testing.assert_allclose(tree[:, 2], [1, 1, 1, 1, 1.8, 1.8, 2])


def test_complete_link_gives_the_two_compact_clusters() -> None:
    tree = linkage(CLOUD, "complete", "euclidean")
    assert groups(cut_tree(tree, 2).tolist()) == {"abef", "cdgh"}  # figure 14.7
    np.testing.assert_allclose(tree[4:6, 2], apart("af"))
    np.testing.assert_allclose(tree[6, 2], apart("ah"))


def test_other_methods_give_the_compact_clusters() -> None:
    for method in ("average", "group-average", "ward"):
        found = BottomUpClusters(2, method, "euclidean").fit_predict(CLOUD)
        assert groups(found.tolist()) == {"abef", "cdgh"}
    assert groups(FlatClusters(2).fit_predict(CLOUD).tolist()) == {"abef", "cdgh"}
    assert groups(TopDownClusters(2).fit_predict(CLOUD).tolist()) == {"abef", "cdgh"}
    chain = TopDownClusters(2, coherence="single", split="single").fit_predict(CLOUD)
    assert groups(chain.tolist()) == {"abcd", "efgh"}


# Equation 14.2: monotonicity, as printed and as meant ---------------------------------------------


def as_printed(apart: Any, c: Any, d: Any, e: Any) -> bool:
    """min(sim(c, d), sim(c, e)) >= sim(c, d and e together), with distances instead of similarities."""
    return bool(max(apart(c, d), apart(c, e)) <= apart(c, tuple(sorted(d + e))) + 1e-9)


def test_only_complete_link_is_monotonic_as_printed() -> None:
    rows = np.random.default_rng(0).normal(size=(9, 2))
    d = oracle.distances(rows, "euclidean")
    links: dict[str, Any] = {name: make(d) for name, make in oracle.LINKS.items()}
    links["ward"] = oracle.ward(rows)
    kept = {
        name: all(
            as_printed(apart, c, e, f)
            for c, e, f in itertools.permutations([(0,), (1, 2), (3, 4, 5), (6,), (7, 8)], 3)
        )
        for name, apart in links.items()
    }
    assert kept == {name: name == "complete" for name in links}


@pytest.mark.parametrize("method", ["single", "complete", "average", "group-average", "ward"])
def test_all_are_monotonic_as_meant(method: str) -> None:
    for seed in range(5):
        rows = np.random.default_rng(seed).normal(size=(60, 3))
        assert not len(inversions(linkage(rows, method, "euclidean")))


# Equation 14.3: the cosine ------------------------------------------------------------------------


def test_the_cosine_has_squares_under_the_root() -> None:
    """As printed there are none, and vectors of unit length would not have their product as cosine."""
    v, w = np.array([0.6, 0.8]), np.array([1.0, 0.0])
    printed = v @ w / np.sqrt(v.sum() * w.sum())
    assert printed != pytest.approx(v @ w)
    assert linkage(np.stack([v, w]), "single", "cosine")[0, 2] == pytest.approx(1 - v @ w)
    assert linkage(np.stack([3 * v, w]), "single", "cosine")[0, 2] == pytest.approx(1 - v @ w)


# Exercise 14.2: K-means that needs more than one iteration ----------------------------------------


def test_k_means_that_needs_more_than_one_iteration() -> None:
    rows = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    start = np.array([[0.0], [1.0]])
    labels, centres, _, rounds = oracle.k_means(rows, start)
    assert rounds == 2  # 0 | 1 2 9 10, then 0 1 2 | 9 10
    assert labels == [0, 0, 0, 1, 1]
    found = FlatClusters(2, init=start).fit(rows)
    assert found.labels_.tolist() == labels
    assert found.cluster_centers_.tolist() == centres.tolist() == [[1.0], [9.5]]
    assert found.n_iter_ >= 2


# Exercise 14.3: ten points and an outlier ---------------------------------------------------------

TEN = np.array(
    [[-0.9, 0.1], [-0.7, -0.4], [-0.6, 0.6], [-0.3, -0.1], [-0.2, 0.5],
     [0.1, -0.7], [0.3, 0.2], [0.5, 0.7], [0.6, -0.5], [0.9, 0.0]]
)  # fmt: skip
STARTS = [(0, 9), (0, 1), (3, 6), (2, 8)]
ALONE = [0] * 10 + [1]


def with_outlier(distance: float) -> np.ndarray:
    return np.vstack([TEN, [[distance, 0.0]]])


def test_the_ten_are_near() -> None:
    assert max(oracle.euclidean(x, np.zeros(2)) for x in TEN) <= 1


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("distance", [2, 4, 8, 16])
def test_means_give_the_outlier_a_cluster_of_its_own(distance: int, start: tuple[int, int]) -> None:
    rows = with_outlier(distance)
    labels, *_ = oracle.k_means(rows, rows[list(start)])
    found = FlatClusters(2, init=rows[list(start)]).fit(rows)
    order = list(dict.fromkeys(labels))
    assert found.labels_.tolist() == [order.index(label) for label in labels]
    assert (found.labels_.tolist() == ALONE) == (distance >= 4)  # from some distance on it does


@pytest.mark.parametrize("distance", [2, 4, 8, 16])
def test_medians_do_not_whatever_the_start(distance: int) -> None:
    """As the chapter says of L1 space: an outlier hardly moves a median, and gets no cluster of its own."""
    rows = with_outlier(distance)
    for start in itertools.combinations(range(10), 2):
        first = rows[list(start)]
        found = FlatClusters(2, metric="l1", centres="centroids", init=first).fit(rows)
        assert min(np.bincount(found.labels_)) >= 2
        means = FlatClusters(2, init=first).fit(rows)
        assert (means.labels_.tolist() == ALONE) == (distance >= 4)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("distance", [2, 4, 8, 16])
def test_medoids_by_the_figure_do_not(distance: int, start: tuple[int, int]) -> None:
    """In L1 space with medoids, reassigning and recomputing end with two groups of similar size."""
    rows = with_outlier(distance)
    labels, *_ = oracle.k_means(rows, rows[list(start)], "l1", oracle.medoid)
    assert min(labels.count(0), labels.count(1)) >= 3


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("distance", [2, 4, 8, 16])
def test_better_medoids_do(distance: int, start: tuple[int, int]) -> None:
    """Ours also tries to swap medoids, so it finds that the sum of distances is less without the outlier."""
    rows = with_outlier(distance)
    *_, errors, _ = oracle.k_means(rows, rows[list(start)], "l1", oracle.medoid)
    found = FlatClusters(2, metric="l1", init=rows[list(start)]).fit(rows)
    assert (found.labels_.tolist() == ALONE) == (distance >= 4)
    if distance >= 4:
        assert found.inertia_ < errors[-1] - 0.5
        assert found.medoids_.tolist() == [3, 10]
        assert found.inertia_ == pytest.approx(
            9.3
        )  # whatever the distance: the outlier costs nothing


def test_an_outlier_moves_a_mean_but_no_medoid() -> None:
    for distance in (2, 4, 8, 16):
        rows = with_outlier(distance)
        mean, medoid = (
            FlatClusters(1, metric=m).fit(rows).cluster_centers_ for m in ("euclidean", "l1")
        )
        np.testing.assert_allclose(
            mean, [[(TEN.sum(axis=0)[0] + distance) / 11, TEN.sum(axis=0)[1] / 11]]
        )
        assert medoid.tolist() == [[-0.3, -0.1]] or medoid.tolist() == [[0.3, 0.2]]


# Exercise 14.4: how often pairs are together ------------------------------------------------------


def test_pairs_in_the_same_cluster_in_all_runs() -> None:
    random = np.random.default_rng(0)
    rows = np.repeat([[0.0, 0], [4, 0], [0, 4]], 15, axis=0) + random.normal(size=(45, 2))
    runs = [MixtureClusters(3, random_state=seed).fit(rows).labels_ for seed in range(10)]
    shares = together(runs)
    np.testing.assert_allclose(shares, oracle.pairs_together([run.tolist() for run in runs]))
    assert shares[0] + shares[10] > 0.5  # most pairs are always apart or always together


# Exercise 14.7: K-means converges -----------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "l1"])
def test_the_error_never_rises_in_either_step(metric: Any) -> None:
    centre_of = oracle.mean if metric == "euclidean" else oracle.medoid
    for seed in range(8):
        random = np.random.default_rng(seed)
        rows = random.normal(size=(40, 2))
        start = rows[random.permutation(40)[:4]]
        _, centres, errors, rounds = oracle.k_means(rows, start, metric, centre_of)
        assert rounds >= 1
        assert (np.diff(errors) <= 1e-9).all()
        found = FlatClusters(4, metric=metric, init=start).fit(rows)
        again = oracle.k_means(rows, found.cluster_centers_, metric, centre_of)
        assert again[3] == 1  # nothing moves any more
        assert found.inertia_ <= errors[-1] + 1e-9
        if metric == "euclidean":
            order = list(dict.fromkeys(oracle.nearest(rows, centres, metric)))
            np.testing.assert_allclose(found.cluster_centers_, centres[order], atol=1e-9)
