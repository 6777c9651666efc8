"""Text in every form that estimators accept, and the options of reading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.corpus import Corpus, Reading
from firth.errors import InputError, ParameterError

TEXT = "The cat sat.\nA dog ran.\n"
TOKENS = [["The", "cat", "sat", "."], ["A", "dog", "ran", "."]]


def test_all_forms_of_a_text_are_the_same_corpus(text_file: Callable[..., Path]) -> None:
    path = text_file(TEXT)
    forms: list[Any] = [
        TOKENS,
        [tuple(sentence) for sentence in TOKENS],
        (sentence for sentence in TOKENS),
        TEXT.splitlines(),
        iter(TEXT.splitlines()),
        np.array(TEXT.splitlines()),
        path,
        str(path),
        str(path.parent),
        str(path.with_name("*.txt")),
        Corpus.from_files(path),
    ]
    for form in forms:
        assert list(Corpus.of(form).sentences()) == TOKENS, form


def test_a_corpus_is_taken_as_it_is() -> None:
    corpus = Corpus.from_sentences(TOKENS, lowercase=True)
    assert Corpus.of(corpus) is corpus


def test_a_str_of_a_list_is_one_sentence_whatever_is_in_it() -> None:
    assert list(Corpus.of(["One. Two\nthree", "", "four"]).sentences()) == [
        ["One", ".", "Two", "three"],
        ["four"],
    ]


def test_sentences_are_not_all_held_in_memory() -> None:
    """Of an iterator, no more is taken at a time than a block."""
    taken = 0

    def sentences() -> Any:
        nonlocal taken
        while True:
            taken += 1
            yield ["word"] * 1000 if taken < 3000 else None

    with pytest.raises(ParameterError, match="must be a list of words. Got NoneType"):
        Corpus.of(sentences())
    assert taken == 3000


@pytest.mark.parametrize(
    "wrong", [None, 3, b"text", {"a": 1}, [None], [3], [b"text"[0]], np.eye(2)]
)
def test_other_types_are_refused(wrong: Any) -> None:
    message = "'text' parameter of fit must be a Corpus, a list of token lists, a list of str"
    with pytest.raises(ParameterError, match=message):
        Corpus.of(wrong, "fit", "text")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["a b", ["c"]], "All sentences must be str, because the first one is. Got list."),
        ([["c"], "a b"], "A sentence must be a list of words, not one string."),
        ([["c"], 3], "A sentence must be a list of words. Got int."),
        ([["c", 3]], "Every word must be a non-empty str. Got 3."),
        (["\ud800"], "not valid Unicode"),
    ],
)
def test_mixed_sentences_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Corpus.of(wrong)


@pytest.mark.parametrize("empty", [[], [[]], ["", " "], iter(())])
def test_no_words_are_an_error(empty: Any) -> None:
    with pytest.raises(InputError, match="There are no words"):
        Corpus.of(empty)


@pytest.mark.parametrize("name", ["no-such-file.txt", "The cat sat. " * 500, "a\0b"])
def test_raw_text_is_not_a_file_name(name: str) -> None:
    with pytest.raises(InputError, match="There is no file") as error:
        Corpus.of(name)
    assert "raw text as a list of sentences" in str(error.value.hint)


def test_options_of_files_are_those_of_reading(text_file: Callable[..., Path]) -> None:
    path = text_file("Rose 12. Rose\n")
    corpus = Corpus.from_files(path, split="sentences", lowercase=True, digits="zero")
    assert list(corpus.sentences()) == [["rose", "00", "."], ["rose"]]
    assert corpus.reading == Reading(split="sentences", lowercase=True, digits="zero")
    for field in Reading.fields():
        assert f"{field.name} : " in str(Corpus.from_files.__doc__)
    with pytest.raises(ParameterError, match="'tokens' parameter of Corpus must be one of 'words'"):
        Corpus.from_files(path, tokens="letters")
    with pytest.raises(ParameterError, match="'threads' parameter of Corpus.from_files"):
        Corpus.from_files(path, threads=0)
    with pytest.raises(InputError, match="No text was given"):
        Corpus.from_files()


def test_counts_and_vectors_come_from_any_text(text_file: Callable[..., Path]) -> None:
    path = text_file(TEXT * 6)
    forms: list[Any] = [path, TEXT.splitlines() * 6, TOKENS * 6, Corpus.from_files(path)]
    counts = [firth.count(form, "LR1", threads=1) for form in forms]
    vectors = [firth.SpectralEmbedding(3, threads=1).fit(form).vectors_ for form in forms]
    for other, learned in zip(counts[1:], vectors[1:], strict=True):
        assert (other.matrix != counts[0].matrix).nnz == 0
        assert np.array_equal(learned.matrix, vectors[0].matrix)
    assert vectors[0].made["contexts"] == "bag20+LR2/16", "the preset general"


def test_parameters_of_counting_are_checked_before_text_is_read() -> None:
    with pytest.raises(ParameterError, match="'min_count' parameter of count must be an int"):
        firth.count("no-such-file.txt", min_count=0)
