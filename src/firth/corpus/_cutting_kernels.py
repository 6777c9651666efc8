"""Kernels that find where tokens and sentences begin and end in a block of UTF-8.

A block is a ``uint8`` array with at least 16 line feeds after its ``n`` bytes, and is valid UTF-8 (but for the
bytes 0xFE and 0xFF, where they separate given tokens). ``docs/tokenising.md`` has the rules; the
oracle in the tests is written from that page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel, load8
from firth.corpus._characters import (
    CLASS, CLOSER, DIGIT, JAMO, JOINS, LETTER, LOWER, MARK, REGIONAL, RUN, SEPARATOR, SYMBOL, TABLE_SIZE, TAGS,
    TAGS_SIZE, TERMINATOR, UPPER, VOWEL,
)  # fmt: skip

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
APOSTROPHE, QUOTE, ZERO_WIDTH_JOINER = 0x27, 0x2019, 0x200D
HAS_APOSTROPHE, HAS_PERIOD = 1, 2


# Characters ------------------------------------------------------------------------------------


@kernel
def _point(text: Array, i: int) -> Any:
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
def _flags(table: Array, point: int) -> int:
    if point < TABLE_SIZE:
        return np.int64(table[point])
    if TAGS <= point < TAGS + TAGS_SIZE:
        return np.int64(table[point - TAGS + TABLE_SIZE])
    return np.int64(LETTER)


@kernel
def _look(text: Array, i: int, table: Array) -> Any:
    """Flags and number of bytes of the character at ``i``."""
    point, n = _point(text, i)
    return _flags(table, point), n


@kernel
def _back(text: Array, i: int) -> int:
    """Where the character before ``i`` begins."""
    i -= 1
    while text[i] & 0xC0 == 0x80:
        i -= 1
    return i


@kernel
def _class_before(text: Array, i: int, start: int, table: Array) -> int:
    """The class of the last character before ``i`` that is no mark; a token of marks alone counts as a letter."""
    while i > start:
        i = _back(text, i)
        kind = _look(text, i, table)[0] & CLASS
        if kind != MARK:
            return kind
    return LETTER


@kernel
def _pass_marks(text: Array, i: int, table: Array) -> int:
    while text[i] >= 0x80:  # there is no ASCII mark
        flags, n = _look(text, i, table)
        if flags & CLASS != MARK:
            break
        i += n
    return i


@kernel
def _is_letter(byte: int) -> bool:
    return 0x61 <= byte | 0x20 <= 0x7A and byte < 0x80


@kernel
def _pack(text: Array, i: int, end: int) -> Any:
    """The bytes from ``i`` to ``end`` as one number; zero if there are none or more than seven."""
    n = end - i
    if n < 1 or n > 7:
        return np.uint64(0)
    return load8(text, i) & ((np.uint64(1) << np.uint64(8 * n)) - np.uint64(1))


@kernel
def _is_one_of(packed: Any, words: Array) -> bool:
    for word in words:  # noqa: SIM110
        if packed == word:
            return True
    return False


# Words -----------------------------------------------------------------------------------------


@kernel
def _run(text: Array, i: int, table: Array) -> int:
    """The end of the letters, digits and marks from ``i`` on."""
    while True:
        byte = text[i]
        if byte < 0x80:
            kind = table[byte] & CLASS
            if kind < LETTER or kind > DIGIT:
                return i
            i += 1
        else:
            flags, n = _look(text, i, table)
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
    if point == APOSTROPHE or point == QUOTE or point == 0x2D or point == 0x2010 or point == 0x2011 or point == 0x40:
        return True
    if before == DIGIT or after == DIGIT:
        return before == after and (point == 0x2E or point == 0x2C or point == 0x3A or point == 0x2F)
    if point == 0x2E:
        if before == LOWER and after == UPPER:
            return _look(text, next_end, table)[0] & CLASS != LOWER
        return True
    if point == 0x26:
        return before == UPPER and after == UPPER
    if point == 0x22:
        return _is_hebrew(text, next_end - 2) and _is_hebrew(text, next_end - 5)
    return point != 0x2C and point != 0x3A and point != 0x2F  # the middle dots


@kernel
def _word(text: Array, start: int, table: Array) -> Any:
    """The end of the word at ``start`` with all that is joined to it, and what it has."""
    has = 0
    end = _run(text, start, table)
    while True:
        point, n = _point(text, end)
        if _flags(table, point) & JOINS == 0:
            return end, has
        flags, m = _look(text, end + n, table)
        after = flags & CLASS
        if after < LETTER or after > DIGIT:
            return end, has
        before = _class_before(text, end, start, table)
        if before < LETTER or before > DIGIT:
            return end, has
        if not _joins(point, before, after, text, end + n + m, table):
            return end, has
        if point == APOSTROPHE or point == QUOTE:
            has |= HAS_APOSTROPHE
        elif point == 0x2E:
            has |= HAS_PERIOD
        end = _run(text, end + n, table)


@kernel
def _apostrophe_at(text: Array, i: int) -> int:
    """The number of bytes of the apostrophe at ``i``, or 0."""
    if text[i] == APOSTROPHE:
        return 1
    if text[i] == 0xE2 and text[i + 1] == 0x80 and text[i + 2] == 0x99:
        return 3
    return 0


@kernel
def _elision(text: Array, start: int, end: int, table: Array) -> int:
    """The end of an elided word such as ``l'``, or 0."""
    i = start
    while i < end and _is_letter(text[i]):
        i += 1
    n = _apostrophe_at(text, i)
    if n == 0 or i >= end:
        return 0
    # letters only, so this bit makes them lower-case; bytes past the end stay zero
    small = np.uint64(0x2020202020202020) & ((np.uint64(1) << np.uint64(8 * min(i - start, 7))) - np.uint64(1))
    if not _is_one_of(_pack(text, start, i) | small, ELISIONS):
        return 0
    return i + n if _look(text, i + n, table)[0] & VOWEL else 0


