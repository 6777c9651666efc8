"""Plans: exact on a small text, near the truth on a sample."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.compute import Engine
from firth.corpus import Reading, Source, find_sources
from firth.counts import CountsParameters
from firth.pipeline._vectors import vectors_parameters
from firth.planning import Plan, plan
from tests.conftest import zipf_text


def make(path: Path | list[Path], sample: int) -> Plan:
    vectors = vectors_parameters("similarity", CountsParameters(), None)
    sources = find_sources(path if isinstance(path, list) else [path])
    return plan(sources, Reading(), CountsParameters(), "4G", Engine(2), vectors, sample)


def test_a_plan_of_a_small_text_is_exact(text_file: Callable[..., Path]) -> None:
    path = text_file(zipf_text(1000))
    corpus = firth.Corpus.from_files(path)
    made = make(path, 1 << 30)
    assert made.exact
    assert (made.n_tokens, made.n_types) == (corpus.n_tokens, corpus.n_types)
    assert [row.n_words for row in made.rows] == [
        corpus.vocabulary.n_kept(row.min_count) for row in made.rows
    ]
    assert made.n_entries == firth.count(corpus).n_entries


@pytest.mark.parametrize("names", [["a.txt", "b.txt"], ["a.jsonl", "b.txt", "c.jsonl"]])
@pytest.mark.slow
def test_a_plan_of_several_files_larger_than_the_sample(
    names: list[str], text_file: Callable[..., Path]
) -> None:
    paths = []
    for seed, name in enumerate(names):
        lines = zipf_text(20_000, seed).splitlines()
        if name.endswith("jsonl"):
            lines = [json.dumps({"text": line}) for line in lines]
        paths.append(text_file("\n".join(lines), name))
    total = sum(path.stat().st_size for path in paths)
    assert min(path.stat().st_size for path in paths) > 1 << 20
    made = make(paths, 1000)
    assert not made.exact
    assert made.n_bytes == total
    assert abs(made.n_tokens / firth.Corpus.from_files(*paths).n_tokens - 1) < 0.15


def test_a_plan_of_many_files_reads_some_of_them(
    text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [text_file(zipf_text(50, k), f"{k:02}.txt") for k in range(40)]
    read: list[str] = []
    blocks = Source.blocks

    def noting(source: Source, reading: Reading) -> Any:
        read.append(source.name)
        return blocks(source, reading)

    monkeypatch.setattr(Source, "blocks", noting)
    made = make(paths, sum(path.stat().st_size for path in paths) // 8)
    assert 5 <= len(read) <= 8
    assert not made.exact
    assert abs(made.n_tokens / firth.Corpus.from_files(*paths).n_tokens - 1) < 0.2


@pytest.mark.slow
def test_a_plan_from_a_sample_is_near_the_truth(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = text_file(zipf_text(100_000, n_words=40_000))
    corpus = firth.Corpus.from_files(path)
    made = make(path, 1 << 20)
    assert not made.exact
    assert abs(made.n_tokens / corpus.n_tokens - 1) < 0.05
    assert abs(made.n_types / corpus.n_types - 1) < 0.5
    model = firth.learn(path, tmp_path / "model")
    on_disk = sum(part.n_bytes for part in model.parts.values())
    assert 0.5 < made.disk / on_disk < 2
