"""Queries of the page: answers are those of the library, mistakes have a place, and work is bounded."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

import firth
from firth.compare import compare
from firth.explore.views import find as find_view
from firth.find import LONGEST_QUERY
from firth.measure import word_list
from tests.explore.models import Client

QUERIES = [
    "cat",
    "the *ing",
    "~THE cat",
    "(a|the) {0,2} (cat|dog)",
    "/ing$/ by",
    "[class=1*] cat",
    "[like=cat n=3]",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("n", "width", "sort"), [(5, 10, ""), (1000, 80, "R1,L1")])
def test_answers_are_those_of_the_library(
    client: Client, model: firth.Model, query: str, n: int, width: int, sort: str
) -> None:
    told = client.ask("find", q=query, n=n, width=width, sort=sort, first=2)
    found = model.find(query)
    assert (told["query"], told["count"], told["note"]) == (query, len(found), "")
    everything = found.lines(None, f"{width}c", sort)
    assert [(line["left"], line["word"], line["right"]) for line in told["lines"]] == [
        (hit.left, hit.word, hit.right) for hit in everything[2 : 2 + n]
    ]
    assert all(line["source"] == "model.txt" and line["original"] for line in told["lines"])
    for line in told["lines"]:
        ids = model.corpus.ids[line["start"] : line["end"]]
        assert [model.corpus.vocabulary[i] for i in ids] == line["word"].split()


def test_some_of_these_queries_match(model: firth.Model) -> None:
    assert sum(len(model.find(query)) > 0 for query in QUERIES) >= 5, "or there is no subject"


def test_a_word_that_does_not_occur_is_a_note(client: Client) -> None:
    told = client.ask("find", q="the catt")
    assert (told["count"], told["lines"]) == (0, [])
    assert told["note"].startswith("The word 'catt' is not in the corpus. Did you mean 'cat'")


@pytest.mark.parametrize(
    ("query", "status", "place"),
    [
        ("in (a|b", 422, 7),
        ("a {1", 422, 2),
        ("/(/", 422, 0),
        ("the [class=2]", 422, 5),
        ("   ", 422, 3),
    ],
)
def test_mistakes_have_their_place(client: Client, query: str, status: int, place: int) -> None:
    problem = client.problem(status, "find", q=query)
    assert problem["place"] == place
    assert problem["hint"]


def test_conditions_choose_documents(documents_client: Client, documents_path: Path) -> None:
    model, where = firth.load(documents_path), 'genre == "animals" and year >= 1901'
    told = documents_client.ask("find", q="the cat", where=where, n=1000)
    found = model.find("the cat", where=where)
    assert told["count"] == len(found) > 0
    assert told["columns"] == ["document", "genre", "year", "title"]
    rows = [dict(zip(told["columns"], line["known"], strict=True)) for line in told["lines"]]
    assert all(row["genre"] == "animals" and row["year"] >= 1901 for row in rows)
    documents = model.documents.of_tokens([line["start"] for line in told["lines"]])
    titles = model.documents.values("title")
    assert [row["title"] for row in rows] == [titles[i] for i in documents]
    assert documents_client.ask("columns") == ["document", "file", "genre", "year", "title"]


def test_a_wrong_condition_has_its_place(documents_client: Client, client: Client) -> None:
    problem = documents_client.problem(422, "find", q="cat", where="genre == animals")
    assert (problem["of"], problem["place"]) == ("where", 9)
    assert "genre" in problem["hint"]
    assert documents_client.problem(422, "find", q="(cat", where="year > 1")["of"] == "query"
    client.problem(404, "find", q="cat", where="year > 1")


def test_counts_by_a_column(documents_client: Client, documents_path: Path) -> None:
    told = documents_client.ask("find/by", q="cat", column="genre")
    assert [row["value"] for row in told] == ["animals", "made up"]
    assert (told[0]["count"], told[1]["count"]) == (len(firth.load(documents_path).find("cat")), 0)
    assert told[0]["per_million"] == pytest.approx(1e6 * told[0]["count"] / told[0]["tokens"])
    documents_client.problem(404, "find/by", q="cat", column="weather")


def test_a_wide_context_has_the_sentences_around(
    documents_client: Client, documents_path: Path
) -> None:
    model = firth.load(documents_path)
    for line in documents_client.ask("find", q="cat", n=5)["lines"]:
        told = documents_client.ask("find/context", start=line["start"], end=line["end"])
        assert told["line"]["word"] == "cat"
        sentence = "".join(told["line"][part] for part in ("left", "word", "right"))
        whole = [*told["before"], sentence, *told["after"]]
        assert 4 <= len(whole) <= 7
        document = model.documents.of_tokens([line["start"]])[0]
        text = (documents_path.parent / "known.jsonl").read_text("utf-8").splitlines()[document]
        assert "\n".join(whole) in json.loads(text)["text"]
    assert documents_client.ask("find/context", start=10**9, end=10**9)["line"]["word"]


@pytest.mark.parametrize("where", ["", 'genre == "animals"'])
def test_a_frequency_list_is_that_of_the_library(
    documents_client: Client, documents_path: Path, where: str
) -> None:
    told = documents_client.ask("frequencies", q="/[aeiou]/", where=where, least=3, n=7, first=2)
    expected = word_list(firth.load(documents_path), "/[aeiou]/", where=where, min_count=3)
    rows = list(expected.rows())
    assert told["count"] == len(rows)
    assert told["n_tokens"] == expected.text.n_tokens
    assert [row["word"] for row in told["words"]] == [row["word"] for row in rows[2:9]]
    assert [row["parts"] for row in told["words"]] == [row["parts"] for row in rows[2:9]]
    problem = documents_client.problem(422, "frequencies", q="a b")
    assert problem["error"].startswith("This stands for several words")


def test_typical_words_are_those_of_the_library(
    documents_client: Client, documents_path: Path
) -> None:
    model, where = firth.load(documents_path), 'genre == "animals"'
    told = documents_client.ask("keyness", where=where, n=5)
    found = compare(model, where=where)
    for side in ("a", "b"):
        assert told[side] == [asdict(word) for word in found.top(5, side)]
    two = documents_client.ask("keyness", where="year <= 1900", other="year > 1900", by="ratio")
    found = compare(model, where=["year <= 1900", "year > 1900"])
    assert [row["word"] for row in two["a"]] == [w.word for w in found.top(50, "a", "ratio")]
    documents_client.problem(404, "keyness", where="year > 1900", other="year > 1901")
    documents_client.problem(404, "keyness", where="")


def test_more_lines_than_can_be_sorted_are_in_text_order(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_view, "_MOST_SORTED", 3)
    told = client.ask("find", q="cat", sort="R1")
    assert not told["sorted"]
    assert told["lines"] == client.ask("find", q="cat")["lines"]


def test_what_is_too_long_or_matches_too_often_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.problem(422, "find", q="x" * (LONGEST_QUERY + 1))
    client.problem(422, "find", q="")
    client.problem(422, "find", q="cat", n=1001)
    client.problem(422, "find", q="cat", width=401)
    client.problem(422, "find", q="cat", sort="x")
    monkeypatch.setattr(find_view, "_MOST_MATCHES", 3)
    problem = client.problem(404, "find", q="* *")
    assert problem["error"] == "The query matches at more than 3 places."
