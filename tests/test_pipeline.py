"""Learning as a whole: nothing done twice, nothing lost, the same bytes after any interruption."""

from __future__ import annotations

import os
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
from firth.counts import _count
from firth.errors import InputError, ModelError, ParameterError
from firth.pipeline import (
    learn_classes,
    learn_counts,
    learn_map,
    learn_tags,
    learn_vectors,
    name_tags,
    plan,
)
from firth.store import Checkpoint, Part, read_array
from firth.vectors import ScaledCounts, _decomposition
from tests.conftest import zipf_text
from tests.loading import is_mapped, load
from tests.store.test_store import everything


def test_learn_and_load(text_file: Callable[..., Path], tmp_path: Path) -> None:
    model = firth.learn(text_file(zipf_text(500)), tmp_path / "model", threads=2)
    assert repr(model).endswith("model: classes, corpus, counts, grammar_vectors, vectors>")
    again = firth.load(tmp_path / "model")
    assert again.corpus.n_tokens == model.corpus.n_tokens > 5000
    assert again.counts.contexts.name == "LR2"
    assert again.corpus.vocabulary.n_kept(5) == again.counts.n_words
    assert is_mapped(again.corpus.ids)
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
    merge = _count.merge_runs

    def noting(layout: Any, runs: Any, *rest: Any) -> int:
        merged.append(len(runs))
        return merge(layout, runs, *rest)

    # as if a token took far more room, so that 64 MB do not hold the corpus
    monkeypatch.setattr(_count, "_BYTES_PER_CELL", 1 << 14)
    monkeypatch.setattr(_count, "merge_runs", noting)
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
        firth.learn(other, model, min_count=100, replace=True)  # stops after the corpus
    opened = firth.load(model)
    assert opened.corpus.vocabulary[0] == "d"
    assert opened.is_stale("counts")
    with pytest.raises(ModelError, match="out of date: the corpus has changed") as error:
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
        load("corpus", copy, part.parameters)


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
    with pytest.raises(ModelError, match="The counts in .* cannot be used"):
        load("counts", copy, part.parameters)


