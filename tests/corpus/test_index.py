"""The word index: positions against brute force, damage, the part of a model."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth import pipeline
from firth.compute import Engine
from firth.corpus import Corpus, Index, _index, build_index
from firth.errors import ModelError
from tests.conftest import zipf_text
from tests.loading import load

TEXT = "the cat sat\nthe dog sat on the mat\na cat\n"


def indexed(corpus: Corpus, folder: Path, threads: int = 2) -> Index:
    folder.mkdir(exist_ok=True)
    build_index(corpus, folder, engine=Engine(threads))
    found: Index = load("index", folder, needs={"corpus": corpus})
    return found


@settings(max_examples=60)
@given(
    sentences=st.lists(
        st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12), min_size=1, max_size=12
    ),
    at_once=st.sampled_from([1, 2, 7, 1 << 22]),
    room=st.sampled_from([5, 1 << 26]),
    threads=st.sampled_from([1, 3]),
)
def test_positions_of_every_word_against_brute_force(
    sentences: list[list[str]],
    at_once: int,
    room: int,
    threads: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    corpus = Corpus.from_sentences(sentences)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firth.corpus._index._AT_ONCE", at_once)
        patch.setattr("firth.corpus._index.parse_memory", lambda _: 8 * room)
        index = indexed(corpus, tmp_path_factory.mktemp("index"), threads)
    tokens = [word for sentence in sentences for word in sentence]
    for i, word in enumerate(corpus.vocabulary):
        assert index[i].tolist() == [at for at, other in enumerate(tokens) if other == word]


def test_the_index_of_a_longer_text(text_file: Callable[..., Path], tmp_path: Path) -> None:
    corpus = Corpus.from_files(text_file(zipf_text(800, 4)))
    index = indexed(corpus, tmp_path / "index")
    ids = np.asarray(corpus.ids)
    for i in range(corpus.n_types):
        assert np.array_equal(index[i], np.flatnonzero(ids == i))
    assert sum(len(index[i]) for i in range(corpus.n_types)) == corpus.n_tokens


@pytest.mark.parametrize(("n", "width"), [(1, 0), (4, 30), (1000, 100)])
@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.slow
def test_a_concordance_is_the_same_with_and_without(
    text_file: Callable[..., Path], tmp_path: Path, n: int, width: int, quick: bool
) -> None:
    corpus = Corpus.from_files(text_file(zipf_text(150, 2, 60)), text_file(TEXT, "other.txt"))
    index = indexed(corpus, tmp_path / "index")
    for word in corpus.vocabulary:
        with_index = corpus.find(word, n, width, index, quick)
        assert with_index == corpus.find(word, n, width, None, quick) == corpus.find(word, n, width)
        assert all(hit.original for hit in with_index)


def write(folder: Path, name: str, change: Callable[[bytearray], Any]) -> None:
    data = bytearray((folder / name).read_bytes())
    change(data)
    (folder / name).write_bytes(data)


def set_number(at: int, value: int, size: int) -> Callable[[bytearray], None]:
    def change(data: bytearray) -> None:
        data[at * size : (at + 1) * size] = value.to_bytes(size, "little", signed=value < 0)

    return change


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("starts.i64", set_number(0, 1, 8), "does not match the corpus"),
        ("starts.i64", set_number(1, 1, 8), "does not match the corpus"),
        ("starts.i64", set_number(1, -1, 8), "out of range"),
        ("starts.i64", set_number(6, 1 << 40, 8), "out of range"),
        ("starts.i64", lambda data: data.clear(), "size does not match"),
        ("starts.i64", lambda data: data.extend(bytes(8)), "size does not match"),
        ("starts.i64", lambda data: data.pop(), "not a multiple of 8"),
        ("positions.u32", set_number(3, 11, 4), "out of range"),
        ("positions.u32", set_number(3, (1 << 32) - 1, 4), "out of range"),
        ("positions.u32", lambda data: data.clear(), "size does not match"),
        ("positions.u32", lambda data: data.extend(bytes(4)), "size does not match"),
        ("positions.u32", lambda data: data.pop(), "not a multiple of 4"),
    ],
)
def test_damaged_files_are_refused(
    text_file: Callable[..., Path],
    tmp_path: Path,
    name: str,
    change: Callable[[bytearray], Any],
    message: str,
) -> None:
    corpus = Corpus.from_files(text_file(TEXT))
    assert (corpus.n_tokens, corpus.n_types) == (11, 7)
    folder = tmp_path / "index"
    folder.mkdir()
    build_index(corpus, folder)
    write(folder, name, change)
    with pytest.raises(ModelError, match=message):
        load("index", folder, needs={"corpus": corpus})


def test_the_index_does_not_depend_on_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = firth.Corpus.from_sentences([["a", "b", "a"], ["c", "a", "b", "d"]] * 5)
    folders = [tmp_path / "plain", tmp_path / "small"]
    for folder in folders:
        folder.mkdir()
        build_index(corpus, folder)
        monkeypatch.setattr(_index, "parse_memory", lambda _: 24)  # three positions at a time
    files = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
    assert len(files[0]) == 2
    assert files[0] == files[1]


def test_a_corpus_whose_counts_are_not_true_is_refused(tmp_path: Path) -> None:
    """The counts say how many places each word gets; nothing may be written beyond them."""
    corpus = firth.Corpus.from_sentences([["a", "b", "a"]])
    corpus.ids = np.array([1, 1, 1], np.uint32)
    with pytest.raises(firth.ModelError, match="more often than its count"):
        build_index(corpus, tmp_path)


def test_an_index_of_another_corpus_or_without_positions_is_refused(tmp_path: Path) -> None:
    ours = Corpus.from_sentences([["a", "b", "a"]])
    build_index(ours, tmp_path)
    for other in ([["a", "b", "b", "b"]], [["a", "b", "c"]], [["a", "a"]]):
        with pytest.raises(ModelError, match="The word index in .* cannot be used"):
            load("index", tmp_path, needs={"corpus": Corpus.from_sentences(other)})
    (tmp_path / "positions.u32").unlink()
    with pytest.raises(ModelError, match=r"no file .positions\.u32"):
        load("index", tmp_path, needs={"corpus": ours})


def learn(model: Path, text: Path) -> list[list[str]]:
    pipeline.learn_corpus(model, text, threads=1)
    return [pipeline.learn_index(model).changed for _ in range(2)]


def test_a_model_keeps_its_index(text_file: Callable[..., Path], tmp_path: Path) -> None:
    assert learn(tmp_path / "m", text_file(TEXT)) == [["index"], []], "not made twice"
    model = firth.load(tmp_path / "m")
    at = model.index[model.corpus.vocabulary.id("cat")]
    assert at.tolist() == [1, 10]
    file = model.parts["index"].path("positions.u32")
    write(file.parent, file.name, lambda data: data.reverse())
    with pytest.raises(ModelError, match="checksum"):
        firth.load(tmp_path / "m").index  # noqa: B018
    assert learn(tmp_path / "m", text_file(TEXT)) == [["index"], []], (
        "what is damaged is made again"
    )
    assert learn(tmp_path / "m", text_file(TEXT + "a new line\n")) == [["index"], []]
    with pytest.raises(ModelError, match="has no corpus"):
        pipeline.learn_index(tmp_path / "empty")
    assert not (tmp_path / "empty").exists()


def test_quick_shows_the_words_where_the_original_is_compressed(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = "“The  cat,” she said.\n"
    packed = Corpus.from_files(text_file(gzip.compress(text.encode()), "a.txt.gz"))
    plain = Corpus.from_files(text_file(text, "a.txt"))
    for corpus, is_original in ((packed, False), (plain, True)):
        index = indexed(corpus, tmp_path / f"index-{is_original}")
        (slow,) = corpus.find("cat", index=index)
        (quick,) = corpus.find("cat", index=index, quick=True)
        assert (slow.left, slow.right, slow.original) == ("“The  ", ",” she said.", True)
        assert quick.original is is_original
        assert (quick.place, quick.source, quick.sentence) == (
            slow.place,
            slow.source,
            slow.sentence,
        )
        if not is_original:
            assert (quick.left, quick.word, quick.right) == ("“ The ", "cat", " , ” she said .")


def test_quick_does_not_look_far_into_a_long_record(text_file: Callable[..., Path]) -> None:
    corpus = Corpus.from_files(text_file("near " + "x " * 5000 + "far\n"), split="none")
    assert corpus.find("near", quick=True)[0].original is True
    assert corpus.find("far")[0].original is True
    (hit,) = corpus.find("far", width=4, quick=True)
    assert (hit.left, hit.word, hit.right, hit.original) == ("x x ", "far", "", False)
