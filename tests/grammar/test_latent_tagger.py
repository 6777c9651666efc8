"""Taggers whose tags have hidden states: against sums over all sequences, and against a known model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import firth
from firth.errors import FirthError, ModelError, ParameterError
from firth.grammar import LatentTagger, Node, Treebank, project, spectral_grammar
from firth.grammar._latent_tagger import _transitions
from firth.parts import load_part
from firth.store import Part
from firth.tags import HMM, LatentStates, Observations, SupervisedTagger
from tests.oracles import latent_tags as oracle
from tests.tags.samples import mixed_text, tagged_text

TEXT = tagged_text(mixed_text(200))
LATENT = [
    "finals.f64",
    "roots.f64",
    "starts.i64",
    "steps.f32",
    "tags.i64",
    "usual.f64",
    "vectors.f64",
]


def plain_hmm(emission: Any) -> HMM:
    """A model without states that prunes nothing."""
    n = emission.shape[1]
    return HMM(
        np.full(n, 1 / n), np.full((n, n), 1 / n), emission / emission.sum(axis=0), threads=1
    )


def found_by(states: LatentStates, hmm: HMM, sentences: list[list[int]]) -> tuple[Any, float]:
    observed = Observations.of(sentences, hmm.n_symbols)
    [(gammas, total)] = states._in_pieces(hmm, observed)
    return gammas, total


def words(k: int) -> str:
    return f"w{k}"


# Trees -----------------------------------------------------------------------------------------------


def chain(sentence: list[tuple[int, int]], n_tags: int) -> Node:
    """The right-branching tree of (word, tag), as in the paper's section 8."""
    rest = Node(2 * n_tags, word=0)
    for word, tag in reversed(sentence):
        rest = Node(tag, Node(n_tags + tag, word=word), rest)
    return rest


def test_tagged_sentences_are_right_branching_trees() -> None:
    text = [[(4, 0), (2, 1), (3, 0)], [(1, 2)], [(0, 1), (0, 1)]]
    expected = Treebank.of([chain(sentence, 3) for sentence in text], 7)
    flat = [pair for sentence in text for pair in sentence]
    tags, spelled = np.array([tag for _, tag in flat]), np.array([word for word, _ in flat])
    bank = Treebank.of_tagged(tags, spelled, np.array([3, 4, 6]), 3)
    for name in ("symbols", "words", "parents", "lefts", "rights", "rules", "table", "starts"):
        assert getattr(bank, name).tolist() == getattr(expected, name).tolist(), name
    assert bank.n_symbols == expected.n_symbols


def test_next_tags_and_ends_are_counted() -> None:
    bank = Treebank.of_tagged(np.array([0, 1, 0]), np.zeros(3, np.int64), np.array([2, 3]), 2)
    follow, last = _transitions(bank, 2, 1.0)
    usual = np.array([2, 1, 2]) / 5  # shares of the two tags and of ends
    np.testing.assert_allclose(np.c_[follow, last][0], (np.array([0, 1, 1]) + usual) / 3)
    np.testing.assert_allclose(np.c_[follow, last][1], (np.array([0, 0, 1]) + usual) / 2)


# The passes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_passes_with_any_tensors_are_sums_over_all_tags(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m, n_symbols = int(rng.integers(1, 4)), int(rng.integers(1, 4)), 4
    tags = [np.flatnonzero(rng.random(n) < 0.6) for _ in range(n_symbols)]
    starts = np.append(0, np.cumsum([len(some) for some in tags]))
    states = LatentStates(
        starts, np.concatenate(tags), rng.normal(1, 1, (int(starts[-1]), m)), rng.normal(1, 1, (n, m)),
        rng.normal(1, 1, (n, n, m, m, m)).astype(np.float32), rng.normal(1, 1, (n, m, m)), rng.normal(1, 1, (n, m)),
    )  # fmt: skip
    hmm = plain_hmm(rng.uniform(0.5, 1, (n_symbols, n)))
    sentences = [rng.integers(0, n_symbols, k).tolist() for k in (1, 4, 2)]
    gammas, total = found_by(states, hmm, sentences)
    expected = [oracle.marginals(states, hmm.emission, sentence) for sentence in sentences]
    np.testing.assert_allclose(gammas, np.concatenate([share for share, _ in expected]), rtol=1e-6)
    assert total == pytest.approx(sum(np.log(abs(p)) for _, p in expected))


@pytest.mark.parametrize("seed", range(3))
def test_a_known_model_in_tensor_form_has_its_probabilities(seed: int) -> None:
    model = oracle.random_model(3, 2, 4, seed)
    states, plain = oracle.tensors(model)
    gammas, total = found_by(states, plain_hmm(plain), [[0, 3, 1, 2]])
    expected, p = oracle.posteriors(model, [0, 3, 1, 2])
    np.testing.assert_allclose(gammas, expected, rtol=1e-6)  # tensors have single precision
    assert total == pytest.approx(np.log(p))


