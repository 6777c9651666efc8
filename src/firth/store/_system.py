"""The calls by which Firth reads and changes files, in one place.

The store and all stages go through these functions. So errors always name their file, what Windows
does differently is handled here, and a test can make any single call fail (``call`` is replaced).
"""

from __future__ import annotations

import errno
import io
import mmap
import ntpath
import os
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PureWindowsPath
from typing import IO, Any, cast

__all__ = [
    "NO_SPACE",
    "NoSpaceError",
    "call",
    "concerns",
    "flush",
    "is_reserved",
    "lock",
    "make_folder",
    "map_new_file",
    "map_open_file",
    "open_file",
    "open_plain_file",
    "remove_file",
    "remove_folder",
    "remove_open_file",
    "remove_tree",
    "rename",
    "sync",
]

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_WINDOWS = os.name == "nt"
_BUFFER = 1 << 20
_HUGE = 1 << 22
"""Memory of at least this many bytes has huge pages, where the system offers them."""
_ATTEMPTS = 20
_PAUSE = 0.05


class NoSpaceError(OSError):
    """There is no space for a file; ``n_bytes`` is its size."""

    n_bytes = 0


def call(what: str, path: str | Path, function: Callable[..., Any], *args: Any) -> Any:  # noqa: ARG001
    """Make the system call ``what`` for a file; an error names the file."""
    try:
        return function(*args)
    except OSError as error:
        if error.filename is None:
            error.filename = os.fspath(path)
        raise


class _File(io.FileIO):
    """A file without a buffer."""

    def write(self, data: Any) -> int:
        return cast(int, call("write", self.name, super().write, data))

    def readinto(self, buffer: Any) -> int:
        return cast(int, call("read", self.name, super().readinto, buffer))

    def readall(self) -> bytes:
        return cast(bytes, call("read", self.name, super().readall))


def open_file(path: str | Path, mode: str = "rb", buffering: int = _BUFFER, flags: int = 0) -> Any:
    """Open a file for bytes, as the built-in ``open`` does; ``flags`` are added to those of the mode."""

    def opener(name: str, usual: int) -> int:
        return os.open(name, usual | flags, 0o666)

    name = os.fspath(path)
    file = call("open", path, lambda: _File(name, mode, opener=opener))
    if not buffering:
        return file
    if "+" in mode:
        return io.BufferedRandom(file, buffering)
    return (io.BufferedReader if "r" in mode else io.BufferedWriter)(file, buffering)


def open_plain_file(path: Path, mode: str) -> Any:
    """Open a regular file, without a buffer for reading; None for a link, a pipe or a device.

    With a mode for writing, the file is created if it does not exist.
    """
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if mode != "rb":
        flags |= os.O_CREAT
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
    try:
        file = open_file(path, mode, _BUFFER if mode in ("xb", "ab") else 0, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # it was replaced just now
            return None
        raise
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        return None
    return file


def map_open_file(file: IO[bytes]) -> mmap.mmap:
    """Map a file that is not empty into memory, for reading."""
    number = file.fileno()
    try:
        mapped = call("mmap", file.name, lambda: mmap.mmap(number, 0, access=mmap.ACCESS_READ))
    except OSError as error:
        if error.errno == errno.ENOMEM:  # the address space is full
            raise MemoryError(f"{file.name} cannot be mapped into memory") from error
        raise
    return cast(mmap.mmap, mapped)


def map_new_file(path: Path, n_bytes: int) -> mmap.mmap:
    """Make a file of some size, map it into memory for writing, and remove its name if that is possible.

    The space is allocated first: where it is missing, writing to mapped memory would end the process.
    """
    with open_file(path, "x+b", 0) as file:
        try:
            call("allocate", path, _allocate, file, n_bytes)
            number = file.fileno()
            mapped = call("mmap", path, lambda: mmap.mmap(number, n_bytes))
        except BaseException:
            remove_open_file(file)
            raise
    if not _WINDOWS:  # where it goes with its folder
        remove_file(path)
    return cast(mmap.mmap, mapped)


def map_memory(n_bytes: int) -> mmap.mmap:
    """Memory that is given back to the system as soon as nobody uses it; not that of a file."""
    try:
        if _WINDOWS:
            return mmap.mmap(-1, n_bytes)
        block = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"there are no {n_bytes:,} bytes of memory") from error
    if n_bytes >= _HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without huge pages
            block.madvise(mmap.MADV_HUGEPAGE)
    return block


