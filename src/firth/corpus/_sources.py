"""Sources: the inputs that files, folders, patterns and ``-`` stand for, read as blocks."""

from __future__ import annotations

import glob
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from firth import formats
from firth.corpus._blocks import (
    BLOCK,
    STANDARD_INPUT,
    Block,
    check_head,
    record_blocks,
    text_blocks,
)
from firth.corpus._reading import Reading, encode_given
from firth.errors import InputError, ParameterError, shown
from firth.store import MANIFEST, open_file, sha256, standard_input

__all__ = [
    "SentenceSource",
    "Source",
    "blocks_of",
    "find_sources",
    "plain_text",
    "sampled",
    "where_in",
]

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
_LONGEST_NAME = 200
"""Longer names are shortened in messages."""
_COMPRESSED = ("", ".gz", ".bz2", ".xz", ".zst")


@dataclass
class Source:
    """One input; size and checksum are known once it has been read."""

    name: str
    kind: str
    path: Path | None
    column: str = "text"
    n_bytes: int = 0
    sha256: str = ""
    extent: int = 0
    """The number of positions: bytes of plain text, or rows of a table."""
    limit: int | None = None
    """Stop after about this number of bytes of text, for a sample."""
    once: bool = False
    """A pipe, which can be read only once."""
    _stream: formats.Stream | None = field(default=None, repr=False)
    _consumed: int = 0

    def describe(self) -> dict[str, Any]:
        """What a model stores about its source."""
        path = formats.stored_name(self.path) if self.path and not self.once else None
        return {
            "name": self.name, "kind": self.kind, "path": path, "column": self.column,
            "n_bytes": self.n_bytes, "sha256": self.sha256, "extent": self.extent,
        }  # fmt: skip

    def checksum(self) -> str | None:
        """The current checksum of the file; None for a pipe or standard input."""
        if not self.path or self.once:
            return None
        with formats.reading(self.name):
            return sha256(self.path)

    def file(self) -> Path:
        """The path of the file; an error for standard input."""
        if self.path is None:
            raise InputError(f"{self.name} is not a file.")
        return self.path

    def is_plain(self) -> bool:
        """Whether positions are bytes of the file: text or JSON Lines that is not compressed."""
        if self.kind not in ("text", "json"):
            return False
        with formats.reading(self.name), open_file(self.file()) as file:
            return formats.compression_of(file.read(16)) is None

    def disk_size(self) -> int:
        return self.path.stat().st_size if self.path and not self.once else 0

    def consumed(self) -> int:
        """The number of bytes read so far, for progress."""
        return self._stream.consumed if self._stream else self._consumed

    def blocks(self, reading: Reading) -> Iterator[Block]:
        """Read the source."""
        with formats.reading(self.name):
            if self.kind == "table":
                yield from record_blocks(self._rows())
                self.n_bytes = self._consumed = self.disk_size()
                self.sha256 = sha256(self.file())
                return
            with self._open() as stream:
                self._stream = stream
                if self.kind == "text":
                    self.extent = yield from text_blocks(stream, self.name, reading.tokens)
                elif self.kind == "json":
                    lines = self._lines(stream, reading.errors)
                    yield from record_blocks(formats.json_records(lines, self.column, self.name))
                else:
                    lines = self._lines(stream, reading.errors)
                    sentences = formats.conllu_sentences(lines, self.name)
                    yield from record_blocks(
                        ((place, encode_given(words)) for place, words in sentences), given=True
                    )
                self.sha256 = stream.sha256()
                self.n_bytes = self._consumed = stream.consumed
                self._stream = None

    def _open(self) -> formats.Stream:
        if self.path is not None:
            return formats.open_stream(self.path, kept=False, name=self.name)
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
        start = stream.read(1 << 12)
        check_head(start.partition(b"\n")[0], self.name)
        place = 0
        for count, line in enumerate(formats.raw_lines(stream, start), 1):
            try:
                text = line.decode("utf-8-sig" if place == 0 else "utf-8", errors)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self.name}, line {count}, byte {place + error.start}: not valid UTF-8.",
                    "To replace invalid bytes: --errors replace",
                ) from None
            yield place, text.rstrip("\r")
            place += len(line) + 1
        self.extent = stream.n_plain


class SentenceSource(Source):
    """Tokenised sentences in memory."""

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
        if not isinstance(sentence, Iterable):
            kind = type(sentence).__name__
            raise ParameterError(f"A sentence must be a list of words. Got {kind}.")
        for word in sentence:
            if not isinstance(word, str) or not word:
                raise ParameterError(f"Every word must be a non-empty str. Got {word!r}.")
        try:
            return encode_given(sentence)
        except UnicodeEncodeError:
            raise ParameterError(
                f"A word of sentence {self.extent} is not valid Unicode (lone surrogate)."
            ) from None


