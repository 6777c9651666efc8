"""Concordance: matches in context, from the original text if it still exists."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from firth import progress, unicode
from firth.corpus._morphs import GOES_ON, joined
from firth.corpus._original_text import Opening, texts_at
from firth.errors import InputError, wrong_parameter

if TYPE_CHECKING:
    from firth.corpus._corpus import Corpus

__all__ = ["Context", "Hit", "concordance", "positions_of"]

_SCAN = 1 << 24
_TEXT_LIMIT = 1 << 20
_TOKEN_LIMIT = 1 << 16
"""How far into a record a word is searched in the original text."""
_QUICK_TEXT_LIMIT, _QUICK_TOKEN_LIMIT = 1 << 16, 1 << 11


@dataclass(frozen=True)
class Context:
    """How much is shown on either side of a match: words, characters or the sentence."""

    unit: Literal["words", "characters", "sentence"]
    size: int = 0

    @classmethod
    def of(cls, text: int | str) -> Context:
        """From a number of words (20 or ``"20"``), of characters (``"20c"``), or ``"sentence"``.

        >>> Context.of("20c")
        Context(unit='characters', size=20)
        """
        if text == "sentence":
            return cls("sentence")
        found = re.fullmatch(r"([0-9]{1,9})(c?)", str(text))
        if found is None or isinstance(text, bool):
            rule = "a number of words such as 20, of characters such as 20c, or sentence"
            raise wrong_parameter("find", "context", rule, text)
        return cls("characters" if found[2] else "words", int(found[1]))


@dataclass(frozen=True)
class Hit:
    """One match in its context."""

    left: str
    word: str
    """The word, or what else matches, as it is in the text."""
    right: str
    sentence: int
    source: str
    place: int
    original: bool
    """Whether this is the original text, or the tokens of the corpus joined by spaces."""


def positions_of(ids: npt.NDArray[np.uint32], word_id: int) -> npt.NDArray[np.int64]:
    """All positions of a word among the tokens."""
    found = []
    for a in range(0, len(ids), _SCAN):
        progress.check_interrupted()
        found.append(np.flatnonzero(ids[a : a + _SCAN] == word_id) + a)
    return np.concatenate(found) if found else np.empty(0, np.int64)


def concordance(
    corpus: Corpus,
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    context: Context,
    how: Opening,
) -> Iterator[Hit]:
    """The lines of some matches, whose starts never fall."""
    quick = how.quick
    furthest = _TOKEN_LIMIT if not quick else _QUICK_TOKEN_LIMIT
    limit = _QUICK_TEXT_LIMIT if quick else _TEXT_LIMIT
    sentences = np.searchsorted(corpus.ends, starts, side="right")
    # Python's integers, because extents may be any numbers
    places = corpus.places[sentences].tolist()
    begins = list(accumulate((source["extent"] for source in corpus.sources[:-1]), initial=0))
    owners = [bisect_right(begins, place) - 1 for place in places]
    closed: list[InputError] = []
    for owner, group in groupby(range(len(owners)), key=owners.__getitem__):
        here = list(group)
        source, begin = corpus.sources[owner], begins[owner]
        inside = [places[i] for i in here if places[i] - begin < source["extent"]]
        stretches = _stretches(corpus, np.unique(inside), begin, limit) if inside else []
        texts = texts_at(corpus, source, stretches, how, closed)
        place = -1
        text: _Text | None = None
        for i in here:
            progress.check_interrupted()
            local = places[i] - begin
            while place < local:  # several matches may be in one record
                place, read = next(texts, (local, None))
                text = None if read is None else _Text.of(read, corpus)
            match = _Match(corpus, int(starts[i]), int(ends[i]), int(sentences[i]))
            found = text if place == local and match.start - match.record[0] < furthest else None
            parts = match.original(found, context) if found else None
            shown = parts or match.words(context)
            yield Hit(*shown, match.sentence, source["name"], local, parts is not None)
    if closed and not quick:
        progress.notice(closed[0].message, closed[0].hint)


def _stretches(
    corpus: Corpus, places: npt.NDArray[np.int64], begin: int, limit: int
) -> list[tuple[int, int]]:
    """Positions within a source, and the number of bytes up to the next sentence or record."""
    following = np.searchsorted(corpus.places, places, side="right")
    last = len(corpus.places) - 1
    ends = corpus.places[np.minimum(following, last)]
    lengths = np.where(following <= last, np.minimum(ends - places, limit), limit)
    return list(zip((places - begin).tolist(), lengths.tolist(), strict=True))


class _Match:
    """Some tokens in a row, in their sentence and in their record, which may have several sentences."""

    def __init__(self, corpus: Corpus, start: int, end: int, sentence: int) -> None:
        self._corpus, self.start, self.end, self.sentence = corpus, start, end, sentence
        first, last = (
            int(np.searchsorted(corpus.places, corpus.places[sentence], side=side))
            for side in ("left", "right")
        )
        self.record = corpus.bounds(first)[0], corpus.bounds(last - 1)[1]

    def _bounds(self, context: Context) -> tuple[int, int]:
        """The first token to show, and the one after the last."""
        if context.unit == "sentence":
            return self._corpus.bounds(self.sentence)
        inside = self.record if context.unit == "words" else self._corpus.bounds(self.sentence)
        return max(inside[0], self.start - context.size), min(inside[1], self.end + context.size)

    def original(self, text: _Text, context: Context) -> tuple[str, str, str] | None:
        """What is before the match, the match, and what is after it in the text; None if it is another."""
        by_characters = context.unit == "characters"
        first, last = self._bounds(context)
        known = min(self.record[1], self.end + context.size) if by_characters else last
        begin, whole = self.record[0], text.original
        words = self._corpus.words_between(begin, known)
        n = self.end - begin if by_characters else last - begin
        spans = _spans(text, words[:n])
        if spans is None:
            return None
        start, end = spans[self.start - begin][0], spans[self.end - begin - 1][1]
        if by_characters:
            line = whole[end : end + context.size].partition("\n")[0]
            if not _follow(text, end, end + len(line), words[n:]):
                return None
            left = whole[max(0, start - context.size) : start].rpartition("\n")[2]
            return left, whole[start:end], line.rstrip("\r")
        left, right = whole[spans[first - begin][0] : start], whole[end : spans[-1][1]]
        if context.unit == "words":
            left, right = left.rpartition("\n")[2], right.partition("\n")[0].rstrip("\r")
        return left, whole[start:end], right

    def words(self, context: Context) -> tuple[str, str, str]:
        """What is before the match, the match, and what is after it, as words between blanks."""
        first, last = self._bounds(context)
        words = self._corpus.words_between(first, last)
        a, b = self.start - first, self.end - first
        left, middle, right = _apart(words, a, b, self._corpus)
        if context.unit == "characters":
            left, right = left[max(0, len(left) - context.size) :], right[: context.size]
        return left, middle, right


def _apart(words: list[str], a: int, b: int, corpus: Corpus) -> tuple[str, str, str]:
    """Some tokens as text, and what is before and after them."""
    if corpus.phrases is not None:
        phrases = corpus.phrases.words
        words = [" ".join(phrases.get(word, (word,))) for word in words]
    if corpus.reading.tokens != "morphs":
        return " ".join([*words[:a], ""]), " ".join(words[a:b]), " ".join(["", *words[b:]])
    ends = [len(joined(words[:k])) for k in (a, b)]
    text, start = joined(words), ends[0] + (a > 0 and not words[a].startswith(GOES_ON))
    return text[:start], text[start : ends[1]], text[ends[1] :]


@dataclass(frozen=True)
class _Text:
    """A piece of the original text, and the same piece normalised as words are."""

    original: str
    folded: str
    morphs: bool
    """Whether tokens that go on with a word are marked."""
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The words of tokens that are phrases."""

    @classmethod
    def of(cls, text: str, corpus: Corpus) -> _Text:
        reading = corpus.reading
        if reading.split == "paragraphs":  # sentences go over line ends
            text = text.replace("\n", " ").replace("\r", " ").rstrip()
        folded = unicode.lower(text, reading.language) if reading.lowercase else text
        folded = unicode.zero_digits(folded) if reading.digits == "zero" else folded
        phrases = corpus.phrases.words if corpus.phrases else {}
        return cls(text, folded, reading.tokens == "morphs", phrases)

    def find(self, word: str, begin: int, end: int | None = None) -> tuple[int, int]:
        """Where a token begins and ends in a stretch of the text; -1 if it is not there."""
        end = len(self.folded) if end is None else end
        if word in self.phrases:
            found = self._find_phrase(self.phrases[word], begin, end)
            if found is not None:
                return found
        part = word.removeprefix(GOES_ON)
        if self.morphs and part != word and self.folded.startswith(part, begin, end):
            return begin, begin + len(part)
        start = self.folded.find(word, begin, end)
        return start, start + len(word)

    def _find_phrase(self, words: Sequence[str], begin: int, end: int) -> tuple[int, int] | None:
        """Where the words of a phrase are, with nothing but blanks in between; None if they are not there."""
        first, stop = self.folded.find(words[0], begin, end), 0
        for word in words:
            start = self.folded.find(word, stop or begin, end)
            if start < 0 or (stop and not _is_blank(self.original[stop:start])):
                return None
            stop = start + len(word)
        return first, stop

    def may_begin(self, word: str, rest: str) -> bool:
        """Whether a stretch of the text that ends within a token may be the beginning of it."""
        if word in self.phrases:
            visible = "".join(c for c in rest if not _is_gap(c))
            if "".join(self.phrases[word]).startswith(visible):
                return True
        blanks = next((i for i, c in enumerate(rest) if not _is_gap(c)), len(rest))
        glued = self.morphs and word.removeprefix(GOES_ON).startswith(rest)
        return glued or word.startswith(rest[blanks:])


def _spans(text: _Text, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where some words are in the text they come from, from its beginning; None if it is another text.

    Nothing but blanks may be in between: what is shown was learned.
    """
    if len(text.folded) != len(text.original):
        return None
    spans, end = [], 0
    for word in words:
        start, stop = text.find(word, end)
        if start < 0 or not _is_blank(text.original[end:start]):
            return None
        end = stop
        spans.append((start, end))
    return spans


def _follow(text: _Text, begin: int, end: int, words: Sequence[str]) -> bool:
    """Whether a stretch of a text, which may end within a word, has these words and no others."""
    for word in words:
        start, stop = text.find(word, begin, end)
        if start < 0:
            return text.may_begin(word, text.folded[begin:end])
        if not _is_blank(text.original[begin:start]):
            return False
        begin = stop
    return _is_blank(text.original[begin:end])


def _is_blank(text: str) -> bool:
    return not text or text.isspace() or all(map(_is_gap, text))


def _is_gap(character: str) -> bool:
    return character.isspace() or unicode.category(character) in ("Cc", "Cf")
