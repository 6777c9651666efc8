"""The lines of a search: which are chosen, their order, and the files they are written to."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import asdict, astuple
from pathlib import Path

import numpy as np
import pytest

import firth
from firth import pipeline
from firth.corpus import Corpus
from firth.errors import ParameterError
from firth.find import Finder, Matches, frequencies, select

TEXT = "the Bee sat, the ant ran.\nÁda saw the\tant\nthe bat slept\nthe\n"


@pytest.fixture
def found(text_file: Callable[..., Path]) -> Matches:
    return Finder(Corpus.from_files(text_file(TEXT))).find("the")


def test_lines_are_sorted_by_their_neighbours(found: Matches) -> None:
    def rights(sort: str) -> list[str]:
        return [hit.right.strip() for hit in found.lines(sort=sort, context=1)]

    assert rights("") == ["Bee", "ant", "ant", "bat", ""]
    assert rights("R1") == ["", "ant", "ant", "bat", "Bee"], "nothing first, case last"
    lefts = [hit.left.strip() for hit in found.lines(sort="L1,R1", context=1)]
    assert lefts == ["", "", "", ",", "saw"]
    assert rights("L1, R1") == ["", "bat", "Bee", "ant", "ant"]
    assert rights("R1,R2,M1") == rights("R1,R2")
    for wrong in ("x", "L", "L0", "R1;R2", "R1,,L1", "l1"):
        with pytest.raises(ParameterError, match="positions such as L1,R1"):
            found.lines(sort=wrong)


def test_accents_and_case_count_last() -> None:
    words = ["b", "A", "á", "a", "Á", "B"]
    found = Finder(Corpus.from_sentences([[w] for w in words])).find("*")
    assert [hit.word for hit in found.lines(sort="M1")] == ["A", "a", "Á", "á", "B", "b"]


def test_which_lines_are_chosen() -> None:
    found = Finder(Corpus.from_sentences([["x", str(i)] for i in range(100)])).find("x")
    assert [h.sentence for h in found.lines(5)] == [0, 24, 49, 74, 99]
    assert [h.sentence for h in found.lines(3, sample="first")] == [0, 1, 2]
    some = [h.sentence for h in found.lines(10, sample="random", seed=1)]
    assert some == [h.sentence for h in found.lines(10, sample="random", seed=1)]
    assert some != [h.sentence for h in found.lines(10, sample="random", seed=2)]
    assert some == sorted(set(some)), "in the order of the text, each once"
    assert len(found.lines(None)) == len(found.lines(1000)) == len(found) == 100
    for wrong in (0, -1, 1.5):
        with pytest.raises(ParameterError, match="'n' parameter of Matches.lines"):
            found.lines(wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'sample' parameter"):
        found.lines(sample="odd")
    nothing = Finder(Corpus.from_sentences([["x"]])).find("y")
    assert (len(nothing), nothing.lines(), nothing.missing) == (0, [], ["y"])
    assert nothing.lines(sort="R1") == []


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_lines_as_a_table(found: Matches, tmp_path: Path, suffix: str, delimiter: str) -> None:
    path = tmp_path / f"lines{suffix}"
    assert found.write(path, context=3, sort="R1") == 5
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    hits = [asdict(hit) for hit in found.lines(None, 3, "R1")]
    blank = "\t" if suffix == ".csv" else " "
    assert rows == [{k: str(v).replace("\t", blank) for k, v in hit.items()} for hit in hits]
    assert {row["source"].endswith(".txt") for row in rows} == {True}
    assert found.write(path, 2) == 2
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


def test_lines_as_json(found: Matches, tmp_path: Path) -> None:
    path = tmp_path / "lines.json"
    assert found.write(path, 2, sample="first") == 2
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told["count"] == 5
    assert told["hits"] == [asdict(hit) for hit in found.lines(2, sample="first")]
    with pytest.raises(ParameterError, match=r"format of lines.xml is unknown"):
        found.write(tmp_path / "lines.xml")
    empty = Finder(Corpus.from_sentences([["x"]])).find("y")
    assert empty.write(path) == 0
    assert json.loads(path.read_text(encoding="utf-8")) == {"count": 0, "hits": []}


def test_positions_of_a_model(tmp_path: Path, text_file: Callable[..., Path]) -> None:
    model = firth.learn(text_file(TEXT * 9), tmp_path / "m", min_count=1, dim=2, classes=3)
    found = model.find("the ~bee", "~ÁDA", threads=2)
    words = [
        " ".join(model.corpus.words_between(a, b))
        for a, b in zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    ]
    assert words == ["the Bee", "Áda"] * 9
    assert found.starts.dtype == found.ends.dtype == np.int64
    assert repr(found) == "<18 matches>"
    assert model.finder is model.finder


def test_subcorpora_and_frequencies_by_what_is_known_of_documents(
    tmp_path: Path, text_file: Callable[..., Path]
) -> None:
    table = (
        "text,year,party\n"
        "the united states,1900,D\nthe state of the union,1950,R\nthe old state,,R\n"
    )
    pipeline.learn_corpus(tmp_path / "m", text_file(table, "speeches.csv"), threads=1)
    model = firth.load(tmp_path / "m")
    documents, whole = model.documents, model.find("the")
    assert [astuple(row) for row in frequencies(documents, "party", whole.starts)] == [
        ("D", 1, 3, 1e6 / 3), ("R", 3, 8, 3e6 / 8)
    ]  # fmt: skip
    years = [astuple(row)[:3] for row in frequencies(documents, "year", whole.starts)]
    assert years == [(1900, 1, 3), (1950, 2, 5), (None, 1, 3)]
    condition = 'year >= 1910 or party == "D"'
    late = model.find("the", where=condition)
    assert late.starts.tolist() == [0, 3, 6]
    rows = frequencies(documents, "year", late.starts, select(documents, condition))
    assert [astuple(row)[:3] for row in rows] == [(1900, 1, 3), (1950, 2, 5)]
    assert len(model.find("the", where="year > 3000")) == 0
    assert len(model.find("state of", where='party == "R"')) == 1
    with pytest.raises(firth.QueryError) as caught:
        model.find("the", where="yaer > 3")
    assert caught.value.hint == (
        "The columns are: document, file, year, party. A string needs quotation marks."
    )
    with pytest.raises(firth.InputError, match="There is no column 'x'"):
        frequencies(documents, "x", whole.starts)
