"""A text with the surprisal of each word, from the language model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query

from firth.explore._parsing import medium_sentences
from firth.explore._requests import Opened
from firth.explore._snapshot import Snapshot

if TYPE_CHECKING:
    from firth.lm import WordScore

__all__ = ["exported", "router"]

router = APIRouter(tags=["surprise"])
_LONGEST_TEXT = 2_000


@dataclass(frozen=True)
class SurprisingWord:
    """A word of a text."""

    word: str
    bits: float | None
    """Its surprisal, given the words before it; None if its probability is zero."""
    known: bool
    """Whether it is in the vocabulary; otherwise, its letters are predicted, too."""


@dataclass(frozen=True)
class SurprisingSentence:
    """A sentence with the surprisal of each word, and of its end."""

    words: list[SurprisingWord]
    end: float | None


@dataclass(frozen=True)
class SurprisingText:
    """A text with the surprisal of each word."""

    text: str
    sentences: list[SurprisingSentence]


@router.get("/surprise")
def surprise(
    snapshot: Opened,
    text: Annotated[
        str, Query(max_length=_LONGEST_TEXT, description="A text; by default a sentence of the corpus.")
    ] = "",
) -> SurprisingText:  # fmt: skip
    """The surprisal of each word of a text, tokenised like the corpus, in bits.

    If the language model has a cache, it contains the words of the text so far.
    """
    lm = snapshot.lm
    chosen = text or snapshot.once("surprising example", lambda: _example(snapshot))
    recent = lm.recent()
    sentences = snapshot.tokenise_typed(chosen, lm.words_.reading)
    return SurprisingText(chosen, [_scored(lm.word_scores(one, recent)) for one in sentences])


def _scored(rows: list[WordScore]) -> SurprisingSentence:
    exact = [row.bits_spelled for row in rows]
    bits = [round(one, 3) if math.isfinite(one) else None for one in exact]
    words = [SurprisingWord(row.word, b, row.known) for row, b in zip(rows, bits, strict=True)]
    return SurprisingSentence(words[:-1], bits[-1])


def _example(snapshot: Snapshot) -> str:
    """A sentence of medium length with as few unknown words as possible."""
    if "corpus" not in snapshot.parts:
        return ""
    words, corpus = snapshot.lm.words_, snapshot.corpus
    some = list(medium_sentences(corpus)) or [corpus.words_between(*corpus.bounds(0))]
    unknown = [int((words.numbered([one])[0] == len(words)).sum()) for one in some]
    return snapshot.as_text(some[unknown.index(min(unknown))])[:_LONGEST_TEXT]


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers for an exported page."""
    if "lm" in snapshot.parts:
        yield "surprise", surprise(snapshot)
