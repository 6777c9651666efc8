"""What can be asked of word vectors, against literal loops."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.errors import FirthError, InputError, ModelError, ParameterError, WordError
from firth.vectors import _search
from tests.conftest import zipf_text
from tests.loading import is_mapped, load
from tests.oracles import embedding as oracle


def random_vectors(n: int, dim: int, seed: int = 0, zeros: int = 0) -> firth.WordVectors:
    matrix = np.random.default_rng(seed).standard_normal((n, dim)).astype(np.float32)
    matrix[n - zeros :] = 0
    return firth.WordVectors.from_arrays([f"w{i}" for i in range(n)], matrix)


@pytest.fixture(scope="module")
def learned() -> tuple[firth.Corpus, firth.WordVectors]:
    lines = [line.split() for line in zipf_text(800, n_words=400).splitlines()]
    corpus = firth.Corpus.from_sentences(lines)
    counts = firth.count(corpus, "bag4", 3, weights="distance")
    return corpus, firth.SpectralEmbedding(12, beta=0.5).fit(counts).vectors_


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 1000), st.integers(1, 50))
def test_neighbours_are_those_of_a_literal_loop(n: int, dim: int, seed: int, wanted: int) -> None:
    vectors = random_vectors(n, dim, seed, zeros=n // 10)
    query = seed % (n - n // 10)
    expected = oracle.most_similar(vectors.matrix.tolist(), query, wanted)
    found = vectors.most_similar(f"w{query}", n=wanted)
    assert len(found) == min(wanted, n - 1)
    cosines = [oracle.cosine(vectors.matrix[query], vectors.matrix[i]) for i in expected]
    np.testing.assert_allclose([near.similarity for near in found], cosines, atol=1e-5)
    if np.abs(np.diff(cosines)).min(initial=1) > 1e-5:  # no ties
        assert [near.word for near in found] == [f"w{i}" for i in expected]
    again = vectors.neighbours([f"w{query}"], wanted)[0]
    np.testing.assert_allclose([near.similarity for near in again], cosines, atol=1e-5)


@pytest.mark.parametrize("method", ["mul", "add"])
@given(data=st.data())
@pytest.mark.slow
def test_analogies_are_those_of_a_literal_loop(method: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(4, 30))
    vectors = random_vectors(n, data.draw(st.integers(2, 6)), data.draw(st.integers(0, 1000)))
    a, b, c = (data.draw(st.integers(0, n - 1)) for _ in range(3))
    expected = oracle.analogy(vectors.matrix.tolist(), a, b, c, method)
    found = vectors.analogy(f"w{a}", f"w{b}", f"w{c}", n, method)
    np.testing.assert_allclose(
        [near.similarity for near in found], [s for _, s in expected], rtol=1e-3, atol=1e-4
    )
    assert not {near.word for near in found} & {f"w{i}" for i in (a, b, c)}
    (answer,) = vectors.answers([[a, b, c]], method)
    assert vectors.vocabulary[answer] == found[0].word


@pytest.mark.parametrize("method", ["mul", "add"])
def test_many_questions_at_once_are_answered_as_one_by_one(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_search, "_WORDS_AT_ONCE", 13)
    monkeypatch.setattr(_search, "_QUESTIONS_AT_ONCE", 7)
    vectors = random_vectors(100, 8)
    questions = np.random.default_rng(1).integers(0, 100, (60, 3))
    expected = [
        oracle.analogy(vectors.matrix.tolist(), int(a), int(b), int(c), method)[0][0]
        for a, b, c in questions
    ]
    for threads in (1, 2):
        assert vectors.answers(questions, method, threads).tolist() == expected
    assert vectors.answers([], method).tolist() == []
    assert random_vectors(3, 2).answers([[0, 1, 2]]).tolist() == [-1], "no other word"


def test_search_in_blocks_is_search_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = random_vectors(200, 5)
    words = [f"w{i}" for i in range(50)]
    expected = vectors.neighbours(words, 4)
    monkeypatch.setattr(_search, "_SCORES_AT_ONCE", 700)
    found = vectors.neighbours(words, 4)
    assert [[near.word for near in row] for row in found] == [
        [near.word for near in row] for row in expected
    ]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=30), st.integers(0, 40))
def test_the_best_of_many_equals_come_first(scores: list[float], n: int) -> None:
    expected = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:n]
    assert _search.best(np.array(scores), n).tolist() == expected


def test_positive_and_negative() -> None:
    vectors = random_vectors(30, 4)
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    query = unit[1] + unit[2] - unit[3]
    scores = unit @ (query / np.linalg.norm(query))
    scores[[1, 2, 3]] = -np.inf
    found = vectors.most_similar(["w1", "w2"], "w3", n=5)
    assert [near.word for near in found] == [f"w{i}" for i in np.argsort(-scores)[:5]]
    assert vectors.most_similar(query, n=3)[0].similarity == pytest.approx(
        float((unit @ query).max() / np.linalg.norm(query)), rel=1e-5
    )
    assert vectors.similarity("w1", "w2") == pytest.approx(float(unit[1] @ unit[2]), abs=1e-6)


def test_wrong_questions_are_answered_kindly() -> None:
    vectors = firth.WordVectors.from_arrays(["paris", "rome", "Bonn"], np.eye(3))
    with pytest.raises(WordError, match=r"'Paris' has no vector.*There is 'paris'"):
        vectors.most_similar("Paris")
    with pytest.raises(ParameterError, match="n"):
        vectors.most_similar("rome", n=0)
    with pytest.raises(ParameterError, match="'method' parameter of WordVectors.analogy"):
        vectors.analogy("rome", "rome", "rome", method="both")
    with pytest.raises(ParameterError, match="must have 3 numbers"):
        vectors.most_similar(np.zeros(2))
    with pytest.raises(WordError, match="add up to zero"):
        vectors.most_similar("rome", "rome")
    with pytest.raises(ParameterError, match="does not match 2 words"):
        firth.WordVectors.from_arrays(["a", "b"], np.eye(3))
    for counts in ([1], [1, -1]):
        with pytest.raises(ParameterError, match="'counts' parameter"):
            firth.WordVectors.from_arrays(["a", "b"], np.eye(2), counts)
    for words in (["a", "a"], ["a", ""]):
        with pytest.raises(InputError, match="distinct and not empty"):
            firth.WordVectors.from_arrays(words, np.eye(2))
    for matrix in (np.eye(2) * 1j, np.zeros((2, 0)), np.zeros(2)):
        with pytest.raises(ParameterError, match="does not match"):
            firth.WordVectors.from_arrays(["a", "b"], matrix)
    with pytest.raises(ParameterError, match="must be a str"):
        vectors.id(0)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="finite"):
        vectors.most_similar(np.full(3, np.nan))
    with pytest.raises(
        ParameterError, match="'counts' parameter of SpectralEmbedding.fit must be a Corpus"
    ):
        firth.SpectralEmbedding().fit(np.eye(3))
    assert list(vectors) == ["paris", "rome", "Bonn"]
    assert vectors.find("Paris") == {"Paris": 0}
    assert vectors.restrict("rome").words == ["rome"]
    accented = firth.WordVectors.from_arrays(["caf\u00e9"], [[1.0]])
    assert accented.id("cafe\u0301") == 0, "normal form C"
    for wrong in (np.nan, 1e40):  # the latter in single precision
        with pytest.raises(InputError, match="vector of b is not finite"):
            firth.WordVectors.from_arrays(["a", "b"], [[1, 2], [wrong, 1]])
    assert vectors.find(["PARIS", "bonn", "Bonn"]) == {"PARIS": 0, "bonn": None, "Bonn": 2}


def test_restrict_table_and_frame() -> None:
    vectors = random_vectors(6, 3)
    assert vectors.restrict(2).words == ["w0", "w1"]
    some = vectors.restrict(["w4", "w1", "w4"])
    assert some.words == ["w4", "w1"]
    assert np.array_equal(some["w1"], vectors["w1"])
    assert vectors.to_table().column_names == ["word", "count", "vector"]
    frame = vectors.to_frame()
    assert frame.loc["w3"].tolist() == pytest.approx(vectors["w3"].tolist())
    assert repr(vectors) == "<WordVectors of 6 words in 3 dimensions>"
    with pytest.raises(ParameterError):
        vectors.restrict(0)


@pytest.mark.parametrize("name", ["v.vec", "v.txt", "v.bin", "v.parquet", "v.npz"])
def test_files_of_other_programs(name: str, tmp_path: Path) -> None:
    vectors = random_vectors(6, 3, zeros=1)
    assert vectors.write(tmp_path / name) == 5
    again = firth.WordVectors.read(tmp_path / name)
    assert again.words == vectors.words[:5]
    assert np.array_equal(again.matrix, vectors.matrix[:5])
    with pytest.raises(ParameterError, match="cannot be inferred"):
        vectors.write(tmp_path / "v")
    assert vectors.write(tmp_path / "v", "glove") == 5


def test_saved_vectors_come_back_mapped(learned: Any, tmp_path: Path) -> None:
    _, vectors = learned
    vectors.save(tmp_path)
    again = load("vectors", tmp_path, vectors.made)
    assert again.words == vectors.words
    assert np.array_equal(again.matrix, vectors.matrix)
    assert again.singular_values is not None
    assert np.array_equal(again.singular_values, vectors.singular_values)
    assert is_mapped(again.matrix)
    assert again.unit is again.matrix, "no copy of vectors of unit length"
    assert again.projection is not None
    assert np.array_equal(again.projection.right, vectors.projection.right)


def test_turned_and_sliced_arrays_survive_saving(learned: Any, tmp_path: Path) -> None:
    _, vectors = learned
    turned = np.asfortranarray(vectors.matrix)[::2, ::-1]
    other = firth.WordVectors.from_arrays(vectors.words[::2], turned)
    odd = firth.WordVectors(other.vocabulary, turned)
    odd.save(tmp_path)
    again = load("vectors", tmp_path)
    assert np.array_equal(again.matrix, turned)
    assert again.singular_values is None


@pytest.mark.parametrize("name", ["vectors.f32", "values.f64", "margins.f64", "contexts.f32"])
def test_files_that_do_not_go_together_are_refused(learned: Any, tmp_path: Path, name: str) -> None:
    _, vectors = learned
    vectors.save(tmp_path)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-8])
    with pytest.raises(ModelError, match="The word vectors in .* cannot be used"):
        load("vectors", tmp_path, vectors.made)


def test_numbers_that_are_not_finite_are_refused(learned: Any, tmp_path: Path) -> None:
    _, vectors = learned
    broken = vectors.matrix.copy()
    broken[3, 3] = np.nan
    firth.WordVectors(vectors.vocabulary, broken).save(tmp_path)
    with pytest.raises(ModelError, match="out of range"):
        load("vectors", tmp_path)


# Folding in -------------------------------------------------------------------------------------


@pytest.mark.parametrize("contexts", ["bag3", "LR2", "R1", "-2,1", "bag3+LR2/8"])
@pytest.mark.parametrize("scale", ["cca", "ppmi", "none", "reg"])
def test_a_known_word_folded_in_gets_the_vector_it_has(contexts: str, scale: Any) -> None:
    lines = [line.split() for line in zipf_text(300, n_words=80).splitlines()]
    corpus = firth.Corpus.from_sentences(lines)
    for across_lines in (False, True):
        counts = firth.count(
            corpus,
            contexts,
            3,
            weights="distance" if "bag" in contexts else "none",
            across_lines=across_lines,
        )
        vectors = firth.SpectralEmbedding(10, scale=scale, beta=0.5, kappa=1.0).fit(counts).vectors_
        some = [word for word in vectors.words[::5] if vectors[word].any()]
        again = vectors.fold_in(corpus, some)
        for word in some:
            assert again[word] @ vectors[word] == pytest.approx(1, abs=1e-4)
    assert len(some) > 3


def test_folding_in_after_restricting(learned: Any, tmp_path: Path) -> None:
    corpus, vectors = learned
    some = vectors.restrict(vectors.words[3:40])
    again = some.fold_in(corpus, [some.words[5]])
    assert again[some.words[5]] @ some[some.words[5]] == pytest.approx(1, abs=1e-4)
    some.save(tmp_path)
    assert load("vectors", tmp_path, some.made).projection is None


def test_folding_in_a_piece_at_a_time(learned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, vectors = learned
    expected = vectors.fold_in(corpus, vectors.words[:30])
    monkeypatch.setattr("firth.vectors._projection._TOKENS_AT_ONCE", 100)
    assert np.array_equal(vectors.fold_in(corpus, vectors.words[:30]).matrix, expected.matrix)


def test_a_new_word_is_like_the_words_it_replaces(learned: Any) -> None:
    corpus, vectors = learned
    word = vectors.words[12]
    chance = random.Random(0)
    lines = [
        ["blorp" if w == word and chance.random() < 0.9 else w for w in sentence]
        for sentence in corpus.sentences()
    ]
    new = vectors.fold_in(lines)
    assert "blorp" in new
    assert not set(new.words) & set(vectors.words)
    assert vectors.most_similar(new["blorp"], n=1)[0].word == word
    assert vectors.fold_in(lines, min_count=10).words == ["blorp"]


def test_folding_in_what_is_not_there(learned: Any) -> None:
    corpus, vectors = learned
    with pytest.raises(InputError, match="no new words"):
        vectors.fold_in([vectors.words[:5]])
    with pytest.raises(WordError, match="'blorp' is not in the text"):
        vectors.fold_in(corpus, ["blorp"])
    assert not vectors.fold_in([["blorp"], ["blorp"]])["blorp"].any(), "no contexts, no vector"
    with pytest.raises(FirthError, match="were imported"):
        random_vectors(3, 2).fold_in([["a"]])


@pytest.mark.parametrize("contexts", ["bag3", "LR1", "R1", "bag3+LR2/8"])
def test_the_same_bytes_in_files_as_in_memory(
    contexts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.vectors._decomposition._DENSE", 10)
    monkeypatch.setattr("firth.store._room._SMALL", 0)
    lines = zipf_text(1500, n_words=600).splitlines()
    counts = firth.count(lines, contexts=contexts, min_count=1)
    embedding = firth.SpectralEmbedding(dim=20)
    usual = embedding.fit(counts).vectors_
    monkeypatch.setattr("firth.vectors._decomposition.parse_memory", lambda _: 0)
    small = embedding.fit(counts).vectors_
    assert is_mapped(small.matrix)
    assert not is_mapped(usual.matrix)
    assert small.matrix.tobytes() == usual.matrix.tobytes()
    assert np.array_equal(np.asarray(small.singular_values), np.asarray(usual.singular_values))
