"""The description length of mixtures, given starts, and the choice of the model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from firth.cluster import FlatClusters, MixtureClusters, cluster
from firth.errors import ParameterError
from tests.cluster.choices import COVARIANCES
from tests.oracles import clusters as oracle

# Description length -------------------------------------------------------------------------------


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("seed", range(5))
def test_bits_are_those_of_the_twin(covariance: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    k, dim = int(random.integers(1, 4)), int(random.integers(1, 4))
    rows = random.normal(size=(30, dim)) * random.choice([0.1, 1, 50]) + 7
    found = MixtureClusters(k, covariance=covariance, random_state=seed).fit(rows)
    sigmas = full_matrices(covariance, found.covariances_, k, dim)
    expected = oracle.mixture_length(rows, found.weights_, found.means_, sigmas, covariance)
    assert found.description_length_ == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_units_and_origin_do_not_matter(covariance: Any) -> None:
    rows = clouds("full", 0)
    soft = MixtureClusters(3, covariance=covariance, regularisation=0.0)
    expected = soft.fit(rows).description_length_
    for other in (rows * 1024, rows + 1000):
        assert soft.fit(other).description_length_ == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_identical_objects_have_a_length(covariance: Any) -> None:
    found = MixtureClusters(1, covariance=covariance).fit(np.full((5, 2), 3.0))
    assert math.isfinite(found.description_length_)


# The choice of the model --------------------------------------------------------------------------


def clouds(kind: str, seed: int) -> Any:
    """Three clusters with covariances of some kind."""
    random = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [9.0, 1.0], [1.0, 9.0]])
    turn = np.array([[1.0, 1.0], [-1.0, 1.0]]) / math.sqrt(2)
    long, wide = np.diag([2.0, 0.3]), np.diag([0.3, 1.6])
    roots = {
        "full": [long @ turn, long, 0.4 * np.eye(2)],
        "diagonal": [long, wide, 0.4 * np.eye(2)],
        "tied": [long @ turn] * 3,
        "spherical": [1.6 * np.eye(2), 0.3 * np.eye(2), 0.8 * np.eye(2)],
    }[kind]
    which = np.arange(240) % 3
    turned = np.swapaxes(np.array(roots), 1, 2)[which]
    drawn = np.einsum("nij,nj->ni", turned, random.normal(size=(240, 2)))
    return centres[which] + drawn


@pytest.mark.slow
@pytest.mark.parametrize("kind", COVARIANCES)
def test_the_number_and_the_kind_of_a_known_mixture_are_chosen(kind: str) -> None:
    for seed in range(2):
        found = cluster(clouds(kind, seed), method="mixture", k="auto:1-6", covariance="auto")
        assert found.k == 3
        assert found.estimator.covariance_ == kind
        assert found.labels.tolist() == [0, 1, 2] * 80


def test_a_mixture_has_the_variances_of_its_clusters_where_one_variance_for_all_fails() -> None:
    """A dense cluster beside a wide one: with one variance, the wide one is cut into pieces."""
    random = np.random.default_rng(1)
    rows = np.concatenate([0.05 * random.normal(size=(150, 2)), random.normal([9, 0], 3, (150, 2))])  # fmt: skip
    soft = cluster(rows, method="mixture", k="auto:1-6", covariance="spherical")
    assert soft.k == 2
    assert soft.k_by == "description length"
    assert cluster(rows, method="k-means", k="auto:1-6").k > 2


def test_auto_is_the_shortest_of_all_kinds() -> None:
    rows = clouds("tied", 5)
    of_kind = {kind: MixtureClusters(3, covariance=kind).fit(rows) for kind in COVARIANCES}
    chosen = MixtureClusters(3, covariance="auto").fit(rows)
    lengths = {kind: found.description_length_ for kind, found in of_kind.items()}
    assert chosen.covariance_ == min(lengths, key=lambda kind: lengths[kind])
    assert chosen.description_length_ == min(lengths.values())
    assert chosen.notes() == [
        f"The covariances with the shortest description: {chosen.covariance_}."
    ]
    same = of_kind[chosen.covariance_]
    assert chosen.memberships_.tolist() == same.memberships_.tolist()
    for kind, found in of_kind.items():
        assert found.covariance_ == kind


# Table 14.5: given means, covariances and weights --------------------------------------------------


def full_matrices(kind: str, given: Any, k: int, dim: int) -> Any:
    if kind == "tied":
        return np.array([given] * k)
    if kind == "diagonal":
        return np.array([np.diag(row) for row in given])
    return np.array([np.eye(dim) * v for v in given]) if kind == "spherical" else given


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_memberships_of_a_given_mixture(covariance: Any) -> None:
    random = np.random.default_rng(2)
    rows, means = random.normal(size=(20, 3)), random.normal(size=(4, 3))
    root = random.normal(size=(4, 3, 3))
    full = root @ root.transpose(0, 2, 1) + 0.1 * np.eye(3)
    given = {
        "full": full,
        "tied": full[0],
        "diagonal": full[:, 0] ** 2 + 0.1,
        "spherical": full[:, 0, 0],
    }[covariance]
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    soft = MixtureClusters(4, covariance=covariance, means=means, covariances=given)
    found = soft.set_params(weights=weights, max_iter=0).fit(rows)
    model = weights, means, full_matrices(covariance, given, 4, 3)
    np.testing.assert_allclose(found.memberships_, oracle.expectation(rows, *model), atol=1e-9)
    assert found.log_likelihoods_ == pytest.approx([oracle.log_likelihood(rows, *model)])
    assert found.means_.tolist() == means.tolist()
    assert (found.n_iter_, found.notes()) == (0, [])
    new = random.normal(size=(5, 3))
    np.testing.assert_allclose(found.predict_proba(new), oracle.expectation(new, *model), atol=1e-9)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_em_from_a_given_mixture_is_that_of_the_chapter(covariance: Any) -> None:
    """The chapter begins with identity matrices, equal weights, and means near some objects."""
    random = np.random.default_rng(4)
    rows = np.concatenate([random.normal(size=(25, 2)), random.normal([4, 2], size=(20, 2))])
    means = rows[[30, 3]] + 0.1
    found = MixtureClusters(2, covariance=covariance, means=means, tol=1e-6).fit(rows)
    start = np.full(2, 0.5), means, np.array([np.eye(2)] * 2)
    first = oracle.log_likelihood(rows, *start)
    rounds = found.n_iter_ - 1
    h = oracle.expectation(rows, *start)
    likelihoods, _ = oracle.em(rows, h, covariance, 1e-6, rounds + 1)
    np.testing.assert_allclose(found.log_likelihoods_, [first, *likelihoods], rtol=1e-9)
    assert np.argmin(np.linalg.norm(found.means_ - [4, 2], axis=1)) == 0  # they keep their order


def test_table_14_5() -> None:
    """Centroids of K-means, 0.05 times the identity matrix, equal priors: the posterior of (14.17)."""
    random = np.random.default_rng(0)
    rows = np.repeat(random.normal(size=(5, 4)), 4, axis=0) + 0.15 * random.normal(size=(20, 4))
    hard = FlatClusters(5).fit(rows)
    soft = MixtureClusters(5, means=hard.cluster_centers_, covariances=0.05, max_iter=0).fit(rows)
    distances = ((rows[:, None] - hard.cluster_centers_) ** 2).sum(axis=2)
    shares = np.exp(-distances / 0.1)
    np.testing.assert_allclose(soft.memberships_, shares / shares.sum(axis=1, keepdims=True))
    assert soft.labels_.tolist() == hard.labels_.tolist()  # the cluster from K-means dominates


def test_without_priors_the_e_step_would_be_wrong() -> None:
    """(14.20) as printed has no priors, which is right only if they are equal."""
    given: dict[str, Any] = {"means": [[0.0], [2.0]], "max_iter": 0}
    equal = MixtureClusters(2, **given).fit([[1.0], [0.0]])
    np.testing.assert_allclose(equal.memberships_[0], [0.5, 0.5])
    soft = MixtureClusters(2, weights=[0.8, 0.2], **given).fit([[1.0], [0.0]])
    np.testing.assert_allclose(soft.memberships_[0], [0.8, 0.2])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weights": [0.5, 0.5]}, "'weights' parameter of MixtureClusters needs 'means'"),
        ({"covariances": 1.0}, "'covariances' parameter of MixtureClusters needs 'means'"),
        ({"means": np.zeros((3, 2))}, "'means' .* numbers of shape"),
        ({"means": [[0, 0], [1, np.nan]]}, "'means' .* finite numbers"),
        ({"means": "many"}, "'means' .* must be numbers"),
        ({"means": np.eye(2), "weights": [0.5, 0.6]}, "'weights' .* with sum 1"),
        ({"means": np.eye(2), "weights": [1.0, 0.0]}, "'weights' .* positive numbers"),
        ({"means": np.eye(2), "covariances": 0.0}, "'covariances' .* variances above 0"),
        ({"means": np.eye(2), "covariances": np.eye(2)}, "'covariances' .* shape .2, 2, 2."),
        (
            {"means": np.eye(2), "covariances": [[[1, 2], [2, 1]]] * 2},
            "'covariances' .* positive definite",
        ),
        (
            {"means": np.eye(2), "covariances": [[[1, 0.5], [0, 1]]] * 2},
            "'covariances' .* positive definite",
        ),
    ],
)
def test_a_wrong_start_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        MixtureClusters(2, **given).fit(np.random.default_rng(0).normal(size=(9, 2)))


def test_k_means_alone_is_a_start_without_iterations() -> None:
    rows = clouds("tied", 0)
    found = MixtureClusters(3, max_iter=0).fit(rows)
    assert found.n_iter_ == 0
    assert found.labels_.tolist() == [0, 1, 2] * 80
