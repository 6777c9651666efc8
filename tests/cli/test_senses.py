"""firth senses, as a person would use it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.pipeline import import_vectors, learn, learn_corpus
from tests.senses.samples import MONEY, RIVER, bank_sentences

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a word with two senses, one with a single one, and one that is there once."""
    folder = tmp_path_factory.mktemp("senses")
    lines = [" ".join(sentence) for sentence in bank_sentences(150)[0]]
    lines += ["once upon a time", *["Only big"] * 12]
    (folder / "text.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    learn(folder / "text.txt", folder / "m", tokens="whitespace", dim=0, classes=0, threads=1)
    return folder / "m"


def test_senses_are_shown_with_words_and_lines(firth: Run, model: Path) -> None:
    result = firth("senses", model, "bank")
    assert result.status == 0, result
    lines = result.out.splitlines()
    assert lines[0] == "bank  2 senses  150 times"
    assert lines[1].startswith("2 senses have the shortest description, in bits   1: ")
    bits = [int(x.replace(",", "")) for x in re.findall(r": ([\d,]+)", lines[1])]
    assert bits[1] == min(bits)
    assert len(bits) == 6
    heads = [i for i, line in enumerate(lines) if re.match(r"[12]  \d\d\.\d%  █+$", line)]
    assert len(heads) == 2
    tops = [set(lines[i + 1].replace("~", "").split()) for i in heads]
    assert any(len(top & set(RIVER)) > 4 and not top & set(MONEY) for top in tops)
    assert any(len(top & set(MONEY)) > 4 and not top & set(RIVER) for top in tops)
    for i in heads:
        shown = lines[i + 2 : i + 6]
        assert len(shown) == 4
        assert len({line.index(" bank ") for line in shown}) == 1, "the word in one column"
    assert lines[-1] == "~ stands for the word itself"
    assert firth("senses", model, "bank").out == result.out, "the same again"


def test_options_do_what_they_say(firth: Run, model: Path) -> None:
    how = ["--senses", 3, "--window", 0, "-n", 2, "--lines", 1, "--occurrences", 100]
    result = firth("senses", model, "bank", *how)
    lines = result.out.splitlines()
    assert lines[0] == "bank  3 senses  150 times, 100 used"
    assert re.match(
        r"description length in bits, by number of senses   1: [\d,]+   3: [\d,]+$", lines[1]
    )
    assert len([line for line in lines if line.startswith(("1  ", "2  ", "3  "))]) == 3
    assert all(line.strip() for line in lines if "bank" in line)
    assert len([line for line in lines if " bank " in line]) <= 3
    result = firth("senses", model, "Only", "--lines", 0)
    assert result.out.splitlines()[0] == "Only  1 sense  12 times"
    assert "~ big" in result.out


@pytest.mark.slow
def test_json_has_all_of_it(firth: Run, model: Path) -> None:
    result = firth("senses", model, "bank", "--json", "-n", 3, "--lines", 2)
    told = json.loads(result.out)
    assert (told["word"], told["count"], told["given"], told["window"]) == ("bank", 150, False, 7)
    assert [one["n_senses"] for one in told["descriptions"]] == [1, 2, 3, 4, 5, 6]
    for one in told["descriptions"]:
        assert one["bits"] == pytest.approx(one["model_bits"] + one["data_bits"])
    assert sum(sense["share"] for sense in told["senses"]) == pytest.approx(1)
    for sense in told["senses"]:
        assert len(sense["words"]) == 3
        assert len(sense["lines"]) == 2
        assert set(sense["words"][0]) == {"word", "side", "count", "ratio", "bits"}
        assert all(line["original"] and line["word"] == "bank" for line in sense["lines"])
    whole = json.loads(firth("senses", model, "bank", "--json", "--window", 0).out)
    assert whole["window"] is None


@pytest.mark.parametrize(
    ("said", "status", "error", "hint"),
    [
        (["BANK"], 1, "The word 'BANK' is not in the corpus.", "There is 'bank'."),
        (["banc"], 1, "The word 'banc' is not in the corpus.", "Did you mean 'bank'? Words are case-sensitive."),
        (["once"], 1, "The word 'once' occurs once; at least 10 occurrences are needed to find senses.",
         "Choose a more frequent word, or learn from more text."),
        (["bank", "--senses", 200], 2, "200 senses are too many: there are only 150 contexts.",
         "Use fewer senses, or more text."),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said_in_two_lines(
    firth: Run, model: Path, said: list[Any], status: int, error: str, hint: str | None
) -> None:
    result = firth("senses", model, *said)
    assert (result.status, result.out) == (status, "")
    wanted = [f"error: {error}"] + ([f"hint: {hint}"] if hint else [])
    assert result.err.splitlines() == wanted


@pytest.mark.parametrize(
    "wrong",
    [
        ["--senses", 0],
        ["--senses", "two"],
        ["--window", 1001],
        ["--window", -1],
        ["--lines", -1],
        ["-n", 0],
        ["--occurrences", -1],
        ["--seed", -1],
    ],
)
def test_options_that_cannot_be_are_refused(firth: Run, model: Path, wrong: list[Any]) -> None:
    result = firth("senses", model, "bank", *wrong)
    assert (result.status, result.out) == (2, "")
    assert wrong[0] in result.err


def test_models_without_a_corpus_and_folders_that_are_none(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    import_vectors(text_file("2 2\ncat 1 0\ndog 0 1\n", "v.vec"), tmp_path / "v")
    result = firth("senses", tmp_path / "v", "cat")
    assert result.status == 1
    assert "corpus" in result.err.splitlines()[0]
    assert result.err.splitlines()[1].startswith("hint: ")
    for path in (tmp_path, tmp_path / "nowhere", text_file("x")):
        result = firth("senses", path, "cat")
        assert (result.status, result.out) == (1, "")
        assert result.err.startswith("error: ")


def test_hostile_words_are_printed_as_they_are(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    line = "[bold]red[/] word \x1b[31m <b>\n"
    learn_corpus(tmp_path / "m", text_file(line * 12), tokens="whitespace", threads=1)
    result = firth("senses", tmp_path / "m", "word")
    assert result.status == 0, result
    assert "[bold]red[/] ~" in result.out
    assert "\\x1b[31m" in result.out
    assert "\x1b" not in result.out
    assert firth("senses", tmp_path / "m", "[bold]red[/]").out.startswith("[bold]red[/]  1 sense")
