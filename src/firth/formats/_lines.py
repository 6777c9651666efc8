"""The lines of a file, with their numbers, decompressed on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firth.errors import InputError
from firth.formats._compression import Stream, open_stream
from firth.formats._sniff import describe_binary

__all__ = ["byte_lines", "text_lines"]

_AT_ONCE = 1 << 20
_LONGEST = 1 << 26


def byte_lines(stream: Stream, start: bytes = b"") -> Iterator[tuple[int, bytes]]:
    """Numbered lines of a stream, without their ends; ``start`` was read from it before."""
    number, rest = 0, start
    while True:
        block = stream.read(_AT_ONCE)
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if not block and rest:
            lines.append(rest)  # the last line has no end
        for line in lines:
            number += 1
            yield number, line.removesuffix(b"\r")
        if not block:
            return
        if len(rest) > _LONGEST:
            raise InputError(f"Line {number + 1} of {stream.name} is longer than any line can be.")


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file in UTF-8."""
    with open_stream(path) as stream:
        start = stream.read(1 << 12)
        binary = describe_binary(start)
        if binary:
            raise InputError(f"{path} is {binary[0]}, not a text file.")
        for number, line in byte_lines(stream, start.removeprefix(b"\xef\xbb\xbf")):
            try:
                yield number, line.decode()
            except UnicodeDecodeError:
                raise InputError(
                    f"Line {number} of {path} is not in UTF-8.",
                    "Convert the file first, as iconv does.",
                ) from None
