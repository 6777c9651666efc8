"""firth ner learn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.model import load
from tests.cli.ner.samples import NAMES
from tests.ner.samples import classes, part_of

Run = Callable[..., Any]


def test_learn_says_what_it_learned(firth: Run, names: Path, dev: Path, tmp_path: Path) -> None:
    path = tmp_path / "m"
    args = ("ner", "learn", names, "-o", path, "--dev", dev, "--rounds", 10)
    result = firth(*args)
    assert result.status == 0, result
    facts = load(path).parts["ner"].facts
    lines = result.out.splitlines()
    assert lines[0] == "trained on   48 entities in 278 words  LOC, PER; iob2"
    assert lines[1] == f"features     {facts['n_features']:,}"
    assert lines[2].startswith("F1 on --dev  ")
    assert lines[2].endswith("100.00 after 10 epochs")
    assert [n for n, _ in facts["dev_f1"]] == [2, 4, 6, 8, 10]
    assert lines[3] == f"try      firth ner apply {path} TEXT"
    assert "learning named entities: done in" in result.err


def test_what_was_learned_is_not_learned_again(
    firth: Run, names: Path, dev: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m"
    args = ("ner", "learn", names, "-o", path, "--rounds", 2)
    assert json.loads(firth(*args, "--json", "-q").out)["changed"] == ["ner"]
    identity = load(path).parts["ner"].identity
    again = firth(*args)
    assert again.out.startswith("Nothing to do: the model is up to date.\n")
    assert again.err == ""
    assert json.loads(firth(*args, "--json", "-q").out)["changed"] == []
    assert json.loads(firth(*args, "--json", "-q", "--threads", 1).out)["changed"] == []
    assert load(path).parts["ner"].identity == identity
    for more in (["--stages", 1], ["--margin", 7], ["--dropout", 0], ["--seed", 3], ["--dev", dev]):
        assert json.loads(firth(*args, *more, "--json", "-q").out)["changed"] == ["ner"], more
    assert load(path).parts["ner"].identity != identity


def test_learn_with_the_help_of_another_model(
    firth: Run, fails: Run, names: Path, news: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m"
    args = ("ner", "learn", names, "-o", path, "--rounds", 2, "--using", news)
    used = {
        None: ("classes of 7 words and vectors of 3 words", 7, 3),
        "classes": ("classes of 7 words", 7, 0),
        "vectors": ("vectors of 3 words", 0, 3),
        "vectors, classes": ("classes of 7 words and vectors of 3 words", 7, 3),
    }
    for features, (said, n_classes, n_vectors) in used.items():
        result = firth(*args, *([] if features is None else ["--features", features]))
        assert f"using        {said}\n" in result.out, result
        facts = load(path).parts["ner"].facts
        assert (facts["classes_of"], facts["vectors_of"]) == (n_classes, n_vectors)
    assert load(path).ner.lexicon_.path("Anna") == "00"
    wrong = fails(*args, "--features", "maps", status=2)
    assert "--features must be 'classes', 'vectors' or both. Got 'maps'." in wrong.err
    assert (
        "--features does not apply to training without --using."
        in fails(*args[:-2], "--features", "maps", status=2).err
    )
    half = tmp_path / "half"
    part_of(half, classes())
    assert firth(*args[:-1], half).out.count("classes of 7 words") == 1
    wrong = fails(*args[:-1], half, "--features", "vectors")
    assert "has no word vectors" in wrong.err
    assert f"firth vectors learn TEXT -o {half}" in wrong.err
    assert "has neither word classes nor word vectors" in fails(*args[:-1], path).err
    assert "There is no model folder" in fails(*args[:-1], tmp_path / "none").err


def test_labels_can_be_in_any_column(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    rows = [line.split() for line in NAMES.splitlines()]
    lines = ["\t".join([row[0], row[1], "NN"]) if row else "" for row in rows]
    file = text_file("\n".join(lines) + "\n", "middle.txt")
    path = tmp_path / "m"
    for column in (2, -2):
        assert (
            firth("ner", "learn", file, "-o", path, "--rounds", 1, "--label-column", column).status
            == 0
        )
        assert load(path).ner.types_ == ["LOC", "PER"]
    wrong = fails("ner", "learn", file, "-o", path, "--rounds", 1)
    assert "'NN' is not an entity label. Column 3 seems to contain parts of speech" in wrong.err
    assert "perhaps 2" in wrong.err
    assert (
        "there is no column 9" in fails("ner", "learn", file, "-o", path, "--label-column", 9).err
    )
    assert (
        "--label-column must be"
        in fails("ner", "learn", file, "-o", path, "--label-column", 0, status=2).err
    )
    result = firth("ner", "learn", file, "-o", path, "--rounds", 1, "--column", -2)
    assert "note: --column is now called --label-column." in result.err
    assert "up to date" in result.out


def test_slips_are_noted(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    text = "Anna B-PER\nBerg I-PER\nran O\n\n" * 100 + "so O\nOslo I-LOC\n\n"
    result = firth("ner", "learn", text_file(text), "-o", tmp_path / "m", "--rounds", 1)
    assert result.status == 0, result
    assert "note         1 label not valid in iob2, read as conlleval does" in result.out


@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        ("--rounds", "0", "an int of at least 1"),
        ("--margin", "nan", "a number from 0 to 1e+06"),
        ("--dropout", "1", "a number from 0 to 0.9"),
        ("--stages", "3", "an int from 1 to 2"),
        ("--seed", "-1", "an int of at least 0"),
        ("--threads", "0", "an int of at least 1"),
    ],
)
def test_wrong_options_are_named(
    fails: Run, names: Path, tmp_path: Path, option: str, value: str, rule: str
) -> None:
    result = fails("ner", "learn", names, "-o", tmp_path / "m", option, value, status=2)
    assert f"error: {option} must be {rule}" in result.err
    assert not (tmp_path / "m").exists()


def test_what_cannot_be_learned_from(
    fails: Run, text_file: Callable[..., Path], names: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m"
    for text, said in (
        ("", "contains no words"),
        ("\n\n", "contains no words"),
        ("Anna O\nran O\n", "This text contains no named entities"),
        ("Anna\nran\n", "column"),
        ("Anna B-PER\nran\n", "Line 2"),
        (b"Ann\xff B-PER\n", "not in UTF-8"),
        ("1\tAnna\tB-PER\n2\tis\tO\n", "contains numbers, not words"),
    ):
        wrong = fails("ner", "learn", text_file(text), "-o", path, "-q")
        assert said in wrong.err, wrong
    assert (
        f"There is no file {tmp_path / 'none'}."
        in fails("ner", "learn", tmp_path / "none", "-o", path).err
    )
    assert "is a folder" in fails("ner", "learn", tmp_path, "-o", path).err
    assert "There is no file none." in fails("ner", "learn", names, "-o", path, "--dev", "none").err
    for learn in (("-", "-o", path), (names, "-o", path, "--dev", "-")):
        wrong = fails("ner", "learn", *learn)
        assert "Standard input cannot be used here." in wrong.err
        assert "hint: Give a file: a word and its label on each line" in wrong.err


def test_a_recogniser_can_be_in_a_model_with_other_parts(
    firth: Run, names: Path, news: Path
) -> None:
    assert firth("ner", "learn", names, "-o", news, "--using", news, "--rounds", 2).status == 0
    assert sorted(load(news).parts) == ["classes", "ner", "vectors"]
    out = firth("show", news).out
    assert "LOC, PER; " in out
    assert "trained on 48 entities" in out
    facts = json.loads(firth("show", news, "--json").out)["parts"]["ner"]
    assert facts["n_names"] == 48
    assert facts["types"] == ["LOC", "PER"]
