"""Plans: exact on a small text, near the truth on a sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import firth
from firth.compute import Engine
from firth.corpus import Reading, find_sources
from firth.counts import CountsParameters
from firth.pipeline._vectors import vectors_parameters
from firth.planning import Plan, plan
from tests.conftest import zipf_text


def make(path: Path, sample: int) -> Plan:
    vectors = vectors_parameters("similarity", CountsParameters(), None)
    return plan(
        find_sources([path]), Reading(), CountsParameters(), "4G", Engine(2), vectors, sample
    )


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
