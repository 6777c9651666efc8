"""What all estimators of clusters share: scikit-learn's contract, and clear errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from firth.cluster import (
    BottomUpClusters,
    FlatClusters,
    MixtureClusters,
    TopDownClusters,
    choose_n_clusters,
    linkage,
)
from firth.errors import FirthError, InputError, ParameterError
from tests.cluster.choices import LINKS

ROWS = np.random.default_rng(0).normal(size=(20, 3)) + 5
ESTIMATORS = {
    "bottom-up": BottomUpClusters,
    "top-down": TopDownClusters,
    "flat": FlatClusters,
    "soft": MixtureClusters,
}

# scikit-learn's contract --------------------------------------------------------------------------

DEFAULTS: list[Any] = [BottomUpClusters(), TopDownClusters(), FlatClusters(), MixtureClusters()]
OTHERS: list[Any] = [
    BottomUpClusters(3, "group-average", "euclidean"),
    BottomUpClusters(2, "single", "l1"),
    BottomUpClusters(2, "complete", "precomputed"),
    TopDownClusters(2, coherence="complete", split="average", metric="l1"),
    TopDownClusters(3, whole=False),
    TopDownClusters(2, coherence="single", split="k-medoids", whole=False),
    FlatClusters(3, metric="l1"),
    FlatClusters(3, metric="l1", centres="centroids"),
    FlatClusters(3, init="random", n_init=1, max_iter=20),
    *[
        MixtureClusters(2, covariance=covariance)
        for covariance in ("diagonal", "tied", "spherical", "auto")
    ],
]


def name_of(estimator: Any) -> str:
    return "".join(str(estimator).split())


# scikit-learn's check of clusterers gives rows of points, also to what takes distances
@pytest.mark.filterwarnings(
    "ignore"
)  # its data are small and odd: some have fewer points than groups
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [one for one in DEFAULTS + OTHERS if one.get_params().get("metric") != "precomputed"]
)
@pytest.mark.slow
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("estimator", DEFAULTS + OTHERS, ids=name_of)
def test_parameters_and_clones(estimator: Any) -> None:
    parameters = estimator.get_params()
    given = parameters.get("metric") == "precomputed"
    rows = np.abs(ROWS[:, :1] - ROWS[:, :1].T) if given else ROWS
    copy = clone(estimator)
    assert copy.get_params() == parameters
    labels = copy.fit(rows).labels_
    assert copy.get_params() == parameters  # fitting changes none
    again = clone(copy)
    assert not hasattr(again, "labels_")
    assert again.fit_predict(rows).tolist() == labels.tolist()
    assert again.fit(rows) is again
    assert labels.dtype == np.int64
    assert labels.shape == (20,)
    assert sorted(set(labels.tolist())) == list(range(parameters["n_clusters"]))
    assert labels.tolist() == first_come(labels)


def first_come(labels: Any) -> list[int]:
    """Groups numbered in the order of their first objects."""
    order = list(dict.fromkeys(labels.tolist()))
    return [order.index(label) for label in labels.tolist()]


def test_tags() -> None:
    assert BottomUpClusters(metric="precomputed").__sklearn_tags__().input_tags.pairwise
    assert not BottomUpClusters().__sklearn_tags__().input_tags.pairwise
    takes_sparse = [one.__sklearn_tags__().input_tags.sparse for one in DEFAULTS]
    assert takes_sparse == [True, False, True, False]


def test_parameters_can_be_set() -> None:
    for estimator in DEFAULTS:
        assert clone(estimator).set_params(n_clusters=5).fit(ROWS).labels_.max() == 4
        with pytest.raises(ValueError, match="Invalid parameter"):
            clone(estimator).set_params(clusters=5)


@pytest.mark.parametrize("estimator", [FlatClusters(), MixtureClusters()], ids=name_of)
def test_nothing_is_predicted_before_fitting(estimator: Any) -> None:
    with pytest.raises(NotFittedError):
        estimator.predict(ROWS)


# Bad numbers of groups ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("k", [0, -3, 21, True, False, 2.0, "2", None])
def test_wrong_numbers_of_groups(name: str, k: Any) -> None:
    expected = "at most 20 .the number of objects" if k == 21 else "at least 1"
    message = f"'n_clusters' parameter of {ESTIMATORS[name].__name__} must be an int of {expected}"
    with pytest.raises(ParameterError, match=message):
        ESTIMATORS[name](k).fit(ROWS)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("k", [1, 19, 20])
def test_as_many_groups_as_can_be(name: str, k: int) -> None:
    labels = ESTIMATORS[name](k).fit(ROWS).labels_
    assert sorted(set(labels.tolist())) == list(range(k))


# Bad objects --------------------------------------------------------------------------------------

BAD = {
    "empty": (np.zeros((0, 3)), "0 sample|no objects"),
    "no columns": (np.zeros((4, 0)), "0 feature|rows of numbers"),
    "one": ([[1.0, 2.0]], "1 sample|only one object|minimum of 2|at most 1"),
    "NaN": ([[1.0, 2.0], [np.nan, 1.0], [3.0, 1.0]], "NaN"),
    "infinite": ([[1.0, 2.0], [np.inf, 1.0], [3.0, 1.0]], "inf"),
    "text": ([["a", "b"], ["c", "d"], ["e", "f"]], "could not convert string|arrays of bytes/strings"),
    "ragged": ([[1.0, 2.0], [1.0], [3.0, 1.0]], "inhomogeneous"),
    "one dimension": ([1.0, 2.0, 3.0], "2D array|rows of numbers"),
    "three dimensions": (np.zeros((2, 2, 2)), "dim 3|rows of numbers"),
}  # fmt: skip


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("what", BAD)
def test_bad_objects(name: str, what: str) -> None:
    rows, message = BAD[what]
    with pytest.raises((ValueError, FirthError), match=message):
        ESTIMATORS[name](2).fit(rows)


@pytest.mark.parametrize("method", LINKS)
@pytest.mark.parametrize("what", BAD)
def test_bad_objects_of_trees(method: str, what: str) -> None:
    rows, message = BAD[what]
    with pytest.raises(InputError, match=message):
        linkage(rows, method, "euclidean")
    if what in ("NaN", "infinite"):
        with pytest.raises(InputError, match="Object 2 has a value"):
            linkage(scipy.sparse.csr_array(rows), method, "euclidean")


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_zero_vectors_have_no_cosine(form: Any) -> None:
    rows = form([[1.0, 2.0], [3.0, 1.0], [0.0, 0.0], [2.0, 2.0]])
    for method in set(LINKS) - {"ward"}:
        with pytest.raises(InputError, match="Object 3 is all zeros") as caught:
            linkage(rows, method, "cosine")
        assert caught.value.hint
        with pytest.raises(InputError, match="Object 3 is all zeros"):
            BottomUpClusters(2, method, "cosine").fit(rows)
        linkage(rows, method, "euclidean")
    if form is np.asarray:
        with pytest.raises(InputError, match="Object 3 is all zeros"):
            TopDownClusters(2, metric="cosine").fit(rows)


MATRICES = {
    "not square": ([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0]], "square. Got 2 × 3"),
    "not symmetric": ([[0, 1, 2], [1, 0, 3], [2, 4, 0]], "not symmetric: 3 from object 2 to 3, but 4 from 3 to 2"),
    "similarities": ([[1, 0.5], [0.5, 1]], "to itself must be zero"),
    "one on the diagonal": ([[0, 1, 2], [1, 0, 3], [2, 3, 0.1]], "to itself must be zero"),
    "negative": ([[0, -1], [-1, 0]], "must not be negative"),
    "NaN": ([[0, np.nan], [np.nan, 0]], "NaN"),
    "infinite": ([[0, np.inf], [np.inf, 0]], "inf"),
    "empty": (np.zeros((0, 0)), "rows of numbers|no objects|0 sample"),
    "one": ([[0.0]], "only one object|minimum of 2"),
    "text": ([["a", "b"], ["b", "a"]], "could not convert string|arrays of bytes/strings"),
}  # fmt: skip


@pytest.mark.parametrize("what", MATRICES)
def test_bad_matrices_of_distances(what: str) -> None:
    matrix, message = MATRICES[what]
    for method in set(LINKS) - {"ward"}:
        with pytest.raises(InputError, match=message):
            linkage(matrix, method, "precomputed")
        with pytest.raises((ValueError, FirthError), match=message):
            BottomUpClusters(2, method, "precomputed").fit(matrix)


def test_rounding_does_not_make_a_matrix_asymmetric() -> None:
    d = np.array([[0, 1.0, 2.0], [1.0 + 1e-12, 0, 3.0], [2.0, 3.0 - 1e-12, 0]])
    np.testing.assert_allclose(linkage(d, "single", "precomputed")[:, 2], [1, 2])
    with pytest.raises(InputError, match="not symmetric"):
        linkage(d + np.array([[0, 0, 0], [1e-4, 0, 0], [0, 0, 0]]), "single", "precomputed")


OVERFLOW = [
    *[(linkage, [[1e200], [-1e200], [0.0], [3.0]], method, "euclidean") for method in LINKS],
    *[(linkage, (1 - np.eye(5)) * 1e308, method, "precomputed") for method in ("average", "group-average")],
    (linkage, scipy.sparse.csr_array([[1e-310, 0], [1e-310, 1e-311], [0, 2e-310]]), "group-average", "cosine"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OVERFLOW)))
def test_a_tree_or_an_error_also_where_numbers_are_huge_or_tiny(number: int) -> None:
    function, objects, method, metric = OVERFLOW[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = function(objects, method, metric)
        except InputError:
            return
    assert sorted(tree[:, :2].ravel()) == list(range(2 * len(tree)))
    assert np.isfinite(tree).all()
    assert (np.diff(tree[:, 2]) >= 0).all()
    if metric == "cosine":
        np.testing.assert_allclose(tree[:, 2], linkage(objects.toarray())[:, 2], atol=1e-6)


# Bad choices --------------------------------------------------------------------------------------

bottom_up: Any = BottomUpClusters
top_down: Any = TopDownClusters
flat: Any = FlatClusters
mixture: Any = MixtureClusters
CHOICES: list[tuple[Any, str]] = [
    (bottom_up(2, "wards"), "'method' parameter of BottomUpClusters must be one of"),
    (bottom_up(2, None), "'method' parameter"),
    (bottom_up(2, "single", "l2"), "'metric' parameter of BottomUpClusters must be one of"),
    (top_down(2, coherence="average"), "'coherence' parameter of TopDownClusters must be one of"),
    (top_down(2, split="two"), "'split' parameter of TopDownClusters must be one of"),
    (top_down(2, metric="precomputed"), "'metric' parameter of TopDownClusters must be one of"),
    (flat(2, metric="cosine"), "'metric' parameter of FlatClusters must be one of"),
    (flat(2, init="best"), "'init' parameter of FlatClusters must be one of"),
    (flat(2, n_init=0), "'n_init' parameter of FlatClusters must be an int of at least 1"),
    (flat(2, max_iter=0), "'max_iter' parameter of FlatClusters must be an int of at least 1"),
    (mixture(2, covariance="diag"), "'covariance' parameter of MixtureClusters must be one of"),
    (mixture(2, n_init=0), "'n_init' parameter of MixtureClusters must be an int of at least 1"),
    (mixture(2, max_iter=True), "'max_iter' parameter of MixtureClusters must be an int of at least 0"),
    (mixture(2, tol=-1.0), "tol"),
    (mixture(2, regularisation=-1.0), "regularisation"),
]  # fmt: skip


@pytest.mark.parametrize(("estimator", "message"), CHOICES, ids=range(len(CHOICES)))
def test_bad_choices(estimator: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(ROWS)


def test_wards_has_only_one_metric() -> None:
    for metric in ("cosine", "l1", "precomputed"):
        with pytest.raises(InputError, match="Ward") as caught:
            linkage(ROWS, "ward", metric)
        assert "euclidean" in str(caught.value.hint)


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_bad_numbers_of_threads(threads: Any) -> None:
    with pytest.raises(ParameterError, match="'threads' parameter of linkage"):
        linkage(ROWS, threads=threads)


STARTS_THAT_ARE_NONE: list[Any] = [
    np.zeros((3, 3)), np.zeros((1, 3)), np.zeros((2, 2)), np.full((2, 3), np.nan), [["a"] * 3] * 2
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(STARTS_THAT_ARE_NONE)))
def test_centres_to_begin_with_that_do_not_fit(number: int) -> None:
    with pytest.raises(ValueError, match="shape|NaN|convert|dimension|features"):
        FlatClusters(2, init=STARTS_THAT_ARE_NONE[number]).fit(ROWS)


@pytest.mark.parametrize("number", range(len(STARTS_THAT_ARE_NONE)))
def test_medoids_to_begin_with_that_do_not_fit(number: int) -> None:
    message = "number of clusters|initial|NaN|convert|imension|features"
    with pytest.raises((ValueError, FirthError), match=message):
        FlatClusters(2, metric="l1", init=STARTS_THAT_ARE_NONE[number]).fit(ROWS)


# Identical objects --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ESTIMATORS)
def test_identical_objects(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = ESTIMATORS[name](3).fit(np.full((7, 2), 1.5)).labels_
    assert labels.shape == (7,)
    assert set(labels.tolist()) <= {0, 1, 2}
    if name in ("bottom-up", "top-down"):
        assert len(set(labels.tolist())) == 3


def test_numbers_of_groups_to_choose_from() -> None:
    for ks in ([], [0], [21], [-1, 2], range(3)):
        with pytest.raises(InputError, match="between 1 and 20"):
            choose_n_clusters(ROWS, lambda x, k, s: np.zeros(len(x), int), ks)
