"""Concordance: matches in context, from the original text if it still exists."""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import stat
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from firth import formats, progress, unicode
from firth.corpus._blocks import bytes_from_start
from firth.corpus._morphs import GOES_ON, joined
from firth.errors import InputError, wrong_parameter
from firth.store import open_file

if TYPE_CHECKING:
    from firth.corpus._corpus import Corpus

__all__ = ["Context", "Hit", "Opening", "check_large_sources", "concordance", "positions_of"]

_SCAN = 1 << 24
_TEXT_LIMIT = 1 << 20
_TOKEN_LIMIT = 1 << 16
"""How far into a record a word is searched in the original text."""
_QUICK_TEXT_LIMIT, _QUICK_TOKEN_LIMIT = 1 << 16, 1 << 11
_QUICK_FILE = 1 << 20
"""Annotated text of up to this size is read quickly."""
_CHECKED_LIMIT = 1 << 30
"""The checksum of a larger source is computed only if its words do not tell whether it has changed."""
_COMPRESSED_LIMIT = 256 << 20
"""Compressed sources are read up to this size."""
_AT_ONCE = 1 << 20
_MOST_CHECKSUMS = 1 << 14
_checksums: dict[tuple[int, ...], str] = {}
"""The checksums of files, by device, inode, size and time of the last change."""


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


@dataclass(frozen=True)
class Opening:
    """Which sources may be opened."""

    quick: bool = False
    """Only those that need not be read from the start."""
    remote: bool = False
    """Also those at network addresses, which a model can choose as it likes."""


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
        texts = _texts(corpus, source, stretches, how, closed)
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


def _open_source(corpus: Corpus, entry: dict[str, Any], how: Opening) -> BinaryIO | None:
    """The file of a source, if it is still the one that was read; the model may name any file.

    Only regular files are opened, and without blocking. The checksum must be the same. It is not computed
    for a file of more than a gigabyte, unless words were changed when they were read (``lowercase``,
    ``digits``): ``_align`` compares them with the text. If ``quick``, it must have been computed before.
    """
    try:
        path = formats.path_of(entry["path"])
        if not stat.S_ISREG(path.stat().st_mode):
            return None  # opening a device may have effects
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
        file: BinaryIO = open_file(path, "rb", 0, flags)
    except (OSError, ValueError):
        return None
    try:
        if _is_unchanged(file, entry, _changes_words(corpus), how.quick):
            return file
    except OSError:
        pass
    except BaseException:
        file.close()
        raise
    file.close()
    return None


def _find_remote(entry: dict[str, Any], how: Opening) -> formats.RemoteFile | None:
    """The remote file of a source, if it may be opened and is still the one that was read.

    If the server does not say that it is the same, its checksum is computed, unless ``quick``.
    """
    if not how.remote:
        raise InputError(
            f"The original text is at a network address, which was not opened: {entry['name']}.",
            "To show its lines, if you trust the model: --remote, or in Python remote=True",
        )
    file = formats.open_known(entry["path"])
    if file.token is not None and file.token == entry.get("token"):
        return file
    if how.quick or file.size != entry["n_bytes"]:
        return None
    with formats.open_stream(file, kept=False) as stream:
        return file if stream.sha256() == entry["sha256"] else None


def _changes_words(corpus: Corpus) -> bool:
    return corpus.reading.lowercase or corpus.reading.digits == "zero"


def _is_unchanged(file: Any, entry: dict[str, Any], must_hash: bool, quick: bool) -> bool:
    found = os.fstat(file.fileno())
    size = found.st_size
    if not stat.S_ISREG(found.st_mode) or size == 0 or size != entry.get("n_bytes"):
        return False
    key = (found.st_dev, found.st_ino, size, found.st_mtime_ns)
    if key not in _checksums:
        if size > _CHECKED_LIMIT and (quick or not must_hash):
            return not must_hash
        checksum = _checksum(file, size)
        if len(_checksums) >= _MOST_CHECKSUMS:
            _checksums.clear()
        _checksums[key] = checksum
    return _checksums[key] == entry.get("sha256")


def _checksum(file: Any, size: int) -> str:
    checksum, buffer = hashlib.sha256(), memoryview(bytearray(_AT_ONCE))
    with progress.stage("checking the original text", size, brief=1.0) as stage:
        while n := file.readinto(buffer):
            checksum.update(buffer[:n])
            stage.advance(n)
    file.seek(0)
    return checksum.hexdigest()


def check_large_sources(corpus: Corpus) -> None:
    """Compute the checksums that quick searches need and do not compute themselves."""
    if _changes_words(corpus):
        for entry in corpus.sources:
            file = _open_source(corpus, entry, Opening()) if _is_text(entry) else None
            if file is not None:
                file.close()


