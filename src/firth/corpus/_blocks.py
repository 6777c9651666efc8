"""Streams as blocks of whole lines, and the bytes at some positions of a stream."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth import progress, unicode
from firth.errors import InputError
from firth.formats import Stream, describe_binary, for_file, is_url

__all__ = [
    "BLOCK",
    "STANDARD_INPUT",
    "Block",
    "bytes_from_start",
    "check_head",
    "record_blocks",
    "text_blocks",
]

BLOCK = 1 << 20
PIECE = 4 << 20
"""Longer lines are split."""
STANDARD_INPUT = "standard input"
_RECORD_LIMIT = 1 << 30
_SPACES = (b" ", b"\t", b"\v", b"\f", b"\r")


@dataclass(frozen=True)
class Block:
    """Whole lines of a source, or a piece of a very long line."""

    data: bytes
    place: int
    """Where the block begins in its source, unless ``places`` is given."""
    places: list[int] | None
    """The position of each line, if lines are records or sentences."""
    n_lines_before: int = 0
    n_lines: int = 0
    """The number of lines, or of tokenised sentences, that end in it."""
    given: bool = False

    @property
    def end(self) -> int:
        """The first position after the block."""
        return self.place + len(self.data) if self.places is None else self.places[-1] + 1


def check_head(head: bytes, name: str) -> None:
    """Raise InputError for a file that is not text, by its first bytes."""
    binary = describe_binary(head[:4096])
    if binary:
        what, advice = binary
        path = None if name == STANDARD_INPUT or is_url(name) else Path(name)
        raise InputError(f"{name} is {what}, not plain text.", for_file(advice, path))


def text_blocks(
    stream: Stream, name: str, tokens: str, paragraphs: bool = False
) -> Generator[Block, None, int]:
    """Yield blocks of about ``BLOCK`` bytes; returns where the last one ends.

    Blocks end where a line ends, or a paragraph if there are ``paragraphs``; those of more than ``PIECE``
    bytes are split between lines.
    """
    place, n_lines = stream.place, 0
    data = stream.read(BLOCK)
    if place == 0:
        check_head(data, name)
        if data.startswith(b"\xef\xbb\xbf"):  # a byte order mark
            place, data = 3, data[3:]
    while data:
        first = data.find(b"\n")
        length = _end_of_paragraphs(data) if paragraphs else data.rfind(b"\n") + 1
        if length == 0 and len(data) <= PIECE:  # the line or paragraph may continue
            more = stream.read(BLOCK)
            if more:
                data += more
                continue
        if first > PIECE or (first < 0 and len(data) > PIECE):
            length = _cut_long_line(data, tokens, f"{name}, line {n_lines + 1}")
        elif length == 0:
            length = (data.rfind(b"\n") + 1 if len(data) > PIECE else 0) or len(data)
        ended = data.count(b"\n", 0, length)
        yield Block(data[:length], place, None, n_lines, ended)
        n_lines += ended
        place += length
        data = data[length:] or stream.read(BLOCK)
    return place


def _end_of_paragraphs(data: bytes) -> int:
    """Where the last empty line ends; 0 if there is none."""
    end = len(data)
    while (end := data.rfind(b"\n", 0, end)) >= 0:
        before = data.rfind(b"\n", 0, end)
        if not data[before + 1 : end].strip():
            return end + 1
    return 0


def _cut_long_line(data: bytes, tokens: str, where: str) -> int:
    """Where to split a line that is longer than ``PIECE``."""
    length = max(data.rfind(space, 0, PIECE) for space in _SPACES) + 1
    needs_spaces = tokens in ("words", "whitespace")
    if length == 0 and not needs_spaces:
        length = _between_characters(data)
    if length == 0:
        hint = "If the script has no spaces between words, use --tokens icu or --tokens characters."
        raise InputError(
            f"{where}: more than {PIECE >> 20} MiB without a space.",
            hint if needs_spaces else "Check that the file is text.",
        )
    return length


def _between_characters(data: bytes) -> int:
    """Where to split a line without spaces: before a letter near ``PIECE``, which begins a token."""
    end = PIECE
    for _ in range(4096):
        start = end - 1
        while start > PIECE - 16384 and data[start] & 0xC0 == 0x80:
            start -= 1
        character = data[start:end].decode(errors="replace")
        if (
            len(character) == 1
            and unicode.category(character) in ("Lo", "Ll", "Lu", "Nd")
            and not 0x1160 <= ord(character) < 0x1200  # Hangul vowels and finals
            and not 0xD7B0 <= ord(character) < 0xD800
        ):
            return start
        end = start
    return 0


def record_blocks(records: Iterable[tuple[int, Any]], given: bool = False) -> Iterator[Block]:
    """Yield blocks of records: texts (str) or tokenised sentences (bytes)."""
    pieces: list[bytes] = []
    places: list[int] = []
    n_bytes = 0
    for place, record in records:
        piece: bytes = record if given else _one_text(record)
        if len(piece) > _RECORD_LIMIT:
            raise InputError(f"A record of {len(piece):,} bytes is too long.", "Split it.")
        pieces.append(piece)
        places += [place] * (1 if given else piece.count(b"\n"))
        n_bytes += len(piece)
        if n_bytes >= BLOCK:
            yield Block(b"".join(pieces), 0, places, n_lines=len(places), given=given)
            pieces, places, n_bytes = [], [], 0
    if pieces:
        yield Block(b"".join(pieces), 0, places, n_lines=len(places), given=given)


def _one_text(text: str) -> bytes:
    data = text.encode(errors="replace")  # JSON may have lone surrogates
    return data if data.endswith(b"\n") else data + b"\n"


def bytes_from_start(
    stream: Stream, stretches: Sequence[tuple[int, int]], furthest: int
) -> Iterator[tuple[int, bytes]]:
    """Yield the bytes of some ascending ranges (position and length) that end before ``furthest``."""
    data, begin = b"", 0
    with progress.stage("finding the original lines", stretches[-1][0], brief=1.0) as stage:
        for place, length in stretches:
            if place + length > furthest:
                return
            while True:
                skip = min(place - begin, len(data))
                data, begin = data[skip:], begin + skip
                more = b"" if len(data) >= length else stream.read(BLOCK)
                if not more:
                    break
                data += more
                stage.advance(len(more))
            yield place, data[:length]
