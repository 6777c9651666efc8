"""Vectors guessed from spelling: n-grams, ridge regression, and export as a model of fastText."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.compute import ONE_THREAD, engine_for
from firth.corpus import Vocabulary
from firth.errors import FirthError, InputError, ModelError, WordError
from firth.maps import WordMap, regions_of
from firth.pipeline import learn_vectors
from firth.vectors import _guesser
from firth.vectors._guesser import GUESSES, Guesser, learn_guesser, mix, ngrams_of
from tests.oracles import ngrams as oracle

SYLLABLES = ("ba", "ko", "mi", "né", "ру", "日本", "sti", "lan")


def some_words(n: int, seed: int = 0) -> list[str]:
    found: dict[str, None] = {}
    rng = np.random.default_rng(seed)
    while len(found) < n:
        found["".join(rng.choice(SYLLABLES, rng.integers(1, 5)))] = None
    return list(found)


def some_vectors(n: int = 200, dim: int = 7, seed: int = 0) -> firth.WordVectors:
    rng = np.random.default_rng(seed)
    counts = np.sort(rng.integers(1, 300, n))[::-1].tolist()
    matrix = rng.standard_normal((n, dim))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return firth.WordVectors.from_arrays(some_words(n, seed), matrix, counts)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=5))
def test_ngrams_are_those_of_fasttext(words: list[str]) -> None:
    found = ngrams_of(words, 1 << 10)
    for i, word in enumerate(words):
        hashes = found.hashes[found.starts[i] : found.starts[i + 1]]
        assert hashes.tolist() == [oracle.fnv1a(one) for one in oracle.ngrams(word)]
    assert found.buckets.tolist() == [h % 1024 for h in found.hashes.tolist()]


def test_hashes_are_those_of_gensim() -> None:
    inner = pytest.importorskip("gensim.models.fasttext_inner", reason="gensim is not installed")
    for text in ("<the", "é>", "日本語", "🦜🦜🦜"):
        assert inner.ft_hash_bytes(text.encode()) == oracle.fnv1a(text)


@pytest.mark.parametrize("penalty", [0.5, 0.02])
def test_regression_is_that_of_the_normal_equations(
    monkeypatch: pytest.MonkeyPatch, penalty: float
) -> None:
    monkeypatch.setattr(_guesser, "_ENOUGH", 0.0)
    vectors = some_vectors(60, 3)
    weights = np.random.default_rng(1).uniform(0, 2, 60).astype(np.float32)
    weights[5] = 0
    ngrams = ngrams_of(vectors.words, 256)
    coefficients, table = _guesser._fit(
        ngrams, ngrams.norms, vectors.matrix, weights, penalty, 3000
    )
    x = oracle.features(vectors.words, 256)
    expected = oracle.ridge(x, vectors.matrix.astype(np.float64), weights, penalty)
    np.testing.assert_allclose(table, expected, atol=2e-4)
    np.testing.assert_allclose(x.T @ coefficients, expected, atol=2e-4)
    np.testing.assert_allclose(ngrams.norms, (x**2).sum(axis=1), rtol=1e-5)


def test_a_guess_is_the_mean_over_ngrams() -> None:
    vectors = some_vectors()
    guesser = vectors.require_guesser(1)
    table = np.vstack(list(guesser.table()))
    assert len(table) == guesser.n_buckets
    x = oracle.features(["komiba", "日本né", "lan"], guesser.n_buckets)
    np.testing.assert_allclose(vectors.guesses(["komiba", "日本né", "lan"]), x @ table, atol=1e-5)
    known = oracle.features(vectors.words, guesser.n_buckets)
    expected = known.T @ guesser.coefficients + guesser.mean
    np.testing.assert_allclose(table, expected, atol=1e-4)


def test_rare_words_and_very_frequent_ones_have_less_weight() -> None:
    counts = np.array([90_000.0, 10_000.0, 100.0, 5.0, 0.0])
    expected = (
        [np.sqrt(1e-4 * 100_105 / c) if c > 10 else 1.0 for c in counts] * counts / (counts + 5)
    )
    np.testing.assert_allclose(_guesser._weights(counts), expected)
    assert _guesser._weights(np.zeros(3)).tolist() == [1, 1, 1], "imported vectors have no counts"


def test_vectors_that_follow_from_spelling_are_recovered() -> None:
    """The vectors of words never seen, where vectors are means over n-grams indeed."""
    rng = np.random.default_rng(0)
    words = some_words(1500)
    rows: dict[str, Any] = {}
    for word in words:
        for one in oracle.ngrams(word):
            rows.setdefault(one, rng.standard_normal(8))
    matrix = [np.mean([rows[one] for one in oracle.ngrams(word)], axis=0) for word in words]
    learned = firth.WordVectors.from_arrays(words[:1200], np.array(matrix[:1200]))
    found = learned.guesses(words[1200:])
    truth = np.array(matrix[1200:])
    cosines = (found * truth).sum(axis=1) / np.linalg.norm(found, axis=1)
    assert np.mean(cosines / np.linalg.norm(truth, axis=1)) > 0.8
    by_chance = some_vectors(1200, 8).guesses(words[1200:])
    assert abs(np.mean((by_chance * truth).sum(axis=1))) < 0.05


def test_the_same_bytes_for_any_number_of_threads() -> None:
    vectors = some_vectors(150, 70)
    found = {
        threads: learn_guesser(vectors.vocabulary, vectors.matrix, engine_for("x", threads))
        for threads in (1, 2, 3)
    }
    for guesser in found.values():
        assert guesser.coefficients.tobytes() == found[1].coefficients.tobytes()
        assert guesser.mean.tobytes() == found[1].mean.tobytes()


def test_words_without_known_ngrams_are_an_error() -> None:
    vectors = some_vectors()
    for word in ("xxxx", "", "\ud800"):
        with pytest.raises(WordError, match="no three letters of it occur") as caught:
            vectors.guess(word)
        assert caught.value.word == word
    assert vectors.guess("bakoxxxx").shape == (7,)
    assert len(vectors.guesses([])) == 0


def test_words_of_zeros_and_few_words() -> None:
    zero = firth.WordVectors.from_arrays(["aba", "bab"], np.zeros((2, 3)))
    assert zero.guess("abab").tolist() == [0, 0, 0]
    one = firth.WordVectors.from_arrays(["aba"], np.array([[0.0, 1.0]]))
    assert one.guess("abab") @ [0, 1] > 0.9
    large = firth.WordVectors.from_arrays(["aba", "cab"], np.array([[3e38, 1], [-3e38, 1]]))
    with pytest.raises(FirthError, match="the vectors are too large"):
        large.guess("abab")


def test_neighbours_of_a_guess() -> None:
    vectors = some_vectors()
    with pytest.raises(WordError):
        vectors.neighbours(["komibako"])
    word = "komibaxx"
    unit = vectors.guess(word) / np.linalg.norm(vectors.guess(word))
    known = vectors.words[3]
    one, other = vectors.neighbours([word, known], 5, guess=True)
    assert [near.word for near in one] == [near.word for near in vectors.most_similar(unit, n=5)]
    alone = vectors.neighbours([known], 5)[0]
    assert [near.word for near in other] == [near.word for near in alone]
    again = vectors.most_similar([word], n=5, guess=True)
    assert [near.word for near in again] == [near.word for near in one]
    both = vectors.most_similar([word, known], n=5, guess=True)
    expected = vectors.most_similar(unit + vectors.unit[3], n=6)
    assert [near.word for near in both] == [near.word for near in expected if near.word != known][
        :5
    ]


# In a model --------------------------------------------------------------------------------------

TEXT = "the walker walks and the talker talks\na talking walker walked\nthe talk walks on\n" * 6


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guesses")
    (folder / "t.txt").write_text(TEXT, encoding="utf-8")
    how: dict[str, Any] = {"preset": "similarity", "min_count": 1, "threads": 1}
    firth.learn(folder / "t.txt", folder / "m", dim=3, classes=0, **how)
    return folder / "m"


def test_models_have_what_guesses_need(model: Path) -> None:
    vectors = firth.load(model).vectors
    assert GUESSES in firth.load(model).parts["vectors"].files
    stored = vectors.guess("walking")
    learned = learn_guesser(vectors.vocabulary, vectors.matrix, engine_for("x", 2))
    assert learned.guess(["walking"])[0][0].tobytes() == stored.tobytes()
    assert vectors.restrict(3).guess("walking").tobytes() == stored.tobytes()


def test_older_vectors_guess_too(model: Path, tmp_path: Path) -> None:
    vectors = firth.load(model).vectors
    older = firth.WordVectors(vectors.vocabulary, vectors.matrix)
    older.save(tmp_path)
    assert not (tmp_path / GUESSES).exists()
    assert older.guess("walking").tobytes() == vectors.guess("walking").tobytes()


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e9, "short"])
def test_damaged_guesses_are_refused(model: Path, tmp_path: Path, wrong: Any) -> None:
    from tests.loading import load

    part = firth.load(model).parts["vectors"]
    shutil.copytree(part.folder, tmp_path / "v")
    rows = np.fromfile(tmp_path / "v" / GUESSES, "<f4")
    if wrong == "short":
        rows = rows[:-3]
    else:
        rows[4] = wrong
    rows.tofile(tmp_path / "v" / GUESSES)
    with pytest.raises(ModelError, match=GUESSES):
        load("vectors", tmp_path / "v", part.parameters)


# As models of fastText ---------------------------------------------------------------------------


def written(vectors: firth.WordVectors) -> bytes:
    file = io.BytesIO()
    assert vectors.write(file, "fasttext") == len(vectors)
    return file.getvalue()


def test_a_model_of_fasttext_has_the_same_vectors() -> None:
    vectors = some_vectors()
    read = oracle.FastText(written(vectors))
    assert list(read.counts) == vectors.words
    assert list(read.counts.values()) == vectors.counts.tolist()
    assert read.n_tokens == vectors.counts.sum()
    assert read.output.shape == vectors.matrix.shape
    assert not read.output.any()
    for word in vectors.words:
        np.testing.assert_allclose(read.vector(word), vectors[word], atol=1e-6)
    for word in ("komibako", "日本日本x", "a"):
        guess = vectors.require_guesser().guess([word])[0][0]
        np.testing.assert_allclose(read.vector(word), guess, atol=1e-6)
    few = oracle.FastText(written(vectors.restrict(5)))
    np.testing.assert_allclose(few.vector("komibako"), vectors.guess("komibako"), atol=1e-6)


def test_gensim_reads_a_model_of_fasttext(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("gensim.models.fasttext", reason="gensim is not installed")
    vectors = some_vectors()
    vectors.write(tmp_path / "v.bin", "fasttext")
    for read in (
        fasttext.load_facebook_vectors(str(tmp_path / "v.bin")),
        fasttext.load_facebook_model(str(tmp_path / "v.bin")).wv,
    ):
        assert read.index_to_key == vectors.words
        np.testing.assert_allclose([read[w] for w in vectors.words], vectors.matrix, atol=1e-6)
        np.testing.assert_allclose(read["komibako"], vectors.guess("komibako"), atol=1e-6)


def test_what_fasttext_cannot_hold(tmp_path: Path) -> None:
    spaced = firth.WordVectors.from_arrays(["a b"], np.ones((1, 2)))
    with pytest.raises(InputError, match="cannot hold the word"):
        spaced.write(tmp_path / "v.bin", "fasttext")
    (tmp_path / "v.bin").write_bytes(written(some_vectors(5)))
    with pytest.raises(InputError, match="is a binary model of fastText"):
        firth.WordVectors.read(tmp_path / "v.bin")


def test_the_guesser_of_other_words_is_not_saved(tmp_path: Path) -> None:
    vectors = some_vectors()
    vectors.require_guesser()
    vectors.restrict(5).save(tmp_path)
    assert not (tmp_path / GUESSES).exists()
    empty = Guesser(Vocabulary(vectors.vocabulary.words[:0], vectors.counts[:0]), vectors.matrix[:0],
                    np.zeros(7, np.float32))  # fmt: skip
    assert empty.guess(["komi"])[1].tolist() == [False]


# Mixed into vectors ------------------------------------------------------------------------------


@given(
    counts=st.lists(st.integers(0, 10**9), min_size=1, max_size=30),
    half=st.floats(1e-3, 1e9),
    seed=st.integers(0, 100),
)
def test_mixing_is_that_of_the_oracle(counts: list[int], half: float, seed: int) -> None:
    vectors = some_vectors(60, seed=seed)
    guesser = learn_guesser(vectors.vocabulary, vectors.matrix, ONE_THREAD)
    words = vectors.words[-len(counts) :]
    matrix = np.array(vectors.matrix[-len(counts) :])
    matrix[::7] = 0
    before = matrix.copy()
    words[-1] = "xyz"  # unlike all others
    guesses = guesser.guess(words)[0]
    named = Vocabulary(pa.array(words, pa.large_string()), np.array(counts, np.int64))
    mix(matrix, named, guesser, half, ONE_THREAD)
    assert np.array_equal(matrix[-1], before[-1])
    for k, count in enumerate(counts[:-1]):
        expected = oracle.mixed(before[k].tolist(), guesses[k].tolist(), count, half)
        np.testing.assert_allclose(matrix[k], expected, atol=1e-5)


def test_a_word_is_half_a_guess_where_it_is_said() -> None:
    vector, guess = [1.0, 0.0], [0.0, 1.0]
    assert oracle.mixed(vector, guess, 60, 60) == pytest.approx([0.5**0.5, 0.5**0.5])
    assert oracle.mixed(vector, guess, 0, 60) == pytest.approx(guess)


def test_guesses_are_mixed_into_vectors_of_rare_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = firth.Corpus.from_sentences([line.split() for line in TEXT.splitlines()])
    counts = firth.count(corpus, "bag3+LR1/4", 1, weights="distance")
    plain, mixed = (
        firth.SpectralEmbedding(3, spelling=k, threads=1).fit(counts).vectors_ for k in (0, 12)
    )
    guesses = plain.guesses(plain.words)
    for i, word in enumerate(plain.words):
        expected = oracle.mixed(plain[word].tolist(), guesses[i].tolist(), plain.counts[i], 12)
        np.testing.assert_allclose(mixed[word], expected, atol=1e-5)
    assert mixed.guess("walking").tobytes() == plain.guess("walking").tobytes()
    assert mixed.made["spelling"] == 12
    assert "spelling" not in plain.made, "so that older models stay current"
    assert "spelling 12" in mixed.summary()[1]
    again = mixed.fold_in(corpus, mixed.words)
    for word in mixed.words:
        np.testing.assert_allclose(again[word], mixed[word], atol=1e-4)
    monkeypatch.setattr(_guesser, "_GUESSED", 2)
    few = firth.SpectralEmbedding(3, spelling=12, threads=2).fit(counts).vectors_
    assert few.matrix.tobytes() == mixed.matrix.tobytes()


def test_vectors_by_contexts_are_those_of_the_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = some_vectors(60)
    assert np.array_equal(plain.by_contexts(np.arange(9)), plain.unit[:9])
    guesser = learn_guesser(plain.vocabulary, plain.matrix, ONE_THREAD)
    matrix = np.array(plain.matrix)
    matrix[7] = 0
    mixed = firth.WordVectors(plain.vocabulary, matrix, made={"spelling": 60.0}, guesser=guesser)
    rows = np.array([41, 3, 7, 20])
    found, guesses = mixed.by_contexts(rows), guesser.guess([mixed.words[i] for i in rows])[0]
    for k, i in enumerate(rows.tolist()):
        expected = (
            oracle.unmixed(matrix[i].tolist(), guesses[k].tolist(), mixed.counts[i], 60)
            if i != 7
            else [0] * 7
        )
        np.testing.assert_allclose(found[k], expected, atol=1e-5)
    assert not np.allclose(found[0], matrix[41], atol=0.01)
    monkeypatch.setattr(_guesser, "_GUESSED", 3)
    assert mixed.by_contexts(rows, 2).tobytes() == found.tobytes()


def test_a_map_has_words_near_each_other_that_go_together_not_that_are_spelled_alike() -> None:
    """Two topics of words with two endings; the guesses know the ending alone."""
    words = [f"{a}{b}{end}" for end in ("komisti", "landédé") for a in SYLLABLES for b in SYLLABLES]
    topic, ending = np.arange(len(words)) % 2, np.arange(len(words)) * 2 // len(words)
    own = np.eye(4)[topic] + 0.05 * np.random.default_rng(0).standard_normal((len(words), 4))
    guesses = np.eye(4)[2 + ending]
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    mixed = np.array(
        [oracle.mixed(v, g, 10, 60) for v, g in zip(own.tolist(), guesses.tolist(), strict=True)]
    )
    counts = [10] * len(words)
    targets = firth.WordVectors.from_arrays(words, guesses, counts)
    guesser = learn_guesser(targets.vocabulary, targets.matrix, ONE_THREAD)
    found = firth.WordVectors.from_arrays(words, mixed, counts)
    assert purity(WordMap.learn(found).positions, ending) == 1, "what it looks like otherwise"
    found.made, found.guesser = {"spelling": 60.0}, guesser
    drawn = WordMap.learn(found)
    assert purity(drawn.positions, topic) > 0.95
    groups = regions_of(drawn, found).of_word
    assert sum(np.bincount(topic[groups == k]).max() for k in set(groups)) > 0.95 * len(words)


def purity(positions: Any, kinds: Any) -> float:
    """The share of words whose nearest neighbour is of the same kind."""
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.mean(kinds[apart.argmin(axis=1)] == kinds))


def test_new_words_have_vectors_of_the_same_kind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A word that occurs once is nearly what its spelling says, also when the model is opened again."""
    (tmp_path / "text.txt").write_text(TEXT)
    made = firth.learn(tmp_path / "text.txt", tmp_path / "m", min_count=1, classes=0)
    assert made.vectors.made["spelling"] == 0, "there are few words"
    assert "Guesses from spelling are left out" in caplog.text
    made = learn_vectors(tmp_path / "m", spelling=60)
    text = [["walkings", *TEXT.split()[:4]]]
    found = made.vectors.fold_in(text, ["walkings"])["walkings"]
    guess = made.vectors.guess("walkings")
    assert found @ guess / np.linalg.norm(guess) > 0.95
    opened = firth.load(tmp_path / "m").vectors
    assert opened.projection is not None
    assert opened.projection.spelling == 60
    assert np.array_equal(opened.fold_in(text, ["walkings"])["walkings"], found)


def test_guesses_are_mixed_in_by_default_if_there_are_enough_words(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(" ".join(f"w{i % 1200}" for i in range(12_000)))
    made = firth.learn(tmp_path / "text.txt", tmp_path / "m", dim=2, classes=0).vectors
    opened = firth.load(tmp_path / "m").vectors
    assert made.made["spelling"] == opened.made["spelling"] == 60
    assert made.projection is not None
    assert made.projection.spelling == 60
