"""Kernels that count n-grams and look them up in sorted tables."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.compute.portable_kernels import exp, log
from firth.compute.search_kernels import first_not_below

__all__ = [
    "DIGIT",
    "add_counts",
    "count_different",
    "count_runs",
    "look_up",
    "mix",
    "share_out",
    "sort_by_digit",
]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

DIGIT = 11
"""The number of bits of a key that one pass sorts by."""


@kernel
def sort_by_digit(keys: Keys, shift: int, places: Integers, out: Keys) -> None:
    """One pass of a radix sort: keys by ``DIGIT`` of their bits; it is stable. ``places`` is scratch space."""
    low, mask = np.uint64(shift), np.uint64((1 << DIGIT) - 1)
    # count the digits, sum up the counts to where each digit begins, and move the keys there
    places[:] = 0
    for key in keys:
        places[np.int64(key >> low & mask)] += 1
    total = 0
    for digit in range(len(places)):
        n = places[digit]
        places[digit] = total
        total += n
    # in order, so that keys with the same digit stay sorted by their lower digits
    for key in keys:
        digit = np.int64(key >> low & mask)
        out[places[digit]] = key
        places[digit] += 1


@kernel
def count_runs(keys: Keys, counts: Integers) -> int:
    """Remove duplicates from sorted keys, in place, and count them; returns the number of different keys."""
    n = 0
    # n is never above i, so no key is overwritten before it is read
    for i in range(len(keys)):
        if n > 0 and keys[i] == keys[n - 1]:
            counts[n - 1] += 1
        else:
            keys[n], counts[n] = keys[i], 1
            n += 1
    return n


@kernel
def count_different(a: Keys, b: Keys) -> int:
    """The number of different keys in two sorted lists, each of different keys."""
    i = j = n = 0
    while i < len(a) and j < len(b):
        here, there = a[i], b[j]
        i += here <= there
        j += there <= here
        n += 1
    return n + len(a) - i + len(b) - j


@kernel
def add_counts(a: Keys, n_a: Integers, b: Keys, n_b: Integers, keys: Keys, counts: Integers) -> int:
    """Merge two sorted lists of different keys, adding their counts; returns the length of the result."""
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
    """The E step of interpolation: add the expected number of words of each model to ``shares``, by bucket.

    ``p`` has a row for each word, ``weights`` and ``shares`` have one for each bucket, and all have a
    column for each model. Returns the log likelihood of all words.
    """
    log_prob = 0.0
    for i in range(len(p)):
        bucket, total = buckets[i], 0.0
        for k in range(p.shape[1]):
            total += weights[bucket, k] * p[i, k]
        # positive: p is 1 for one of the models, and a prior keeps all weights above zero
        log_prob += log(total)
        for k in range(p.shape[1]):
            shares[bucket, k] += weights[bucket, k] * p[i, k] / total
    return log_prob


@kernel
def mix(log_p: Floats, buckets: Integers, weights: Floats, out: Floats) -> None:
    """The log probability of each word, from those of several models (rows) and their weights by bucket."""
    for i in range(len(out)):
        most = -math.inf
        for k in range(len(log_p)):
            if weights[buckets[i], k] > 0.0:
                most = max(most, log_p[k, i])
        if most == -math.inf:
            out[i] = most
            continue
        total = 0.0
        for k in range(len(log_p)):
            if weights[buckets[i], k] > 0.0:
                total += weights[buckets[i], k] * exp(log_p[k, i] - most)
        out[i] = most + log(total)


@kernel
def look_up(
    text: Integers, begin: int, p1: Floats, backoff1: Floats, starts2: Integers, words2: Short, p2: Floats,
    backoff2: Floats, starts3: Integers, words3: Short, p3: Floats, found: Floats, orders: npt.NDArray[np.uint8],
    histories: Integers,
) -> None:  # fmt: skip
    """The log probability of each symbol of a text, given up to two symbols before it.

    All tables have logarithms. ``orders`` gets the order of the longest n-gram that was found,
    ``histories`` the number of the bigram before each symbol, or -1 if it was never seen or is too
    short. At the beginning of a sentence, all are 0, 0 and -1.
    """
    bigram = -1
    for i in range(len(text)):
        word = text[i]
        if word == begin:
            found[i], orders[i], histories[i] = 0.0, 0, -1
            bigram = -1
            continue
        # a text begins with the beginning of a sentence, so i is at least 1
        before = text[i - 1]
        first, last = starts2[before], starts2[before + 1]
        place = first_not_below(words2, first, last, word)
        ending = place if place < last and words2[place] == word else -1
        value, order = 0.0, 1
        if ending >= 0:
            value, order = p2[ending], 2
        else:
            value = backoff1[before] + p1[word]
        # a history that was never seen has a backoff weight of one, so the bigram's value stays
        if bigram >= 0:
            first, last = starts3[bigram], starts3[bigram + 1]
            place = first_not_below(words3, first, last, word)
            if place < last and words3[place] == word:
                value, order = p3[place], 3
            else:
                value += backoff2[bigram]
        found[i], orders[i], histories[i] = value, order, bigram
        bigram = ending  # the history of the next symbol
