"""A slow, obvious twin of reading text into a corpus."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from firth import unicode
from tests.oracles import tokens as oracle


def sentences(
    text: str, tokens: str, split: str, lowercase: bool = False, zero: bool = False
) -> list[list[str]]:
    """The sentences of a text, each a list of words; see docs/tokenising.md."""
    cut = {"words": oracle.words, "characters": oracle.characters, "whitespace": oracle.whitespace}[
        tokens
    ]
    found: list[list[str]] = []
    for line in text.split("\n"):
        spans = cut(line)
        words = [fold(line[a:b], lowercase, zero) for a, b in spans]
        cuts = oracle.sentences(line, spans, tokens) if split == "sentences" else []
        edges = [0, *cuts, len(words)]
        found += [words[a:b] for a, b in pairwise(edges) if a < b]
    if split == "none":
        found = [[word for sentence in found for word in sentence]] if found else []
    return found


def fold(word: str, lowercase: bool, zero: bool) -> str:
    word = unicode.nfc(word)
    if lowercase:
        word = unicode.nfc(unicode.lower(word))
    return unicode.zero_digits(word) if zero else word


def vocabulary(found: list[list[str]]) -> list[tuple[str, int]]:
    """Words and counts: decreasing count, ties by code point."""
    counts = Counter(word for sentence in found for word in sentence)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
