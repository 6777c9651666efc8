"""EM for the mixture of bags of words, against the formula."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.senses import Contexts, Mixture, Prior, expected, raised
from firth.senses import _em as em
from firth.senses._em import learn_mixture
from tests.oracles import senses as slow
from tests.senses.samples import dense, drawn

SEEDS = st.integers(0, 1 << 16)


def random_mixture(n_words: int, n_senses: int, seed: int) -> Mixture:
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.ones(n_words), n_senses).T
    return Mixture(rng.dirichlet(np.ones(n_senses)), np.ascontiguousarray(words))


@given(SEEDS, st.integers(1, 4), st.sampled_from([1.0, 0.5, 0.3]))
def test_memberships_and_counts_are_those_of_the_formula(
    seed: int, n_senses: int, beta: float
) -> None:
    contexts, *_ = drawn(6, 5, 2, 4, seed)
    mixture = random_mixture(len(contexts.words), n_senses, seed)
    found = expected(contexts, mixture, beta)
    wanted = slow.e_step(dense(contexts), mixture.shares, mixture.words, beta)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9)


@given(SEEDS, st.integers(1, 3), st.sampled_from([0.01, 0.3, 2.0]))
def test_a_round_is_an_e_step_and_an_m_step(seed: int, n_senses: int, smoothing: float) -> None:
    contexts, *_ = drawn(8, 5, 2, 4, seed)
    mixture = random_mixture(len(contexts.words), n_senses, seed)
    prior = Prior.of(contexts, smoothing)
    assert prior.words == pytest.approx(smoothing * dense(contexts).sum(axis=0))
    after, history = raised(contexts, mixture, prior, 1)
    memberships, added, likelihood = slow.e_step(dense(contexts), mixture.shares, mixture.words)
    shares, words = slow.m_step(memberships, added, prior.words)
    assert after.shares == pytest.approx(shares)
    assert after.words == pytest.approx(words)
    log_prior = np.log(mixture.shares).sum() + (prior.words[:, None] * np.log(mixture.words)).sum()
    assert history == [pytest.approx((likelihood, likelihood + log_prior))]


@given(SEEDS, st.integers(2, 4), st.sampled_from([1.0, 0.6, 0.3]), st.sampled_from([0.001, 0.3]))
def test_what_is_maximised_never_falls(
    seed: int, n_senses: int, beta: float, smoothing: float
) -> None:
    contexts, *_ = drawn(30, 12, 3, 5, seed)
    mixture = random_mixture(len(contexts.words), n_senses, seed + 1)
    _, history = raised(contexts, mixture, Prior.of(contexts, smoothing), 25, -1.0, beta)
    objectives = [objective for _, objective in history]
    assert len(objectives) == 25
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(objectives))


def test_a_known_mixture_is_found_again() -> None:
    contexts, senses, shares, words = drawn(3_000, 30, 3, 12, 5)
    mixture, history = learn_mixture(contexts, 3, 0.01, 3, 200, 1e-6, 0)
    order = np.argsort(-shares)
    assert mixture.shares == pytest.approx(shares[order], abs=0.03)
    numbers = [int(word.word[1:]) for word in contexts.words]
    truth = words[order][:, numbers].T
    assert np.abs(mixture.words - truth / truth.sum(axis=0)).max() < 0.02
    labels = expected(contexts, mixture)[0].argmax(axis=1)
    assert np.mean(order[labels] == senses) > 0.95
    assert history[-1][1] >= history[0][1]


def test_the_same_seed_gives_the_same_and_starts_are_compared() -> None:
    contexts, *_ = drawn(300, 40, 3, 6, 2)
    first, second = (learn_mixture(contexts, 3, 0.3, 2, 50, 1e-4, 7)[0] for _ in range(2))
    assert np.array_equal(first.shares, second.shares)
    assert np.array_equal(first.words, second.words)
    one, more = (learn_mixture(contexts, 4, 0.1, n, 50, 1e-4, 3)[1][-1][1] for n in (1, 6))
    assert more >= one
    assert first.shares.tolist() == sorted(first.shares.tolist(), reverse=True)
    assert first.words.sum(axis=0) == pytest.approx(np.ones(3))


def test_annealing_finds_what_random_starts_do_not() -> None:
    contexts, *_ = drawn(400, 300, 2, 8, 11)
    prior = Prior.of(contexts, 0.1)
    rng = np.random.default_rng(0)
    plain = []
    for _ in range(3):
        memberships = rng.dirichlet(np.full(2, 5.0), len(contexts))
        added = em._added(contexts, memberships)
        start = Mixture.estimated(memberships.sum(axis=0), added, prior)
        plain.append(raised(contexts, start, prior, 200, 1e-6)[1][-1][1])
    annealed = learn_mixture(contexts, 2, 0.1, 3, 200, 1e-6, 0)[1][-1][1]
    assert annealed >= max(plain) - 1e-6 * abs(annealed)


def test_expected_counts_of_given_memberships() -> None:
    contexts, *_ = drawn(20, 9, 2, 5, 1)
    memberships = np.random.default_rng(1).dirichlet(np.ones(3), 20)
    assert em._added(contexts, memberships) == pytest.approx(dense(contexts).T @ memberships)


def test_many_contexts_are_searched_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    contexts, senses, *_ = drawn(600, 400, 2, 10, 4)
    monkeypatch.setattr(em, "SEARCHED", 100)
    mixture, history = learn_mixture(contexts, 2, 0.1, 2, 100, 1e-6, 0)
    assert np.isfinite(history).all(), "words that the part does not have do no harm"
    labels = expected(contexts, mixture)[0].argmax(axis=1)
    right = np.mean(labels == senses)
    assert max(right, 1 - right) > 0.95


def test_contexts_without_words_say_nothing() -> None:
    contexts = Contexts.of_bags([["a"], [], ["b"]])
    mixture = Mixture(np.array([0.7, 0.3]), np.array([[0.9, 0.2], [0.1, 0.8]]))
    memberships, added, _ = expected(contexts, mixture)
    assert memberships[1] == pytest.approx([0.7, 0.3])
    assert added.sum() == pytest.approx(2)


def test_senses_do_not_stay_the_same() -> None:
    # at low powers all senses are one; strong smoothing would keep some of them so
    rng = np.random.default_rng(1)
    truth = rng.integers(6, size=600)
    contexts = Contexts.of_bags(
        [
            [f"{k} {v}" for v in rng.integers(8, size=4)] + [f"{v}" for v in rng.integers(20, size=4)]
            for k in truth.tolist()
        ]
    )  # fmt: skip
    mixture, _ = learn_mixture(contexts, 6, 0.3, 2, 200, 1e-4, 0)
    memberships = expected(contexts, mixture)[0]
    assert memberships.max(axis=1).mean() > 0.95
    labels = memberships.argmax(axis=1)
    assert sorted(set(zip(truth.tolist(), labels.tolist(), strict=True))) == [
        (k, int(labels[truth == k][0])) for k in range(6)
    ]
    assert mixture.shares.min() > 0.1
