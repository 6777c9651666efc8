"""Kernels that score sentences by a table of n-grams of words: one array, which may be a file.

The array, of ``uint64``, begins with a header, whose places are named below. A row for each symbol follows:
its probability without a history, and its backoff weight. Then there are two hash tables.

*Words*: four numbers a row. The first two are the key of a spelling (see ``word_key``), then the number of
the word; for a word of more than fifteen bytes, the last is where its spelling is. Free rows are zero.

*N-grams*: the key of an n-gram is the entry of the n-gram without its first word, and this word. Single words
have the numbers of their symbols as entries, all others ``n_symbols`` + their slot. The value is a
probability, which is negative if there is none, and the backoff weight of the n-gram as a history. An exact
entry is two numbers: the key, and both values as float32. A quantised one is a single number: the key, and
below it two codes of eight bits, places in a book of values for each order.

So a word needs one look for each order. The backoff weights of its histories are those of the n-grams that
end with the word before, and were found there.

Whatever the array contains, the kernels end and read only what is inside: the header was checked, numbers
of words are compared with it, and searches have a greatest length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from firth.compute.kernels import (
    float_of,
    float_of64,
    kernel,
    load8,
    lowest_bit,
    mixed,
    prefetch,
    stack_array,
)
from firth.compute.portable_kernels import log
from firth.compute.word_kernels import LONG, next_low, word_key, word_slot

Table = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]

HEADER = 32
"""Numbers before the rows of symbols."""
(
    MAGIC, VERSION, ORDER, N_WORDS, BITS, WIDTH, FOLDS, WORDS, MASK, FARTHEST_WORD, SPELLINGS, N_SPELLINGS, SLOTS,
    N_SLOTS, FARTHEST_SLOT, BOOKS, N_GRAMS, NOTES, N_NOTES, SIZE,
) = range(20)  # fmt: skip
SECRET, CHECKSUM = 20, 24
CODES = 256
GROUP = 4
"""Slots that are looked at together; they are in one cache line, and filled from the first on."""
EMPTY = (1 << 64) - 1
PADDING = 16
"""Line feeds after a text."""
SPLIT = -1
"""Instead of the number of words of a sentence: it is split at white space."""
MOST_BEFORE = 5
"""Words of the longest history."""
_AT_ONCE = 64
"""Words that are looked up together: the memory of one is on its way while another is used."""
LENGTH = 32
"""Bits of the place of a spelling, in words of eight bytes; the length of the spelling is above."""
_LEAST, _MOST = 1e-100, 1e100
"""A product of probabilities is kept between these, so that neither it nor the next one is out of range."""


_integers = stack_array(types.int64, _AT_ONCE)
_symbols = stack_array(types.int64, MOST_BEFORE + _AT_ONCE)
_keys = stack_array(types.uint64, _AT_ONCE)
_floats = stack_array(types.float64, _AT_ONCE)
_weights = stack_array(types.float64, MOST_BEFORE + 1, _AT_ONCE + 1)


@kernel
def how_to_find(table: Table) -> Any:
    """What ``gram_slot`` and the kernels below need of the header; all unsigned, so that no index is negative."""
    below = np.uint64(16) if table[WIDTH] == np.uint64(1) else np.uint64(0)
    return (
        table[SECRET], table[SECRET + 1], table[N_SLOTS], table[BITS], table[SLOTS], table[WIDTH], table[FARTHEST_SLOT],
        below, table[SECRET + 2], table[SECRET + 3],
    )  # fmt: skip


@kernel
def gram_slot(how: Any, key: Any) -> Any:
    """The first slot of the group where to look for an n-gram first."""
    # once is not enough: keys of frequent words would lie side by side
    once = mixed(key ^ how[0], how[1])
    hashed = mixed(once ^ how[8], how[9]) >> np.uint64(32)
    group = hashed * (how[2] // np.uint64(GROUP)) >> np.uint64(32)
    return group * np.uint64(GROUP)


@kernel
def gram_key(how: Any, entry: Any, symbol: Any) -> Any:
    """The key of an n-gram."""
    return np.uint64(entry) << how[3] | np.uint64(symbol)


@kernel
def _find_gram(table: Table, how: Any, key: Any, slot: Any) -> Any:
    """The slot of an n-gram, from the group where to look first; ``EMPTY`` if there is none."""
    for _ in range(how[6] + np.uint64(1)):
        place, found = how[4] + how[5] * slot, np.uint64(0)
        for k in range(np.uint64(GROUP)):  # all of them: a guess where it is would often be wrong
            is_it = table[place + k * how[5]] >> how[7] == key
            found |= np.uint64(is_it) << k
        if found != np.uint64(0):
            return slot + np.uint64(lowest_bit(found))
        if table[place + np.uint64(GROUP - 1) * how[5]] == np.uint64(EMPTY):
            break  # the group is not full, so the search need not go on
        slot += np.uint64(GROUP)
        if slot == how[2]:
            slot = np.uint64(0)
    return np.uint64(EMPTY)


@kernel
def _values_of(table: Table, how: Any, slot: Any, books: Any) -> Any:
    """The probability and the backoff weight of an n-gram."""
    place = how[4] + how[5] * slot
    if how[5] == np.uint64(2):
        both = table[place + np.uint64(1)]
        return float_of(np.uint32(both)), float_of(np.uint32(both >> np.uint64(32)))
    codes = table[place]
    p = table[books + (codes >> np.uint64(8) & np.uint64(CODES - 1))]
    backoff = table[books + (codes & np.uint64(CODES - 1))]
    return float_of(np.uint32(p)), float_of(np.uint32(backoff >> np.uint64(32)))


@kernel
def _is_same(text: Bytes, i: Any, end: Any, table: Table, where: Any) -> Any:
    """Whether a long word is spelled as the table has it."""
    n = end - i
    place = np.int64(where & np.uint64((1 << LENGTH) - 1))
    if where >> np.uint64(LENGTH) != np.uint64(n) or place + (n + 7) // 8 > np.int64(
        table[N_SPELLINGS]
    ):
        return False
    place += np.int64(table[SPELLINGS])
    for k in range(n // 8):
        if load8(text, i + 8 * k) != table[place + k]:
            return False
    rest = np.uint64(8 * (n % 8))
    if rest == np.uint64(0):
        return True
    mask = (np.uint64(1) << rest) - np.uint64(1)
    return load8(text, i + n - n % 8) & mask == table[place + n // 8]


@kernel
def find_word(text: Bytes, i: Any, end: Any, table: Table, low: Any, high: Any, slot: Any) -> Any:
    """The number of a word by its key, from the slot where to look first; -1 if there is none."""
    for _ in range(table[FARTHEST_WORD] + np.uint64(1)):
        row = table[WORDS] + np.uint64(4) * slot
        there = table[row + np.uint64(1)]
        if there == high and table[row] == low and high != np.uint64(0):
            if high < np.uint64(LONG) or _is_same(text, i, end, table, table[row + np.uint64(3)]):
                return np.int64(min(table[row + np.uint64(2)], table[N_WORDS]))
        elif there == np.uint64(0):
            break
        slot = (slot + np.uint64(1)) & table[MASK]
    return np.int64(-1)


@kernel
def _is_space(byte: Any) -> Any:
    return byte == 0x20 or 0x09 <= byte <= 0x0D


@kernel
def word_end(text: Bytes, i: Any, split: bool) -> Any:
    """Where a word ends: at white space, or at a line feed."""
    i = next_low(text, i)
    while text[i] != 0x0A and not (split and _is_space(text[i])):
        i = next_low(text, i + 1)
    return i


@kernel
def _is_plain(text: Bytes, i: Any, end: Any) -> bool:
    """Whether a word is ASCII."""
    for k in range(i, end):  # noqa: SIM110
        if text[k] >= 0x80:
            return False
    return True


@kernel
def _ask_for(table: Table, how: Any, entry: Any, symbol: Any) -> Any:
    """The slot where an n-gram is looked for; its memory is on its way."""
    slot = gram_slot(how, gram_key(how, entry, symbol))
    prefetch(table, np.int64(how[4] + how[5] * slot))
    return slot


@kernel
def _begin(table: Table, symbols: Any, backoff: Any) -> None:
    """Make the words before the first one, and their backoff weights."""
    begin = np.int64(table[N_WORDS]) + 1
    for k in range(MOST_BEFORE):
        symbols[k], backoff[k, 0] = begin, 1.0
    backoff[0, 0] = np.float64(float_of(np.uint32(table[HEADER + 2 * begin + 1])))


@kernel
def _find_grams(
    table: Table, symbols: Any, n: int, before: int, slots: Any, entries: Any, values: Any, backoff: Any
) -> None:  # fmt: skip
    """The probabilities of ``n`` symbols, of which ``before`` came before in their sentence.

    ``symbols`` begins with the last words before. ``backoff`` has the backoff weights of the n-grams that
    end with the word before, then of those that end with each symbol; both go on to the next symbols.
    """
    order, n_symbols = np.int64(table[ORDER]), table[N_WORDS] + np.uint64(3)
    how, matched, left = how_to_find(table), _integers(), _integers()
    for j in range(n):
        prefetch(table, HEADER + 2 * symbols[MOST_BEFORE + j])
        if order > 1:
            slots[j] = _ask_for(table, how, symbols[MOST_BEFORE + j], symbols[MOST_BEFORE + j - 1])
    for j in range(n):
        row = np.uint64(HEADER + 2 * symbols[MOST_BEFORE + j])
        values[j], matched[j] = float_of64(table[row]), 0
        backoff[0, j + 1] = np.float64(float_of(np.uint32(table[row + np.uint64(1)])))
        entries[j], left[j] = np.uint64(symbols[MOST_BEFORE + j]), j
    # longer and longer n-grams, of those symbols that are left
    n_left = n
    for k in range(1, order):
        books = table[BOOKS] + np.uint64(CODES * (k - 1))
        for j in range(n):
            backoff[k, j + 1] = 1.0
        tried, n_left = n_left, 0
        for at in range(tried):
            j = left[at]
            if k > before + j + 1:
                continue
            key = gram_key(how, entries[j], symbols[MOST_BEFORE + j - k])
            slot = _find_gram(table, how, key, slots[j])
            if slot == np.uint64(EMPTY):
                continue
            p, weight = _values_of(table, how, slot, books)
            backoff[k, j + 1] = np.float64(weight)
            if p >= 0:
                values[j], matched[j] = np.float64(p), k
            left[n_left] = j
            n_left += 1
            if k + 1 < order:
                entries[j] = n_symbols + slot
                slots[j] = _ask_for(table, how, entries[j], symbols[MOST_BEFORE + j - k - 1])
    for j in range(n):
        for k in range(matched[j] + 1, order):
            values[j] *= backoff[k - 1, j]


@kernel
def _multiply(table: Table, symbols: Any, n: int, values: Any, backoff: Any, sums: Any) -> Any:
    """Add the logarithms of probabilities to sums, and go on to the next symbols.

    Sums: of logarithms, those of unknown words, a product whose logarithm is missing, number of unknown words.
    The first has no unknown words, which may be impossible.
    """
    total, of_unknown, product, n_unknown = sums
    for j in range(n):
        if symbols[MOST_BEFORE + j] == np.int64(table[N_WORDS]):
            of_unknown += log(values[j])
            n_unknown += 1
            continue
        product *= values[j]
        if not _LEAST < product < _MOST:
            total += log(product)
            product = 1.0
    for k in range(MOST_BEFORE):
        symbols[k], backoff[k, 0] = symbols[n + k], backoff[k, n]
    return total, of_unknown, product, n_unknown


@kernel
def score_symbols(given: Any, table: Table, p: Any) -> Any:
    """Score a sentence of symbols; ``p`` gets their probabilities, and that of the end.

    Returns the log probability without unknown words, that of these, and their number.
    """
    symbols, values = _symbols(), _floats()
    slots, entries = _keys(), _keys()
    backoff = _weights()
    _begin(table, symbols, backoff)
    sums, n = (0.0, 0.0, 1.0, 0), len(given)
    for first in range(0, n + 1, _AT_ONCE):
        last = min(first + _AT_ONCE, n + 1)
        for j in range(first, last):
            end = np.int64(table[N_WORDS]) + 2
            symbols[MOST_BEFORE + j - first] = np.int64(given[j]) if j < n else end
        _find_grams(table, symbols, last - first, first, slots, entries, values, backoff)
        for j in range(first, last):
            p[j] = values[j - first]
        sums = _multiply(table, symbols, last - first, values, backoff, sums)
    return sums[0] + log(sums[2]), sums[1], sums[3]


@kernel
def score_words(text: Bytes, begin: Any, end: int, n_words: int, table: Table) -> Any:
    """Score a sentence of a text, from ``begin`` on: words with a line feed after each.

    With ``SPLIT`` instead of a number of words, the text up to ``end`` is one sentence, split at white space.
    Returns its log probability, that of its unknown words, the numbers of these and of all words, and
    where the next sentence begins. The log probability is NaN if an unknown word may be known in another form.
    """
    symbols, values = _symbols(), _floats()
    slots, entries = _keys(), _keys()
    backoff = _weights()
    starts, ends = _integers(), _integers()
    lows, highs = _keys(), _keys()
    secret = table[SECRET], table[SECRET + 1], table[SECRET + 2], table[SECRET + 3]
    unknown = np.int64(table[N_WORDS])
    mask: Any = np.int64(table[MASK])
    _begin(table, symbols, backoff)
    sums, before = (0.0, 0.0, 1.0, 0), 0
    i: Any = np.int64(begin)
    ended: Any = False
    while not ended:
        n = 0
        while n < _AT_ONCE - 1:
            if n_words == SPLIT:
                while i < end and _is_space(text[i]):
                    i += 1
                ended = i >= end
            else:
                ended = before + n == n_words
            if ended:
                break
            starts[n] = i
            ends[n] = i = word_end(text, i, n_words == SPLIT)
            lows[n], highs[n] = word_key(text, starts[n], i - starts[n], secret)
            slots[n] = np.uint64(word_slot(lows[n], highs[n], secret, mask))
            prefetch(table, np.int64(table[WORDS] + np.uint64(4) * slots[n]))
            i += 1
            n += 1
        for j in range(n):
            found = find_word(text, starts[j], ends[j], table, lows[j], highs[j], slots[j])
            if found < 0:
                found = unknown
                if table[FOLDS] != np.uint64(0) or not _is_plain(text, starts[j], ends[j]):
                    return np.nan, 0.0, 0, 0, i
            symbols[MOST_BEFORE + j] = found
        if ended:
            symbols[MOST_BEFORE + n] = unknown + 2
            n += 1
        _find_grams(table, symbols, n, before, slots, entries, values, backoff)
        sums = _multiply(table, symbols, n, values, backoff, sums)
        before += n
    return sums[0] + log(sums[2]) + sums[1], sums[1], sums[3], before - 1, i


@kernel
def score_sentences(
    text: Bytes, lengths: Any, table: Table, log_p: Any, of_unknown: Any, n_unknown: Any
) -> None:
    """Score sentences with given numbers of words, one after the other; see ``score_words``."""
    i = np.int64(0)
    for k in range(len(lengths)):
        first = i
        log_p[k], of_unknown[k], n_unknown[k], _, i = score_words(text, i, 0, lengths[k], table)
        if np.isnan(log_p[k]):
            i = first
            for _ in range(lengths[k]):
                i = word_end(text, i, False) + 1


@kernel
def number_words(text: Bytes, starts: Any, table: Table, out: Any) -> None:
    """The numbers of words, which follow each other in a text; that of the unknown word for others."""
    secret = table[SECRET], table[SECRET + 1], table[SECRET + 2], table[SECRET + 3]
    mask: Any = np.int64(table[MASK])
    for k in range(len(out)):
        i: Any = starts[k]
        low, high = word_key(text, i, starts[k + 1] - i, secret)
        slot = np.uint64(word_slot(low, high, secret, mask))
        found = find_word(text, i, starts[k + 1], table, low, high, slot)
        out[k] = found if found >= 0 else np.int64(table[N_WORDS])