@pytest.mark.parametrize(
    "text",
    ["[]", "[" * 100_000, "[[]]", '[{"name": 1}]', '[{"name": "a", "kind": "text", "path": 5}]'],
)
def test_sources_that_are_none_are_not_trusted(
    text: str, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    part, copy = copy_of("corpus", text_file, tmp_path)
    (copy / "sources.json").write_text(text)
    with pytest.raises(ModelError, match="The corpus in .* cannot be used: sources.json"):
        load("corpus", copy, part.parameters)


def start(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "firth", "learn", *map(str, args), "--threads", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)


def finish(*args: Any) -> None:
    process = start(*args)
    _, err = process.communicate()
    assert process.returncode == 0, err.decode()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")
@pytest.mark.parametrize(
    ("sent", "status", "delays"),
    [(signal.SIGINT, 130, [0.0, 0.1, 0.4]), (signal.SIGTERM, 143, [0.1])],
)
def test_ctrl_c_and_sigterm_leave_nothing_half_done(
    sent: signal.Signals,
    status: int,
    delays: list[float],
    text_file: Callable[..., Path],
    tmp_path: Path,
) -> None:
    path = text_file(zipf_text(150_000))
    model = tmp_path / "model"
    statuses = set()
    for delay in delays:
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
            assert b"continues from there" in err
        if model.exists():
            assert not list(model.rglob(".draft"))
            assert (model / "firth.json").exists()
    assert status in statuses, statuses
    for folder in (model, tmp_path / "clean"):
        firth.learn(path, folder, dim=0, classes=0)
    assert everything(model) == everything(tmp_path / "clean")


@pytest.mark.parametrize("part", ["vectors", "classes"])
def test_an_interrupted_decomposition_goes_on(
    part: str, text_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes are those of a run that was left alone."""
    monkeypatch.setattr(_decomposition, "_DENSE", 10)
    monkeypatch.setattr(Checkpoint, "is_due", True)
    text, left, n_products = text_file(zipf_text(600, n_words=700)), 10**9, 0

    class Failing(ScaledCounts):
        def square(self, block: Any, turned: bool) -> Any:
            nonlocal left, n_products
            left, n_products = left - 1, n_products + 1
            if left < 0:
                raise KeyboardInterrupt
            return super().square(block, turned)

    def learn(path: Path) -> None:
        if part == "vectors":
            learn_vectors(path, text, dim=10, min_count=2)
        else:
            learn_classes(path, text, method="spectral", n_classes=10, min_count=2, refine=False)

    monkeypatch.setattr(_decomposition, "ScaledCounts", Failing)
    learn(tmp_path / "at once")
    without, n_products = n_products, 0
    for some in (2, 1):
        left = some
        with pytest.raises(KeyboardInterrupt):
            learn(tmp_path / "model")
        assert list((tmp_path / "model" / part).glob(".unfinished-*/decomposition.blocks"))
    left = 10**9
    learn(tmp_path / "model")
    assert n_products == without + 2, "only what was interrupted is computed again"
    assert not list((tmp_path / "model" / part).glob(".*"))
    assert everything(tmp_path / "model") == everything(tmp_path / "at once")


def test_names_of_tags_belong_to_what_was_learned(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path, text = tmp_path / "model", text_file("the cat sees a dog\na dog hears the cat\n" * 9)
    assert "tags" in firth.learn(text, path, tags=3, dim=0, classes=0).changed
    assert name_tags(path, {"0": "A"}).tags.tags_ == ["A", "1", "2"]
    assert firth.learn(text, path, tags=3, dim=0, classes=0).changed == []

    assert learn_tags(path, n_tags=3).changed == []
    assert firth.load(path).tags.tags_[0] == "A"
    opened = learn_tags(path, n_tags=3, decode="viterbi")
    assert opened.changed == ["tags"]
    assert (opened.tags.decode, opened.tags.tags_[0]) == ("viterbi", "A"), "the same tags"
    opened = learn_tags(path, n_tags=2)
    assert not opened.is_stale("tag_names")
    assert [*opened.tag_names.values(), *(one.name for one in opened.tag_names.left)] == ["A"]
    text.write_text("one two three\ntwo three one\n" * 9)
    firth.learn(text, path, dim=0, classes=0)
    assert firth.load(path).is_stale("tags")
    with pytest.raises(ModelError, match="out of date"):
        firth.load(path).tags  # noqa: B018


# Stages one by one -------------------------------------------------------------------------------

LINES = "the cat sees a dog\na dog hears the cat\nthe bird sees a cat\n" * 9


@pytest.mark.parametrize("function", [learn_counts, learn_vectors, learn_tags, learn_map])
def test_unknown_names_are_refused_before_anything_is_written(
    function: Callable[..., Any], text_file: Callable[..., Path], tmp_path: Path
) -> None:
    texts = () if function is learn_map else (text_file(LINES),)
    with pytest.raises((TypeError, ParameterError), match="'nonsense'"):
        function(tmp_path / "m", *texts, nonsense=1)
    assert not (tmp_path / "m").exists()


def test_learn_and_plan_name_all_unknown_options(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match=r"learn\(\) got unexpected keyword arguments: 'a', 'b'"):
        firth.learn(text_file(LINES), tmp_path / "m", a=1, lowercase=True, b=2)
    with pytest.raises(TypeError, match=r"plan\(\) got unexpected keyword arguments: 'a'"):
        plan(text_file(LINES), a=1)
    assert not (tmp_path / "m").exists()


def test_a_plan_takes_the_options_of_learn(text_file: Callable[..., Path]) -> None:
    path = text_file("A rose is a rose\n" * 9)
    made = plan(path, lowercase=True, min_count=10, dim=0, classes=0)
    assert made.exact
    assert (made.n_tokens, made.n_types) == (45, 3)
    corpus = firth.Corpus.from_files(path, lowercase=True)
    assert made.n_entries == firth.count(corpus, min_count=10).n_entries
    assert plan(path, dim=0, classes=0).disk < plan(path, dim=300).disk
    for wrong in ({"dim": -1}, {"preset": "x"}, {"classes": 1.5}, {"tags": None}, {"memory": "1"}):
        with pytest.raises(ParameterError, match=f"The '{next(iter(wrong))}' parameter"):
            plan(path, **wrong)
    with pytest.raises(InputError, match="standard input"):
        plan("-")


def test_counts_keep_parameters_that_are_not_given(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path, m = text_file(LINES), tmp_path / "m"
    model = learn_counts(m, path, contexts="bag3", min_count=2, lowercase=True)
    assert model.changed == ["corpus", "counts"]
    assert learn_counts(m).changed == []
    kept = learn_counts(m, weights="distance").counts.parameters
    assert (kept.contexts, kept.weights, kept.min_count) == ("bag3", "distance", 2)
    with pytest.raises(ParameterError, match="'lowercase' parameter does not apply to a model"):
        learn_counts(m, lowercase=True)


def test_vectors_keep_parameters_that_are_not_given(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path, m = text_file(LINES), tmp_path / "m"
    made = learn_vectors(m, path, dim=3).vectors.made
    how = {name: made[name] for name in ("contexts", "weights", "alpha", "beta")}
    assert how == {"contexts": "bag20+LR2/16", "weights": "distance", "alpha": 1.0, "beta": 0.25}
    made = learn_vectors(m, preset="paper", kappa=1).vectors.made
    how = {name: made[name] for name in ("contexts", "weights", "alpha", "beta", "kappa", "dim")}
    paper = {"contexts": "bag5", "weights": "none", "alpha": 0.75, "beta": 0.0}
    assert how == {**paper, "kappa": 1.0, "dim": 3}
    assert learn_vectors(m).changed == []
    made = learn_vectors(m, preset="syntax", beta=0.1, min_count=2).vectors.made
    assert (made["contexts"], made["alpha"], made["beta"]) == ("LR2", 1.0, 0.1), "given, not preset"
    assert (made["kappa"], made["min_count"]) == (1.0, 2)


def test_vectors_take_the_vocabulary_of_the_counts(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model = learn_counts(tmp_path / "m", text_file(LINES), min_count=20, across_lines=True)
    made = learn_vectors(tmp_path / "m", dim=2).vectors.made
    assert (made["min_count"], made["across_lines"], made["contexts"]) == (20, True, "bag20+LR2/16")
    assert len(model.counts.vocabulary) < model.corpus.n_types


def test_the_defaults_of_vectors_are_those_of_learn(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    """The estimator, ``learn_vectors`` and ``learn`` give the same bytes."""
    path = text_file(LINES)
    whole = firth.learn(path, tmp_path / "a", dim=3, classes=0)
    alone = learn_vectors(tmp_path / "b", path, dim=3)
    assert alone.parts["vectors"] == whole.parts["vectors"].__class__(
        **{**vars(whole.parts["vectors"]), "folder": alone.parts["vectors"].folder}
    )
    fitted = firth.SpectralEmbedding(3).fit(path).vectors_
    assert np.array_equal(fitted.matrix, whole.vectors.matrix)
    assert fitted.made == {**whole.vectors.made, "dim": 3}


def test_vectors_of_the_former_default_are_learned_again_with_a_reason(
    text_file: Callable[..., Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, m = text_file(LINES), tmp_path / "m"
    for _ in range(2):
        former = firth.learn(path, m, dim=3, classes=0, preset="similarity")
    assert former.changed == []
    assert "learned again" not in caplog.text
    assert firth.learn(path, m, dim=3, classes=0).changed == ["vectors"]
    assert "the default preset is general now" in caplog.text
    caplog.clear()
    assert firth.learn(path, m, dim=3, classes=0).changed == []
    assert "learned again" not in caplog.text


def test_a_map_is_made_once(text_file: Callable[..., Path], tmp_path: Path) -> None:
    learn_vectors(tmp_path / "m", text_file(LINES), dim=3)
    model = learn_map(tmp_path / "m", words=4, n_early=10, n_late=10)
    assert model.changed == ["map"]
    assert len(model.map) == 4
    assert learn_map(tmp_path / "m", words=4, n_early=10, n_late=10, threads=1).changed == []
    with pytest.raises(ParameterError, match="'perplexity' parameter of WordMap.learn"):
        learn_map(tmp_path / "m", perplexity=0)
    with pytest.raises(ModelError, match="has no word vectors"):
        learn_map(tmp_path / "none")
    assert not (tmp_path / "none").exists()
