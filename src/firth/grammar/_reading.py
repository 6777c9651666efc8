"""Sentences of plain or tagged text, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from firth.corpus import tokenise
from firth.errors import InputError, not_for
from firth.grammar._parameters import SentenceReading
from firth.trees import ESCAPES

__all__ = ["Sentence", "looks_like_tree", "read_sentences", "words_of"]

_UNESCAPED = {written: plain for plain, written in ESCAPES.items()}
_TREE = re.compile(r"\s*\(\s*(\(\s*)?[^\s()]+\s*(\(|$)")


class Sentence(NamedTuple):
    """Words, and their tags if they are given."""

    words: list[str]
    tags: list[str] | None


def read_sentences(
    lines: Iterable[tuple[int, str]],
    name: str = "the text",
    *,
    tagged: bool = False,
    **options: Any,
) -> Iterator[Sentence | None]:
    """The sentences of a text; None for an empty line.

    Parameters
    ----------
    lines : iterable of (int, str)
        Numbered lines.
    name : str
        The name of the text in error messages.
    tagged : bool
        Whether every word is followed by a slash and its tag.
    **options
        How plain text is split: the parameters of ``SentenceReading``.
    """
    if tagged and options:
        raise not_for(next(iter(options)), "tagged text")
    reading = SentenceReading(**options)
    for number, line in lines:
        if tagged:
            yield _tagged_sentence(line, number, name)
            continue
        found = words_of(line, reading)
        if not found:
            yield None
        yield from (Sentence(words, None) for words in found)


def words_of(line: str, reading: SentenceReading) -> list[list[str]]:
    """The words of each sentence of a line; ``-LRB-`` and the like become brackets."""
    sentences = tokenise(line, reading.tokens, reading.split)
    return [[_UNESCAPED.get(word, word) for word in words] for words in sentences]


def _tagged_sentence(line: str, number: int, name: str) -> Sentence | None:
    """The sentence of a line of words and tags; the last slash of a token precedes the tag."""
    words, tags = [], []
    for token in line.split():
        word, _, tag = token.rpartition("/")
        if not word or not tag:
            raise InputError(
                f"{name}, line {number}: {token[:40]!r} is not a word with a tag.",
                "Tagged text is written as word/TAG word/TAG.",
            )
        words.append(_UNESCAPED.get(word, word))
        tags.append(tag)
    return Sentence(words, tags) if words else None


def looks_like_tree(line: str) -> bool:
    """Whether a line looks like a tree in brackets, or like the first line of one.

    >>> looks_like_tree("(S (NP (N cats)))"), looks_like_tree("( (S"), looks_like_tree("(He left.)")
    (True, True, False)
    """
    return _TREE.match(line) is not None
