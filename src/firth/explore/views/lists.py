"""Lists: the words of some documents by frequency, and words that are typical of some documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query

from firth.compare import Comparison, Keyword, compare_texts
from firth.errors import InputError
from firth.explore._requests import HowMany, Opened
from firth.explore._snapshot import Snapshot
from firth.explore._subcorpora import chosen_documents, recent, text_where
from firth.explore.views.find import Where
from firth.find import LONGEST_QUERY
from firth.measure import WordList

__all__ = ["exported", "router"]

router = APIRouter(tags=["lists"])


@dataclass(frozen=True)
class Listed:
    """A word with its frequency and dispersion."""

    word: str
    count: int
    per_million: float
    parts: int
    """Number of documents with the word, or of stretches of equal size."""
    dp: float
    """Gries's deviation of proportions: 0 if it is spread evenly."""


@dataclass(frozen=True)
class Frequencies:
    """The words of a text, the most frequent first."""

    count: int
    """Number of words."""
    n_tokens: int
    n_parts: int
    divided: bool
    """Whether the parts are documents."""
    first: int
    words: list[Listed]


@dataclass(frozen=True)
class Keyness:
    """The words that are typical of some documents, and of the others."""

    tokens_a: int
    tokens_b: int
    a: list[Keyword]
    b: list[Keyword]


@router.get("/frequencies")
def frequencies(
    snapshot: Opened,
    q: Annotated[
        str, Query(max_length=LONGEST_QUERY, description="Only words that a query for words finds.")
    ] = "",
    where: Where = "",
    least: Annotated[int, Query(ge=1, description="The least number of occurrences.")] = 1,
    n: HowMany = 100,
    first: Annotated[int, Query(ge=0, description="How many words to leave out.")] = 0,
) -> Frequencies:
    """A frequency list, as that of ``firth corpus words``."""
    text = text_where(snapshot, where)
    kept = text.counts >= least
    if q.strip():
        among = np.zeros(len(kept), bool)
        among[snapshot.finder.words(q)] = True
        kept = kept & among
    ids = np.flatnonzero(kept)
    ids = ids[np.lexsort([ids, -text.counts[ids]])]
    rows = WordList(text, ids[first : first + n]).rows()
    listed = [
        Listed(row["word"], row["count"], row["per_million"], row["parts"], round(row["dp"], 4))
        for row in rows
    ]
    return Frequencies(len(ids), text.n_tokens, text.n_parts, text.divided, first, listed)


@router.get("/keyness")
def keyness(
    snapshot: Opened,
    where: Where,
    other: Where = "",
    by: Annotated[Literal["g2", "ratio"], Query(description="Which words come first.")] = "g2",
    n: HowMany = 50,
) -> Keyness:
    """Words that are more frequent in some documents than in others, by default than in all others."""
    if not where.strip():
        raise InputError("There is nothing to compare.", "Give a condition on documents.")
    key = (where, other, by, n)
    return recent(snapshot, "keyness", key, lambda: _keyness(snapshot, *key))


def _keyness(
    snapshot: Snapshot, where: str, other: str, by: Literal["g2", "ratio"], n: int
) -> Keyness:
    found = _compared(snapshot, where, other)
    return Keyness(found.a.n_tokens, found.b.n_tokens, found.top(n, "a", by), found.top(n, "b", by))


def _compared(snapshot: Snapshot, where: str, other: str) -> Comparison:
    if other.strip():
        chosen, second = chosen_documents(snapshot, where), chosen_documents(snapshot, other)
        if chosen is not None and second is not None and np.any(chosen & second):
            raise InputError(
                f"{int((chosen & second).sum()):,} documents are in both texts.",
                "Give conditions that exclude each other.",
            )
        return compare_texts(text_where(snapshot, where), text_where(snapshot, other))
    return compare_texts(text_where(snapshot, where), text_where(snapshot, where, others=True))


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Nothing: lists need the server."""
    yield from ()
