"""Writing a single file outside a model, completely or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from firth.errors import InputError

__all__ = ["draft_of", "replacing"]


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file to write to, which replaces ``path`` when the ``with`` block ends without an error.

    ``-`` is standard output. Pipes and devices are written to directly.

    Raises
    ------
    InputError
        The folder does not exist or cannot be written to.
    """
    target = Path(path)
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
    else:
        with draft_of(target) as draft, draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def draft_of(path: str | Path) -> Iterator[Path]:
    """A temporary file beside ``path``, with the same suffix, which replaces it in the end.

    For libraries that write to a name rather than to an open file; otherwise see ``replacing``.
    """
    target = Path(path)
    try:
        descriptor, name = tempfile.mkstemp(
            prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent
        )
    except OSError as error:
        raise InputError(
            f"Cannot write {path}: {error.strerror}.",
            "Check that the folder exists and that you may write to it.",
        ) from error
    os.close(descriptor)
    draft = Path(name)
    try:
        yield draft
        draft.chmod(_usual_mode())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _usual_mode() -> int:
    """The permissions of a new file; those of a temporary file are stricter."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