def test_where_estimates_cancel_out_the_plain_model_decides() -> None:
    zero = np.zeros((2, 1))
    states = LatentStates(
        np.zeros(3, np.int64), np.zeros(0, np.int64), np.zeros((0, 1)), zero,
        np.zeros((2, 2, 1, 1, 1), np.float32), np.zeros((2, 1, 1)), zero,
    )  # fmt: skip
    hmm = plain_hmm(np.array([[0.9, 0.2], [0.1, 0.8]]))
    gammas, total = found_by(states, hmm, [[0, 1]])
    np.testing.assert_allclose(gammas, hmm.posteriors([0, 1]))
    assert total == -np.inf


# A known model, found again -----------------------------------------------------------------------


def features(bank: Treebank) -> tuple[Any, Any]:
    """One-hot: the word and the next symbol, or the word; what is before, and the next word below tags."""
    n, places = len(bank), np.arange(len(bank))
    inner = bank.rules >= 0
    word = np.where(inner, bank.words[np.minimum(places + 1, n - 1)], bank.words)
    below = np.where(inner, word * (bank.n_symbols + 1) + bank.symbols[bank.rights] + 1, word)
    node = np.where(inner, places, np.maximum(bank.parents, 0))
    above = bank.parents[node]
    before = np.where(
        above >= 0, 1 + bank.words[above + 1] * bank.n_symbols + bank.symbols[above], 0
    )
    rest = bank.rights[node]
    is_word = bank.rules[rest] >= 0
    after = np.where(is_word, 1 + bank.words[np.minimum(rest + 1, n - 1)] * bank.n_symbols, 0)
    after += np.where(is_word, bank.symbols[rest], 0)
    is_end = bank.symbols == bank.n_symbols - 1
    after[is_end], before[is_end] = 0, 0
    width = int(max(before.max(), after.max())) + 1
    one, two = (
        csr_array((np.ones(n), (places, some)), shape=(n, int(some.max()) + 1))
        for some in (below, np.where(inner, before, width + after))
    )
    return one, two


def errors_of(model: oracle.LatentHMM, size: int, seed: int, asked: list[Any]) -> float:
    """The median relative error of the probabilities of tagged sentences."""
    text = oracle.sample(model, size, seed)
    flat = [pair for sentence in text for pair in sentence]
    n, m = model.initial.shape
    bank = Treebank.of_tagged(
        np.array([tag for _, tag in flat]), np.array([word for word, _ in flat]),
        np.cumsum([len(sentence) for sentence in text]), n,
    )  # fmt: skip
    form = spectral_grammar(bank, project(bank, *features(bank), m, 1e-9))
    found = [form.tree_probability(chain(sentence, n)) for sentence in asked]
    right = [oracle.probability(model, sentence) for sentence in asked]
    return float(np.median(np.abs(np.array(found) / np.array(right) - 1)))


@pytest.mark.slow
def test_a_known_model_is_recovered() -> None:
    model = oracle.random_model(2, 2, 4, 1)
    asked = [sentence for sentence in oracle.sample(model, 60, 99) if len(sentence) < 8]
    few, many = (
        float(np.median([errors_of(model, size, seed, asked) for seed in range(3)]))
        for size in (1_000, 16_000)
    )
    assert many < 0.1
    assert many < 0.5 * few  # theorem 3 expects a quarter


@pytest.mark.slow
def test_the_tagger_comes_close_to_the_model_that_the_text_is_from() -> None:
    model = oracle.random_model(3, 2, 6, 3)
    text = [
        [(words(word), str(tag)) for word, tag in sentence] for sentence in oracle.sample(model, 8_000, 1)
    ]  # fmt: skip
    asked = [sentence for sentence in oracle.sample(model, 200, 2) if 2 < len(sentence) < 7]
    plain, latent = SupervisedTagger(0.0).fit(text), LatentTagger(0.0, n_states=2).fit(text)
    differences: dict[str, list[Any]] = {"plain": [], "latent": []}
    for sentence in asked:
        right, _ = oracle.posteriors(model, [word for word, _ in sentence])
        observed = latent.encode([[words(word) for word, _ in sentence]])
        assert latent.latent_ is not None
        for name, found in (
            ("plain", plain.hmm_.posteriors(observed.symbols)),
            ("latent", latent.latent_.shares(latent.hmm_, observed)),
        ):
            differences[name].append(np.abs(found - right).mean())
    assert np.mean(differences["latent"]) < 0.5 * np.mean(differences["plain"])


# The tagger --------------------------------------------------------------------------------------


