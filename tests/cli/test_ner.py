"""The commands around the tagger of names, as a person would use them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.formats import read_labelled
from firth.model import load
from firth.ner import EntityTagger
from tests.ner.samples import classes, columns, part_of, random_vectors, rule_text

Run = Callable[..., Any]
Say = Callable[[str], None]
NAMES, DEV = columns(rule_text(4)), columns(rule_text(2, seed=8, first=6))
TEXT = "Mr Rosa Ness was in Bonn .\nThe Weather was fine .\n"


@pytest.fixture
def names(text_file: Callable[..., Path]) -> Path:
    return text_file(NAMES, "names.txt")


@pytest.fixture
def dev(text_file: Callable[..., Path]) -> Path:
    return text_file(DEV, "dev.txt")


@pytest.fixture
def model(firth: Run, names: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m"
    result = firth("ner", "learn", names, "-o", path, "-q", "--rounds", 5)
    assert (result.status, result.out, result.err) == (0, "", "")
    return path


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """A model with classes and vectors."""
    path = tmp_path / "news"
    part_of(path, classes())
    part_of(path, random_vectors(3).restrict(["anna", "Rome", "in"]))
    return path


# learn -------------------------------------------------------------------------------------------


def test_learn_says_what_it_learned(firth: Run, names: Path, dev: Path, tmp_path: Path) -> None:
    path = tmp_path / "m"
    args = ("ner", "learn", names, "-o", path, "--dev", dev, "--rounds", 10)
    result = firth(*args)
    assert result.status == 0, result
    facts = load(path).parts["ner"].facts
    lines = result.out.splitlines()
    assert lines[0] == "learned from 48 names in 278 words  LOC, PER; iob2"
    assert lines[1] == f"features     {facts['n_features']:,}"
    assert lines[2].startswith("F1 of --dev  ")
    assert lines[2].endswith("100.00 after 10 rounds")
    assert [n for n, _ in facts["dev_f1"]] == [2, 4, 6, 8, 10]
    assert lines[3] == f"try      firth ner apply {path} TEXT"
    assert "learning to find names: done in" in result.err


def test_what_was_learned_is_not_learned_again(
    firth: Run, names: Path, dev: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m"
    args = ("ner", "learn", names, "-o", path, "--rounds", 2)
    assert json.loads(firth(*args, "--json", "-q").out)["changed"] == ["ner"]
    identity = load(path).parts["ner"].identity
    again = firth(*args)
    assert again.out.startswith("Nothing to do: this was learned already, with these options.\n")
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
    assert load(path).ner.lexicon.path("Anna") == "00"
    wrong = fails(*args, "--features", "maps", status=2)
    assert "--features must be of classes, vectors. Got 'maps'." in wrong.err
    assert (
        "--features are those of a model" in fails(*args[:-2], "--features", "maps", status=2).err
    )
    half = tmp_path / "half"
    part_of(half, classes())
    assert firth(*args[:-1], half).out.count("classes of 7 words") == 1
    wrong = fails(*args[:-1], half, "--features", "vectors")
    assert "has no vectors" in wrong.err
    assert f"firth vectors learn {half}" in wrong.err
    assert "has neither classes nor vectors" in fails(*args[:-1], path).err
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
            firth("ner", "learn", file, "-o", path, "--rounds", 1, "--column", column).status == 0
        )
        assert load(path).ner.types_ == ["LOC", "PER"]
    wrong = fails("ner", "learn", file, "-o", path, "--rounds", 1)
    assert "'NN' is no label of an entity. Column 3 seems to hold parts of speech" in wrong.err
    assert "perhaps 2" in wrong.err
    assert (
        "there is none with the number 9"
        in fails("ner", "learn", file, "-o", path, "--column", 9).err
    )
    assert (
        "--column must be" in fails("ner", "learn", file, "-o", path, "--column", 0, status=2).err
    )


def test_slips_are_noted(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    text = "Anna B-PER\nBerg I-PER\nran O\n\n" * 100 + "so O\nOslo I-LOC\n\n"
    result = firth("ner", "learn", text_file(text), "-o", tmp_path / "m", "--rounds", 1)
    assert result.status == 0, result
    assert (
        "note         1 label against the rules of their notation, read as conlleval reads them"
        in result.out
    )


@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        ("--rounds", "0", "an int of at least 1"),
        ("--margin", "-1", "a number from 0 to 1e6"),
        ("--margin", "nan", "a number from 0 to 1e6"),
        ("--dropout", "1", "a number from 0 to 0.9"),
        ("--stages", "3", "1 or 2"),
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
        ("", "has no words in it"),
        ("\n\n", "has no words in it"),
        ("Anna O\nran O\n", "There are no names in this text"),
        ("Anna\nran\n", "column"),
        ("Anna B-PER\nran\n", "Line 2"),
        (b"Ann\xff B-PER\n", "not in UTF-8"),
    ):
        wrong = fails("ner", "learn", text_file(text), "-o", path, "-q")
        assert said in wrong.err, wrong
    assert (
        f"There is no file {tmp_path / 'none'}."
        in fails("ner", "learn", tmp_path / "none", "-o", path).err
    )
    assert "is a folder" in fails("ner", "learn", tmp_path, "-o", path).err
    assert "There is no file none" in fails("ner", "learn", names, "-o", path, "--dev", "none").err


def test_a_tagger_stands_among_other_parts(firth: Run, names: Path, news: Path) -> None:
    assert firth("ner", "learn", names, "-o", news, "--using", news, "--rounds", 2).status == 0
    assert sorted(load(news).parts) == ["classes", "ner", "vectors"]
    out = firth("show", news).out
    assert "LOC, PER; " in out
    assert "learned from 48 names" in out
    facts = json.loads(firth("show", news, "--json").out)["parts"]["ner"]
    assert facts["n_names"] == 48
    assert facts["types"] == ["LOC", "PER"]


# apply -------------------------------------------------------------------------------------------


def test_names_in_text_are_marked(firth: Run, model: Path, text_file: Callable[..., Path]) -> None:
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
    """All names in objects of JSON."""
    return [name for line in out.splitlines() for name in json.loads(line)["names"]]


@pytest.mark.parametrize("split", ["lines", "sentences", "none"])
def test_names_are_where_json_says(
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


def test_names_are_where_json_says_in_pieces_of_lines(
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


def test_names_in_tables_have_no_lines(
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


@given(
    text=st.text("aZé1 .'-\n\t\u0301\u200b\u00a0\u4e2d(@", max_size=60),
    tokens=st.sampled_from(["words", "whitespace", "characters"]),
)
def test_every_word_is_where_it_stands(text: str, tokens: str) -> None:
    from firth.cli._ner_places import PlacedSource, text_of
    from firth.corpus import Reading, Source, stream_tokens, tokenise

    with TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text(text, newline="")
        source = PlacedSource(Source("text.txt", "text", path), placing=True)
        spots = [
            spot
            for words, _ in stream_tokens([source], Reading(tokens))
            for spot in source.spots(len(words))
        ]
    assert [spot.text for spot in spots] == [w for s in tokenise(text, tokens) for w in s]
    for spot in spots:
        line = text.split("\n")[spot.line - 1]
        assert line[spot.start :].startswith(spot.text)
        assert not tokenise(spot.before, tokens)
    if spots:
        assert text.startswith(spots[0].before + text_of(spots))


def test_text_that_seems_to_be_in_columns_is_noticed(
    firth: Run, model: Path, names: Path, text_file: Callable[..., Path], say: Say
) -> None:
    result = firth("ner", "apply", model, names)
    assert result.status == 0
    assert result.out
    assert result.err == (
        f"note: {names} seems to be in columns, the last of them labels; it is read as text.\n"
        "hint: To read the columns: --columns\n"
    )
    say("-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nran VBD I-VP O\n")
    assert "standard input seems to be in columns" in firth("ner", "apply", model).err
    assert firth("ner", "apply", model, names, "--columns").err == ""
    for text in (TEXT, "Vitamin B-12\n", "Mr O\nMr Rosa O\n", "O\nO\n", "", "Rosa is A\n" * 3):
        assert firth("ner", "apply", model, text_file(text)).err == "", text


def test_options_that_would_be_of_no_use_are_refused(fails: Run, model: Path, names: Path) -> None:
    args = ("ner", "apply", model, names)
    for option, value in (("--tokens", "words"), ("--split", "lines"), ("--errors", "replace")):
        wrong = fails(*args, "--columns", option, value, status=2)
        assert f"error: {option} is for text, not for columns." in wrong.err
        assert f"hint: Leave out {option}, or --columns." in wrong.err
    wrong = fails(*args, "--columns", "--split", "none", "--tokens", "words", status=2)
    assert "--tokens and --split are for text" in wrong.err
    for form in ([], ["--format", "json"], ["--format", "inline"]):
        wrong = fails(*args, "--scheme", "iob2", *form, status=2)
        assert "--scheme is the notation of labels in columns." in wrong.err


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


def test_a_long_text_is_read_in_pieces(
    firth: Run, model: Path, text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.cli import _ner_application
    from firth.corpus import _blocks

    sizes = []
    tag = EntityTagger.entities

    def watched(self: EntityTagger, sentences: Any) -> Any:
        sizes.append(sum(map(len, sentences)))
        return tag(self, sentences)

    monkeypatch.setattr(EntityTagger, "entities", watched)
    monkeypatch.setattr(_ner_application, "WORDS_AT_A_TIME", 50)
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
        "ner", "apply", model, "--columns", text_file("Mr\nRosa\n"), "--scheme", "bilou"
    ).out
    assert out.split() == ["Mr", "O", "Rosa", "U-PER"]


def test_what_was_applied_to_columns_can_be_evaluated(
    firth: Run, model: Path, dev: Path, text_file: Callable[..., Path]
) -> None:
    out = firth("ner", "apply", model, "--columns", dev).out
    both = firth("ner", "evaluate", text_file(out, "both.txt"), "--json").out
    assert json.loads(both) == json.loads(firth("ner", "evaluate", model, dev, "--json").out)


def test_columns_that_are_none(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], say: Say
) -> None:
    say("")
    assert "standard input has no words in it" in fails("ner", "apply", model, "--columns").err
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
    """As from a file: what is not UTF-8 is refused, and letters survive."""
    wrong = run_alone(
        "ner", "apply", model, "--columns", given=b"Mr\xff NN\n", PYTHONIOENCODING="utf-8:strict"
    )
    assert wrong.returncode == 1
    assert wrong.stdout == b""
    assert wrong.stderr.startswith(b"error: ")
    assert b"Traceback" not in wrong.stderr


def test_apply_says_what_it_cannot_do(
    fails: Run, model: Path, news: Path, text_file: Callable[..., Path], tmp_path: Path, say: Say
) -> None:
    file = text_file(TEXT)
    assert "There is no file" in fails("ner", "apply", model, tmp_path / "none").err
    assert "There is no file" in fails("ner", "apply", model, tmp_path / "none", "--columns").err
    wrong = fails("ner", "apply", model, file, "--format", "xml", status=2)
    assert "--format must be one of 'inline', 'columns', 'json'. Got 'xml'." in wrong.err
    wrong = fails("ner", "apply", model, file, "--scheme", "bio", status=2)
    assert "--scheme must be one of 'iob1', 'iob2', 'iobes', 'bilou'. Got 'bio'." in wrong.err
    assert "--tokens must be" in fails("ner", "apply", model, file, "--tokens", "x", status=2).err
    assert "--split must be" in fails("ner", "apply", model, file, "--split", "x", status=2).err
    wrong = fails("ner", "apply", model, file, "--columns", "--format", "json", status=2)
    assert "Columns come out as columns, not as json." in wrong.err
    wrong = fails("ner", "apply", news, file)
    assert f"The model {news} has no tagger of names." in wrong.err
    assert f"hint: Learn one: firth ner learn FILE -o {news}" in wrong.err
    none = tmp_path / "none"
    for args in (("apply", none, file), ("evaluate", none, file), ("show", none)):
        wrong = fails("ner", *args)
        assert f"error: There is no model folder {none}." in wrong.err
        assert f"hint: Make one: firth ner learn FILE -o {none}" in wrong.err


def test_a_hint_names_no_option_that_is_not_there(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    wrong = fails("ner", "apply", model, text_file(b"Mr Ros\xff\n"))
    assert "not valid UTF-8" in wrong.err
    assert "--errors" not in wrong.err or "--errors" in firth("ner", "apply", "--help").out


def test_control_characters_do_not_reach_a_terminal(firth: Run, model: Path, say: Say) -> None:
    say("Mr \u202eRosa was in Bonn .\n")
    assert "\u202e" not in firth("ner", "apply", model, "--tokens", "whitespace").out
    say("Mr \u202eRosa was in Bonn .\n")
    out = firth("ner", "apply", model, "--tokens", "whitespace", "--format", "json").out
    assert json.loads(out)["words"][1] == "\u202eRosa"
    assert out.isascii()


# evaluate ----------------------------------------------------------------------------------------

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
    """PER: 2 there, 1 found, 1 right. LOC: 2 there, 2 found, 1 right."""
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
    assert lines_out[0] == ["type", "precision", "recall", "F1", "there", "found", "right"]
    assert lines_out[1] == ["LOC", "50.00", "50.00", "50.00", "2", "2", "1"]
    assert lines_out[2] == ["PER", "100.00", "50.00", "66.67", "2", "1", "1"]
    assert lines_out[3] == ["all", "66.67", "50.00", "57.14", "4", "3", "2"]
    assert "3 sentences, 8 words" in " ".join(lines_out[4])
    assert "75.00 % of labels the same" in " ".join(lines_out[4])


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


def test_a_tagger_is_measured_on_what_it_learned(
    firth: Run, model: Path, names: Path, dev: Path
) -> None:
    for file in (names, dev):
        facts = json.loads(firth("ner", "evaluate", model, file, "--json").out)
        assert facts["overall"]["f1"] == 1
        assert facts["accuracy"] == 1
    assert (
        firth("ner", "evaluate", model, dev, "--column", 2).out
        == firth("ner", "evaluate", model, dev).out
    )


def test_labels_in_another_notation_are_measured_alike(
    firth: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    from firth.formats import convert_labels

    text = [
        [(words, convert_labels(labels, "iob2", "iobes")) for words, labels in document]
        for document in rule_text(2, seed=8, first=6)
    ]
    facts = json.loads(firth("ner", "evaluate", model, text_file(columns(text)), "--json").out)
    assert facts["overall"]["f1"] == facts["accuracy"] == 1


def test_two_columns_of_two_notations_are_compared(
    firth: Run, text_file: Callable[..., Path]
) -> None:
    text = "Anna B-PER B-PER\nBerg I-PER E-PER\nran O O\nto O O\nOslo B-LOC S-LOC\n"
    facts = json.loads(firth("ner", "evaluate", text_file(text), "--json").out)
    assert facts["overall"]["f1"] == facts["accuracy"] == 1


def test_a_column_compared_with_itself_is_the_same_slips_and_all(
    firth: Run, text_file: Callable[..., Path]
) -> None:
    text = "Anna B-PER B-PER\nBerg I-PER I-PER\nran O O\n\n" * 100 + "so O O\nOslo I-LOC I-LOC\n"
    facts = json.loads(firth("ner", "evaluate", text_file(text), "--json").out)
    assert facts["overall"]["f1"] == 1
    assert facts["accuracy"] == 1


def test_evaluate_says_what_it_cannot_do(
    fails: Run, model: Path, news: Path, dev: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    wrong = fails("ner", "evaluate", model, status=2)
    assert "There is nothing to measure the tagger on." in wrong.err
    assert f"firth ner evaluate {model} FILE" in wrong.err
    assert "There is no file" in fails("ner", "evaluate", tmp_path / "none").err
    assert "There is no file" in fails("ner", "evaluate", model, tmp_path / "none").err
    assert "has no tagger of names" in fails("ner", "evaluate", news, dev).err
    assert (
        "there is none with the number 7" in fails("ner", "evaluate", model, dev, "--column", 7).err
    )
    assert "--column must be" in fails("ner", "evaluate", model, dev, "--column", 0, status=2).err
    assert "--column is for" in fails("ner", "evaluate", dev, "--column", 2, status=2).err
    assert "column" in fails("ner", "evaluate", text_file("Anna B-PER\n")).err
    assert "has no words in it" in fails("ner", "evaluate", model, text_file("")).err
    assert "is no label" in fails("ner", "evaluate", text_file("Anna NN B-PER\n")).err


def test_labelled_text_can_come_from_standard_input(
    firth: Run, fails: Run, model: Path, dev: Path, say: Say, tmp_path: Path
) -> None:
    expected = firth("ner", "evaluate", model, dev).out
    say(DEV)
    assert firth("ner", "evaluate", model, "-").out == expected
    say(firth("ner", "apply", model, "--columns", dev).out)
    assert firth("ner", "evaluate", "-").out == expected
    for text, said in (
        ("", "standard input has no words in it"),
        ("Anna B-PER\nran\n", "Line 2 of standard input has only one column"),
    ):
        for args in ((model, "-"), ("-",)):
            say(text)
            assert said in fails("ner", "evaluate", *args).err
    path = tmp_path / "new"
    for learn in (("-", "-o", path), (dev, "-o", path, "--dev", "-")):
        wrong = fails("ner", "learn", *learn)
        assert "Standard input cannot be learned from" in wrong.err
        assert "Write the labelled text to a file first" in wrong.err
        assert not path.exists()


# show --------------------------------------------------------------------------------------------


def test_show_tells_what_speaks_for_names(firth: Run, fails: Run, model: Path, news: Path) -> None:
    result = firth("ner", "show", model, "-n", 3)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0] == "learned from 48 names in 278 words  LOC, PER; iob2"
    assert lines.index("LOC") < lines.index("PER")
    place = lines[lines.index("LOC") + 1]
    assert place.split()[:2] == ["one", "word"]
    assert "before: lower=in" in place
    facts = json.loads(firth("ner", "show", model, "--json").out)
    assert facts["n_names"] == 48
    told = facts["telling"]["LOC"]["U"]
    assert len(told) == 8
    assert [list(pair) for pair in load(model).ner.telling("U-LOC", 8)] == told
    assert set(facts["telling"]["PER"]) == {"U", "B"}
    assert "has no tagger of names" in fails("ner", "show", news).err
    assert firth("ner", "show", model, "-n", 0).status == 2


def test_show_tells_nothing_where_there_is_nothing(firth: Run, model: Path) -> None:
    """No place in the text has a name of two words."""
    lines = firth("ner", "show", model).out.splitlines()
    assert lines[lines.index("LOC") + 2].split() == ["first", "of", "several", "nothing"]


def test_a_damaged_tagger_is_refused(
    fails: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    file = text_file(TEXT)
    weights = load(model).parts["ner"].path("stage1_weights.f32")
    weights.write_bytes(weights.read_bytes()[:-4])
    for args in (("apply", model, file), ("show", model), ("evaluate", model, file)):
        assert "error: " in fails("ner", *args).err


def test_help_is_there_for_every_command(firth: Run) -> None:
    assert "ner" in firth("--help").out
    for command in ("learn", "apply", "evaluate", "show"):
        out = firth("ner", command, "--help").out
        assert "Example:" in out, command


def test_types_that_look_like_markup_are_printed_as_they_are(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file = text_file("Anna B-[/x]\nis O\n\nOtto B-[bold]y\nis O\n")
    firth("ner", "learn", file, "-o", tmp_path / "m", "-q")
    shown = firth("ner", "evaluate", tmp_path / "m", file).out
    assert "[/x]" in shown
    assert "[bold]y" in shown


def test_numbers_are_no_words(fails: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    wrong = fails("ner", "learn", text_file("1\tAnna\tB-PER\n2\tis\tO\n"), "-o", tmp_path / "m")
    assert "holds numbers, not words" in wrong.err
    assert "cut -f 2-" in wrong.err


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ("facts", "n_names", None), ("facts", "dev_f1", "x"), ("facts", "n_features", "1"),
        ("facts", "types", ["", "PER"]), ("facts", "types", ["PER", "PER"]), ("parameters", "rounds", "x"),
    ],
)  # fmt: skip
def test_a_changed_manifest_is_refused(
    fails: Run, model: Path, where: str, name: str, value: object
) -> None:
    manifest = json.loads((model / "firth.json").read_text())
    manifest["parts"]["ner"][where][name] = value
    (model / "firth.json").write_text(json.dumps(manifest))
    for command in (["ner", "show", model], ["ner", "apply", model, "x"]):
        wrong = fails(*command)
        assert "cannot be used" in wrong.err
        assert "hint: Learn it anew: firth ner learn" in wrong.err


def test_json_keeps_letters(firth: Run, model: Path, say: Say) -> None:
    say("René wohnt in Москва\n")
    assert "René" in firth("ner", "apply", model, "--format", "json").out
