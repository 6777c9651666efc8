"""firth ner apply."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.formats import read_labelled
from firth.model import load
from firth.ner import EntityRecogniser, _texts
from tests.cli.ner.samples import TEXT

Run = Callable[..., Any]
Say = Callable[[str], None]


def test_entities_in_text_are_marked(
    firth: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    file = text_file(TEXT)
    out = firth("ner", "apply", model, file).out
    assert out == "Mr [PER Rosa Ness] was in [LOC Bonn] .\nThe Weather was fine .\n"
    lines = [
        json.loads(line)
        for line in firth("ner", "apply", model, file, "--format", "json").out.splitlines()
    ]
    assert lines[0] == {
        "file": str(file),
        "line": 1,
        "words": ["Mr", "Rosa", "Ness", "was", "in", "Bonn", "."],
        "names": [
            {"type": "PER", "start": 1, "end": 3, "text": "Rosa Ness", "line": 1, "chars": [3, 12]},
            {"type": "LOC", "start": 5, "end": 6, "text": "Bonn", "line": 1, "chars": [20, 24]},
        ],
    }
    assert (lines[1]["line"], lines[1]["names"]) == (2, [])
    assert len(lines) == 2
    for scheme, rosa, ness, bonn in (
        ("iob2", "B-PER", "I-PER", "B-LOC"), ("iob1", "I-PER", "I-PER", "I-LOC"),
        ("iobes", "B-PER", "E-PER", "S-LOC"), ("bilou", "B-PER", "L-PER", "U-LOC"),
    ):  # fmt: skip
        out = firth("ner", "apply", model, file, "--format", "columns", "--scheme", scheme).out
        assert out == (
            f"Mr\tO\nRosa\t{rosa}\nNess\t{ness}\nwas\tO\nin\tO\nBonn\t{bonn}\n.\tO\n\n"
            "The\tO\nWeather\tO\nwas\tO\nfine\tO\n.\tO\n\n"
        )


def names_of(out: str) -> list[dict[str, Any]]:
    """All entities in objects of JSON."""
    return [name for line in out.splitlines() for name in json.loads(line)["names"]]


@pytest.mark.parametrize("split", ["lines", "sentences", "none"])
def test_entities_are_where_json_says(
    firth: Run, model: Path, text_file: Callable[..., Path], split: str
) -> None:
    """Whatever is between words, also empty lines, other white space and accents of their own."""
    text = (
        "\ufeff\n \n\tMr  Rosa\u00a0Ness was in Bonn.\r\n\r\n"
        "In Re\u0301 Mr Rosa\nNess (was in Riga) fine. Mr Max was."
    )
    out = firth("ner", "apply", model, text_file(text), "--format", "json", "--split", split).out
    lines = text.removeprefix("\ufeff").split("\n")
    names = names_of(out)
    assert {name["text"] for name in names} > {"Rosa\u00a0Ness", "Bonn", "Riga", "Max"}
    for name in names:
        start, end = name["chars"]
        assert "\n".join(lines[name["line"] - 1 :])[start:end] == name["text"], name
    if split == "none":
        assert "Rosa\nNess" in {name["text"] for name in names}
    else:
        assert [json.loads(line)["line"] for line in out.splitlines()][:2] == [3, 5]
    for sentence in map(json.loads, out.splitlines()):
        for name in sentence["names"]:
            words = unicodedata.normalize("NFC", name["text"]).split()
            assert words == sentence["words"][name["start"] : name["end"]]


def test_entities_are_where_json_says_in_pieces_of_lines(
    firth: Run, model: Path, text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.corpus import _blocks

    monkeypatch.setattr(_blocks, "BLOCK", 16)
    monkeypatch.setattr(_blocks, "PIECE", 40)
    text = "\n" + "Mr Rosa Ness was   in Bonn . " * 5 + "\n\nSo Mr Max was in Rïga .\n"
    names = names_of(firth("ner", "apply", model, text_file(text), "--format", "json").out)
    assert [name["text"] for name in names] == ["Rosa Ness", "Bonn"] * 5 + ["Max", "Rïga"]
    for name in names:
        line = text.split("\n")[name["line"] - 1]
        assert line[slice(*name["chars"])] == name["text"]


def test_bytes_that_were_replaced_count_as_characters(
    firth: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    file = text_file(b"The \xff\xc3 was fine . Mr Rosa Ness was in Bonn .\n")
    out = firth("ner", "apply", model, file, "--format", "json", "--errors", "replace").out
    bonn = names_of(out)[-1]
    assert bonn["text"] == "Bonn"
    assert file.read_bytes().decode(errors="replace")[slice(*bonn["chars"])] == "Bonn"


def test_entities_in_tables_have_no_lines(
    firth: Run, model: Path, text_file: Callable[..., Path], say: Say
) -> None:
    file = text_file('{"text": "Mr Rosa Ness was"}\n', "text.jsonl")
    line = json.loads(firth("ner", "apply", model, file, "--format", "json").out)
    assert (line["file"], line["line"]) == (str(file), None)
    name = {"type": "PER", "start": 1, "end": 3, "text": "Rosa Ness", "line": None, "chars": None}
    assert line["names"] == [name]
    say("\nMr Rosa was\n")
    line = json.loads(firth("ner", "apply", model, "-", "--format", "json").out)
    assert (line["file"], line["line"]) == ("-", 2)


def test_text_that_seems_to_be_in_columns_is_noticed(
    firth: Run, model: Path, names: Path, text_file: Callable[..., Path], say: Say
) -> None:
    result = firth("ner", "apply", model, names)
    assert result.status == 0
    assert result.out
    assert result.err == (
        f"note: {names} seems to be in columns, but is read as plain text.\n"
        "hint: Read columns with --columns.\n"
    )
    say("-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nran VBD I-VP O\n")
    assert "standard input seems to be in columns" in firth("ner", "apply", model).err
    assert firth("ner", "apply", model, names, "--columns").err == ""
    for text in (TEXT, "Vitamin B-12\n", "Mr O\nMr Rosa O\n", "O\nO\n", "", "Rosa is A\n" * 3):
        assert firth("ner", "apply", model, text_file(text)).err == "", text


def test_options_that_do_not_apply_are_refused(fails: Run, model: Path, names: Path) -> None:
    args = ("ner", "apply", model, names)
    for option, value in (("--tokens", "words"), ("--split", "lines"), ("--errors", "replace")):
        wrong = fails(*args, "--columns", option, value, status=2)
        assert f"error: {option} does not apply to --columns: it is for plain text." in wrong.err
    wrong = fails(*args, "--columns", "--format", "json", status=2)
    assert "--format does not apply to --columns" in wrong.err
    for form in ("inline", "json"):
        wrong = fails(*args, "--scheme", "iob2", "--format", form, status=2)
        assert f"--scheme does not apply to --format {form}: it is for columns." in wrong.err
    assert "--scheme does not apply" in fails(*args, "--scheme", "iob2", status=2).err


def test_columns_that_were_written_can_be_read(
    firth: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    out = firth("ner", "apply", model, text_file(TEXT), "--format", "columns").out
    text = read_labelled(text_file(out, "columns.txt"))
    expected = load(model).ner.tag([line.split() for line in TEXT.splitlines()])
    assert [labels for _, labels in text.sentences] == expected


def test_standard_input_is_read(firth: Run, model: Path, say: Say) -> None:
    for args in ([], ["-"]):
        say(TEXT)
        assert firth("ner", "apply", model, *args).out.startswith("Mr [PER Rosa Ness] was in")
    for text in ("", "\n\n"):
        say(text)
        result = firth("ner", "apply", model)
        assert (result.status, result.out.strip(), result.err) == (0, "", "")


def test_sentences_and_tokens_are_as_asked_for(firth: Run, model: Path, say: Say) -> None:
    say("Mr Rosa was in Bonn. The Weather was fine.\n")
    out = firth("ner", "apply", model, "--split", "sentences").out
    assert out.splitlines() == ["Mr [PER Rosa] was in [LOC Bonn] .", "The Weather was fine ."]
    say("Mr Rosa was in Bonn .\n")
    words = json.loads(
        firth("ner", "apply", model, "--tokens", "whitespace", "--format", "json").out
    )
    assert words["words"] == ["Mr", "Rosa", "was", "in", "Bonn", "."]


def test_several_files_are_as_many_documents(
    firth: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    one, two = text_file(TEXT, "t/1.txt"), text_file("Mr Max was in Riga .\n", "t/2.txt")
    both = firth("ner", "apply", model, one, two).out
    assert both == firth("ner", "apply", model, one).out + firth("ner", "apply", model, two).out
    assert firth("ner", "apply", model, tmp_path / "t").out == both


def test_a_long_text_is_tagged_in_blocks(
    firth: Run, model: Path, text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.corpus import _blocks

    sizes = []
    tag = EntityRecogniser.entities

    def watched(self: EntityRecogniser, sentences: Any) -> Any:
        sizes.append(sum(map(len, sentences)))
        return tag(self, sentences)

    monkeypatch.setattr(EntityRecogniser, "entities", watched)
    monkeypatch.setattr(_texts, "WORDS_AT_A_TIME", 50)
    out = firth("ner", "apply", model, text_file(TEXT * 30)).out
    assert out.splitlines()[:2] == [
        "Mr [PER Rosa Ness] was in [LOC Bonn] .",
        "The Weather was fine .",
    ]
    assert len(out.splitlines()) == 60
    assert sum(sizes) == 12 * 30
    assert max(sizes) < 50 + 8
    sizes.clear()
    monkeypatch.setattr(_blocks, "BLOCK", 100)
    monkeypatch.setattr(_blocks, "PIECE", 300)
    endless = firth("ner", "apply", model, text_file("so it is " * 200), "--split", "none").out
    assert endless.split() == ["so", "it", "is"] * 200
    assert "\n\n" not in endless
    assert sum(sizes) == 600
    assert min(sizes) > 0


def test_columns_are_written_as_they_were_with_one_more(
    firth: Run, model: Path, text_file: Callable[..., Path], say: Say
) -> None:
    for between in (" ", "\t"):
        rows = "Mr NNP x|Rosa NNP x|Ness NNP y||Fine JJ z|. . z|".replace(" ", between)
        text = f"-DOCSTART-{between}-X-{between}O||{rows}|-DOCSTART-{between}-X-{between}O||{rows}"
        text = text.replace("|", "\n")
        labels = iter("O . O B-PER I-PER . O O . O . O B-PER I-PER . O O .".split())
        expected = "".join(
            f"{line}{between}{next(labels)}\n" if line else f"{next(labels)[1:]}\n"
            for line in text.splitlines()
        )
        result = firth("ner", "apply", model, "--columns", text_file(text))
        assert result.status == 0
        assert result.out.rstrip("\n") == expected.rstrip("\n")
        assert result.out.endswith("O\n\n"), "a sentence ends with one empty line"
        say(text)
        assert firth("ner", "apply", model, "--columns").out == result.out
    out = firth(
        "ner", "apply", model, "--columns", text_file("Mr\nRosa\nwas\n"), "--scheme", "bilou"
    ).out
    assert out.split() == ["Mr", "O", "Rosa", "U-PER", "was", "O"]


def test_what_was_applied_to_columns_can_be_evaluated(
    firth: Run, model: Path, dev: Path, text_file: Callable[..., Path]
) -> None:
    out = firth("ner", "apply", model, "--columns", dev).out
    both = firth("ner", "evaluate", text_file(out, "both.txt"), "--json").out
    assert json.loads(both) == json.loads(firth("ner", "evaluate", model, dev, "--json").out)


def test_invalid_columns_are_refused(
    fails: Run, model: Path, text_file: Callable[..., Path], say: Say
) -> None:
    say("")
    assert "standard input contains no words" in fails("ner", "apply", model, "--columns").err
    say("Mr NN\nRosa\n")
    assert "Line 2 of standard input" in fails("ner", "apply", model, "--columns").err
    wrong = fails("ner", "apply", model, "--columns", text_file(b"Mr\xff NN\n"))
    assert "Line 1" in wrong.err
    assert "not in UTF-8" in wrong.err


def run_alone(*args: Any, given: bytes, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, with real streams."""
    return subprocess.run(
        [sys.executable, "-m", "firth", *map(str, args)],
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
def test_columns_from_standard_input_are_utf8_whatever_the_locale(model: Path) -> None:
    """As from a file, what is not UTF-8 is refused."""
    wrong = run_alone(
        "ner", "apply", model, "--columns", given=b"Mr\xff NN\n", PYTHONIOENCODING="utf-8:strict"
    )
    assert wrong.returncode == 1
    assert wrong.stdout == b""
    assert wrong.stderr.startswith(b"error: ")
    assert b"Traceback" not in wrong.stderr


def test_apply_says_what_it_cannot_do(
    fails: Run, model: Path, news: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file, none = text_file(TEXT), tmp_path / "none"
    assert "There is no file" in fails("ner", "apply", model, none).err
    assert f"There is no file {none}." in fails("ner", "apply", model, none, "--columns").err
    for option, value in (("format", "xml"), ("scheme", "bio"), ("split", "x")):
        wrong = fails("ner", "apply", model, file, f"--{option}", value, status=2)
        assert f"Invalid value for '--{option}'" in wrong.err
    wrong = fails("ner", "apply", model, file, "--tokens", "x", status=2)
    assert "--tokens must be one of 'words'" in wrong.err
    for args in (("apply", file), ("evaluate", file), ("show",)):
        wrong = fails("ner", args[0], news, *args[1:])
        assert f"The model {news} has no named-entity recogniser." in wrong.err
        assert f"hint: Learn it: firth ner learn LABELLED -o {news}" in wrong.err
        wrong = fails("ner", args[0], none, *args[1:])
        assert f"error: There is no model folder {none}." in wrong.err
        assert f"hint: Make one: firth ner learn LABELLED -o {none}" in wrong.err
    wrong = fails("ner", "apply", model, text_file(b"Mr Ros\xff\n"))
    assert "not valid UTF-8" in wrong.err


def test_control_characters_do_not_reach_a_terminal(firth: Run, model: Path, say: Say) -> None:
    say("Mr \u202eRosa was in Bonn .\n")
    assert "\u202e" not in firth("ner", "apply", model, "--tokens", "whitespace").out
    say("Mr \u202eRosa was in Bonn .\n")
    out = firth("ner", "apply", model, "--tokens", "whitespace", "--format", "json").out
    assert json.loads(out)["words"][1] == "\u202eRosa"
    assert out.isascii()


def test_json_keeps_letters(firth: Run, model: Path, say: Say) -> None:
    say("René wohnt in Москва\n")
    assert "René" in firth("ner", "apply", model, "--format", "json").out
