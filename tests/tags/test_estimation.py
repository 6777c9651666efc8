"""Steps and beginnings where emissions are fixed: likelihood has one optimum, and EM finds it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from firth.compute import Engine
from firth.tags import SpellingGroups
from firth.tags._estimation import beginnings, steps
from firth.tags._unseen import with_unseen
from tests.oracles import hmm as oracle
from tests.oracles.hmm import Floats


def best_joint(pairs: Floats, emission: Floats) -> tuple[Floats, float]:
    """The most likely joint distribution by a general optimiser, of numbers of any sign made to add up to one."""
    m = emission.shape[1]

    def joint(numbers: Floats) -> Floats:
        weights = np.exp(numbers - numbers.max()).reshape(m, m)
        return np.asarray(weights / weights.sum())

    def loss(numbers: Floats) -> float:
        return -oracle.pair_likelihood(pairs, emission, joint(numbers))

    solved = minimize(loss, np.zeros(m * m), method="BFGS", options={"maxiter": 500})
    return joint(solved.x), -float(solved.fun)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_steps_are_the_most_likely(m: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        emission = rng.dirichlet(np.ones(6), m).T
        counts = rng.poisson(4, (6, 6)).astype(float)
        found = steps(csr_array(counts), emission, np.ones((m, m)), Engine(1), rounds=5000)
        assert found.sum() == pytest.approx(1)
        assert (found >= 0).all()
        _, likelihood = best_joint(counts, emission)
        mine = oracle.pair_likelihood(counts, emission, found)
        assert mine >= likelihood - 1e-3 * counts.sum()
        # no other distribution is nearer to it by the gradient: the conditions of an optimum
        ratio = counts / np.maximum(emission @ found @ emission.T, 1e-300)
        gradient = emission.T @ ratio @ emission / counts.sum()
        assert gradient.max() < 1.02


@pytest.mark.parametrize("m", [1, 2, 4])
def test_exact_pairs_give_the_exact_steps(m: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        emission = np.concatenate([np.eye(m) * 0.5, rng.dirichlet(np.ones(8), m).T * 0.5])
        joint = rng.dirichlet(np.ones(m * m)).reshape(m, m)
        pairs = csr_array(emission @ joint @ emission.T)
        found = steps(pairs, emission, np.ones((m, m)), Engine(1), rounds=20_000)
        np.testing.assert_allclose(found, joint, atol=2e-2)
        exact = oracle.pair_likelihood(pairs.toarray(), emission, joint)
        assert oracle.pair_likelihood(pairs.toarray(), emission, found) >= exact - 1e-4
        again = steps(pairs, emission, joint, Engine(1))
        np.testing.assert_allclose(again, joint, atol=1e-12), "nothing is better"


def test_what_is_zero_in_the_guess_stays_so_and_threads_change_nothing() -> None:
    rng = np.random.default_rng(1)
    emission = rng.dirichlet(np.ones(9000), 3).T
    rows, columns = rng.integers(0, 9000, (2, 30_000))
    pairs = csr_array((np.ones(30_000), (rows, columns)), shape=(9000, 9000))
    guess = np.array([[1.0, 0, 1], [1, 1, 1], [0, 2, 1]])
    found = [steps(pairs, emission, guess, Engine(threads), 20) for threads in (1, 2, 4)]
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    assert (found[0][guess == 0] == 0).all()
    assert (found[0][guess > 0] > 0).all()


def test_every_round_is_at_least_as_likely() -> None:
    rng = np.random.default_rng(3)
    emission, counts = rng.dirichlet(np.ones(7), 3).T, rng.poisson(2, (7, 7)).astype(float)
    told = [
        oracle.pair_likelihood(
            counts, emission, steps(csr_array(counts), emission, np.ones((3, 3)), Engine(1), rounds)
        )
        for rounds in range(1, 15)
    ]
    assert (np.diff(told) >= -1e-9).all()


def test_without_pairs_the_guess_is_kept() -> None:
    guess = np.array([[1.0, 2], [3, 4]])
    emission = np.full((5, 2), 0.2)
    assert np.array_equal(steps(csr_array((5, 5)), emission, guess, Engine(1)), guess / 10)
    impossible = csr_array(([1.0], ([0], [1])), shape=(5, 5))
    silent = emission.copy()
    silent[:2] = 0
    assert np.array_equal(steps(impossible, silent, guess, Engine(1)), guess / 10)
    assert beginnings(np.zeros(5), emission, np.array([1.0, 3])).tolist() == [0.25, 0.75]
    assert beginnings(np.eye(5)[0], silent, np.array([1.0, 3])).tolist() == [0.25, 0.75]


def test_beginnings_are_the_most_likely() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(1, 5))
        emission = np.concatenate([np.eye(m) * 0.6, rng.dirichlet(np.ones(5), m).T * 0.4])
        initial = rng.dirichlet(np.ones(m))
        found = beginnings(emission @ initial, emission, np.ones(m), rounds=20_000)
        np.testing.assert_allclose(found, initial, atol=1e-2)
        counts = rng.poisson(6, len(emission)).astype(float) + np.eye(len(emission))[0]
        found = beginnings(counts, emission, np.ones(m), rounds=20_000)
        assert found.sum() == pytest.approx(1)
        gradient = emission.T @ (counts / (emission @ found)) / counts.sum()
        assert gradient.max() < 1.01


# Words that were never seen -----------------------------------------------------------------------


def test_emissions_are_those_of_bayes() -> None:
    """P(x | h) is P(h | x) times the count of x, among seen words."""
    words, counts = ["a", "b", "c"], np.array([6.0, 3.0, 2.0])
    memberships = np.array([[1.0, 0], [0.5, 0.5], [0.0, 1]])
    groups, group = SpellingGroups.learn(words)
    emission, prior = with_unseen(memberships, counts, group, len(groups))
    assert emission.shape == (3 + len(groups), 2)
    np.testing.assert_allclose(emission.sum(axis=0), 1)
    joint = emission * prior
    np.testing.assert_allclose(joint[:3] / joint[:3].sum(axis=1, keepdims=True), memberships)
    np.testing.assert_allclose(joint[:3].sum(axis=0) / joint[:3].sum(), [7.5 / 11, 3.5 / 11])
    np.testing.assert_allclose(emission[:3, 0] / emission[0, 0], [1, 1.5 / 6, 0])
    np.testing.assert_allclose(emission[:3, 1] / emission[2, 1], [0, 1.5 / 2, 1])
    assert (emission[3:] > 0).all(), "every tag may have new words"


def test_words_seen_once_tell_how_many_are_unseen() -> None:
    often, once = [f"s{k}ing" for k in range(40)], [f"t{k}ed" for k in range(40)]
    words = [*often, *once]
    counts = np.concatenate([np.full(40, 5.0), np.ones(40)])
    memberships = np.zeros((80, 2))
    memberships[:40, 0] = memberships[40:, 1] = 1
    groups, group = SpellingGroups.learn(words)
    emission, prior = with_unseen(memberships, counts, group, len(groups))
    new = 80 + np.array([groups.find("s99ing"), groups.find("t99ed")])
    unseen = emission[new] * prior
    assert unseen[1].sum() > 10 * unseen[0].sum(), "there are more new words like those seen once"
    assert unseen[0].argmax() == 0
    assert unseen[1].argmax() == 1
    everything = (emission * prior).sum()
    assert everything == pytest.approx(1)
    share = (emission[80:] * prior).sum()
    assert share == pytest.approx(40.5 / 280.5), "as many as words seen once (Good and Turing)"
