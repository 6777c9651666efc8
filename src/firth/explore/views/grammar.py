"""A sentence with its trees, and how probable each of its phrases is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query

from firth.errors import ParameterError
from firth.explore._asking import Opened
from firth.explore._edition import Edition
from firth.explore._parsing import PhraseShare, PlacedTree, parsed

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
    """Whether the grammar has seen it; else its spelling tells."""


@dataclass(frozen=True)
class ParsedText:
    """A sentence with its trees."""

    text: str
    words: list[SentenceWord]
    found: bool
    """Whether the grammar has a tree for it; if not, the tree only holds the words together."""
    trees: list[PlacedTree]
    """The best first."""
    phrases: list[PhraseShare]
    """The phrases that it may have, in the order of their words; those that are hardly probable are left out."""


@router.get("/parse")
def parse(
    edition: Opened,
    text: Annotated[
        str, Query(max_length=_LONGEST_TEXT, description="A sentence; by default one of words that the grammar knows.")
    ] = "",
    n: Annotated[int, Query(ge=1, le=_MOST_TREES, description="The most trees to give.")] = _MOST_TREES,
) -> ParsedText:  # fmt: skip
    """The best trees of a sentence, cut into words as the corpus was, and how probable its phrases are."""
    grammar = edition.grammar
    chosen = text or edition.example_to_parse()
    words = edition.cut_to_parse(chosen)
    if len(words) > MOST_WORDS:
        raise ParameterError(
            f"This sentence has {len(words):,} words; the most are {MOST_WORDS}.",
            "Give a shorter one.",
        )
    found, trees, phrases = parsed(grammar, words, n)
    known = edition.words_of_grammar
    return ParsedText(
        chosen, [SentenceWord(word, word in known) for word in words], found, trees, phrases
    )


def exported(edition: Edition, words: Sequence[str]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """The answers that go into a page without a server."""
    if "grammar" in edition.parts:
        yield "parse", parse(edition)
