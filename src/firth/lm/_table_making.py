"""Makes tables of n-grams from trees."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import exps, logs
from firth.corpus import Reading, spelled
from firth.errors import InputError
from firth.lm import _table_kernels as kernels
from firth.lm import _table_making_kernels as making
from firth.lm._trees import Tree
from firth.lm._words import KnownWords

__all__ = [
    "LARGEST",
    "MAGIC",
    "VERSION",
    "exact_table",
    "folds",
    "places_in",
    "quantised_table",
    "suits",
]

add_grams: Any = making.add_grams
add_symbols: Any = making.add_symbols
add_words: Any = making.add_words
find_levels: Any = making.find_levels
quantise: Any = making.quantise

MAGIC, VERSION = int.from_bytes(b"firth lm", "little"), 1
LARGEST = 1 << 24
"""N-grams of the largest model that gets a table by itself, which then takes up to 400 MB."""
_MOST = 1 << 31
_KEY = 48
"""Bits of the key of a quantised n-gram."""
_SMALLEST = 1e-12
"""Smaller probabilities are rounded up, unless they have a code of their own."""
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


def quantised_table(tree: Tree, words: KnownWords, order: int, notes: bytes) -> Table:
    """The table of a tree of words, with codes of eight bits for probabilities and backoff weights."""
    exact, n_symbols = exact_table(tree, words, order), len(words) + 3
    n_grams = int(exact[kernels.N_GRAMS])
    table = _empty_table(words, order, 1, n_grams + n_grams // 2, notes)
    entries = n_symbols + int(table[kernels.N_SLOTS])
    if entries.bit_length() + int(table[kernels.BITS]) > _KEY:
        raise InputError(
            f"The model has too many n-grams for a compact file: {n_grams:,}.",
            "Learn it with a smaller --order or --vocabulary, or export it as .arpa.gz.",
        )
    table[kernels.HEADER : int(table[kernels.WORDS])] = exact[
        kernels.HEADER : int(exact[kernels.WORDS])
    ]
    levels = np.zeros(int(exact[kernels.N_SLOTS]), np.uint8)
    find_levels(exact, n_symbols, levels)
    values = (
        exact[int(exact[kernels.SLOTS]) :][: 2 * len(levels)].view(np.float32).reshape(-1, 4)[:, 2:]
    )
    codes = np.zeros(len(levels), np.uint16)
    books = table[int(table[kernels.BOOKS]) :][: kernels.CODES * (order - 1)].view(np.float32)
    books = books.reshape(order - 1, kernels.CODES, 2)
    for level in range(1, order):
        here = np.flatnonzero(levels == level)
        for column, none in enumerate((-1.0, 1.0)):
            books[level - 1, :, column], found = _book(values[here, column], none)
            codes[here] |= found << (8 - 8 * column)
    quantise(exact, n_symbols, levels, codes, table, np.zeros(len(levels), np.uint32))
    table[kernels.N_GRAMS] = n_grams
    return table


def _book(
    values: npt.NDArray[np.float32], none: float
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint16]]:
    """A book of values, and the code of each value: its place there.

    The first is kept as it is, for n-grams without a value. All others are in 255 bins, and are replaced by
    the geometric mean of their bin. Where values are dense, bins have about the same numbers of n-grams;
    where they are sparse, the same width.
    """
    book, codes = np.full(kernels.CODES, none, np.float32), np.zeros(len(values), np.uint16)
    some = np.flatnonzero(values != np.float32(none))
    different, which, times = np.unique(values[some], return_inverse=True, return_counts=True)
    if not len(some):
        return book, codes
    n_bins = kernels.CODES - 1
    bins = np.arange(len(different))
    log = logs(np.maximum(different.astype(np.float64), _SMALLEST))
    if len(different) > n_bins:
        ranks = (np.cumsum(times) - times / 2) / len(some)
        width = (log - log[0]) / ((log[-1] - log[0]) or 1.0)
        places = ((ranks + width) / 2 * n_bins).astype(np.int64)
        bins = np.unique(np.minimum(places, n_bins - 1), return_inverse=True)[1]
    means = np.bincount(bins, log * times) / np.bincount(bins, times)
    found = exps(means)
    alone = np.bincount(bins) == 1  # as they are
    found[alone] = different[np.searchsorted(bins, np.flatnonzero(alone))]
    book[1 : 1 + len(found)] = found
    codes[some] = 1 + bins[which]
    return book, codes


def _empty_table(
    words: KnownWords, order: int, width: int, n_slots: int, notes: bytes = b""
) -> Table:
    """A table of words, without n-grams."""
    starts, text = spelled(words.vocabulary.words)
    starts, text = starts - starts[0], text[starts[0] : starts[-1]]
    lengths = np.diff(starts)
    n_symbols = len(words) + 3
    n_slots = (n_slots // kernels.GROUP + 1) * kernels.GROUP
    n_rows = 1 << (2 * len(words)).bit_length()
    n_spellings = int(((lengths + 7) // 8)[lengths > 15].sum())
    places = places_in(len(words), order, width, n_rows, n_spellings, n_slots, len(notes))
    table = _aligned(places[-1])
    table[: places[4]] = 0
    table[places[4] : places[5]] = kernels.EMPTY
    table[places[5] :] = 0
    table[places[5] :].view(np.uint8)[: len(notes)] = np.frombuffer(notes, np.uint8)
    header = {
        kernels.MAGIC: MAGIC, kernels.VERSION: VERSION, kernels.ORDER: order, kernels.N_WORDS: len(words),
        kernels.BITS: (n_symbols - 1).bit_length(), kernels.WIDTH: width, kernels.WORDS: places[1],
        kernels.FOLDS: int(folds(words.reading)), kernels.MASK: n_rows - 1,
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


def folds(reading: Reading) -> bool:
    """Whether an ASCII word may be known in another form."""
    return bool(reading.lowercase or reading.digits != "keep")


def places_in(
    n_words: int, order: int, width: int, n_rows: int, n_spellings: int, n_slots: int, n_notes: int
) -> list[int]:
    """Where the rows of symbols, words, spellings, books, slots and notes of a table begin, and where it ends."""
    books = kernels.CODES * (order - 1) if width == 1 else 0
    sizes = 2 * (n_words + 3), 4 * n_rows, n_spellings, books, width * n_slots, (n_notes + 7) // 8
    places = [kernels.HEADER]
    for size in sizes:
        places.append(-(-(places[-1] + size) // _LINE) * _LINE)
    return places


def _aligned(n: int) -> Table:
    room = np.empty(n + _LINE, np.uint64)
    skip = -room.ctypes.data % (8 * _LINE) // 8
    return room[skip : skip + n]
