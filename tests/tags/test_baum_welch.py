"""EM for hidden Markov models: what a round does, and that no round makes anything worse."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import firth
from firth.tags import HMM, BaumWelchTagger, Observations, baum_welch, random_hmm
from tests.oracles import hmm as oracle
from tests.tags.samples import hmm_of, mixed_text


def some_sentences(n_symbols: int, seed: int, n: int = 60, longest: int = 12) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, n)
    return [rng.integers(0, n_symbols, length).tolist() for length in lengths]


def rising(likelihoods: list[float]) -> bool:
    """Whether none is below the one before, but for rounding."""
    return all(after >= before - 1e-9 * abs(before) for before, after in pairwise(likelihoods))


def test_a_round_puts_expected_counts_in_the_place_of_probabilities() -> None:
    for seed in range(10):
        model = oracle.random_model(3, 4, seed)
        sentences = some_sentences(4, seed, n=12, longest=5)
        expected = oracle.expectations(model, sentences)
        found, likelihoods = baum_welch(hmm_of(model), Observations.of(sentences, 4), rounds=1)
        assert likelihoods == pytest.approx([expected.likelihood])
        np.testing.assert_allclose(found.initial, expected.starts / expected.starts.sum())
        rows = expected.pairs / expected.pairs.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found.transition, rows, rtol=1e-9)
        columns = expected.emitted / expected.emitted.sum(axis=0)
        np.testing.assert_allclose(found.emission, columns, rtol=1e-9)


@pytest.mark.parametrize("zeros", [0.0, 0.2, 0.4])
def test_no_round_lowers_the_likelihood(zeros: float) -> None:
    finite = 0
    for seed in range(12):
        m = [2, 3, 5, 9][seed % 4]
        model = oracle.random_model(m, 6, seed, zeros)
        sentences = [s.tolist() for s in hmm_of(model).sample(40, 12, seed)[0]]
        start = oracle.random_model(m, 6, seed + 100, zeros)
        observed = Observations.of(sentences, 6)
        _, likelihoods = baum_welch(hmm_of(start), observed, rounds=40, tolerance=0)
        assert rising(likelihoods)
        assert not np.isnan(likelihoods).any()
        finite += bool(np.isfinite(likelihoods[0]))
        assert len(likelihoods) > 3
    assert finite >= 4


def test_the_likelihoods_are_those_of_the_models() -> None:
    model, observed = oracle.random_model(3, 5, 1), Observations.of(some_sentences(5, 2), 5)
    sentences = observed.split(observed.symbols)
    for rounds in (1, 2, 5):
        found, likelihoods = baum_welch(hmm_of(model), observed, rounds, tolerance=0)
        more = baum_welch(hmm_of(model), observed, rounds + 1, tolerance=0)[1]
        assert found.score(sentences) == pytest.approx(more[-1], rel=1e-12)
        assert more[:-1] == likelihoods


def test_what_is_impossible_stays_so() -> None:
    model = oracle.random_model(4, 5, seed=3, zeros=0.4)
    sentences = [s.tolist() for s in hmm_of(model).sample(50, 10, 1)[0]]
    found, likelihoods = baum_welch(hmm_of(model), Observations.of(sentences, 5), 20, 0)
    assert rising(likelihoods)
    assert likelihoods[-1] > likelihoods[0] > -np.inf
    for one, other in zip((found.initial, found.transition, found.emission), model, strict=True):
        assert (one[other == 0] == 0).all()


def test_a_state_that_is_never_met_stays_as_it_is() -> None:
    start = HMM([1, 0], [[1.0, 0.0], [0.25, 0.75]], [[0.5, 0.125], [0.5, 0.875]])
    found, likelihoods = baum_welch(start, Observations.of([[0, 1, 1], [0]], 2), 5, 0)
    assert found.transition.tolist() == [[1, 0], [0.25, 0.75]]
    np.testing.assert_allclose(found.emission, [[0.5, 0.125], [0.5, 0.875]])
    assert rising(likelihoods)


def test_symbols_that_no_state_emits_do_not_hinder() -> None:
    start = HMM([0.5, 0.5], [[0.6, 0.4], [0.3, 0.7]], [[0.5, 0.2], [0.5, 0.8], [0.0, 0.0]])
    sentences = [[0, 2, 1], [1, 1], [2], [0, 1, 2]]
    found, likelihoods = baum_welch(start, Observations.of(sentences, 3), 10, 0)
    assert likelihoods[0] == -np.inf
    assert rising(likelihoods)
    for array in (found.initial, found.transition, found.emission):
        assert np.isfinite(array).all()


def test_sentences_of_one_word_and_none_at_all() -> None:
    start = random_hmm(2, [3, 2, 1], seed=0)
    found, likelihoods = baum_welch(start, Observations.of([[0], [1], [], [0], [2]], 3), 50, 0)
    assert np.array_equal(found.transition, start.transition), "nothing is known of steps"
    frequencies = found.emission @ found.initial
    np.testing.assert_allclose(frequencies, [0.5, 0.25, 0.25], atol=1e-6)
    assert rising(likelihoods)
    for n in (0, 1, 2):
        found, likelihoods = baum_welch(start, Observations.of([[]] * n, 3), 3)
        assert set(likelihoods) == {0.0}
        assert np.array_equal(found.emission, start.emission)


def test_threads_change_nothing() -> None:
    observed = Observations.of(some_sentences(20, 5, n=6000, longest=20), 20)
    models = []
    for threads in (1, 2, 4):
        start = random_hmm(4, np.ones(20), seed=1, threads=threads)
        found, likelihoods = baum_welch(start, observed, 4, 0)
        arrays = (found.initial, found.transition, found.emission)
        models.append((*[a.tobytes() for a in arrays], likelihoods))
    assert models[0] == models[1] == models[2]


def test_the_end_comes_when_little_is_gained() -> None:
    observed = Observations.of(some_sentences(5, 1), 5)
    start = random_hmm(3, np.ones(5), seed=1)
    few = baum_welch(start, observed, 500, tolerance=1e-3)[1]
    more = baum_welch(start, observed, 500, tolerance=1e-5)[1]
    assert len(few) < len(more) < 500
    assert few == more[: len(few)]
    gains = np.diff(few) / len(observed)
    assert (gains[:-1] >= 1e-3).all()
    assert gains[-1] < 1e-3


def test_a_random_start_is_near_the_frequencies() -> None:
    frequencies = np.array([50, 30, 15, 5.0])
    one, same, other = (random_hmm(6, frequencies, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.emission, same.emission)
    assert not np.array_equal(one.emission, other.emission)
    ratio = one.emission / (frequencies / 100)[:, None]
    assert ratio.min() > 1 / 3
    assert ratio.max() < 3
    assert len(np.unique(one.emission[0])) == 6, "states are not alike"


def test_a_model_is_found_again() -> None:
    """From a start near by, EM comes nearer still."""
    true = HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.1], [0.15, 0.2], [0.05, 0.7]])
    sentences = true.sample(2000, 20, seed=1)[0]
    start = HMM([0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.6, 0.2], [0.2, 0.3], [0.2, 0.5]])
    found, likelihoods = baum_welch(start, Observations.of(sentences, 3), 200, 1e-7)
    np.testing.assert_allclose(found.transition, true.transition, atol=0.03)
    np.testing.assert_allclose(found.emission, true.emission, atol=0.03)
    assert likelihoods[-1] > true.score(sentences), "the true model is not the most likely one"


# The tagger ---------------------------------------------------------------------------------------


def test_restarts_keep_the_most_likely() -> None:
    corpus = firth.Corpus.from_sentences(mixed_text(150))
    alone = [BaumWelchTagger(3, seed=seed).fit(corpus).likelihoods_ for seed in (4, 5, 6)]
    best = max(alone, key=lambda likelihoods: likelihoods[-1])
    together = BaumWelchTagger(3, seed=4, restarts=3).fit(corpus)
    assert together.likelihoods_ == best
    assert together.facts_["log_likelihood"] == best[-1]
    assert together.facts_["rounds"] == len(best)
    assert all(rising(likelihoods) for likelihoods in alone)


def test_rare_words_are_one_symbol_while_learning() -> None:
    sentences = mixed_text(150)
    tagger = BaumWelchTagger(3, vocabulary=8).fit(firth.Corpus.from_sentences(sentences))
    assert len(tagger.vocabulary_) == 8
    frequent = set(tagger.vocabulary_)
    assert any(word not in frequent for sentence in sentences for word in sentence)
    merged = [[word if word in frequent else "rare" for word in s] for s in sentences]
    rest = BaumWelchTagger(3).fit(firth.Corpus.from_sentences(merged))
    assert len(rest.vocabulary_) == 9
    assert all(len(a) == len(b) for a, b in zip(tagger.tag(sentences), sentences, strict=True))
