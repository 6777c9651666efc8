"""Learning as a whole: nothing done twice, nothing lost, the same bytes after any interruption."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.compute import Engine
from firth.counts import _count
from firth.errors import InputError, ModelError
from firth.store import Part, read_array
from tests.conftest import zipf_text
from tests.store.test_store import everything


def test_learn_and_load(text_file: Callable[..., Path], tmp_path: Path) -> None:
    model = firth.learn(text_file(zipf_text(500)), tmp_path / "model", threads=2)
    assert repr(model).endswith("model: classes, corpus, counts, vectors>")
    again = firth.load(tmp_path / "model")
    assert again.corpus.n_tokens == model.corpus.n_tokens > 5000
    assert again.counts.contexts.name == "LR2"
    assert again.corpus.vocabulary.n_kept(5) == again.counts.n_words
    assert isinstance(again.corpus.ids, np.memmap)
    assert not again.corpus.ids.flags.writeable


def test_a_second_run_has_nothing_to_do(
    text_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, model = text_file(zipf_text(200)), tmp_path / "model"
    firth.learn(path, model)
    before = everything(model)

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("done twice")

    with monkeypatch.context() as patch:
        patch.setattr("firth.corpus.build", never)
        patch.setattr("firth.counts.build_counts", never)
        firth.learn(path, model, threads=1)
    assert everything(model) == before
    with monkeypatch.context() as patch:  # other contexts: only the counts are made anew
        patch.setattr("firth.corpus.build", never)
        firth.learn(path, model, contexts="bag3")
    assert firth.load(model).counts.contexts.name == "bag3"
    path.write_text(zipf_text(201))
    firth.learn(path, model)
    assert everything(model) != before


def test_same_model_for_any_threads_and_memory(
    text_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = text_file(zipf_text(2000))
    firth.learn(path, tmp_path / "one", threads=1)
    merged: list[int] = []
    merge = _count._merge

    def noting(job: Any, runs: Any, *rest: Any) -> int:
        merged.append(len(runs))
        return merge(job, runs, *rest)

    # as if a token took far more room, so that 64 MB do not hold the corpus
    monkeypatch.setattr(_count, "_BYTES_PER_CELL", 1 << 14)
    monkeypatch.setattr(_count, "_merge", noting)
    firth.learn(path, tmp_path / "two", threads=2, memory="64M")
    assert merged[0] > 2, "runs were put on disk and merged"
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


def test_counts_of_an_older_corpus_are_not_used(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model = tmp_path / "model"
    firth.learn(text_file("a b c\n" * 9, "one.txt"), model)
    other = text_file("d e f\n" * 9, "two.txt")
    with pytest.raises(InputError):
        firth.learn(other, model, min_count=100)  # stops after the corpus
    opened = firth.load(model)
    assert opened.corpus.vocabulary[0] == "d"
    assert opened.is_stale("counts")
    with pytest.raises(ModelError, match="made from an older corpus") as error:
        opened.counts  # noqa: B018
    assert "firth counts learn" in str(error.value.hint)
    firth.learn(other, model)
    assert firth.load(model).counts.vocabulary[0] == "d"


def test_a_moved_text_keeps_the_counts(text_file: Callable[..., Path], tmp_path: Path) -> None:
    path = text_file(zipf_text(100))
    firth.learn(path, tmp_path / "model")
    content = firth.load(tmp_path / "model").parts["counts"]
    moved = path.rename(tmp_path / "moved.txt")
    firth.learn(moved, tmp_path / "model")
    model = firth.load(tmp_path / "model")
    assert model.corpus.sources[0]["path"] == str(moved)
    assert model.parts["counts"] == content


def copy_of(name: str, text_file: Callable[..., Path], tmp_path: Path) -> tuple[Part, Path]:
    """A part of a small model, and a copy of its files to tamper with."""
    firth.learn(text_file("a b c\n" * 9), tmp_path / "model")
    part = firth.load(tmp_path / "model").parts[name]
    shutil.copytree(part.folder, tmp_path / "copy")
    return part, tmp_path / "copy"


@pytest.mark.parametrize("name", ["ids.u32", "ends.i64", "words.arrow", "sources.json"])
def test_files_that_do_not_fit_together_are_not_trusted(
    name: str, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    """Even where the checksums are right: whoever made the folder can make those too."""
    part, copy = copy_of("corpus", text_file, tmp_path)
    bad = {
        "ids.u32": np.full(27, 7, "<u4").tobytes(),
        "ends.i64": np.array([1, 2**63 - 1, -(2**63), -1, 5, 6, 7, 8, 27], "<i8").tobytes(),
        "words.arrow": b"ARROW1 no more",
        "sources.json": b"[{}]",
    }
    (copy / name).write_bytes(bad[name])
    with pytest.raises(ModelError):
        firth.Corpus(copy.joinpath, part.parameters)


@pytest.mark.parametrize("name", ["indices.i32", "indptr.i64", "rows.i64", "data.u32"])
def test_a_matrix_that_is_not_sound_is_not_trusted(
    name: str, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    part, copy = copy_of("counts", text_file, tmp_path)
    array = read_array(copy / name).copy()
    if name == "indices.i32":
        array[0] = 10_000
    elif name == "indptr.i64":
        array[1:3] = 2**63 - 1, -(2**63)  # differences of these wrap around
    else:
        array = array[:-1]
    (copy / name).unlink()  # it is still mapped
    array.tofile(copy / name)
    with pytest.raises(ModelError, match="not sound"):
        firth.Counts(copy.joinpath, list(part.files), part.parameters)


@pytest.mark.parametrize(
    "text",
    ["[]", "[" * 100_000, "[[]]", '[{"name": 1}]', '[{"name": "a", "kind": "text", "path": 5}]'],
)
def test_sources_that_are_none_are_not_trusted(
    text: str, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    part, copy = copy_of("corpus", text_file, tmp_path)
    (copy / "sources.json").write_text(text)
    with pytest.raises(ModelError, match="cannot be trusted"):
        firth.Corpus(copy.joinpath, part.parameters)


def start(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "firth", "learn", *map(str, args), "--threads", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)


def finish(*args: Any) -> None:
    process = start(*args)
    _, err = process.communicate()
    assert process.returncode == 0, err.decode()


@pytest.mark.slow
def test_kill_at_random_moments_then_the_same_bytes(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = text_file(zipf_text(30_000))
    clean, model = tmp_path / "clean", tmp_path / "model"
    started = time.perf_counter()
    finish(path, "-o", clean)
    duration = time.perf_counter() - started
    chance = random.Random(2)
    killed = 0
    for _ in range(9):
        process = start(path, "-o", model)
        time.sleep(chance.uniform(0.3, 1.0) * duration)
        process.kill()
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        if (model / "firth.json").exists():
            opened = firth.load(model)
            for name in opened.parts:  # whatever is there is whole
                getattr(opened, name)
            if "counts" in opened:
                shutil.rmtree(model)
    assert killed > 3
    finish(path, "-o", model)
    assert everything(model) == everything(clean)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_leave_nothing_half_done(
    sent: signal.Signals, status: int, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = text_file(zipf_text(150_000))
    model = tmp_path / "model"
    statuses = set()
    for delay in (0.0, 0.1, 0.4):
        process = start(path, "-o", model, "--dim", 0, "--classes", 0)
        while process.poll() is None and not (model / "corpus" / ".draft").exists():
            time.sleep(0.01)  # until it is at work
        time.sleep(delay)
        process.send_signal(sent)
        _, err = process.communicate(timeout=30)
        statuses.add(process.returncode)
        assert b"Traceback" not in err, err.decode()
        if process.returncode == 130:
            assert b"error: Interrupted" in err
            assert b"goes on from there" in err
        if model.exists():
            assert not list(model.rglob(".draft"))
            assert (model / "firth.json").exists()
    assert status in statuses, statuses
    for folder in (model, tmp_path / "clean"):
        firth.learn(path, folder, dim=0, classes=0)
    assert everything(model) == everything(tmp_path / "clean")


def test_names_of_tags_belong_to_what_was_learned(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    from firth.pipeline import learn_tags, name_tags
    from firth.store import writing

    path, text = tmp_path / "model", text_file("the cat sees a dog\na dog hears the cat\n" * 9)
    assert "tags" in firth.learn(text, path, tags=3, dim=0, classes=0).changed
    assert name_tags(path, {"0": "A"}).tags.tags_ == ["A", "1", "2"]
    assert firth.learn(text, path, tags=3, dim=0, classes=0).changed == []

    def anew(**options: Any) -> bool:
        with writing(path) as writer:
            return learn_tags(writer, "anchors", options, None, "1G", Engine(1))

    assert not anew(n_tags=3)
    assert firth.load(path).tags.tags_[0] == "A"
    assert anew(n_tags=3, decode="viterbi")
    opened = firth.load(path)
    assert (opened.tags.decode, opened.tags.tags_[0]) == ("viterbi", "A"), "the same tags"
    assert anew(n_tags=2)
    opened = firth.load(path)
    assert opened.is_stale("tag_names")
    assert (opened.tag_names, opened.tags.tags_) == ({}, ["0", "1"])
    text.write_text("one two three\ntwo three one\n" * 9)
    firth.learn(text, path, dim=0, classes=0)
    assert firth.load(path).is_stale("tags")
    with pytest.raises(ModelError, match="made from an older corpus"):
        firth.load(path).tags  # noqa: B018
