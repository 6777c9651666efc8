"""Memory that is free, but that the allocators of C and of Arrow keep for themselves."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache

__all__ = ["keep_memory", "release_memory"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""What ``malloc.h`` calls ``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD``."""


def release_memory() -> None:
    """Give memory that is not used back to the system, where that is possible.

    Allocators keep what was freed, in the hope that it is soon needed again. After a stage with many
    arrays that may be as much as the next one needs.
    """
    if pyarrow := sys.modules.get("pyarrow"):
        pyarrow.default_memory_pool().release_unused()
    _trim()()


@cache
def keep_memory() -> None:
    """Let this process keep what it frees, up to 256 MB, where that is possible.

    By default every large array is given back to the system, and the pages of the next one cost as much
    again as what is computed with it.
    """
    try:
        change = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # not the C library of GNU
        return
    change(_MMAP_THRESHOLD, 1 << 30)
    change(_TRIM_THRESHOLD, 1 << 28)


@cache
def _trim() -> Callable[[], object]:
    """The function of the C library that does it; one that does nothing where there is none."""
    try:
        found = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not the C library of GNU
        return lambda: None
    return lambda: found(ctypes.c_size_t(0))
