"""Distributional clustering, against its formulas and against what is known of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier, is_clusterer
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from firth.cluster import DistributionalClusters, check_linkage, cut_tree
from firth.cluster import _annealing as annealing
from firth.cluster import _distributional_kernels as kernels
from firth.cluster import _distributions as objects_of
from firth.cluster._divergence_means import divergence_means
from firth.compute import Engine
from firth.errors import ParameterError
from tests.oracles import divergence as slow

Floats = npt.NDArray[np.float64]


def some_counts(seed: int, n: int = 12, dim: int = 7, zeros: float = 0.5) -> Floats:
    chance = np.random.default_rng(seed)
    counts = chance.poisson(4, (n, dim)) * (chance.random((n, dim)) > zeros)
    counts[counts.sum(axis=1) == 0, 0] = 1
    return counts.astype(np.float64)


def mixture(
    seed: int, k: int, dim: int, per_cluster: int, length: int
) -> tuple[Any, npt.NDArray[np.int64], Floats]:
    """Objects drawn from k distributions, in any order; which they were drawn from; the distributions."""
    chance = np.random.default_rng(seed)
    centres = chance.dirichlet(np.full(dim, 0.2), k)
    labels = chance.permutation(np.repeat(np.arange(k), per_cluster))
    return (
        sp.csr_array(np.array([chance.multinomial(length, centres[c]) for c in labels])),
        labels,
        centres,
    )


def of(counts: Any, weights: str = "counts", threads: int = 1) -> objects_of.Distributions:
    return objects_of.Distributions(
        sp.csr_matrix(counts, dtype=np.float64), weights, Engine(threads)
    )


def is_same_grouping(a: npt.ArrayLike, b: npt.ArrayLike) -> bool:
    pairs = set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True))
    return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})


def falls(found: DistributionalClusters) -> None:
    """The free energy never rises at a fixed temperature."""
    same = (np.diff(found.sizes_) == 0) & (found.betas_[1:] == found.betas_[:-1])
    assert same.any()
    assert np.diff(found.free_energies_)[same].max() <= 1e-12


# the formulas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("in_blocks", [False, True])
def test_a_step_is_what_the_formulas_say(
    seed: int, in_blocks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if in_blocks:
        monkeypatch.setattr(objects_of, "_SMALL", 0)
    counts = some_counts(seed)
    weights: Any = ("counts", "uniform")[seed % 2]
    objects = of(counts, weights, threads=2)
    assert (len(objects.blocks) > 1) == in_blocks
    p = slow.distributions(counts)
    w = counts.sum(axis=1) / counts.sum() if weights == "counts" else np.full(len(p), 1 / len(p))
    np.testing.assert_allclose(objects.weights, w, rtol=1e-14)
    chance = np.random.default_rng(seed)
    q = chance.dirichlet(np.ones(counts.shape[1]), 1 + seed)
    q[0, 0] = 0.0  # some objects have what this cluster has not
    beta = 10.0 ** chance.uniform(-1, 2)
    shares, logs, sums = objects.step(np.ascontiguousarray(q.T), beta)
    expected, expected_logs = slow.memberships(p, q, beta)
    np.testing.assert_allclose(shares, expected, rtol=1e-9, atol=1e-200)
    np.testing.assert_allclose(
        logs - beta * objects.entropies, expected_logs, rtol=1e-9, atol=1e-10
    )
    centroids = slow.centroids(p, expected, w)
    np.testing.assert_allclose(sums / sums.sum(axis=0), centroids.T, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_a_step_of_two_copies_is_that_of_all_clusters(seed: int) -> None:
    counts = some_counts(seed)
    objects, p = of(counts), slow.distributions(counts)
    q = np.random.default_rng(seed).dirichlet(np.ones(counts.shape[1]), 5)
    beta = 2.0 + seed
    expected, logs = slow.memberships(p, q, beta)
    others = slow.memberships(p, q[2:], beta)[1] + beta * objects.entropies
    shares, found, sums = np.empty((len(p), 2)), np.empty(len(p)), np.zeros((counts.shape[1], 2))
    table = np.log(np.ascontiguousarray(q[:2].T))
    kernels.step_pair(*objects.arrays, table, objects.weights, others, beta, shares, found, sums)
    np.testing.assert_allclose(shares, expected[:, :2], rtol=1e-9)
    np.testing.assert_allclose(found - beta * objects.entropies, logs, rtol=1e-9)
    centroids = slow.centroids(p, expected[:, :2], objects.weights)
    np.testing.assert_allclose(sums / sums.sum(axis=0), centroids.T, rtol=1e-9)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("hard", [False, True])
def test_what_is_learned_fits_together(seed: int, hard: bool) -> None:
    counts = some_counts(seed, n=25)
    weights: Any = ("counts", "uniform")[seed % 2]
    found = DistributionalClusters(2 + seed % 4, hard=hard, weights=weights).fit(counts)
    k = 2 + seed % 4
    falls(found)
    assert found.centroids_.shape == (k, 7)
    np.testing.assert_allclose(found.centroids_.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(found.memberships_.sum(axis=1), 1, rtol=1e-12)
    p = slow.distributions(counts)
    w = counts.sum(axis=1) / counts.sum() if weights == "counts" else np.full(len(p), 1 / len(p))
    np.testing.assert_allclose(found.masses_, w @ found.memberships_, rtol=1e-12)
    if hard:
        far = np.array([[slow.divergence(row, q) for q in found.centroids_] for row in p])
        assert found.labels_.tolist() == far.argmin(axis=1).tolist()
        assert sorted(set(found.labels_.tolist())) == list(range(k))
        assert found.memberships_.tolist() == np.eye(k)[found.labels_].tolist()
        np.testing.assert_allclose(
            found.free_energies_[-1], w @ far.min(axis=1), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            found.centroids_, slow.centroids(p, found.memberships_, w), rtol=1e-9
        )
    else:
        expected = slow.memberships(p, found.centroids_, found.beta_)[0]
        np.testing.assert_allclose(found.memberships_, expected, rtol=1e-7, atol=1e-100)
        energy = slow.free_energy(p, found.centroids_, w, found.beta_)
        np.testing.assert_allclose(found.free_energies_[-1], energy, rtol=1e-9)
        assert found.labels_.tolist() == expected.argmax(axis=1).tolist()


def test_centroids_are_the_means_of_members_when_nothing_moves() -> None:
    counts = some_counts(3, n=30)
    found = DistributionalClusters(3, tol=1e-13, max_iter=5000).fit(counts)
    p, w = slow.distributions(counts), counts.sum(axis=1) / counts.sum()
    np.testing.assert_allclose(
        found.centroids_, slow.centroids(p, found.memberships_, w), atol=1e-5
    )


# what is known --------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", ["counts", "uniform"])
def test_near_beta_0_there_is_one_cluster_the_mean(weights: Any) -> None:
    counts = some_counts(0)
    p = slow.distributions(counts)
    w = counts.sum(axis=1) / counts.sum() if weights == "counts" else np.full(len(p), 1 / len(p))
    with pytest.warns(
        ConvergenceWarning, match=r"\(1\) found smaller than n_clusters \(4\): max_beta"
    ):
        found = DistributionalClusters(4, weights=weights, max_beta=1e-3).fit(counts)
    assert (found.n_clusters_, found.beta_) == (1, 1e-3)
    np.testing.assert_allclose(found.centroids_[0], w @ p, rtol=1e-14)
    assert found.memberships_.tolist() == [[1.0]] * len(counts)
    mean = sum(x * slow.divergence(row, w @ p) for x, row in zip(w, p, strict=True))
    np.testing.assert_allclose(found.free_energies_, [mean], rtol=1e-12)
    whole = DistributionalClusters(1, weights=weights).fit(counts)
    assert whole.centroids_.tolist() == found.centroids_.tolist()
    assert whole.beta_ == whole.critical_beta_


@pytest.mark.parametrize("seed", range(5))
def test_the_first_critical_beta_is_that_of_the_theory(seed: int) -> None:
    counts = some_counts(seed, zeros=0.2)
    for weights in ("counts", "uniform"):
        found = DistributionalClusters(1, weights=weights).fit(counts)
        objects = of(counts, weights)
        expected = slow.critical_beta(slow.distributions(counts), objects.weights)
        assert found.critical_beta_ == pytest.approx(expected, rel=1e-3)
        assert found.critical_beta_ >= 1


@pytest.mark.parametrize("a", [0.1, 0.2, 0.35])
def test_copies_fall_together_below_the_critical_beta_and_move_apart_above(a: float) -> None:
    p, w = np.array([[a, 1 - a], [1 - a, a]]), np.array([0.5, 0.5])
    critical = 1 / (1 - 2 * a) ** 2  # by hand
    assert slow.critical_beta(p, w) == pytest.approx(critical)
    apart = []
    for beta in (0.95 * critical, 1.05 * critical):
        q = np.array([[0.49, 0.51], [0.51, 0.49]])
        for _ in range(400):
            q = slow.centroids(p, slow.memberships(p, q, beta)[0], w)
        apart.append(abs(q[0, 0] - q[1, 0]))
    assert apart[0] < 1e-6 < 0.05 < apart[1]
    found = DistributionalClusters(2, growth=1.05).fit(1000 * p)
    assert found.critical_beta_ == pytest.approx(critical, rel=1e-6)
    assert critical < found.split_betas_[0] < 1.4 * critical
    early = DistributionalClusters(2, max_beta=critical, growth=1.05)
    with pytest.warns(ConvergenceWarning):
        assert early.fit(1000 * p).n_clusters_ == 1


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_mixture_is_found(hard: bool, seed: int) -> None:
    counts, labels, centres = mixture(seed, 6, 40, 50, 120)
    found = DistributionalClusters(6, hard=hard).fit(counts)
    falls(found)
    assert is_same_grouping(found.labels_, labels)
    assert found.predict(counts).tolist() == found.labels_.tolist()
    truth = [labels[found.labels_ == c][0] for c in range(6)]
    assert np.abs(found.centroids_ - centres[truth]).sum(axis=1).max() < 0.1


def test_groups_of_groups_split_in_order() -> None:
    chance = np.random.default_rng(5)
    large = chance.dirichlet(np.full(30, 0.1), 2)
    small = [0.7 * large[c // 2] + 0.3 * chance.dirichlet(np.full(30, 0.1)) for c in range(4)]
    labels = np.repeat(np.arange(4), 30)
    counts = np.array([chance.multinomial(300, small[c]) for c in labels])
    found = DistributionalClusters(4, growth=1.1).fit(counts)
    assert is_same_grouping(found.labels_, labels)
    assert is_same_grouping(cut_tree(found.linkage_, 2)[found.labels_], labels // 2)
    assert found.split_betas_[0] < found.split_betas_[1]


@pytest.mark.parametrize("hard", [False, True])
def test_the_tree_of_splits(hard: bool) -> None:
    counts, _, _ = mixture(1, 9, 30, 20, 100)
    found = DistributionalClusters(9, hard=hard, growth=1.2).fit(counts)
    tree = check_linkage(found.linkage_)
    assert tree.shape == (8, 4)
    assert (np.diff(tree[:, 2]) >= 0).all()
    assert (np.diff(found.split_betas_) >= 0).all()
    assert (found.parents_ <= np.arange(8)).all()
    for k in range(
        1, 10
    ):  # the clusters with a number below k are those of before the later splits
        before = np.arange(9)
        for new in range(8, k - 1, -1):
            before[before == new] = found.parents_[new - 1]
        assert cut_tree(tree, k).tolist() == before.tolist()
    np.testing.assert_allclose(tree[::-1, 2], 1 / found.split_betas_)


def test_clusters_that_fell_together_leave_the_tree() -> None:
    trace = annealing.Trace()
    for parent in (0, 1, 1, 2):
        trace.split(parent, 10.0 + len(trace.parents))
    trace.remove(2)  # cluster 4 was split from it
    assert (trace.parents, trace.split_betas) == ([0, 1, 1], [10.0, 12.0, 13.0])


# exactly as many as are wanted ------------------------------------------------------------------------


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("k", [1, 2, 5, 11, 12])
def test_there_are_as_many_clusters_as_are_wanted(hard: bool, k: int) -> None:
    found = DistributionalClusters(k, hard=hard).fit(some_counts(4))
    assert found.n_clusters_ == k == len(found.centroids_)
    roots = np.sqrt(found.centroids_)
    assert (np.triu(roots @ roots.T, 1) < 1 - 1e-6).all()
    if k == 12:
        assert is_same_grouping(found.labels_, range(12))


@pytest.mark.parametrize("hard", [False, True])
def test_rows_that_differ_very_little(hard: bool) -> None:
    found = DistributionalClusters(3, hard=hard).fit([[10**6, 1], [10**6, 2], [10**6, 3]])
    assert is_same_grouping(found.labels_, range(3))


@pytest.mark.parametrize("hard", [False, True])
def test_identical_rows(hard: bool) -> None:
    rows = [[1, 2, 0], [2, 4, 0], [3, 6, 0], [0, 1, 1], [0, 7, 7]]  # in proportion is the same
    found = DistributionalClusters(2, hard=hard).fit(rows)
    assert is_same_grouping(found.labels_, [0, 0, 0, 1, 1])
    message = (
        r"clusters \(2\) found smaller than n_clusters \(4\): no more distributions are different"
    )
    with pytest.warns(ConvergenceWarning, match=message):
        found = DistributionalClusters(4, hard=hard).fit(rows)
    assert is_same_grouping(found.labels_, [0, 0, 0, 1, 1])
    with pytest.warns(ConvergenceWarning, match=r"\(1\)"):
        found = DistributionalClusters(2, hard=hard).fit(rows[:3])
    assert found.labels_.tolist() == [0, 0, 0]
    assert found.critical_beta_ == found.beta_ == np.inf
    assert found.free_energies_[-1] == pytest.approx(0, abs=1e-15)


def test_one_object() -> None:
    found = DistributionalClusters(1).fit([[3, 1]])
    assert found.centroids_.tolist() == [[0.75, 0.25]]
    assert found.linkage_.shape == (0, 4)
    assert found.predict([[0, 1]]).tolist() == [0]


def test_empty_clusters_get_the_objects_that_are_furthest() -> None:
    objects, trace = of(some_counts(2)), annealing.Trace()
    centroids = divergence_means(objects, objects.mean()[:, None], 4, trace)
    assert centroids.shape == (7, 4)
    assert np.diff(trace.free_energies).max() <= 1e-12
    assert trace.free_energies[-1] < trace.free_energies[0]
    assert set(objects.scores(centroids).argmax(axis=1).tolist()) == {0, 1, 2, 3}
    assert trace.split_betas == [np.inf] * 3


# manners ----------------------------------------------------------------------------------------------


def test_sparse_dense_threads_and_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects_of, "_SMALL", 0)
    counts, _, _ = mixture(2, 5, 30, 20, 60)
    found = [
        DistributionalClusters(5, threads=threads).fit(rows)
        for threads, rows in ((1, counts), (2, counts), (1, counts.toarray()), (2, counts.tocoo()))
    ]
    for other in found[1:]:
        assert other.memberships_.tolist() == found[0].memberships_.tolist()
    again = DistributionalClusters(5, random_state=np.random.RandomState(7)).fit(counts)
    assert is_same_grouping(again.labels_, found[0].labels_)


def test_new_objects() -> None:
    found = DistributionalClusters(2).fit([[9, 1, 0, 0], [8, 2, 0, 0], [1, 9, 0, 0], [0, 7, 0, 0]])
    assert found.predict([[5, 1, 0, 0], [1, 5, 0, 0]]).tolist() == [0, 1]
    shares = found.predict_proba([[5, 1, 3, 0], [0, 0, 1, 1]])
    p = slow.distributions(np.array([[5, 1, 3, 0], [0, 0, 1, 1]]))
    np.testing.assert_allclose(
        shares, slow.memberships(p, found.centroids_, found.beta_)[0], rtol=1e-9
    )
    assert shares[0, 0] > 0.5  # what nobody had before says nothing
    assert shares[1].tolist() == [0.5, 0.5]


def test_rows_of_zeros_can_belong_to_all_alike() -> None:
    counts = some_counts(1)
    rows = np.insert(counts, [0, 5], 0.0, axis=0)
    for options in ({}, {"weights": "uniform"}, {"hard": True}):
        found = DistributionalClusters(3, empty="alike", **options).fit(rows)
        plain = DistributionalClusters(3, **options).fit(counts)
        np.testing.assert_allclose(found.centroids_, plain.centroids_, rtol=1e-9)
        assert np.delete(found.labels_, [0, 6]).tolist() == plain.labels_.tolist()
        if not options.get("hard"):
            assert found.memberships_[[0, 6]].tolist() == [[1 / 3] * 3] * 2
        assert len(found.predict_proba(np.zeros((1, 7)))) == 1
    with pytest.warns(
        ConvergenceWarning, match=r"\(1\) found smaller than n_clusters \(2\): no more"
    ):
        DistributionalClusters(2, empty="alike").fit([[1, 2], [0, 0], [2, 4]])
    with pytest.raises(ParameterError, match="Row 0 of X has no counts"):
        DistributionalClusters(1, empty="alike").fit(np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 2], [0, 0], [1, 1], [0, 0]], r"Row 1 of X has no counts.* \(2 rows are like this\)"),
        ([[1, 2], [3, -1]], "Negative values in data passed to DistributionalClusters: row 1"),
        ([[1, 2], [3, np.nan]], "NaN"),
        ([[1, 2], [3, np.inf]], "infinity"),
        ([[1e308, 1e308], [1, 2]], "too large"),
        ([["a", "b"], ["c", "d"]], "could not convert"),
        ([[1, 2], [3]], "inhomogeneous"),
        ([1, 2], "2D array"),
        (np.zeros((0, 2)), "0 sample"),
        ([[1, 2]], "n_clusters.*at most 1"),
    ],
    ids=range(10),
)
def test_data_that_cannot_be(rows: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DistributionalClusters(2, empty="error").fit(rows)
    if len(rows) > 1 and message != "0 sample" and np.ndim(rows[0]) and len(rows[-1]) == 2:
        sparse = rows if isinstance(rows[0][0], str) else sp.csr_array(np.array(rows, float))
        with pytest.raises(ValueError, match=message):
            DistributionalClusters(2, empty="error").fit(sparse)


def test_new_data_that_cannot_be() -> None:
    found = DistributionalClusters(2, empty="error").fit([[9, 1], [8, 2], [1, 9]])
    for rows in ([[0, 0]], [[-1, 2]], [[1, 2, 3]], [[1, np.nan]]):
        with pytest.raises(ValueError, match=r"no counts|Negative|features|NaN"):
            found.predict(rows)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_clusters", [0, -1, 2.5, "2", None, True]),
        ("weights", ["frequency", None]),
        ("empty", ["ignore"]),
        ("growth", [1.0, 0.5, np.nan, np.inf, "2", None]),
        ("max_beta", [0, -1.0, np.nan, "2"]),
        ("tol", [0, -1e-3, None]),
        ("max_iter", [0, 1.5]),
        ("threads", [0, "2"]),
    ],
)
def test_parameters_that_cannot_be(name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(ParameterError, match=f"{name}' parameter of DistributionalClusters"):
            DistributionalClusters(2).set_params(**{name: value}).fit([[1, 2], [2, 1]])


# scikit-learn takes what can predict probabilities for a classifier of four classes
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [DistributionalClusters(4, threads=1), DistributionalClusters(4, threads=1, hard=True)]
)
@pytest.mark.slow
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_tags_for_scikit_learn() -> None:
    """The check of clusterers below is our own: scikit-learn's has numbers below zero."""
    tags = DistributionalClusters().__sklearn_tags__()
    assert tags.input_tags.positive_only
    assert tags.input_tags.sparse
    assert is_clusterer(DistributionalClusters())
    assert not is_classifier(DistributionalClusters())


@pytest.mark.parametrize("hard", [False, True])
def test_the_check_of_clusterers_with_data_above_zero(hard: bool) -> None:
    from sklearn.datasets import make_blobs
    from sklearn.metrics import adjusted_rand_score

    rows, labels = make_blobs(50, n_features=4, random_state=1)
    rows -= rows.min() - 0.1
    found = DistributionalClusters(3, hard=hard).fit(rows.tolist())
    assert adjusted_rand_score(found.labels_, labels) > 0.4
    assert found.labels_.dtype == np.int64
    assert found.fit_predict(rows).tolist() == found.labels_.tolist()
    assert set(found.labels_.tolist()) == {0, 1, 2}


@pytest.mark.parametrize(
    "kind", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.dok_array, sp.lil_matrix]
)
def test_the_check_of_sparse_data(kind: Any) -> None:
    rows = some_counts(6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = DistributionalClusters(3).fit(kind(rows))
    assert found.predict(kind(rows)).shape == (12,)
    assert found.predict_proba(kind(rows)).shape == (12, 3)
    assert found.labels_.tolist() == DistributionalClusters(3).fit(rows).labels_.tolist()
