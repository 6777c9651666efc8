"""Kernels for the rules of words: joined characters, clitics, abbreviations, addresses.

``docs/tokenising.md`` has the rules; the oracle in the tests is written from that page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel
from firth.corpus._characters import (
    CLASS,
    DIGIT,
    JOINS,
    LETTER,
    LOWER,
    MARK,
    SEPARATOR,
    SYMBOL,
    UPPER,
    VOWEL,
)
from firth.corpus._text_kernels import (
    back,
    class_before,
    flags_of,
    is_ascii_letter,
    is_one_of,
    look,
    pack,
    point_at,
)

Array = Any  # a NumPy array, inside kernels


def _packed(words: str) -> Array:
    """ASCII words of up to seven letters, each as one number."""
    return np.array([int.from_bytes(word.encode(), "little") for word in words.split()], np.uint64)


ELISIONS = _packed(
    "c d j l m n s t qu jusqu lorsqu puisqu quoiqu all dall dell nell sull coll un quest quell sant bell"
)
ABBREVIATIONS = _packed(
    "Mr Mrs Ms Dr Prof St Jr Sr Gen Sen Rep Gov Capt Lt Col Sgt Maj Rev Hon Messrs Mme Mlle Mt Ft "
    "Inc Ltd Co Corp Bros vs etc al cf approx No Nos Vol vol pp ed eds "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec bzw usw ca Nr"
)
APOSTROPHE, QUOTE = 0x27, 0x2019
HAS_APOSTROPHE, HAS_PERIOD = 1, 2


@kernel
def run_end(text: Array, i: int, table: Array) -> int:
    """The end of the letters, digits and marks from ``i`` on."""
    while True:
        byte = text[i]
        # most text is ASCII, which needs no decoding; no ASCII character is a mark
        if byte < 0x80:
            kind = table[byte] & CLASS
            if kind < LETTER or kind > DIGIT:
                return i
            i += 1
        else:
            flags, n = look(text, i, table)
            kind = flags & CLASS
            if kind == SEPARATOR or kind == SYMBOL:
                return i
            i += n


@kernel
def _is_hebrew(text: Array, i: int) -> bool:
    return text[i] == 0xD7 and 0x90 <= text[i + 1] <= 0xAA


@kernel
def _joins(point: int, before: int, after: int, text: Array, next_end: int, table: Array) -> bool:
    """Whether a joining character joins, between characters of class ``before`` and ``after``."""
    if (
        point == APOSTROPHE
        or point == QUOTE
        or point == 0x2D
        or point == 0x2010
        or point == 0x2011
        or point == 0x40
    ):
        return True
    # numbers and words are joined by different characters, so mixed neighbours are not joined
    if before == DIGIT or after == DIGIT:
        return before == after and (
            point == 0x2E or point == 0x2C or point == 0x3A or point == 0x2F
        )
    if point == 0x2E:
        # end.Next lacks a space; without a small letter after it, as in a.B, a capital joins
        if before == LOWER and after == UPPER:
            return look(text, next_end, table)[0] & CLASS != LOWER
        return True
    if point == 0x26:
        return before == UPPER and after == UPPER
    if point == 0x22:
        # these letters have two bytes and the quote one, so the letter before is five bytes back
        return _is_hebrew(text, next_end - 2) and _is_hebrew(text, next_end - 5)
    return point != 0x2C and point != 0x3A and point != 0x2F  # the middle dots


@kernel
def word_end(text: Array, start: int, table: Array) -> Any:
    """The end of the word at ``start`` with everything joined to it, and its flags (``HAS_...``)."""
    has = 0
    end = run_end(text, start, table)
    while True:
        point, n = point_at(text, end)
        if flags_of(table, point) & JOINS == 0:
            return end, has
        flags, m = look(text, end + n, table)
        after = flags & CLASS
        if after < LETTER or after > DIGIT:
            return end, has
        before = class_before(text, end, start, table)
        if before < LETTER or before > DIGIT:
            return end, has
        if not _joins(point, before, after, text, end + n + m, table):
            return end, has
        if point == APOSTROPHE or point == QUOTE:
            has |= HAS_APOSTROPHE
        elif point == 0x2E:
            has |= HAS_PERIOD
        end = run_end(text, end + n, table)


@kernel
def apostrophe_at(text: Array, i: int) -> int:
    """The number of bytes of the apostrophe at ``i``, or 0."""
    if text[i] == APOSTROPHE:
        return 1
    if text[i] == 0xE2 and text[i + 1] == 0x80 and text[i + 2] == 0x99:
        return 3
    return 0


@kernel
def elision_end(text: Array, start: int, end: int, table: Array) -> int:
    """The end of an elided word such as ``l'``, or 0."""
    i = start
    while i < end and is_ascii_letter(text[i]):
        i += 1
    n = apostrophe_at(text, i)
    # an apostrophe at the end was not joined to the word
    if n == 0 or i >= end:
        return 0
    # letters only, so this bit makes them lower-case; bytes past the end stay zero
    small = np.uint64(0x2020202020202020) & (
        (np.uint64(1) << np.uint64(8 * min(i - start, 7))) - np.uint64(1)
    )
    if not is_one_of(pack(text, start, i) | small, ELISIONS):
        return 0
    return i + n if look(text, i + n, table)[0] & VOWEL else 0


