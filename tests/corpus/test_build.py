"""Reading into a corpus: the oracle, and the same bytes whatever the threads, files and blocks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.compute import Engine
from firth.corpus import Reading, _blocks, _build, find_sources
from firth.corpus._reading import ENDS, IDS, PLACES, WORDS
from firth.errors import InputError, ParameterError
from tests import strategies
from tests.conftest import zipf_text
from tests.oracles import corpus as oracle


def check(corpus: firth.Corpus, expected: list[list[str]]) -> None:
    words = oracle.vocabulary(expected)
    assert [
        (w, int(c)) for w, c in zip(corpus.vocabulary, corpus.vocabulary.counts, strict=True)
    ] == words
    ids = {word: i for i, (word, _) in enumerate(words)}
    assert corpus.ids.tolist() == [ids[word] for sentence in expected for word in sentence]
    assert corpus.ends.tolist() == np.cumsum([len(sentence) for sentence in expected]).tolist()
    assert list(corpus.sentences()) == expected


@settings(max_examples=150)
@given(
    text=strategies.texts,
    tokens=st.sampled_from(["words", "whitespace", "characters"]),
    split=st.sampled_from(["lines", "sentences", "none"]),
    lowercase=st.booleans(),
    digits=st.sampled_from(["keep", "zero"]),
    threads=st.sampled_from([1, 2]),
)
@pytest.mark.slow
def test_corpus_is_that_of_the_oracle(
    text: str, tokens: Any, split: Any, lowercase: bool, digits: Any, threads: int
) -> None:
    text = text.lstrip("\ufeff")  # a byte order mark is no text
    expected = oracle.sentences(text, tokens, split, lowercase, digits == "zero")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(text.encode())

        def read() -> firth.Corpus:
            return firth.Corpus.from_files(
                path,
                tokens=tokens,
                split=split,
                lowercase=lowercase,
                digits=digits,
                threads=threads,
            )

        if expected:
            check(read(), expected)
        else:
            with pytest.raises(InputError, match="There are no words"):
                read()


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=5),
        min_size=1,
        max_size=8,
    )
)
def test_sentences_may_hold_any_word(sentences: list[list[str]]) -> None:
    expected = [[oracle.fold(w, False, False) for w in s] for s in sentences if s]
    if expected:
        check(firth.Corpus.from_sentences(sentences), expected)


def contents(
    folder: Path, *inputs: Path, threads: int = 1, reading: Reading | None = None
) -> list[bytes]:
    folder.mkdir()
    _build.build(find_sources(inputs), reading or Reading(), folder, Engine(threads))
    return [(folder / name).read_bytes() for name in (IDS, ENDS, PLACES, WORDS)]


@pytest.mark.parametrize("split", ["lines", "sentences"])
def test_same_bytes_for_any_threads_files_and_blocks(
    split: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = zipf_text(3000).splitlines(keepends=True)
    whole = tmp_path / "whole.txt"
    whole.write_text("".join(lines))
    pieces = []
    for k in range(10):
        pieces.append(tmp_path / f"piece{k}.txt")
        pieces[-1].write_text("".join(lines[k * 300 : (k + 1) * 300]))
    reading = Reading(split=split)
    expected = contents(tmp_path / "a", whole, reading=reading)
    assert contents(tmp_path / "b", whole, threads=2, reading=reading) == expected
    assert contents(tmp_path / "c", *pieces, reading=reading) == expected
    assert contents(tmp_path / "d", *pieces, threads=2, reading=reading) == expected
    monkeypatch.setattr(_blocks, "BLOCK", 1000)
    assert contents(tmp_path / "e", whole, threads=2, reading=reading) == expected


def test_very_long_lines_are_read_in_pieces(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_blocks, "BLOCK", 64)
    monkeypatch.setattr(_blocks, "PIECE", 256)
    long = " ".join(f"w{i % 37}" for i in range(2000))
    text = f"short one\n{long}\n\nanother\n{long}"
    expected = [line.split() for line in text.split("\n") if line]
    corpus = firth.Corpus.from_files(text_file(text), tokens="whitespace", threads=2)
    check(corpus, expected)
    places = [0, 10, 10 + len(long) + 2, 10 + len(long) + 10]
    assert corpus.places.tolist() == places
    monkeypatch.setattr(_blocks, "BLOCK", 50)  # pieces are counted from the start of the line
    check(firth.Corpus.from_files(text_file(text), tokens="whitespace"), expected)


def test_a_line_without_spaces_is_an_error_or_cut_between_characters(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_blocks, "BLOCK", 1 << 13)
    monkeypatch.setattr(_blocks, "PIECE", 1 << 13)
    path = text_file("a b\n" + "漢字\u0301" * 5000 + "\nc")
    with pytest.raises(InputError, match=r"line 2: more than .* without a space") as error:
        firth.Corpus.from_files(path)
    assert "--tokens characters" in str(error.value.hint)
    corpus = firth.Corpus.from_files(path, tokens="characters")
    assert corpus.n_sentences == 3
    assert corpus.sentence(1) == ["漢", "字\u0301"] * 5000


@pytest.mark.parametrize("line", ["é" * 100, "naïve café"])
def test_places_survive_replaced_bytes(line: str, text_file: Callable[..., Path]) -> None:
    data = b"ok\n" + b"bad \xff\xfe here\n" + line.encode() + b"\n" + b"last \xe9\n"
    corpus = firth.Corpus.from_files(text_file(data), errors="replace")
    starts = [0, 3, 3 + 12, 3 + 12 + len(line.encode()) + 1]
    assert corpus.places.tolist() == starts
    assert corpus.sentence(1)[:2] == ["bad", "\ufffd"]


def test_places_ascend_even_where_bytes_were_replaced(text_file: Callable[..., Path]) -> None:
    data = b"\xff" * 60 + b" One. Two. \xff\xff Three.\nFour. Five.\n"
    corpus = firth.Corpus.from_files(text_file(data), errors="replace", split="sentences")
    places = corpus.places.tolist()
    assert places == sorted(places)
    assert corpus.places[-2] == data.index(b"Four")
    assert [hit.word for hit in corpus.find("Two")] == ["Two"]


def test_a_byte_order_mark_and_carriage_returns_are_no_text(text_file: Callable[..., Path]) -> None:
    corpus = firth.Corpus.from_files(text_file(b"\xef\xbb\xbfa b\r\nc\r\n"), tokens="whitespace")
    assert list(corpus.sentences()) == [["a", "b"], ["c"]]
    assert corpus.places.tolist() == [3, 8]


def test_normal_form_c_and_folding_merge_types(text_file: Callable[..., Path]) -> None:
    path = text_file("Caf\u00e9 cafe\u0301 CAFÉ 12 ٣٤ 99\n")
    corpus = firth.Corpus.from_files(path, lowercase=True, digits="zero")
    assert corpus.vocabulary.words.to_pylist() == ["00", "café"]
    assert corpus.vocabulary.counts.tolist() == [3, 3]


def test_phrases_are_found_with_spaces() -> None:
    """As a person types them; no word contains a space."""
    vocabulary = firth.Corpus.from_sentences([["in", "New_York"], ["a_b"]]).vocabulary
    assert vocabulary.id("New York") == vocabulary.id("New_York")
    assert vocabulary.find_all(["New York", "a b", "a  b", "York New"]) == [
        vocabulary.id("New_York"), vocabulary.id("a_b"), None, None,
    ]  # fmt: skip


def test_vocabulary_order_prefix_and_lookup() -> None:
    corpus = firth.Corpus.from_sentences([["b", "b", "a", "a", "c", "\U0001f600", "é", "zz"]])
    vocabulary = corpus.vocabulary
    assert list(vocabulary) == ["a", "b", "c", "zz", "é", "\U0001f600"]
    assert [vocabulary.n_kept(m) for m in (1, 2, 3)] == [6, 2, 0]
    assert vocabulary.n_kept(1, 4) == 4
    assert vocabulary.find("zz") == 3
    assert vocabulary.find("no") is None
    assert vocabulary.find("\ud800") is None
    assert vocabulary.find_all(["zz", "no", "\ud800", "zz"]) == [3, None, None, 3]
    assert "a" in vocabulary
    assert 3 not in vocabulary
    with pytest.raises(firth.WordError, match="'A' is not in the corpus") as error:
        vocabulary.id("A")
    assert error.value.hint == "There is 'a'."
    assert vocabulary.ids(["é", "no"]) == [4, None]
    assert vocabulary.find("é") == 4  # now from the dictionary


def test_wrong_sentences_are_refused() -> None:
    with pytest.raises(ParameterError, match="not one string"):
        firth.Corpus.from_sentences(["a b"])
    with pytest.raises(ParameterError, match="non-empty str. Got ''"):
        firth.Corpus.from_sentences([["a", ""]])
    with pytest.raises(ParameterError, match="lone surrogate"):
        firth.Corpus.from_sentences([["\ud800"]])
    with pytest.raises(InputError, match="There are no words"):
        firth.Corpus.from_sentences([])


def test_many_new_words_make_the_lexicon_grow(text_file: Callable[..., Path]) -> None:
    words = [f"word{i}" for i in range(60_000)] + [
        "a-word-of-more-than-fifteen-letters-" + str(i) for i in range(9000)
    ]
    corpus = firth.Corpus.from_files(text_file("\n".join(words)), tokens="whitespace")
    assert corpus.n_types == len(words)
    assert set(corpus.vocabulary) == set(words)


def test_unspaced_script_is_noticed(
    text_file: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    firth.Corpus.from_files(text_file("今日は天気がいいですね。明日はどうでしょうか。\n" * 3))
    assert "no spaces between words" in caplog.text


def test_tags_in_records_are_noticed(caplog: pytest.LogCaptureFixture) -> None:
    plain = ["He said 1 < 2, and 3 > 2, and/or 4 < 5.", "a -> b <- c"] * 5
    firth.Corpus.from_texts(plain)
    assert not caplog.text
    firth.Corpus.from_texts(["<p>Hello <b>world</b></p>"] * 3)
    assert "tags of HTML or XML: < occurs 12 times" in caplog.text


def test_golden_corpus_that_a_person_can_follow(text_file: Callable[..., Path]) -> None:
    corpus = firth.Corpus.from_files(text_file("The cat sat.\nA cat sat, the dog didn't.\n"))
    #   .  cat  sat   ,  A  The  did  dog  n't  the      counts 2 2 2 1 1 1 1 1 1 1
    assert list(corpus.vocabulary) == [
        ".",
        "cat",
        "sat",
        ",",
        "A",
        "The",
        "did",
        "dog",
        "n't",
        "the",
    ]
    assert corpus.ids.tolist() == [5, 1, 2, 0, 4, 1, 2, 3, 9, 7, 6, 8, 0]
    assert corpus.ends.tolist() == [4, 13]
    assert corpus.places.tolist() == [0, 13]
    assert repr(corpus) == "<Corpus of 13 tokens, 10 types, 2 sentences>"
    assert corpus.coverage(3) == 6 / 13
