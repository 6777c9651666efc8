"""Large arrays: in memory up to a limit, and beyond it in files."""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.store._system import map_memory, map_new_file
from firth.store._temporary import TemporaryFolder

__all__ = ["Room"]

_SMALL = 1 << 20
"""Arrays of fewer bytes are always in memory."""


class Room:
    """Makes arrays. When those in use have reached a limit, new ones are files, mapped into memory.

    The system writes the pages of a mapped file to disk when memory is short, so they take only memory
    that nobody else needs. What is computed does not depend on where an array is. A file gets its space
    on disk at once, so a full disk is an error when the array is made.

    Parameters
    ----------
    limit : int, optional
        A number of bytes, of the arrays that ``empty`` makes; no limit by default.
    folder : Path, optional
        For the files; a temporary folder by default.
    """

    def __init__(self, limit: int | None = None, folder: Path | None = None) -> None:
        self.limit = self._left = math.inf if limit is None else limit
        self._folder, self._n = folder, 0
        self._lock = threading.Lock()

    def empty(self, shape: int | Sequence[int], dtype: npt.DTypeLike = np.float32) -> Any:
        """An array whose elements are not set."""
        size = math.prod(shape) if isinstance(shape, Sequence) else shape
        n_bytes = size * np.dtype(dtype).itemsize
        if n_bytes < _SMALL or not n_bytes:
            return np.empty(shape, dtype)
        with self._lock:
            fits = n_bytes <= self._left
            self._left -= n_bytes if fits else 0
        if not fits:
            return np.frombuffer(map_new_file(self._path(), n_bytes), dtype).reshape(shape)
        block = map_memory(n_bytes)
        weakref.finalize(block, self._give_back, n_bytes)
        return np.frombuffer(block, dtype).reshape(shape)

    def _give_back(self, n_bytes: int) -> None:
        self._left += n_bytes  # not with the lock: this may be called while it is held

    def _path(self) -> Path:
        """The name of a new file."""
        with self._lock:
            if self._folder is None:
                temporary = TemporaryFolder()
                temporary.keep_for(self)
                self._folder = temporary.path
            self._n += 1
            return self._folder / f"array{self._n}"
