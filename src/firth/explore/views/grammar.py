"""The sentences of a text, and a sentence with its parse trees and the probabilities of its phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query

from firth.errors import ParameterError
from firth.explore._parsing import PhraseShare, PlacedTree, parsed
from firth.explore._requests import Opened
from firth.explore._snapshot import Snapshot

__all__ = ["MOST_WORDS", "exported", "router"]

router = APIRouter(tags=["grammar"])
MOST_WORDS = 60
_LONGEST_TEXT = 2_000
_MOST_TREES = 10


@dataclass(frozen=True)
class SentenceWord:
    """A word of a sentence."""

    word: str
    known: bool
    """Whether it occurs in the training trees; otherwise its spelling is used."""
    parts: list[str]
    """Its parts, if there are several and the model has morphs."""


@dataclass(frozen=True)
class ParsedText:
    """A sentence with its parse trees."""

    text: str
    words: list[SentenceWord]
    found: bool
    """Whether the grammar can parse it; if not, the tree is flat."""
    trees: list[PlacedTree]
    """The best trees, best first."""
    phrases: list[PhraseShare]
    """Possible phrases in the order of their words, except very improbable ones."""


@router.get("/parse")
def parse(
    snapshot: Opened,
    text: Annotated[
        str, Query(max_length=_LONGEST_TEXT, description="A sentence; by default an example.")
    ] = "",
    n: Annotated[int, Query(ge=1, le=_MOST_TREES, description="Maximum number of trees.")] = _MOST_TREES,
) -> ParsedText:  # fmt: skip
    """Parse a sentence, tokenised like the corpus: its best trees and the probabilities of its phrases."""
    grammar = snapshot.grammar
    chosen = text or snapshot.example_to_parse()
    words = snapshot.cut_to_parse(chosen)
    if len(words) > MOST_WORDS:
        raise ParameterError(
            f"This sentence has {len(words):,} words; the maximum is {MOST_WORDS}.",
            "Enter a shorter one.",
        )
    found, trees, phrases = parsed(grammar, words, n)
    known = snapshot.words_of_grammar
    shown = [
        SentenceWord(word, word in known, parts)
        for word, parts in zip(words, snapshot.parts_of(words), strict=True)
    ]
    return ParsedText(chosen, shown, found, trees, phrases)


@router.get("/sentences")
def sentences(
    snapshot: Opened,
    text: Annotated[str, Query(max_length=_LONGEST_TEXT, description="A text, such as a paragraph.")],
) -> list[str]:  # fmt: skip
    """The sentences of a text, each as it is written, to be parsed one after another."""
    return snapshot.sentences_typed(text)


def exported(snapshot: Snapshot, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers for an exported page."""
    if "grammar" in snapshot.parts:
        yield "parse", parse(snapshot)
