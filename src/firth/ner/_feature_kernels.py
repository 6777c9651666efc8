"""Features of words as numbers.

A feature is a 64-bit key. Features of a single word (spelling, classes) depend on its type alone, so
their keys are computed once for each word type and each position of the window. The keys of all
other features (previous labels, pairs of words, the rest of the document) are computed here, word by
word, from a template number and a value. The hash table of ``_key_kernels`` maps a key to its row of
weights; a row has one weight for each label.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from firth.compute.kernels import kernel
from firth.ner._key_kernels import key_pair

__all__ = [
    "CENTRE", "CONTEXTS", "ELSEWHERE", "HISTORY", "PLACES", "VECTORS", "Document", "Types", "Workspace", "add_vectors",
    "dynamic_keys", "label_at", "link_types", "most_keys", "place_keys", "type_at",
]  # fmt: skip

PLACES = 5
"""The positions of the window: two words before, the word itself, two words after."""
VECTORS = PLACES + 1
"""The vectors that a label depends on: those of the positions, and that of the document."""
CENTRE = 2
"""The position of the word itself."""
N_KINDS = 10
"""The number of kinds of spelling; see ``KINDS`` in _spelling.py."""
HISTORY, ELSEWHERE = 1, 2
"""How far features of a word reach: its previous labels, or all its occurrences in the document."""
CONTEXTS = ((-1, 1), (-2, -1), (1, 2))
"""Words in one context have the same two neighbours: those at these offsets."""
NEAR, FAR = 200, 1000
"""The maximum distance of other occurrences of a word, in words: for their neighbours, for their labels."""
FEW = 16
"""The maximum number of other occurrences whose neighbours are used, on each side."""

# Feature templates. The numbers are part of the keys in saved models: never change them.
PREVIOUS_LABEL = 1
"""The label of the word before."""
PREVIOUS_LABELS = 2
"""The labels of the two words before."""
WORD_AND_LABEL = 10
"""A word of the window with the previous label; 10 to 14, one template for each position."""
THREE_KINDS = 20
"""The kinds of spelling of the word and its two neighbours."""
FIVE_KINDS = 21
"""The kinds of spelling of the whole window."""
KINDS_AND_LABEL = 22
"""The kinds of spelling of three words with the previous label."""
SENTENCE_START = 23
"""Whether the word is the first of its sentence."""
WORD_BEFORE_AND_WORD = 30
"""The pair of the word before and the word."""
WORD_AND_WORD_AFTER = 31
"""The pair of the word and the word after."""
WORDS_AROUND = 32
"""The pair of the word before and the word after."""
NEIGHBOUR_ELSEWHERE = 40
"""A neighbour of another occurrence of the word: 40 for the word before it, 41 for the word after it."""
LABEL_HISTORY = 50
"""A label that earlier occurrences of the word got, weighted by its share."""
LABEL_ELSEWHERE = 51
"""A label that the first stage gave to another occurrence of the word."""
MAIN_LABEL_ELSEWHERE = 52
"""The label that the first stage gave to most other occurrences of the word."""
CONTEXT_HISTORY = 60
"""A label that earlier words in the same context got, weighted by its share; 60 to 62, for each of ``CONTEXTS``."""
CONTEXT_ELSEWHERE = 70
"""A label that the first stage gave to other words in the same context, weighted by its share; 70 to 72."""


class Types(NamedTuple):
    """The features of every word type; type 0 is the position before and after a sentence.

    ``rows[starts[t * PLACES + p]:starts[t * PLACES + p + 1]]`` are the rows of the features of type t at
    position p in a table of weights, and ``keys`` has their keys. ``reach[t]`` is 0, HISTORY or
    ELSEWHERE. ``vector_of[t]`` is the row of the type in ``vectors``, or -1; ``lexicon_rows[t]`` is the one in
    the lexicon, whose vectors are scaled by ``scales``.
    """

    words: Any
    kinds: Any
    reach: Any
    vector_of: Any
    starts: Any
    keys: Any
    rows: Any
    vectors: Any
    lexicon_rows: Any
    scales: Any


class Document(NamedTuple):
    """A document as arrays.

    ``types`` are the types of its words, ``starts`` the first word of each sentence and the end.
    ``before`` and ``after`` are the previous and the next occurrence of the same word, or -1. ``alike``
    has the previous and the next word in the same context, or -1: two rows for each of ``CONTEXTS``.
    ``first`` has the labels of the first stage, or is empty. ``topic`` is the scaled mean of the vectors of its
    words; it is empty without vectors.
    """

    types: Any
    starts: Any
    before: Any
    after: Any
    alike: Any
    first: Any
    topic: Any


class Workspace(NamedTuple):
    """Arrays that the kernels overwrite for each word, so that they allocate nothing."""

    keys: Any
    values: Any
    rows: Any
    scores: Any
    counts: Any
    topic: Any


def most_keys(n_labels: int) -> int:
    """The maximum number of keys of a word, without those of the word types in its window."""
    return 32 + 4 * FEW + (2 + 2 * len(CONTEXTS)) * n_labels


@kernel
def place_keys(
    window: Any, window_starts: Any, centre: Any, centre_starts: Any, starts: Any, keys: Any
) -> None:
    """Compute the keys of every type at every position, and where they start.

    Features in ``window`` hold at all positions, those in ``centre`` for the word itself only.
    """
    n = 0
    for t in range(len(window_starts) - 1):
        for place in range(PLACES):
            starts[t * PLACES + place] = n
            for k in range(window_starts[t], window_starts[t + 1]):
                # the position is mixed into the key, so a feature has separate weights at each
                keys[n] = key_pair(window[k], place)
                n += 1
            if place == CENTRE:
                for k in range(centre_starts[t], centre_starts[t + 1]):
                    keys[n] = key_pair(centre[k], place)
                    n += 1
    starts[(len(window_starts) - 1) * PLACES] = n


@kernel
def link_types(types: Any, same: Any, last: Any, before: Any, after: Any) -> None:
    """Link each word to its previous and its next occurrence.

    Types with the same number in ``same`` are the same word; ``last`` is -1 for all numbers.
    """
    for i in range(len(types)):
        j = last[same[types[i]]]
        before[i] = j
        after[i] = -1
        if j >= 0:
            after[j] = i
        last[same[types[i]]] = i
    for i in range(len(types)):  # leave ``last`` as it was, for the next document
        last[same[types[i]]] = -1


@kernel
def add_vectors(types: Any, rows: Any, scales: Any, matrix: Any, total: Any) -> int:
    """Add the scaled vectors of the words of a document to ``total``; returns how many have one."""
    n = 0
    for i in range(len(types)):
        row = rows[types[i]]
        if row >= 0:
            n += 1
            for k in range(len(total)):
                total[k] += np.float64(matrix[row, k] * scales[types[i]])
    return n


@kernel
def type_at(document: Any, start: int, end: int, i: int) -> int:
    """The type of word i; 0 outside of the sentence from ``start`` to ``end``."""
    return document.types[i] if start <= i < end else 0


@kernel
def _put(work: Any, n: int, template: int, value: float) -> int:
    """Add the feature of a template that has this value."""
    work.keys[n] = key_pair(np.uint64(template), value)
    work.values[n] = 1.0
    return n + 1


@kernel
def _neighbours(document: Any, types: Any, start: int, end: int, i: int, work: Any, n: int) -> int:
    """Add the words beside another occurrence, each once."""
    for side in range(2):
        word = types.words[type_at(document, start, end, i - 1 + 2 * side)]
        key = key_pair(np.uint64(NEIGHBOUR_ELSEWHERE + side), word)
        known = False
        # a word has so few keys that a linear search is enough
        for k in range(n):
            if work.keys[k] == key:
                known = True
                break
        if not known:
            work.keys[n] = key
            work.values[n] = 1.0
            n += 1
    return n


@kernel
def _sentence_of(starts: Any, i: int) -> int:
    """The number of the sentence of word i, by binary search."""
    low, high = 0, len(starts) - 1
    # finds the last start up to i, so empty sentences are passed over
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= i:
            low = middle
        else:
            high = middle
    return low


@kernel
def _neighbours_elsewhere(document: Any, types: Any, i: int, work: Any, n: int) -> int:
    """Add the neighbours of other occurrences of the word nearby (context aggregation)."""
    for side in range(2):
        link = document.after if side else document.before
        j, seen = link[i], 0
        while j >= 0 and abs(i - j) <= NEAR and seen < FEW:
            s = _sentence_of(document.starts, j)
            start, end = document.starts[s], document.starts[s + 1]
            n = _neighbours(document, types, start, end, j, work, n)
            seen += 1
            j = link[j]
    return n


@kernel
def _count_labels(link: Any, labels: Any, i: int, work: Any) -> int:
    """Count the labels of the words that links lead to; returns the number of these words."""
    j, seen = link[i], 0
    while j >= 0 and abs(i - j) <= FAR and seen < FEW:
        work.counts[labels[j]] += 1
        seen += 1
        j = link[j]
    return seen


@kernel
def _put_shares(template: int, total: int, n_labels: int, work: Any, n: int) -> int:
    """Add the labels that were counted, weighted by their shares."""
    for label in range(n_labels):
        if work.counts[label] > 0:
            n = _put(work, n, template, label)
            work.values[n - 1] = work.counts[label] / total
    return n


@kernel
def _labels_before(
    link: Any, labels: Any, i: int, n_labels: int, template: int, work: Any, n: int
) -> int:
    """Add the labels of earlier words: links only go back, so they have been labelled already."""
    work.counts[:n_labels] = 0
    seen = _count_labels(link, labels, i, work)
    return _put_shares(template, seen, n_labels, work, n)


@kernel
def _labels_in_context(document: Any, labels: Any, i: int, n_labels: int, work: Any, n: int) -> int:
    """Add the labels of other words in the same contexts: in tables and lists, similar words stand alike."""
    for c in range(len(CONTEXTS)):
        before, after = document.alike[2 * c], document.alike[2 * c + 1]
        n = _labels_before(before, labels, i, n_labels, CONTEXT_HISTORY + c, work, n)
        if len(document.first):
            work.counts[:n_labels] = 0
            seen = _count_labels(before, document.first, i, work)
            seen += _count_labels(after, document.first, i, work)
            n = _put_shares(CONTEXT_ELSEWHERE + c, seen, n_labels, work, n)
    return n


@kernel
def _labels_elsewhere(document: Any, i: int, n_labels: int, work: Any, n: int) -> int:
    """Add the labels that the first stage gave to other occurrences (two-stage aggregation)."""
    work.counts[:n_labels] = 0
    found = False
    for side in range(2):
        link = document.after if side else document.before
        j = link[i]
        while j >= 0 and abs(i - j) <= FAR:
            work.counts[document.first[j]] += 1
            found = True
            j = link[j]
    if found:
        best = 0
        for label in range(n_labels):
            if work.counts[label] > work.counts[best]:
                best = label
            if work.counts[label] > 0:
                n = _put(work, n, LABEL_ELSEWHERE, label)
        n = _put(work, n, MAIN_LABEL_ELSEWHERE, best)
    return n


@kernel
def label_at(labels: Any, start: int, i: int) -> int:
    """The label of an earlier word of the sentence; before the sentence it is 0, which is O."""
    return labels[i] if i >= start else 0


@kernel
def dynamic_keys(
    document: Any, types: Any, labels: Any, start: int, end: int, i: int, n_labels: int, work: Any
) -> int:
    """Compute the keys of word i that do not depend on a single word type; returns their number."""
    # dropout goes by the order of the keys: another order would train another model
    n = 0
    previous = np.uint64(label_at(labels, start, i - 1))
    n = _put(work, n, PREVIOUS_LABEL, previous)
    n = _put(work, n, PREVIOUS_LABELS, key_pair(previous, label_at(labels, start, i - 2)))
    three, five = 0, 0  # kinds of spelling as digits of a number
    for place in range(PLACES):
        of_word = type_at(document, start, end, i + place - CENTRE)
        n = _put(work, n, WORD_AND_LABEL + place, key_pair(types.words[of_word], previous))
        five = five * N_KINDS + types.kinds[of_word]
        if abs(place - CENTRE) <= 1:
            three = three * N_KINDS + types.kinds[of_word]
    n = _put(work, n, THREE_KINDS, three)
    n = _put(work, n, FIVE_KINDS, five)
    n = _put(work, n, KINDS_AND_LABEL, key_pair(previous, three))
    n = _put(work, n, SENTENCE_START, i == start)
    here = types.words[document.types[i]]
    before = types.words[type_at(document, start, end, i - 1)]
    after = types.words[type_at(document, start, end, i + 1)]
    n = _put(work, n, WORD_BEFORE_AND_WORD, key_pair(before, here))
    n = _put(work, n, WORD_AND_WORD_AFTER, key_pair(here, after))
    n = _put(work, n, WORDS_AROUND, key_pair(before, after))
    reach = types.reach[document.types[i]]
    if reach == ELSEWHERE:
        n = _labels_in_context(document, labels, i, n_labels, work, n)
    if reach >= HISTORY:
        n = _labels_before(document.before, labels, i, n_labels, LABEL_HISTORY, work, n)
    if reach == ELSEWHERE:
        if len(document.first):
            n = _labels_elsewhere(document, i, n_labels, work, n)
        n = _neighbours_elsewhere(document, types, i, work, n)
    return n
