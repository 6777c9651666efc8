"""The report on a text: halves, what they have in common, what it is called, and where it is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

import firth
from firth.corpus import Corpus, Vocabulary
from firth.describe import report_facts, report_rows
from firth.errors import InputError, ModelError
from firth.measure import Band, Report, agreement, halves, similarity_bands
from firth.pipeline import learn_corpus, learn_report, report_of
from firth.store import writing
from tests.conftest import zipf_text


@given(
    sizes=st.lists(st.integers(1, 9), min_size=60, max_size=90), most=st.sampled_from([100, 10**6])
)
@settings(max_examples=25, deadline=None)
def test_halves_are_stretches_in_turn(sizes: list[int], most: int) -> None:
    """Every sentence is in the half of the stretch in which it ends, if nothing is left out."""
    sentences = [[f"s{i}"] * size for i, size in enumerate(sizes)]
    corpus = Corpus.from_sentences(sentences)
    parts = [[sentence[0] for sentence in half.sentences()] for half in halves(corpus, most)]
    total, end = sum(sizes), 0
    edges = np.linspace(0, total, 21).astype(int)[:-1]
    wanted: list[list[str]] = [[], []]
    for sentence, size in zip(sentences, sizes, strict=True):
        end += size
        stretch = max(k for k in range(20) if edges[k] < end)
        wanted[stretch % 2].append(sentence[0])
    if most > total:
        assert parts == wanted
    else:
        assert all(set(part) <= set(whole) for part, whole in zip(parts, wanted, strict=True))
        tokens = sum(sizes[int(name[1:])] for part in parts for name in part)
        assert tokens <= most + 20 * max(sizes)


def test_a_text_of_one_sentence_has_no_halves() -> None:
    with pytest.raises(InputError):
        halves(Corpus.from_sentences([["a", "b"]]), 100)


def _vectors(matrix: Any, counts: Any) -> firth.WordVectors:
    words = pa.array([f"w{i}" for i in range(len(matrix))], pa.large_string())
    return firth.WordVectors(Vocabulary(words, np.asarray(counts)), np.asarray(matrix, np.float32))


def test_similarities_that_are_the_same_by_chance_and_in_part() -> None:
    chance = np.random.default_rng(1)
    counts = np.sort(chance.integers(5, 60, 400))[::-1]
    one, other = chance.normal(size=(2, 400, 20))
    same = similarity_bands(_vectors(one, counts), _vectors(3 * one, counts))
    assert [band.least for band in same] == [5, 10, 20, 50]
    assert all(band.stability == pytest.approx(1) for band in same)
    apart = similarity_bands(_vectors(one, counts), _vectors(other, counts))
    assert all(abs(band.stability) < 0.1 for band in apart)
    # worked out for one group, word by word, with SciPy
    half = similarity_bands(_vectors(one, counts), _vectors(one + other, counts))
    units = [m / np.linalg.norm(m, axis=1, keepdims=True) for m in (one, one + other)]
    rows = np.flatnonzero(counts >= 50)
    found = [spearmanr(*(np.delete(unit[i] @ unit.T, i) for unit in units)).statistic for i in rows]
    assert half[-1].n_words == len(rows)
    assert half[-1].stability == pytest.approx(np.mean(found), abs=1e-4)
    assert similarity_bands(_vectors(one[:10], counts[:10]), _vectors(one[:10], counts[:10])) == []


def test_agreement_of_groups() -> None:
    words = [f"w{i}" for i in range(60)]
    a = {word: i % 4 for i, word in enumerate(words)}
    b = {word: 3 - i % 4 for i, word in enumerate(words)}
    assert agreement(a, b) == pytest.approx(1)
    mixed = {word: i // 15 for i, word in enumerate(words)}
    assert abs(agreement(a, mixed) or 1) < 0.1
    assert agreement({"a": 1}, {"a": 1}) is None


REPORT = Report(
    5000, True, 0.5,
    meaning=[Band(5, 99, 0.2), Band(10, 60, 0.55), Band(20, 40, 0.4), Band(50, 30, 0.6)],
    grammar=[Band(5, 99, 0.7), Band(10, 60, 0.66)],
)  # fmt: skip


def test_what_is_called_weak_coarse_and_usable() -> None:
    assert (REPORT.verdict("tags"), REPORT.verdict("classes")) == ("coarse", "usable")
    # what is usable is so from some number of occurrences on, not in between
    assert (REPORT.from_count("meaning", "usable"), REPORT.from_count("meaning", "coarse")) == (
        50,
        10,
    )
    assert (REPORT.from_count("grammar", "usable"), REPORT.from_count("grammar", "coarse")) == (
        5,
        5,
    )
    assert [replace(REPORT, tokens=n).verdict("tags") for n in (4_999, 20_000)] == [
        "weak",
        "usable",
    ]
    by_chance = replace(REPORT, tokens=20_000, grammar=[Band(5, 99, 0.4)])
    assert by_chance.verdict("tags") == "weak"
    small = Report(20, True, None, [], [])
    assert (small.verdict("tags"), small.from_count("meaning", "coarse")) == ("weak", None)
    corpus = Corpus.from_sentences([["a"] * 60 + ["b"] * 12 + ["c"] * 6])
    assert report_rows(REPORT, corpus) == [
        ("tags", "coarse"),
        ("classes", "usable"),
        ("words that go with a word",
         "usable from 50 occurrences on (1 word), coarse from 10 occurrences on (2 words)"),
        ("words that can replace a word", "usable from 5 occurrences on (3 words)"),
    ]  # fmt: skip
    assert report_rows(small, corpus) == []
    assert report_facts(REPORT)["meaning"]["usable_from"] == 50


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "t.txt").write_text(zipf_text(400, n_words=300), encoding="utf-8")
    learn_corpus(folder / "m", folder / "t.txt")
    return learn_report(folder / "m", threads=1).path


def test_a_report_is_made_once_and_kept(
    firth: Callable[..., Any], model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firth.pipeline._reports.measure_text", None)  # not called
    shown = firth("show", model).out
    assert "what the text is large enough for\n  tags" in shown
    assert "words that can replace a word" in shown
    told = json.loads(firth("show", model, "--json").out)["report"]
    assert told["tokens"] > 1000
    assert told["tags"]["verdict"] == "weak"  # words at random


def test_random_words_have_nothing_stable(model: Path) -> None:
    report = firth.load(model).report
    assert report.verdict("tags") == "weak"
    assert abs(report.classes or 0) < 0.2
    assert all(band.stability < 0.35 for band in report.meaning)


def test_a_model_that_is_being_written_gets_a_report_that_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a rose is a rose\n" * 3)
    opened = learn_corpus(tmp_path / "m", tmp_path / "t.txt")
    with writing(tmp_path / "m"):
        assert report_of(opened, 1).verdict("tags") == "weak"
    assert "report" not in firth.load(tmp_path / "m")
    assert report_of(opened, 1).classes is None
    assert "report" in firth.load(tmp_path / "m")


def test_a_small_text(
    firth: Callable[..., Any], text_file: Callable[..., Path], tmp_path: Path
) -> None:
    firth("corpus", "learn", text_file("a rose is a rose\n"), "-o", tmp_path / "m", "-q")
    assert "too small  to tell what the text is good for" in firth("show", tmp_path / "m").out


@pytest.mark.parametrize(
    "text",
    ["{}", '{"tokens": 1, "whole": true, "classes": 7, "meaning": [], "grammar": []}',
     '{"tokens": 1, "whole": true, "classes": null, "meaning": [[5, 1]], "grammar": []}'],
)  # fmt: skip
def test_a_damaged_report_is_refused(tmp_path: Path, text: str) -> None:
    from firth.parts import new_part

    (tmp_path / "t.txt").write_text("a rose is a rose\n")
    learn_corpus(tmp_path / "m", tmp_path / "t.txt")
    with (
        writing(tmp_path / "m") as writer,
        pytest.raises(ModelError, match="report"),
        new_part(writer, "report") as draft,
    ):
        (draft.folder / "report.json").write_text(text)
