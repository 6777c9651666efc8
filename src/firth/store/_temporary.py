"""Temporary folders that nobody has to clean up, even after a kill."""

from __future__ import annotations

import os
import secrets
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from firth.errors import InputError
from firth.store import _system
from firth.store._system import (
    NO_SPACE,
    concerns,
    lock,
    make_folder,
    open_file,
    remove_folder,
    remove_tree,
)

__all__ = ["TemporaryFolder"]

_PREFIX = "firth-scratch-"
_LOCK, _FILES = "lock", "files"


class TemporaryFolder:
    """A folder for temporary files; ``path`` is where to put them.

    It is removed when a ``with`` block ends, or together with the object that it is kept for. Its
    process holds a lock. A process that is killed leaves the folder, but not the lock, and whoever
    makes a temporary folder next removes it.

    Raises
    ------
    InputError
        Also inside the block, when the folder cannot be written to.
    """

    def __init__(self) -> None:
        place = Path(tempfile.gettempdir())
        _sweep(place)
        self._kept, self._process = False, os.getpid()
        try:
            while not self._make(place):
                pass
        except OSError as error:
            raise _cannot_write(error, place) from error

    def _make(self, place: Path) -> bool:
        """Make the folder and lock it; False if another process has just taken it for a leftover."""
        self._folder = place / f"{_PREFIX}{secrets.token_hex(8)}"
        self.path = self._folder / _FILES
        _system.call("mkdir", self._folder, os.mkdir, self._folder, 0o700)
        try:
            self._lock = open_file(self._folder / _LOCK, "xb", 0)
            with suppress(OSError):  # a file system without locks: nobody takes it for a leftover
                if not lock(self._lock):
                    self._lock.close()
                    return False
            make_folder(self.path)
        except FileNotFoundError:
            return False
        except BaseException:
            self.remove()
            raise
        return True

    def keep_for(self, thing: Any) -> None:
        """Remove the folder together with an object that uses its files, not at the end of the block."""
        self._kept = True
        weakref.finalize(thing, self.remove)

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        if os.getpid() == self._process:  # not in a copy of the process
            if hasattr(self, "_lock"):
                self._lock.close()
            remove_tree(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None or not self._kept:
            self.remove()
        if isinstance(error, OSError) and concerns(error, self._folder):
            raise _cannot_write(error, self._folder.parent) from error


def _sweep(place: Path) -> None:
    """Remove what killed processes of the same user have left."""
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                owner = entry.stat(follow_symlinks=False).st_uid
                if not hasattr(os, "getuid") or owner == os.getuid():
                    _remove_if_left(Path(entry.path))


def _remove_if_left(folder: Path) -> None:
    with suppress(OSError):
        try:
            with open_file(folder / _LOCK, "r+b", 0) as file:
                left = lock(file)
            if left:
                remove_tree(folder)
        except FileNotFoundError:
            remove_folder(folder)  # if it is empty; whoever is making it just now tries again


def _cannot_write(error: OSError, place: Path) -> InputError:
    elsewhere = "or set TMPDIR to a folder on another disk."
    if error.errno in NO_SPACE:
        return InputError(
            f"No space left in the temporary folder {place}.", f"Free some space, {elsewhere}"
        )
    return InputError(
        f"Cannot write to the temporary folder {place}: {error.strerror or error}.",
        f"Check its permissions, {elsewhere}",
    )
