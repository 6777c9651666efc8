"""Kernels that fill tables of n-grams; see ``_table_kernels`` for what is in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import bits_of, bits_of64, kernel
from firth.compute.word_kernels import LONG, word_key, word_slot
from firth.lm._table_kernels import (
    EMPTY,
    FARTHEST_SLOT,
    FARTHEST_WORD,
    GROUP,
    HEADER,
    LENGTH,
    MASK,
    N_GRAMS,
    N_SLOTS,
    SECRET,
    SLOTS,
    SPELLINGS,
    WORDS,
    gram_key,
    gram_slot,
    how_to_find,
)
from firth.lm._tree_kernels import find

__all__ = ["add_grams", "add_symbols", "add_words"]

Table = npt.NDArray[np.uint64]
_NONE = 0x3F800000BF800000
"""The values of an n-gram that is neither predicted nor a history: -1 and 1."""
_LOW = (1 << 32) - 1


@kernel
def add_words(table: Table, text: Any, starts: Any) -> None:
    """Number the words of a block of text, in their order."""
    secret = table[SECRET], table[SECRET + 1], table[SECRET + 2], table[SECRET + 3]
    first: Any = np.int64(table[WORDS])
    mask: Any = np.int64(table[MASK])
    place = 0
    farthest = 0
    for word in range(len(starts) - 1):
        i, n = starts[word], starts[word + 1] - starts[word]
        low, high = word_key(text, i, n, secret)
        slot: Any = word_slot(low, high, secret, mask)
        away = 0
        while table[first + 4 * slot + 1] != np.uint64(0):
            slot, away = (slot + 1) & mask, away + 1
        farthest = max(farthest, away)
        row = first + 4 * slot
        table[row], table[row + 1], table[row + 2] = low, high, np.uint64(word)
        if high >= np.uint64(LONG):
            table[row + 3] = np.uint64(place) | np.uint64(n) << np.uint64(LENGTH)
            for k in range(n):
                at = np.int64(table[SPELLINGS]) + place + k // 8
                table[at] |= np.uint64(text[i + k]) << np.uint64(8 * (k % 8))
            place += (n + 7) // 8
    table[FARTHEST_WORD] = np.uint64(farthest)


@kernel
def add_symbols(
    table: Table, n_symbols: int, children: Any, elements: Any, backoff: Any, starts: Any, words: Any, p: Any,
    base: Any,
) -> None:  # fmt: skip
    """The rows of symbols, from a tree."""
    for symbol in range(n_symbols):
        place = find(words, starts[0], starts[1], symbol)
        value = np.float64(p[place]) if place >= 0 else np.float64(backoff[0]) * np.float64(base[0])
        node = find(elements, children[0], children[1], symbol)
        weight = backoff[node] if node >= 0 else np.float32(1.0)
        table[HEADER + 2 * symbol] = np.uint64(bits_of64(value))
        table[HEADER + 2 * symbol + 1] = np.uint64(bits_of(weight)) & np.uint64(_LOW)


@kernel
def _slot_for(table: Table, entry: Any, symbol: Any) -> Any:
    """The slot of an n-gram in a table of exact entries; a new one gets a free slot."""
    how, first, n = how_to_find(table), np.int64(table[SLOTS]), np.int64(table[N_SLOTS])
    key = gram_key(how, entry, symbol)
    slot, away = np.int64(gram_slot(how, key)), 0
    while table[first + 2 * slot] != key:
        if table[first + 2 * slot] == np.uint64(EMPTY):
            table[first + 2 * slot], table[first + 2 * slot + 1] = key, np.uint64(_NONE)
            table[FARTHEST_SLOT] = max(table[FARTHEST_SLOT], np.uint64(away // GROUP))
            table[N_GRAMS] += np.uint64(1)
            break
        away += 1
        slot += 1
        if slot == n:
            slot = np.int64(0)
    return slot


@kernel
def add_grams(
    table: Table, n_symbols: int, children: Any, elements: Any, backoff: Any, starts: Any, words: Any, p: Any,
    parents: Any, of_node: Any, of_outcome: Any,
) -> None:  # fmt: skip
    """Add the n-grams of a tree to a table whose slots are empty; the table must not become full.

    ``parents``, ``of_node`` and ``of_outcome`` are scratch space: the parents of nodes, and the entries of nodes
    and outcomes.
    """
    high = np.uint64(_LOW) << np.uint64(32)
    first = np.int64(table[SLOTS])
    for k in range(starts[0], starts[1]):
        of_outcome[k] = words[k]
    for node in range(len(elements)):
        for child in range(children[node], children[node + 1]):
            parents[child] = node
    for node in range(1, len(elements)):
        # the node as an n-gram: its nearest word, which is predicted, comes first
        parent, element = np.int64(parents[node]), elements[node]
        of_node[node] = element
        if parent > 0:
            slot = _slot_for(table, of_node[parent], element)
            of_node[node] = n_symbols + slot
            weight = np.uint64(bits_of(backoff[node])) << np.uint64(32)
            table[first + 2 * slot + 1] = table[first + 2 * slot + 1] & ~high | weight
        for k in range(starts[node], starts[node + 1]):
            entry = np.int64(words[k])
            place = find(words, starts[parent], starts[parent + 1], words[k])
            if place >= 0:
                entry = np.int64(of_outcome[place])
            elif parent > 0:
                entry = _entry_of(table, n_symbols, parents, elements, parent, words[k])
            slot = _slot_for(table, entry, element)
            of_outcome[k] = n_symbols + slot
            value = np.uint64(bits_of(p[k])) & np.uint64(_LOW)
            table[first + 2 * slot + 1] = table[first + 2 * slot + 1] & high | value


@kernel
def _entry_of(
    table: Table, n_symbols: int, parents: Any, elements: Any, node: Any, symbol: Any
) -> Any:
    """The entry of a symbol after the history of a node, which has no probability of its own."""
    depth, above = 0, node
    while above > 0:
        depth, above = depth + 1, np.int64(parents[above])
    entry = np.int64(symbol)
    for d in range(depth - 1, -1, -1):
        above = node
        for _ in range(d):
            above = np.int64(parents[above])
        entry = n_symbols + _slot_for(table, entry, elements[above])
    return entry