@kernel
def clitic_start(text: Array, start: int, end: int, table: Array) -> int:
    """Where the clitic at the end of a word begins, or ``end`` if it has none."""
    i = end
    while i > start and is_ascii_letter(text[i - 1]):
        i -= 1
    n = end - i
    # all clitics have one or two letters after the apostrophe
    if n < 1 or n > 2:
        return end
    a, b = text[i] | 0x20, text[i + 1] | 0x20
    # a clitic cannot be the whole word
    if i - 1 > start and text[i - 1] == APOSTROPHE:
        i -= 1
    elif i - 3 > start and text[i - 3] == 0xE2 and text[i - 2] == 0x80 and text[i - 1] == 0x99:
        i -= 3
    else:
        return end
    if n == 1:
        if a == 0x73 or a == 0x6D or a == 0x64:  # s m d
            return i
        if a == 0x74 and text[i - 1] | 0x20 == 0x6E and i - 1 > start:  # n't
            before = class_before(text, i - 1, start, table)
            if LETTER <= before <= DIGIT:
                return i - 1
        return end
    if (
        (a == 0x72 and b == 0x65) or (a == 0x76 and b == 0x65) or (a == 0x6C and b == 0x6C)
    ):  # re ve ll
        return i
    return end


@kernel
def loose_clitic_end(text: Array, i: int, table: Array) -> int:
    """The end of the clitic whose apostrophe is at ``i``, after an abbreviation or a name; or 0."""
    before = back(text, i)
    kind = look(text, before, table)[0] & CLASS
    if text[before] != 0x2E and (kind < MARK or kind > DIGIT):
        return 0
    end = i + apostrophe_at(text, i)
    while is_ascii_letter(text[end]):
        end += 1
    after = look(text, end, table)[0] & CLASS
    # from i - 1 on: clitic_start wants something before the apostrophe, but no room for n't
    if MARK <= after <= DIGIT or clitic_start(text, i - 1, end, table) != i:
        return 0
    return end


@kernel
def _is_dotted(text: Array, start: int, end: int, table: Array) -> bool:
    """Whether a word consists of one or two letters between periods."""
    letters = 0
    i = start
    while i < end:
        if text[i] == 0x2E:
            letters = 0
            i += 1
            continue
        flags, n = look(text, i, table)
        letters += 1
        if flags & CLASS < LETTER or flags & CLASS > UPPER or letters > 2:
            return False
        i += n
    return True


@kernel
def takes_period(text: Array, start: int, end: int, has: int, table: Array) -> bool:
    """Whether the word is an abbreviation, so that the period at ``end`` belongs to it."""
    # two periods or more are a symbol of their own
    if text[end] != 0x2E or text[end + 1] == 0x2E:
        return False
    flags, n = look(text, start, table)
    if n == end - start and flags & CLASS == UPPER and text[start] != 0x49:  # J. but not I.
        i = end + 1
        # an initial must be followed by a capital in the same line
        while text[i] != 0x0A:
            flags, n = look(text, i, table)
            if flags & CLASS != SEPARATOR:
                return i > end + 1 and flags & CLASS == UPPER
            i += n
        return False
    if has & HAS_PERIOD and _is_dotted(text, start, end, table):
        return True
    return is_one_of(pack(text, start, end), ABBREVIATIONS)


@kernel
def address_end(text: Array, start: int, table: Array) -> int:
    """The end of the address at ``start``, or 0."""
    i = start
    if (
        text[i] | 0x20 == 0x77
        and text[i + 1] | 0x20 == 0x77
        and text[i + 2] | 0x20 == 0x77
        and text[i + 3] == 0x2E
    ):
        i += 4
    else:
        # one letter more than is allowed, so that long words cost no more
        while i - start < 11 and is_ascii_letter(text[i]):
            i += 1
        if (
            i - start < 2
            or i - start > 10
            or text[i] != 0x3A
            or text[i + 1] != 0x2F
            or text[i + 2] != 0x2F
        ):
            return 0
        i += 3
    kind = look(text, i, table)[0] & CLASS
    if kind < LETTER or kind > DIGIT:
        return 0
    opened = False
    while True:
        point, n = point_at(text, i)
        if flags_of(table, point) & CLASS == SEPARATOR:
            break
        if point == 0x3C or point == 0x3E or point == 0x22 or point == 0x201C or point == 0x201D:
            break
        if point == 0xAB or point == 0xBB or 0x3000 <= point <= 0x303F or 0xFF00 <= point <= 0xFF65:
            break
        opened |= point == 0x28
        i += n
    # punctuation at the end belongs to the sentence, and so does a bracket that was not opened
    while i > start:
        last = back(text, i)
        point = point_at(text, last)[0]
        if point == 0x29:
            if opened:
                break
        elif not (
            point == 0x2E or point == 0x2C or point == 0x3B or point == 0x3A or point == 0x21 or point == 0x3F
            or point == 0x27 or point == QUOTE or point == 0x5D or point == 0x7D or point == 0x2A
        ):  # fmt: skip
            break
        i = last
    return i


@kernel
def split_clitics(
    text: Array, start: int, end: int, last: int, table: Array, starts: Array, ends: Array, k: int
) -> Any:
    """Write a word and its clitics; returns the new position and number of tokens."""
    first = k
    right = end
    while last < right:  # from right to left; reversed below
        starts[k], ends[k] = last, right
        k += 1
        right = last
        last = clitic_start(text, start, right, table)
    starts[k], ends[k] = start, right
    k += 1
    i, j = first, k - 1
    while i < j:
        starts[i], starts[j] = starts[j], starts[i]
        ends[i], ends[j] = ends[j], ends[i]
        i += 1
        j -= 1
    return end, k
