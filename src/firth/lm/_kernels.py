"""Counting sequences of words, and looking them up in ordered tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = [
    "DIGIT",
    "add_counts",
    "count_runs",
    "look_up",
    "pair_places",
    "share_out",
    "sort_by_digit",
]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

DIGIT = 11
"""The bits of a number that are sorted by at once."""


@kernel
def sort_by_digit(keys: Keys, shift: int, places: Integers, out: Keys) -> None:
    """Numbers in the order of some of their bits; equals stay in their order. ``places`` is for notes."""
    low, mask = np.uint64(shift), np.uint64((1 << DIGIT) - 1)
    places[:] = 0
    for key in keys:
        places[np.int64(key >> low & mask)] += 1
    total = 0
    for digit in range(len(places)):
        n = places[digit]
        places[digit] = total
        total += n
    for key in keys:
        digit = np.int64(key >> low & mask)
        out[places[digit]] = key
        places[digit] += 1


@kernel
def count_runs(keys: Keys, counts: Integers) -> int:
    """Of ordered numbers each once, in place, and how often it was there; returns how many these are."""
    n = 0
    for i in range(len(keys)):
        if n > 0 and keys[i] == keys[n - 1]:
            counts[n - 1] += 1
        else:
            keys[n], counts[n] = keys[i], 1
            n += 1
    return n


@kernel
def add_counts(a: Keys, n_a: Integers, b: Keys, n_b: Integers, keys: Keys, counts: Integers) -> int:
    """Two ordered lists of different numbers with counts as one; returns its length."""
    i = j = n = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            keys[n], counts[n] = a[i], n_a[i]
            if a[i] == b[j]:
                counts[n] += n_b[j]
                j += 1
            i += 1
        else:
            keys[n], counts[n] = b[j], n_b[j]
            j += 1
        n += 1
    for k in range(i, len(a)):
        keys[n], counts[n] = a[k], n_a[k]
        n += 1
    for k in range(j, len(b)):
        keys[n], counts[n] = b[k], n_b[k]
        n += 1
    return n


@kernel
def share_out(p: Floats, buckets: Integers, weights: Floats, shares: Floats) -> float:
    """Add up by bucket which model each word is thought to come from; returns the log-probability of all words.

    ``p`` has a row for each word, ``weights`` and ``shares`` one for each bucket, and all a column for each model.
    """
    log_prob = 0.0
    for i in range(len(p)):
        bucket, total = buckets[i], 0.0
        for k in range(p.shape[1]):
            total += weights[bucket, k] * p[i, k]
        log_prob += np.log(total)
        for k in range(p.shape[1]):
            shares[bucket, k] += weights[bucket, k] * p[i, k] / total
    return log_prob


@kernel
def _find(words: Short, first: int, last: int, word: int) -> int:
    """The place of a word in a part of an ordered list; -1 where it is not there."""
    while first < last:
        middle = (first + last) // 2
        if words[middle] < word:
            first = middle + 1
        else:
            last = middle
    return first


@kernel
def pair_places(
    starts: Integers, seconds: Integers, first: Integers, second: Integers, out: Integers
) -> None:
    """Where pairs stand in an ordered list of pairs that has them all. ``starts`` tells where each first begins."""
    for i in range(len(first)):
        if i > 0 and first[i] == first[i - 1] and second[i] == second[i - 1]:
            out[i] = out[i - 1]
            continue
        out[i] = _find(seconds, starts[first[i]], starts[first[i] + 1], second[i])


@kernel
def look_up(
    text: Integers, begin: int, p1: Floats, backoff1: Floats, starts2: Integers, words2: Short, p2: Floats,
    backoff2: Floats, starts3: Integers, words3: Short, p3: Floats, found: Floats, orders: npt.NDArray[np.uint8],
    histories: Integers,
) -> None:  # fmt: skip
    """Logarithms of the probabilities of all symbols but beginnings, after up to two before them.

    All tables have logarithms. ``orders`` tells how many symbols the sequence had that was found, ``histories`` the
    number of the pair before each symbol; -1 where it was never seen, or there is none.
    """
    pair = -1
    for i in range(len(text)):
        word = text[i]
        if word == begin:
            found[i], orders[i], histories[i] = 0.0, 0, -1
            pair = -1
            continue
        before = text[i - 1]
        first, last = starts2[before], starts2[before + 1]
        place = _find(words2, first, last, word)
        now = place if place < last and words2[place] == word else -1
        value, order = 0.0, 1
        if now >= 0:
            value, order = p2[now], 2
        else:
            value = backoff1[before] + p1[word]
        if pair >= 0:
            first, last = starts3[pair], starts3[pair + 1]
            place = _find(words3, first, last, word)
            if place < last and words3[place] == word:
                value, order = p3[place], 3
            else:
                value += backoff2[pair]
        found[i], orders[i], histories[i] = value, order, pair
        pair = now
