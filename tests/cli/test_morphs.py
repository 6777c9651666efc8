"""firth morphs, as a person would use it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firth as package
from tests.morphs.samples import language

Run = Callable[..., Any]
GOLD = language(n=200)
WORDS = list(GOLD)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of words, the same as text, gold splits, and a model."""
    here = tmp_path_factory.mktemp("morphs")
    lines = [" ".join(WORDS[k : k + 8]) + " ." for k in range(0, len(WORDS), 8)]
    (here / "words.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    (here / "text.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    gold = "".join(f"{word}\t{' @@'.join(parts)}\n" for word, parts in GOLD.items())
    (here / "gold.tsv").write_text(gold + "zukade\tzuk den\n", encoding="utf-8")
    from firth.pipeline import learn_morphs

    learn_morphs(here / "m", here / "words.txt")
    return here


def test_text_and_lists_of_words_are_learned_from(firth: Run, folder: Path, tmp_path: Path) -> None:
    result = firth("morphs", "learn", folder / "words.txt", "-o", tmp_path / "list")
    assert result.status == 0, result
    assert "has one word on each line: it is treated as a list of words" in result.err
    assert "-taz" in result.out
    assert "paradigms" in result.out
    assert list(package.load(tmp_path / "list").parts) == ["morphs"]
    assert (
        "Nothing to do"
        in firth("morphs", "learn", folder / "words.txt", "-o", tmp_path / "list").out
    )
    done = firth("morphs", "learn", folder / "text.txt", "-o", tmp_path / "text", "--json")
    assert json.loads(done.out)["changed"] == ["corpus", "morphs"]
    assert "list of words" not in done.err
    models = [package.load(tmp_path / name).morphs for name in ("list", "text")]
    assert models[0].split_all(WORDS) == models[1].split_all(WORDS)
    again = firth("morphs", "learn", tmp_path / "text", "--rounds", 2, "--json")
    assert json.loads(again.out)["changed"] == ["morphs"]
    assert f"  morphs   {len(WORDS):,} words, " in firth("show", tmp_path / "text").out


def test_given_splits_are_respected(firth: Run, folder: Path, tmp_path: Path) -> None:
    word = next(word for word, parts in GOLD.items() if len(parts) == 2)
    (tmp_path / "known.tsv").write_text(f"{word}\t{word}\n", encoding="utf-8")
    source = [folder / "words.txt", "-o", tmp_path / "m", "--known", tmp_path / "known.tsv", "-q"]
    assert firth("morphs", "learn", *source).status == 0
    model = package.load(tmp_path / "m").morphs
    assert model.split(word) == [word]
    assert package.load(folder / "m").morphs.split(word) == GOLD[word]


@pytest.mark.parametrize("form", ["morphs", "json", "conllu"])
def test_running_text_is_split(firth: Run, folder: Path, tmp_path: Path, form: str) -> None:
    split = package.load(folder / "m").morphs.split
    one, other = WORDS[3], WORDS[10]
    (tmp_path / "t.txt").write_text(f"{one}, 42 {other}!\n{other}\n", encoding="utf-8")
    result = firth("morphs", "apply", folder / "m", tmp_path / "t.txt", "--format", form)
    assert result.status == 0, result
    lines = result.out.splitlines()
    if form == "morphs":
        marked = [" @@".join(split(word)) for word in (one, other)]
        assert lines == [f"{marked[0]} , 42 {marked[1]} !", marked[1]]
    elif form == "json":
        assert json.loads(lines[1]) == [{"word": other, "morphs": split(other)}]
        assert [token["word"] for token in json.loads(lines[0])] == [one, ",", "42", other, "!"]
    else:
        assert lines[0] == f"1\t{one}" + "\t_" * 7 + f"\tMorphs={' '.join(split(one))}"
        assert lines[5] == ""


def test_conllu_keeps_what_it_has(firth: Run, folder: Path, tmp_path: Path) -> None:
    rows = [
        f"1\t{WORDS[3]}\tx\tNOUN\t_\t_\t0\troot\t_\tSpaceAfter=No|Morphs=old",
        "2\t|\t_\t_\t_\t_\t_\t_\t_\t_",
    ]
    (tmp_path / "t.conllu").write_text("# a comment\n" + "\n".join(rows) + "\n\n", encoding="utf-8")
    out = firth("morphs", "apply", folder / "m", tmp_path / "t.conllu", "--format", "conllu").out
    parts = " ".join(package.load(folder / "m").morphs.split(WORDS[3]))
    expected = rows[0].replace("Morphs=old", f"Morphs={parts}")
    assert out.splitlines() == ["# a comment", expected, rows[1][:-1] + "Morphs=\\p", ""]


def test_the_language_and_its_words_are_shown(firth: Run, folder: Path) -> None:
    out = firth("morphs", "show", folder / "m", "-n", 9).out
    assert out.startswith(f"{len(WORDS):,} words, ")
    assert all(f"-{suffix} " in out for suffix in ("taz", "mi", "shen", "den", "ro", "chik", "lu"))
    assert "∅" in out
    facts = json.loads(firth("morphs", "show", folder / "m", "--json").out)
    assert facts["affixes"][0] == {
        "text": "taz",
        "kind": "suffix",
        "n_words": facts["affixes"][0]["n_words"],
    }
    assert facts["paradigms"][0]["stems"]
    word = next(word for word, parts in GOLD.items() if len(parts) == 3)
    out = firth("morphs", "show", folder / "m", word).out
    assert out.splitlines()[0] == f"{' '.join(GOLD[word])}  stem, suffix, suffix"
    assert "%" in out.splitlines()[1]
    told = json.loads(firth("morphs", "show", folder / "m", word, "-n", 2, "--json").out)
    assert [morph["text"] for morph in told["morphs"]] == GOLD[word]
    assert len(told["splits"]) == 2


def test_splits_are_compared_with_gold(firth: Run, folder: Path) -> None:
    facts = json.loads(firth("morphs", "evaluate", folder / "m", folder / "gold.tsv", "--json").out)
    assert facts["n_words"] == len(GOLD)
    assert (facts["n_left_out"], facts["n_unseen"]) == (1, 0)
    assert facts["precision"] > 0.97
    out = firth("morphs", "evaluate", folder / "m", folder / "gold.tsv").out
    assert f"whole words  {100 * facts['words_right']:.1f}" in out


def test_what_cannot_be_done(fails: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("walked\twalk de\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    (tmp_path / "numbers.txt").write_text("1\n2\n3\n", encoding="utf-8")
    words, target = folder / "words.txt", tmp_path / "x"
    told = fails("morphs", "learn", words, "-o", target, "--known", tmp_path / "bad.tsv")
    assert "bad.tsv: the parts 'walk de', joined, are not 'walked'" in told.err
    assert (
        "There is no file" in fails("morphs", "learn", words, "-o", target, "--known", "none").err
    )
    assert not target.exists()
    fails("morphs", "learn", tmp_path / "empty.txt", "-o", target)
    assert (
        "is for text" in fails("morphs", "learn", words, "-o", target, "--lowercase", status=2).err
    )
    assert "firth morphs learn" in fails("morphs", "show", tmp_path / "none").err


def test_a_list_without_words(firth: Run, tmp_path: Path) -> None:
    (tmp_path / "numbers.txt").write_text("1\n2\n3\n", encoding="utf-8")
    result = firth("morphs", "learn", tmp_path / "numbers.txt", "-o", tmp_path / "x")
    assert result.status == 1
    assert "no word consists of letters" in result.err


def test_splits_are_corrected(firth: Run, fails: Run, folder: Path, tmp_path: Path) -> None:
    word = next(word for word, parts in GOLD.items() if len(parts) == 2)
    model, text = tmp_path / "m", folder / "text.txt"
    assert firth("morphs", "learn", text, "-o", model, "-q").status == 0
    done = firth("morphs", "correct", model, f"{word}={word}", "unheard=un heard")
    assert done.status == 0, done
    assert f"{word}  stem (corrected)" in done.out
    assert f"firth morphs learn {model}" in done.out
    told = json.loads(firth("morphs", "show", model, word, "--json").out)
    assert (told["corrected"], [morph["text"] for morph in told["morphs"]]) == (True, [word])
    assert json.loads(firth("morphs", "show", model, "--json").out)["n_corrected"] == 2
    (tmp_path / "input.txt").write_text(f"{word} unheard\n", encoding="utf-8")
    out = firth("morphs", "apply", model, tmp_path / "input.txt").out
    assert out == f"{word} un @@heard\n"
    assert "2 words" in firth("show", model).out
    file = tmp_path / "c.tsv"
    assert "2 corrections" in firth("morphs", "export", model, "-o", file).out
    assert sorted(file.read_text(encoding="utf-8").splitlines()) == sorted(
        [f"{word}\t{word}", "unheard\tun heard"]
    )
    assert firth("morphs", "export", model, "-o", "-").out.count("\n") == 2
    assert firth("morphs", "correct", model, f"{word}=", "-q").out == ""
    assert firth("morphs", "show", model, word).out.startswith(" ".join(GOLD[word]))
    assert "2 corrections" in firth("morphs", "import", file, "-o", model).out
    file.write_text(f"{word}\t{' '.join(GOLD[word])}\n", encoding="utf-8")
    assert "--replace" in fails("morphs", "import", file, "-o", model).err
    assert firth("morphs", "import", file, "-o", model, "--replace").status == 0
    wrong = fails("morphs", "correct", model, f"{word}=x y")
    assert f"The parts 'x y', joined, are not '{word}'" in wrong.err
    assert "Expected WORD=PARTS" in fails("morphs", "correct", model, word, status=2).err
    assert "no correction" in fails("morphs", "correct", model, "sit=").err
    assert "no model folder" in fails("morphs", "correct", tmp_path / "x", "a=a").err
    assert "no model" in fails("morphs", "export", tmp_path / "x", "-o", file).err


def test_the_main_job_learns_morphs(firth: Run, folder: Path, tmp_path: Path) -> None:
    learn = ["learn", folder / "text.txt", "--dim", 0, "--classes", 0, "--min-count", 1, "--morphs"]
    planned = json.loads(firth(*learn, "--plan", "--json").out)
    assert [stage["name"] for stage in planned["stages"]] == ["corpus", "counts", "morphs"]
    done = json.loads(firth(*learn, "-o", tmp_path / "m", "--json").out)
    assert done["changed"] == ["corpus", "counts", "morphs"]
    assert done["parts"]["morphs"]["n_words"] == len(WORDS)
    assert json.loads(firth(*learn, "-o", tmp_path / "m", "--json").out)["changed"] == []
