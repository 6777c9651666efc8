"""Standard input, and writing a single file outside a model, completely or not at all."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from firth.errors import InputError
from firth.store._system import NO_SPACE, is_reserved, open_file, remove_file, rename, sync

__all__ = ["replacing", "standard_input"]


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
    direct = target.exists() and not target.is_file()
    draft = target if direct else target.with_name(f".{secrets.token_hex(8)}.firth-draft")
    try:
        with open_file(draft, "wb" if direct else "xb") as file:
            yield file
            if not direct:
                sync(file)
        if not direct:
            rename(draft, target)
    except BaseException as error:
        if not direct:
            with suppress(OSError):
                remove_file(draft)
        if isinstance(error, OSError) and error.filename == str(draft):
            raise _cannot_write(error, path) from error
        raise


def _cannot_write(error: OSError, path: str | Path) -> InputError:
    hint = "Check that the folder exists and that you may write to it."
    if error.errno in NO_SPACE:
        hint = "Free some space, or write to another disk."
    return InputError(f"Cannot write {path}: {error.strerror}.", hint)
