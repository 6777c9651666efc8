"""Hidden Markov models against sums over all sequences of states."""

from __future__ import annotations

import numpy as np
import pytest

import firth
from firth.tags import HMM, Observations
from tests.oracles import hmm as oracle
from tests.oracles.hmm import Model
from tests.tags.samples import cases, hmm_of

ZEROS = [0.0, 0.3, 0.6]


def sure(m: int) -> Model:
    """Each state emits its own symbol, and is followed by the next."""
    return Model(np.eye(m)[0], np.roll(np.eye(m), 1, axis=1), np.eye(m))


# Against enumeration ------------------------------------------------------------------------------


@pytest.mark.parametrize("zeros", ZEROS)
def test_scores_are_sums_over_all_states(zeros: float) -> None:
    impossible = 0
    for model, symbols in cases(120, zeros, seed=1):
        p = oracle.probability(model, symbols)
        impossible += p == 0
        expected = np.log(p) if p else -np.inf
        assert hmm_of(model).score([symbols]) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert (impossible > 5) == (zeros > 0)


@pytest.mark.parametrize("zeros", ZEROS)
def test_posteriors_are_sums_over_all_states(zeros: float) -> None:
    for model, symbols in cases(120, zeros, seed=2):
        found = hmm_of(model).posteriors(symbols)
        assert found.shape == (len(symbols), len(model.initial))
        np.testing.assert_allclose(found, oracle.posteriors(model, symbols), atol=1e-10)
        assert np.array_equal(hmm_of(model).decode(symbols), found.argmax(axis=1))


@pytest.mark.parametrize("zeros", ZEROS)
def test_viterbi_finds_the_best_of_all_sequences(zeros: float) -> None:
    for model, symbols in cases(160, zeros, seed=3):
        states = hmm_of(model).viterbi(symbols)
        silent = oracle.passed_over(model, symbols)
        p = oracle.joints(model, symbols, silent)
        number = int(np.ravel_multi_index(states.tolist(), [len(model.initial)] * len(states)))
        assert p[number] == pytest.approx(p.max(), rel=1e-10)
        assert p[number] > 0


@pytest.mark.parametrize("zeros", ZEROS)
def test_expectations_are_sums_over_all_states(zeros: float) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        m = 9 if seed % 8 == 7 else int(rng.integers(1, 5))
        longest = 3 if m > 8 else 6
        model = oracle.random_model(m, int(rng.integers(1, 6)), seed, zeros)
        sentences = [
            rng.integers(0, len(model.emission), rng.integers(0, longest + 1)).tolist()
            for _ in range(6)
        ]
        observed = Observations.of(sentences, len(model.emission))
        found = hmm_of(model).expectations(observed)
        expected = oracle.expectations(model, sentences)
        for one, other in zip(found[:3], expected[:3], strict=True):
            np.testing.assert_allclose(one, other, atol=1e-10)
        assert found[3] == pytest.approx(expected.likelihood, rel=1e-10)


def test_probabilities_of_all_sequences_of_a_length_add_up_to_one() -> None:
    for seed in range(5):
        hmm = hmm_of(oracle.random_model(3, 4, seed, zeros=0.3))
        total = sum(np.exp(hmm.score([s])) for s in oracle.all_states(4, 3).tolist())
        assert total == pytest.approx(1.0, abs=1e-12)


def test_the_first_of_equals_is_the_state() -> None:
    for m in (1, 3, 8, 9):
        alike = HMM(np.full(m, 1 / m), np.full((m, m), 1 / m), np.full((2, m), 0.5))
        assert alike.viterbi([0, 1, 1]).tolist() == [0, 0, 0]
        assert alike.decode([0, 1, 1]).tolist() == [0, 0, 0]


# What no state can emit ---------------------------------------------------------------------------


def test_a_symbol_that_no_state_emits_is_passed_over() -> None:
    model = oracle.random_model(3, 4, seed=5)
    emission = model.emission.copy()
    emission[2] = 0
    hmm = HMM(model.initial, model.transition, emission / emission.sum(axis=0))
    for symbols in ([2], [0, 2, 1], [2, 2, 0], [1, 0, 2], [2, 2, 2, 2, 2]):
        assert hmm.score([symbols]) == -np.inf
        found = hmm.posteriors(symbols)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
        for states in (hmm.viterbi(symbols), hmm.decode(symbols)):
            assert len(states) == len(symbols)
            assert states.min() >= 0
            assert states.max() < 3
    np.testing.assert_allclose(hmm.posteriors([2])[0], model.initial, atol=1e-12)
    assert hmm.score([[0, 1]]) > -np.inf


