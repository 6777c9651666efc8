"""The observable representation of a hidden Markov model: exact from exact moments, near from samples."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import InputError, ParameterError
from firth.tags import SpectralHMM
from tests.oracles import hmm as oracle
from tests.oracles.hmm import Model
from tests.tags.samples import NOUNS, VERBS, hmm_of, mixed_text


def well_told(m: int, n_symbols: int, seed: int) -> Model:
    """A model whose states can be told apart by their symbols and by what follows."""
    rng = np.random.default_rng(seed)
    transition = 0.6 * np.roll(np.eye(m), 1, axis=1) + 0.4 * rng.dirichlet(np.ones(m), m)
    emission = 0.6 * np.eye(n_symbols, m) + 0.4 * rng.dirichlet(np.ones(n_symbols), m).T
    return Model(rng.dirichlet(np.full(m, 5.0)), transition, emission)


def learned_exactly(model: Model) -> SpectralHMM:
    first = model.emission @ model.initial
    triples = oracle.triple_probabilities(model).transpose(1, 2, 0)  # y, x, z as [x, z, y]
    pairs = oracle.pair_probabilities(model).T
    return SpectralHMM.from_moments(first, pairs, triples, len(model.initial))


# From exact moments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "n_symbols"), [(1, 1), (1, 3), (2, 2), (2, 4), (3, 3), (3, 5), (4, 4)]
)
def test_exact_moments_give_exact_probabilities(m: int, n_symbols: int) -> None:
    for seed in range(2):
        model = well_told(m, n_symbols, seed)
        learned = learned_exactly(model)
        for n in (1, 2, 3, 4):
            for symbols in product(range(n_symbols), repeat=n):
                p = oracle.probability(model, symbols)
                assert np.exp(learned.score([symbols])) == pytest.approx(p, abs=1e-9)


def test_exact_moments_give_exact_forecasts() -> None:
    model = well_told(3, 4, 5)
    learned = learned_exactly(model)
    for before in ([], [0], [3, 1], [2, 2, 0], [1, 0, 3, 2]):
        p = learned.next_symbol(before)
        joint = [oracle.probability(model, [*before, x]) for x in range(4)]
        np.testing.assert_allclose(p, np.array(joint) / sum(joint), atol=1e-9)
        assert p.sum() == pytest.approx(1, abs=1e-12)


def test_long_sequences_lose_nothing() -> None:
    model = well_told(3, 4, 1)
    learned, hmm = learned_exactly(model), hmm_of(model)
    symbols = hmm.sample(1, 3000, seed=1)[0][0]
    assert learned.score([symbols]) == pytest.approx(hmm.score([symbols]), rel=1e-6)


def test_there_are_operators_for_symbols_and_states() -> None:
    learned = learned_exactly(well_told(3, 5, 1))
    assert learned.operators_.shape == (5, 3, 3)
    assert (learned.start_.shape, learned.end_.shape, learned.n_symbols) == ((3,), (3,), 5)
    assert learned.end_ @ learned.start_ == pytest.approx(1)
    everything = learned.operators_.sum(axis=0)
    np.testing.assert_allclose(learned.end_ @ everything, learned.end_, atol=1e-8)


# From samples -------------------------------------------------------------------------------------


def error(model: Model, n: int, seed: int, everywhere: bool) -> float:
    """The distance of the probabilities of all sequences of three symbols."""
    true = model
    if everywhere:  # as if sequences began in the middle of a text
        true = model._replace(initial=oracle.stationary(model.transition))
    sequences = hmm_of(true).sample(n, 10 if everywhere else 3, seed)[0]
    learned = SpectralHMM(len(model.initial), everywhere=everywhere).fit(sequences)
    all_sequences = product(range(len(model.emission)), repeat=3)
    errors = [np.exp(learned.score([s])) - oracle.probability(true, s) for s in all_sequences]
    return float(np.abs(errors).sum())


@pytest.mark.slow
@pytest.mark.parametrize("everywhere", [False, True])
def test_with_more_text_the_error_falls(everywhere: bool) -> None:
    models = [well_told(2, 4, seed) for seed in range(4)]
    few, many = (
        np.mean([error(model, n, seed, everywhere) for seed, model in enumerate(models)])
        for n in (2_000, 32_000)
    )
    assert many < 0.5 * few
    assert many < 0.05


def test_the_beginning_is_learned_only_where_it_is_asked_for() -> None:
    model = Model(np.array([1.0, 0]), np.array([[0.5, 0.5], [0.1, 0.9]]), np.eye(2) * 0.8 + 0.1)
    sequences = hmm_of(model).sample(20_000, 12, seed=1)[0]
    first = SpectralHMM(2, everywhere=False).fit(sequences).next_symbol([])
    anywhere = SpectralHMM(2).fit(sequences).next_symbol([])
    np.testing.assert_allclose(first, model.emission @ model.initial, atol=0.02)
    frequencies = np.bincount(np.concatenate(sequences)) / (20_000 * 12)
    np.testing.assert_allclose(anywhere, frequencies, atol=0.02)


def test_forecasts_add_up_to_one_whatever_was_seen() -> None:
    rng = np.random.default_rng(0)
    learned = SpectralHMM(4).fit([rng.integers(0, 6, 30) for _ in range(4)])
    for before in oracle.all_states(6, 3).tolist():
        p = learned.next_symbol(before)
        assert p.sum() == pytest.approx(1)
        assert (p > 0).all()
    assert np.isfinite(learned.score([rng.integers(0, 6, 500)]))


# Words --------------------------------------------------------------------------------------------


def test_words_are_foretold() -> None:
    corpus = firth.Corpus.from_sentences(mixed_text(500))
    learned = SpectralHMM(3).fit(corpus)
    for before, expected in (
        (["the"], NOUNS),
        (["a", "cat"], VERBS),
        (["the", "fox", "sees"], ["the", "a"]),
    ):
        told = learned.next_words(before, 5)
        assert len(told) == 5
        assert told[0][0] in expected
        assert sum(p for word, p in told if word in expected) > 0.9 * sum(p for _, p in told)
        assert [p for _, p in told] == sorted((p for _, p in told), reverse=True)
    everything = learned.next_words(["the"], 1000)
    assert {word for word, _ in everything} == set(corpus.vocabulary)
    assert sum(p for _, p in everything) == pytest.approx(1)
    good, bad = "the cat sees a dog".split(), "cat the a sees sees".split()
    assert learned.score([good]) > learned.score([bad]) + 5


def test_rare_words_are_one() -> None:
    learned = SpectralHMM(2, vocabulary=5).fit(firth.Corpus.from_sentences(mixed_text(300)))
    assert learned.n_symbols == 6
    assert len(learned.next_words(["the"], 100)) == 5
    assert learned.score([["the", "xyz"]]) == learned.score([["the", "unheard-of"]])


def test_words_are_read_as_the_corpus_was() -> None:
    text = [[word.upper() + "1" for word in sentence] for sentence in mixed_text(200)]
    corpus = firth.Corpus.from_sentences(text, lowercase=True, digits="zero")
    learned = SpectralHMM(3).fit(corpus)
    expected = learned.next_words(["the0"], 3)
    assert learned.next_words(["THE7"], 3) == learned.next_words(["The0"], 3) == expected
    assert learned.next_words(["sees0"], 3) != expected


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("nothing", [[], [[]], [[0], [1]], [[0, 1], [1, 0], []]])
def test_three_symbols_are_needed(nothing: list[list[int]]) -> None:
    for everywhere in (False, True):
        with pytest.raises(InputError, match="three"):
            SpectralHMM(1, everywhere=everywhere).fit(nothing)


def test_too_many_states_are_refused() -> None:
    with pytest.raises(InputError, match="2 states need"):
        SpectralHMM(2).fit([[0, 0, 0]])
    with pytest.raises(InputError, match="cannot be distinguished"):
        SpectralHMM(2).fit([[0, 0, 0], [0, 0, 0, 0], [1]])
    model = Model(np.full(2, 0.5), np.full((2, 2), 0.5), np.full((3, 2), 1 / 3))
    with pytest.raises(InputError, match="cannot be distinguished"):
        learned_exactly(model)
    with pytest.raises(ParameterError, match="too many"):
        SpectralHMM(2).fit([[0, 1 << 30, 3]])


def test_wrong_moments_are_refused() -> None:
    first, pairs, triples = np.full(3, 1 / 3), np.eye(3) / 3, np.full((3, 3, 3), 1 / 27)
    for one, two, three in (
        (first[:2], pairs, triples),
        (first, pairs[:2], triples),
        (first, pairs, triples[0]),
        (first, pairs * np.nan, triples),
    ):
        with pytest.raises(ParameterError, match="from_moments"):
            SpectralHMM.from_moments(one, two, three, 2)
    with pytest.raises(InputError):
        SpectralHMM.from_moments(first, pairs, triples, 4)


def test_what_has_not_learned_says_so() -> None:
    new = SpectralHMM(2)
    for ask in (
        lambda: new.score([[0]]),
        lambda: new.next_symbol([0]),
        lambda: new.next_words(["a"]),
    ):
        with pytest.raises(ParameterError, match="is not fitted"):
            ask()
    new.fit([[0, 1, 0, 1, 1]])
    with pytest.raises(ParameterError, match="numbers, not words"):
        new.next_words(["a"])


def test_wrong_sequences_are_refused() -> None:
    numbers = SpectralHMM(2).fit([[0, 1, 0, 1, 1]])
    wrong: Any
    for wrong in ([2], [-1], ["a"], [0.5], [[0, 1]], "ab", [0, [1, 2]]):
        with pytest.raises(InputError):
            numbers.score([wrong])
    words = SpectralHMM(2).fit(firth.Corpus.from_sentences(mixed_text(20)))
    for wrong in ("the cat", [1], [["the"]], [None]):
        with pytest.raises(InputError):
            words.next_symbol(wrong)
    with pytest.raises(ParameterError, match="'n'"):
        words.next_words(["the"], 0)


@pytest.mark.parametrize(
    "wrong", [{"n_states": 0}, {"n_states": 1.5}, {"vocabulary": 0}, {"everywhere": 1}]
)
def test_wrong_parameters_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        SpectralHMM(**wrong).fit([[0, 1, 0, 1, 1]])  # type: ignore[arg-type]
