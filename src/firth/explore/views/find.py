"""Find: queries for words, phrases and patterns, the lines where they match, and counts by document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query

from firth.corpus import Hit
from firth.explore._requests import HowMany, Opened, Width
from firth.explore._snapshot import Snapshot
from firth.explore._subcorpora import chosen_documents, ranges_of, recent
from firth.find import LONGEST_QUERY, Matches, frequencies

__all__ = ["Line", "Where", "exported", "line_of", "router"]

router = APIRouter(tags=["find"])
_MOST_MATCHES = 5_000_000
"""Queries with more matches are refused: positions take sixteen bytes each."""
_MOST_SORTED = 200_000
"""More matches are not sorted, because that would take too long."""
_AROUND = 3
"""Sentences on each side of a wide context."""
_LONGEST = 4_000
"""Characters of each sentence there."""

Asked = Annotated[
    str,
    Query(min_length=1, max_length=LONGEST_QUERY, description="A query, as for firth find."),
]
Where = Annotated[
    str,
    Query(max_length=LONGEST_QUERY, description="A condition on documents, as for --where."),
]


@dataclass(frozen=True)
class Line:
    """A match in its context."""

    left: str
    word: str
    right: str
    source: str
    original: bool


@dataclass(frozen=True)
class FoundLine(Line):
    """A match with its document and its place, to ask for more of the context."""

    known: list[str | int | float | bool | None]
    """What is known about its document, in the order of ``columns``."""
    start: int
    end: int


@dataclass(frozen=True)
class Found:
    """What a query has found, line by line."""

    query: str
    count: int
    first: int
    """How many lines come before these."""
    sorted: bool
    """Whether the lines are sorted as wished; if there are too many, they are not."""
    columns: list[str]
    """What is known about documents."""
    lines: list[FoundLine]
    note: str
    """Which word does not occur, and what may have been meant, if nothing was found because of it."""


@dataclass(frozen=True)
class Wide:
    """A match with the sentences around it."""

    before: list[str]
    line: Line
    after: list[str]


@dataclass(frozen=True)
class Count:
    """How often a query matches in the documents with some value."""

    value: str | int | float | bool | None
    count: int
    tokens: int
    per_million: float


def line_of(hit: Hit) -> Line:
    """A line without the folders of this machine."""
    return Line(hit.left, hit.word, hit.right, Path(hit.source).name, hit.original)


@router.get("/find")
def find(
    snapshot: Opened,
    q: Asked,
    where: Where = "",
    n: HowMany = 40,
    first: Annotated[int, Query(ge=0, description="How many lines to leave out.")] = 0,
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
    found = _matches(snapshot, q, where)
    wished = sort if len(found) <= _MOST_SORTED else ""
    context = f"{width}c"
    hits, (starts, ends) = found.page(first, n, context, wished, True, snapshot.remote)
    columns, known = _known(snapshot, hits)
    lines = [
        FoundLine(**vars(line_of(hit)), known=row, start=start, end=end)
        for hit, row, start, end in zip(hits, known, starts.tolist(), ends.tolist(), strict=True)
    ]
    note = ""
    if not len(found) and found.missing:
        word = found.missing[0]
        hint = snapshot.corpus.vocabulary.suggestion(word)
        note = f"The word {word!r} is not in the corpus. {hint}"
    return Found(q, len(found), first, wished == sort, columns, lines, note)


def _matches(snapshot: Snapshot, query: str, where: str) -> Matches:
    """The matches of a query: other pages, other orders and counts of the same query need no new search."""

    def make() -> Matches:
        return snapshot.finder.find(query, ranges=ranges_of(snapshot, where), most=_MOST_MATCHES)

    return recent(
        snapshot, "matches", (query, where), make, lambda found: len(found) <= _MOST_SORTED
    )


def _known(snapshot: Snapshot, hits: Sequence[Hit]) -> tuple[list[str], list[list[Any]]]:
    """The names of the columns of the documents, and their values for each line."""
    if "documents" not in snapshot.parts:
        return [], [[] for _ in hits]
    documents = snapshot.documents
    columns = [name for name in documents.table.schema.names if name != "file"]
    sentences = np.array([hit.sentence for hit in hits], np.int64)
    rows = documents.of_sentences(sentences)
    values = [documents.table.column(name).take(rows).to_pylist() for name in columns]
    return columns, [list(row) for row in zip(*values, strict=True)] if hits else []


@router.get("/columns")
def columns(snapshot: Opened) -> list[str]:
    """The columns of the documents, for conditions."""
    return list(snapshot.documents.table.schema.names)


@router.get("/find/context")
def context(
    snapshot: Opened,
    start: Annotated[int, Query(ge=0, description="The first token of a match.")],
    end: Annotated[int, Query(ge=1, description="The token after its last one.")],
) -> Wide:
    """A match with the sentences before and after it in its document."""
    corpus = snapshot.corpus
    start = min(start, corpus.n_tokens - 1)
    sentence = int(np.searchsorted(corpus.ends, start, side="right"))
    first, last = 0, corpus.n_sentences
    if "documents" in snapshot.parts:
        starts = snapshot.documents.starts
        document = int(np.searchsorted(starts, sentence, side="right"))
        first = int(starts[document - 1])
        last = int(starts[document]) if document < len(starts) else last
    around = range(max(first, sentence - _AROUND), min(last, sentence + _AROUND + 1))
    bounds = [corpus.bounds(s) for s in around]
    end = max(start + 1, min(end, bounds[around.index(sentence)][1]))
    starts_, ends_ = (np.array([pair[side] for pair in bounds]) for side in (0, 1))
    whole = corpus.lines(starts_, ends_, "0c", True, snapshot.remote)
    texts = {s: hit.word[:_LONGEST] for s, hit in zip(around, whole, strict=True)}
    places = np.array([start]), np.array([end])
    (hit,) = corpus.lines(*places, "sentence", True, snapshot.remote)
    return Wide(
        [texts[s] for s in around if s < sentence],
        line_of(hit),
        [texts[s] for s in around if s > sentence],
    )


@router.get("/find/by")
def by(
    snapshot: Opened,
    q: Asked,
    column: Annotated[str, Query(max_length=1_000, description="A column of the documents.")],
    where: Where = "",
) -> list[Count]:
    """How often a query matches in the documents with each value of a column."""
    found = _matches(snapshot, q, where)
    chosen = chosen_documents(snapshot, where)
    rows = frequencies(snapshot.documents, column, found.starts, chosen)
    return [Count(row.value, row.count, row.tokens, row.per_million) for row in rows]


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Nothing: queries need the server."""
    yield from ()