class _Unclosable(io.RawIOBase):
    """Standard input, which must not be closed."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return int(self._file.readinto(buffer))


def find_sources(inputs: Sequence[str | Path], column: str = "text") -> list[Source]:
    """The sources that files, folders, patterns and ``-`` (standard input) stand for.

    Folders are searched for files with a known suffix. The files of a folder or pattern are in
    alphabetical order.
    """
    if isinstance(inputs, str | Path):
        inputs = [inputs]
    if not inputs:
        raise InputError(
            "No text was given.", "Give files, folders or patterns, or - for standard input."
        )
    sources: list[Source] = []
    for name in inputs:
        if str(name) == "-":
            sources.append(Source(STANDARD_INPUT, "text", None))
            continue
        path = Path(name)
        exists = _exists(path)
        if exists and path.is_dir():
            found = _in_folder(path)
        elif not exists and glob.has_magic(str(name)):
            found = sorted(Path(p) for p in glob.glob(str(name), recursive=True))  # noqa: PTH207
            found = [p for p in found if p.is_file()]
            if not found:
                raise InputError(
                    f"No file matches the pattern {name}.",
                    "Check the pattern, and quote it for the shell.",
                )
        elif not exists:
            shown = (
                str(name) if len(str(name)) <= _LONGEST_NAME else f"{str(name)[:_LONGEST_NAME]}..."
            )
            raise InputError(
                f"There is no file {shown}.",
                "Check the name. In Python, give raw text as a list of sentences.",
            )
        else:
            found = [path]
        sources += [_source(p, column) for p in found]
    return sources


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # such as a name that is too long
        return False


def _source(path: Path, column: str) -> Source:
    kind = formats.kind_of(path.name)
    once = path.exists() and not path.is_file()  # a pipe: opening it would consume it
    if not once:
        formats.open_stream(path).close()  # report errors before reading starts
    return Source(shown(path), kind, path.absolute(), column, once=once)


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
            f"The folder {folder} has no text files.",
            f"Firth reads {' '.join(_FOLDER_SUFFIXES)} there, also compressed (.gz .bz2 .xz .zst); "
            "other files must be given by name.",
        )
    return found


def _between(folder: Path, path: Path) -> list[Path]:
    """The folders from a file up to ``folder``; files inside a model are not text."""
    inner = list(path.parents)
    return inner[: inner.index(folder) + 1]


def blocks_of(sources: Sequence[Source], reading: Reading) -> Iterator[tuple[Source, Block | None]]:
    """Yield the blocks of all sources in order, and None after the last block of each."""
    for source in sources:
        n_bytes = 0
        for block in source.blocks(reading):
            yield source, block
            n_bytes += len(block.data)
            if source.limit is not None and n_bytes >= source.limit:
                source.extent = max(source.extent, block.end)  # the next source begins after it
                break
        yield source, None


def sampled(sources: Sequence[Source], n_bytes: int) -> Sequence[Source]:
    """Limit sources to a sample of about this size, taken from the beginning of each.

    At least a block of a source is read. If that is too much, only every so many sources are kept.
    """
    least = sum(min(source.disk_size(), BLOCK) for source in sources)
    kept = sources[:: max(1, math.ceil(least / n_bytes))]
    total = sum(source.disk_size() for source in kept)
    for source in kept:
        source.limit = max(1, n_bytes * source.disk_size() // max(1, total))
    return kept


def _is_utf8(data: bytes) -> bool:
    """Whether data are valid UTF-8; Arrow is faster than Python and makes no string."""
    import pyarrow as pa

    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def plain_text(block: Block, source: Source, errors: str) -> bytes:
    """The bytes of a block as valid UTF-8 without zero bytes; an error says where they are not."""
    if block.given:
        return block.data
    valid, zero = _is_utf8(block.data), block.data.find(b"\0")
    if valid and zero < 0:
        return block.data
    if errors == "replace":
        return block.data.decode(errors="replace").replace("\0", "\ufffd").encode()
    hint = "To replace invalid bytes: --errors replace"
    if valid:
        raise InputError(
            f"{where_in(block, source, zero)}: a zero byte, so this is not text.", hint
        )
    try:
        block.data.decode()
    except UnicodeDecodeError as error:
        guess = formats.guess_encoding(block.data[max(0, error.start - (1 << 15)) :])
        if guess:
            hint = f"It may be in another encoding. {formats.for_file(guess, source.path)}. Or: --errors replace"
        where = where_in(block, source, error.start)
        raise InputError(f"{where}: not valid UTF-8.", hint) from None
    return block.data


def where_in(block: Block, source: Source, offset: int) -> str:
    """The source, line and byte of a position in a block."""
    if block.places is not None:
        return source.name
    line = block.n_lines_before + block.data.count(b"\n", 0, offset) + 1
    return f"{source.name}, line {line}, byte {block.place + offset}"
