"""The commands around language models, as a person would use them."""

from __future__ import annotations

import gzip
import json
import math
import re
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from firth.corpus import stream_sentences
from firth.model import load
from firth.pipeline import learn_corpus, learn_lm

Run = Callable[..., Any]
Say = Callable[[str], None]
Write = Callable[..., Path]
LINES = [
    "the cat sat on the mat", "the dog sat on a mat", "a cat ran", "a dog ran to the cat", "the mat", "a wolf ran",
]  # fmt: skip
TEXT = "\n".join(LINES * 5 + ["the once cat"]) + "\n"


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and its text; learned once."""
    folder = tmp_path_factory.mktemp("lm")
    (folder / "text.txt").write_text(TEXT)
    learn_lm(folder / "m", folder / "text.txt", classes=[4, 2], threads=1)
    return folder


@pytest.fixture
def model(learned: Path, tmp_path: Path) -> Path:
    shutil.copytree(learned, tmp_path, dirs_exist_ok=True)
    return tmp_path / "m"


# learn -------------------------------------------------------------------------------------------


def test_learn_says_what_it_learned(firth: Run, text_file: Write, tmp_path: Path) -> None:
    path = tmp_path / "a model"
    result = firth("lm", "learn", text_file(TEXT), "-o", path)
    assert result.status == 0, result
    lines = result.out.splitlines()
    assert lines[0] == "text     133 tokens in 31 sentences"
    assert lines[1] == "words    10 words  1 unknown token (0.8%)"
    assert lines[2].startswith("n-grams  ")
    assert "note: The language model has no word classes" in result.err
    assert lines[-3].startswith("held out 1 sentence, perplexity ")
    assert lines[-2:] == [
        f"try      firth lm show '{path}' --after \"of the\"", f"         firth lm apply '{path}' TEXT",
    ]  # fmt: skip
    assert sorted(load(path).parts) == ["corpus", "lm"]
    assert "  lm       10 words, n-grams up to 5  " in firth("show", path).out
    assert json.loads(firth("show", path, "--json").out)["parts"]["lm"]["n_words"] == 10


def test_figures_of_classes_agree(firth: Run, model: Path) -> None:
    facts = json.loads(firth("lm", "show", model, "--json").out)
    for one in facts["classes"]:
        assert one["cross_entropy"] == pytest.approx(
            one["word_entropy"] - one["mutual_information"]
        )


@pytest.mark.parametrize(
    "how",
    [
        [], ["--order", 2, "--class-order", 3, "--no-refit"], ["--classes", "0"], ["--classes", "3"],
        ["--classes", "3, 2", "--vocabulary", 3], ["--held-out", "20%", "--vocabulary", 0],
        ["--held-out", "held.txt", "--min-count", 1], ["--using", "other", "--using", "c.paths"],
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.slow
def test_what_was_learned_is_not_learned_again(
    firth: Run, model: Path, how: list[Any], text_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model.parent)
    text_file("the cat ran\na wolf sat on the mat\n", "held.txt")
    text_file("00\tcat\t5\n00\tdog\t4\n01\tsat\t3\n1\tthe\t9\n", "c.paths")
    if "other" in how:
        made = firth(
            "classes", "learn", "text.txt", "-o", "other", "--classes", 3, "--min-count", 2, "-q"
        )
        assert made.status == 0, made
    args = ("lm", "learn", model, *how)
    first = firth(*args, "--json", "-q")
    assert (first.status, first.err) == (0, ""), first
    assert json.loads(first.out)["changed"] == ["lm"]
    assert json.loads(firth(*args, "--json", "-q", "--threads", 1).out)["changed"] == []
    again = firth(*args)
    assert again.out.startswith("Nothing to do: the model is up to date.\n")
    assert again.err == ""
    n = {"0": 0, "3": 1}.get(how[1], 2) if "--classes" in how else 2 * ("c.paths" in how)
    assert len(json.loads(first.out)["classes"]) == n


def test_text_is_read_as_said(firth: Run, text_file: Write, tmp_path: Path) -> None:
    file, path = text_file("It's <unk> The\n" * 6), tmp_path / "m"
    args = (
        "lm",
        "learn",
        file,
        "-o",
        path,
        "--tokens",
        "whitespace",
        "--lowercase",
        "--classes",
        0,
        "-q",
    )
    assert firth(*args).status == 0
    lm = load(path).lm
    assert sorted(lm.words_.words) == ["<unk>", "it's", "the"]
    assert lm.facts_["n_unknown"] == 0
    assert firth("lm", "learn", path, "--classes", 0, "--json").out.count('"changed": []') == 1


def test_a_model_of_another_text_is_out_of_date(firth: Run, model: Path, text_file: Write) -> None:
    file = text_file(TEXT + "a mat sat\n")
    learn_corpus(model, file, threads=1, replace=True)
    stale = firth("lm", "apply", model, file)
    assert stale.status == 1
    assert "is out of date" in stale.err
    assert f"firth lm learn {model}" in stale.err
    assert "out of date, the corpus has changed" in firth("show", model).out
    result = json.loads(firth("lm", "learn", model, "--json", "-q").out)
    assert result["changed"] == ["lm"]


def test_a_text_too_small_for_classes_gives_a_model_of_words(
    firth: Run, text_file: Write, tmp_path: Path
) -> None:
    result = firth("lm", "learn", text_file("a b\nb a\n"), "-o", tmp_path / "m")
    assert result.status == 0, result
    assert "note: The language model has no word classes" in result.err
    assert "classes" not in load(tmp_path / "m").parts


WRONG: list[tuple[list[Any], int, str]] = [
    (["no.txt", "-o", "x"], 1, "There is no file no.txt."),
    (["empty.txt", "-o", "x", "-q"], 1, "There are no words"),
    (["text.txt"], 2, "text.txt is not a model: give --output (-o)"),
    (["text.txt", "-o", "x", "--order", 7], 2, "--order must be an int from 1 to 6. Got 7."),
    (["text.txt", "-o", "x", "--class-order", 1], 2, "--class-order must be an int from 2 to 6. Got 1."),
    (["text.txt", "-o", "x", "--min-count", 0], 2, "--min-count must be an int of at least 1"),
    (["text.txt", "-o", "x", "--min-count", 999, "-q"], 1, "No word occurs at least 999 times"),
    (["text.txt", "-o", "x", "--held-out", "100%"], 2, "must be a share"),
    (["text.txt", "-o", "x", "--held-out", "no.txt"], 2, "or a file. Got 'no.txt'"),
    (["text.txt", "-o", "x", "--held-out", 0, "--classes", 2, "-q"], 2, "classes needs held-out text"),
    (["text.txt", "-o", "x", "--classes", "2,x"], 2, "numbers separated by commas"),
    (["text.txt", "-o", "x", "--classes", "2,0"], 2, "--classes must be numbers of at least 2"),
    (["text.txt", "-o", "x", "--classes", "500", "-q"], 2, "--classes must be numbers from 2 to 10"),
    (["text.txt", "-o", "x", "--classes", "0", "--using", "m"], 2, "--using does not apply to a model without classes"),
    (["text.txt", "-o", "x", "--using", "no"], 1, "There is no model folder no."),
    (["text.txt", "-o", "x", "--using", "words"], 1, "The model words has no word classes."),
    (["text.txt", "-o", "x", "--using", "empty.txt", "-q"], 1, "empty.txt"),
    (["text.txt", "m", "-o", "x"], 2, "Give a model or texts, not both."),
    (["m", "--classes", "99"], 2, "--classes must be numbers from 2 to 10, the number of words. Got 99."),
    (["m", "--tokens", "words"], 2, "--tokens does not apply to a model"),
    (["m", "--lowercase"], 2, "--lowercase does not apply to a model"),
    (["m", "-o", "x"], 2, "The language model is written to the model that it is learned from."),
    (["one.txt", "-o", "x", "--classes", "2", "--min-count", 1, "-q"], 1, "There is only one sentence"),
]  # fmt: skip


def test_what_cannot_be_learned(
    fails: Run, firth: Run, model: Path, text_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model.parent)
    text_file("", "empty.txt")
    text_file("the cat ran", "one.txt")
    learn_corpus("words", "text.txt", threads=1)
    for args, status, message in WRONG:
        found = fails("lm", "learn", *args, status=status)
        assert message in found.err.replace("\n", " "), args
        shutil.rmtree("x", ignore_errors=True)


# evaluate ----------------------------------------------------------------------------------------


def test_evaluate(firth: Run, model: Path, text_file: Write) -> None:
    file = text_file("the cat sat\na wolf once ran\n", "new.txt")
    result = firth("lm", "evaluate", model, file, "-q")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].split() == ["perplexity", "without", "unknown", "words", "weight"]
    names = [
        "words, 5-grams",
        "4 classes, 6-grams",
        "2 classes, 6-grams",
        "4 classes, 5-grams and words",
    ]
    assert [line[:30].strip() for line in lines[1:5]] == names
    assert lines[-4].startswith("interpolated, without cache ")
    assert lines[-3].startswith("interpolated ")
    assert lines[-2].startswith("with unknown words spelled out ")
    assert lines[-1].startswith("2 sentences, 7 words, 1 unknown (14.3%), ")
    facts = json.loads(firth("lm", "evaluate", model, file, "--json", "-q").out)
    assert (facts["n_words"], facts["n_unknown"], facts["n_sentences"], facts["n_tokens"]) == (
        7,
        1,
        2,
        9,
    )
    assert [one["name"] for one in facts["components"]][:4] == names
    assert facts["components"][-1]["name"] == "recent words of the class"
    assert sum(one["weight"] for one in facts["components"]) == pytest.approx(1)
    assert facts["perplexity_spelled"] > facts["perplexity"]
    assert f"{facts['perplexity_static']:,.1f}" in lines[-4]
    assert facts["perplexity"] == pytest.approx(math.exp(-facts["log_prob"] / 9))
    assert f"{facts['perplexity']:,.1f}" in lines[-3]


def test_evaluate_what_cannot_be(
    firth: Run, fails: Run, model: Path, text_file: Write, say: Say, tmp_path: Path
) -> None:
    assert "There are no words" in fails("lm", "evaluate", model, text_file("", "e.txt"), "-q").err
    assert "There is no file" in fails("lm", "evaluate", model, "no.txt").err
    assert "There is no model folder" in fails("lm", "evaluate", "no", "no.txt").err
    assert "is not a Firth model" in fails("lm", "evaluate", tmp_path, "no.txt").err
    say("xyz qqq\n")
    strange = firth("lm", "evaluate", model, "-")
    assert strange.status == 0
    assert "note: All words of the text are unknown to the model." in strange.err
    other = tmp_path / "other"
    learn_corpus(other, text_file("a b"), threads=1)
    found = fails("lm", "evaluate", other, "no.txt")
    assert "has no language model" in found.err
    assert f"firth lm learn {other}" in found.err


# apply -------------------------------------------------------------------------------------------


def test_apply_scores_sentences(firth: Run, model: Path, text_file: Write, say: Say) -> None:
    lm = load(model).lm
    say("the cat sat\n\nonce  a wolf\n")
    result = firth("lm", "apply", model)
    assert (result.status, result.err) == (0, "")
    rows = [line.split("\t") for line in result.out.splitlines()]
    assert [row[4] for row in rows] == ["the cat sat", "once a wolf"]
    assert [row[1:3] for row in rows] == [["3", "0"], ["3", "1"]]
    for row in rows:
        log_prob = lm.log_prob(row[4].split())
        assert float(row[0]) == pytest.approx(log_prob / math.log(10), abs=1e-4)
        assert float(row[3]) == pytest.approx(math.exp(-log_prob / 4), abs=0.01)
    file = text_file("the cat sat\nonce a wolf\n", "new.txt")
    objects = [
        json.loads(line) for line in firth("lm", "apply", model, file, "--json").out.splitlines()
    ]
    assert [one["words"] for one in objects] == [["the", "cat", "sat"], ["once", "a", "wolf"]]
    assert [one["n_unknown"] for one in objects] == [0, 1]
    assert objects[0]["log10_prob"] == pytest.approx(
        lm.log_prob(["the", "cat", "sat"]) / math.log(10)
    )


def test_apply_word_by_word(firth: Run, fails: Run, model: Path, say: Say) -> None:
    lm = load(model).lm
    say("the cat sat\nthe once sat\n")
    result = firth("lm", "apply", model, "--words", "--headings")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].split("\t") == ["word", "bits", "log10_prob", "known", "bits_spelled"]
    assert [line.split("\t")[0] for line in lines[1:6]] == ["the", "cat", "sat", "</s>", ""]
    expected = [one.bits for one in lm.word_scores(["the", "cat", "sat"])]
    assert [float(line.split("\t")[1]) for line in lines[1:5]] == pytest.approx(expected, abs=1e-3)
    assert [line.split("\t")[3] for line in lines[6:10]] == ["yes", "no", "yes", "yes"]
    bits, spelled = ([float(line.split("\t")[k]) for line in lines[6:10]] for k in (1, 4))
    assert [a < b for a, b in zip(bits, spelled, strict=True)] == [False, True, False, False]
    say("the cat sat\nthe once sat\n")
    cached = firth("lm", "apply", model, "--words", "--cache", "--json").out.splitlines()
    rows = [json.loads(line)["words"] for line in cached]
    assert [row["word"] for row in rows[1]] == ["the", "once", "sat", "</s>"]
    recent = lm.recent()
    for sentence, row in zip((["the", "cat", "sat"], ["the", "once", "sat"]), rows, strict=True):
        expected = [one.bits for one in lm.word_scores(sentence, recent)]
        assert [one["bits"] for one in row] == pytest.approx(expected)
        assert [one["log10_prob"] for one in row] == pytest.approx(
            [-bits * math.log10(2) for bits in expected]
        )
    assert "--cache needs --words" in fails("lm", "apply", model, "--cache", status=2).err
    say("the cat sat\n")
    head = firth("lm", "apply", model, "--headings").out.splitlines()[0]
    assert head == "log10_prob\tn_words\tn_unknown\tperplexity\tsentence"


def test_sample(firth: Run, fails: Run, model: Path) -> None:
    result = firth("lm", "sample", model, "-n", 5, "--seed", 3)
    assert (result.status, result.err) == (0, "")
    drawn = load(model).lm.sample(5, 3)
    assert result.out == "".join(" ".join(words) + "\n" for words in drawn)
    short = firth("lm", "sample", model, "-n", 9, "--longest", 2).out.splitlines()
    assert max(len(line.split()) for line in short) <= 2
    assert fails("lm", "sample", model, "-n", 0, status=2).err


def test_apply_goes_piece_by_piece(
    firth: Run, model: Path, text_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = text_file(TEXT, "new.txt")
    whole = firth("lm", "apply", model, file).out
    monkeypatch.setattr("firth.corpus.stream_sentences", partial(stream_sentences, n_words=3))
    assert firth("lm", "apply", model, file).out == whole
    assert len(whole.splitlines()) == 31
    monkeypatch.setattr(sys.modules["firth.cli.lm.apply"], "_LONGEST", 50)
    assert firth("lm", "apply", model, file, "--split", "none").status == 0
    assert firth("lm", "apply", model, file, "--tokens", "characters").out.startswith("-")


def test_apply_spells_out_what_would_disturb(firth: Run, model: Path, say: Say) -> None:
    say("the \x1b[31m [bold]cat[/] \u202e\n")
    result = firth("lm", "apply", model)
    assert "\x1b" not in result.out
    assert "[bold]" in result.out.replace(" ", "")


def test_apply_nothing_and_binary(firth: Run, fails: Run, model: Path, say: Say) -> None:
    say("")
    assert (firth("lm", "apply", model).out, firth("lm", "apply", model).status) == ("", 0)
    say("bad \udcff\udcfe\n")
    assert "not valid UTF-8" in fails("lm", "apply", model).err


# show --------------------------------------------------------------------------------------------


def test_show(firth: Run, model: Path) -> None:
    result = firth("lm", "show", model)
    assert (result.status, result.err) == (0, "")
    assert "\ndiscount of n-grams seen    once   twice   more often\nunigrams " in result.out
    assert "\nweights after " in result.out
    assert "\n  2  4 classes, 6-grams\n" in result.out
    assert "\nnothing " in result.out
    facts = json.loads(firth("lm", "show", model, "--json").out)
    assert facts["components"][:2] == ["words, 5-grams", "4 classes, 6-grams"]
    assert all(sum(row["weights"]) == pytest.approx(1) for row in facts["weights"])
    assert sum(row["held_out_words"] for row in facts["weights"]) == facts["held_out"]["n_tokens"]


def test_show_what_comes_next(firth: Run, model: Path) -> None:
    result = firth("lm", "show", model, "--after", "sat on", "-n", 2)
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert {line.split()[0] for line in lines} == {"the", "a"}
    assert lines[0].endswith("█" * 40)
    found = json.loads(firth("lm", "show", model, "--after", "sat on", "--json").out)
    assert found["after"] == ["sat", "on"]
    best = load(model).lm.next_words(["sat", "on"], 1)[0]
    assert found["next"][0] == {"word": best.word, "p": best.p}
    strange = firth("lm", "show", model, "--after", "the \x1b[0m zebra")
    assert "unknown: " in strange.out
    assert "\x1b" not in strange.out
    begins = json.loads(firth("lm", "show", model, "--after", "", "--json", "-n", 99).out)
    assert begins["after"] == []
    assert sum(one["p"] for one in begins["next"]) == pytest.approx(1)


# export, import ----------------------------------------------------------------------------------


def test_arpa_there_and_back(firth: Run, model: Path, tmp_path: Path, text_file: Write) -> None:
    for name in ("a.arpa", "a.arpa.gz"):
        result = firth("lm", "export", model, "-o", tmp_path / name)
        assert result.status == 0, result
        assert result.out.startswith("n-grams up to 5 (13, ")
        assert "without classes" in result.err
    plain = (tmp_path / "a.arpa").read_text()
    assert gzip.decompress((tmp_path / "a.arpa.gz").read_bytes()).decode() == plain
    assert firth("lm", "export", model, "-o", "-").out == plain
    other = tmp_path / "other"
    result = firth("lm", "import", tmp_path / "a.arpa.gz", "-o", other)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("words    10 words  imported\n")
    assert "Nothing to do" in firth("lm", "import", tmp_path / "a.arpa.gz", "-o", other).out
    assert json.loads(firth("lm", "import", tmp_path / "a.arpa", "-o", other, "--json", "-q").out)[
        "changed"
    ] == ["lm"]
    file = text_file("the cat sat\na wolf once ran\n", "new.txt")
    here, there = (
        json.loads(firth("lm", "evaluate", m, file, "--json", "-q").out) for m in (model, other)
    )
    assert there["perplexity"] == pytest.approx(here["components"][0]["perplexity"], rel=1e-5)
    assert len(there["components"]) == 1
    shown = firth("lm", "show", other)
    assert "weights" not in shown.out
    assert "discount" not in shown.out


DAMAGED = [
    ("\\data\\", "data"), ("ngram 1=13", "ngram 1=14"), ("ngram 3=", "ngram 4="), ("\\2-grams:", "x"),
    ("\\end\\", ""), ("\t<unk>", "\tthe"), ("-99\t", "3\t"), ("-99\t", "nan\t"),
]  # fmt: skip


def test_damaged_files(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    assert firth("lm", "export", model, "-o", tmp_path / "a.arpa", "-q").status == 0
    text = (tmp_path / "a.arpa").read_text()
    left = re.search(r"\t<s>(\t.*)\n", text)
    assert left is not None
    for old, new in [*DAMAGED, (left[1], "\t150")]:
        assert old in text
        (tmp_path / "a.arpa").write_text(text.replace(old, new, 1))
        found = fails("lm", "import", tmp_path / "a.arpa", "-o", tmp_path / "new", "-q")
        assert "hint: Is it in the ARPA format?" in found.err, old
        assert not (tmp_path / "new").exists()


def test_files_that_are_none(fails: Run, model: Path, tmp_path: Path) -> None:
    assert "does not exist" in fails("lm", "import", tmp_path / "no", "-o", tmp_path / "new").err
    assert "is a folder" in fails("lm", "import", tmp_path, "-o", tmp_path / "new").err
    assert (
        "Cannot write" in fails("lm", "export", model, "-o", tmp_path / "no" / "a.arpa", "-q").err
    )


def test_an_empty_file_is_no_model(firth: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.arpa").touch()
    result = firth("lm", "import", tmp_path / "empty.arpa", "-o", tmp_path / "model")
    assert result.status == 1
    assert "empty.arpa is empty." in result.err
    assert not (tmp_path / "model").exists()


def test_a_compact_file_takes_the_place_of_a_model(
    model: Path, firth: Run, text_file: Write, tmp_path: Path
) -> None:
    path, text = tmp_path / "small.firthlm", text_file("the market rose\nnew words\n")
    result = firth("lm", "export", model, "-o", path)
    assert result.status == 0, result
    assert "without classes and cache" in result.err
    rows = [
        json.loads(line) for line in firth("lm", "apply", path, text, "--json").out.splitlines()
    ]
    assert [row["words"] for row in rows] == [["the", "market", "rose"], ["new", "words"]]
    found = json.loads(firth("lm", "evaluate", path, text, "--json").out)
    wanted = json.loads(firth("lm", "evaluate", model, text, "--json").out)
    assert found["perplexity"] == pytest.approx(wanted["components"][0]["perplexity"], rel=1e-5)
    assert len(firth("lm", "apply", path, text, "--words").out.splitlines()) == 9
    none = firth("lm", "apply", path, text, "--words", "--cache")
    assert none.status != 0
    assert "no cache" in none.err
    shown = firth("lm", "show", path)
    assert (shown.status, shown.err) == (0, "")
    assert shown.out.startswith("file     a compact language model  n-grams of words ")
    facts = json.loads(firth("lm", "show", path, "--json").out)
    assert facts["components"] == ["words, 5-grams, 8 bits"]
    assert facts["n_grams"] == json.loads(firth("lm", "show", model, "--json").out)["n_grams"]
    assert "does not list" in firth("lm", "show", path, "--after", "the").err
    assert "is a compact file" in firth("lm", "sample", path).err
    other = firth("lm", "apply", text, text)
    assert other.status != 0
    assert "is not a compact language model" in other.err


def test_a_compact_file_that_is_not_there_is_named_as_a_file(firth: Run, tmp_path: Path) -> None:
    missing = firth("lm", "apply", tmp_path / "none.firthlm")
    assert missing.status == 1
    assert "There is no file" in missing.err
    assert "firth lm export MODEL -o" in missing.err