@kernel
def _clitic(text: Array, start: int, end: int, table: Array) -> int:
    """Where the clitic at the end of a word begins, or ``end`` if it has none."""
    i = end
    while i > start and _is_letter(text[i - 1]):
        i -= 1
    n = end - i
    if n < 1 or n > 2:
        return end
    a, b = text[i] | 0x20, text[i + 1] | 0x20
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
            before = _class_before(text, i - 1, start, table)
            if LETTER <= before <= DIGIT:
                return i - 1
        return end
    if (a == 0x72 and b == 0x65) or (a == 0x76 and b == 0x65) or (a == 0x6C and b == 0x6C):  # re ve ll
        return i
    return end


@kernel
def _loose_clitic(text: Array, i: int, table: Array) -> int:
    """The end of the clitic whose apostrophe stands at ``i``, right after an abbreviation or a name; or 0."""
    before = _back(text, i)
    kind = _look(text, before, table)[0] & CLASS
    if text[before] != 0x2E and (kind < MARK or kind > DIGIT):
        return 0
    end = i + _apostrophe_at(text, i)
    while _is_letter(text[end]):
        end += 1
    after = _look(text, end, table)[0] & CLASS
    if MARK <= after <= DIGIT or _clitic(text, i - 1, end, table) != i:
        return 0
    return end


@kernel
def _is_dotted(text: Array, start: int, end: int, table: Array) -> bool:
    """Whether a word consists of letters with periods between, never more than two together."""
    letters = 0
    i = start
    while i < end:
        if text[i] == 0x2E:
            letters = 0
            i += 1
            continue
        flags, n = _look(text, i, table)
        letters += 1
        if flags & CLASS < LETTER or flags & CLASS > UPPER or letters > 2:
            return False
        i += n
    return True


@kernel
def _takes_period(text: Array, start: int, end: int, has: int, table: Array) -> bool:
    """Whether the word is an abbreviation that the period at ``end`` belongs to."""
    if text[end] != 0x2E or text[end + 1] == 0x2E:
        return False
    flags, n = _look(text, start, table)
    if n == end - start and flags & CLASS == UPPER and text[start] != 0x49:  # J. but not I.
        i = end + 1
        while text[i] != 0x0A:
            flags, n = _look(text, i, table)
            if flags & CLASS != SEPARATOR:
                return i > end + 1 and flags & CLASS == UPPER
            i += n
        return False
    if has & HAS_PERIOD and _is_dotted(text, start, end, table):
        return True
    return _is_one_of(_pack(text, start, end), ABBREVIATIONS)


