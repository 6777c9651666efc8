"""Find: queries for words, phrases and patterns, and the lines where they match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from firth.corpus import Hit
from firth.explore._requests import HowMany, Opened, Width
from firth.explore._snapshot import Snapshot
from firth.find import LONGEST_QUERY

__all__ = ["Line", "exported", "line_of", "router"]

router = APIRouter(tags=["find"])
_MOST_MATCHES = 5_000_000
"""Queries with more matches are refused: positions take sixteen bytes each."""


@dataclass(frozen=True)
class Line:
    """A match in its context."""

    left: str
    word: str
    right: str
    source: str
    original: bool


@dataclass(frozen=True)
class Found:
    """What a query has found: lines evenly spread over the corpus."""

    query: str
    count: int
    lines: list[Line]
    note: str
    """Which word does not occur, and what may have been meant, if nothing was found because of it."""


def line_of(hit: Hit) -> Line:
    """A line without the folders of this machine."""
    return Line(hit.left, hit.word, hit.right, Path(hit.source).name, hit.original)


@router.get("/find")
def find(
    snapshot: Opened,
    q: Annotated[
        str,
        Query(min_length=1, max_length=LONGEST_QUERY, description="A query, as for firth find."),
    ],
    n: HowMany = 40,
    width: Width = 80,
    sort: Annotated[
        str,
        Query(
            max_length=100,
            pattern="^([LMR][1-9](,[LMR][1-9])*)?$",
            description="Positions to sort the lines by, such as L1,R1.",
        ),
    ] = "",
) -> Found:
    """The matches of a query: words, phrases, patterns, and slots for classes, tags and similar words."""
    found = snapshot.finder.find(q, most=_MOST_MATCHES)
    hits = found.lines(n, f"{width}c", sort, quick=True, remote=snapshot.remote)
    note = ""
    if not len(found) and found.missing:
        word = found.missing[0]
        hint = snapshot.corpus.vocabulary.suggestion(word)
        note = f"The word {word!r} is not in the corpus. {hint}"
    return Found(q, len(found), [line_of(hit) for hit in hits], note)


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Nothing: queries need the server."""
    yield from ()
