"""firth find: patterns, what is printed, and mistakes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Result

Run = Callable[..., Result]

TEXT = (
    "The United States of America met in January.\n"
    "He spoke of the united states in March, didn't he?\n"
    "Freedom and States of mind, in January and in March.\n"
)


@pytest.fixture
def model(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> Path:
    assert firth("corpus", "learn", text_file(TEXT), "-o", tmp_path / "m", "-q").status == 0
    return tmp_path / "m"


def matches(firth: Run, model: Path, *patterns: str) -> list[str]:
    found = json.loads(firth("find", model, *patterns, "--json").out)
    assert found["query"] == list(patterns)
    assert found["count"] == len(found["hits"])
    return [hit["word"] for hit in found["hits"]]


def test_patterns(firth: Run, model: Path) -> None:
    assert matches(firth, model, "United States") == ["United States"]
    assert matches(firth, model, "~united ~states") == ["United States", "united states"]
    assert matches(firth, model, '"in (January|March)"') == ["in January", "in March"] * 2
    assert matches(firth, model, "Free*", "didn't") == ["didn't", "Freedom"]
    assert matches(firth, model, "~states {0,2} in") == ["states in"]


def test_context_and_order(firth: Run, model: Path) -> None:
    lines = firth("find", model, "in", "--context", "2", "--sort", "R1,L1").out.splitlines()
    assert lines == [
        "        mind, in January and",
        "  America met in January.",
        "  January and in March.",
        "united states in March,",
        "4 of 4 occurrences",
    ]
    whole = firth("find", model, "mind", "--context", "sentence").out.splitlines()
    assert whole[0] == TEXT.splitlines()[2]
    first = firth("find", model, "in", "-n", "1", "--sample", "first", "--context", "0")
    assert first.out.splitlines() == ["in", "1 of 4 occurrences, the first"]
    old = firth("find", model, "mind", "--width", "4")
    assert old.out == firth("find", model, "mind", "--context", "4c").out
    assert "note: --width 4 is now written --context 4c." in old.err
    assert "--width" not in firth("find", "--help").out


def test_counts_alone(firth: Run, model: Path) -> None:
    assert firth("find", model, "in", "of", "--count").out == "7\n"
    assert json.loads(firth("find", model, "in", "--count", "--json").out) == {"count": 4}
    none = firth("find", model, "Freedm", "--count")
    assert (none.out, none.status) == ("0\n", 0)
    assert "note: The word 'Freedm' is not in the corpus. Did you mean 'Freedom'?" in none.err


def test_files(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    table = tmp_path / "in.csv"
    told = firth("find", model, "in", "-o", table, "--context", "1")
    assert told.out.replace("\n", "").startswith("4 lines: ")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["left"], rows[0]["word"], rows[0]["right"]) == ("met ", "in", " January")
    assert {Path(row["source"]).name for row in rows} == {"text.txt"}
    wrong = fails("find", model, "in", "-o", tmp_path / "in.xml", status=2)
    assert "error: The format of in.xml is unknown." in wrong.err
    assert "hint: Use a name that ends with .csv, .tsv or .json." in wrong.err


@pytest.fixture
def letters(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> Path:
    table = "text,year,source\nin May,1900,a\nin June,1950,b\nand,,c\n"
    path = text_file(table, "letters.csv")
    assert firth("corpus", "learn", path, "-o", tmp_path / "letters", "-q").status == 0
    return tmp_path / "letters"


def test_what_is_known_about_documents_is_beside_lines(
    firth: Run, letters: Path, tmp_path: Path
) -> None:
    hits = json.loads(firth("find", letters, "in", "--json").out)["hits"]
    assert [(hit["right"], hit["year"], hit["document_source"]) for hit in hits] == [
        (" May", 1900, "a"),
        (" June", 1950, "b"),
    ]
    for suffix in ("csv", "json"):
        file = tmp_path / f"lines.{suffix}"
        assert firth("find", letters, "in", "--sort", "R1", "-o", file).status == 0
        if suffix == "json":
            rows = json.loads(file.read_text(encoding="utf-8"))["hits"]
        else:
            with file.open(encoding="utf-8", newline="") as opened:
                rows = list(csv.DictReader(opened))
        assert [row["right"] for row in rows] == [" June", " May"]
        assert [str(row["year"]) for row in rows] == ["1950", "1900"]
        assert [Path(row["document"]).name for row in rows] == ["letters.csv:2", "letters.csv:1"]


def test_no_column_of_documents_is_lost_to_another_of_the_same_name(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    table = "text,source,document_source,count\nin May,a,b,7\nin June,c,d,8\n"
    model, file = tmp_path / "m", tmp_path / "lines.csv"
    firth("corpus", "learn", text_file(table, "letters.csv"), "-o", model, "-q")
    assert firth("find", model, "in", "-o", file).status == 0
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    names = ("document_source", "document_document_source", "count")
    assert [[row[name] for name in names] for row in rows] == [["b", "a", "7"], ["d", "c", "8"]]
    by = json.loads(firth("find", model, "in", "--by", "count", "--json").out)
    assert [(row["document_count"], row["count"]) for row in by] == [(7, 1), (8, 1)]


def test_frequencies_are_written_to_files(firth: Run, letters: Path, tmp_path: Path) -> None:
    told = firth("find", letters, "in", "--by", "year", "-o", tmp_path / "by.csv")
    assert told.out.replace("\n", "").startswith("3 rows: ")
    assert (tmp_path / "by.csv").read_text().splitlines() == [
        "year,count,tokens,per_million",
        "1900,1,2,500000.0",
        "1950,1,2,500000.0",
        ",0,1,0.0",
    ]


def test_a_condition_that_no_document_fulfils_is_told(
    firth: Run, fails: Run, letters: Path
) -> None:
    never = "find", letters, "in", "--where", "year > 'May'"
    wrong = fails(*never)
    assert "error: No document is selected: year > 'May'." in wrong.err
    assert f"hint: Show them: firth corpus documents {letters}" in wrong.err
    none = firth(*never, "--count")
    assert (none.out, none.status) == ("0\n", 0)
    assert "note: No document is selected" in none.err


def test_single_words_are_asked_for(firth: Run, fails: Run, letters: Path) -> None:
    wrong = firth("corpus", "words", letters, "in nowhere")
    assert (wrong.status, wrong.out) == (2, "")
    assert "This stands for several words in a row." in wrong.err
    assert firth("corpus", "words", letters, "nowhere").out == "no such words\n"


def test_mistakes_have_a_caret_below_them(firth: Run, fails: Run, model: Path) -> None:
    wrong = firth("find", model, "of", "猫 (January|March")
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.err.splitlines() == [
        "error: A closing ) is expected here.",
        "    猫 (January|March",
        "                     ^",
        "hint: The ( at character 3 is open. For the character itself: \\(",
    ]
    assert firth("find", model, "/[/").status == 2
    assert "hint: Learn them: firth tags learn" in fails("find", model, "[tag=1]").err
    assert (
        "error: --sort must be positions such as L1,R1"
        in fails("find", model, "of", "--sort", "x", status=2).err
    )
    assert (
        "error: --context must be" in fails("find", model, "of", "--context", "many", status=2).err
    )


def test_other_spellings_of_what_is_not_there(firth: Run, model: Path) -> None:
    found = firth("find", model, "The united", "united States", "--count")
    assert found.out == "0\n"
    assert found.err == (
        "note: Regardless of case and accents, there are 4: '~(The united)' '~(united States)'\n"
    )
    assert firth("find", model, "~(The united)", "~(united States)", "--count").out == "4\n"
    assert firth("find", model, "~The united", "--count").err == "", "there is a ~ already"
    assert firth("find", model, "united States", "of", "--count").err == "", "something was found"
    assert firth("find", model, "(" * 40 + "united States" + ")" * 40, "--count").err == ""


def test_what_is_known_before_each_line(
    firth: Run, fails: Run, model: Path, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "text,year,who\nthe cat and the dog,1900,Ann\nthe dog,,\na cat,1902,Benjamin Long\n"
    )
    assert firth("corpus", "learn", table, "-o", tmp_path / "d", "-q").status == 0
    lines = firth("find", tmp_path / "d", "cat", "--columns", "year, who", "--context", "1").out
    assert lines.splitlines() == [
        "1900  Ann            the cat and",
        "1902  Benjamin Long    a cat",
        "2 of 2 occurrences",
    ]
    lines = firth("find", tmp_path / "d", "dog", "--columns", "who", "--context", "sentence").out
    assert lines.splitlines()[:2] == ["Ann  the cat and the dog", "     the dog"]
    assert firth("find", tmp_path / "d", "bird", "--columns", "who").status == 1
    listed = firth("corpus", "documents", tmp_path / "d", "--where", "year > 1901").out
    _, row, selected = listed.splitlines()
    assert row.split() == [f"{table}:3", "2", "1902", "Benjamin", "Long"]
    assert selected == "1 of 3 documents, 2 of 9 tokens"
    wrong = fails("find", tmp_path / "d", "cat", "--columns", "year,speaker")
    assert "There is no column 'speaker'." in wrong.err
    assert "document, file, year, who" in wrong.err
    assert "no documents" in fails("find", model, "of", "--columns", "year").err


def test_words_that_do_not_occur(fails: Run, firth: Run, model: Path) -> None:
    near = fails("find", model, "Januray")
    assert near.err.splitlines() == [
        "error: The word 'Januray' is not in the corpus.",
        "hint: Did you mean 'January'? Words are case-sensitive.",
    ]
    assert "hint: There is 'America'." in fails("find", model, "america").err
    assert "Check the spelling" in fails("find", model, "qqqqq").err
    nothing = firth("find", model, "of in")
    assert nothing.out == "0 of 0 occurrences\n", "both occur, but not in a row"
    assert nothing.err == ""
    assert firth("find", model, "(nope|in)", "--count").out == "4\n", "one of them does"
