"""Character classes, as one table for kernels.

The low three bits are the class; the rest are flags. ``docs/tokenising.md`` explains their use.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from firth import unicode

SEPARATOR, MARK, LETTER, LOWER, UPPER, DIGIT, SYMBOL = range(7)
CLASS = 7
VOWEL, RUN, JOINS, REGIONAL, JAMO, TERMINATOR, CLOSER = (8 << i for i in range(7))

TABLE_SIZE = 0x40000
"""Code points above are letters, except for the tags and selectors of plane 14."""
TAGS, TAGS_SIZE = 0xE0000, 0x1000

DIRECTIONS = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
RUNS = ".-!?*=~#+'`—…"
JOINERS = "'’-‐‑@.,:/&\"·\u0387\u05f3\u05f4\u2027"
TERMINATORS = ".!?…‼⁇⁈⁉؟۔।॥։።。！？｡．"
CLOSERS = "\"'’”»)]}」』）›"

_BY_CATEGORY = {
    "Zs": SEPARATOR, "Zl": SEPARATOR, "Zp": SEPARATOR, "Cc": SEPARATOR,
    "Mn": MARK, "Mc": MARK, "Me": MARK, "Cf": MARK,
    "Ll": LOWER, "Lu": UPPER, "Lt": UPPER, "Lm": LETTER, "Lo": LETTER, "Pc": LETTER, "Co": LETTER, "Cn": LETTER,
    "Cs": LETTER, "Nd": DIGIT, "Nl": DIGIT, "No": DIGIT,
}  # fmt: skip


@lru_cache(maxsize=1)
def character_table() -> npt.NDArray[np.uint16]:
    """Class and flags of the code points below ``TABLE_SIZE``, then of the tags of plane 14."""
    names, numbers = unicode.categories()
    numbers = np.concatenate([numbers[:TABLE_SIZE], numbers[TAGS : TAGS + TAGS_SIZE]])
    table = np.array([_BY_CATEGORY.get(name, SYMBOL) for name in names], np.uint16)[numbers]
    table[[0x200B, 0xFEFF, *DIRECTIONS]] = SEPARATOR
    table[0x1F3FB:0x1F400] = MARK  # skin tones
    table[0x1F1E6:0x1F200] |= REGIONAL
    table[0x1160:0x1200] |= JAMO
    table[0xD7B0:0xD800] |= JAMO
    for flag, characters in (
        (RUN, RUNS),
        (JOINS, JOINERS),
        (TERMINATOR, TERMINATORS),
        (CLOSER, CLOSERS),
    ):
        table[[ord(c) for c in characters]] |= flag
    for point in (*range(0x41, 0x250), *range(0x1E00, 0x1F00)):
        if unicode.base(chr(point)) in "aeiouyhæœAEIOUYHÆŒ":
            table[point] |= VOWEL
    table.flags.writeable = False
    return table
