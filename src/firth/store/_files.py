"""Standard input, and writing a single file outside a model, completely or not at all."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from firth.errors import InputError
from firth.store._system import (
    NO_SPACE,
    is_reserved,
    lock,
    open_file,
    remove_file,
    remove_open_file,
    rename,
    sync,
)

__all__ = ["replacing", "standard_input"]

_DRAFT = ".firth-draft"


def standard_input() -> BinaryIO:
    """The bytes of standard input; it is an error if there is none."""
    if sys.stdin is None or getattr(sys.stdin, "closed", False):
        raise InputError("Standard input is closed.", "Pipe text into the command, or give a file.")
    return sys.stdin.buffer


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file to write to, which replaces ``path`` when the ``with`` block ends without an error.

    ``-`` is standard output. Pipes and devices are written to directly.

    Raises
    ------
    InputError
        The folder does not exist or cannot be written to, or there is no space left.
    """
    target = Path(path)
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if is_reserved(target):
        raise InputError(f"Windows reserves the name {target.name}.", "Give another name.")
    if target.exists() and not target.is_file():
        with _explained(target, target), open_file(target, "wb") as file:
            yield file
        return
    # a process that was killed has left its draft, but not the lock on it
    start = f".{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"
    for left in target.parent.glob(f"{start}*{_DRAFT}"):
        _remove_unlocked(left)
    draft = target.with_name(f"{start}{secrets.token_hex(8)}{_DRAFT}")
    try:
        with _explained(draft, target):
            with _open_locked(draft) as file:
                yield file
                sync(file)
            rename(draft, target)
    except BaseException:
        with suppress(OSError):
            remove_file(draft)
        raise


def _open_locked(draft: Path) -> BinaryIO:
    """Open a new file and lock it; once more if another process has just taken it for a leftover."""
    while True:
        file: BinaryIO = open_file(draft, "xb")
        locked = True
        with suppress(OSError):  # a file system without locks
            locked = lock(file)
        if locked and draft.exists():
            return file
        file.close()


def _remove_unlocked(draft: Path) -> None:
    with suppress(OSError), open_file(draft, "r+b", 0) as file:
        if lock(file):
            remove_open_file(file)


@contextmanager
def _explained(written: Path, target: Path) -> Iterator[None]:
    """Say which file cannot be written, and why."""
    try:
        yield
    except OSError as error:
        if error.filename != str(written):
            raise
        raise _cannot_write(error, target) from error


def _cannot_write(error: OSError, path: str | Path) -> InputError:
    hint = "Check that the folder exists and that you may write to it."
    if error.errno in NO_SPACE:
        hint = "Free some space, or write to another disk."
    return InputError(f"Cannot write {path}: {error.strerror}.", hint)