@kernel
def _address(text: Array, start: int, table: Array) -> int:
    """The end of the address at ``start``, or 0."""
    i = start
    if text[i] | 0x20 == 0x77 and text[i + 1] | 0x20 == 0x77 and text[i + 2] | 0x20 == 0x77 and text[i + 3] == 0x2E:
        i += 4
    else:
        while i - start < 11 and _is_letter(text[i]):
            i += 1
        if i - start < 2 or i - start > 10 or text[i] != 0x3A or text[i + 1] != 0x2F or text[i + 2] != 0x2F:
            return 0
        i += 3
    kind = _look(text, i, table)[0] & CLASS
    if kind < LETTER or kind > DIGIT:
        return 0
    opened = False
    while True:
        point, n = _point(text, i)
        if _flags(table, point) & CLASS == SEPARATOR:
            break
        if point == 0x3C or point == 0x3E or point == 0x22 or point == 0x201C or point == 0x201D:
            break
        if point == 0xAB or point == 0xBB or 0x3000 <= point <= 0x303F or 0xFF00 <= point <= 0xFF65:
            break
        opened |= point == 0x28
        i += n
    while i > start:
        last = _back(text, i)
        point = _point(text, last)[0]
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
def _symbol(text: Array, i: int, runs: bool, table: Array) -> int:
    """The end of the symbol at ``i`` with its run, its marks and what a zero width joiner joins."""
    point, n = _point(text, i)
    flags = _flags(table, point)
    i += n
    if runs and flags & RUN:
        while _point(text, i)[0] == point:
            i += n
    elif flags & REGIONAL:
        flags, n = _look(text, i, table)
        if flags & REGIONAL:
            i += n
    while True:
        marks = i
        i = _pass_marks(text, i, table)
        if i == marks or _point(text, _back(text, i))[0] != ZERO_WIDTH_JOINER:
            return i
        flags, n = _look(text, i, table)
        if flags & CLASS != SYMBOL:
            return i
        i += n


@kernel
def cut_words(text: Array, n: int, table: Array, starts: Array, ends: Array, lines: Array) -> Any:
    """Tokens by the rules of ``words``; returns the numbers of tokens and of lines."""
    i = np.int64(0)
    k = 0
    n_lines = 0
    while i < n:
        if text[i] == 0x20:
            i += 1
            continue
        flags, width = _look(text, i, table)
        kind = flags & CLASS
        if kind == SEPARATOR:
            if text[i] == 0x0A:
                lines[n_lines] = k
                n_lines += 1
            i += width
            continue
        starts[k] = i
        if kind != SYMBOL:  # most tokens are plain words before white space: out with them
            end = _run(text, i, table)
            if text[end] <= 0x20:
                ends[k] = i = end
                k += 1
                continue
        else:
            end = 0
            if text[i] == 0x40 or text[i] == 0x23:
                after = _look(text, i + 1, table)[0] & CLASS
                if LETTER <= after <= UPPER:
                    end = _run(text, i + 1, table)
            elif i > 0 and _apostrophe_at(text, i):
                end = _loose_clitic(text, i, table)
            ends[k] = end if end else _symbol(text, i, True, table)
            i = ends[k]
            k += 1
            continue
        end, has = _word(text, i, table)
        if text[end] == 0x3A or has & HAS_PERIOD or text[end] == 0x2E:
            address = _address(text, i, table)
            if address:
                ends[k] = i = address
                k += 1
                continue
        if has & HAS_APOSTROPHE:
            elided = _elision(text, i, end, table)
            if elided:
                ends[k] = i = elided
                k += 1
                continue
            last = _clitic(text, i, end, table)
            if last < end:
                i, k = _split_clitics(text, i, end, last, table, starts, ends, k)
                continue
        if _takes_period(text, i, end, has, table):
            end = _pass_marks(text, end + 1, table)
        ends[k] = i = end
        k += 1
    return k, n_lines