def test_one_impossible_sentence_does_not_change_the_states_of_others() -> None:
    hmm = hmm_of(sure(3))
    observed = Observations.of([[0, 1, 2, 0], [1, 2], [0, 1], [], [0]], 3)
    for how in ("posterior", "viterbi"):
        states = observed.split(hmm.decode_all(observed, how))
        assert [s.tolist() for s in states[2:]] == [[0, 1], [], [0]]
        assert states[0].tolist() == [0, 1, 2, 0]
    assert hmm.score([[0, 1], [1]]) == -np.inf
    assert hmm.score([[0, 1], [0]]) == 0.0


# Long sentences -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 9])
def test_long_sentences_lose_nothing(m: int) -> None:
    """The score of a long sentence against sums in logarithms."""
    model = oracle.random_model(m, 50, seed=m)
    hmm = hmm_of(model, threads=2)
    symbols = hmm.sample(1, 20_000, seed=1)[0][0]
    steps, emission = np.log(model.transition), np.log(model.emission)
    forward = np.log(model.initial) + emission[symbols[0]]
    for symbol in symbols[1:]:
        forward = np.logaddexp.reduce(forward[:, None] + steps, axis=0) + emission[symbol]
    assert hmm.score([symbols]) == pytest.approx(float(np.logaddexp.reduce(forward)), rel=1e-10)
    found = hmm.posteriors(symbols)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)
    starts, pairs, emitted, _ = hmm.expectations(Observations.of([symbols], 50))
    assert starts.sum() == pytest.approx(1)
    assert pairs.sum() == pytest.approx(19_999)
    np.testing.assert_allclose(emitted.sum(axis=1), np.bincount(symbols, minlength=50), rtol=1e-9)


def test_a_state_that_cannot_be_reached_is_not_found_however_well_it_fits() -> None:
    """Over 1000 words the other state is 9**1000 times as probable; but it is impossible."""
    for model in (
        HMM([1, 0], [[1, 0], [0, 1]], [[0.1, 0.9], [0.9, 0.1]]),
        HMM([1, 0], [[1.0, 0.0], [0.5, 0.5]], [[0.1, 0.9], [0.9, 0.1]]),
        HMM([1, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0.1, 0.9, 1], [0.9, 0.1, 0]]),
    ):
        for n in (10, 1000, 20_000):
            symbols = [0] * n
            assert not model.viterbi(symbols).any()
            assert not model.decode(symbols).any()
            assert (model.posteriors(symbols)[:, 0] == 1).all()
            assert model.score([symbols]) == pytest.approx(n * np.log(0.1))
            observed = Observations.of([symbols], 2)
            starts, pairs, emitted, likelihood = model.expectations(observed)
            assert (starts[0], pairs[0, 0], emitted[0, 0]) == pytest.approx((1, n - 1, n))
            assert starts.sum() == pytest.approx(1)
            assert pairs.sum() == pytest.approx(n - 1)
            assert likelihood == pytest.approx(n * np.log(0.1))


# How sentences are cut, and threads ---------------------------------------------------------------


def sentences_of(hmm: HMM, seed: int) -> list[list[int]]:
    """Many lengths: nothing, one word, usual ones, and sentences longer than a piece of work."""
    rng = np.random.default_rng(seed)
    few = rng.integers(0, 40, 600).tolist()
    short = hmm.sample(602, [0, 1, *few], seed)[0]
    long = hmm.sample(9, [0, 17_000, 1, 10_000, 16_384, 0, 0, 3, 0], seed)[0]
    return [s.tolist() for s in (*short[:300], *long, *short[300:])]


@pytest.mark.slow
def test_results_do_not_depend_on_threads_or_on_other_sentences() -> None:
    model = oracle.random_model(5, 30, seed=2)
    sentences = sentences_of(hmm_of(model), 3)
    observed = Observations.of(sentences, 30)
    told = []
    for threads in (1, 2, 4):
        hmm = hmm_of(model, threads)
        found = hmm.expectations(observed)
        states = [hmm.decode_all(observed, how).tobytes() for how in ("posterior", "viterbi")]
        told.append((*[x.tobytes() for x in found[:3]], found[3], hmm.score(sentences), *states))
    assert told[0] == told[1] == told[2]
    hmm = hmm_of(model)
    alone = [hmm.viterbi(s) for s in sentences]
    assert np.array_equal(np.concatenate(alone), hmm.decode_all(observed, "viterbi"))
    alone = [hmm.decode(s) for s in sentences]
    assert np.array_equal(np.concatenate(alone), hmm.decode_all(observed))
    sums = [hmm.expectations(Observations.of([s], 30)) for s in sentences]
    for parts, whole in zip(zip(*sums, strict=True), hmm.expectations(observed), strict=True):
        np.testing.assert_allclose(np.sum(np.array(parts), axis=0), np.array(whole), rtol=1e-9)
    assert sum(hmm.score([s]) for s in sentences) == pytest.approx(hmm.score(sentences), rel=1e-12)


