"""Pieces of a text file that together are the whole of it, line by line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from firth.formats._remote import RemoteFile, open_raw

__all__ = ["Piece"]

_AT_ONCE = 1 << 16


class Piece(io.RawIOBase):
    """The lines of a file that begin in a range of bytes.

    A line belongs to the piece in which its first byte lies, however long it is. So the pieces of
    adjacent ranges, one after the other, are the whole file.

    Parameters
    ----------
    path : Path or RemoteFile
    begin : int
    end : int, optional
        The first byte that is not in the range; by default it reaches to the end of the file.

    Attributes
    ----------
    place : int
        Where the first line begins; 0 if there is none.
    """

    def __init__(self, path: Path | RemoteFile, begin: int, end: int | None) -> None:
        self.place, self._end, self._rest = max(0, begin - 1), end, b""
        self._file: Any = open_raw(path, self.place, end)
        try:
            self._ended = not self._find_first_line() if begin else end == 0
        except BaseException:
            self._file.close()
            raise
        self.place = 0 if self._ended else self.place
        self._next = self.place

    def _find_first_line(self) -> bool:
        """Read past the next line end; returns whether the line after it begins in the range."""
        while self._end is None or self.place + 1 < self._end:
            data = self._file.read(_AT_ONCE)
            if not data:
                return False
            line_end = data.find(b"\n")
            if line_end >= 0:
                self.place, self._rest = self.place + line_end + 1, data[line_end + 1 :]
                return self._end is None or self.place < self._end
            self.place += len(data)
        return False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._ended:
            return 0
        data = self._rest[: len(buffer)] or self._file.read(len(buffer))
        self._rest = self._rest[len(data) :]
        if self._end is not None:
            last = data.find(b"\n", max(0, self._end - 1 - self._next))
            if last >= 0:  # the next line begins after the range
                data, self._ended = data[: last + 1], True
        buffer[: len(data)] = data
        self._next += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
