"""Checkpoints: interrupted work continues from the last one."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from firth.errors import ModelError
from firth.store._contents import (
    TYPES,
    Order,
    UnsoundError,
    check_array,
    has_structure,
    map_file,
    parse_json,
)
from firth.store._system import make_folder, open_file, remove_file, rename, sync

__all__ = ["Checkpoint", "Saved"]

Result = TypeVar("Result")
_SECONDS_PER_CHECKPOINT = 15.0
_HEADER_LIMIT = 1 << 16
_HEADER = {"sha256": str, "arrays": {}}
_NEW = ".new"


class Saved:
    """The arrays of a checkpoint, each of which is checked when it is read."""

    def __init__(self, path: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
        self._path, self._arrays = path, arrays

    def array(
        self,
        name: str,
        shape: int | Sequence[int],
        low: float,
        high: float,
        order: Order | None = None,
    ) -> npt.NDArray[Any]:
        """An array, after its size, range and order were checked; as ``Part.array``.

        The name ends with the type, like the name of a file of a part.
        """
        self.require(name in self._arrays, f"there is no {name}")
        return check_array(self._arrays[name], self._path, shape, low, high, order).copy()

    def require(self, holds: object, why: str) -> None:
        """Raise an error unless something holds."""
        if not holds:
            raise UnsoundError(self._path, why)


class Checkpoint:
    """The state of unfinished work in one file; without a path, nothing is saved.

    The file is a line of JSON (the checksum of the rest; names, which end with the type, and sizes of
    the arrays), followed by the arrays. Nothing in it is trusted: it is used only if it agrees
    with the work at hand.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._saved = time.monotonic()

    def load(self, read: Callable[[Saved], Result]) -> Result | None:
        """What ``read`` makes of the arrays that were saved last; None if they cannot be used."""
        if self._path is None:
            return None
        try:
            return read(Saved(self._path, _arrays(self._path)))
        except ModelError:
            return None

    def save(self, **arrays: npt.NDArray[Any]) -> None:
        """Replace the file atomically; the names of arrays do not include the type."""
        self._saved = time.monotonic()
        if self._path is None:
            return
        named = {}
        for name, array in arrays.items():
            flat = np.ascontiguousarray(array).reshape(-1)
            kind = next(k for k, t in TYPES.items() if np.dtype(t) == flat.dtype.newbyteorder("<"))
            named[f"{name}.{kind}"] = flat.astype(TYPES[kind], copy=False)
        checksum = hashlib.sha256()
        for array in named.values():
            checksum.update(array.data)
        sizes = {name: len(array) for name, array in named.items()}
        header = json.dumps({"sha256": checksum.hexdigest(), "arrays": sizes})
        make_folder(self._path.parent)
        new = self._path.with_suffix(_NEW)
        remove_file(new)
        with open_file(new, "xb") as file:  # exclusive creation does not follow links
            file.write(header.encode() + b"\n")
            for array in named.values():
                file.write(array.data)
            sync(file)
        rename(new, self._path)

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed since the last save."""
        return self._path is not None and time.monotonic() - self._saved > _SECONDS_PER_CHECKPOINT


def _arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file, if its header and its checksum are right."""
    data = map_file(path)
    head = data[:_HEADER_LIMIT].tobytes()
    end = head.find(b"\n") + 1
    if not end:
        raise UnsoundError(path, "it has no header")
    header = parse_json(head[:end], path)
    if (
        not has_structure(header, _HEADER)
        or hashlib.sha256(data[end:].data).hexdigest() != header["sha256"]
    ):
        raise UnsoundError(path, "its checksum is wrong")
    found = {}
    for name, n in header["arrays"].items():
        kind = TYPES.get(name.rpartition(".")[2])
        if kind is None or not has_structure(n, int) or n > len(data):
            raise UnsoundError(path, "its header is wrong")
        n_bytes = n * np.dtype(kind).itemsize
        if end + n_bytes > len(data):
            raise UnsoundError(path, "it ends too early")
        found[name] = np.frombuffer(data[end : end + n_bytes].tobytes(), kind)
        end += n_bytes
    if end != len(data):
        raise UnsoundError(path, "it is too long")
    return found
