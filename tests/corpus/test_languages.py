"""Lower case of Turkish, Azerbaijani and Lithuanian in corpora, searches and look-ups."""

from __future__ import annotations

from pathlib import Path

import pytest

import firth
from firth.corpus import Corpus, Reading
from firth.errors import ParameterError
from firth.find import Finder
from firth.pipeline import learn_corpus

LINES = ["IRAK ILIK İZMİR", "ırak ılık izmir", "Isparta istanbul"]


def test_turkish_words_are_folded(tmp_path: Path) -> None:
    path = tmp_path / "tr.txt"
    path.write_text("\n".join(LINES), "utf-8")
    corpus = Corpus.from_files(path, lowercase=True, language="tr")
    assert set(corpus.vocabulary) == {"izmir", "ılık", "ırak", "ısparta", "istanbul"}
    hit = corpus.find("ırak", 1)[0]
    assert (hit.word, hit.right, hit.original) == ("IRAK", " ILIK İZMİR", True)
    plain = Corpus.from_files(path, lowercase=True)
    assert "irak" in plain.vocabulary
    assert "ırak" in plain.vocabulary


def test_a_language_is_stored_only_if_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("IRAK\n")
    with_it = learn_corpus(tmp_path / "a", tmp_path / "t.txt", lowercase=True, language="tr")
    assert with_it.parts["corpus"].parameters["language"] == "tr"
    assert with_it.corpus.sentence(0) == ["ırak"]
    without = learn_corpus(tmp_path / "b", tmp_path / "t.txt", lowercase=True)
    assert "language" not in without.parts["corpus"].parameters
    with pytest.raises(ParameterError, match="'tr', 'az', 'lt'"):
        Reading(language="xx")  # type: ignore[arg-type]


def test_searches_without_case_follow_the_language() -> None:
    turkish = Corpus.from_sentences([line.split() for line in LINES], language="tr")
    other = Corpus.from_sentences([line.split() for line in LINES])
    assert found(turkish, "~ırak") == found(turkish, "~IRAK") == ["IRAK", "ırak"]
    assert found(turkish, "~izmir") == found(turkish, "~İZMİR") == ["izmir", "İZMİR"]
    assert found(turkish, "~irak") == []
    assert found(other, "~irak") == ["IRAK"]


def found(corpus: Corpus, query: str) -> list[str]:
    matches = Finder(corpus).find(query)
    return sorted({corpus.words_between(int(a), int(a) + 1)[0] for a in matches.starts})


def test_suggestions_know_turkish_lower_case() -> None:
    corpus = Corpus.from_sentences([["IRAK"]], lowercase=True, language="tr")
    assert corpus.vocabulary.suggestion("IRAK") == "There is 'ırak'."
    assert firth.Corpus.from_sentences([["Įì"]], lowercase=True, language="lt").sentence(0) == [
        "įì"
    ]
