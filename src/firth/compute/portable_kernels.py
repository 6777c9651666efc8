"""Logarithms, exponentials and sums in kernels, with the same bits on every machine.

The compiler keeps the order of floating-point operations and never fuses them, unless it is told to.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from firth.compute.kernels import LINE, bits_of64, dot_lines, float_of64, kernel
from firth.compute.portable import LARGEST, LN2_HIGH, ROOT, SMALLEST, exp_of, log_of

__all__ = ["dot32", "exp", "log"]

_log_of, _exp_of = kernel(log_of), kernel(exp_of)
_ONE, _FRACTION = np.int64(0x3FF0000000000000), np.int64(0x000FFFFFFFFFFFFF)
_TINY, _HUGE = float.fromhex("0x1p-1022"), float.fromhex("0x1.fffffffffffffp1023")


@kernel
def log(x: float) -> float:
    """The natural logarithm; -inf for 0, NaN below."""
    if not x > 0.0:
        return -math.inf if x == 0.0 else math.nan
    if x > _HUGE:
        return x
    k = 0
    if x < _TINY:
        x *= 18014398509481984.0  # 2^54
        k = -54
    bits = bits_of64(x)
    k += (bits >> 52) - 1023
    m = float_of64((bits & _FRACTION) | _ONE)
    if m >= ROOT:
        m *= 0.5
        k += 1
    return _log_of(m - 1.0, float(k))


@kernel
def exp(x: float) -> float:
    """The exponential."""
    if x > LARGEST:
        return math.inf
    if x < SMALLEST:
        return 0.0
    if x != x:
        return x
    k = math.floor(x * 1.4426950408889634 + 0.5)
    value = _exp_of(x - float(k) * LN2_HIGH, float(k))
    # in two steps, because 2^k alone may be too small or too large
    half = k >> 1
    value *= float_of64((half + 1023) << 52)
    return value * float_of64((k - half + 1023) << 52)


@kernel
def dot32(x: Any, y: Any) -> float:
    """The sum of products of two float32 arrays."""
    whole = len(x) - len(x) % LINE
    total = dot_lines(x, y, whole)
    for k in range(whole, len(x)):
        total += x[k] * y[k]
    return total
