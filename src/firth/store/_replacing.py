"""Files that are written wholly or not at all."""

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
def replacing(output: str | Path) -> Iterator[Any]:
    """A binary file that appears under its name only when it is complete.

    ``-`` stands for standard output. Pipes and devices are written directly.
    """
    if output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent or ".")
    except OSError as error:
        raise InputError(
            f"Cannot write {output}: {error.strerror}.",
            "Check that the folder exists and that you may write to it.",
        ) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
