"""How many groups: description length, BIC, and how much runs agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from firth.cluster import (
    FlatClusters,
    _how_many,
    agreement,
    bayesian_information,
    choose_n_clusters,
    cut_tree,
    description_length,
    linkage,
    together,
)
from firth.errors import InputError, ParameterError
from tests.oracles import clusters as oracle


def flat(rows: Any, k: int, seed: int) -> Any:
    return FlatClusters(k, random_state=seed).fit_predict(rows)


def blobs(k: int, seed: int, n: int = 30, dim: int = 2) -> Any:
    """Objects around centres that are far from each other."""
    random = np.random.default_rng(seed)
    centres = 15 * np.stack([np.arange(k) % 2, np.arange(k) // 2], axis=1)
    rows = np.zeros((k * n, dim))
    rows[:, :2] = np.repeat(centres, n, axis=0)
    return rows + random.normal(size=rows.shape)


# Description length and BIC -----------------------------------------------------------------------


def test_a_description_by_hand() -> None:
    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    number, sizes, which = 1 + 2 * math.log2(2), math.log2(4), 4.0
    centres = 2 * math.log2(12 * math.sqrt(2))  # known to 1 / sqrt(2) within a span of 12
    steps = 2**20 / math.sqrt(26)  # of the spread, in one deviation: all are off by 1
    differences = 4 * (math.log2(2 * math.pi * math.e) / 2 + math.log2(steps))
    expected = number + sizes + centres + which + differences
    assert description_length(rows, [0, 0, 1, 1]) == pytest.approx(expected)
    assert description_length(rows, [5, 5, 2, 2]) == pytest.approx(expected)  # only names


def test_information_by_hand() -> None:
    rows = np.array([[-1.0], [1.0]])
    step = 2**-20  # the spread is 1, and so is the deviation
    likelihood = (math.exp(-0.5) / math.sqrt(2 * math.pi) * step) ** 2
    expected = -math.log2(likelihood) + 2 / 2 * math.log2(2)  # a centre and a deviation
    assert bayesian_information(rows, [0, 0]) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(10))
def test_bits_are_those_of_the_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, k = int(random.integers(2, 40)), int(random.integers(1, 5))
    rows = random.normal(size=(n, int(random.integers(1, 4)))) * random.choice([0.01, 1, 50])
    labels = random.integers(0, k, n)
    length, information = description_length(rows, labels), bayesian_information(rows, labels)
    assert length == pytest.approx(oracle.description_length(rows, labels.tolist()))
    assert information == pytest.approx(oracle.bayesian_information(rows, labels.tolist()))


def test_units_and_order_do_not_matter() -> None:
    rows = blobs(3, 0)
    labels = np.repeat([0, 1, 2], 30)
    order = np.random.default_rng(0).permutation(90)
    for bits in (description_length, bayesian_information):
        expected = bits(rows, labels)
        assert bits(rows * 1e6, labels) == pytest.approx(expected)
        assert bits(rows[order], labels[order]) == pytest.approx(expected)
        assert bits(rows, 7 - 2 * labels) == pytest.approx(expected)
        assert bits(rows + 1000, labels) == pytest.approx(expected)


@pytest.mark.parametrize(
    "bits",
    [description_length, bayesian_information],
)
def test_where_the_origin_is_does_not_matter(bits: Any) -> None:
    rows, labels = blobs(3, 0), np.repeat([0, 1, 2], 30)
    assert bits(rows + 1e8, labels) == pytest.approx(bits(rows, labels), abs=0.01)


def test_identical_objects_and_one_object() -> None:
    for rows in (np.full((5, 2), 3.0), np.full((1, 2), 3.0)):
        for bits in (description_length, bayesian_information):
            assert math.isfinite(bits(rows, np.zeros(len(rows), int)))
    same = np.full((6, 1), 2.0)
    assert description_length(same, [0] * 6) < description_length(same, [0, 0, 0, 1, 1, 1])


def test_labels_must_be_as_many_as_objects() -> None:
    for bits in (description_length, bayesian_information):
        with pytest.raises(InputError, match="3 objects and 2 labels"):
            bits(np.zeros((3, 1)), [0, 1])


# Choosing -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_the_true_number_of_blobs_is_chosen(k: int) -> None:
    for seed in range(3):
        rows = blobs(k, seed, dim=2 + seed)
        how = choose_n_clusters(rows, flat, range(1, 8), runs=2, seed=seed)
        assert how.chosen == k
        assert int(np.argmin(how.informations)) + 1 == k
        assert how.ks == list(range(1, 8))
        assert how.labels.tolist() == np.repeat(np.arange(k), 30).tolist()
        assert how.agreements[k - 1] == pytest.approx(1)
        for at, bits in zip(how.ks, how.description_lengths, strict=True):
            assert bits == description_length(rows, flat(rows, at, seed))


def test_runs_agree_on_the_true_number_and_less_on_others() -> None:
    how = choose_n_clusters(
        blobs(3, 1),
        lambda x, k, s: FlatClusters(k, n_init=1, init="random", random_state=s).fit_predict(x),
        [3, 7],
        runs=6,
    )
    assert how.agreements[1] < 0.9


def test_seeds_and_numbers_of_runs() -> None:
    asked = []

    def spy(rows: Any, k: int, seed: int) -> Any:
        asked.append((len(rows), k, seed))
        return np.arange(len(rows)) % k

    rows = blobs(2, 0, n=10)
    how = choose_n_clusters(rows, spy, [3, 2, 3], runs=4, seed=10)
    assert how.ks == [2, 3]
    assert asked == [(20, k, seed) for k in (2, 3) for seed in (10, 11, 12, 13)]
    assert how.agreements == [1.0, 1.0]
    assert how.labels.tolist() == (np.arange(20) % how.chosen).tolist()
    assert how.chosen in (2, 3)


def test_methods_without_seeds_run_on_samples() -> None:
    sizes = []

    def tree(rows: Any, k: int, seed: int) -> Any:
        sizes.append(len(rows))
        return cut_tree(linkage(rows, "average", "euclidean"), k)

    how = choose_n_clusters(blobs(3, 0), tree, [1, 3, 5], runs=4, seeded=False)
    assert how.chosen == 3
    assert how.agreements[:2] == [1.0, 1.0]
    assert how.agreements[2] < 1
    assert sizes == [90, 90, 72, 72, 72, 90, 72, 72, 72]


def test_samples_are_compared_with_the_same_objects() -> None:
    which = {float(value): k for k, value in enumerate(np.arange(10.0))}

    def by_value(rows: Any, k: int, seed: int) -> Any:
        return [which[float(value)] % k for value in rows[:, 0]]

    how = choose_n_clusters(np.arange(10.0)[:, None], by_value, [2, 3], seeded=False)
    assert how.agreements == [1.0, 1.0]


def test_one_run_cannot_be_compared_also_without_seeds() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        choose_n_clusters(blobs(2, 0), flat, [2], runs=1, seeded=False)


def test_one_run_cannot_be_compared() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        choose_n_clusters(blobs(2, 0), flat, [2], runs=1)


# Agreement ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_agreement_is_the_mean_of_adjusted_rand_indexes(seed: int) -> None:
    random = np.random.default_rng(seed)
    runs = random.integers(0, 4, (int(random.integers(2, 5)), 20)).tolist()
    pairs = [oracle.adjusted_rand(a, b) for i, a in enumerate(runs) for b in runs[:i]]
    assert agreement(runs) == pytest.approx(sum(pairs) / len(pairs))


def test_agreement_by_hand() -> None:
    assert agreement([[0, 0, 1, 1], [1, 1, 0, 0]]) == pytest.approx(1)  # names do not matter
    assert agreement([[0, 0, 1, 1], [0, 1, 0, 1]]) == pytest.approx(-0.5)
    for runs in ([], [[0, 1]]):
        with pytest.raises(InputError, match="at least two"):
            agreement(runs)


@pytest.mark.parametrize("seed", range(8))
def test_pairs_together_are_those_of_the_exercise(seed: int) -> None:
    random = np.random.default_rng(seed)
    runs = random.integers(0, 3, (int(random.integers(1, 6)), int(random.integers(2, 25)))).tolist()
    found = together(runs)
    np.testing.assert_allclose(found, oracle.pairs_together(runs))
    assert len(found) == len(runs) + 1
    assert found.sum() == pytest.approx(1)


def test_pairs_of_many_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = np.random.default_rng(0).integers(0, 3, (3, 50))
    monkeypatch.setattr(_how_many, "_PAIRS_OF", 11)
    spaced = np.linspace(0, 49, 11).astype(int)
    expected = oracle.pairs_together(runs[:, spaced].tolist())
    np.testing.assert_allclose(together(runs.tolist()), expected)


@pytest.mark.parametrize("runs", [[], [0, 1, 1], [[0, 1], [0]]])
def test_runs_that_are_none(runs: Any) -> None:
    with pytest.raises(InputError):
        together(runs)
