"""Arrays as raw little-endian files; the suffix of the name is the type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import ModelError

__all__ = ["array_file", "read_array"]

_TYPES = {"u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"}


def array_file(name: str, dtype: npt.DTypeLike) -> str:
    """The file name of an array; its suffix is the type.

    >>> array_file("ids", "uint32")
    'ids.u32'
    """
    wanted = np.dtype(dtype).newbyteorder("<")
    return name + "." + next(key for key, value in _TYPES.items() if np.dtype(value) == wanted)


def read_array(path: Path) -> npt.NDArray[Any]:
    """Memory-map a raw little-endian array; the suffix of the name is its type."""
    dtype = np.dtype(_TYPES[path.suffix[1:]])
    n_bytes = path.stat().st_size
    if n_bytes % dtype.itemsize:
        raise ModelError(f"{path} is damaged: its size is not a multiple of {dtype.itemsize}.")
    if n_bytes == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r")
