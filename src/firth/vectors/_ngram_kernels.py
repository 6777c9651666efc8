"""Kernels for character n-grams: hashing as fastText does, ridge regression by coordinate ascent."""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel

__all__ = ["LEAST", "MOST", "ascend", "count_ngrams", "gather", "hash_ngrams", "predict_all"]

LEAST, MOST = 3, 6
"""Lengths of n-grams, in characters."""
_BASIS, _PRIME = np.uint32(2166136261), np.uint32(16777619)
"""Of the hash function FNV-1a with 32 bits."""

Array = Any


@kernel
def _begins(byte: int) -> bool:
    """Whether a byte of UTF-8 begins a character."""
    return (byte & 0xC0) != 0x80


@kernel
def count_ngrams(text: Array, offsets: Array, counts: Array) -> None:
    """The number of n-grams of each word; ``text`` has the words in UTF-8, between < and >."""
    for i in range(len(counts)):
        length = 0
        for at in range(offsets[i], offsets[i + 1]):
            length += _begins(text[at])
        counts[i] = 0
        for n in range(LEAST, MOST + 1):
            counts[i] += max(0, length - n + 1)


@kernel
def hash_ngrams(text: Array, offsets: Array, starts: Array, hashes: Array) -> None:
    """The hashes of the n-grams of each word, by first character and then by length.

    As in fastText, bytes above 127 are extended with their sign.
    """
    for i in range(len(offsets) - 1):
        k = starts[i]
        for begin in range(offsets[i], offsets[i + 1]):
            if not _begins(text[begin]):
                continue
            state, length, at = _BASIS, 0, begin
            while at < offsets[i + 1] and length < MOST:
                state = np.uint32((state ^ np.uint32(np.int8(text[at]))) * _PRIME)
                at += 1
                if at == offsets[i + 1] or _begins(text[at]):
                    length += 1
                    if length >= LEAST:
                        hashes[k] = state
                        k += 1


@kernel
def predict(starts: Array, ngrams: Array, table: Array, i: int, found: Array) -> None:
    """The mean of the rows of the n-grams of word ``i``."""
    for c in range(len(found)):
        found[c] = 0
    for k in range(starts[i], starts[i + 1]):
        row = ngrams[k]
        for c in range(len(found)):
            found[c] += table[row, c]
    size = np.float32(max(1, starts[i + 1] - starts[i]))
    for c in range(len(found)):
        found[c] /= size


@kernel
def predict_all(starts: Array, ngrams: Array, table: Array, found: Array) -> None:
    """The mean of the rows of the n-grams of each word."""
    for i in range(len(found)):
        predict(starts, ngrams, table, i, found[i])


@kernel
def ascend(
    starts: Array, ngrams: Array, norms: Array, weights: Array, penalty: float, targets: Array,
    coefficients: Array, table: Array, step: Array,
) -> float:  # fmt: skip
    """One pass of dual coordinate ascent over all words; returns the sum of squared changes.

    The objective is Σ w |y - xB|² + penalty |B|², where x has 1 / n for each of the n n-grams of a word.
    ``coefficients`` are w (y - xB) / penalty at the optimum, and ``table`` is B, the sum of x' times
    coefficients. ``norms`` are |x|², and ``step`` is scratch memory.
    """
    changed = 0.0
    for i in range(len(targets)):
        predict(starts, ngrams, table, i, step)
        ratio = np.float32(weights[i] / penalty)
        damping = np.float32(1 / (1 + ratio * norms[i]))
        size = np.float32(max(1, starts[i + 1] - starts[i]))
        for c in range(len(step)):
            change = (ratio * (targets[i, c] - step[c]) - coefficients[i, c]) * damping
            coefficients[i, c] += change
            changed += change * change
            step[c] = change / size
        for k in range(starts[i], starts[i + 1]):
            row = ngrams[k]
            for c in range(len(step)):
                table[row, c] += step[c]
    return changed


@kernel
def gather(starts: Array, ngrams: Array, coefficients: Array, rows: Array, table: Array) -> None:
    """The rows of some buckets: add up the coefficients of the words that have an n-gram in them.

    ``rows`` has the row of each bucket in ``table``, or -1.
    """
    for i in range(len(starts) - 1):
        size = np.float32(max(1, starts[i + 1] - starts[i]))
        for k in range(starts[i], starts[i + 1]):
            row = rows[ngrams[k]]
            if row >= 0:
                for c in range(table.shape[1]):
                    table[row, c] += coefficients[i, c] / size
