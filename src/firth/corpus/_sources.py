"""What the user names (files, folders, patterns, ``-``) becomes a list of sources, each read as blocks."""

from __future__ import annotations

import glob
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from firth import formats
from firth.corpus._blocks import (
    STANDARD_INPUT,
    Block,
    bytes_from_start,
    check_head,
    record_blocks,
    text_blocks,
)
from firth.corpus._reading import Reading, encode_given
from firth.errors import InputError, ParameterError
from firth.store import MANIFEST, sha256

__all__ = ["SentenceSource", "Source", "blocks_of", "find_sources", "plain_text"]

_FOLDER_SUFFIXES = (
    ".txt",
    ".text",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".arrow",
    ".feather",
    ".conllu",
)
_COMPRESSED = ("", ".gz", ".bz2", ".xz", ".zst")


@dataclass
class Source:
    """One input: how it is read, and, once it has been read, its size and checksum."""

    name: str
    kind: str
    path: Path | None
    column: str = "text"
    n_bytes: int = 0
    sha256: str = ""
    extent: int = 0
    """How many places it has: bytes of plain text, or rows of a table."""
    limit: int | None = None
    """Stop after about so many bytes of text: a sample."""
    once: bool = False
    """A pipe, which can be read only once."""
    _stream: formats.Stream | None = field(default=None, repr=False)
    _consumed: int = 0

    def describe(self) -> dict[str, Any]:
        """What a model keeps of its source."""
        path = str(self.path) if self.path and not self.once else None
        return {
            "name": self.name, "kind": self.kind, "path": path, "column": self.column,
            "n_bytes": self.n_bytes, "sha256": self.sha256, "extent": self.extent,
        }  # fmt: skip

    def checksum(self) -> str | None:
        """The checksum of the file as it is now; None for what can be read only once."""
        return sha256(self.path) if self.path and not self.once else None

    def file(self) -> Path:
        """The file it is; standard input is none."""
        if self.path is None:
            raise InputError(f"{self.name} is not a file.")
        return self.path

    def disk_size(self) -> int:
        return self.path.stat().st_size if self.path and not self.once else 0

    def consumed(self) -> int:
        """How many bytes of the file have been read so far, for progress."""
        return self._stream.consumed if self._stream else self._consumed

    def blocks(self, reading: Reading) -> Iterator[Block]:
        """Read the source from its start to its end."""
        if self.kind == "table":
            path = self.file()
            yield from record_blocks(self._count(formats.table_records(path, self.column)))
            self.n_bytes = self._consumed = self.disk_size()
            self.sha256 = sha256(path)
            return
        with self._open() as stream:
            self._stream = stream
            if self.kind == "text":
                self.extent = yield from text_blocks(stream, self.name, reading.tokens)
            elif self.kind == "json":
                yield from record_blocks(
                    formats.json_records(
                        self._lines(stream, reading.errors), self.column, self.name
                    )
                )
            else:
                sentences = formats.conllu_sentences(self._lines(stream, reading.errors), self.name)
                yield from record_blocks(
                    ((place, encode_given(words)) for place, words in sentences), given=True
                )
            self.sha256 = stream.sha256()
            self.n_bytes = self._consumed = stream.consumed
            self._stream = None

    def _open(self) -> formats.Stream:
        if self.path is not None:
            return formats.open_stream(self.path)
        return formats.Stream(cast(BinaryIO, _Unclosable(sys.stdin.buffer)), self.name)

    def _count(self, records: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Records of a table, noting how far they have come."""
        self.extent = formats.table_rows(self.file())
        for row, text in records:
            self._consumed = self.disk_size() * (row + 1) // self.extent
            yield row, text

    def _lines(self, stream: formats.Stream, errors: str) -> Iterator[tuple[int, str]]:
        """The lines of a stream with their places, for formats that are read line by line."""
        reader = io.BufferedReader(_Readable(stream), 1 << 20)
        place = 0
        for count, line in enumerate(reader, 1):
            if count == 1:
                check_head(line, self.name)
            try:
                text = line.decode("utf-8-sig" if place == 0 else "utf-8", errors)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self.name}, line {count}, byte {place + error.start}: not valid UTF-8.",
                    "To read it nevertheless: --errors replace",
                ) from None
            yield place, text.rstrip("\r\n")
            place += len(line)
        self.extent = place

    def can_be_searched(self) -> bool:
        """Whether any place of the source can be read without reading all that comes before it."""
        return self.kind in ("text", "json") and not self._is_compressed()

    def _is_compressed(self) -> bool:
        with self.file().open("rb") as file:
            return formats.compression_of(file.read(16)) is not None

    def bytes_at(
        self, stretches: Sequence[tuple[int, int]], furthest: int
    ) -> Iterator[tuple[int, bytes]]:
        """The bytes of plain text of some ascending stretches, each a place and a length.

        An uncompressed file is read only where it must be; a compressed one from its start, and no
        further than ``furthest``.
        """
        if self._is_compressed():
            with formats.open_stream(self.file()) as stream:
                yield from bytes_from_start(stream, stretches, furthest)
            return
        with self.file().open("rb") as file:
            for place, length in stretches:
                file.seek(place)
                yield place, file.read(length)


class SentenceSource(Source):
    """Sentences that are already lists of words, from memory."""

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        super().__init__("sentences", "sentences", None)
        self._sentences = sentences

    def blocks(self, reading: Reading) -> Iterator[Block]:  # noqa: ARG002
        yield from record_blocks(enumerate(map(self._encode, self._sentences)), given=True)

    def _encode(self, sentence: Sequence[str]) -> bytes:
        self.extent += 1
        if isinstance(sentence, str):
            raise ParameterError(
                "A sentence must be a list of words, not one string.", 'Try "...".split()'
            )
        for word in sentence:
            if not isinstance(word, str) or not word:
                raise ParameterError(
                    f"Every word must be a string that is not empty. Got {word!r}."
                )
        try:
            return encode_given(sentence)
        except UnicodeEncodeError:
            raise ParameterError(
                f"A word of the sentence {self.extent} is not valid Unicode (lone surrogate)."
            ) from None


class _Unclosable(io.RawIOBase):
    """Standard input, which is not ours to close."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return int(self._file.readinto(buffer))


class _Readable(io.RawIOBase):
    def __init__(self, stream: formats.Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def find_sources(inputs: Sequence[str | Path], column: str = "text") -> list[Source]:
    """The sources that files, folders, quoted patterns and ``-`` stand for.

    Folders are searched for files with a suffix of text, and what a folder or pattern gives is
    taken in the order of the names.
    """
    if isinstance(inputs, str | Path):
        inputs = [inputs]
    if not inputs:
        raise InputError(
            "No text was given.", "Name one or more files or folders, or - for standard input."
        )
    sources: list[Source] = []
    for name in inputs:
        if str(name) == "-":
            sources.append(Source(STANDARD_INPUT, "text", None))
            continue
        path = Path(name)
        if path.is_dir():
            found = _in_folder(path)
        elif not path.exists() and glob.has_magic(str(name)):
            found = sorted(Path(p) for p in glob.glob(str(name), recursive=True))  # noqa: PTH207
            found = [p for p in found if p.is_file()]
            if not found:
                raise InputError(
                    f"No file fits the pattern {name}.",
                    "Check the pattern, and quote it for the shell.",
                )
        elif not path.exists():
            raise InputError(
                f"There is no file {path}.",
                "Check the name; a folder or a quoted pattern works too.",
            )
        else:
            found = [path]
        sources += [_source(p, column) for p in found]
    return sources


def _source(path: Path, column: str) -> Source:
    kind = formats.kind_of(path.name)
    once = path.exists() and not path.is_file()  # a pipe: looking would use it up
    if not once:
        formats.open_stream(path).close()  # an error now rather than halfway
    return Source(str(path), kind, path.absolute(), column, once=once)


def _in_folder(folder: Path) -> list[Path]:
    suffixes = tuple(s + c for s in _FOLDER_SUFFIXES for c in _COMPRESSED)
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.name.lower().endswith(suffixes)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and not any((parent / MANIFEST).exists() for parent in _between(folder, path))
    )
    if not found:
        raise InputError(
            f"The folder {folder} has no text in it.",
            f"Firth looks for names ending in {' '.join(_FOLDER_SUFFIXES)}, also compressed (.gz .bz2 .xz .zst); "
            "other files can be named one by one.",
        )
    return found


def _between(folder: Path, path: Path) -> list[Path]:
    """The folders from a file up to ``folder``, which may be models: those hold no text."""
    inner = list(path.parents)
    return inner[: inner.index(folder) + 1]


def blocks_of(sources: Sequence[Source], reading: Reading) -> Iterator[tuple[Source, Block | None]]:
    """The blocks of all sources in order, and None after the last of each."""
    for source in sources:
        n_bytes = 0
        for block in source.blocks(reading):
            yield source, block
            n_bytes += len(block.data)
            if source.limit is not None and n_bytes >= source.limit:
                break
        yield source, None


def _is_utf8(data: bytes) -> bool:
    """Arrow looks faster than Python, and makes no string."""
    import pyarrow as pa

    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def plain_text(block: Block, source: Source, errors: str) -> bytes:
    """The bytes of a block as valid UTF-8 without zeros, or an error that says where they are not."""
    if block.given:
        return block.data
    valid, zero = _is_utf8(block.data), block.data.find(b"\0")
    if valid and zero < 0:
        return block.data
    if errors == "replace":
        return block.data.decode(errors="replace").replace("\0", "\ufffd").encode()
    hint = "To read it nevertheless: --errors replace"
    if valid:
        raise InputError(f"{_where(block, source, zero)}: a zero byte, which no text has.", hint)
    try:
        block.data.decode()
    except UnicodeDecodeError as error:
        guess = formats.guess_encoding(block.data[max(0, error.start - (1 << 15)) :])
        if guess:
            hint = f"It may be in another encoding. {formats.for_file(guess, source.path)}. Or: --errors replace"
        where = _where(block, source, error.start)
        raise InputError(f"{where}: not valid UTF-8.", hint) from None
    return block.data


def _where(block: Block, source: Source, offset: int) -> str:
    if block.places is not None:
        return source.name
    line = block.n_lines_before + block.data.count(b"\n", 0, offset) + 1
    return f"{source.name}, line {line}, byte {block.place + offset}"
