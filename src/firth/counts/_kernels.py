"""Kernels that count co-occurrences.

The tokens of a chunk are laid out with blanks between sentences, so kernels need not know where a
sentence ends: a blank is a context word like any other, dropped at the end of a row. A counting sort
groups the positions of each word; then one row of the matrix at a time is summed in a dense
accumulator that fits into the cache. Two levels of bits mark the nonzero entries, so a row comes out
sorted, and clearing it takes no longer than reading it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel, lowest_bit, prefetch

Array = Any  # a NumPy array, inside kernels

AHEAD = 16
"""How many positions ahead text is prefetched."""


@kernel
def lay_out(
    ids: Array, first: int, ends: Array, sentence: int, n_words: int, n_kept: int, reach: int,
    begin: int, end: int, k: int, tokens: Array, counts: Array,
) -> None:  # fmt: skip
    """Write ids from ``k`` on with ``reach`` blanks between sentences; count those from ``begin`` to ``end``.

    ``ids`` starts at token ``first`` of the corpus, and ``ends[sentence]`` is the next sentence end.
    Words from ``n_kept`` on become the rare symbol, the last of ``n_words``; the blank is ``n_words``.
    """
    for i in range(ids.shape[0]):
        place = first + i
        while sentence < ends.shape[0] and ends[sentence] <= place:
            sentence += 1
            # as many blanks as the widest context needs, so that it never crosses the end of a sentence
            for _ in range(reach):
                tokens[k] = n_words
                k += 1
        word = np.int64(min(ids[i], n_kept))
        tokens[k] = word
        k += 1
        # tokens outside the chunk are only contexts of those inside
        if begin <= place < end:
            counts[word] += 1


@kernel
def sort_places(
    tokens: Array, start: int, stop: int, first: int, last: int, following: Array, places: Array
) -> None:
    """Group the positions of the words from ``first`` to before ``last`` by word.

    The next position of a word belongs at ``following[word]``. Blanks between the sentences have no row.
    """
    for place in range(start, stop):
        word = tokens[place]
        if first <= word < last:
            places[following[word]] = place
            following[word] += 1


@kernel
def _add(sums: Array, bits: Array, groups: Array, entry: int, value: Any) -> None:
    # weights are positive and sums do not overflow, so an entry is zero only before its first use
    old = sums[entry]
    if old == 0:  # the first time: mark it in both levels of bits
        bits[entry >> 6] |= np.uint64(1) << np.uint64(entry & 63)
        groups[entry >> 12] |= np.uint64(1) << np.uint64(entry >> 6 & 63)
    sums[entry] = old + value


@kernel
def _take_row(
    sums: Array, bits: Array, groups: Array, first: int, last: int, shift: int, k: int,
    indices: Array, data: Array, columns: Array,
) -> Any:  # fmt: skip
    """Write the nonzero entries of some groups in order, from ``k`` on, and clear them.

    The column of an entry is its index plus ``shift``. Returns the new ``k`` and the sum of the entries.
    """
    total = np.int64(0)
    # everything is cleared while it is read, so the accumulator is ready for the next row
    for g in range(first, last):
        group = groups[g]
        groups[g] = 0
        while group != np.uint64(0):
            b = (g << 6) + lowest_bit(group)
            # clears the lowest set bit
            group &= group - np.uint64(1)
            word = bits[b]
            bits[b] = 0
            while word != np.uint64(0):
                entry = (b << 6) + lowest_bit(word)
                word &= word - np.uint64(1)
                value = sums[entry]
                sums[entry] = 0
                indices[k] = shift + entry
                data[k] = value
                # sums of a thread; integers, so their total is the same for any number of threads
                columns[shift + entry] += np.int64(value)
                total += np.int64(value)
                k += 1
    return k, total


@kernel
def count_rows(
    tokens: Array, starts: Array, places: Array, first: int, last: int, n_rows: int, n_blocks: int,
    offsets: Array, shifts: Array, weights: Array, sums: Array, bits: Array, groups: Array,
    indptr: Array, indices: Array, data: Array, rows: Array, columns: Array,
) -> int:  # fmt: skip
    """Count the rows from ``first`` to before ``last`` of the matrix; returns the number of entries.

    The accumulator has a range of whole groups for every block of columns. ``shifts[j]`` is where
    the range of offset j begins, and the blank is entry ``n_rows`` of every range.
    """
    k = 0
    n_groups = groups.shape[0] // n_blocks
    n_offsets = offsets.shape[0]
    nearest, furthest = offsets[0], offsets[0]
    for j in range(n_offsets):
        nearest, furthest = min(nearest, offsets[j]), max(furthest, offsets[j])
    for word in range(first, last):
        for q in range(starts[word], starts[word + 1]):
            ahead = np.int64(places[q + AHEAD])  # positions of a word are far apart in the text
            prefetch(tokens, ahead + nearest)
            prefetch(tokens, ahead + furthest)
            place = np.int64(places[q])
            for j in range(n_offsets):
                _add(
                    sums, bits, groups, shifts[j] + np.int64(tokens[place + offsets[j]]), weights[j]
                )
        for block in range(n_blocks):
            stretch = block * (n_groups << 12)
            blank = stretch + n_rows  # contexts outside the sentence: dropped
            sums[blank] = 0
            # its bit in groups may stay: a word without bits is passed over
            bits[blank >> 6] &= ~(np.uint64(1) << np.uint64(blank & 63))
            k, total = _take_row(
                sums, bits, groups, block * n_groups, (block + 1) * n_groups, block * n_rows - stretch,
                k, indices, data, columns,
            )  # fmt: skip
            rows[word, block] = total
        indptr[word - first] = k
    return k


@kernel
def merge_rows(
    pointers: Array, old_indices: Array, old_data: Array, sums: Array, bits: Array, groups: Array,
    indptr: Array, indices: Array, data: Array, columns: Array,
) -> int:  # fmt: skip
    """Add up rows of several runs: row i of run r is at ``pointers[r, i]`` to ``pointers[r, i + 1]``."""
    k = 0
    for row in range(pointers.shape[1] - 1):
        for run in range(pointers.shape[0]):
            for e in range(pointers[run, row], pointers[run, row + 1]):
                _add(sums, bits, groups, np.int64(old_indices[e]), old_data[e])
        k, _ = _take_row(sums, bits, groups, 0, groups.shape[0], 0, k, indices, data, columns)
        indptr[row] = k
    return k


@kernel
def move_rows(
    old_rows: Array, old_indptr: Array, old_indices: Array, old_data: Array, mapping: Array, n_new: int,
    indptr: Array, indices: Array, data: Array,
) -> int:  # fmt: skip
    """Rows of a matrix in another order and with other columns; -1 in ``old_rows`` gives an empty row.

    ``mapping`` has the new ids of words. Entries of a row come out in their old order.
    """
    k = 0
    n_old = mapping.shape[0]
    for row in range(old_rows.shape[0]):
        old = old_rows[row]
        if old >= 0:
            for e in range(old_indptr[old], old_indptr[old + 1]):
                block, word = divmod(np.int64(old_indices[e]), n_old)
                indices[k] = block * n_new + np.int64(mapping[word])
                data[k] = old_data[e]
                k += 1
        indptr[row] = k
    return k