def _allocate(file: IO[bytes], n_bytes: int) -> None:
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
            return
        for _ in range(0, n_bytes, _BUFFER):
            file.write(bytes(_BUFFER))
        file.truncate(n_bytes)
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        lacking = NoSpaceError(error.errno, error.strerror)
        lacking.n_bytes = n_bytes
        raise lacking from error


def sync(file: Any) -> None:
    """Flush an open file to disk."""
    file.flush()
    call("fsync", file.name, os.fsync, file.fileno())


def flush(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    if not path.is_dir():
        with open_file(path, "r+b", 0) as file:  # Windows flushes only what can be written
            sync(file)
    elif not _WINDOWS:  # where a folder cannot be opened
        descriptor = call("open", path, os.open, path, os.O_RDONLY)
        try:
            call("fsync", path, os.fsync, descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise  # but some network file systems cannot flush folders
        finally:
            os.close(descriptor)


def rename(old: Path, new: Path) -> None:
    """Rename a file or folder; a file that is there is replaced."""
    for attempt in range(_ATTEMPTS):
        try:
            call("rename", old, os.replace, old, new)
            return
        except PermissionError:
            # on Windows another process may be reading the file just now
            if not _WINDOWS or attempt == _ATTEMPTS - 1:
                raise
            time.sleep(_PAUSE)


def make_folder(path: Path) -> list[Path]:
    """Make a folder and those that it is in, all or none; returns those that were not there."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            with suppress(FileExistsError):  # another process was quicker
                call("mkdir", folder, os.mkdir, folder)
                made.append(folder)
    except OSError:
        for folder in reversed(made):
            remove_folder(folder)
        raise
    return made


def remove_file(path: Path) -> None:
    """Remove a file if it is there."""
    with suppress(FileNotFoundError):
        call("unlink", path, os.unlink, path)


def remove_open_file(file: IO[bytes]) -> None:
    """Remove a file that is open; Windows removes only what is closed."""
    if _WINDOWS:
        file.close()
    remove_file(Path(file.name))


def remove_folder(path: Path) -> None:
    """Remove a folder if it is empty and can be removed."""
    with suppress(OSError):
        call("rmdir", path, os.rmdir, path)


def remove_tree(path: Path) -> None:
    """Remove a folder with all that is in it, as far as possible.

    Windows does not remove files that are open or mapped. They are removed by the next writer.
    """
    with suppress(OSError):
        call("rmtree", path, shutil.rmtree, path, True)


def lock(file: IO[bytes]) -> bool:
    """Lock an open file without waiting; False if another process has locked it.

    The system releases the lock when the file is closed, and when the process ends. On Windows nobody
    else can read the first byte meanwhile.
    """
    from filelock import lock_descriptor  # late: it imports much, and readers do not need it

    return bool(call("lock", file.name, lambda: lock_descriptor(file.fileno(), blocking=False)))


def is_reserved(path: Path) -> bool:
    """Whether Windows takes the name of a file or folder for that of a device, such as ``aux.txt``."""
    if hasattr(ntpath, "isreserved"):  # since Python 3.13
        return _WINDOWS and ntpath.isreserved(path.name)
    return _WINDOWS and PureWindowsPath(path.name).is_reserved()


def concerns(error: OSError, folder: Path) -> bool:
    """Whether an error is about a file in a folder."""
    names = [name for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    return any(Path(os.fsdecode(n)).absolute().is_relative_to(folder.absolute()) for n in names)
