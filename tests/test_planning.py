"""Plans: exact on a small text, near the truth on a sample."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.classes import ClassesParameters
from firth.compute import Engine
from firth.corpus import Reading, Source, find_sources
from firth.counts import CountsParameters, cells_at_once, parse_contexts
from firth.counts._count import _chunks
from firth.counts._layout import Layout
from firth.pipeline._vectors import vectors_parameters
from firth.planning import Plan, Wanted, plan
from firth.planning import _costs as costs
from firth.planning._costs import Matrix, Space, Text
from firth.planning._growth import Growth
from firth.planning._plan import _Planner
from firth.planning._samples import Decomposed, Sample, Work, timed
from firth.vectors import DEFAULT_PRESET
from tests.conftest import zipf_text

ENGINE = Engine(2)
WANTED = Wanted(
    Reading(),
    CountsParameters(),
    "4G",
    ENGINE,
    vectors_parameters(DEFAULT_PRESET, CountsParameters(), 20),
    ClassesParameters(),
)
TEXT = Text(1e9, 5e7, Growth(1e9, 1e7, 0.6, 0.0, 1.0), 8.0, 6e7)
MATRIX = Matrix(2e5, parse_contexts("LR2"), False, Growth(1e9, 5e8, 0.8, 0.0, 1.0))
BAG = replace(MATRIX, contexts=parse_contexts("bag10", "distance"))


def make(path: Path | list[Path], sample: int, **wanted: Any) -> Plan:
    sources = find_sources(path if isinstance(path, list) else [path])
    return plan(sources, replace(WANTED, **wanted), sample)


def test_a_plan_of_a_small_text_is_exact(text_file: Callable[..., Path]) -> None:
    path = text_file(zipf_text(1000))
    corpus = firth.Corpus.from_files(path)
    made = make(path, 1 << 30, vectors=None, classes=None)
    assert made.exact
    assert (made.n_tokens, made.n_types) == (corpus.n_tokens, corpus.n_types)
    assert [row.n_words for row in made.rows] == [
        corpus.vocabulary.n_kept(row.min_count) for row in made.rows
    ]
    assert [row.coverage for row in made.rows] == pytest.approx(
        [corpus.coverage(row.n_words) for row in made.rows]
    )
    assert made.n_entries == firth.count(corpus).n_entries
    assert [stage.name for stage in made.stages] == ["corpus", "counts"]


@pytest.mark.slow
def test_a_plan_says_that_it_leaves_out_a_cluster(
    text_file: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    text = text_file("a b c\n" * 50)
    firth.pipeline.plan(text, min_count=1)
    assert "--cluster" not in caplog.text
    firth.pipeline.plan(text, min_count=1, cluster=2)
    assert "this machine alone: it leaves out --cluster" in caplog.text


def test_totals_are_those_of_all_stages(text_file: Callable[..., Path], tmp_path: Path) -> None:
    path = text_file(zipf_text(1000))
    made = make(path, 1 << 30, tags=3, morphs=True)
    stages = {stage.name: stage for stage in made.stages}
    assert list(stages) == [
        "corpus", "counts", "vectors", "grammar_vectors", "classes", "morphs", "tags"
    ]  # fmt: skip
    assert made.seconds == pytest.approx(made.start + sum(s.seconds for s in made.stages))
    assert made.memory == max(stage.memory for stage in made.stages)
    assert made.stays == sum(stage.stays for stage in made.stages) <= made.disk
    assert all(stage.stays <= stage.disk for stage in made.stages)
    assert all(0 < stage.seconds <= stage.cpu_seconds for stage in made.stages)
    model = firth.learn(path, tmp_path / "model", dim=20, morphs=True)
    for name, part in model.parts.items():
        assert stages[name].stays == pytest.approx(part.n_bytes, rel=0.2, abs=20_000), name


def test_vectors_from_contexts_of_one_kind(text_file: Callable[..., Path], tmp_path: Path) -> None:
    path = text_file(zipf_text(1000))
    wide = vectors_parameters("similarity", CountsParameters(), 20)
    made = make(path, 1 << 30, vectors=wide, classes=None).stages[2]
    model = firth.learn(path, tmp_path / "model", dim=20, preset="similarity", classes=0)
    assert made.name == "vectors"
    assert made.stays == pytest.approx(model.parts["vectors"].n_bytes, rel=0.2, abs=20_000)


@given(
    st.floats(0.2, 1.0), st.floats(1e3, 1e9), st.floats(1.1, 1e4), st.floats(1.0, 1e6)
)  # fmt: skip
def test_a_power_law_is_found(exponent: float, length: float, factor: float, first: float) -> None:
    lengths = [length, 4 * length, 16 * length]
    growth = Growth.of(lengths, [first * (x / length) ** exponent for x in lengths])
    for more in (1 / factor, factor):
        assert growth.at(lengths[-1] * more) == pytest.approx(
            growth.value * more**exponent, rel=1e-6
        )


def test_an_exponent_that_falls_goes_on_to_fall() -> None:
    lengths = [1.0, 4.0, 16.0]
    falling = Growth.of(lengths, [1.0, 4**0.9, 4**0.9 * 4**0.8])
    steady = replace(falling, decline=0.0)
    assert falling.value * 4**0.7 < falling.at(64.0) < steady.at(64.0)
    assert falling.at(1e9) < steady.at(1e9)
    assert Growth.of(lengths, [0.0, 0.0, 5.0]).at(160.0) == pytest.approx(50.0)


@pytest.mark.parametrize("limit", [400_000, 600_000, 1 << 30])
def test_pieces_of_the_text_are_as_many_as_when_it_is_counted(limit: int) -> None:
    sentences = [[f"w{i * j % 97}" for j in range(1, 30)] for i in range(200)] * 50
    corpus = firth.Corpus.from_sentences(sentences)
    layout = Layout.of(corpus, CountsParameters("LR2", min_count=1), ENGINE)
    room = cells_at_once(layout.n_rows, layout.contexts, ENGINE, limit)
    text = Text(corpus.n_tokens, corpus.n_sentences, TEXT.types, 4.0, 1.0)
    matrix = replace(MATRIX, n_words=float(layout.n_rows))
    n_pieces = len(list(_chunks(layout, corpus, room)))
    assert costs.counting_passes(text, matrix, limit, ENGINE) == n_pieces
    assert (n_pieces > 1) == (limit < 1 << 30)


def spaces(limit: int) -> list[Space]:
    return [
        costs.reading_space(TEXT, limit, 2),
        costs.counting_space(TEXT, MATRIX, limit, ENGINE),
        costs.vectors_space(TEXT, BAG, 300, 1000, limit, ENGINE),
    ]


def test_less_memory_takes_more_disk() -> None:
    for large, small in zip(spaces(1 << 40), spaces(1 << 30), strict=True):
        assert small.memory < large.memory
        assert small.memory < (1 << 30) + (600 << 20)
        assert small.disk > large.disk
        assert small.stays == large.stays


def test_work_grows_with_everything() -> None:
    trial = Decomposed(10**6, 10**4, 10**4, 100, 320, *[Work(1.0, 1.0)] * 6)
    basis, work = costs.decomposition_work(trial, TEXT, MATRIX, 200)
    assert basis == 640
    assert work.cpu > 2 * 500
    assert costs.decomposition_work(trial, TEXT, MATRIX, 100)[1].cpu < work.cpu
    unmixed = replace(trial, mixing=Work())
    assert costs.decomposition_work(unmixed, TEXT, MATRIX, 200)[1].cpu < work.cpu
    least = costs.brown_work(1e4, 100, 1e5)
    assert least < costs.brown_work(2e4, 100, 1e5)
    assert least < costs.brown_work(1e4, 200, 1e5)
    assert least < costs.brown_work(1e4, 100, 1e6)
    assert costs.tags_work(2e4, 1e5) > costs.tags_work(1e4, 1e5)


def test_threads_share_only_what_they_can() -> None:
    work = Work(2.0, 6.0) * 2 + Work(1.0)
    assert (work.cpu, work.seconds(1), work.seconds(4)) == (17.0, 17.0, 8.0)
    result, took = timed(lambda: math.factorial(20_000) % 7)
    assert result == 0
    assert took.alone > 0


def test_compiling_kernels_is_no_work(text_file: Callable[..., Path]) -> None:
    sources = find_sources([text_file(zipf_text(100))])
    corpus = firth.Corpus.from_files(text_file(zipf_text(100)))
    small = Sample(corpus, {}, {"corpus": Work(1.0)}, 0.5, False)
    for seconds, found in ((1.5, 3.0), (60.0, 2.0)):
        large = replace(small, work={"corpus": Work(seconds)})
        wanted = replace(WANTED, vectors=None, classes=None)
        planner = _Planner(sources, wanted, [small, large], 0.0)
        assert planner._measured("corpus").cpu == pytest.approx(found)


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
    assert 5 <= len(set(read)) <= 8
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
    model = firth.learn(path, tmp_path / "model", dim=20)
    for stage in made.stages:
        assert 1 / 1.5 < stage.stays / model.parts[stage.name].n_bytes < 1.5, stage.name
