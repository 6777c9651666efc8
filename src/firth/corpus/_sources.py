"""Sources: the inputs that files, folders, patterns and ``-`` stand for, read as blocks."""

from __future__ import annotations

import glob
import hashlib
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
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
from firth.corpus._reading import GIVEN_WORDS, Format, Reading, encode_given
from firth.errors import InputError, ParameterError, shown
from firth.store import MANIFEST, open_file, sha256, standard_input

__all__ = [
    "RecordSource",
    "SentenceSource",
    "Source",
    "blocks_of",
    "find_sources",
    "pieces_of_sources",
    "plain_text",
    "sampled",
    "takes_long",
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
    ".csv",
    ".tsv",
    ".tei",
    ".vrt",
    ".vert",
    ".eaf",
    ".flextext",
    ".sfm",
)
_XML = (".xml",)
"""The suffix of files that are read if their content is of a known format."""
_KINDS = {"jsonl": "json"}
"""What formats are called here, if it is not their name."""
_HEAD = 1 << 12
_LONGEST_NAME = 200
"""Longer names are shortened in messages."""
_URL_AS_PATH = re.compile(r"\w{2,}:/[^/]")
"""How a URL looks after it was a ``Path``."""
_LARGE = 1 << 30
"""Files of fewer bytes are read in less than a minute."""
_COMPRESSED = ("", ".gz", ".bz2", ".xz", ".zst")


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


class RecordSource(Source):
    """Texts in memory, a document each, with what is known about them."""

    def __init__(self, records: Iterable[tuple[str | None, Mapping[str, Any]]]) -> None:
        super().__init__("texts", "records", None)
        self._records, self._hash, self._known_hash = records, hashlib.sha256(), hashlib.sha256()
        self._known: list[Mapping[str, Any]] = []

    def blocks(self, reading: Reading) -> Iterator[Block]:  # noqa: ARG002
        yield from record_blocks(self._texts())

    def _texts(self) -> Iterator[tuple[int, str]]:
        for text, known in self._records:
            self._known.append(known)
            self._known_hash.update(f"{sorted(known.items())}\n".encode(errors="replace"))
            self.extent += 1
            if text is None:
                continue
            if not isinstance(text, str):
                raise ParameterError(
                    f"Every text must be a str. Text {self.extent:,} is {type(text).__name__}."
                )
            self._hash.update(text.encode(errors="replace") + b"\xff")
            yield self.extent - 1, text
        self.sha256 = self._hash.hexdigest()

    def known(self, errors: str) -> Iterator[tuple[int, Mapping[str, Any]]]:  # noqa: ARG002
        return enumerate(self._known)

    def checksum_of_known(self) -> str:
        """The checksum of what is known about the texts that have been read."""
        return self._known_hash.hexdigest()


