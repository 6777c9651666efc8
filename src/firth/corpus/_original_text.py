"""The original text of a corpus, from the sources that still exist and have not changed."""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from firth import formats, progress, unicode
from firth.corpus._blocks import bytes_from_start
from firth.errors import InputError
from firth.store import open_file

if TYPE_CHECKING:
    from firth.corpus._corpus import Corpus

__all__ = ["Opening", "check_large_sources", "texts_at"]

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
class Opening:
    """Which sources may be opened."""

    quick: bool = False
    """Only those that need not be read from the start."""
    remote: bool = False
    """Also those at network addresses, which a model can choose as it likes."""


def texts_at(
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


def _open_source(corpus: Corpus, entry: dict[str, Any], how: Opening) -> BinaryIO | None:
    """The file of a source, if it is still the one that was read; the model may name any file.

    Only regular files are opened, and without blocking. The checksum must be the same. It is not computed
    for a file of more than a gigabyte, unless words were changed when they were read (``lowercase``,
    ``digits``): the concordance compares them with the text. If ``quick``, it must have been computed before.
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
