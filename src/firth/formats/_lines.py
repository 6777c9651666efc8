"""The lines of a file, with their numbers, decompressed on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firth.errors import InputError
from firth.formats._compression import Stream, open_stream
from firth.formats._limits import current_limits
from firth.formats._remote import RemoteFile
from firth.formats._sniff import describe_binary, for_file, guess_encoding
from firth.formats._urls import is_url

__all__ = ["byte_lines", "raw_lines", "stream_lines", "text_lines"]

_AT_ONCE = 1 << 20


def raw_lines(stream: Stream, start: bytes = b"") -> Iterator[bytes]:
    """The lines of a stream without their ``\\n``; ``start`` was read from it before."""
    limits, number = current_limits(), 1
    longest = limits.line_bytes
    begun: list[bytes] = []  # pieces of a line whose end has not come
    length = 0
    block = start or stream.read(_AT_ONCE)
    while block:
        first, *others = block.split(b"\n")
        begun.append(first)
        length += len(first)
        if length > longest:
            limits.check_line(length, f"Line {number:,} of {stream.name}")
        if others:
            yield b"".join(begun)
            for line in others[:-1]:
                number += 1
                if len(line) > longest:
                    limits.check_line(len(line), f"Line {number:,} of {stream.name}")
                yield line
            number += 1
            begun, length = others[-1:], len(others[-1])
        block = stream.read(_AT_ONCE)
    if length:  # the last line has no end
        yield b"".join(begun)


def byte_lines(stream: Stream, start: bytes = b"") -> Iterator[tuple[int, bytes]]:
    """Numbered lines of a stream, without their ends; ``start`` was read from it before."""
    for number, line in enumerate(raw_lines(stream, start), 1):
        yield number, line.removesuffix(b"\r")


def text_lines(path: Path | RemoteFile) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file in UTF-8."""
    with open_stream(path) as stream:
        yield from stream_lines(stream)


def stream_lines(stream: Stream, errors: str = "strict") -> Iterator[tuple[int, str]]:
    """Numbered lines of a stream of text in UTF-8; ``errors`` as for ``bytes.decode``."""
    start = stream.read(1 << 12)
    binary = describe_binary(start)
    if binary:
        raise InputError(
            f"{stream.name} is {binary[0]}, not a text file.", _advice(stream, binary[1])
        )
    for number, line in byte_lines(stream, start.removeprefix(b"\xef\xbb\xbf")):
        try:
            yield number, line.decode(errors=errors)
        except UnicodeDecodeError:
            raise InputError(
                f"Line {number} of {stream.name} is not in UTF-8.",
                _advice(stream, guess_encoding(line)),
            ) from None


def _advice(stream: Stream, advice: str | None) -> str:
    """How to convert a file, with its name, if it can be converted as it is."""
    if advice is None or stream.compression:
        return "Convert the file first, as iconv does."
    return for_file(advice, None if is_url(stream.name) else Path(stream.name))