class _Unclosable(io.RawIOBase):
    """Standard input, which must not be closed."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return int(self._file.readinto(buffer))


def find_sources(
    inputs: Sequence[str | Path],
    column: str = "text",
    skip_bad: bool = False,
    read_as: Format | None = None,
) -> list[Source]:
    """The sources that files, folders, patterns, addresses and ``-`` (standard input) stand for.

    Addresses are whatever fsspec knows, such as ``s3://bucket/*.txt``. Folders are searched for files
    with a known suffix. The files of a folder or pattern are in alphabetical order. Unless
    ``skip_bad``, it is an error if one of them cannot be opened. Names and first lines tell what kind of
    files they are, unless ``read_as`` is given.
    """
    if isinstance(inputs, str | Path):
        inputs = [inputs]
    if not inputs:
        raise InputError(
            "No text was given.", "Give files, folders or patterns, or - for standard input."
        )
    kind = _KINDS.get(read_as or "", read_as)
    return [source for name in inputs for source in _sources_of(name, column, skip_bad, kind)]


def _sources_of(name: str | Path, column: str, skip_bad: bool, kind: str | None) -> list[Source]:
    if str(name) == "-":
        return [Source(STANDARD_INPUT, kind or "text", None, column)]
    if isinstance(name, str) and formats.is_url(name):
        here = formats.local_path(name)
        if here is None:
            return _remote_sources(name, column, kind)
        name = str(here)
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
        raise _no_file(str(name))
    else:
        found = [path]
    return [_source(p, column, skip_bad, kind) for p in found]


def _no_file(name: str) -> InputError:
    if _URL_AS_PATH.match(name):
        return InputError(f"There is no file {name}.", "Give an address as str, not as Path.")
    return InputError(
        f"There is no file {name if len(name) <= _LONGEST_NAME else f'{name[:_LONGEST_NAME]}...'}.",
        "Check the name. In Python, give raw text as a list of sentences.",
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # such as a name that is too long
        return False


def _source(path: Path, column: str, skip_bad: bool, kind: str | None) -> Source:
    once = path.exists() and not path.is_file()  # a pipe: opening it would consume it
    found = kind or formats.kind_of(path.name)
    if not once:
        try:  # report errors before reading starts
            with formats.open_stream(path) as stream:
                if kind is None and found == "text":
                    found = formats.kind_of_content(stream.read(_HEAD))
        except InputError:
            if not skip_bad:
                raise
    return Source(shown(path), found, path.absolute(), column, once=once)


def _remote_sources(url: str, column: str, kind: str | None) -> list[Source]:
    found = formats.find_remote(url, _texts_among)
    if not found:
        raise _no_texts(formats.without_secrets(url))
    return [Source(file.name, kind or _remote_kind(file), file, column) for file in found]


def _remote_kind(file: formats.RemoteFile) -> str:
    """The kind of a remote file: only XML is looked into."""
    if not file.filename.lower().endswith(".xml"):
        return formats.kind_of(file.filename)
    with formats.reading(file.name):
        return formats.kind_of_content(file.head(_HEAD))


def _in_folder(folder: Path) -> list[Path]:
    names = [p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()]
    texts = _texts_among(names)
    texts += [name for name in _texts_among(names, _XML) if _is_known_xml(folder / name)]
    found = sorted(folder / name for name in texts)
    if not found:
        raise _no_texts(str(folder))
    return found


def _is_known_xml(path: Path) -> bool:
    """Whether a file of a folder is annotated text; others are not read."""
    try:
        with formats.open_stream(path) as stream:
            return formats.kind_of_content(stream.read(_HEAD)) != "text"
    except InputError:
        return False


def _texts_among(names: Iterable[str], kinds: Sequence[str] = _FOLDER_SUFFIXES) -> list[str]:
    """Of all files in a folder, those with text: by their suffix, not hidden, and not in a model."""
    suffixes = tuple(s + c for s in kinds for c in _COMPRESSED)
    paths = [PurePosixPath(name) for name in names]
    models = {path.parent for path in paths if path.name == MANIFEST}
    return [
        str(path)
        for path in paths
        if path.name.lower().endswith(suffixes)
        and not any(part.startswith(".") for part in path.parts)
        and models.isdisjoint(path.parents)
    ]


def _no_texts(folder: str) -> InputError:
    return InputError(
        f"The folder {folder} has no text files.",
        f"Firth reads {' '.join(_FOLDER_SUFFIXES)} there, also compressed (.gz .bz2 .xz .zst); "
        "other files must be given by name.",
    )


def takes_long(sources: Sequence[Source]) -> bool:
    """Whether reading takes so long that there should be checkpoints."""
    return sum(source.disk_size() for source in sources) >= _LARGE


def pieces_of_sources(
    sources: Sequence[Source], size: int, split: str = "lines"
) -> list[tuple[int, int, int | None]]:
    """How to cut large sources, so that pieces of about ``size`` bytes can be read in parallel.

    Plain text and JSON Lines are cut at multiples of ``size``; everything else is taken whole, and so is
    text that is ``split`` into paragraphs. A line belongs to the piece in which it begins, so a piece can
    be larger, or empty.

    Returns
    -------
    list of tuple
        For each piece, the number of its source, and its ``begin`` and ``end``.
    """
    pieces: list[tuple[int, int, int | None]] = []
    for number, source in enumerate(sources):
        begins = range(0, source.disk_size(), size)
        if len(begins) < 2 or split == "paragraphs" or not source.can_be_cut():
            pieces.append((number, source.begin, source.end))
        else:
            pieces += [(number, begin, begin + size) for begin in begins[:-1]]
            pieces.append((number, begins[-1], None))
    return pieces


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
            here = source.path if isinstance(source.path, Path) else None
            hint = f"It may be in another encoding. {formats.for_file(guess, here)}. Or: --errors replace"
        where = where_in(block, source, error.start)
        raise InputError(f"{where}: not valid UTF-8.", hint) from None
    return block.data


def where_in(block: Block, source: Source, offset: int) -> str:
    """The source, line and byte of a position in a block."""
    if block.places is not None:
        return source.title
    line = block.n_lines_before + block.data.count(b"\n", 0, offset) + 1
    return f"{source.title}, line {line}, byte {block.place + offset}"
