"""Kernels that find tokens and sentences in a block of UTF-8.

``docs/tokenising.md`` has the rules; the oracle in the tests is written from that page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel
from firth.compute.word_kernels import next_low
from firth.corpus._characters import (
    CLASS,
    CLOSER,
    JAMO,
    LETTER,
    LOWER,
    MARK,
    REGIONAL,
    RUN,
    SEPARATOR,
    SYMBOL,
    TERMINATOR,
    UNSPACED,
    UPPER,
)  # fmt: skip
from firth.corpus._text_kernels import (
    are_letters,
    back,
    flags_of,
    look,
    pass_marks,
    point_at,
)
from firth.corpus._word_kernels import (
    HAS_APOSTROPHE,
    HAS_PERIOD,
    address_end,
    apostrophe_at,
    clitic_start,
    elision_end,
    loose_clitic_end,
    run_end,
    split_clitics,
    takes_period,
    word_end,
)  # fmt: skip

Array = Any  # a NumPy array, inside kernels

ZERO_WIDTH_JOINER = 0x200D


@kernel
def _symbol(text: Array, i: int, runs: bool, table: Array) -> int:
    """The end of the symbol at ``i`` with its repetitions, marks and symbols after zero width joiners."""
    point, n = point_at(text, i)
    flags = flags_of(table, point)
    i += n
    if runs and flags & RUN:
        while point_at(text, i)[0] == point:
            i += n
    elif flags & REGIONAL:
        # two regional indicators are one flag
        flags, n = look(text, i, table)
        if flags & REGIONAL:
            i += n
    while True:
        marks = i
        i = pass_marks(text, i, table)
        # only a zero width joiner as the last mark connects the next symbol
        if i == marks or point_at(text, back(text, i))[0] != ZERO_WIDTH_JOINER:
            return i
        flags, n = look(text, i, table)
        if flags & CLASS != SYMBOL:
            return i
        i += n


@kernel
def cut_words(text: Array, n: int, table: Array, starts: Array, ends: Array, lines: Array) -> Any:
    """Tokens by the rules of ``words``; returns the numbers of tokens and of lines."""
    i = np.int64(0)
    k = 0
    n_lines = 0
    low = np.int64(
        -1
    )  # looked for once, not for each token before it: there may be no space for long
    while i < n:
        if text[i] == 0x20:
            i += 1
            continue
        if low < i:
            low = next_low(text, i)
        if i < low <= i + 8 and are_letters(text, i, low - i):  # a fast path for most tokens
            starts[k], ends[k] = i, low
            k += 1
            i = low
            continue
        flags, width = look(text, i, table)
        kind = flags & CLASS
        if kind == SEPARATOR:
            if text[i] == 0x0A:
                lines[n_lines] = k
                n_lines += 1
            i += width
            continue
        starts[k] = i
        if kind != SYMBOL:  # a fast path for words of any script before white space
            end = run_end(text, i, table)
            if text[end] <= 0x20:
                ends[k] = i = end
                k += 1
                continue
        else:
            end = 0
            if text[i] == 0x40 or text[i] == 0x23:
                after = look(text, i + 1, table)[0] & CLASS
                if LETTER <= after <= UPPER:
                    end = run_end(text, i + 1, table)
            elif i > 0 and apostrophe_at(text, i):
                end = loose_clitic_end(text, i, table)
            ends[k] = end if end else _symbol(text, i, True, table)
            i = ends[k]
            k += 1
            continue
        end, has = word_end(text, i, table)
        # an address has a colon or a period here, so most words are not tested
        if text[end] == 0x3A or has & HAS_PERIOD or text[end] == 0x2E:
            address = address_end(text, i, table)
            if address:
                ends[k] = i = address
                k += 1
                continue
        if has & HAS_APOSTROPHE:
            # what follows an elision is cut as new text, so the loop continues there
            elided = elision_end(text, i, end, table)
            if elided:
                ends[k] = i = elided
                k += 1
                continue
            last = clitic_start(text, i, end, table)
            if last < end:
                i, k = split_clitics(text, i, end, last, table, starts, ends, k)
                continue
        if takes_period(text, i, end, has, table):
            end = pass_marks(text, end + 1, table)
        ends[k] = i = end
        k += 1
    return k, n_lines


@kernel
def cut_runs(
    text: Array, starts: Array, ends: Array, table: Array,
    run_starts: Array, run_ends: Array, unspaced: Array, firsts: Array,
) -> int:  # fmt: skip
    """Cut tokens where a script without spaces begins or ends; returns the number of runs.

    ``firsts`` are the first run of each token, and the number of runs. Marks belong to what is before.
    """
    n = 0
    for k in range(starts.shape[0]):
        firsts[k] = n
        i = np.int64(starts[k])
        flags, width = look(text, i, table)
        run_starts[n], unspaced[n] = i, flags & UNSPACED != 0
        i += width
        while i < ends[k]:
            flags, width = look(text, i, table)
            if (flags & UNSPACED != 0) != unspaced[n] and flags & CLASS != MARK:
                run_ends[n] = i
                n += 1
                run_starts[n], unspaced[n] = i, flags & UNSPACED != 0
            i += width
        run_ends[n] = ends[k]
        n += 1
    firsts[starts.shape[0]] = n
    return n


@kernel
def cut_characters(
    text: Array, n: int, table: Array, starts: Array, ends: Array, lines: Array
) -> Any:
    """Tokens by the rules of ``characters``; returns the numbers of tokens and of lines."""
    i = np.int64(0)
    k = 0
    n_lines = 0
    while i < n:
        flags, width = look(text, i, table)
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
                flags, width = look(text, i, table)
                # vowels and final consonants of Hangul belong to the syllable before them
                joined = flags & CLASS == MARK or flags & JAMO != 0
                if joined:
                    i += width
        ends[k] = i
        k += 1
    return k, n_lines


@kernel
def cut_at_spaces(text: Array, n: int, starts: Array, ends: Array, lines: Array) -> Any:
    """Tokens between ASCII white space; returns the numbers of tokens and of lines."""
    i = np.int64(0)
    k = 0
    n_lines = 0
    while i < n:
        byte = text[i]
        if byte == 0x20 or 0x09 <= byte <= 0x0D:
            if byte == 0x0A:
                lines[n_lines] = k
                n_lines += 1
            i += 1
            continue
        starts[k] = i
        i = next_low(text, i)
        while (
            text[i] != 0x20 and not 0x09 <= text[i] <= 0x0D
        ):  # other control characters do not separate
            i = next_low(text, i + 1)
        ends[k] = i
        k += 1
    return k, n_lines


@kernel
def cut_given(text: Array, n: int, starts: Array, ends: Array, lines: Array) -> Any:
    """Tokenised input: 0xFF after each token, 0xFE after each sentence; returns their numbers."""
    i = np.int64(0)
    k = 0
    n_lines = 0
    while i < n:
        # no byte of UTF-8 is 0xFE or 0xFF, so tokens can contain any character
        if text[i] >= 0xFE:
            if text[i] == 0xFE:
                lines[n_lines] = k
                n_lines += 1
            i += 1
            continue
        starts[k] = i
        i += 1
        # the block is followed by 0xFF, which ends the last token
        while text[i] < 0xFE:
            i += 1
        ends[k] = i
        k += 1
    return k, n_lines


@kernel
def _consists_of(text: Array, start: int, end: int, flag: int, table: Array) -> bool:
    """Whether all characters of a token have a flag or are marks."""
    # marks alone are not enough: the first character must have the flag
    if look(text, start, table)[0] & flag == 0:
        return False
    while start < end:
        flags, n = look(text, start, table)
        if flags & flag == 0 and flags & CLASS != MARK:
            return False
        start += n
    return True


@kernel
def _terminates(text: Array, start: int, end: int, by_its_end: bool, table: Array) -> int:
    """0 if not a terminator, 1 if it needs a separator after it, 2 if it does not."""
    if not by_its_end and not _consists_of(text, start, end, TERMINATOR, table):
        return 0
    # tokens cut at white space include their closers, which are passed over like marks
    i = back(text, end)
    while i > start:
        flags = look(text, i, table)[0]
        if flags & CLASS != MARK and not (by_its_end and flags & CLOSER):
            break
        i = back(text, i)
    point, _ = point_at(text, i)
    if flags_of(table, point) & TERMINATOR == 0:
        return 0
    # these four need a space after them; the others also end sentences in scripts without spaces
    return 1 if point == 0x2E or point == 0x21 or point == 0x3F or point == 0x2026 else 2


@kernel
def cut_sentences(
    text: Array,
    starts: Array,
    ends: Array,
    lines: Array,
    by_its_end: bool,
    table: Array,
    out: Array,
) -> int:
    """The tokens that begin a sentence, except the first one of a line; returns their number."""
    n = 0
    line = 0
    ended = 0  # the kind of the last terminator, if only closers follow it
    gap = False
    for k in range(starts.shape[0]):
        # a line end ends a sentence in any case
        while line < lines.shape[0] and lines[line] <= k:
            line += 1
            ended = 0
        flags = look(text, starts[k], table)[0]
        if ended:
            gap |= starts[k] > ends[k - 1]
            if (ended == 2 or gap) and flags & CLASS != LOWER and flags & TERMINATOR == 0:
                # after a gap a quote opens a sentence; cut at white space, all tokens have gaps
                if gap > by_its_end or not _consists_of(text, starts[k], ends[k], CLOSER, table):
                    out[n] = k
                    n += 1
                    ended = 0
        kind = _terminates(text, starts[k], ends[k], by_its_end, table)
        if kind:
            ended = kind
            gap = False
        elif ended and (
            gap > by_its_end or not _consists_of(text, starts[k], ends[k], CLOSER, table)
        ):
            ended = 0
    return n
