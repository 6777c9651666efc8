"""Hidden Markov models with features: likelihood, gradient, and a model that is found again."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array

import firth
from firth.compute import Engine
from firth.errors import InputError
from firth.tags import FeatureHMM, FeatureTagger, Observations, word_features
from tests.oracles import tag_features as oracle
from tests.tags.samples import NOUNS, VERBS, best_order, hmm_of, mixed_text

N_SYMBOLS, M = 5, 3


class Case:
    """A random model with features, and some sentences."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.features = (rng.random((N_SYMBOLS, 4)) < 0.5).astype(float)
        self.sentences = [
            rng.integers(0, N_SYMBOLS, n).tolist() for n in rng.integers(1, 5, 6).tolist()
        ]
        self.observed = Observations.of(self.sentences, N_SYMBOLS)
        self.penalty = float(rng.choice([0.0, 0.3, 2.0]))
        self.model = FeatureHMM(csr_array(self.features), M, self.penalty, Engine(1))
        self.weights = rng.standard_normal(self.model.n_weights)
        initial, transition, emission = np.split(self.weights, [M, M + M * M])
        self.true = oracle.log_linear(
            initial, transition.reshape(M, M), emission.reshape(-1, M), self.features
        )


@pytest.mark.parametrize("seed", range(8))
def test_probabilities_are_exponentials_of_scores(seed: int) -> None:
    case = Case(seed)
    found = case.model.hmm(case.weights)
    for one, other in zip(
        (found.initial, found.transition, found.emission), case.true, strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_the_objective_and_its_gradient(seed: int) -> None:
    """Against sums over all sequences of states, and against finite differences."""
    case = Case(seed)
    value, gradient = case.model.objective(case.weights, case.observed)
    expected = oracle.penalised(case.true, case.sentences, case.weights, case.penalty)
    assert value == pytest.approx(expected, rel=1e-12)
    parts = oracle.gradient(case.true, case.sentences, case.features)
    direct = np.concatenate([part.ravel() for part in parts]) - 2 * case.penalty * case.weights
    np.testing.assert_allclose(gradient, direct, atol=1e-10)
    slopes = approx_fprime(case.weights, lambda w: case.model.objective(w, case.observed)[0], 1e-6)
    np.testing.assert_allclose(gradient, slopes, atol=1e-3)


def test_no_iteration_lowers_the_objective() -> None:
    case = Case(3)
    found = case.model.fit(case.observed, 50, 0.0, seed=1)
    assert len(found.objectives) > 5
    assert all(after >= before - 1e-9 for before, after in pairwise(found.objectives))
    value, gradient = case.model.objective(found.weights, case.observed)
    assert value == pytest.approx(found.objectives[-1], rel=1e-9)
    start = case.model.fit(case.observed, 1, 1.0, seed=1)
    assert len(start.objectives) == 2, "one iteration gains less than a nat per token"
    few = case.model.fit(case.observed, 50, 1e-2, seed=1)
    assert found.objectives[: len(few.objectives)] == few.objectives
    assert (
        np.abs(gradient).max() < np.abs(case.model.objective(case.weights, case.observed)[1]).max()
    )


def test_a_model_is_found_again() -> None:
    """Symbols of which nothing but a feature tells the state: all that have it are emitted alike."""
    m, n = 2, 40
    features = np.zeros((n, 2))
    features[: n // 2, 0] = features[n // 2 :, 1] = 1
    scores = np.array([[0.0, 2.5], [2.5, 0.0]])
    true = oracle.log_linear(
        np.array([0.5, 0.0]), np.array([[0.0, 1.5], [1.0, 0.0]]), scores, features
    )
    sentences = hmm_of(true).sample(1500, 12, seed=1)[0]
    observed = Observations.of(sentences, n)
    found = FeatureHMM(csr_array(features), m, 0.01, Engine(1)).fit(observed, 200, 1e-8, seed=0)
    order, _ = best_order(found.hmm.emission, true.emission)
    np.testing.assert_allclose(found.hmm.emission[:, order], true.emission, atol=0.002)
    np.testing.assert_allclose(
        found.hmm.transition[np.ix_(order, order)], true.transition, atol=0.03
    )
    np.testing.assert_allclose(found.hmm.initial[order], true.initial, atol=0.05)
    assert found.objectives[-1] > hmm_of(true).score(sentences) - 1, (
        "at least as likely as the truth"
    )


def test_features_of_words() -> None:
    words = ["the", "Anne-7", "a", "she"]
    found = word_features(words, 5).toarray()
    assert np.array_equal(found[:, :5], np.eye(5)), (
        "each word is a feature, rarer words together too"
    )
    shared = found[:, 5:] @ found[:, 5:].T
    assert shared.tolist() == [
        [3, 0, 0, 2, 0],  # suffixes e, he, the
        [0, 6, 0, 0, 0],  # three suffixes, capital, digit, hyphen
        [0, 0, 1, 0, 0],
        [2, 0, 0, 3, 0],
        [0, 0, 0, 0, 0],
    ]


def test_words_get_tags_by_contexts_and_spelling() -> None:
    corpus = firth.Corpus.from_sentences(mixed_text(300))
    tried = [FeatureTagger(3, seed=seed).fit(corpus) for seed in range(5)]
    tagger = max(tried, key=lambda one: one.objectives_[-1])
    tags = {word: tagger.tag([[word]], "type")[0][0] for word in ("the", "a", *NOUNS, *VERBS)}
    assert tags["the"] == tags["a"]
    assert len({tags[word] for word in NOUNS}) == len({tags[word] for word in VERBS}) == 1
    assert len({tags["the"], tags["cat"], tags["sees"]}) == 3
    assert tagger.tag([["the", "crow", "eats"]], "type")[0][2] == tags["sees"], "words in -s"
    assert tagger.facts_["rounds"] == len(tagger.objectives_) - 1
    assert tagger.facts_["log_likelihood"] > tagger.objectives_[-1], "without the penalty"


def test_threads_and_memory_change_nothing() -> None:
    corpus = firth.Corpus.from_sentences(
        mixed_text(10) + mixed_text(1000, 1) * 10
    )  # several pieces
    found = []
    for threads, memory in ((1, "1G"), (2, "64M"), (4, "1G")):
        how: dict[str, Any] = {"rounds": 4, "vocabulary": 10, "threads": threads}
        tagger = FeatureTagger(4, **how).fit(corpus, memory)
        found.append(tagger.hmm_.emission.tobytes() + tagger.hmm_.transition.tobytes())
    assert found[0] == found[1] == found[2]


def test_too_few_words() -> None:
    with pytest.raises(
        InputError, match="4 tags need at least as many words, but there are only 2"
    ):
        FeatureTagger(4).fit([["the", "cat"]])
    assert FeatureTagger(1, rounds=2).fit([["the", "cat"]]).tag([["the"]]) == [["0"]]
