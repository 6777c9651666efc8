"""The parameters of reading text, and the files of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from firth.parameters import Param, Parameters

__all__ = [
    "CONTENT",
    "ENDS",
    "GIVEN",
    "IDS",
    "PLACES",
    "RECORDS",
    "SOURCES",
    "Digits",
    "Errors",
    "Split",
    "Tokens",
    "WORDS",
    "Reading",
    "WordReading",
    "WordTokens",
    "DESCRIBED",
    "encode_given",
]

IDS, ENDS, PLACES, WORDS, SOURCES = (
    "ids.u32",
    "ends.i64",
    "places.i64",
    "words.arrow",
    "sources.json",
)
RECORDS = ("json", "table", "records")
"""The kinds of sources of which each record is a document."""
CONTENT = (IDS, ENDS, WORDS)
"""The files that do not depend on the location of the text."""

GIVEN = "given"
"""Tokenised input: 0xFF after each token, 0xFE after each sentence, bytes that UTF-8 does not use."""


DESCRIBED = {
    "name": str, "kind": str, "path": str | None, "column": str, "extent": int, "n_bytes": int, "sha256": str,
}  # fmt: skip
"""The structure of the description of a source, as ``Source.describe`` makes it."""


def encode_given(sentence: Sequence[str]) -> bytes:
    """A tokenised sentence as bytes, for ``cut`` with ``tokens=GIVEN``."""
    return b"\xff".join([word.encode() for word in sentence]) + b"\xfe"


WordTokens = Literal["words", "whitespace", "characters"]
Tokens = Literal["words", "whitespace", "characters", "morphs"]
Split = Literal["lines", "sentences", "none"]
Digits = Literal["keep", "zero"]
Errors = Literal["strict", "replace"]


@dataclass(frozen=True)
class Reading(Parameters):
    """The parameters of reading text into a corpus."""

    owner = "Corpus"

    tokens: Annotated[Tokens, Param("How text is split into tokens.", panel="Text")] = "words"
    split: Annotated[Split, Param("How text is split into sentences.", panel="Text")] = "lines"
    lowercase: Annotated[bool, Param("Lower-case all words.", panel="Text")] = False
    digits: Annotated[Digits, Param("Keep digits, or replace each with 0.", panel="Text")] = "keep"
    errors: Annotated[
        Errors,
        Param("Stop at bytes that are not UTF-8, or replace them.", panel="Text"),
    ] = "strict"
    column: Annotated[
        str,
        Param(
            "Text column of CSV, JSON Lines, Parquet and Arrow files.", metavar="NAME", panel="Text"
        ),
    ] = "text"

    def __post_init__(self) -> None:
        self.check()

    @property
    def cuts(self) -> str:
        """How text is cut: morphs are parts of words."""
        return "words" if self.tokens == "morphs" else self.tokens


@dataclass(frozen=True)
class WordReading(Reading):
    """The parameters of reading text where tokens are not parts of words."""

    tokens: Annotated[WordTokens, Param("How text is split into tokens.", panel="Text")] = "words"
