"""Queries of the page: answers are those of the library, mistakes have a place, and work is bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

import firth
from firth.explore.views import find as find_view
from firth.find import LONGEST_QUERY
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
    told = client.ask("find", q=query, n=n, width=width, sort=sort)
    found = model.find(query)
    assert (told["query"], told["count"], told["note"]) == (query, len(found), "")
    assert told["lines"] == [
        {
            "left": hit.left, "word": hit.word, "right": hit.right, "source": Path(hit.source).name,
            "original": True,
        }
        for hit in found.lines(n, f"{width}c", sort)
    ]  # fmt: skip


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
