"""Every command once rightly and once wrongly, as a person without a terminal would see it."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Result, zipf_text

Run = Callable[..., Result]
TEXT = "The cat sat on the mat. The dog sat on the rug.\nA cat and a dog sat.\n" * 20


@pytest.fixture
def model(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> Path:
    path = tmp_path / "model"
    assert firth("learn", text_file(TEXT), "-o", path, "-q").status == 0
    return path


def test_help_and_version(firth: Run) -> None:
    for args in ([], ["--help"]):
        shown = firth(*args)
        assert "learn" in shown.out + shown.err
        assert "demo" in shown.out + shown.err
    assert firth("--version").out.startswith("firth 0.")
    for command in ("learn", "show", "find", "demo", "corpus learn", "corpus apply", "corpus show", "corpus evaluate",
                    "counts learn", "counts show", "vectors learn", "vectors apply", "vectors show", "vectors evaluate",
                    "classes learn", "classes show", "classes name", "classes apply", "classes evaluate",
                    "classes curve", "similar", "analogy", "export", "import", "plot scree", "plot tree"):  # fmt: skip
        result = firth(*command.split(), "--help")
        assert result.status == 0
        assert "Example:" in result.out, command


@pytest.mark.parametrize(
    "line",
    [
        "lern",
        "learn",
        "learn x",
        "show",
        "find m",
        "corpus",
        "learn x -o m --threads two",
        "learn x -o m --nonsense",
    ],
)
def test_wrong_usage_is_status_2(line: str, firth: Run) -> None:
    result = firth(*line.split())
    assert result.status == 2, result
    assert "Traceback" not in result.err


def test_numbers_and_missing_values_are_explained(firth: Run) -> None:
    for line, said in (
        ("learn x -o m --dim abc", "--dim must be an integer. Got abc."),
        ("learn x -o m --min-count 1.5", "--min-count must be an integer. Got 1.5."),
        ("similar m a -n 0", "-n must be at least 1. Got 0."),
        ("learn x -o", "See: firth learn --help"),
    ):
        wrong = firth(*line.split())
        assert wrong.status == 2
        assert said in wrong.err, wrong


def test_learn_says_what_it_did_and_what_next(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    result = firth("learn", text_file(TEXT), "-o", tmp_path / "m")
    assert result.status == 0
    assert "corpus          420 tokens, 12 types, 40 sentences" in result.out
    assert "counts          12 words in LR2 contexts" in result.out
    assert "firth show" in result.out
    assert "reading: done in" in result.err
    again = firth("learn", text_file(TEXT), "-o", tmp_path / "m")
    assert "Nothing to do" in again.out
    assert "reading" not in again.err
    quiet = firth("learn", text_file(TEXT), "-o", tmp_path / "m2", "--quiet")
    assert (quiet.out, quiet.err) == ("", "")


def test_json_is_alone_on_standard_output(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    learned = json.loads(firth("learn", text_file(TEXT), "-o", tmp_path / "m", "--json").out)
    assert learned["changed"] == ["corpus", "counts", "vectors", "grammar_vectors", "classes"]
    assert learned["parts"]["corpus"]["n_tokens"] == 420
    assert learned["parts"]["counts"]["seconds"] >= 0
    assert (
        json.loads(firth("learn", text_file(TEXT), "-o", tmp_path / "m", "--json").out)["changed"]
        == []
    )
    m = tmp_path / "m"
    assert json.loads(firth("show", m, "--json").out)["parts"]["counts"]["n_words"] == 12
    word = json.loads(firth("show", m, "cat", "--json").out)
    assert (word["count"], word["rank"]) == (40, 4)
    assert {c["word"] for c in word["before"]} == {"The", "A"}
    found = json.loads(firth("find", m, "cat", "-n", "3", "--json").out)
    assert found["count"] == 40
    assert [hit["word"] for hit in found["hits"]] == ["cat"] * 3
    assert json.loads(firth("corpus", "show", m, "--json", "-n", "2").out)["words"][0] == {
        "word": ".",
        "count": 60,
    }
    assert json.loads(firth("counts", "show", m, "--json").out)["pairs"] > 0
    plan = json.loads(
        firth("learn", text_file(TEXT), "-o", tmp_path / "no", "--plan", "--json").out
    )
    assert plan["exact"]
    assert plan["n_tokens"] == 420
    assert not (tmp_path / "no").exists()


def test_show(firth: Run, model: Path) -> None:
    summary = firth("show", model)
    assert summary.status == 0
    assert "most frequent  .  sat  The" in summary.out
    assert "100.0%" in summary.out
    word = firth("show", model, "cat")
    assert "cat  40 times, rank 4" in word.out
    assert "before it" in word.out
    assert "after it" in word.out
    assert firth("counts", "show", model).status == 0
    assert "before it" in firth("counts", "show", model, "dog").out
    assert "sat" in firth("corpus", "show", model).out


def test_find(firth: Run, model: Path) -> None:
    found = firth("find", model, "dog", "-n", "2")
    lines = found.out.splitlines()
    assert lines[0].strip() == "The cat sat on the mat. The dog sat on the rug."
    assert lines[-1] == "2 of 40 occurrences, evenly spread"


def test_words_that_are_not_there(fails: Run, model: Path) -> None:
    assert "The word 'Cat' is not in the corpus." in fails("show", model, "Cat").err
    assert "hint: There is 'cat'." in fails("find", model, "Cat").err


def test_stages_one_by_one(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    m = tmp_path / "m"
    assert firth("corpus", "learn", text_file(TEXT), "-o", m, "--lowercase").status == 0
    assert "nothing was counted yet" in firth("show", m, "cat").out
    result = firth(
        "counts", "learn", m, "--contexts", "bag2", "--weights", "distance", "--min-count", "1"
    )
    assert result.status == 0
    assert "bag2 contexts" in result.out
    assert "near it" in firth("show", m, "cat").out
    assert "one bag of offsets: -2, -1, 1, 2" in firth("counts", "show", m).out
    assert firth(
        "counts", "learn", m, "--contexts", "bag2", "--weights", "distance", "--min-count", "1"
    ).out.startswith("Nothing")


def test_apply_prints_tokens(
    firth: Run, text_file: Callable[..., Path], model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = text_file("It's here. Really?\nÉté 12\n", "other.txt")
    assert firth("corpus", "apply", path).out == "It 's here . Really ?\nÉté 12\n"
    args = ("--split", "sentences", "--lowercase", "--digits", "zero")
    assert firth("corpus", "apply", path, *args).out == "it 's here .\nreally ?\nété 00\n"
    assert (
        firth("corpus", "apply", path, "--tokens", "whitespace").out
        == "It's here. Really?\nÉté 12\n"
    )
    assert firth("corpus", "apply", path, "--split", "none").out == "It 's here . Really ? Été 12\n"
    assert firth("corpus", "apply", path, "--using", model).out == "It 's here . Really ?\nÉté 12\n"

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from standard input")))
    assert firth("corpus", "apply", "-").out == "from standard input\n"


def test_evaluate_coverage_of_another_text(
    firth: Run, fails: Run, text_file: Callable[..., Path], model: Path
) -> None:
    other = text_file("the cat sat on a zebra\n", "other.txt")
    result = json.loads(firth("corpus", "evaluate", model, other, "--json").out)
    assert result["n_tokens"] == 6
    assert result["known"][0] == {"min_count": 1, "words": 12, "tokens": 5 / 6, "types": 5 / 6}
    assert "83.33%" in firth("corpus", "evaluate", model, other).out
    assert "no file" in fails("corpus", "evaluate", model, "missing.txt").err


def test_plan(firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    result = firth("learn", text_file(zipf_text(1000)), "-o", tmp_path / "m", "--plan")
    assert result.status == 0
    assert "min-count" in result.out
    table = result.out[result.out.index("stage ") :].splitlines()
    assert [line.split()[0] for line in table[:8]] == [
        "stage", "starting", "reading", "counting", "vectors", "grammatical", "classes", "total",
    ]  # fmt: skip
    assert not (tmp_path / "m").exists()
    assert "cannot be made for standard input" in fails("learn", "-", "-o", "m", "--plan").err


BAD_INPUT: dict[str, tuple[bytes, list[str], str, str]] = {
    "empty": (b"", [], "There are no words", "right file"),
    "spaces": (b" \n\n", [], "There are no words", ""),
    "binary": (b"\x7fELF\x00\x01", [], "binary file", "plain text"),
    "latin-1": (
        "Le caf\u00e9 noir".encode("latin-1"),
        [],
        "line 1, byte 6: not valid UTF-8",
        "iconv",
    ),
    "rare": (b"all words are rare", [], "No word occurs 5 times", "--min-count"),
    "one word": (b"word", ["--min-count", "1"], "nothing to count", "more text"),
    "tokens": (
        b"a b",
        ["--tokens", "letters"],
        "--tokens must be one of 'words', 'whitespace', 'characters', 'morphs', 'icu'",
        "",
    ),
    "contexts": (b"a b", ["--contexts", "up"], "--contexts must be like R1", ""),
    "threads": (b"a b", ["--threads", "0"], "--threads must be an int of at least 1. Got 0.", ""),
    "memory": (
        b"a b",
        ["--memory", "lots", "--min-count", "1"],
        "--memory must be a size such as 500M or 4G. Got 'lots'.",
        "",
    ),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_an_error_and_a_hint(
    case: str, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    data, options, message, hint = BAD_INPUT[case]
    status = 2 if "--" in message else 1
    result = fails("learn", text_file(data), "-o", tmp_path / "m", *options, status=status)
    assert message in result.err
    assert not hint or hint in result.err.split("hint:")[1]
    assert not list(tmp_path.rglob(".draft"))
    # the corpus is a finished stage; nothing else is left of a model that came to nothing
    assert {p.name for p in tmp_path.glob("m/*")} <= {"corpus", "firth.json", "firth.log", ".lock"}


def test_what_is_missing_or_something_else(
    fails: Run, text_file: Callable[..., Path], tmp_path: Path, model: Path
) -> None:
    assert "There is no file" in fails("learn", tmp_path / "missing.txt", "-o", tmp_path / "m").err
    (tmp_path / "empty").mkdir()
    assert "has no text files" in fails("learn", tmp_path / "empty", "-o", tmp_path / "m").err
    assert (
        "No file matches" in fails("learn", str(tmp_path / "*.nothing"), "-o", tmp_path / "m").err
    )
    half = text_file(gzip.compress(TEXT.encode() * 50)[:200], "half.gz")
    assert "damaged gzip file" in fails("learn", half, "-o", tmp_path / "m").err
    assert not (tmp_path / "m").exists()
    assert "There is no model folder" in fails("show", tmp_path / "m").err
    assert "is not a Firth model" in fails("show", tmp_path).err
    assert (
        "is not empty and is not a Firth model"
        in fails("learn", text_file(TEXT), "-o", tmp_path).err
    )
    assert (
        "is a file, not a model"
        in fails("learn", text_file(TEXT), "-o", text_file("x", "file")).err
    )
    assert "There is no model and no text" in fails("counts", "learn", tmp_path / "m").err
    next(model.glob("corpus/*/ids.u32")).write_bytes(b"")
    assert "is damaged" in fails("find", model, "cat").err


def test_two_writers(fails: Run, text_file: Callable[..., Path], model: Path) -> None:
    from firth.store import writing

    with writing(model):
        assert "Another process" in fails("learn", text_file(TEXT), "-o", model).err


def test_debug_shows_where_an_error_came_from(firth: Run, tmp_path: Path) -> None:
    from firth.errors import ModelError

    with pytest.raises(ModelError):
        firth("show", tmp_path / "none", "--debug")


def test_hostile_words_do_not_disturb_the_terminal(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    words = [
        "\x1b[31mred",
        "\x9b31mred",
        "\\[/]\\",
        "\u202eevil",
        "[bold]markup[/bold]",
        "<script>",
        "back\\",
        "</s>",
        "x" * 10_000,
    ]
    path = text_file("\n".join(" ".join([w, "plain", w]) for w in words * 6), "hostile.txt")
    m = tmp_path / "m"
    assert firth("learn", path, "-o", m, "--tokens", "whitespace", "-q").status == 0
    for word in words:
        for args in (["show", m, word], ["find", m, word]):
            result = firth(*args)
            assert result.status == 0, result
            assert "\x1b" not in result.out
            assert "\x9b" not in result.out
            assert "\u202e" not in result.out
        printed = firth("find", m, word, "--json").out
        assert json.loads(printed)["hits"][0]["word"] == word
        assert printed.replace("\n", "").isprintable()
    shown = firth("show", m, "plain").out
    assert "[bold]markup[/bold]" in shown
    assert "back\\" in shown
    assert "\\x1b[31mred" in shown


@pytest.mark.slow
def test_no_traceback_when_the_reader_goes_away(text_file: Callable[..., Path]) -> None:
    text = text_file(TEXT * 2000)  # far more than a pipe holds
    command = f"set -o pipefail; {sys.executable} -m firth corpus apply {text} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "The cat sat on the mat . The dog sat on the rug .\n"


@pytest.mark.slow
def test_nor_when_a_table_is_cut_short(model: Path) -> None:
    command = (
        f"set -o pipefail; {sys.executable} -m firth find {model} cat -n 40 --context 5000c | true"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_counts_learn_keeps_options_that_are_omitted(
    firth: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    assert firth("counts", "learn", model, "--contexts", "bag3", "--min-count", "2").status == 0
    assert firth("corpus", "learn", text_file(TEXT), "-o", model, "--lowercase").status == 0
    assert "out of date, the corpus has changed" in firth("show", model).out
    assert firth("counts", "learn", model).status == 0
    parameters = json.loads(firth("show", model, "--json").out)["parts"]["counts"]["parameters"]
    assert (parameters["contexts"], parameters["min_count"]) == ("bag3", 2)


@pytest.mark.slow
def test_why_there_are_no_contexts(firth: Run, model: Path) -> None:
    assert firth("counts", "learn", model, "--contexts=-2,3", "--min-count", "30").status == 0
    assert "the words next to it were not counted" in firth("show", model, "cat").out
    assert "too rare" in firth("show", model, "mat").out
    assert firth("counts", "learn", model, "--contexts", "LR1", "--min-count", "1").status == 0
    assert "after it" in firth("show", model, "cat").out


def test_wide_characters_fit_the_width(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = text_file("漢 字 猫 漢 字 漢 字\n" * 9)
    assert firth("learn", path, "-o", tmp_path / "m", "-q").status == 0
    lines = firth("find", tmp_path / "m", "猫", "--context", "6c").out.splitlines()
    assert lines[0] == "漢 字 猫 漢 字"


def test_output_is_needed_but_not_for_a_plan(firth: Run, text_file: Callable[..., Path]) -> None:
    assert firth("learn", text_file(TEXT), "--plan").status == 0
    missing = firth("learn", text_file(TEXT))
    assert missing.status == 2
    assert "error: Give --output (-o), the model folder to write." in missing.err


def test_an_unexpected_system_error_is_one_line(
    fails: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise OSError(5, "Input/output error", "disk")

    monkeypatch.setattr("firth.model.load", broken)
    assert "error: Input/output error: disk." in fails("show", model).err
