"""Kernels for single characters of a block of UTF-8.

A block is a ``uint8`` array with at least 16 line feeds after its ``n`` bytes, and is valid UTF-8
(except for the bytes 0xFE and 0xFF that separate tokenised input), so kernels do not check bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel, load8
from firth.corpus._characters import CLASS, LETTER, MARK, TABLE_SIZE, TAGS, TAGS_SIZE

Array = Any  # a NumPy array, inside kernels


@kernel
def point_at(text: Array, i: int) -> Any:
    """The code point at ``i`` and its number of bytes."""
    a = np.int64(text[i])
    if a < 0x80:
        return a, 1
    b = np.int64(text[i + 1]) & 0x3F
    if a < 0xE0:
        return (a & 0x1F) << 6 | b, 2
    c = np.int64(text[i + 2]) & 0x3F
    if a < 0xF0:
        return (a & 0x0F) << 12 | b << 6 | c, 3
    return (a & 0x07) << 18 | b << 12 | c << 6 | np.int64(text[i + 3]) & 0x3F, 4


@kernel
def flags_of(table: Array, point: int) -> int:
    """Class and flags of a code point."""
    if point < TABLE_SIZE:
        return np.int64(table[point])
    if TAGS <= point < TAGS + TAGS_SIZE:
        return np.int64(table[point - TAGS + TABLE_SIZE])
    # planes 4 to 16 are unassigned or private otherwise, and such code points count as letters
    return np.int64(LETTER)


@kernel
def look(text: Array, i: int, table: Array) -> Any:
    """Flags and number of bytes of the character at ``i``."""
    point, n = point_at(text, i)
    return flags_of(table, point), n


@kernel
def back(text: Array, i: int) -> int:
    """Where the character before ``i`` begins."""
    i -= 1
    # continuation bytes are 10xxxxxx
    while text[i] & 0xC0 == 0x80:
        i -= 1
    return i


@kernel
def class_before(text: Array, i: int, start: int, table: Array) -> int:
    """The class of the last character before ``i`` except marks; a letter if there are only marks."""
    while i > start:
        i = back(text, i)
        kind = look(text, i, table)[0] & CLASS
        if kind != MARK:
            return kind
    return LETTER


@kernel
def pass_marks(text: Array, i: int, table: Array) -> int:
    """The end of the marks from ``i`` on."""
    while text[i] >= 0x80:  # no ASCII character is a mark
        flags, n = look(text, i, table)
        if flags & CLASS != MARK:
            break
        i += n
    return i


@kernel
def is_ascii_letter(byte: int) -> bool:
    return 0x61 <= byte | 0x20 <= 0x7A and byte < 0x80


@kernel
def pack(text: Array, i: int, end: int) -> Any:
    """The bytes from ``i`` to ``end`` as one number; zero unless there are one to seven."""
    n = end - i
    # a shift by 64 bits is undefined, and no listed word has more than seven letters
    if n < 1 or n > 7:
        return np.uint64(0)
    return load8(text, i) & ((np.uint64(1) << np.uint64(8 * n)) - np.uint64(1))


@kernel
def is_one_of(packed: Any, words: Array) -> bool:
    for word in words:  # noqa: SIM110
        if packed == word:
            return True
    return False


@kernel
def are_letters(text: Array, i: int, n: int) -> bool:
    """Whether up to eight bytes are all ASCII letters."""
    word = load8(text, i)
    # lower case; bit 7 is cleared so that the sums below do not carry into the next byte
    small = (word | np.uint64(0x2020202020202020)) & np.uint64(0x7F7F7F7F7F7F7F7F)
    from_a = small + np.uint64(0x1F1F1F1F1F1F1F1F)  # the high bit is set from "a" on
    past_z = small + np.uint64(0x0505050505050505)  # and here after "z"
    other = ~(from_a & ~past_z & ~word) & np.uint64(0x8080808080808080)
    # the shift drops the bytes after the first n
    return other << np.uint64(64 - 8 * n) == np.uint64(0)
