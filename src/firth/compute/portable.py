"""Logarithms and exponentials of arrays, with the same bits on every machine.

NumPy and the C library have other code for other CPUs, whose results differ in the last bit. Here
everything is addition, subtraction, multiplication and division of 64-bit numbers in a fixed order. IEEE
arithmetic defines these to the last bit. Errors are below one unit in the last place.

``portable_kernels`` has the same functions for kernels, compiled from ``log_of`` and ``exp_of``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LARGEST", "LN2_HIGH", "ROOT", "SMALLEST", "exp_of", "exps", "log2s", "log_of", "logs"]

Floats = npt.NDArray[np.float64]

# ln 2 in two parts; multiples of the first by small whole numbers are exact
LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
ROOT, _LN2, _PER_LN2 = math.sqrt(2), 0.6931471805599453, 1.4426950408889634
SMALLEST, LARGEST = -745.1332191019412, 709.782712893384
"""Exponentials of smaller numbers are 0, of larger ones infinite."""
_BLOCK = 1 << 14


def log_of(f: Any, k: Any) -> Any:
    """The logarithm of (1 + f) 2^k, for 1 + f between the roots of 1/2 and 2.

    With s = f / (2 + f), ln(1 + f) is 2 artanh s, a series in s. The largest term, f, is added last.
    """
    s = f / (2.0 + f)
    z = s * s
    series = z * (2.0 / 21.0) + 2.0 / 19.0
    series = series * z + 2.0 / 17.0
    series = series * z + 2.0 / 15.0
    series = series * z + 2.0 / 13.0
    series = series * z + 2.0 / 11.0
    series = series * z + 2.0 / 9.0
    series = series * z + 2.0 / 7.0
    series = series * z + 2.0 / 5.0
    series = series * z + 2.0 / 3.0
    half = 0.5 * f * f
    low = s * (half + series * z) + k * LN2_LOW
    return k * LN2_HIGH - ((half - low) - f)


def exp_of(high: Any, k: Any) -> Any:
    """The exponential of high - k ``LN2_LOW``, which is at most ln 2 / 2, as a series."""
    low = k * LN2_LOW
    r = high - low
    series = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0
    series = series * r + 1.0 / 39916800.0
    series = series * r + 1.0 / 3628800.0
    series = series * r + 1.0 / 362880.0
    series = series * r + 1.0 / 40320.0
    series = series * r + 1.0 / 5040.0
    series = series * r + 1.0 / 720.0
    series = series * r + 1.0 / 120.0
    series = series * r + 1.0 / 24.0
    series = series * r + 1.0 / 6.0
    series = series * r + 0.5
    return 1.0 + (high + (r * r * series - low))


def logs(x: Any) -> Floats:
    """The natural logarithms of numbers; -inf for 0, NaN below.

    >>> logs([1, 10, 0])
    array([0.        , 2.30258509,       -inf])
    """
    return _by_blocks(_logs, x)


def log2s(x: Any) -> Floats:
    """The base-2 logarithms of numbers; exact for powers of two.

    >>> log2s([1, 8, 10])
    array([0.        , 3.        , 3.32192809])
    """
    return _by_blocks(_log2s, x)


def exps(x: Any) -> Floats:
    """The exponentials of numbers.

    >>> exps([0, 1, -1000])
    array([1.        , 2.71828183, 0.        ])
    """
    return _by_blocks(_exps, x)


def _by_blocks(work: Callable[[Floats], Floats], x: Any) -> Floats:
    """Work that is done for some numbers at a time, which stay in the cache."""
    given = np.asarray(x, np.float64)
    flat, out = given.ravel(), np.empty(given.size)
    with np.errstate(all="ignore"):
        for begin in range(0, len(flat), _BLOCK):
            out[begin : begin + _BLOCK] = work(flat[begin : begin + _BLOCK])
    return out.reshape(given.shape)


def _parts(x: Floats) -> tuple[Floats, Floats]:
    """Numbers as m 2^k, with m between the roots of 1/2 and 2."""
    m, k = np.frexp(x)
    small = m < ROOT / 2
    return np.where(small, 2 * m, m), k - small.astype(np.float64)


def _logs(x: Floats) -> Floats:
    m, k = _parts(x)
    return _edges(x, log_of(m - 1.0, k))


def _log2s(x: Floats) -> Floats:
    m, k = _parts(x)
    return _edges(x, k + log_of(m - 1.0, 0.0) / _LN2)


def _edges(x: Floats, found: Floats) -> Floats:
    """Logarithms of what is not a positive finite number."""
    found[x == 0] = -np.inf
    found[~(x >= 0)] = np.nan
    found[x == np.inf] = np.inf
    return found


def _exps(x: Floats) -> Floats:
    k = np.floor(np.clip(x, SMALLEST, LARGEST) * _PER_LN2 + 0.5)
    found: Floats = np.ldexp(exp_of(x - k * LN2_HIGH, k), np.nan_to_num(k).astype(np.int32))
    found[x < SMALLEST] = 0.0
    found[x > LARGEST] = np.inf
    return found
