"""Reading a remote file from a byte on, while what was read before is being used."""

from __future__ import annotations

import io
import queue
import threading
from typing import TYPE_CHECKING, Any

from firth import progress
from firth.errors import FirthError, InputError
from firth.formats._urls import scrubbed

if TYPE_CHECKING:
    from firth.formats._remote import RemoteFile

__all__ = ["AT_ONCE", "ReadAhead"]

AT_ONCE = 8 << 20
_BEYOND = 1 << 16
"""Read at once where probably no more is needed."""
_AHEAD = 2
_PAUSES = (0.2, 1.0, 4.0)
"""Seconds before another attempt."""
_PATIENCE = 0.5


class ReadAhead(io.RawIOBase):
    """The bytes of a remote file, which a thread fetches ahead.

    When the connection is lost, it is made again and goes on from the same byte, a few times.

    Parameters
    ----------
    file : RemoteFile
    begin : int
        The first byte.
    until : int, optional
        Beyond this byte, little is fetched ahead.
    """

    def __init__(self, file: RemoteFile, begin: int = 0, until: int | None = None) -> None:
        self._file, self._place, self._until = file, begin, until
        self._source: Any = None
        self._skipping = False
        self._rest = memoryview(b"")
        self._ready: queue.Queue[bytes | Exception] = queue.Queue(_AHEAD)
        self._closing = threading.Event()
        threading.Thread(target=self._fetch_all, name="firth-remote", daemon=True).start()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(self._next())
        n = min(len(buffer), len(self._rest))
        buffer[:n] = self._rest[:n]
        self._rest = self._rest[n:]
        return n

    def close(self) -> None:
        self._closing.set()
        super().close()

    def _next(self) -> bytes:
        """What was fetched next; nothing at the end."""
        while True:
            progress.check_interrupted()
            try:
                found = self._ready.get(timeout=_PATIENCE)
                break
            except queue.Empty:
                continue
        if not found or isinstance(found, Exception):
            self._ready.put(found)  # this stays so
        if isinstance(found, Exception):
            raise found
        return found

    def _fetch_all(self) -> None:
        """What the thread does."""
        found: bytes | Exception = b" "
        try:
            while found and not isinstance(found, Exception) and not self._closing.is_set():
                try:
                    found = self._fetch()
                except Exception as error:  # noqa: BLE001  raised where the bytes are used
                    found = error
                self._hand_over(found)
        finally:
            self._drop()

    def _hand_over(self, found: bytes | Exception) -> None:
        while not self._closing.is_set():
            try:
                self._ready.put(found, timeout=_PATIENCE)
                return
            except queue.Full:
                continue

    def _fetch(self) -> bytes:
        """Some bytes more, or none at the end; what fails is tried again from the same byte."""
        pauses = iter(_PAUSES)
        while True:
            try:
                return self._read()
            except Exception as error:
                self._drop()
                if _is_final(error):
                    raise
                if isinstance(error, ValueError) and not self._skipping:
                    self._skipping = True  # the server knows no ranges
                    continue
                pause = next(pauses, None)
                if pause is None:
                    raise self._lost(error) from error
                if self._closing.wait(pause):
                    return b""

    def _read(self) -> bytes:
        size = self._file.size
        data = b""
        if size is None or self._place < size:
            if self._source is None:
                if self._place:
                    self._file.check_unchanged(anew=True)
                self._source = self._file.open_at(self._place, self._skipping)
            data = self._source.read(self._amount())
            if not data and size is not None:
                raise EOFError("it was closed")
        if not data:
            self._file.check_unchanged()
        self._place += len(data)
        return bytes(data)

    def _amount(self) -> int:
        """How many bytes to fetch."""
        if self._until is None:
            return AT_ONCE
        return max(_BEYOND, min(AT_ONCE, self._until - self._place))

    def _drop(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            source.close()

    def _lost(self, error: Exception) -> InputError:
        why = scrubbed((str(error).splitlines() or [""])[0].rstrip(".") or type(error).__name__)
        return InputError(
            f"The connection to {self._file.name} was lost at byte {self._place:,}: {why}.",
            "Check the network, and run the same command again.",
        )


def _is_final(error: Exception) -> bool:
    """Whether another attempt would end in the same way."""
    status = getattr(error, "status", 0)
    refused = isinstance(status, int) and 400 <= status < 500 and status not in (408, 425, 429)
    return refused or isinstance(error, FirthError | FileNotFoundError | PermissionError)