def _has_rows(entry: dict[str, Any], quick: bool) -> bool:
    """Whether a source is a file with texts that are read from its start; quickly only if it is small."""
    if entry["path"] is None:
        return False
    if entry["kind"] in formats.ANNOTATED:
        return not quick or entry["n_bytes"] <= _QUICK_FILE
    return entry["kind"] == "table" and not quick


def _is_text(entry: dict[str, Any]) -> bool:
    """Whether a source is a file of plain text or JSON Lines, perhaps compressed."""
    return entry["path"] is not None and entry["kind"] in ("text", "json")


def _texts(
    corpus: Corpus,
    entry: dict[str, Any],
    stretches: Sequence[tuple[int, int]],
    how: Opening,
    closed: list[InputError],
) -> Iterator[tuple[int, str]]:
    """Yield the text at some positions of a source; nothing if it is gone or cannot be read.

    Why a remote one is not read is added to ``closed``.
    """
    if not stretches or not (_has_rows(entry, how.quick) or _is_text(entry)):
        return
    remote = formats.is_url(entry["path"])
    try:
        with formats.reading(entry["name"]):
            found = _remote_texts if remote else _local_texts
            for place, text in found(corpus, entry, stretches, how):
                yield place, unicode.nfc(text)
    except InputError as error:
        if remote:
            closed.append(error)


def _local_texts(
    corpus: Corpus, entry: dict[str, Any], stretches: Sequence[tuple[int, int]], how: Opening
) -> Iterator[tuple[int, str]]:
    file = _open_source(corpus, entry, how)
    if file is None:
        return
    with file:
        if entry["kind"] == "table":
            yield from _rows(formats.path_of(entry["path"]), entry["column"], stretches)
        elif entry["kind"] in formats.ANNOTATED:
            yield from _lines(file, stretches, entry, corpus.reading.errors)
        elif formats.compression_of(file.read(16)) is None:
            yield from _pieces(file, stretches, entry)
        elif not how.quick:
            file.seek(0)
            yield from _from_start(file, stretches, entry)


def _remote_texts(
    corpus: Corpus,
    entry: dict[str, Any],
    stretches: Sequence[tuple[int, int]],
    how: Opening,
) -> Iterator[tuple[int, str]]:
    remote = _find_remote(entry, how)
    if remote is None:
        return
    if entry["kind"] == "table":
        yield from _rows(remote, entry["column"], stretches)
    elif entry["kind"] in formats.ANNOTATED:
        with remote.stream() as file:
            yield from _lines(file, stretches, entry, corpus.reading.errors)
    elif formats.compression_of(remote.head(16)) is None and remote.has_ranges():
        with remote.open_anywhere() as file:
            yield from _pieces(file, stretches, entry)
    elif not how.quick:
        with remote.stream() as file:
            yield from _from_start(file, stretches, entry)


def _from_start(
    file: BinaryIO, stretches: Sequence[tuple[int, int]], entry: dict[str, Any]
) -> Iterator[tuple[int, str]]:
    """The texts at some positions of a file that is read from its start."""
    stream = formats.Stream(file, entry["name"], kept=False)
    for place, data in bytes_from_start(stream, stretches, _COMPRESSED_LIMIT):
        yield place, _decoded(data, entry)


def _rows(
    path: Path | formats.RemoteFile, column: str, stretches: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """The texts of some rows of a table."""
    wanted = {place for place, _ in stretches}
    for row, text in formats.table_records(path, column):
        progress.check_interrupted()
        if row in wanted and text is not None:
            yield row, text
        if row >= stretches[-1][0]:
            return


def _lines(
    file: BinaryIO, stretches: Sequence[tuple[int, int]], entry: dict[str, Any], errors: str
) -> Iterator[tuple[int, str]]:
    """Some lines of annotated text, which is read from its start."""
    wanted = {place for place, _ in stretches}
    stream = formats.Stream(file, entry["name"], kept=entry["kind"] in formats.KEPT)
    found = formats.annotated_lines(entry["kind"], stream, entry["column"], errors)
    for place, (_, line) in enumerate(found):
        progress.check_interrupted()
        if place in wanted:
            yield place, line if isinstance(line, str) else " ".join(line)
        if place >= stretches[-1][0]:
            return


def _pieces(
    file: BinaryIO, stretches: Sequence[tuple[int, int]], entry: dict[str, Any]
) -> Iterator[tuple[int, str]]:
    """The texts at some positions of a file that is not compressed."""
    for place, length in stretches:
        file.seek(place)
        yield place, _decoded(file.read(length), entry)


def _decoded(data: bytes, entry: dict[str, Any]) -> str:
    """The text of a stretch of bytes, without a character that is cut off at its end."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
    return _json_text(text, entry["column"]) if entry["kind"] == "json" else text


def _json_text(line: str, column: str) -> str:
    """The text of a record; empty if the line is not a valid record."""
    try:
        text = json.loads(line.removeprefix("\ufeff").partition("\n")[0])[column]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return text if isinstance(text, str) else ""
