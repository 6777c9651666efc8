"""Files on other machines, through fsspec."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from firth.errors import InputError
from firth.formats._read_ahead import AT_ONCE, ReadAhead
from firth.formats._reading import reading
from firth.formats._urls import is_allowed, without_secrets
from firth.store import TemporaryFolder, open_file

__all__ = ["RemoteFile", "find_remote", "open_known", "open_raw", "open_table"]

_LITTLE = 1 << 12
_BLOCK = 1 << 16
"""Read at once around a line."""
_PARQUET = b"PAR1"
_MARKS = (
    "ETag", "etag", "Content-MD5", "Digest", "md5Hash", "crc32c", "generation", "blob_id",
    "LastModified", "Last-Modified", "last_modified", "updated", "mtime", "created",
)  # fmt: skip
"""What file systems call something that changes with the content of a file, the best first."""


@dataclass(frozen=True)
class RemoteFile:
    """A file that is read through fsspec.

    It can be pickled: other processes use their own connections.

    Attributes
    ----------
    name : str
        The address, without secrets.
    size : int or None
        In bytes, if the server tells.
    token : str or None
        Changes whenever the content changes, if the server tells.
    """

    name: str
    size: int | None
    token: str | None
    _system: Any = field(repr=False)
    _path: str = field(repr=False)

    @classmethod
    def _of(cls, name: str, system: Any, path: str, info: dict[str, Any]) -> RemoteFile:
        if info.get("size") is None:  # lists of web servers have names alone
            info = system.info(path)
        return cls(without_secrets(name), info.get("size"), _token(info), system, path)

    def __str__(self) -> str:
        return self.name

    @property
    def filename(self) -> str:
        """The last part of the address, which tells what kind of file it is."""
        path = without_secrets(self._path).partition("?versionId=")[0]
        return path.rpartition("/")[2]

    def stream(self, begin: int = 0, until: int | None = None) -> BinaryIO:
        """Open the file to read it to its end, or not far beyond ``until``, from a byte on."""
        return ReadAhead(self, begin, until)  # type: ignore[return-value]

    def open_at(self, place: int, skipping: bool = False) -> Any:
        """A file of fsspec from a byte on.

        ``skipping`` is for servers that send files from their beginning only.
        """
        size = 0 if skipping else AT_ONCE
        file = self._system.open(self._path, "rb", block_size=size, cache_type="none")
        try:
            if skipping:
                _skip(file, place)
            else:
                file.seek(place)
        except BaseException:
            file.close()
            raise
        return file

    def open_anywhere(self, block: int = _BLOCK) -> Any:
        """A file of fsspec for reading here and there; it needs ``has_ranges``."""
        return self._system.open(self._path, "rb", block_size=block)

    def head(self, n: int) -> bytes:
        """The first bytes."""
        with self._system.open(self._path, "rb", block_size=_LITTLE) as file:
            return bytes(file.read(n))

    def has_ranges(self) -> bool:
        """Whether the server sends a part of the file if it is asked for one."""
        if self.size is None:
            return False
        try:
            with self.open_at(1) as file:
                return len(file.read(1)) == min(1, self.size - 1)
        except ValueError:
            return False

    def check_unchanged(self, anew: bool = False) -> None:
        """Raise InputError if the content is no longer that of the beginning.

        If ``anew``, what fsspec remembers of the file is not used.
        """
        if anew:
            self._system.invalidate_cache()
        if _token(self._system.info(self._path)) != self.token:
            raise InputError(
                f"{self.name} has changed while it was being read.", "Run the same command again."
            )


def _skip(file: Any, n: int) -> None:
    """Read past some bytes."""
    while n:
        passed = file.read(min(n, AT_ONCE))
        if not passed:
            raise EOFError("the file is shorter than before")
        n -= len(passed)


def _token(info: dict[str, Any]) -> str | None:
    """A hash of the size and of the best mark of a file; None without a mark."""
    for mark in _MARKS:
        value = info.get(mark) or ""
        value = str(value.timestamp() if isinstance(value, datetime) else value)
        if value and not value.startswith("W/"):  # a weak tag allows other bytes
            return hashlib.sha256(f"{info.get('size')} {mark} {value}".encode()).hexdigest()
    return None


def find_remote(url: str, choose: Callable[[Iterable[str]], list[str]]) -> list[RemoteFile]:
    """The files that an address stands for: a file, a folder or a pattern.

    Parameters
    ----------
    url : str
    choose : callable
        Of the names of all files in a folder, those to be read.

    Returns
    -------
    list of RemoteFile
        Those of a folder or pattern in alphabetical order.
    """
    name = without_secrets(url)
    with reading(name):
        system, path = _connected(url)
        if _is_pattern(path) and not system.exists(path):
            listed = system.glob(path, detail=True)
            hidden = "/." in path  # as in patterns of the shell, only if it says so
            found = [p for p in listed if listed[p]["type"] == "file" and (hidden or "/." not in p)]
            if not found:
                system.ls(
                    re.split(r"[*?[]", path)[0].rpartition("/")[0]
                )  # why it is so, if it fails
                raise InputError(
                    f"No file matches the pattern {name}.",
                    "Check the pattern, and quote it for the shell.",
                )
        elif path.endswith("/") or (info := system.info(path))["type"] == "directory":
            listed, begin = system.find(path, detail=True), len(path.rstrip("/")) + 1
            found = [path[: begin - 1] + "/" + p for p in choose(p[begin:] for p in listed)]
        else:
            return [RemoteFile._of(name, system, path, info)]
        found.sort(key=lambda p: p.split("/"))  # as paths are sorted
        return [RemoteFile._of(_with_path(url, p), system, p, listed[p]) for p in found]


def open_known(name: str) -> RemoteFile:
    """The file at an address that a model names, which may be any; most kinds are refused."""
    with reading(name):
        if not is_allowed(name):
            raise InputError(f"{name} is not an address that a model may name.")
        system, path = _connected(name)
        return RemoteFile._of(name, system, path, system.info(path))


def _connected(url: str) -> tuple[Any, str]:
    """The file system of an address, which remembers no lists of files, and the path in it."""
    import fsspec

    system, path = fsspec.core.url_to_fs(url)
    system.invalidate_cache()
    return system, f"{path}/" if url.endswith("/") and not path.endswith("/") else path


def _is_pattern(path: str) -> bool:
    """Whether a path has wildcards; ``?`` is none where a query or a version follows it."""
    return bool(
        re.search(r"[*[]" if re.match("https?://", path) else r"[*[]|\?(?!versionId=)", path)
    )


def _with_path(url: str, path: str) -> str:
    """An address with another path, in the first link of a chain that has one."""
    head, chained, rest = url.partition("::")
    scheme, has_path, _ = head.partition("://")
    if not has_path and chained:
        return f"{head}::{_with_path(rest, path)}"
    return f"{path if '://' in path else f'{scheme}://{path}'}{chained}{rest}"


def open_raw(path: Path | RemoteFile, begin: int = 0, until: int | None = None) -> BinaryIO:
    """Open a file, here or elsewhere, to read it from a byte on; ``until`` as for ``RemoteFile.stream``."""
    if isinstance(path, RemoteFile):
        return path.stream(begin, until)
    file: BinaryIO = open_file(path, "rb", 0)
    if begin:  # a pipe is always read from its beginning
        file.seek(begin)
    return file


@contextmanager
def open_table(path: Path | RemoteFile) -> Iterator[BinaryIO]:
    """Open a table, here or elsewhere, for reading here and there.

    What cannot be read in parts, or has to be mapped into memory, is copied to a temporary file.
    """
    if not isinstance(path, RemoteFile):
        with open_file(path) as file:
            yield file
    elif path.head(len(_PARQUET)) == _PARQUET and path.has_ranges():
        with path.open_anywhere(AT_ONCE // 8) as file:
            yield file
    else:
        with TemporaryFolder() as folder:
            copy = folder.path / "table"
            with path.stream() as source, open_file(copy, "wb") as target:
                while data := source.read(AT_ONCE):
                    target.write(data)
            with open_file(copy) as file:
                yield file