@kernel
def _split_clitics(
    text: Array, start: int, end: int, last: int, table: Array, starts: Array, ends: Array, k: int
) -> Any:
    """Write a word and its clitics; returns where to go on and the new number of tokens."""
    first = k
    right = end
    while last < right:  # from the right, then turned round
        starts[k], ends[k] = last, right
        k += 1
        right = last
        last = _clitic(text, start, right, table)
    starts[k], ends[k] = start, right
    k += 1
    i, j = first, k - 1
    while i < j:
        starts[i], starts[j] = starts[j], starts[i]
        ends[i], ends[j] = ends[j], ends[i]
        i += 1
        j -= 1
    return end, k


# The other ways of cutting ---------------------------------------------------------------------


@kernel
def cut_characters(text: Array, n: int, table: Array, starts: Array, ends: Array, lines: Array) -> Any:
    """Tokens by the rules of ``characters``; returns the numbers of tokens and of lines."""
    i = np.int64(0)
    k = 0
    n_lines = 0
    while i < n:
        flags, width = _look(text, i, table)
        kind = flags & CLASS
        if kind == SEPARATOR:
            if text[i] == 0x0A:
                lines[n_lines] = k
                n_lines += 1
            i += width
            continue
        starts[k] = i
        if kind == SYMBOL:
            i = _symbol(text, i, False, table)
        else:
            i += width
            joined = True
            while joined:
                flags, width = _look(text, i, table)
                joined = flags & CLASS == MARK or flags & JAMO != 0
                if joined:
                    i += width
        ends[k] = i
        k += 1
    return k, n_lines


@kernel
def cut_at(text: Array, n: int, separators: Array, starts: Array, ends: Array, lines: Array) -> Any:
    """Tokens between separators: ``separators[byte]`` is 1 for one, 2 for one that ends a line too."""
    i = np.int64(0)
    k = 0
    n_lines = 0
    while i < n:
        separator = separators[text[i]]
        if separator:
            if separator == 2:
                lines[n_lines] = k
                n_lines += 1
            i += 1
            continue
        starts[k] = i
        i += 1
        while separators[text[i]] == 0:
            i += 1
        ends[k] = i
        k += 1
    return k, n_lines


# Sentences -------------------------------------------------------------------------------------


@kernel
def _consists_of(text: Array, start: int, end: int, flag: int, table: Array) -> bool:
    if _look(text, start, table)[0] & flag == 0:
        return False
    while start < end:
        flags, n = _look(text, start, table)
        if flags & flag == 0 and flags & CLASS != MARK:
            return False
        start += n
    return True


@kernel
def _terminates(text: Array, start: int, end: int, by_its_end: bool, table: Array) -> int:
    """0 for no terminator, 1 for one that needs a separator after it, 2 for one that does not."""
    if not by_its_end and not _consists_of(text, start, end, TERMINATOR, table):
        return 0
    i = _back(text, end)
    while i > start:
        flags = _look(text, i, table)[0]
        if flags & CLASS != MARK and not (by_its_end and flags & CLOSER):
            break
        i = _back(text, i)
    point, _ = _point(text, i)
    if _flags(table, point) & TERMINATOR == 0:
        return 0
    return 1 if point == 0x2E or point == 0x21 or point == 0x3F or point == 0x2026 else 2


@kernel
def cut_sentences(
    text: Array, starts: Array, ends: Array, lines: Array, by_its_end: bool, table: Array, out: Array
) -> int:
    """The tokens before which a sentence begins, other than the first of a line; returns their number."""
    n = 0
    line = 0
    ended = 0  # the kind of the last terminator, while only closers have come after it
    gap = False
    for k in range(starts.shape[0]):
        while line < lines.shape[0] and lines[line] <= k:
            line += 1
            ended = 0
        flags = _look(text, starts[k], table)[0]
        if ended:
            gap |= starts[k] > ends[k - 1]
            if (ended == 2 or gap) and flags & CLASS != LOWER and flags & TERMINATOR == 0:
                if gap > by_its_end or not _consists_of(text, starts[k], ends[k], CLOSER, table):
                    out[n] = k
                    n += 1
                    ended = 0
        kind = _terminates(text, starts[k], ends[k], by_its_end, table)
        if kind:
            ended = kind
            gap = False
        elif ended and (gap > by_its_end or not _consists_of(text, starts[k], ends[k], CLOSER, table)):
            ended = 0
    return n