def test_vectors_of_words_are_means_mixed_with_words_spelled_alike() -> None:
    tagger = LatentTagger(n_states=2)
    made: dict[str, Any] = {}
    whole = LatentTagger._states

    def keep(self: LatentTagger, bank: Any, pairs: Any, moments: Any) -> LatentStates:
        made.update(pairs=pairs, moments=moments)
        return whole(self, bank, pairs, moments)

    tagger._states = keep.__get__(tagger)  # type: ignore[method-assign]
    states = tagger.fit(TEXT).latent_
    assert states is not None
    n, pairs, moments = tagger.n_tags_, made["pairs"], made["moments"]
    usual = moments.symbol_around[n : 2 * n]
    np.testing.assert_array_equal(states.usual, usual)
    group = [tagger.groups_.find(word) for word in tagger.vocabulary_]
    of_pairs = {
        (word, tag - n): (count, mean)
        for word, tag, count, mean in zip(
            pairs.words.tolist(), pairs.tags.tolist(), pairs.counts, moments.of_pairs, strict=True
        )
        if tag < 2 * n
    }
    for (word, tag), (count, mean) in of_pairs.items():
        alike = [m for (w, t), (_, m) in of_pairs.items() if group[w] == group[word] and t == tag]
        of_group = (5 * usual[tag] + sum(alike)) / (5 + len(alike))
        for symbol, expected in (
            (word, (count * mean + 5 * of_group) / (count + 5)),
            (len(tagger.vocabulary_) + group[word], of_group),
        ):
            own = slice(states.starts[symbol], states.starts[symbol + 1])
            place = states.tags[own].tolist().index(tag)
            np.testing.assert_allclose(states.vectors[own][place], expected, rtol=1e-9)


def test_threads_and_order_of_work_change_nothing() -> None:
    one, four = (LatentTagger(n_states=3, threads=k).fit(TEXT) for k in (1, 4))
    for name in ("starts", "tags", "vectors", "usual", "steps", "finals", "roots"):
        first, second = getattr(one.latent_, name), getattr(four.latent_, name)
        assert first.tobytes() == second.tobytes(), name
    sentences = mixed_text(400, seed=5)
    assert one.tag(sentences) == four.tag(sentences)
    assert one.score(sentences) == four.score(sentences)


def test_without_states_it_is_a_supervised_tagger() -> None:
    plain, latent = SupervisedTagger().fit(TEXT), LatentTagger().fit(TEXT)
    sentences = [*mixed_text(20, seed=3), ["unheard", "1-2"], []]
    for decode in ("type", "viterbi"):
        assert latent.tag(sentences, decode) == plain.tag(sentences, decode)
    assert latent.tag([[], ["the"]]) == [[], ["D"]]


def saved_by(tagger: LatentTagger, folder: Path) -> Callable[..., Any]:
    folder.mkdir(exist_ok=True)
    tagger.save(folder)
    return lambda **facts: load_part(
        Part.in_folder(folder, {"decode": "posterior"}, "tags", **{**tagger.facts_, **facts})
    )


def test_saved_and_loaded(tmp_path: Path) -> None:
    tagger = LatentTagger(n_states=3).fit(TEXT)
    load = saved_by(tagger, tmp_path / "one")
    again = load()
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert [name for name in names if name.startswith("latent_")] == [f"latent_{x}" for x in LATENT]
    sentences = [*mixed_text(30, seed=7), ["the", "unheard"]]
    assert again.tag(sentences) == tagger.tag(sentences)
    assert again.score(sentences) == pytest.approx(tagger.score(sentences), rel=1e-5)
    tagger.write(tmp_path / "m")
    found = firth.load(tmp_path / "m").tags
    assert found.tag(sentences) == tagger.tag(sentences)
    assert found.summary()[1][-1] == "up to 3 states"


@pytest.mark.parametrize(
    ("file", "place", "value"),
    [("starts.i64", 1, 10**9), ("starts.i64", 0, 1), ("tags.i64", 0, 3), ("tags.i64", 0, -1), ("steps.f32", 0, np.nan),
     ("vectors.f64", 0, np.inf), ("usual.f64", 1, np.nan), ("roots.f64", 0, 1e300), ("finals.f64", 0, np.nan)],
)  # fmt: skip
def test_damaged_states_are_refused(file: str, place: int, value: float, tmp_path: Path) -> None:
    load = saved_by(LatentTagger(n_states=2).fit(TEXT), tmp_path / "one")
    path = tmp_path / "one" / f"latent_{file}"
    array = np.fromfile(path, {"f32": "<f4", "f64": "<f8", "i64": "<i8"}[file[-3:]])
    array[place] = value
    array.tofile(path)
    with pytest.raises(ModelError, match="cannot be used"):
        load()


@pytest.mark.parametrize("wrong", [[], [[]], "text", [["ab"]], [[("a", "")]], [3], [[3]]])
def test_text_without_tags_is_refused(wrong: Any) -> None:
    with pytest.raises(FirthError):
        LatentTagger().fit(wrong)
    with pytest.raises(ParameterError, match="n_states"):
        LatentTagger(n_states=0).fit(TEXT)


def test_one_sentence_is_enough() -> None:
    tagger = LatentTagger().fit([[("go", "V")]])
    assert tagger.tag([["go"], ["stop", "now"]]) == [["V"], ["V", "V"]]
