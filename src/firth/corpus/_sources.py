"""A source: a file, or standard input, read as blocks."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from firth import formats
from firth.corpus._blocks import (
    Block,
    check_head,
    record_blocks,
    text_blocks,
)
from firth.corpus._reading import GIVEN_WORDS, Reading, encode_given
from firth.errors import InputError
from firth.store import open_file, sha256, standard_input

__all__ = ["Source"]


@dataclass
class Source:
    """One input; size and checksum are known once it has been read."""

    name: str
    kind: str
    path: Path | formats.RemoteFile | None
    column: str = "text"
    n_bytes: int = 0
    sha256: str = ""
    extent: int = 0
    """The number of positions: bytes of plain text, rows of a table, or lines of annotated text."""
    limit: int | None = None
    """Stop after about this number of bytes of text, for a sample."""
    once: bool = False
    """A pipe, which can be read only once."""
    begin: int = 0
    end: int | None = None
    """Read only the lines whose first byte lies from ``begin`` on, before ``end``; for plain files.

    Positions are those in the whole file. Size and checksum are those of the piece. Its extent is where
    it ends, so that of the last piece is that of the file."""
    skipped: bool = False
    """Left out, because it cannot be read."""
    _stream: formats.Stream | None = field(default=None, repr=False)
    _consumed: int = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_stream": None}

    def describe(self) -> dict[str, Any]:
        """What a model stores about its source."""
        return {
            "name": self.name, "kind": self.kind, "path": self.stored_path(), "column": self.column,
            "n_bytes": self.n_bytes, "sha256": self.sha256, "extent": self.extent,
            **({"token": self.token} if self.token else {}),
        }  # fmt: skip

    def identity(self, checksum: str | None) -> dict[str, Any]:
        """What identifies the source in the manifest of a model, given the checksum of its content."""
        path = formats.stored_name(self.path) if self.path else None
        known = {"token": self.token} if self._is_known_by_token() else {}
        return {"path": path, "kind": self.kind, "sha256": checksum, **known}

    def stored_path(self) -> str | None:
        """The path or address of the file; None for a pipe or standard input."""
        return formats.stored_name(self.path) if self.path and not self.once else None

    def state(self) -> list[Any] | None:
        """What changes if the file changes, without reading it; None if that is not known."""
        if self.path is None or self.once:
            return None
        if isinstance(self.path, Path):
            found = self.path.stat()
            return [self.stored_path(), found.st_size, found.st_mtime_ns]
        return [self.stored_path(), self.token] if self.token else None

    @property
    def token(self) -> str | None:
        """What changes with the content of a remote file, if the server tells."""
        return self.path.token if isinstance(self.path, formats.RemoteFile) else None

    def _is_known_by_token(self) -> bool:
        """Whether there is no checksum: of a remote table, only some columns are read."""
        return self.kind == "table" and self.token is not None

    def checksum(self) -> str | None:
        """The current checksum of the content; None for a pipe or standard input."""
        if not self.path or self.once:
            return None
        if self._is_known_by_token():
            return ""
        with formats.reading(self.name):
            if isinstance(self.path, Path):
                return sha256(self.path)
            with formats.open_stream(self.path, kept=False) as stream:
                return stream.sha256()

    def file(self) -> Path | formats.RemoteFile:
        """The file; an error for standard input."""
        if self.path is None:
            raise InputError(f"{self.name} is not a file.")
        return self.path

    def is_plain(self) -> bool:
        """Whether positions are bytes of the file: text or JSON Lines that is not compressed."""
        if self.kind not in ("text", "json"):
            return False
        with formats.reading(self.name):
            return formats.compression_of(self._head()) is None

    def can_be_cut(self) -> bool:
        """Whether pieces of the source can be read by themselves; not if it cannot be read at all."""
        ranges = not isinstance(self.path, formats.RemoteFile) or self.path.has_ranges()
        try:
            return self.path is not None and not self.once and self.is_plain() and ranges
        except InputError:
            return False

    def _head(self) -> bytes:
        path = self.file()
        if isinstance(path, formats.RemoteFile):
            return path.head(16)
        with open_file(path) as file:
            return bytes(file.read(16))

    def disk_size(self) -> int:
        """The size of the file, or of the piece of it; 0 if it is not known."""
        if self.path is None or self.once:
            return 0
        size = self.path.stat().st_size if isinstance(self.path, Path) else self.path.size or 0
        return max(0, (size if self.end is None else min(self.end, size)) - self.begin)

    def has_size(self) -> bool:
        """Whether the size is known before the source has been read."""
        if isinstance(self.path, formats.RemoteFile):
            return self.path.size is not None
        return self.path is not None

    def consumed(self) -> int:
        """The number of bytes read so far, for progress."""
        stream = self._stream  # another thread may be reading
        return stream.consumed if stream else self._consumed

    def blocks(self, reading: Reading) -> Iterator[Block]:
        """Read the source."""
        name = self.title
        with formats.reading(self.name):
            if self.kind == "table":
                yield from record_blocks(self._rows())
                self.n_bytes = self._consumed = self.disk_size()
                self.sha256 = self.checksum() or ""
                return
            with self._open() as stream:
                self._stream = stream
                if self.kind == "text":
                    self.extent = yield from text_blocks(
                        stream, name, reading.cuts, reading.split == "paragraphs"
                    )
                elif self.kind == "json":
                    lines = self._lines(stream, reading.errors)
                    yield from record_blocks(formats.json_records(lines, self.column, name))
                elif self.kind in formats.ANNOTATED:
                    given = self.kind in GIVEN_WORDS
                    found = self._annotated(stream, reading.errors)
                    yield from record_blocks(
                        (
                            (place, encode_given(line) if given else line)
                            for place, _, line in found
                        ),
                        given=given,
                    )
                else:
                    lines = self._lines(stream, reading.errors)
                    sentences = formats.conllu_sentences(lines, name)
                    yield from record_blocks(
                        ((place, encode_given(words)) for place, words in sentences), given=True
                    )
                self.sha256 = stream.sha256()
                self.n_bytes = self._consumed = stream.consumed
                self._stream = None

    def known(self, errors: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """What is known about each record beside its text, with its position."""
        with formats.reading(self.name):
            if self.kind == "table":
                yield from formats.table_rows(self.file(), self.column)
            elif self.kind == "json":
                with self._open() as stream:
                    lines = self._lines(stream, errors)
                    for place, record in formats.json_objects(lines, self.column, self.name):
                        del record[self.column]
                        yield place, record
            elif self.kind in formats.ANNOTATED:
                with self._open() as stream:
                    last: Any = None
                    for place, known, _ in self._annotated(stream, errors):
                        if known is not last:
                            yield place, known
                        last = known

    def _annotated(
        self, stream: formats.Stream, errors: str
    ) -> Iterator[tuple[int, Mapping[str, Any], Any]]:
        """The lines of annotated text, with their numbers and what is known about them."""
        found = formats.annotated_lines(self.kind, stream, self.column, errors)
        for place, (known, line) in enumerate(found):
            self.extent = place + 1
            yield place, known, line

    @property
    def title(self) -> str:
        """What messages call the source; lines of a piece are counted from its first byte."""
        return f"{self.name} from byte {self.begin:,}" if self.begin else self.name

    def _open(self) -> formats.Stream:
        if self.path is not None and (self.begin or self.end is not None):
            return formats.open_piece(self.path, self.begin, self.end, self.title)
        if self.path is not None:
            return formats.open_stream(self.path, kept=self.kind in formats.KEPT, name=self.name)
        stream = cast(BinaryIO, _Unclosable(standard_input()))
        return formats.Stream(stream, self.name, kept=False)

    def _rows(self) -> Iterator[tuple[int, str]]:
        """The texts of a table and their positions; updates the progress."""
        size = self.disk_size()

        def done(share: float) -> None:
            self._consumed = int(size * share)

        for row, text in formats.table_records(self.file(), self.column, done):
            self.extent = row + 1
            if text is not None:
                yield row, text

    def _lines(self, stream: formats.Stream, errors: str) -> Iterator[tuple[int, str]]:
        """The lines of a stream and their positions, for formats that are read line by line."""
        start, place = stream.read(1 << 12), stream.place
        if place == 0:
            check_head(start.partition(b"\n")[0], self.name)
        for count, line in enumerate(formats.raw_lines(stream, start), 1):
            try:
                text = line.decode("utf-8-sig" if place == 0 else "utf-8", errors)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self.title}, line {count}, byte {place + error.start}: not valid UTF-8.",
                    "To replace invalid bytes: --errors replace",
                ) from None
            yield place, text.rstrip("\r")
            place += len(line) + 1
        self.extent = stream.place + stream.n_plain


class _Unclosable(io.RawIOBase):
    """Standard input, which must not be closed."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return int(self._file.readinto(buffer))