def test_empty_sentences() -> None:
    hmm = hmm_of(oracle.random_model(3, 4, seed=1))
    assert hmm.score([]) == hmm.score([[]]) == hmm.score([[], []]) == 0.0
    assert hmm.posteriors([]).shape == (0, 3)
    assert hmm.viterbi([]).tolist() == hmm.decode([]).tolist() == []
    for n in (0, 1, 3):
        observed = Observations.of([[]] * n, 4)
        found = hmm.expectations(observed)
        assert [float(np.sum(x)) for x in found] == [0, 0, 0, 0]
        assert [len(s) for s in observed.split(hmm.decode_all(observed))] == [0] * n
    some = [[0, 1], [], [3], []]
    observed = Observations.of(some, 4)
    assert [s.tolist() for s in observed.split(observed.symbols)] == some
    assert hmm.score(some) == pytest.approx(hmm.score([[0, 1]]) + hmm.score([[3]]))


def test_sequences_may_be_arrays_of_any_kind_of_whole_number() -> None:
    hmm = hmm_of(oracle.random_model(3, 4, seed=1))
    expected = hmm.score([[3, 0, 1]])
    for dtype in (np.int8, np.uint16, np.int64, np.uint64):
        assert hmm.score([np.array([3, 0, 1], dtype)]) == expected
    assert hmm.score(iter([(3, 0, 1)])) == expected
    assert hmm.score([np.array([3, 9, 0, 9, 1])[::2]]) == expected


# Sampling -----------------------------------------------------------------------------------------


def test_samples_have_the_frequencies_of_the_model() -> None:
    model = oracle.random_model(3, 4, seed=7, zeros=0.2)
    symbols, states = hmm_of(model).sample(40_000, 3, seed=5)
    x, h = np.array(symbols), np.array(states)
    n = len(x)

    def near(counts: np.ndarray, p: np.ndarray) -> None:
        trials = counts.sum()
        assert (counts[p == 0] == 0).all(), "what is impossible is never drawn"
        deviation = np.sqrt(trials * p * (1 - p)) + 1e-9
        assert (np.abs(counts - trials * p) < 5 * deviation).all()

    near(np.bincount(h[:, 0], minlength=3), model.initial)
    for state in range(3):
        for t in (1, 2):
            near(np.bincount(h[h[:, t - 1] == state, t], minlength=3), model.transition[state])
        near(np.bincount(x[h == state], minlength=4), model.emission[:, state])
    expected = oracle.triple_probabilities(model)
    counted = np.zeros((4, 4, 4))
    np.add.at(counted, (x[:, 0], x[:, 1], x[:, 2]), 1)
    assert np.abs(counted / n - expected).max() < 5 * 0.5 / np.sqrt(n)


def test_samples_have_their_lengths_and_follow_their_seed() -> None:
    hmm = hmm_of(oracle.random_model(3, 4, seed=7))
    symbols, states = hmm.sample(4, [3, 0, 7, 1], seed=2)
    assert [len(s) for s in symbols] == [len(s) for s in states] == [3, 0, 7, 1]
    assert [len(s) for s in hmm.sample(3, 5)[0]] == [5, 5, 5]
    same, other = hmm.sample(50, 8, seed=2)[0], hmm.sample(50, 8, seed=3)[0]
    again = hmm.sample(50, 8, seed=2)[0]
    assert all(np.array_equal(a, b) for a, b in zip(same, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(same, other, strict=True))


def test_a_model_says_what_it_is() -> None:
    hmm = HMM([1.0], [[1.0]], np.full((2000, 1), 1 / 2000))
    assert repr(hmm) == "<HMM of 1 states and 2,000 symbols>"
    assert (hmm.n_states, hmm.n_symbols) == (1, 2000)
    assert firth.HMM is HMM
