"""Merging: models of parts of a text become the model of the whole, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth import pipeline
from firth.compute import Engine
from firth.corpus._word_lists import WordList, merge_lists
from firth.errors import FirthError, InputError, ModelError, ParameterError
from firth.parts import write_part
from firth.store import writing
from tests.conftest import zipf_text

ADDED = {"min_count": 1, "vocabulary": None}


def files_of(model: firth.Model, name: str) -> dict[str, bytes]:
    folder = model.parts[name].folder
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Texts of different sizes and scripts, one of them without a line break at its end."""
    texts = [zipf_text(80, 1, 60), "Ein Bär — žluťoučký kůň.\nein Bär", zipf_text(300, 2, 500)]
    paths = [tmp_path / f"{k}.txt" for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def learned(paths: Sequence[Path], folder: Path, **options: Any) -> list[Path]:
    """A model of each text."""
    models = [folder / f"part{k}" for k in range(len(paths))]
    for path, model in zip(paths, models, strict=True):
        pipeline.learn_counts(model, path, **options)
    return models


@pytest.mark.parametrize("contexts", ["LR2", "bag5"])
@pytest.mark.parametrize("reading", [{}, {"lowercase": True, "split": "sentences"}])
def test_the_whole_is_the_same_bytes(
    shards: list[Path], tmp_path: Path, contexts: str, reading: Any
) -> None:
    options = {"contexts": contexts, "weights": "distance", **ADDED, **reading}
    models = learned(shards, tmp_path, **options)
    merged = firth.merge(models, tmp_path / "merged", threads=2)
    assert merged.changed == ["corpus", "documents", "counts"]
    whole = pipeline.learn_counts(tmp_path / "whole", shards, **options)
    for name in ("corpus", "counts"):
        assert files_of(merged, name) == files_of(whole, name)
        assert merged.parts[name].identity == whole.parts[name].identity
        assert merged.parts[name].facts == whole.parts[name].facts
    assert firth.merge(models, tmp_path / "merged").changed == []
    again = pipeline.learn_counts(tmp_path / "merged", shards, **options)
    assert again.changed == [], "it is what learning from all of the text would make"


def test_merging_is_associative(shards: list[Path], tmp_path: Path) -> None:
    a, b, c = learned(shards, tmp_path, **ADDED)
    at_once = firth.merge([a, b, c], tmp_path / "at once")
    firth.merge([a, b], tmp_path / "ab")
    in_turn = firth.merge([tmp_path / "ab", c], tmp_path / "in turn")
    for name in ("corpus", "counts"):
        assert files_of(at_once, name) == files_of(in_turn, name)


@pytest.mark.parametrize(
    "options",
    [{"min_count": 2}, {"vocabulary": 30, "min_count": 1}, {**ADDED, "across_lines": True}],
)
def test_what_does_not_add_up_is_counted_again(
    shards: list[Path], tmp_path: Path, options: Any, caplog: pytest.LogCaptureFixture
) -> None:
    models = learned(shards, tmp_path, **options)
    merged = firth.merge(models, tmp_path / "merged")
    assert "counted again" in caplog.text
    whole = pipeline.learn_counts(tmp_path / "whole", shards, **options)
    assert files_of(merged, "counts") == files_of(whole, "counts")


def test_what_must_be_learned_from_the_whole_is_named(
    shards: list[Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    firth.learn(shards[0], tmp_path / "a", dim=3, classes=4, min_count=1, threads=1)
    pipeline.learn_corpus(tmp_path / "b", shards[1])
    merged = firth.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "whole")
    assert list(merged.parts) == ["corpus", "counts", "documents"]
    for text in (
        "word vectors are not merged",
        "word classes are not merged",
        "firth classes learn",
    ):
        assert text in caplog.text


LETTERS = st.text(st.sampled_from("abcäß語\0"), min_size=1, max_size=4)
WORDS = LETTERS | LETTERS.map(lambda word: f"eightbit{word}")
LISTS = st.lists(st.lists(st.tuples(WORDS, st.integers(1, 9)), max_size=30), min_size=1, max_size=5)


@settings(max_examples=60)
@given(
    lists=LISTS, memory=st.sampled_from([2000, 10_000, 1 << 30]), threads=st.sampled_from([1, 3])
)
def test_lists_of_words_in_any_memory_on_any_threads(
    lists: list[list[tuple[str, int]]],
    memory: int,
    threads: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("lists") / "scratch"
    given_ = [
        WordList(
            pa.array([w for w, _ in one], pa.large_string()),
            np.array([n for _, n in one], np.int64),
            distinct=False,
        )
        for one in lists
    ]
    with patch("firth.corpus._sorting._FEW", 2):
        vocabulary, ids = merge_lists(given_, memory, folder, Engine(threads))
    totals: dict[str, int] = {}
    for word, n in (pair for one in lists for pair in one):
        totals[word] = totals.get(word, 0) + n
    expected = sorted(totals.items(), key=lambda item: (-item[1], item[0].encode()))
    found = list(zip(vocabulary, vocabulary.counts.tolist(), strict=True))
    assert found == expected
    place = {word: i for i, (word, _) in enumerate(expected)}
    assert [array.tolist() for array in ids] == [[place[w] for w, _ in one] for one in lists]
    assert folder.exists() == (memory < sum(one.n_bytes() for one in given_))


@pytest.mark.parametrize("threads", [1, 2])
def test_lexicons_that_are_written_to_disk(
    shards: list[Path], tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the memory for words were tiny."""
    whole = pipeline.learn_corpus(tmp_path / "whole", shards, lowercase=True)
    monkeypatch.setattr("firth.corpus._build.parse_memory", lambda _: 30_000)
    monkeypatch.setattr("firth.corpus._blocks._BLOCK", 1 << 12, raising=False)
    small = pipeline.learn_corpus(tmp_path / "small", shards, lowercase=True, threads=threads)
    assert files_of(small, "corpus") == files_of(whole, "corpus")


def fails(match: str, kind: type[FirthError] = ModelError) -> Any:
    return pytest.raises(kind, match=match)


def test_parts_that_do_not_fit_together_are_refused(shards: list[Path], tmp_path: Path) -> None:
    a, b, c = (tmp_path / name for name in "abc")
    pipeline.learn_corpus(a, shards[0])
    pipeline.learn_corpus(b, shards[1], lowercase=True)
    with fails("a and .*b were read with other options: no --lowercase and --lowercase"):
        firth.merge([a, b], tmp_path / "whole")
    pipeline.learn_counts(a, contexts="LR1", min_count=1)
    pipeline.learn_counts(c, shards[2], contexts="LR2", min_count=1)
    with fails("were counted with other options: --contexts LR1 and --contexts LR2"):
        firth.merge([a, c], tmp_path / "whole")
    with fails("merged into itself", InputError):
        firth.merge([a, c], a)
    with fails("There is no model folder"):
        firth.merge([a, tmp_path / "none"], tmp_path / "whole")
    with fails("a list of model folders", ParameterError):
        firth.merge([], tmp_path / "whole")
    pipeline.import_vectors(_vectors(tmp_path), tmp_path / "imported")
    with fails("has no corpus"):
        firth.merge([a, tmp_path / "imported"], tmp_path / "whole")
    assert not (tmp_path / "whole").exists()


def _vectors(folder: Path) -> Path:
    path = folder / "vectors.txt"
    path.write_text("a 1 2\nb 2 1\n")
    return path


def test_corpora_that_know_no_files_are_merged_too(shards: list[Path], tmp_path: Path) -> None:
    pipeline.learn_corpus(tmp_path / "a", shards[0])
    with writing(tmp_path / "b") as writer:
        corpus = firth.Corpus.from_sentences([["a", "rose"], ["is", "a", "rose"]])
        write_part(writer, "corpus", corpus, corpus.reading.parameters())
    merged = firth.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "whole")
    assert list(merged.corpus.sentences())[-2:] == [["a", "rose"], ["is", "a", "rose"]]
    assert firth.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "whole").changed == []


def test_other_text_is_not_replaced(shards: list[Path], tmp_path: Path) -> None:
    a, b, _ = learned(shards, tmp_path, **ADDED)
    pipeline.learn_corpus(tmp_path / "mine", shards[2])
    before = files_of(firth.load(tmp_path / "mine"), "corpus")
    with fails("was made from other text"):
        firth.merge([a, b], tmp_path / "mine")
    assert files_of(firth.load(tmp_path / "mine"), "corpus") == before
    merged = firth.merge([a, b], tmp_path / "mine", replace=True)
    assert merged.changed == ["corpus", "documents", "counts"]


def test_the_command(shards: list[Path], tmp_path: Path, firth: Callable[..., Any]) -> None:
    for k, path in enumerate(shards):
        firth("corpus", "learn", path, "-o", tmp_path / f"part{k}", "-q")
    parts = [tmp_path / f"part{k}" for k in range(len(shards))]
    result = firth("merge", *parts, "-o", tmp_path / "whole")
    assert result.status == 0, result
    assert "tokens" in result.out
    again = firth("merge", *parts, "-o", tmp_path / "whole")
    assert "Nothing to do" in again.out + again.err
