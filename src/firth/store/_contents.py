"""What files contain, and what must hold of it. Nothing in a model folder is trusted.

An array is read together with its shape and its range, so no kernel sees a number that was not
checked. Files are opened without following links, and only if they are regular files.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, Engine, engine_for
from firth.errors import ModelError
from firth.store._system import map_open_file, open_plain_file

__all__ = [
    "JSON_LIMIT",
    "NoMemoryError",
    "TYPES",
    "UnsoundError",
    "array_file",
    "check_array",
    "count_ids",
    "engine_of",
    "every",
    "has_structure",
    "is_plain",
    "map_file",
    "open_plain",
    "parse_json",
    "read_array",
    "read_json",
]

Array = npt.NDArray[Any]
Order = Literal["never falls", "never rises", "always rises"]
_COMPARE = {"never falls": np.less_equal, "never rises": np.greater_equal, "always rises": np.less}
TYPES = {"u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}
"""Types of arrays by the suffix of their files."""
JSON_LIMIT = 1 << 30
"""The largest JSON file of a part, in bytes."""
_DEEPEST = 50
_AT_ONCE = 1 << 20
_MOST_COUNTERS = 1 << 23
_LARGE = 1 << 22
"""Arrays of at least this many elements are checked by all threads."""


class NoMemoryError(ModelError, MemoryError):
    """There is not enough memory to open or to make a part."""


class UnsoundError(ModelError):
    """A file does not contain what it must; ``why`` says in a few words what is wrong."""

    def __init__(self, place: Path, why: str) -> None:
        super().__init__(
            f"{place} is damaged: {why}.",
            "Retrain this part; if that does not help, remove the model folder and train a new one.",
        )
        self.place, self.why = place, why

    def why_here(self, folder: Path) -> str:
        """What is wrong, naming the file if it is in the folder."""
        if self.place.parent != folder:
            return self.why
        name = self.place.name
        return f"{name} {self.why[3:]}" if self.why.startswith("it ") else f"{name}: {self.why}"


def array_file(name: str, dtype: npt.DTypeLike) -> str:
    """The file name of an array; its suffix is the type.

    >>> array_file("ids", "uint32")
    'ids.u32'
    """
    wanted = np.dtype(dtype).newbyteorder("<")
    return name + "." + next(key for key, value in TYPES.items() if np.dtype(value) == wanted)


# Files ---------------------------------------------------------------------------------------------


def open_plain(path: Path) -> BinaryIO:
    """Open a regular file for reading. Links are not followed, and pipes do not block."""
    try:
        file: BinaryIO | None = open_plain_file(path, "rb")
    except FileNotFoundError as error:
        raise UnsoundError(path, "it is missing") from error
    except OSError as error:
        raise UnsoundError(path, str(error.strerror)) from error
    if file is None:
        raise UnsoundError(path, "it is not a plain file")
    return file


def map_file(path: Path) -> npt.NDArray[np.uint8]:
    """The bytes of a file, memory-mapped."""
    with open_plain(path) as file:
        if os.fstat(file.fileno()).st_size == 0:
            return np.empty(0, np.uint8)
        try:
            return np.frombuffer(map_open_file(file), np.uint8)
        except MemoryError as error:
            raise NoMemoryError(
                f"There is not enough memory to open {path}.",
                "Close other programs, and try again.",
            ) from error
        except OSError as error:
            raise UnsoundError(path, str(error.strerror)) from error


def read_array(path: Path) -> Array:
    """Memory-map a raw little-endian array; the suffix of the name is its type."""
    dtype = np.dtype(TYPES[path.suffix[1:]])
    data = map_file(path)
    if len(data) % dtype.itemsize:
        raise UnsoundError(path, f"its size is not a multiple of {dtype.itemsize}")
    return data.view(dtype)


def read_json(path: Path, limit: int = JSON_LIMIT) -> Any:
    """The contents of a JSON file whose strings and numbers can be used without surprises."""
    data = map_file(path)
    if len(data) > limit:
        raise UnsoundError(path, "it is too large")
    return parse_json(data.tobytes(), path)


def parse_json(data: bytes, path: Path) -> Any:
    """Parse JSON; refuses lone surrogates, integers of more than 64 bits, and deep nesting."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise UnsoundError(path, "it is not valid JSON") from None
    if not is_plain(value):
        raise UnsoundError(path, "it contains values that cannot be used")
    return value


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether integers fit 64 bits, strings are valid Unicode, and nesting is bounded."""
    if isinstance(value, str):
        return value.isascii() or _is_unicode(value)
    if value is None or isinstance(value, bool | float):
        return True
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    if depth == _DEEPEST:
        return False
    if isinstance(value, list):
        return all(is_plain(one, depth + 1) for one in value)
    return all(is_plain(k) and is_plain(v, depth + 1) for k, v in value.items())


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def has_structure(value: Any, kind: Any) -> bool:
    """Whether a value from a JSON file has a given structure.

    A dict lists the keys that must be there, a list any number of elements, a set the values that are
    allowed; ``int`` is a whole number from 0, ``float`` a finite number or None.

    >>> has_structure({"n": 3, "scores": [0.5, None]}, {"n": int, "scores": [float]})
    True
    >>> has_structure({"n": -3}, {"n": int})
    False
    """
    if isinstance(kind, dict):
        return isinstance(value, dict) and all(
            name in value and has_structure(value[name], k) for name, k in kind.items()
        )
    if isinstance(kind, list):
        return isinstance(value, list) and all(has_structure(one, kind[0]) for one in value)
    if isinstance(kind, set):
        return isinstance(value, str | int | None) and value in kind
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return value is None or (number and is_plain(value) and math.isfinite(value))
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
    return isinstance(value, kind)


# Arrays --------------------------------------------------------------------------------------------


def check_array(
    array: Array,
    place: Path,
    shape: int | Sequence[int],
    low: float,
    high: float,
    order: Order | None = None,
    infinite: bool = False,
) -> Array:
    """An array in the given shape, after its size, range and order were checked.

    Parameters
    ----------
    array : array
        A flat array.
    place : Path
        The file, for the error message.
    shape : int or sequence of int
        One dimension may be -1.
    low, high : float
        The smallest and the largest value allowed.
    order : {None, "never falls", "never rises", "always rises"}
        The order of the elements.
    infinite : bool
        Whether infinite numbers are allowed, within the range.
    """
    wanted = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    if math.prod(wanted) != len(array):  # Python's integers do not overflow
        known = math.prod(n for n in wanted if n >= 0)
        if -1 not in wanted or known == 0 or len(array) % known:
            raise UnsoundError(place, "its size does not match the other files")

    least, most = low, high
    if array.dtype.kind == "f" and not infinite:
        largest = float(np.finfo(array.dtype).max)
        least, most = max(low, -largest), min(high, largest)

    def in_range(begin: int, end: int) -> bool:  # comparisons with NaN are false
        some = array[begin:end]
        return bool(some.min().item() >= least and some.max().item() <= most)

    if not every(len(array), in_range):
        raise UnsoundError(place, "it contains values out of range")
    if order is not None:
        compare = _COMPARE[order]

        def in_order(begin: int, end: int) -> bool:
            return bool(compare(array[begin:end], array[begin + 1 : end + 1]).all())

        if not every(len(array) - 1, in_order):
            raise UnsoundError(place, "its values are not in order")
    return array.reshape(wanted)


def every(n: int, holds: Callable[[int, int], bool]) -> bool:
    """Whether something holds of every stretch, from ``begin`` to ``end - 1``, of ``n`` elements.

    Large arrays are divided among all threads.
    """
    begins = range(0, n, _AT_ONCE)
    return all(engine_of(n).map(lambda begin: holds(begin, min(begin + _AT_ONCE, n)), begins))


def count_ids(ids: Array, n: int) -> npt.NDArray[np.int64]:
    """How often each number below ``n``, of which all are, occurs."""
    if len(ids) < _LARGE:
        return np.bincount(ids, minlength=n)
    from firth.store import _count_kernels as kernels  # here, because it imports Numba

    add_ids: Any = kernels.add_ids
    engine = engine_of(len(ids))
    engine = engine.at_most(max(1, _MOST_COUNTERS // n))  # each thread has counters of its own

    def count(share: range) -> npt.NDArray[np.int64]:
        counts = np.zeros(n, np.int64)
        for begin in share:
            add_ids(ids[begin : min(begin + _AT_ONCE, share.stop)], counts)
        return counts

    edges = np.linspace(0, len(ids), engine.threads + 1).astype(int).tolist()
    total = np.zeros(n, np.int64)
    for some in engine.map(count, (range(a, b, _AT_ONCE) for a, b in pairwise(edges))):
        total += some
    return total


def engine_of(n: int) -> Engine:
    """All threads for much data, none for little: ``n`` bytes or numbers."""
    return engine_for("validation", None) if n >= _LARGE else ONE_THREAD
