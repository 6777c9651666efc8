"""Concordance: a word in context, from the original text if it still exists."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth import formats, unicode
from firth.corpus._sources import Source
from firth.errors import InputError
from firth.store import sha256

if TYPE_CHECKING:
    from firth.corpus._corpus import Corpus
    from firth.corpus._index import Index

__all__ = ["Hit", "concordance", "positions_of"]

_SCAN = 1 << 24
_TEXT_LIMIT = 1 << 20
_TOKEN_LIMIT = 1 << 16
"""How far into a record a word is searched in the original text."""
_QUICK_TEXT_LIMIT, _QUICK_TOKEN_LIMIT = 1 << 16, 1 << 11
_CHECKED_LIMIT = 1 << 30
_COMPRESSED_LIMIT = 256 << 20
"""Compressed sources are read up to this size."""


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
    """Whether this is the original text, or the tokens of the corpus joined by spaces."""


def positions_of(ids: npt.NDArray[np.uint32], word_id: int) -> npt.NDArray[np.int64]:
    """All positions of a word among the tokens."""
    found = [np.flatnonzero(ids[a : a + _SCAN] == word_id) + a for a in range(0, len(ids), _SCAN)]
    return np.concatenate(found) if found else np.empty(0, np.int64)


def concordance(
    corpus: Corpus, word: str, n: int, width: int, index: Index | None, quick: bool
) -> Iterator[Hit]:
    """Up to ``n`` occurrences, evenly spread over the corpus, with ``width`` characters on each side."""
    word_id = corpus.vocabulary.id(word)
    positions = positions_of(corpus.ids, word_id) if index is None else index.spread(word_id, n)
    if len(positions) > n:
        positions = positions[np.linspace(0, len(positions) - 1, n).astype(np.int64)]
    positions = positions.astype(np.int64)
    furthest = _TOKEN_LIMIT if not quick else _QUICK_TOKEN_LIMIT
    sentences = np.searchsorted(corpus.ends, positions, side="right")
    places = corpus.places[sentences]
    begins = np.cumsum([0, *(source["extent"] for source in corpus.sources)])[:-1]
    owners = np.maximum(np.searchsorted(begins, places, side="right") - 1, 0)
    for owner in np.unique(owners):
        here = owners == owner
        source, begin = corpus.sources[owner], int(begins[owner])
        limit = _QUICK_TEXT_LIMIT if quick else _TEXT_LIMIT
        stretches = _stretches(corpus, np.unique(places[here]), begin, limit)
        texts = _texts(source, stretches, quick)
        place = -1
        text: _Text | None = None
        for position, sentence in zip(
            positions[here].tolist(), sentences[here].tolist(), strict=True
        ):
            while (
                place < int(corpus.places[sentence]) - begin
            ):  # several occurrences may be in one record
                place, read = next(texts, (1 << 62, None))
                text = None if read is None else _Text.of(read, corpus)
            found = text if place == int(corpus.places[sentence]) - begin else None
            local = int(corpus.places[sentence]) - begin
            yield _hit(corpus, source["name"], local, found, position, sentence, width, furthest)


def _stretches(
    corpus: Corpus, places: npt.NDArray[np.int64], begin: int, limit: int
) -> list[tuple[int, int]]:
    """Positions within a source, and the number of bytes up to the next sentence or record."""
    following = np.searchsorted(corpus.places, places, side="right")
    last = len(corpus.places) - 1
    ends = corpus.places[np.minimum(following, last)]
    lengths = np.where(following <= last, np.minimum(ends - places, limit), limit)
    return list(zip((places - begin).tolist(), lengths.tolist(), strict=True))


def _hit(
    corpus: Corpus,
    name: str,
    place: int,
    text: _Text | None,
    position: int,
    sentence: int,
    width: int,
    furthest: int,
) -> Hit:
    # a record may have several sentences: start with the first one
    first = int(np.searchsorted(corpus.places, corpus.places[sentence], side="left"))
    start = corpus.bounds(first)[0]
    if text is not None and position - start < furthest:
        span = _align(text, corpus.words_between(start, position + 1))
        if span is not None:
            whole = text.original
            left = whole[max(0, span[0] - width) : span[0]].rpartition("\n")[2]
            right = whole[span[1] : span[1] + width].partition("\n")[0].rstrip("\r")
            return Hit(left, whole[span[0] : span[1]], right, sentence, name, place, True)
    start, end = corpus.bounds(sentence)
    words = corpus.words_between(max(start, position - width), min(end, position + width + 1))
    middle = min(position - start, width)
    left, right = " ".join([*words[:middle], ""]), " ".join(["", *words[middle + 1 :]])
    return Hit(
        left[max(0, len(left) - width) :],
        words[middle],
        right[:width],
        sentence,
        name,
        place,
        False,
    )


@dataclass(frozen=True)
class _Text:
    """A piece of the original text, and the same piece normalised as words are."""

    original: str
    folded: str

    @classmethod
    def of(cls, text: str, corpus: Corpus) -> _Text:
        reading = corpus.reading
        folded = unicode.lower(text) if reading.lowercase else text
        return cls(text, unicode.zero_digits(folded) if reading.digits == "zero" else folded)


def _align(text: _Text, words: Sequence[str]) -> tuple[int, int] | None:
    """Find the last of some words in the text they come from; None if it is another text."""
    if len(text.folded) != len(text.original):
        return None
    start = end = 0
    for word in words:
        start = text.folded.find(word, end)
        if start < 0 or not all(_is_gap(c) for c in text.original[end:start]):
            return None
        end = start + len(word)
    return start, end


def _is_gap(character: str) -> bool:
    return character.isspace() or unicode.category(character) in ("Cc", "Cf")


def is_unchanged(entry: dict[str, Any]) -> bool:
    """Whether a file is the one that was read: the manifest of a foreign model may name any file.

    For files of more than a gigabyte, only the size is compared.
    """
    try:
        found = formats.path_of(entry["path"]).stat()
    except (OSError, ValueError):
        return False
    if not stat.S_ISREG(found.st_mode) or found.st_size != entry.get("n_bytes"):
        return False
    if found.st_size > _CHECKED_LIMIT:
        return True
    return _has_checksum(entry["path"], found.st_mtime_ns, found.st_size, entry.get("sha256"))


@lru_cache(maxsize=1 << 14)
def _has_checksum(path: str, changed: int, n_bytes: int, checksum: str | None) -> bool:  # noqa: ARG001
    try:
        return sha256(formats.path_of(path)) == checksum
    except OSError:
        return False


def _texts(
    entry: dict[str, Any], stretches: Sequence[tuple[int, int]], quick: bool
) -> Iterator[tuple[int, str]]:
    """Yield the text at some positions of a source; nothing if it is gone or cannot be read.

    If ``quick``, only from sources that need not be read from the start.
    """
    if entry["path"] is None or not is_unchanged(entry):
        return
    path = formats.path_of(entry["path"])
    source = Source(entry["name"], entry["kind"], path, entry["column"])
    try:
        if quick and not source.can_be_searched():
            return
        if source.kind == "table":
            wanted = {place for place, _ in stretches}
            for row, found in formats.table_records(path, source.column):
                if row in wanted and found is not None:
                    yield row, unicode.nfc(found)
                if row >= stretches[-1][0]:
                    return
        elif source.kind in ("text", "json"):
            for place, data in source.bytes_at(stretches, _COMPRESSED_LIMIT):
                text = data.decode(errors="replace")
                if source.kind == "json":
                    text = _json_text(text, source.column)
                yield place, unicode.nfc(text)
    except (InputError, OSError):
        return


def _json_text(line: str, column: str) -> str:
    """The text of a record; empty if the line is not a valid record."""
    try:
        text = json.loads(line.removeprefix("\ufeff").partition("\n")[0])[column]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return text if isinstance(text, str) else ""
