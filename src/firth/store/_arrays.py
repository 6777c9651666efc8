"""Writing arrays as raw little-endian files, whose suffix is the type, and texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.store._contents import TYPES
from firth.store._system import open_file

__all__ = ["write_array", "write_text"]

_AT_ONCE = 1 << 26


def write_array(path: Path, array: npt.ArrayLike) -> None:
    """Write an array; the suffix of the name is its type."""
    data = np.ascontiguousarray(array, TYPES[path.suffix[1:]]).reshape(-1).view(np.uint8)
    with open_file(path, "wb") as file:
        for start in range(0, len(data), _AT_ONCE):
            file.write(data[start : start + _AT_ONCE])


def write_text(path: Path, text: str) -> None:
    """Write text in UTF-8."""
    with open_file(path, "wb") as file:
        file.write(text.encode())
