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
VOWEL, RUN, JOINS, REGIONAL, JAMO, TERMINATOR, CLOSER, UNSPACED = (8 << i for i in range(8))

TABLE_SIZE = 0x40000
"""Code points above are letters, except for the tags and selectors of plane 14."""
TAGS, TAGS_SIZE = 0xE0000, 0x1000

DIRECTIONS = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
RUNS = ".-!?*=~#+'`—…"
JOINERS = "'’-‐‑@.,:/&\"·\u0387\u05f3\u05f4\u2027"
TERMINATORS = ".!?…‼⁇⁈⁉؟۔।॥։።。！？｡．"
CLOSERS = "\"'’”»)]}」』）›"
SCRIPTS_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F),  # Burmese
    (0x1780, 0x17FF), (0x19E0, 0x19FF),  # Khmer
    (0x1950, 0x19DF), (0x1A20, 0x1AAF), (0xAA80, 0xAADF), (0x11700, 0x1174F),  # Tai scripts, Ahom
    (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),  # Chinese characters
    (0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F),  # kana
)  # fmt: skip
"""Code points, first to last; their words are found with a dictionary."""

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
    for first, last in SCRIPTS_WITHOUT_SPACES:
        some = table[first : last + 1]
        some[some & CLASS != SYMBOL] |= UNSPACED
    for point in (*range(0x41, 0x250), *range(0x1E00, 0x1F00)):
        if unicode.base(chr(point)) in "aeiouyhæœAEIOUYHÆŒ":
            table[point] |= VOWEL
    table.flags.writeable = False
    return table
