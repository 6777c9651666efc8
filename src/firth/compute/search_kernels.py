"""Binary search in kernels."""

from __future__ import annotations

from typing import Any

from firth.compute.kernels import kernel

__all__ = ["first_not_below"]


@kernel
def first_not_below(array: Any, begin: int, end: int, value: Any) -> int:
    """The first place of a sorted part of an array whose element is not below a value, or its end."""
    while begin < end:
        middle = (begin + end) // 2
        if array[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin
