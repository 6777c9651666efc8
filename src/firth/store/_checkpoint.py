"""Checkpoints: interrupted work continues from the last one."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from firth.store._room import Room
from firth.store._system import (
    make_folder,
    open_file,
    open_plain_file,
    remove_file,
    rename,
    sync,
)

__all__ = ["Checkpoint", "Saved"]

Result = TypeVar("Result")
_SECONDS_PER_CHECKPOINT = 15.0
_SHARE = 0.05
"""The largest share of the time that saving may take."""
_HEADER_LIMIT = 1 << 16
_HEADER = {"sha256": str, "arrays": {}}
_NEW, _BLOCKS = ".new", ".blocks"
_CHECKSUMS = "checksums"


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
        room: Room | None = None,
    ) -> npt.NDArray[Any]:
        """A copy of an array, after its size, range and order were checked; as ``Part.array``.

        The name ends with the type, like the name of a file of a part. A large one is made in ``room``.
        """
        self.require(name in self._arrays, f"there is no {name}")
        saved = check_array(self._arrays[name], self._path, shape, low, high, order)
        copy: npt.NDArray[Any] = (room or Room()).empty(saved.shape, saved.dtype)
        copy[...] = saved
        return copy

    @property
    def n_blocks(self) -> int:
        """The number of blocks that were saved."""
        return len(self._checksums())

    def blocks(self, size: int, low: float, high: float) -> Iterator[npt.NDArray[np.float32]]:
        """The blocks of ``size`` numbers, mapped into memory; each is checked when it is reached."""
        path = self._path.with_suffix(_BLOCKS)
        data, n_bytes = map_file(path), 4 * size
        for k, checksum in enumerate(self._checksums()):
            some = data[k * n_bytes : (k + 1) * n_bytes]
            if len(some) < n_bytes or not np.array_equal(_checksum(some), checksum):
                raise UnsoundError(path, "its checksum is wrong")
            yield check_array(some.view(TYPES["f32"]), path, size, low, high)

    def _checksums(self) -> npt.NDArray[np.uint64]:
        return self.array(f"{_CHECKSUMS}.u64", (-1, 4), 0, (1 << 64) - 1)

    def require(self, holds: object, why: str) -> None:
        """Raise an error unless something holds."""
        if not holds:
            raise UnsoundError(self._path, why)


class Checkpoint:
    """The state of unfinished work; without a path, nothing is saved.

    The file is a line of JSON (the checksum of the rest; names, which end with the type, and sizes of
    the arrays), followed by the arrays. Nothing in it is trusted: it is used only if it agrees
    with the work at hand.

    Work that only adds to a large array gives it in blocks, which are appended to a second file. So each
    is written once, and none is held in memory. Their checksums are in the first file, which makes
    those valid that were complete when it was replaced.

    Parameters
    ----------
    path : Path, optional

    Attributes
    ----------
    every : float
        The number of seconds between two saves. If saving takes long, it is done more rarely.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path, self.every = path, _SECONDS_PER_CHECKPOINT
        self._saved, self._cost = time.monotonic(), 0.0
        self._checksums = np.empty((0, 4), np.uint64)

    def beside(self, name: str) -> Checkpoint:
        """Another checkpoint in the same folder."""
        return type(self)(self._path and self._path.with_stem(name))

    @property
    def n_blocks(self) -> int:
        """The number of blocks that are saved."""
        return len(self._checksums)

    def load(self, read: Callable[[Saved], Result]) -> Result | None:
        """What ``read`` makes of the arrays that were saved last; None if they cannot be used."""
        if self._path is None:
            return None
        try:
            arrays = _arrays(self._path)
            found = read(Saved(self._path, arrays))
        except ModelError:
            return None
        if f"{_CHECKSUMS}.u64" in arrays:
            self._checksums = np.array(arrays[f"{_CHECKSUMS}.u64"]).reshape(-1, 4)
        return found

    def save(self, blocks: Iterable[npt.NDArray[np.float32]] = (), **arrays: Any) -> None:
        """Add some blocks, and replace the arrays atomically; their names do not include the type."""
        began = time.monotonic()
        if self._path is not None:
            make_folder(self._path.parent)
            self._append(self._path.with_suffix(_BLOCKS), blocks)
            if self.n_blocks:
                arrays[_CHECKSUMS] = self._checksums
            _replace(self._path, arrays)
        self._saved = time.monotonic()
        self._cost = self._saved - began

    def _append(self, path: Path, blocks: Iterable[npt.NDArray[np.float32]]) -> None:
        """Write blocks after those that are valid, over what an interrupted save may have left."""
        file = None
        try:
            for block in blocks:
                data = np.ascontiguousarray(block, TYPES["f32"]).reshape(-1).view(np.uint8)
                if file is None:
                    file = _open_to_change(path)
                    file.seek(self.n_blocks * len(data))
                checksum = _checksum(data)
                while len(data):  # a disk that is nearly full takes only a part
                    data = data[file.write(data) :]
                self._checksums = np.vstack([self._checksums, checksum])
            if file is not None:
                sync(file)
        finally:
            if file is not None:
                file.close()

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed since the last save."""
        waited = time.monotonic() - self._saved
        return self._path is not None and waited > max(self.every, self._cost / _SHARE)


def _replace(path: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Replace a file by one with these arrays."""
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
    new = path.with_suffix(_NEW)
    remove_file(new)
    with open_file(new, "xb") as file:  # exclusive creation does not follow links
        file.write(header.encode() + b"\n")
        for array in named.values():
            file.write(array.data)
        sync(file)
    rename(new, path)


def _open_to_change(path: Path) -> Any:
    """Open a file for writing at any place. What is there and is not a plain file is removed."""
    file = open_plain_file(path, "r+b")
    if file is None:
        remove_file(path)
        file = open_file(path, "xb", 0)
    return file


def _checksum(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    return np.frombuffer(hashlib.sha256(data.data).digest(), TYPES["u64"])


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
        found[name] = data[end : end + n_bytes].view(kind)
        end += n_bytes
    if end != len(data):
        raise UnsoundError(path, "it is too long")
    return found
