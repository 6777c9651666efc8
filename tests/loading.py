"""Loading a part from any folder, as a model does."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from firth.parts import load_part
from firth.store import Part

__all__ = ["is_mapped", "load"]


def load(
    name: str, folder: Path, parameters: Mapping[str, Any] | None = None, /, needs: Any = None, **facts: Any
) -> Any:  # fmt: skip
    """The part of this name whose files are in a folder."""
    return load_part(Part.in_folder(folder, parameters, name, **facts), needs)


def is_mapped(array: Any) -> bool:
    """Whether an array is a file that is mapped into memory."""
    while isinstance(array, np.ndarray):
        array = array.base
    block = getattr(array, "obj", array)
    if not isinstance(block, mmap.mmap):
        return False
    try:
        return block.size() > 0
    except OSError:  # memory without a file
        return False
