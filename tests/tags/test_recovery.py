"""The guarantee: where each state has a word of its own, the anchor method finds the model again.

From exact probabilities exactly, from samples the better the more there are. The representation that tags
best, ``spectral``, has this guarantee for Brown models only, in which every word has one state.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from firth.compute import Engine
from firth.tags import AnchorParameters, AnchorTagger, anchor_memberships
from firth.tags import _estimation as estimation
from tests.oracles import hmm as oracle
from tests.oracles.hmm import Floats, Model
from tests.tags.samples import anchor_model, best_order, exact_contexts, hmm_of, sampled_corpus

pytestmark = pytest.mark.slow

SIZES = [(3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1)]
PLAIN: dict[str, Any] = {"sharing": 0, "refine": False}


def states_of_words(model: Model) -> Floats:
    """P(h | x) by Bayes."""
    joint = model.emission * model.initial
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def brown_model(m: int, n_words: int, seed: int) -> Model:
    """Every word has one state; words and states are as frequent as chance wills."""
    rng = np.random.default_rng(seed)
    state = np.append(np.arange(m), rng.integers(0, m, n_words - m))
    emission = np.eye(m)[state] * rng.uniform(0.2, 1, n_words)[:, None]
    transition = rng.dirichlet(np.full(m, 0.7), m) * 0.9 + 0.1 / m
    return Model(oracle.stationary(transition), transition, emission / emission.sum(axis=0))


class Recovered:
    """What the anchor method makes of exact probabilities, beside the truth."""

    def __init__(self, model: Model, **options: Any) -> None:
        self.model, self.contexts = model, exact_contexts(model)
        self.words = np.array([int(word[1:]) for word in self.contexts.words])
        m, n = len(model.initial), len(self.words)
        how = AnchorParameters(m, **{**PLAIN, **options})
        alone = np.arange(n)
        found, anchors = anchor_memberships(self.contexts, how, alone, Engine(1))
        true = states_of_words(model)[self.words]
        order, _ = best_order(found, true)
        self.anchors = self.words[anchors]
        self.memberships = found[:, order]
        self.error = float(np.abs(self.memberships - true).max())

    @property
    def emission(self) -> Floats:
        joint = self.memberships * self.contexts.counts[:, None]
        return np.asarray(joint / joint.sum(axis=0))

    @property
    def joint(self) -> Floats:
        m = len(self.model.initial)
        return estimation.steps(
            self.contexts.pairs, self.emission, np.ones((m, m)), Engine(1), 20_000
        )


# From exact probabilities -------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "seed"), SIZES)
@pytest.mark.parametrize(
    ("representation", "most"), [("conditional", 1e-6), ("cca", 1e-5), ("random", 2e-3)]
)
def test_states_are_found_again(representation: str, most: float, m: int, seed: int) -> None:
    model = anchor_model(m, 30, seed)
    found = Recovered(model, representation=representation)
    assert sorted(found.anchors) == list(range(m)), "just the words that one state alone emits"
    assert found.error < most


@pytest.mark.parametrize("pseudocount", [0.0, 1e-3, 1.0, 10.0])
def test_no_pseudocount_hinders_the_projection(pseudocount: float) -> None:
    """Mixtures stay mixtures, whatever columns are multiplied by."""
    found = Recovered(anchor_model(4, 30, 3), representation="cca", pseudocount=pseudocount)
    assert found.error < 1e-4


@pytest.mark.parametrize(("m", "seed"), SIZES)
@pytest.mark.parametrize("representation", ["conditional", "cca"])
def test_the_whole_model_is_found_again(
    representation: str, m: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = anchor_model(m, 30, seed)
    found = Recovered(model, representation=representation)
    np.testing.assert_allclose(found.emission, model.emission[found.words], atol=1e-6)
    joint = found.joint
    transition = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(transition, model.transition, atol=1e-2)
    np.testing.assert_allclose(joint.sum(axis=1), model.initial, atol=1e-2)
    monkeypatch.setattr(estimation, "_SMALL_GAIN", 1e-15)
    joint = found.joint
    transition = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(transition, model.transition, atol=1e-4)
    starts = estimation.beginnings(found.contexts.starts, found.emission, np.ones(m), 20_000)
    np.testing.assert_allclose(starts, model.initial, atol=1e-4)


def test_spectral_rows_do_not_find_a_general_model_again() -> None:
    """Square roots of mixtures are no mixtures; and rows of unit length forget how far they were."""
    errors = [
        Recovered(anchor_model(m, 30, seed), representation="spectral", pseudocount=0.0).error
        for m, seed in SIZES
    ]
    assert min(errors) > 0.1


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize(("m", "seed"), SIZES)
def test_spectral_rows_find_the_states_of_a_brown_model(m: int, seed: int, refine: bool) -> None:
    model = brown_model(m, 30, seed)
    found = Recovered(model, representation="spectral", pseudocount=0.0, refine=refine)
    assert found.error < 1e-6
    assert len({states_of_words(model)[word].argmax() for word in found.anchors}) == m


def test_the_other_rows_find_brown_models_too() -> None:
    for m, seed in SIZES:
        for representation in ("conditional", "cca"):
            assert Recovered(brown_model(m, 30, seed), representation=representation).error < 1e-6


# From samples -------------------------------------------------------------------------------------


def sample_error(model: Model, n_tokens: int, seed: int, **options: Any) -> float:
    """How wrong P(h | x) is on average over tokens, states in their best order."""
    m = len(model.initial)
    tagger = AnchorTagger(m, threads=1, **{**PLAIN, **options})
    tagger.fit(sampled_corpus(model, n_tokens, seed))
    words = [int(word[1:]) for word in tagger.vocabulary_]
    found, true = tagger.memberships_[: len(words)], states_of_words(model)[words]
    order, _ = best_order(found, true)
    weight = tagger.vocabulary_.counts / tagger.vocabulary_.counts.sum()
    return float(weight @ np.abs(found[:, order] - true).sum(axis=1))


@pytest.mark.parametrize("representation", ["conditional", "cca"])
def test_with_more_text_the_error_falls(representation: str) -> None:
    """Sixteen times the text, a quarter of the error; half is all that is asked for."""
    seeds = (1, 2, 5, 6)
    few, many = (
        np.mean(
            [
                sample_error(anchor_model(3, 30, seed), n, seed, representation=representation)
                for seed in seeds
            ]
        )
        for n in (24_000, 384_000)
    )
    assert many < 0.5 * few
    assert many < 0.05


def test_with_much_text_the_whole_model_is_near() -> None:
    model = anchor_model(3, 30, 1)
    tagger = AnchorTagger(3, representation="conditional", candidates=30, threads=1, **PLAIN)
    tagger.fit(sampled_corpus(model, 200_000, 1))
    words = [int(word[1:]) for word in tagger.vocabulary_]
    order, _ = best_order(tagger.hmm_.emission[: len(words)], model.emission[words])
    assert sorted(tagger.anchors_) == ["w0", "w1", "w2"]
    difference = tagger.hmm_.emission[: len(words)][:, order] - model.emission[words]
    assert np.abs(difference).sum(axis=0).max() < 0.3
    transition = tagger.hmm_.transition[np.ix_(order, order)]
    assert np.abs(transition - model.transition).max() < 0.15
    fresh = [s.tolist() for s in hmm_of(model).sample(200, 20, seed=9)[0]]
    true = hmm_of(model).score(fresh)
    mine = tagger.score([[f"w{x}" for x in s] for s in fresh])
    assert mine > true * 1.02, "nearly as good a model as the true one"
