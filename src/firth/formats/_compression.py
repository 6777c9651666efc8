"""Files as streams of bytes, decompressed on the way, hashed as they are read."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import zlib
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from firth.errors import InputError
from firth.formats._sniff import compression_of

_BUFFER = 1 << 20


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


class Stream:
    """The plain bytes of a file, whatever it is compressed with.

    ``consumed`` is how many bytes of the file itself have been read: what progress is measured in.
    Damage is reported as InputError with the name of the file.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._raw = _Hashing(file)
        buffered = io.BufferedReader(self._raw, _BUFFER)
        self.compression = compression_of(buffered.peek(16)[:16])
        self._plain = _decompressor(buffered, self.compression)

    @property
    def consumed(self) -> int:
        return self._raw.n_bytes

    def sha256(self) -> str:
        """The checksum of the whole file as it is on disk; reads it to its end."""
        return self._raw.sha256()

    def read(self, n: int) -> bytes:
        """Up to ``n`` bytes; fewer only at the end."""
        pieces = []
        while n > 0:
            piece = self._read(n)
            if not piece:
                break
            pieces.append(piece)
            n -= len(piece)
        return b"".join(pieces)

    def _read(self, n: int) -> bytes:
        try:
            return self._plain.read(n)
        except EOFError:
            raise self._broken("it ends too early") from None
        except (OSError, lzma.LZMAError, zlib.error, ValueError) as error:
            if isinstance(error, OSError) and error.errno is not None and self.compression is None:
                raise InputError(f"Cannot read {self.name}: {error.strerror}.") from error
            reason = "it ends too early" if "trunc" in str(error).lower() else "its data is broken"
            raise self._broken(reason) from error

    def _broken(self, reason: str) -> InputError:
        return InputError(
            f"{self.name} is a damaged {self.compression} file: {reason}.",
            "Copy or download it again, or decompress it by hand to see what can be saved.",
        )

    def close(self) -> None:
        self._plain.close()
        self._raw.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _decompressor(file: Any, compression: str | None) -> IO[bytes]:
    if compression == "gzip":
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if compression == "bzip2":
        return cast(IO[bytes], bz2.BZ2File(file))
    if compression == "xz":
        return cast(IO[bytes], lzma.LZMAFile(file))
    if compression == "zstandard":
        import pyarrow as pa

        return cast(IO[bytes], pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"))
    return cast(IO[bytes], file)


def open_stream(path: Path) -> Stream:
    """Open a file for reading, decompressing ``.gz .bz2 .xz .zst`` by what is in it."""
    try:
        return Stream(path.open("rb", buffering=0), str(path))
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.", "Check the name.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file.") from None
    except PermissionError:
        raise InputError(f"No permission to read {path}.", f"Try: chmod u+r '{path}'") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
