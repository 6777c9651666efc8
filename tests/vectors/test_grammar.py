"""Grammatical vectors: the matrix, the vectors, small and odd texts, commands, and models without them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.compute import ONE_THREAD, Engine
from firth.errors import InputError, ModelError, ParameterError
from firth.pipeline import learn_vectors
from firth.store import Checkpoint, Room
from firth.store import _room as store_room
from firth.vectors import GrammarParameters, default_dim, default_grammar_dim
from firth.vectors import _grammar as grammar
from firth.vectors import _grammar_contexts as contexts
from firth.vectors._grammar_contexts import GrammarContexts, spelling_matrix
from firth.vectors._panels import SparseMatrix
from firth.vectors._template import Template
from tests.oracles import grammatical as oracle

WORDS = [
    "The",
    "the",
    "cat",
    "Cat",
    "dog",
    "sat",
    "1999",
    "x-ray",
    "!",
    "Bob",
    "running",
    "sitting",
    "ab",
]
texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7), min_size=2, max_size=12)
LINES = [
    "the cat sees a dog",
    "a dog hears the cat",
    "the bird sees the dog",
    "a cat hears a bird",
] * 6


def matrix_of(counts: Any, corpus: firth.Corpus, classes: Any = None) -> Any:
    from scipy.sparse import csr_array

    spelling = spelling_matrix(list(counts.vocabulary), 6.0, 0.5)
    template = Template("sqrt", "cca", 1.0, 1.5, 0.0)
    indptr, indices, data, shape = GrammarContexts.of(counts, corpus).matrix(
        0.3, classes, spelling, template, ONE_THREAD, Room()
    )
    return csr_array((data, indices, indptr), shape=shape).toarray().astype(np.float64)


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(1, 3), st.booleans())
def test_the_matrix_is_that_of_the_formula(
    sentences: list[list[str]], min_count: int, with_classes: bool
) -> None:
    corpus = firth.Corpus.from_sentences(sentences)
    try:
        counts = firth.count(corpus, "LR2", min_count=min_count, threads=1)
    except InputError:
        return
    words = list(counts.vocabulary)
    classes = np.arange(len(words)) % 3 if with_classes else None
    found = matrix_of(counts, corpus, classes)
    expected = oracle.omega(
        oracle.table(sentences, words, 0.3, 6.0, 0.5, None if classes is None else list(classes)),
        words,
    )
    # the order of the columns is free: the inner products of rows do not depend on it
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)
    columns = [np.sort(np.linalg.norm(m, axis=0)) for m in (found, expected)]
    np.testing.assert_allclose(columns[0][columns[0] > 0], columns[1], atol=1e-6)


def test_the_vectors_are_those_of_the_formula() -> None:
    chance = np.random.default_rng(5)
    sentences = [[WORDS[i] for i in chance.integers(0, len(WORDS), 8)] for _ in range(80)]
    corpus = firth.Corpus.from_sentences(sentences)
    vectors = firth.GrammarEmbedding(dim=4).fit(corpus, min_count=1).vectors_
    first = oracle.vectors(
        oracle.omega(oracle.table(sentences, vectors.words, 0.3, 6, 0.5), vectors.words), 4, 1.5
    )
    classes = grammar._classes(first.astype(np.float32), ONE_THREAD)
    second = oracle.omega(
        oracle.table(sentences, vectors.words, 0.3, 6, 0.5, list(classes)), vectors.words
    )
    expected = oracle.vectors(second, 4, 1.5)
    np.testing.assert_allclose(vectors.matrix @ vectors.matrix.T, expected @ expected.T, atol=1e-5)


def test_large_matrices_give_the_same_bytes_for_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = np.random.default_rng(1)
    sentences = [[f"w{i}" for i in chance.zipf(1.4, 12) % 400] for _ in range(1500)]
    corpus = firth.Corpus.from_sentences(sentences)
    exact = firth.GrammarEmbedding(dim=5).fit(corpus, min_count=2).vectors_
    monkeypatch.setattr(grammar, "_DENSE", 10)
    monkeypatch.setattr(contexts, "_ENTRIES_AT_ONCE", 500)
    monkeypatch.setattr(store_room, "_SMALL", 1)
    counts = firth.count(corpus, "LR2", min_count=2)
    parameters = GrammarParameters(dim=5, tolerance=1e-4)
    one, two, mapped = (
        grammar.grammar_vectors(corpus, counts, parameters, Engine(n), Room(limit))
        for n, limit in ((1, None), (2, None), (2, 0))
    )
    assert one.matrix.tobytes() == two.matrix.tobytes() == mapped.matrix.tobytes()
    np.testing.assert_allclose(
        np.array(one.singular_values), np.array(exact.singular_values), rtol=1e-3
    )


class Always(Checkpoint):
    """Saves after every block."""

    @property
    def is_due(self) -> bool:
        return True


def test_interrupted_work_continues(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    corpus = firth.Corpus.from_sentences(
        [[f"w{i}" for i in chance.zipf(1.4, 12) % 400] for _ in range(1500)]
    )
    counts = firth.count(corpus, "LR2", min_count=2)
    monkeypatch.setattr(grammar, "_DENSE", 10)
    square, calls = SparseMatrix.square, 0
    last = 10**9

    def counted(self: SparseMatrix, block: Any, turned: bool) -> Any:
        nonlocal calls
        calls += 1
        if calls > last:
            raise KeyboardInterrupt
        return square(self, block, turned)

    monkeypatch.setattr(SparseMatrix, "square", counted)

    def learned(folder: Path | None) -> bytes:
        nonlocal calls
        calls = 0
        path = folder and folder / "some.state"
        vectors = grammar.grammar_vectors(
            corpus, counts, GrammarParameters(dim=5, tolerance=1e-4), Engine(2), None, Always(path)
        )
        return vectors.matrix.tobytes()

    expected = learned(None)
    all_calls = calls
    last = all_calls - 1  # in the second decomposition
    with pytest.raises(KeyboardInterrupt):
        learned(tmp_path)
    last = 10**9
    assert learned(tmp_path) == expected
    assert calls < all_calls / 2


def test_words_in_the_same_slots_are_similar_in_scripts_without_case() -> None:
    lines = ["猫 が 犬 を 見る", "犬 が 鳥 を 聞く", "鳥 が 猫 を 見る", "犬 が 猫 を 聞く"] * 5
    vectors = firth.GrammarEmbedding().fit([line.split() for line in lines]).vectors_
    near = {word: vectors.most_similar(word, n=1)[0].word for word in ("猫", "犬", "見る")}
    assert near["猫"] in {"犬", "鳥"}
    assert near["犬"] in {"猫", "鳥"}
    assert near["見る"] == "聞く"


def test_texts_that_are_too_small() -> None:
    with pytest.raises(InputError):
        firth.GrammarEmbedding().fit([["word"]], min_count=1)
    vectors = firth.GrammarEmbedding().fit([["word", "word"]], min_count=1).vectors_
    assert (len(vectors), vectors.dim) == (1, 1)
    with pytest.raises(InputError):
        firth.GrammarEmbedding().fit([["a", "b"]])  # too rare
    with pytest.raises(ParameterError, match="dim"):
        firth.GrammarEmbedding(dim=40).fit([["a", "b", "a"]], min_count=1)
    with pytest.raises(ParameterError, match="beta"):
        firth.GrammarEmbedding(beta=4).fit([["a", "b", "a"]], min_count=1)


def test_counts_must_fit() -> None:
    corpus = firth.Corpus.from_sentences([line.split() for line in LINES])
    with pytest.raises(ParameterError, match="LR2"):
        firth.GrammarEmbedding().fit(corpus, firth.count(corpus, "bag2"))
    other = firth.Corpus.from_sentences([["x", "y"] * 9])
    with pytest.raises(ParameterError, match="another text"):
        firth.GrammarEmbedding().fit(corpus, firth.count(other, "LR2"))


def test_the_number_of_dimensions_follows_the_vocabulary() -> None:
    assert [default_dim(n) for n in (1, 20, 455, 2990, 3000, 10**6)] == [1, 20, 45, 299, 300, 300]
    assert [default_grammar_dim(n) for n in (1, 20, 455, 10**6)] == [1, 19, 45, 50]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grammar")
    (folder / "t.txt").write_text("\n".join(LINES), encoding="utf-8")
    firth.learn(folder / "t.txt", folder / "m", classes=0, threads=1)
    return folder / "m"


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ran(request: pytest.FixtureRequest) -> Run:
    """Runs a command; returns its status and what it wrote."""
    command = request.getfixturevalue("firth")

    def run(*arguments: object) -> tuple[int, str, str]:
        result = command(*arguments)
        return result.status, result.out, result.err

    return run


def test_a_model_has_both_kinds(model: Path) -> None:
    opened = firth.load(model)
    assert opened.vectors_of("meaning") is opened.vectors
    assert opened.vectors_of("grammar") is opened.grammar_vectors
    assert opened.grammar_vectors.most_similar("cat", n=2)[0].word in {"dog", "bird"}
    with pytest.raises(ParameterError, match="kind"):
        opened.vectors_of("sound")
    assert learn_vectors(model, kind="grammar").changed == []
    with pytest.raises(firth.FirthError, match="new words"):
        opened.grammar_vectors.fold_in([["a", "new", "cat"]])


def test_commands_show_both_kinds(model: Path, ran: Run) -> None:
    _, out, _ = ran("similar", model, "cat")
    assert "goes with cat" in out
    assert "can replace cat" in out
    _, plain, _ = ran("similar", model, "cat", "--json")
    _, both, _ = ran("similar", model, "cat", "--kind", "both", "--json")
    assert json.loads(both)["meaning"] == json.loads(plain)
    _, one, _ = ran("similar", model, "cat", "--kind", "grammar", "--json")
    assert json.loads(both)["grammar"] == json.loads(one) != json.loads(plain)
    _, out, _ = ran("show", model, "cat")
    assert "can replace it" in out
    _, out, _ = ran("show", model, "cat", "--json")
    assert "can_replace" not in json.loads(out)
    _, out, _ = ran("show", model, "cat", "--kind", "both", "--json")
    assert {"similar", "can_replace"} <= json.loads(out).keys()


def test_export_writes_the_kind_that_is_asked_for(model: Path, tmp_path: Path, ran: Run) -> None:
    for kind in ("meaning", "grammar"):
        ran("export", model, "--kind", kind, "-o", tmp_path / f"{kind}.txt")
        written = firth.WordVectors.read(tmp_path / f"{kind}.txt")
        expected = firth.load(model).vectors_of(kind).matrix
        np.testing.assert_allclose(written.matrix, expected, atol=1e-5)
    ran("export", model, "--kind", "both", "-o", tmp_path / "both.txt")
    both, opened = firth.WordVectors.read(tmp_path / "both.txt"), firth.load(model)
    kinds = [opened.vectors_of(kind) for kind in ("meaning", "grammar")]
    assert both.dim == sum(vectors.dim for vectors in kinds)
    mean = np.mean([vectors.similarity("cat", "dog") for vectors in kinds])
    assert both.similarity("cat", "dog") == pytest.approx(mean, abs=1e-5)
    status, _, error = ran(
        "export", tmp_path / "both.txt", "--kind", "both", "-o", tmp_path / "x.txt"
    )
    assert status
    assert "--kind both is for models" in error
    none = firth.WordVectors.from_arrays(["zebra"], np.ones((1, 2)))
    with pytest.raises(firth.FirthError, match="no words in common"):
        kinds[0].beside(none)


def test_vectors_side_by_side_have_the_words_of_both() -> None:
    one = firth.WordVectors.from_arrays(["a", "b", "c"], np.eye(3), [5, 4, 3])
    other = firth.WordVectors.from_arrays(["c", "x", "a"], np.array([[2.0, 0], [0, 1], [0, 3]]))
    both = one.beside(other)
    assert (both.words, both.counts.tolist()) == (["a", "c"], [5, 3])
    expected = np.array([[1, 0, 0, 0, 1], [0, 0, 1, 1, 0]]) / np.sqrt(2)
    np.testing.assert_allclose(both.matrix, expected, atol=1e-6)


def test_options_of_the_other_kind_are_refused(model: Path, ran: Run) -> None:
    status, _, error = ran("vectors", "learn", model, "--kind", "grammar", "--alpha", "0.5")
    assert status == 2
    assert "--alpha" in error


def test_a_model_without_them_opens_and_names_the_command(tmp_path: Path, ran: Run) -> None:
    (tmp_path / "t.txt").write_text("\n".join(LINES), encoding="utf-8")
    model = tmp_path / "m"
    learn_vectors(model, tmp_path / "t.txt", threads=1)
    with pytest.raises(ModelError, match="no grammatical vectors") as error:
        firth.load(model).vectors_of("grammar")
    assert f"firth vectors learn {model} --kind grammar" in str(error.value.hint)
    _, out, _ = ran("similar", model, "cat")
    assert "can replace" not in out
    status, _, message = ran("similar", model, "cat", "--kind", "grammar")
    assert status
    assert "--kind grammar" in message
    assert learn_vectors(model, kind="grammar", threads=1).changed == ["grammar_vectors"]
    assert "grammar_vectors" not in firth.learn(tmp_path / "t.txt", tmp_path / "none", dim=0)
