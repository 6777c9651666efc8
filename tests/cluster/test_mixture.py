"""Mixtures of Gaussians, against (14.17) to (14.23) done literally."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from firth.cluster import MixtureClusters
from tests.cluster.choices import COVARIANCES
from tests.oracles import clusters as oracle


def two_clouds(n: int, seed: int = 1) -> Any:
    random = np.random.default_rng(seed)
    one, other = random.normal(size=(n, 2)), 0.7 * random.normal(size=(n - n // 4, 2)) + [2.0, 1.0]
    return np.concatenate([one, other])


def matrices(found: Any) -> Any:
    """The covariance of every group as a whole matrix."""
    k, dim = found.means_.shape
    if found.covariance == "tied":
        return np.array([found.covariances_] * k)
    if found.covariance == "diagonal":
        return np.array([np.diag(row) for row in found.covariances_])
    if found.covariance == "spherical":
        return np.array([np.eye(dim) * value for value in found.covariances_])
    return found.covariances_


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_rounds_are_those_of_the_chapter(covariance: Any) -> None:
    rows = two_clouds(30)
    found = MixtureClusters(2, covariance=covariance, tol=1e-5).fit(rows)
    start = np.eye(2)[KMeans(2, n_init=1, random_state=0).fit(rows).labels_]
    rounds = len(found.log_likelihoods_)
    assert rounds == found.n_iter_ + 1 > 3  # the start, then every round
    assert found.converged_
    likelihoods, h = oracle.em(rows, start, covariance, 1e-6, rounds)
    np.testing.assert_allclose(found.log_likelihoods_, likelihoods, rtol=1e-9)
    assert found.score(rows) * len(rows) == pytest.approx(likelihoods[-1], rel=1e-9)
    order = list(dict.fromkeys(h.argmax(axis=1).tolist()))
    np.testing.assert_allclose(found.memberships_, h[:, order], atol=1e-9)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_is_consistent(covariance: Any, seed: int) -> None:
    rows = two_clouds(40, seed)
    found = MixtureClusters(3, covariance=covariance, random_state=seed).fit(rows)
    model = found.weights_, found.means_, matrices(found)
    h = oracle.expectation(rows, *model)
    np.testing.assert_allclose(found.memberships_, h, atol=1e-9)
    np.testing.assert_allclose(found.memberships_.sum(axis=1), 1)
    assert found.labels_.tolist() == h.argmax(axis=1).tolist()
    assert found.score(rows) * len(rows) == pytest.approx(oracle.log_likelihood(rows, *model))
    new = np.random.default_rng(9).normal(size=(15, 2))
    np.testing.assert_allclose(found.predict_proba(new), oracle.expectation(new, *model), atol=1e-9)
    assert found.predict(new).tolist() == oracle.expectation(new, *model).argmax(axis=1).tolist()
    assert found.predict(rows).tolist() == found.labels_.tolist()
    assert found.weights_.sum() == pytest.approx(1)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_likelihood_never_falls(covariance: Any) -> None:
    for seed in range(4):
        rows = two_clouds(80, seed)  # enough that no group shrinks to a point
        soft = MixtureClusters(2, covariance=covariance, n_init=2, tol=1e-5, regularisation=0.0)
        found = soft.set_params(max_iter=500).fit(rows)
        steps = np.diff(found.log_likelihoods_)
        assert len(steps) > 2
        assert (steps > -1e-9 * len(rows)).all()
        assert steps[-1] < 1e-5 * len(rows)  # and it ends where they are small


def test_the_last_likelihood_is_that_of_what_was_found() -> None:
    rows = two_clouds(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = MixtureClusters(2, max_iter=2).fit(rows)
    assert found.log_likelihoods_[-1] == pytest.approx(found.score(rows) * len(rows), abs=1e-6)


def test_a_known_mixture_is_found() -> None:
    random = np.random.default_rng(0)
    weights, means = np.array([0.2, 0.5, 0.3]), np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 7.0]])
    roots = np.array([[[1.0, 0.0], [0.5, 0.6]], [[0.5, 0.0], [0.0, 1.5]], [[1.0, 0.0], [0.0, 1.0]]])
    which = np.repeat([0, 1, 2], (3000 * weights).astype(int))
    rows = means[which] + np.einsum("nij,nj->ni", roots[which], random.normal(size=(3000, 2)))
    found = MixtureClusters(3).fit(rows)
    np.testing.assert_allclose(found.weights_, weights, atol=0.01)
    np.testing.assert_allclose(found.means_, means, atol=0.12)
    np.testing.assert_allclose(found.covariances_, roots @ roots.transpose(0, 2, 1), atol=0.2)
    assert oracle.adjusted_rand(found.labels_[::20].tolist(), which[::20].tolist()) > 0.97


def test_shapes_of_covariances() -> None:
    rows = two_clouds(30)
    shapes: dict[Any, Any] = {
        "full": (2, 2, 2),
        "diagonal": (2, 2),
        "tied": (2, 2),
        "spherical": (2,),
    }
    for covariance, shape in shapes.items():
        assert MixtureClusters(2, covariance=covariance).fit(rows).covariances_.shape == shape


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_groups_are_numbered_by_their_first_objects(covariance: Any) -> None:
    rows = np.array([[9.0, 0], [0, 0], [0, 9.0]])[np.arange(60) % 3]
    rows = rows + np.random.default_rng(0).normal(size=(60, 2))
    for seed in range(4):
        found = MixtureClusters(3, covariance=covariance, random_state=seed, n_init=3).fit(rows)
        assert found.labels_.tolist() == [0, 1, 2] * 20
        np.testing.assert_allclose(found.means_, [[9, 0], [0, 0], [0, 9]], atol=0.9)
        assert found.predict([[9, 0], [0, 0], [0, 9]]).tolist() == [0, 1, 2]


def test_more_starts_are_not_less_likely() -> None:
    rows = np.random.default_rng(5).normal(size=(80, 2))
    one, many = (MixtureClusters(4, n_init=n, random_state=0).fit(rows) for n in (1, 8))
    assert (
        many.score(rows) >= one.score(rows) - 1e-3
    )  # kept by the likelihood before the last round
    assert (np.diff(many.log_likelihoods_) > -1e-6).all()  # of one start, not of several


def test_an_object_between_two_groups_belongs_to_both() -> None:
    side = np.array([[-4.0, -1], [-4, 1], [-5, 0], [-3, 0]])
    rows = np.concatenate([side, -side, [[0.0, 0.0]]])
    found = MixtureClusters(2, covariance="tied", max_iter=1000, tol=1e-9).fit(rows)
    np.testing.assert_allclose(found.memberships_[8], [0.5, 0.5], atol=0.05)
    assert (found.memberships_[:8].max(axis=1) > 0.99).all()


def test_regularisation_keeps_groups_from_shrinking_to_a_point() -> None:
    rows = np.repeat([[0.0, 0.0], [5.0, 5.0]], 4, axis=0)
    found = MixtureClusters(2, regularisation=0.25).fit(rows)
    np.testing.assert_allclose(found.covariances_, [np.eye(2) * 0.25] * 2, atol=1e-9)
    assert found.labels_.tolist() == [0] * 4 + [1] * 4


def test_one_group_is_one_gaussian() -> None:
    rows = two_clouds(20)
    found = MixtureClusters(1, regularisation=0.0).fit(rows)
    np.testing.assert_allclose(found.means_[0], rows.mean(axis=0))
    np.testing.assert_allclose(found.covariances_[0], np.cov(rows.T, bias=True))
    assert found.memberships_.tolist() == [[1.0]] * len(rows)
