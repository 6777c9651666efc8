"""Files that are replaced at once: a reader sees the old file or the new one."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firth.errors import InputError

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | Path) -> Iterator[Any]:
    """A binary file that gets its name when it is complete; ``-`` is standard output.

    Pipes and devices are written to directly.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(path)
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(
            f"Cannot write {path}: {error.strerror}.",
            "Check that the folder exists and that you may write to it.",
        ) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)  # mkstemp makes files that only their owner can read
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
