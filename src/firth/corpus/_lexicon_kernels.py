"""Kernels of the lexicon: an exact hash table from spellings to numbers.

A row of the table has four numbers: a key of sixteen bytes, the number of the word, and its count.
The key of a word of up to fifteen bytes is the word itself, so one cache line is enough for nearly
every token. The key of a longer word is its first eight bytes and a hash; such words are compared byte
by byte with the stored spelling.

Hashes depend on a secret. Words are numbered in order of first occurrence, and nothing goes through
the table in its own order, so no result depends on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel, load8, mixed, prefetch
from firth.compute.word_kernels import word_key, word_slot

Array = Any  # a NumPy array, inside kernels

AHEAD = 256
"""Number of tokens whose rows are prefetched before the first one is looked up."""


@kernel
def _same(text: Array, i: int, spellings: Array, j: int, n: int) -> bool:
    """Whether two strings of ``n`` >= 8 bytes are equal."""
    for k in range(0, n - 8, 8):
        if load8(text, i + k) != load8(spellings, j + k):
            return False
    # the last block overlaps the one before, so that nothing beyond the strings is compared
    return load8(text, i + n - 8) == load8(spellings, j + n - 8)


@kernel
def number_tokens(
    text: Array, starts: Array, ends: Array, table: Array, offsets: Array, spellings: Array,
    n_words: int, secret: Any, keys: Array, out: Array,
) -> int:  # fmt: skip
    """Number every token, adding new words; returns the number of words.

    Two passes over a few hundred tokens at a time: the first prefetches the rows, the second finds
    them in the cache. There must be room for every token to be a new word.
    """
    mask = np.int64(table.shape[0] - 1)
    for first in range(0, starts.shape[0], AHEAD):
        last = min(first + AHEAD, starts.shape[0])
        for t in range(first, last):
            i = np.int64(starts[t])
            low, high = word_key(text, i, np.int64(ends[t]) - i, secret)
            slot = word_slot(low, high, secret, mask)
            prefetch(table, 4 * slot)
            keys[t - first, 0], keys[t - first, 1], keys[t - first, 2] = low, high, np.uint64(slot)
        for t in range(first, last):
            low, high = keys[t - first, 0], keys[t - first, 1]
            slot = np.int64(keys[t - first, 2])
            i = np.int64(starts[t])
            n = np.int64(ends[t]) - i
            # a quarter of the rows is always free, so the search ends
            while True:
                if table[slot, 1] == high and table[slot, 0] == low:
                    word = np.int64(table[slot, 2])
                    # the key of a short word is the word itself
                    if n < 16:
                        break
                    j = offsets[word]
                    if offsets[word + 1] - j == n and _same(text, i, spellings, j, n):
                        break
                elif table[slot, 1] == np.uint64(0):
                    # a free row: the top byte of a key is the length of the word or 0xFF, never 0
                    word = n_words
                    j = offsets[word]
                    for b in range(n):
                        spellings[j + b] = text[i + b]
                    offsets[word + 1] = j + n
                    table[slot, 0], table[slot, 1], table[slot, 2] = low, high, np.uint64(word)
                    n_words += 1
                    break
                slot = (slot + 1) & mask
            table[slot, 3] += np.uint64(1)
            out[t] = word
    return n_words


@kernel
def refill(old: Array, new: Array, secret: Any) -> None:
    """Copy the rows of a table into a larger one."""
    mask = np.int64(new.shape[0] - 1)
    for row in range(old.shape[0]):
        if old[row, 1] != np.uint64(0):
            slot = word_slot(old[row, 0], old[row, 1], secret, mask)
            # rows are different words, so the first free row will do
            while new[slot, 1] != np.uint64(0):
                slot = (slot + 1) & mask
            for column in range(4):
                new[slot, column] = old[row, column]


@kernel
def read_counts(table: Array, out: Array) -> None:
    """Collect the counts of all words, by their numbers."""
    for row in range(table.shape[0]):
        if table[row, 1] != np.uint64(0):
            out[np.int64(table[row, 2])] = np.int64(table[row, 3])


@kernel
def renumber(ids: Array, mapping: Array) -> None:
    """Replace every id by ``mapping[id]``."""
    for i in range(ids.shape[0]):
        ids[i] = mapping[ids[i]]


@kernel
def spread(ids: Array, starts: Array, tokens: Array, edges: Array, out: Array) -> None:
    """Write the tokens of every word, ``tokens[starts[id]:starts[id + 1]]``, from ``edges`` of it on."""
    for i in range(ids.shape[0]):
        first = starts[ids[i]] - edges[i]
        for j in range(edges[i], edges[i + 1]):
            out[j] = tokens[first + j]


@kernel
def shares_of(offsets: Array, spellings: Array, n_shares: int, secret: Any, shares: Array) -> None:
    """Divide words into shares: equal words are in the same one, which only the secret decides."""
    for word in range(shares.shape[0]):
        key = secret[0]
        for i in range(offsets[word], offsets[word + 1]):
            key = mixed(key ^ np.uint64(spellings[i]), secret[1])
        shares[word] = (key >> np.uint64(32)) % np.uint64(n_shares)
