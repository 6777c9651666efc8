"""The parameters of reading text, and the files of a corpus."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from firth.errors import not_for, wrong_parameter
from firth.parameters import Param, Parameters

__all__ = [
    "CONTENT",
    "ENDS",
    "GIVEN",
    "GIVEN_WORDS",
    "IDS",
    "PHRASES",
    "PLACES",
    "RECORDS",
    "SOURCES",
    "Digits",
    "Errors",
    "Format",
    "Language",
    "Split",
    "Tokens",
    "WORDS",
    "Reading",
    "WordReading",
    "DESCRIBED",
    "check_tokens",
    "encode_given",
]

IDS, ENDS, PLACES, WORDS, SOURCES = (
    "ids.u32",
    "ends.i64",
    "places.i64",
    "words.arrow",
    "sources.json",
)
PHRASES = "phrases.json"
"""The phrases that are tokens, if there are any."""
RECORDS = ("json", "table", "records")
"""The kinds of sources of which each record is a document."""
GIVEN_WORDS = ("conllu", "sentences", "vrt", "flextext")
"""The kinds of sources that have words and sentences of their own."""
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


Tokens = str
"""The name of a tokeniser, or of a segmenter that is installed; see ``check_tokens``."""
Split = Literal["lines", "sentences", "paragraphs", "none"]
Digits = Literal["keep", "zero"]
Errors = Literal["strict", "replace"]
Format = Literal["text", "jsonl", "conllu", "tei", "vrt", "toolbox", "flextext", "elan"]
"""How files can be read, whatever they are called."""
Language = Literal["tr", "az", "lt"]
"""Languages whose lower case is not that of others."""
_OWN = ("words", "whitespace", "characters", "morphs")
_NAME = re.compile(r"[\w.-]{1,100}")


def check_tokens(owner: str, tokens: object) -> None:
    """Raise ParameterError unless text can be split so, here and now."""
    if tokens in _OWN:
        return
    from firth.corpus._segmenters import names_of_tokens, unknown_tokens, version_of

    if not isinstance(tokens, str) or tokens not in names_of_tokens():
        raise unknown_tokens(owner, tokens)
    version_of(tokens)


def check_phrases(owner: str, phrases: object) -> None:
    """Raise ParameterError unless this says which phrases are tokens: how many, or which file."""
    right = phrases >= 1 if isinstance(phrases, int) else bool(phrases)
    if isinstance(phrases, bool) or not isinstance(phrases, int | str) or not right:
        raise wrong_parameter(owner, "phrases", "a number of at least 1, or a file", phrases)


@dataclass(frozen=True)
class Reading(Parameters):
    """The parameters of reading text into a corpus."""

    owner = "Corpus"

    tokens: Annotated[
        Tokens,
        Param(
            "How text is split into tokens: words, whitespace, characters, morphs, icu, or a segmenter "
            "that is installed.",
            metavar="TOKENS",
            panel="Text",
        ),
    ] = "words"
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
            "Where the text is: a column of a table, a tier of ELAN, a marker of Toolbox, a writing system "
            "of FLEx, the number of a column of VRT.",
            metavar="NAME",
            panel="Text",
        ),
    ] = "text"
    language: Annotated[
        Language | None,
        Param(
            "Lower-case as in Turkish (tr), Azerbaijani (az) or Lithuanian (lt).",
            panel="Text",
            added=True,
        ),
    ] = None
    read_as: Annotated[
        Format | None,
        Param(
            "How files are read; by default it follows from their names and first lines.",
            panel="Text",
            added=True,
        ),
    ] = None

    phrases: Annotated[
        int | str | Path | None,
        Param(
            "Make phrases one token each, such as New_York: the N strongest, or those of a file.",
            "As ``firth corpus phrases`` lists them; or a text file with a phrase on each line, or a table "
            "with the column ``phrase``.",
            metavar="N|FILE",
            panel="Text",
            added=True,
        ),
    ] = None

    def __post_init__(self) -> None:
        text = str(self.phrases)
        if isinstance(self.phrases, str | Path):
            number = text.isascii() and text.isdecimal() and len(text) < 10
            object.__setattr__(self, "phrases", int(text) if number else text)
        self.check()
        check_tokens(self.owner, self.tokens)

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> Self:
        """The parameters that a manifest stores, checked; their segmenter need not be installed."""
        made = cls()
        for field in cls.fields():
            if field.name in stored:
                object.__setattr__(made, field.name, stored[field.name])
        made.check()
        return made

    def check(self) -> None:
        """Raise ParameterError unless every parameter has a value that it can have."""
        super().check()
        if not _NAME.fullmatch(self.tokens):
            raise wrong_parameter(self.owner, "tokens", "the name of a tokeniser", self.tokens)
        if self.phrases is not None:
            check_phrases(self.owner, self.phrases)
            if self.tokens == "morphs":
                rule = "'words' or another tokeniser of words if phrases are joined"
                raise wrong_parameter(self.owner, "tokens", rule, "morphs")

    @property
    def cuts(self) -> str:
        """How text is cut: morphs are parts of words."""
        return "words" if self.tokens == "morphs" else self.tokens


@dataclass(frozen=True)
class WordReading(Reading):
    """The parameters of reading text where tokens are not parts of words."""

    tokens: Annotated[
        Tokens,
        Param(
            "How text is split into tokens: words, whitespace, characters, icu, or a segmenter that is "
            "installed.",
            metavar="TOKENS",
            panel="Text",
        ),
    ] = "words"
    phrases: Annotated[str | None, Param("Not for words.", command=False, added=True)] = None

    def check(self) -> None:
        """Raise ParameterError unless every parameter has a value that it can have."""
        super().check()
        if self.phrases is not None:
            raise not_for("phrases", "this, which is for single words")
        if self.tokens == "morphs":
            rule = "for whole words, such as 'words' or 'icu'"
            raise wrong_parameter(self.owner, "tokens", rule, self.tokens)
