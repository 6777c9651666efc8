"""Files as streams of bytes, decompressed on the way, hashed as they are read."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from firth.errors import InputError
from firth.formats._limits import current_limits
from firth.formats._pieces import Piece
from firth.formats._reading import CANNOT, reading
from firth.formats._remote import RemoteFile, open_raw
from firth.formats._sniff import compression_of

_BUFFER = 1 << 20
_XZ_MEMORY = 512 << 20
"""What xz may ask for; its highest level takes 65 MiB."""


class _Hashing(io.RawIOBase):
    """Passes bytes through, keeping their checksum and number."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = cast(Any, self._file).readinto(buffer)
        self._hash.update(memoryview(buffer)[:n])
        self.n_bytes += n
        return int(n)

    def sha256(self) -> str:
        while self.read(_BUFFER):  # what a decompressor did not ask for
            pass
        return self._hash.hexdigest()

    def close(self) -> None:
        self._file.close()
        super().close()


class _Xz(io.RawIOBase):
    """Decompresses xz as ``lzma.LZMAFile`` does, which knows no limit of memory."""

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name = file, name
        self._decoder = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            if self._decoder.eof:
                more = self._decoder.unused_data.lstrip(b"\0")  # streams may be padded
                while not more:
                    found = self._file.read(_BUFFER)
                    if not found:
                        return 0
                    more = found.lstrip(b"\0")
                self._decoder = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
                try:
                    data = self._decompress(more, len(buffer))
                except lzma.LZMAError:  # what follows is no stream
                    return 0
            elif self._decoder.needs_input:
                more = self._file.read(_BUFFER)
                if not more:
                    raise EOFError
                data = self._decompress(more, len(buffer))
            else:
                data = self._decompress(b"", len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _decompress(self, data: bytes, n: int) -> bytes:
        try:
            return self._decoder.decompress(data, n)
        except lzma.LZMAError as error:
            if "emory" not in str(error):
                raise
            raise InputError(
                f"{self._name} needs more than {_XZ_MEMORY >> 20} MiB of memory to be decompressed.",
                "If you trust it, decompress it first, as xz -d does.",
            ) from None


class Stream:
    """The plain bytes of a file, whatever it is compressed with.

    ``consumed`` is how many bytes of the file itself have been read: what progress is measured in.
    Damage is reported as InputError with the name of the file, and so is a file that grows too much
    (see ``Limits``).

    Parameters
    ----------
    file : binary file
    name : str
    kept : bool
        Whether what is read is kept in memory, or only passed through.
    place : int
        Where the first byte lies in the whole file. If it is not 0, the file is not compressed.
    """

    def __init__(self, file: BinaryIO, name: str, kept: bool = True, place: int = 0) -> None:
        self.name, self.n_plain, self.place = name, 0, place
        self._raw = _Hashing(file)
        self._kept, self._limits = kept, current_limits()
        with reading(name):
            buffered = io.BufferedReader(self._raw, _BUFFER)
            self.compression = None if place else compression_of(buffered.peek(16)[:16])
            self._plain = _decompressor(buffered, self.compression, name)

    @property
    def consumed(self) -> int:
        return self._raw.n_bytes

    def sha256(self) -> str:
        """The checksum of the whole file as it is on disk; reads it to its end."""
        with reading(self.name):
            return self._raw.sha256()

    def read(self, n: int) -> bytes:
        """Up to ``n`` bytes; fewer only at the end."""
        pieces = []
        with reading(
            self.name, f"is a damaged {self.compression} file" if self.compression else CANNOT
        ):
            while n > 0:
                piece = self._plain.read(n)
                if not piece:
                    break
                pieces.append(piece)
                n -= len(piece)
                self.n_plain += len(piece)
                if self.compression:
                    self._limits.check_growth(self.n_plain, self.consumed, self.name, self._kept)
        return b"".join(pieces)

    def close(self) -> None:
        self._plain.close()
        self._raw.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _decompressor(file: Any, compression: str | None, name: str) -> IO[bytes]:
    if compression == "gzip":
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if compression == "bzip2":
        return cast(IO[bytes], bz2.BZ2File(file))
    if compression == "xz":
        return cast(IO[bytes], _Xz(file, name))
    if compression == "zstandard":
        import pyarrow as pa

        return cast(IO[bytes], pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"))
    return cast(IO[bytes], file)


def open_stream(path: Path | RemoteFile, kept: bool = True, name: str = "") -> Stream:
    """Open a file for reading, decompressing ``.gz .bz2 .xz .zst`` by what is in it.

    ``kept`` is as for ``Stream``, ``name`` what messages call the file.
    """
    name = name or str(path)
    with reading(name):
        return Stream(open_raw(path), name, kept)


def open_piece(path: Path | RemoteFile, begin: int, end: int | None, name: str) -> Stream:
    """Open a text that is not compressed, to read the lines that begin in a range; see ``Piece``."""
    with reading(name):
        piece = Piece(path, begin, end)
        return Stream(cast(BinaryIO, piece), name, kept=False, place=piece.place)
