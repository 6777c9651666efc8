"""Frequency lists and phrases, against counting one by one, formulas and NLTK."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import firth
from firth.cli import app
from firth.counts import association
from firth.measure import _phrases, phrases, word_list
from tests.oracles.comparing import deviation_of_proportions, juilland_d, log_likelihood
from tests.oracles.phrases import sequences

SENTENCES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", ",", "d1"]), min_size=1, max_size=9),
    min_size=1,
    max_size=8,
)


@given(
    sentences=SENTENCES,
    length=st.integers(2, 5),
    least=st.integers(1, 3),
    at_once=st.sampled_from([1, 4, 1 << 22]),
)
def test_phrases_are_counted_exactly(
    sentences: list[list[str]], length: int, least: int, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_phrases, "_AT_ONCE", at_once)
        found = phrases(firth.Corpus.from_sentences(sentences), length, "pmi", least)
    counts, n = sequences(sentences, length), sum(map(len, sentences))
    wanted = {}
    for words, count in counts.items():
        if len(words) > 1 and count >= least:
            joints = (counts[words[:k]] * counts[words[k:]] for k in range(1, len(words)))
            wanted[words] = count, min(math.log2(count * n / joint) for joint in joints)
    assert {p.words: p.count for p in found} == {
        words: count for words, (count, _) in wanted.items()
    }
    assert all(p.score == pytest.approx(wanted[p.words][1], abs=1e-9) for p in found)
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)


def test_phrases_of_two_words_are_those_of_nltk() -> None:
    nltk = pytest.importorskip("nltk")
    words = ("the cat sat on the mat and the cat ran to the old mat by the cat " * 3).split()
    theirs = nltk.collocations.BigramCollocationFinder.from_words(words)
    measures = nltk.collocations.BigramAssocMeasures
    for measure, score in (("pmi", measures.pmi), ("t", measures.student_t)):
        ours = phrases(firth.Corpus.from_sentences([words]), 2, measure, 1)
        assert {p.words: pytest.approx(p.score) for p in ours} == dict(theirs.score_ngrams(score))


def test_a_table_worked_out_by_hand() -> None:
    """new york 8, new car 2, in york 2, and 88 other words: 10 and 10 of 112 tokens."""
    text = [["new", "york"]] * 8 + [["new", "car"]] * 2 + [["in", "york"]] * 2 + [["x"]] * 88
    corpus = firth.Corpus.from_sentences(text)
    (found,) = phrases(corpus, 2, "npmi", 5)
    assert (found.words, found.count) == (("new", "york"), 8)
    assert found.score == pytest.approx(math.log2(8 * 112 / 100) / -math.log2(8 / 112))
    (found,) = phrases(corpus, 2, "g2", 5)
    assert found.score == pytest.approx(log_likelihood(8, 2, 10, 102))


def test_the_weakest_joint_decides() -> None:
    text = [["new", "york"]] * 6 + [["new", "york", "city"]] * 4 + [["a", "city"]] * 30
    found = {p.words: p for p in phrases(firth.Corpus.from_sentences(text), 3, "logdice", 2)}
    one = np.array([4.0])
    joints = [association("logdice", one, 10.0, np.array([c]), 84.0)[0] for c in (34.0, 4.0)]
    assert found["new", "york", "city"].score == pytest.approx(min(joints))


PARTS = [
    ["a", "rose", "is", "a", "rose"],
    ["a", "ship", "a", "ship", "a", "ship"],
    ["rose"] * 3 + ["is"],
]


def corpus_of_parts() -> firth.Corpus:
    texts = [" ".join(part) for part in PARTS]
    return firth.Corpus.from_texts(texts, metadata={"year": [1900, 1901, 1902]})


def test_words_with_their_dispersion() -> None:
    found = {row["word"]: row for row in word_list(corpus_of_parts()).rows()}
    assert list(found) == ["a", "rose", "ship", "is"]
    for word, row in found.items():
        assert row["count"] == sum(part.count(word) for part in PARTS)
        assert row["per_million"] == pytest.approx(1e6 * row["count"] / 15)
        assert row["parts"] == sum(word in part for part in PARTS)
        assert row["dp"] == pytest.approx(deviation_of_proportions(word, PARTS))
        assert row["d"] == pytest.approx(juilland_d(word, PARTS))


def test_the_example_of_gries_2008() -> None:
    """A word that occurs 1, 2, 3, 4 and 5 times in parts of 9, 10, 10, 10 and 11 words."""
    sizes = {1: 9, 2: 10, 3: 10, 4: 10, 5: 11}
    texts = [" ".join(["a"] * n + ["b"] * (size - n)) for n, size in sizes.items()]
    row = next(r for r in word_list(firth.Corpus.from_texts(texts)).rows() if r["word"] == "a")
    assert row["dp"] == pytest.approx(0.18)
    assert row["d"] == pytest.approx(0.785, abs=0.0005)


@pytest.mark.parametrize(
    ("queries", "options", "wanted"),
    [
        (["r*"], {}, ["rose"]),
        (["r*", "/^i/"], {}, ["rose", "is"]),
        ([], {"min_count": 3}, ["a", "rose", "ship"]),
        ([], {"where": "year < 1901"}, ["a", "rose", "is"]),
        ([], {"where": "year > 1900", "min_count": 2}, ["a", "rose", "ship"]),
        (["zebra"], {}, []),
    ],
)
def test_some_words(queries: list[str], options: dict[str, Any], wanted: list[str]) -> None:
    found = word_list(corpus_of_parts(), *queries, **options)
    assert [row["word"] for row in found.rows()] == wanted


def test_phrases_of_some_documents() -> None:
    (found,) = phrases(corpus_of_parts(), 2, "npmi", 3, "year == 1901")
    assert (found.words, found.count) == (("a", "ship"), 3)


def test_mistakes() -> None:
    corpus = corpus_of_parts()
    with pytest.raises(firth.QueryError, match="several words in a row"):
        word_list(corpus, "a rose")
    with pytest.raises(firth.QueryError, match="no column 'yaer'"):
        word_list(corpus, where="yaer == 1")
    with pytest.raises(firth.InputError, match="No document is selected"):
        phrases(corpus, where="year > 2000")
    for wrong in ({"length": 6}, {"length": 1}, {"min_count": 0}, {"measure": "fisher"}):
        with pytest.raises(firth.ParameterError, match=next(iter(wrong))):
            phrases(corpus, **wrong)


def test_the_commands(tmp_path: Path) -> None:
    rows = "".join(f'{year},"{" ".join(part)}"\n' for year, part in enumerate(PARTS, 1900))
    (tmp_path / "text.csv").write_text("year,text\n" + rows)
    model, run = str(tmp_path / "model"), CliRunner()
    done = run.invoke(app, ["corpus", "learn", str(tmp_path / "text.csv"), "-o", model, "-q"])
    assert done.exit_code == 0, done.output
    done = run.invoke(app, ["corpus", "words", model, "s*", "--json", "--where", "year > 1900"])
    found = json.loads(done.output)
    assert found["tokens"] == 10
    assert [row["word"] for row in found["words"]] == ["ship"]
    assert "ship" in run.invoke(app, ["corpus", "words", model]).output
    done = run.invoke(app, ["corpus", "phrases", model, "--min-count", "3", "--json"])
    assert json.loads(done.output)["phrases"][0]["words"] == ["a", "ship"]
    for name in ("words", "phrases"):
        out = tmp_path / f"{name}.tsv"
        assert run.invoke(app, ["corpus", name, model, "-o", str(out)]).exit_code == 0
        assert name == "phrases" or len(out.read_text().splitlines()) == 5
        done = run.invoke(app, ["corpus", name, model, "-o", "x.doc"])
        assert done.exit_code == 2
        assert "unknown" in done.stderr
    assert "a ship" in run.invoke(app, ["corpus", "phrases", model, "--min-count", "2"]).output
