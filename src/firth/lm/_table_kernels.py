"""Kernels that score sentences with one model of words, by a hash table of its n-grams.

A table is an array of pairs of numbers. It begins with a pair for each symbol: its node as a history of
one word, with its backoff weight; and its probability without a history. Then come the slots. A key is a
node and a symbol: of an outcome, whose value is its probability, or of a child of the node, whose value
is the number of the child, with its backoff weight. Node 0, that of no history, is no child.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import bits_of, bits_of64, float_of, float_of64, kernel, prefetch
from firth.compute.portable_kernels import log
from firth.lm._tree_kernels import BITS, find

__all__ = ["EMPTY", "fill", "score_sentence", "score_sentences"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Table = npt.NDArray[np.uint64]

EMPTY = (1 << 64) - 1
_LOW = (1 << 32) - 1
_LEAST, _MOST = 1e-100, 1e100
"""A product of probabilities is kept between these, so that neither it nor the next one is out of range."""


@kernel
def _key(node: Any, symbol: Any, child: int) -> Any:
    return (
        np.uint64(node) << np.uint64(BITS + 1)
        | np.uint64(symbol) << np.uint64(1)
        | np.uint64(child)
    )


@kernel
def _slot(key: Any, n_symbols: int, shift: Any, odd: Any) -> Any:
    """Where to look for a key first."""
    return n_symbols + np.int64(key * odd >> shift)


@kernel
def _add(table: Table, n_symbols: int, shift: Any, odd: Any, key: Any, value: Any) -> None:
    slot = _slot(key, n_symbols, shift, odd)
    while table[2 * slot] != np.uint64(EMPTY):
        slot += 1
        if 2 * slot == len(table):
            slot = n_symbols
    table[2 * slot], table[2 * slot + 1] = key, value


@kernel
def _child(node: Any, backoff: Any) -> Any:
    """The number of a node and its backoff weight as one number."""
    return np.uint64(node) | np.uint64(bits_of(backoff)) << np.uint64(32)


@kernel
def fill(
    table: Table, n_symbols: int, shift: Any, odd: Any, children: Any, elements: Any, backoff: Any, starts: Any,
    words: Any, p: Any, base: Any,
) -> None:  # fmt: skip
    """Make the table of a tree; all its slots are empty."""
    for symbol in range(n_symbols):
        place = find(words, starts[0], starts[1], symbol)
        value = np.float64(p[place]) if place >= 0 else np.float64(backoff[0]) * np.float64(base[0])
        node = max(find(elements, children[0], children[1], symbol), 0)
        table[2 * symbol] = _child(node, backoff[node])
        table[2 * symbol + 1] = np.uint64(bits_of64(value))
    for node in range(1, len(elements)):
        for k in range(children[node], children[node + 1]):
            _add(table, n_symbols, shift, odd, _key(node, elements[k], 1), _child(k, backoff[k]))
        for k in range(starts[node], starts[node + 1]):
            value32 = np.uint64(bits_of(p[k]))
            _add(table, n_symbols, shift, odd, _key(node, words[k], 0), value32)


@kernel
def _find(table: Table, n_symbols: int, shift: Any, odd: Any, key: Any) -> Any:
    """The value of a key, or EMPTY."""
    slot = _slot(key, n_symbols, shift, odd)
    while table[2 * slot] != key:
        if table[2 * slot] == np.uint64(EMPTY):
            return np.uint64(EMPTY)
        slot += 1
        if 2 * slot == len(table):
            slot = n_symbols
    return table[2 * slot + 1]


@kernel
def _symbol(symbols: Any, first: int, last: int, place: int, n_symbols: int) -> Any:
    """A symbol of a sentence: a word, or its beginning or end."""
    if place < first:
        return np.int64(n_symbols - 2)
    return np.int64(symbols[place]) if place < last else np.int64(n_symbols - 1)


@kernel
def _score(
    symbols: Any,
    first: int,
    last: int,
    table: Table,
    n_symbols: int,
    shift: Any,
    odd: Any,
    order: int,
) -> Any:
    """The log probability of a sentence, that of its unknown words, and the number of these."""
    if order > 1:  # what is looked up first, so that it is on its way
        for i in range(first, last + 1):
            one = _symbol(symbols, first, last, i - 1, n_symbols)
            node = table[2 * one] & np.uint64(_LOW)
            wanted = _symbol(symbols, first, last, i, n_symbols)
            prefetch(table, 2 * _slot(_key(node, wanted, 0), n_symbols, shift, odd))
            if order > 2 and i > first:
                two = _symbol(symbols, first, last, i - 2, n_symbols)
                prefetch(table, 2 * _slot(_key(node, two, 1), n_symbols, shift, odd))
    total, of_unknown, product, n_unknown = 0.0, 0.0, 1.0, 0
    for i in range(first, last + 1):
        wanted = _symbol(symbols, first, last, i, n_symbols)
        value = float_of64(table[2 * wanted + 1])
        found = np.uint64(EMPTY)
        for k in range(1, order):
            if i - k < first - 1:
                break
            element = _symbol(symbols, first, last, i - k, n_symbols)
            if k == 1:
                found = table[2 * element]
                if found & np.uint64(_LOW) == 0:
                    break
            else:
                key = _key(found & np.uint64(_LOW), element, 1)
                found = _find(table, n_symbols, shift, odd, key)
                if found == np.uint64(EMPTY):
                    break
            p = _find(table, n_symbols, shift, odd, _key(found & np.uint64(_LOW), wanted, 0))
            if p != np.uint64(EMPTY):
                value = np.float64(float_of(np.uint32(p)))
            else:
                value *= np.float64(float_of(np.uint32(found >> np.uint64(32))))
        product *= value
        if not _LEAST < product < _MOST:
            total += log(product)
            product = 1.0
        if wanted == n_symbols - 3:
            of_unknown += log(value)
            n_unknown += 1
    return total + log(product), of_unknown, n_unknown


@kernel
def score_sentence(
    symbols: Any, table: Table, n_symbols: int, shift: Any, odd: Any, order: int
) -> Any:
    """The log probability of a sentence."""
    return _score(symbols, 0, len(symbols), table, n_symbols, shift, odd, order)[0]


@kernel
def score_sentences(
    symbols: Any, ends: Integers, table: Table, n_symbols: int, shift: Any, odd: Any, order: int, log_p: Floats,
    of_unknown: Floats, n_unknown: Integers,
) -> None:  # fmt: skip
    """The log probability of each sentence, that of its unknown words, and the number of these."""
    first = 0
    for k in range(len(ends)):
        last = ends[k]
        log_p[k], of_unknown[k], n_unknown[k] = _score(
            symbols, first, last, table, n_symbols, shift, odd, order
        )
        first = last
