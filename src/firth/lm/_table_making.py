"""Makes tables of n-grams from trees."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import spelled
from firth.lm import _table_kernels as kernels
from firth.lm import _table_making_kernels as making
from firth.lm._trees import Tree
from firth.lm._words import KnownWords

__all__ = ["LARGEST", "MAGIC", "VERSION", "exact_table", "suits"]

add_grams: Any = making.add_grams
add_symbols: Any = making.add_symbols
add_words: Any = making.add_words

MAGIC, VERSION = int.from_bytes(b"firth lm", "little"), 1
LARGEST = 1 << 24
"""N-grams of the largest model that gets a table by itself, which then takes up to 400 MB."""
_MOST = 1 << 31
_LINE = 8
"""Numbers in a cache line; what is looked up begins with one."""

Table = npt.NDArray[np.uint64]


def suits(tree: Tree, largest: int = _MOST) -> bool:
    """Whether a tree is small enough for a table."""
    return bool(tree.children.dtype == np.int32 and len(tree.elements) + len(tree.words) <= largest)


def exact_table(tree: Tree, words: KnownWords, order: int) -> Table:
    """The table of a tree of words, with the same probabilities and backoff weights."""
    n_grams = len(tree.elements) + len(tree.words) - int(tree.starts[1])
    # most histories are n-grams, too, so the table will be half full or emptier
    table = _empty_table(words, order, 2, n_grams + n_grams // 2)
    n_symbols = len(words) + 3
    arrays = tree.children, tree.elements, tree.backoff, tree.starts, tree.words, tree.p
    add_symbols(table, n_symbols, *arrays, tree.base)
    scratch = [np.zeros(n, np.uint32) for n in (*[len(tree.elements)] * 2, len(tree.words))]
    add_grams(table, n_symbols, *arrays, *scratch)
    return table


def _empty_table(
    words: KnownWords, order: int, width: int, n_slots: int, books: int = 0, notes: bytes = b""
) -> Table:
    """A table of words, without n-grams."""
    starts, text = spelled(words.vocabulary.words)
    starts, text = starts - starts[0], text[starts[0] : starts[-1]]
    lengths = np.diff(starts)
    n_symbols = len(words) + 3
    n_slots = (n_slots // kernels.GROUP + 1) * kernels.GROUP
    n_rows = 1 << (2 * len(words)).bit_length()
    n_spellings = int(((lengths + 7) // 8)[lengths > 15].sum())
    sizes = 2 * n_symbols, 4 * n_rows, n_spellings, books, width * n_slots, (len(notes) + 7) // 8
    places = [kernels.HEADER]
    for size in sizes:
        places.append(-(-(places[-1] + size) // _LINE) * _LINE)
    table = _aligned(places[-1])
    table[: places[4]] = 0
    table[places[4] : places[5]] = kernels.EMPTY
    table[places[5] :] = 0
    table[places[5] :].view(np.uint8)[: len(notes)] = np.frombuffer(notes, np.uint8)
    reading = words.reading
    header = {
        kernels.MAGIC: MAGIC, kernels.VERSION: VERSION, kernels.ORDER: order, kernels.N_WORDS: len(words),
        kernels.BITS: (n_symbols - 1).bit_length(), kernels.WIDTH: width, kernels.WORDS: places[1],
        kernels.FOLDS: int(reading.lowercase or reading.digits != "keep"), kernels.MASK: n_rows - 1,
        kernels.SPELLINGS: places[2], kernels.N_SPELLINGS: n_spellings, kernels.BOOKS: places[3],
        kernels.SLOTS: places[4], kernels.N_SLOTS: n_slots, kernels.NOTES: places[5], kernels.N_NOTES: len(notes),
        kernels.SIZE: len(table),
    }  # fmt: skip
    table[list(header)] = list(header.values())
    # nobody can choose words by their places in a table whose secret they change
    secret = hashlib.sha256(text.tobytes()).digest()
    table[kernels.SECRET : kernels.SECRET + 4] = np.frombuffer(secret, np.uint64)
    padded = np.concatenate([text, np.full(kernels.PADDING, 0x0A, np.uint8)])
    add_words(table, padded, starts)
    return table


def _aligned(n: int) -> Table:
    room = np.empty(n + _LINE, np.uint64)
    skip = -room.ctypes.data % (8 * _LINE) // 8
    return room[skip : skip + n]
