"""Tokens that are parts of words, and the marks that tell where words begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from firth.errors import InputError, ParameterError

__all__ = [
    "GOES_ON", "WordSplitter", "check_words", "joined", "marked", "morph_tokens", "needed",
]  # fmt: skip

GOES_ON = "@@"
"""What precedes a part that goes on with a word."""


class WordSplitter(Protocol):
    """Divides words into parts: a fitted ``Morphology``, or the ``Splitter`` of a model."""

    def split_all(self, words: Sequence[str]) -> list[list[str]]:
        """The parts of many words."""


def needed(tokens: str, morphs: WordSplitter | None) -> WordSplitter | None:
    """The morphology, if tokens are morphs; an error if it is missing."""
    if tokens != "morphs":
        return None
    if morphs is None:
        raise ParameterError(
            "To split text into morphs, a morphology is needed.",
            "firth learn TEXT -o MODEL --tokens morphs learns one, and --using MODEL uses it. "
            "In Python, give morphs=firth.Morphology().fit(TEXT).",
        )
    return morphs


def check_words(tokens: str, what: str, use: str) -> None:
    """Raise InputError if something was learned from tokens that are morphs, and its use is for words."""
    if tokens == "morphs":
        raise InputError(
            f"{what} were learned over morphs, so they cannot be {use}.",
            "Learn a model over words: firth learn TEXT -o MODEL, without --tokens morphs",
        )


def marked(parts: Sequence[str]) -> list[str]:
    """The parts of a word as tokens.

    >>> marked(["walk", "ed"])
    ['walk', '@@ed']
    """
    return [GOES_ON + part if k else part for k, part in enumerate(parts)]


def morph_tokens(words: Sequence[str], morphs: WordSplitter | None) -> list[str]:
    """The tokens that some words consist of."""
    found = [] if morphs is None else morphs.split_all(words)
    return [token for parts in found for token in marked(parts)]


def joined(tokens: Sequence[str]) -> str:
    """Tokens as text: parts that go on with a word are joined to it.

    >>> joined(["she", "walk", "@@ed", "."])
    'she walked .'
    """
    text = "".join(
        token.removeprefix(GOES_ON) if token.startswith(GOES_ON) else f" {token}"
        for token in tokens
    )
    return text.removeprefix(" ")
