"""firth classes, and classes in the other commands."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from firth.compute import Engine
from firth.model import load
from firth.pipeline import make_classes
from firth.plots import tree_figure
from tests.cli.test_commands import Run
from tests.conftest import zipf_text

TEXT = "the cat sat on the mat\nthe dog sat on the rug\na cat saw a dog\na dog saw a cat\n" * 6
OTHER = "the cow sat on the mat\na cow saw a horse\nthe purring cat saw the cow\n"


@pytest.fixture
def model(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> Path:
    path = tmp_path / "model"
    firth("learn", text_file(TEXT), "-o", path, "--dim", 0, "--classes", 4, "-q")
    return path


def test_learn_learns_classes_unless_told_not_to(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = text_file(TEXT)
    firth("learn", text, "-o", tmp_path / "default", "--dim", 0, "-q")
    assert load(tmp_path / "default").classes.n_classes == 6, "twice the square root of 9 words"
    firth("learn", text, "-o", tmp_path / "none", "--dim", 0, "--classes", 0, "-q")
    assert "classes" not in load(tmp_path / "none")


def test_a_text_too_small_for_classes_is_no_error_unless_they_are_asked_for(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    lonely = text_file("word word word\n" * 9)
    result = firth("learn", lonely, "-o", tmp_path / "m", "--dim", 0)
    assert "No word classes were learned" in result.err
    result = fails(
        "learn", lonely, "-o", tmp_path / "n", "--dim", 0, "--classes", 2, "-q", status=1
    )
    assert "error:" in result.err
    assert "classes" not in load(tmp_path / "n")


@pytest.mark.parametrize("method", ["brown", "spectral", "seeds"])
def test_methods(firth: Run, model: Path, method: str) -> None:
    kappa = ["--kappa", 0] if method == "spectral" else []
    firth("classes", "learn", model, "--method", method, "--classes", 4, *kappa, "-q")
    opened = load(model)
    assert opened.classes.n_classes == 4
    assert opened.parts["classes"].parameters["method"] == method
    classes = opened.classes
    assert classes.path("cat") == classes.path("dog")


def test_a_stage_alone_keeps_what_is_not_said(firth: Run, model: Path) -> None:
    firth("classes", "learn", model, "--no-refine", "-q")
    parameters = load(model).parts["classes"].parameters
    assert (parameters["n_classes"], parameters["refine"]) == (4, False)
    assert "Nothing to do" in firth("classes", "learn", model).out
    firth("classes", "learn", model, "--classes", 3, "-q")
    parameters = load(model).parts["classes"].parameters
    assert (parameters["n_classes"], parameters["refine"]) == (3, False)


def test_learn_from_text(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    firth("classes", "learn", text_file(TEXT), "-o", tmp_path / "m", "--classes", 3, "-q")
    assert sorted(load(tmp_path / "m").parts) == ["classes", "corpus"]


def test_show_a_word(firth: Run, model: Path) -> None:
    out = firth("show", model, "cat").out
    path = load(model).classes.path("cat")
    assert f"class {path}" in out
    assert "beside it" in out
    assert "before it" in out
    facts = json.loads(firth("show", model, "cat", "--json").out)["class"]
    assert {m["word"] for m in facts["members"]} >= {"cat", "dog"}
    assert {c["word"] for c in facts["before"]} == {"the", "a"}
    assert facts["siblings"]


def test_walk_the_tree(firth: Run, fails: Run, model: Path) -> None:
    classes = load(model).classes
    whole = json.loads(firth("classes", "show", model, "--depth", 9, "--json").out)
    assert [row["path"] for row in whole["below"]] == classes.paths
    assert sum(row["tokens"] for row in whole["below"]) == 6 * 22
    below = json.loads(firth("classes", "show", model, "0", "--depth", 9, "--json").out)["below"]
    assert [row["path"] for row in below] == [
        p for p in classes.paths if p.startswith("0") and p != "0"
    ]
    leaf = firth("classes", "show", model, classes.path("cat")).out
    assert "cat 18" in leaf.replace("  ", " ")
    result = fails("classes", "show", model, "cat", status=2)
    assert "consists of 0 and 1" in result.err
    assert "firth show" in result.err
    assert "No path of the tree begins with" in fails("classes", "show", model, "0101010101").err


def test_names_are_kept_and_taken_away(firth: Run, fails: Run, model: Path) -> None:
    path = load(model).classes.path("cat")
    firth("classes", "name", model, f"{path}=animals", "=all of it")
    assert load(model).classes.label(path) == "animals"
    assert "animals" in firth("show", model, "dog").out
    assert "all of it" not in firth("classes", "name", model, "=", "-q").out
    assert load(model).names == {path: "animals"}
    assert "PATH=NAME" in fails("classes", "name", model, "animals", status=2).err
    assert "no node '010101'" in fails("classes", "name", model, "010101=x").err
    again = firth("classes", "learn", model, "--classes", 3)
    assert (
        "1 name carried over to the new word classes" in again.err or "kept: animals" in again.err
    )
    assert [*load(model).names.values(), *(one.name for one in load(model).names.left)] == [
        "animals"
    ]


def test_apply(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    other = text_file(OTHER, "other.txt")
    found = json.loads(firth("classes", "apply", model, other, "--json").out)
    by_word = {row["word"]: row for row in found["words"]}
    assert set(by_word) == {"cow", "horse", "purring"}
    assert by_word["cow"]["source"] == "contexts"
    assert by_word["cow"]["path"] == load(model).classes.path("cat")
    out = firth("classes", "apply", model, other, "--all", "-o", tmp_path / "other.paths").out
    assert "by contexts" in out
    assert len((tmp_path / "other.paths").read_text().splitlines()) == 10
    alone = json.loads(
        firth("classes", "apply", model, "--word", "zebra", "--word", "cat", "--json").out
    )
    assert [row["source"] for row in alone["words"]] == ["unknown", "vocabulary"]
    assert "Give a text or --word" in fails("classes", "apply", model, status=2).err
    assert "have a class" in firth("classes", "apply", model, text_file(TEXT, "same.txt")).out


def test_evaluate(firth: Run, model: Path, text_file: Callable[..., Path]) -> None:
    other = text_file(OTHER, "other.txt")
    tags = "".join(
        f"{w}\t{t}\n" for w, t in [("cat", "N"), ("dog", "N"), ("sat", "V"), ("the", "D")]
    )
    tagged = text_file(tags, "tags.txt")
    facts = json.loads(
        firth("classes", "evaluate", model, "--text", other, "--tagged", tagged, "--json").out
    )
    assert facts["mutual_information"]["bits"] == pytest.approx(
        facts["mutual_information"]["nats"] / 0.6931472
    )
    assert facts["held_out"]["perplexity"] > 1
    assert [row["classes"] for row in facts["tags"]["rows"]] == [3, 4]
    assert facts["tags"]["rows"][1]["many_to_one"] == 1
    out = firth("classes", "evaluate", model, "--text", other, "--tagged", tagged).out
    for words in ("mutual information", "bits", "held-out perplexity", "V-measure"):
        assert words in out


def test_curve(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    alone = json.loads(firth("classes", "curve", model, "--json").out)
    assert (alone["kind"], [row["k"] for row in alone["rows"]]) == ("leave-one-out", [2, 3, 4])
    held = firth("classes", "curve", model, "--text", text_file(OTHER, "other.txt")).out
    assert "held-out perplexity" in held
    assert "suggestion" in held
    firth("classes", "curve", model, "-o", tmp_path / "curve.html")
    assert "<html>" in (tmp_path / "curve.html").read_text()


def test_a_trace_for_teaching(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    firth("classes", "learn", model, "--trace", tmp_path / "trace.tsv", "-q")
    rows = list(csv.DictReader((tmp_path / "trace.tsv").read_text().splitlines(), delimiter="\t"))
    assert len(rows) == 8, "one merge fewer than words"
    assert [row["step"] for row in rows] == [str(i) for i in range(1, 9)]
    assert sorted((rows[-1]["left"] + " " + rows[-1]["right"]).split()) == sorted(set(TEXT.split()))
    assert all(float(row["loss in bits"]) >= 0 for row in rows)
    result = fails(
        "classes", "learn", model, "--method", "spectral", "--trace", tmp_path / "t", status=2
    )
    assert "--trace does not apply to --method spectral" in result.err


@pytest.mark.parametrize("form", ["paths", "clustercat"])
def test_export_and_import(firth: Run, model: Path, tmp_path: Path, form: str) -> None:
    firth("export", model, "--format", form, "-o", tmp_path / "classes.txt")
    firth("import", tmp_path / "classes.txt", "-o", tmp_path / "other")
    ours, theirs = load(model).classes, load(tmp_path / "other").classes
    assert {w: ours.id(w) for w in ours} == {w: theirs.id(w) for w in theirs}
    if form == "paths":
        assert {w: ours.path(w) for w in ours} == {w: theirs.path(w) for w in theirs}
    assert "imported" in firth("show", tmp_path / "other").out
    assert "class " in firth("show", tmp_path / "other", "cat").out
    assert (
        "unknown: the classes were imported" in firth("classes", "evaluate", tmp_path / "other").out
    )
    assert (
        "Nothing to do" in firth("import", tmp_path / "classes.txt", "-o", tmp_path / "other").out
    )
    assert "class " in firth("classes", "show", tmp_path / "classes.txt", "0").out, "a file will do"


def test_export_a_table(firth: Run, model: Path, tmp_path: Path) -> None:
    firth("export", model, "-o", tmp_path / "classes.csv")
    rows = list(csv.DictReader((tmp_path / "classes.csv").read_text().splitlines()))
    assert len(rows) == 9
    cat = next(row for row in rows if row["word"] == "cat")
    assert (cat["path"], cat["count"]) == (load(model).classes.path("cat"), "18")
    firth("export", model, "-o", tmp_path / "few.paths", "--top", 2)
    assert len((tmp_path / "few.paths").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("0\tcat\t1\n01\tdog\t1\n", "Line"),
        ("0\tcat\t1\n1\tcat\t1\n", "Line 2"),
        ("0\tcat\n1\tdog\n", "Line 1"),
        ("0\tcat\t1\n2\tdog\t1\n0\tx\t1\n", "Line 2"),
    ],
)
def test_wrong_paths_files_name_the_line_and_write_nothing(
    fails: Run, text_file: Callable[..., Path], tmp_path: Path, lines: str, message: str
) -> None:
    result = fails("import", text_file(lines, "p.paths"), "-o", tmp_path / "m", "--format", "paths")
    assert message in result.err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("number", "message"),
    [(1, "at least 2"), (50, "between 2 and 9"), (-3, "at least 2")],
)
def test_wrong_numbers_of_classes(fails: Run, model: Path, number: int, message: str) -> None:
    before = load(model).parts["classes"].identity
    assert message in fails("classes", "learn", model, "--classes", number, status=2).err
    assert load(model).parts["classes"].identity == before


def test_the_tree_as_a_figure(firth: Run, model: Path, tmp_path: Path) -> None:
    firth("plot", "tree", model, "-o", tmp_path / "tree.html", "--depth", 2)
    assert "cat" in (tmp_path / "tree.html").read_text()


@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    """Killed in the middle, and run again: the classes are those of a run that was left alone."""
    text = text_file(zipf_text(4000, n_words=3000))
    script = (
        "import firth.store._checkpoint as checkpoint, firth.classes._merging as merging\n"
        "import firth.cli as cli\n"
        "checkpoint._SECONDS_PER_CHECKPOINT = 0.0\n"
        "merging._SECONDS_PER_BATCH = 0.01\n"
        "cli.main()\n"
    )

    def learn(path: Path, kill_after: Path | None = None) -> int:
        arguments = ["classes", "learn", str(text), "-o", str(path), "--classes", "60", "-q"]
        process = subprocess.Popen(
            [sys.executable, "-c", script, *arguments], stderr=subprocess.PIPE
        )
        if kill_after is not None:
            deadline = time.monotonic() + 120
            while (
                not list(path.glob("classes/.unfinished-*/brown.state"))
                and time.monotonic() < deadline
            ):
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGINT)
        error = process.communicate()[1]
        status = process.returncode
        if kill_after is not None and status:
            assert b"continues from there" in error
        return status

    assert learn(tmp_path / "whole") == 0
    assert learn(tmp_path / "cut", kill_after=tmp_path / "cut") in (0, 130)
    assert learn(tmp_path / "cut") == 0
    for name in ("class_of.i32", "merges.i32", "heights.f64", "follow.i64"):
        ours, theirs = (
            load(tmp_path / m).parts["classes"].path(name).read_bytes() for m in ("cut", "whole")
        )
        assert ours == theirs
    assert not list((tmp_path / "cut" / "classes").glob(".unfinished*"))


def test_unfinished_work_of_other_parameters_is_thrown_away(
    firth: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.classes import ClassesParameters
    from firth.counts import CountsParameters
    from firth.store import writing

    def cut(_counts: object, _how: object, _threads: object, folder: Path, *_: object) -> None:
        folder.mkdir()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("firth.classes.learn_hierarchy", cut)
        with pytest.raises(KeyboardInterrupt), writing(model) as writer:
            make_classes(
                writer, CountsParameters(min_count=1), ClassesParameters(3), "1G", Engine(1)
            )
    assert len(list((model / "classes").glob(".unfinished*"))) == 1
    assert load(model).classes.n_classes == 4, "what was there is still there"
    firth("classes", "learn", model, "--classes", 5, "-q")
    assert not list((model / "classes").glob(".unfinished*"))


def test_tags_are_looked_up_as_the_corpus_was_read(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    model = tmp_path / "m"
    firth("learn", text_file(TEXT), "-o", model, "--dim", 0, "--classes", 4, "--lowercase", "-q")
    tagged = text_file("The\tD\nCAT\tN\nsat\tV\n", "tags.txt")
    facts = json.loads(firth("classes", "evaluate", model, "--tagged", tagged, "--json").out)
    assert facts["tags"]["n_outside"] == 0


def test_options_of_spectral_classes_are_not_silently_ignored(fails: Run, model: Path) -> None:
    assert (
        "--kappa does not apply to --method brown: it is for spectral"
        in fails("classes", "learn", model, "--kappa", 3, status=2).err
    )


def test_nothing_is_left_behind(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    firth("classes", "learn", model, "--trace", tmp_path / "t.tsv", "-q")
    fails("classes", "learn", model, "--classes", 5000, status=2)
    assert not list((model / "classes").glob(".unfinished*"))


def test_the_most_frequent_words_are_exported_whatever_their_order(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    firth("import", text_file("0\trare\t1\n1\tthe\t1000\n", "un.paths"), "-o", tmp_path / "m")
    firth("export", tmp_path / "m", "-o", tmp_path / "top.paths", "--top", 1)
    assert (tmp_path / "top.paths").read_text() == "1\tthe\t1000\n"


def test_names_from_a_file_survive_a_kill_between_classes_and_names(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = text_file("cat\tanimal\ndog\tanimal\nsat\tverb\n", "named.txt")
    with monkeypatch.context() as patch:
        patch.setattr("firth.pipeline._importing.name_classes", lambda *_: sys.exit(9))
        assert firth("import", file, "-o", tmp_path / "m").status == 9
    firth("import", file, "-o", tmp_path / "m")
    assert sorted(load(tmp_path / "m").names.values()) == ["animal", "verb"]


def test_the_rare_symbol_is_shown_but_names_no_class(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = TEXT + "".join(f"the word{i} sat\n" for i in range(60))
    firth("classes", "learn", text_file(text), "-o", tmp_path / "m", "--classes", 4, "-q")
    classes = load(tmp_path / "m").classes
    assert classes.rare is not None
    facts = json.loads(
        firth("classes", "show", tmp_path / "m", classes.paths[classes.rare], "--json").out
    )
    assert facts["rare"] == 60
    assert (
        "too rare to be learned 60" in firth("classes", "show", tmp_path / "m", facts["path"]).out
    )
    assert facts["too_rare"], "more of its tokens are of rare words than of known ones"
    assert facts["label"] == "(rare words)"
    share = f"too rare to be learned: {60 / classes.tokens.sum():.1%} of the text"
    (line,) = [
        line
        for line in firth("classes", "show", tmp_path / "m", "--depth", 9).out.splitlines()
        if line.startswith(facts["path"])
    ]
    assert line.endswith(share)
    assert "%" not in line.removesuffix(share), "no word, and no share of known words"
    (boxes,) = tree_figure(classes).data
    grey = [k for k, colour in enumerate(boxes.marker.colors) if colour == "#c8ccd0"]
    assert [boxes.labels[k] for k in grey] == ["(rare words)"]
