"""firth ner evaluate."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from firth.formats import convert_labels, read_labelled
from firth.model import load
from tests.cli.ner.samples import DEV, NAMES
from tests.ner.samples import columns, rule_text

Run = Callable[..., Any]
Say = Callable[[str], None]

GOLD = """\
Anna B-PER
Berg I-PER
ran O

Oslo B-LOC
and O
Rome B-LOC

Otto B-PER
ran O
"""
FOUND = "B-PER I-PER O . B-LOC O O . B-LOC O".split()


def test_figures_by_hand(firth: Run, text_file: Callable[..., Path]) -> None:
    """PER: 2 gold, 1 found, 1 correct. LOC: 2 gold, 2 found, 1 correct."""
    lines = zip(GOLD.splitlines(), FOUND, strict=True)
    text = "".join(f"{line} {found}\n" if line else "\n" for line, found in lines)
    file = text_file(text)
    facts = json.loads(firth("ner", "evaluate", file, "--json").out)
    loc, per = facts["types"]
    assert (loc["type"], loc["n_gold"], loc["n_found"], loc["n_right"]) == ("LOC", 2, 2, 1)
    assert (loc["precision"], loc["recall"], loc["f1"]) == (0.5, 0.5, 0.5)
    assert (per["type"], per["n_gold"], per["n_found"], per["n_right"]) == ("PER", 2, 1, 1)
    assert (per["precision"], per["recall"]) == (1.0, 0.5)
    assert per["f1"] == pytest.approx(2 / 3)
    overall = facts["overall"]
    assert (overall["n_gold"], overall["n_found"], overall["n_right"]) == (4, 3, 2)
    assert overall["f1"] == pytest.approx(4 / 7)
    assert facts["accuracy"] == pytest.approx(6 / 8)
    assert (facts["n_sentences"], facts["n_words"]) == (3, 8)
    lines_out = [line.split() for line in firth("ner", "evaluate", file).out.splitlines()]
    assert lines_out[0] == ["type", "precision", "recall", "F1", "gold", "found", "correct"]
    assert lines_out[1] == ["LOC", "50.00", "50.00", "50.00", "2", "2", "1"]
    assert lines_out[2] == ["PER", "100.00", "50.00", "66.67", "2", "1", "1"]
    assert lines_out[3] == ["all", "66.67", "50.00", "57.14", "4", "3", "2"]
    assert "3 sentences, 8 words" in " ".join(lines_out[4])
    assert "label accuracy 75.00 %" in " ".join(lines_out[4])


def test_figures_of_a_model_are_seqevals(
    firth: Run, names: Path, tmp_path: Path, text_file: Callable[..., Path]
) -> None:
    seqeval: Any = import_module("seqeval.metrics.sequence_labeling")
    path = tmp_path / "weak"
    few = text_file("\n".join(NAMES.splitlines()[:20]) + "\n", "few.txt")
    firth("ner", "learn", few, "-o", path, "--rounds", 1, "-q")
    hard = NAMES.replace("Mr ", "Mister ").replace("in O", "within O").replace("Weather", "Otto")
    gold = text_file(hard, "hard.txt")
    facts = json.loads(firth("ner", "evaluate", path, gold, "--json").out)
    text, tagger = read_labelled(gold), load(path).ner
    found = [y for document in text.documents for y in tagger.tag([words for words, _ in document])]
    right = [labels for _, labels in text.sentences]
    expected = seqeval.precision_recall_fscore_support(
        right, found, average="micro", zero_division=0
    )
    overall = facts["overall"]
    assert tuple(overall[name] for name in ("precision", "recall", "f1", "n_gold")) == expected
    assert 0 < overall["f1"] < 1, "neither all nor nothing is found"


def test_a_model_is_evaluated_on_labelled_text(
    firth: Run, model: Path, names: Path, dev: Path
) -> None:
    for file in (names, dev):
        facts = json.loads(firth("ner", "evaluate", model, file, "--json").out)
        assert facts["overall"]["f1"] == 1
        assert facts["accuracy"] == 1
    assert (
        firth("ner", "evaluate", model, dev, "--label-column", 2).out
        == firth("ner", "evaluate", model, dev).out
    )


def test_schemes_can_differ(firth: Run, model: Path, text_file: Callable[..., Path]) -> None:
    text = [
        [(words, convert_labels(labels, "iob2", "iobes")) for words, labels in document]
        for document in rule_text(2, seed=8, first=6)
    ]
    two = "Anna B-PER B-PER\nBerg I-PER E-PER\nran O O\nto O O\nOslo B-LOC S-LOC\n"
    slip = "Anna B-PER B-PER\nBerg I-PER I-PER\nran O O\n\n" * 100 + "so O O\nOslo I-LOC I-LOC\n"
    for args in (
        (model, text_file(columns(text))),
        (text_file(two, "2"),),
        (text_file(slip, "3"),),
    ):
        facts = json.loads(firth("ner", "evaluate", *args, "--json").out)
        assert facts["overall"]["f1"] == facts["accuracy"] == 1


def test_evaluate_says_what_it_cannot_do(
    fails: Run, model: Path, dev: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    wrong = fails("ner", "evaluate", model, status=2)
    assert "Give labelled text to evaluate the model on." in wrong.err
    assert f"firth ner evaluate {model} GOLD" in wrong.err
    assert "There is no file" in fails("ner", "evaluate", tmp_path / "none").err
    assert "There is no file" in fails("ner", "evaluate", model, tmp_path / "none").err
    args = ("ner", "evaluate", model, dev, "--label-column")
    assert "there is no column 7" in fails(*args, 7).err
    assert "--label-column must be" in fails(*args, 0, status=2).err
    wrong = fails("ner", "evaluate", dev, "--label-column", 2, status=2)
    assert "--label-column does not apply to a file alone" in wrong.err
    for text, said in (
        ("Anna B-PER\n", "no column -2"),
        ("Anna NN B-PER\n", "not an entity label"),
    ):
        wrong = fails("ner", "evaluate", text_file(text))
        assert said in wrong.err
        assert "hint: Without a model, the last two columns must be gold labels" in wrong.err
    assert "contains no words" in fails("ner", "evaluate", model, text_file("")).err


def test_labelled_text_can_come_from_standard_input(
    firth: Run, fails: Run, model: Path, dev: Path, say: Say
) -> None:
    expected = firth("ner", "evaluate", model, dev).out
    say(DEV)
    assert firth("ner", "evaluate", model, "-").out == expected
    say(firth("ner", "apply", model, "--columns", dev).out)
    assert firth("ner", "evaluate", "-").out == expected
    for text, said in (
        ("", "standard input contains no words"),
        ("Anna B-PER\nran\n", "Line 2 of standard input has only one column"),
    ):
        for args in ((model, "-"), ("-",)):
            say(text)
            assert said in fails("ner", "evaluate", *args).err


def test_types_that_look_like_markup_are_printed_as_they_are(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file = text_file("Anna B-[/x]\nis O\n\nOtto B-[bold]y\nis O\n")
    firth("ner", "learn", file, "-o", tmp_path / "m", "-q")
    shown = firth("ner", "evaluate", tmp_path / "m", file).out
    assert "[/x]" in shown
    assert "[bold]y" in shown
