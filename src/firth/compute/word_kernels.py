"""Kernels for words in a block of UTF-8: where they end, and keys by which they are found in hash tables.

A block is a ``uint8`` array with at least 16 bytes after its text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel, load8, lowest_bit, mixed

__all__ = ["LONG", "next_low", "word_key", "word_slot"]

Array = Any  # a NumPy array, inside kernels

LONG = 0xFF << 56
"""The second number of the key of a word of more than fifteen bytes has these bits, and of no other."""


@kernel
def next_low(text: Array, i: Any) -> Any:
    """The first space or control character from ``i`` on, searched eight bytes at a time."""
    while True:
        word = load8(text, i)
        # the high bit of each byte below 0x21; exact up to the first one, which is enough
        low = (word - np.uint64(0x2121212121212121)) & ~word & np.uint64(0x8080808080808080)
        if low != np.uint64(0):
            return i + (lowest_bit(low) >> 3)
        i += 8


@kernel
def word_key(text: Array, i: int, n: int, secret: Any) -> Any:
    """The key of a word of ``n`` bytes: the word itself up to fifteen bytes, else its start and a hash."""
    low: Any = load8(text, i)
    # the length tells a word from the same word followed by zero bytes
    if n < 8:
        low &= (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
        return low, np.uint64(n) << np.uint64(56)
    if n < 16:
        high = load8(text, i + 8) & ((np.uint64(1) << np.uint64(8 * (n - 8))) - np.uint64(1))
        return low, high | np.uint64(n) << np.uint64(56)
    high = secret[2] ^ np.uint64(n)
    for j in range(i + 8, i + n - 8, 8):
        high = mixed(high ^ load8(text, j), secret[3])
    # the last eight bytes, which may overlap those before, so that nothing beyond the word is read
    high = mixed(high ^ load8(text, i + n - 8), secret[3])
    # no short word has this top byte, which is its length, so long and short keys never agree
    return low, high | np.uint64(LONG)


@kernel
def word_slot(low: Any, high: Any, secret: Any, mask: int) -> Any:
    """Where to look for a key first, in a table of ``mask`` + 1 rows."""
    return np.int64(mixed(low ^ secret[0], high ^ secret[1])) & mask
