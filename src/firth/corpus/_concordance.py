"""A word in its contexts, from the original text where that is still there."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth import formats
from firth.corpus._sources import Source
from firth.errors import InputError

if TYPE_CHECKING:
    from firth.corpus._corpus import Corpus

__all__ = ["Hit", "concordance", "positions_of"]

_SCAN = 1 << 24
_TEXT_LIMIT = 1 << 20
_COMPRESSED_LIMIT = 256 << 20
"""No compressed source is read further than this for the sake of a concordance."""


@dataclass(frozen=True)
class Hit:
    """One occurrence of a word."""

    left: str
    word: str
    right: str
    sentence: int
    source: str
    place: int
    original: bool
    """Whether this is the original text, not the words of the corpus put together."""


def positions_of(ids: npt.NDArray[np.uint32], word_id: int) -> npt.NDArray[np.int64]:
    """All places of a word among the tokens."""
    found = [np.flatnonzero(ids[a : a + _SCAN] == word_id) + a for a in range(0, len(ids), _SCAN)]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def concordance(corpus: Corpus, word: str, n: int, width: int) -> list[Hit]:
    """Up to ``n`` occurrences, evenly spread over the corpus, with ``width`` characters on either side."""
    positions = positions_of(corpus.ids, corpus.vocabulary.id(word))
    if len(positions) > n:
        positions = positions[np.linspace(0, len(positions) - 1, n).astype(np.int64)]
    sentences = np.searchsorted(corpus.ends, positions, side="right")
    texts = _Originals(corpus, corpus.places[sentences])
    return [
        _hit(corpus, texts, int(position), int(sentence), width)
        for position, sentence in zip(positions, sentences, strict=True)
    ]


def _hit(corpus: Corpus, texts: _Originals, position: int, sentence: int, width: int) -> Hit:
    place = int(corpus.places[sentence])
    source, text = texts.get(place)
    local = place - source["begin"]
    start, end = corpus.bounds(sentence)
    if text is not None:
        # one record may hold several sentences: begin with the first of them
        first = int(np.searchsorted(corpus.places, place, side="left"))
        before = corpus.words_between(corpus.bounds(first)[0], position + 1)
        span = _align(text, before, corpus)
        if span is not None:
            left = text[max(0, span[0] - width) : span[0]].rpartition("\n")[2]
            right = text[span[1] : span[1] + width].partition("\n")[0]
            return Hit(left, text[span[0] : span[1]], right, sentence, source["name"], local, True)
    words = corpus.words_between(max(start, position - width), min(end, position + width))
    middle = min(position - start, width)
    left, right = " ".join(words[:middle]) + " ", " " + " ".join(words[middle + 1 :])
    return Hit(left[-width:], words[middle], right[:width], sentence, source["name"], local, False)


def _align(text: str, words: Sequence[str], corpus: Corpus) -> tuple[int, int] | None:
    """Where the last of some words stands in the text they were cut from; None if it is not that text."""
    folded = text
    if corpus.reading.lowercase:
        folded = folded.lower()
    if corpus.reading.digits == "zero":
        folded = "".join("0" if c.isdecimal() else c for c in folded)
    if len(folded) != len(text):
        return None
    start = end = 0
    for word in words:
        start = folded.find(word, end)
        if start < 0 or not all(_is_gap(c) for c in text[end:start]):
            return None
        end = start + len(word)
    return start, end


def _is_gap(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cf")


class _Originals:
    """The original texts at some places, read source by source."""

    def __init__(self, corpus: Corpus, places: npt.NDArray[np.int64]) -> None:
        self._sources: list[dict[str, Any]] = []
        begin = 0
        for entry in corpus.sources:
            self._sources.append({**entry, "begin": begin})
            begin += entry["extent"]
        self._begins = np.array([s["begin"] for s in self._sources], np.int64)
        self._texts: dict[int, str] = {}
        owners = self._owner(places)
        for k in np.unique(owners):
            source = self._sources[k]
            wanted = np.unique(places[owners == k] - source["begin"]).tolist()
            for place, text in _texts(source, wanted):
                self._texts[source["begin"] + place] = unicodedata.normalize("NFC", text)

    def _owner(self, places: Any) -> Any:
        return np.maximum(np.searchsorted(self._begins, places, side="right") - 1, 0)

    def get(self, place: int) -> tuple[dict[str, Any], str | None]:
        return self._sources[int(self._owner(place))], self._texts.get(place)


def _texts(entry: dict[str, Any], places: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The texts that begin at some places of a source; nothing where it is gone or cannot be read."""
    if entry["path"] is None or not Path(entry["path"]).is_file():
        return
    path = Path(entry["path"])
    source = Source(entry["name"], entry["kind"], path, entry["column"])
    try:
        if source.kind == "table":
            wanted = set(places)
            for row, text in formats.table_records(path, source.column):
                if row in wanted:
                    yield row, text
                if row >= places[-1]:
                    return
        elif source.kind in ("text", "json"):
            for place, data in source.bytes_at(places, _TEXT_LIMIT, _COMPRESSED_LIMIT):
                text = data.decode(errors="replace")
                yield (
                    place,
                    text
                    if source.kind == "text"
                    else json.loads(text.partition("\n")[0])[source.column],
                )
    except (InputError, OSError, ValueError, KeyError, TypeError):
        return
