"""The perceptron's inner loops: the features of a word, learning and tagging.

A feature is a key of 64 bits. What is said of a word alone (spelling, classes) has its keys made once for
every type of word, for each place of the window; what depends on the labels before, on two words or on the
document has them made here, word by word. The table of ``_key_kernels`` gives the row of a key in the
weights, one number a label in each row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from firth.compute.kernels import kernel, loose_kernel
from firth.ner._key_kernels import find_row, key_pair, row_for

__all__ = [
    "CENTRE", "ELSEWHERE", "HISTORY", "PLACES", "Document", "Room", "Types", "learn_document",
    "link_types", "most_keys", "place_keys", "static_scores", "tag_document",
]  # fmt: skip

PLACES = 5
"""The places of the window: two words before, the word itself, two after."""
CENTRE = 2
N_KINDS = 10
"""The number of kinds of writing; see _spelling.py."""
HISTORY, ELSEWHERE = 1, 2
NEAR, FAR = 200, 1000
"""How many words away other occurrences of a word are looked at: their company, and their labels."""
FEW = 16
"""The most other occurrences whose company is looked at, before and after."""
_DROP_BITS = np.float64(2.0**53)


class Types(NamedTuple):
    """What is known of every type of word; type 0 is the place before and after a sentence.

    ``rows[starts[t * PLACES + p]:starts[t * PLACES + p + 1]]`` are the rows of type t at place p in a table
    of weights, ``keys`` the same features' keys. ``reach[t]`` tells whether the rest of the document is
    looked at: not at all, for HISTORY, or ELSEWHERE, too. ``vector_of[t]`` is its row in ``vectors``, or -1.
    """

    words: Any
    kinds: Any
    reach: Any
    vector_of: Any
    starts: Any
    keys: Any
    rows: Any
    vectors: Any


class Document(NamedTuple):
    """The types of the words, where sentences begin, the same type before and after, first labels."""

    types: Any
    starts: Any
    before: Any
    after: Any
    first: Any


class Room(NamedTuple):
    """Space to work in: kernels allocate nothing."""

    keys: Any
    values: Any
    rows: Any
    scores: Any
    counts: Any


def most_keys(n_labels: int) -> int:
    """At most so many keys has one word besides those of its type."""
    return 32 + 4 * FEW + 2 * n_labels


@kernel
def place_keys(
    window: Any, window_starts: Any, centre: Any, centre_starts: Any, starts: Any, keys: Any
) -> None:
    """The keys of every type at every place from those of its features, and where they begin.

    Features of the window count at all places, those of the centre at the word itself only.
    """
    n = 0
    for t in range(len(window_starts) - 1):
        for place in range(PLACES):
            starts[t * PLACES + place] = n
            for k in range(window_starts[t], window_starts[t + 1]):
                keys[n] = key_pair(window[k], place)
                n += 1
            if place == CENTRE:
                for k in range(centre_starts[t], centre_starts[t + 1]):
                    keys[n] = key_pair(centre[k], place)
                    n += 1
    starts[(len(window_starts) - 1) * PLACES] = n


@kernel
def link_types(types: Any, last: Any, before: Any, after: Any) -> None:
    """The same type before and after every word of a document, or -1; ``last`` is -1 for all types."""
    for i in range(len(types)):
        j = last[types[i]]
        before[i] = j
        after[i] = -1
        if j >= 0:
            after[j] = i
        last[types[i]] = i
    for i in range(len(types)):
        last[types[i]] = -1


@kernel
def _type_at(document: Any, start: int, end: int, i: int) -> int:
    return document.types[i] if start <= i < end else 0


@kernel
def _put(room: Any, n: int, template: int, value: float) -> int:
    """Note the feature ``value`` of a template."""
    room.keys[n] = key_pair(np.uint64(template), value)
    room.values[n] = 1.0
    return n + 1


@kernel
def _company(
    document: Any, types: Any, start: int, end: int, i: int, template: int, room: Any, n: int
) -> int:
    """The words beside another occurrence, each of them once."""
    for side in range(2):
        word = types.words[_type_at(document, start, end, i - 1 + 2 * side)]
        key = key_pair(np.uint64(template + side), word)
        known = False
        for k in range(n):
            if room.keys[k] == key:
                known = True
                break
        if not known:
            room.keys[n] = key
            room.values[n] = 1.0
            n += 1
    return n


@kernel
def _sentence_of(starts: Any, i: int) -> int:
    """The number of the sentence of word i."""
    low, high = 0, len(starts) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= i:
            low = middle
        else:
            high = middle
    return low


@kernel
def _elsewhere(document: Any, types: Any, i: int, room: Any, n: int) -> int:
    """The company that a capitalised word keeps where else it stands nearby (context aggregation)."""
    for side in range(2):
        link = document.after if side else document.before
        j, seen = link[i], 0
        while j >= 0 and abs(i - j) <= NEAR and seen < FEW:
            s = _sentence_of(document.starts, j)
            n = _company(
                document, types, document.starts[s], document.starts[s + 1], j, 40, room, n
            )
            seen += 1
            j = link[j]
    return n


@kernel
def _labels_before(document: Any, labels: Any, i: int, n_labels: int, room: Any, n: int) -> int:
    """How often the word got which label before (extended prediction history)."""
    room.counts[:n_labels] = 0
    j, seen = document.before[i], 0
    while j >= 0 and i - j <= FAR and seen < FEW:
        room.counts[labels[j]] += 1
        seen += 1
        j = document.before[j]
    for label in range(n_labels):
        if room.counts[label] > 0:
            n = _put(room, n, 50, label)
            room.values[n - 1] = room.counts[label] / seen
    return n


@kernel
def _labels_elsewhere(document: Any, i: int, n_labels: int, room: Any, n: int) -> int:
    """Which labels a first reading gave the word where else it stands (two-stage aggregation)."""
    room.counts[:n_labels] = 0
    found = False
    for side in range(2):
        link = document.after if side else document.before
        j = link[i]
        while j >= 0 and abs(i - j) <= FAR:
            room.counts[document.first[j]] += 1
            found = True
            j = link[j]
    if found:
        best = 0
        for label in range(n_labels):
            if room.counts[label] > room.counts[best]:
                best = label
            if room.counts[label] > 0:
                n = _put(room, n, 51, label)
        n = _put(room, n, 52, best)
    return n


@kernel
def _label_at(labels: Any, start: int, i: int) -> int:
    """The label of a word before this one in the sentence; 0, which is O, where there is none."""
    return labels[i] if i >= start else 0


@kernel
def _dynamic_keys(
    document: Any, types: Any, labels: Any, start: int, end: int, i: int, n_labels: int, room: Any
) -> int:
    """The keys of all features of word i that its type does not tell; how many."""
    n = 0
    one = np.uint64(_label_at(labels, start, i - 1))
    n = _put(room, n, 1, one)
    n = _put(room, n, 2, key_pair(one, _label_at(labels, start, i - 2)))
    three, five = 0, 0
    for place in range(PLACES):
        kind_of = _type_at(document, start, end, i + place - CENTRE)
        n = _put(room, n, 10 + place, key_pair(types.words[kind_of], one))
        five = five * N_KINDS + types.kinds[kind_of]
        if abs(place - CENTRE) <= 1:
            three = three * N_KINDS + types.kinds[kind_of]
    n = _put(room, n, 20, three)
    n = _put(room, n, 21, five)
    n = _put(room, n, 22, key_pair(one, three))
    n = _put(room, n, 23, i == start)
    here = types.words[document.types[i]]
    before = types.words[_type_at(document, start, end, i - 1)]
    after = types.words[_type_at(document, start, end, i + 1)]
    n = _put(room, n, 30, key_pair(before, here))
    n = _put(room, n, 31, key_pair(here, after))
    n = _put(room, n, 32, key_pair(before, after))
    reach = types.reach[document.types[i]]
    if reach >= HISTORY:
        n = _labels_before(document, labels, i, n_labels, room, n)
    if reach == ELSEWHERE:
        if len(document.first):
            n = _labels_elsewhere(document, i, n_labels, room, n)
        n = _elsewhere(document, types, i, room, n)
    return n


@kernel
def static_scores(table: Any, types: Any, vector_weights: Any, scores: Any) -> None:
    """What the type of a word says for each label, at each place: ``scores[type, place, label]``."""
    n_labels = scores.shape[2]
    for t in range(scores.shape[0]):
        for place in range(PLACES):
            into = scores[t, place]
            into[:] = 0
            at = t * PLACES + place
            for k in range(types.starts[at], types.starts[at + 1]):
                row = types.rows[k]
                if row >= 0:
                    for label in range(n_labels):
                        into[label] += table.weights[row, label]
            _add_vector(types, t, place, vector_weights, into)


@loose_kernel
def _dot(x: Any, y: Any) -> float:
    total = np.float32(0)
    for k in range(len(x)):
        total += x[k] * y[k]
    return total


@kernel
def _add_vector(types: Any, t: int, place: int, vector_weights: Any, scores: Any) -> None:
    """Add what the vector of a type says for each label."""
    vector = types.vector_of[t]
    if vector >= 0:
        for label in range(len(scores)):
            scores[label] += _dot(types.vectors[vector], vector_weights[place, label])


@kernel
def _best(scores: Any, allowed: Any) -> int:
    """The best of the labels that may stand here; the first of equals."""
    best = -1
    for label in range(len(allowed)):
        if allowed[label] and (best < 0 or scores[label] > scores[best]):
            best = label
    return best


@kernel
def _choose(scores: Any, allowed: Any, labels: Any, start: int, end: int, i: int) -> int:
    """The best label that can follow the one before, and can be the last one where a sentence ends."""
    before = _label_at(labels, start, i - 1)
    return _best(scores, allowed[before + (len(scores) if i == end - 1 else 0)])


@kernel
def tag_document(
    table: Any, static: Any, types: Any, document: Any, allowed: Any, room: Any, labels: Any
) -> None:
    """Give every word its best label, from left to right.

    ``allowed[y]`` tells which labels can follow y; ``allowed[n_labels + y]`` the same for the last word.
    """
    n_labels = static.shape[2]
    scores = room.scores
    for s in range(len(document.starts) - 1):
        start, end = document.starts[s], document.starts[s + 1]
        for i in range(start, end):
            scores[:] = 0
            for place in range(PLACES):
                said = static[_type_at(document, start, end, i + place - CENTRE), place]
                for label in range(n_labels):
                    scores[label] += said[label]
            n = _dynamic_keys(document, types, labels, start, end, i, n_labels, room)
            for k in range(n):
                row = find_row(table, room.keys[k])
                if row >= 0:
                    value = room.values[k]
                    for label in range(n_labels):
                        scores[label] += value * table.weights[row, label]
            labels[i] = _choose(scores, allowed, labels, start, end, i)


@kernel
def _keep(seed: int, step: int, k: int, dropout: float) -> bool:
    """Whether a feature is looked at in this step: a coin, the same in every run."""
    h = key_pair(key_pair(np.uint64(seed), step), k)
    return np.float64(h >> np.uint64(11)) >= dropout * _DROP_BITS


@kernel
def _static_rows(
    types: Any,
    document: Any,
    start: int,
    end: int,
    i: int,
    seed: int,
    step: int,
    dropout: float,
    room: Any,
) -> int:
    """The rows of what the types in the window say, but for those that are dropped; how many."""
    n, k = 0, 0
    for place in range(PLACES):
        at = _type_at(document, start, end, i + place - CENTRE) * PLACES + place
        for q in range(types.starts[at], types.starts[at + 1]):
            if _keep(seed, step, k, dropout):
                room.rows[n] = types.rows[q]
                n += 1
            k += 1
    return n


@kernel
def _add(
    weights: Any, sums: Any, row: int, right: int, wrong: int, value: float, steps: int
) -> None:
    weights[row, right] += value
    weights[row, wrong] -= value
    sums[row, right] += steps * value
    sums[row, wrong] -= steps * value


@kernel
def _add_times(weights: Any, sums: Any, x: Any, sign: int, steps: int) -> None:
    """Add a vector, or take it away."""
    for k in range(len(x)):
        weights[k] += np.float32(sign) * x[k]
        sums[k] += np.float64(steps) * x[k]


@kernel
def _update(
    table: Any,
    types: Any,
    vectors: Any,
    document: Any,
    place_of: Any,
    right: int,
    wrong: int,
    steps: int,
    n_static: int,
    n: int,
    room: Any,
) -> None:
    """Add the features to the weights of the right label, and take them from those of the wrong one."""
    start, end, i = place_of
    vector_weights, vector_sums = vectors
    for k in range(n_static):
        _add(table.weights, table.sums, room.rows[k], right, wrong, 1.0, steps)
    for k in range(n):
        row = row_for(table, room.keys[k])
        _add(table.weights, table.sums, row, right, wrong, room.values[k], steps)
    for place in range(PLACES):
        vector = types.vector_of[_type_at(document, start, end, i + place - CENTRE)]
        if vector >= 0:
            x = types.vectors[vector]
            _add_times(vector_weights[place, right], vector_sums[place, right], x, 1, steps)
            _add_times(vector_weights[place, wrong], vector_sums[place, wrong], x, -1, -steps)


@kernel
def _score_dynamic(table: Any, how: Any, step: int, n_keys: int, room: Any) -> int:
    """Add what the keys say to the scores, but for those that are dropped; how many are left."""
    _, dropout, seed = how
    n = 0
    for k in range(n_keys):
        if _keep(seed, step, len(room.rows) + k, dropout):
            key, value = room.keys[k], room.values[k]
            room.keys[n] = key
            room.values[n] = value
            n += 1
            row = find_row(table, key)
            if row >= 0:
                for label in range(len(room.scores)):
                    room.scores[label] += value * table.weights[row, label]
    return n


@kernel
def _rival(scores: Any, right: int) -> int:
    """The best label but for the right one."""
    rival = -1
    for label in range(len(scores)):
        if label != right and (rival < 0 or scores[label] > scores[rival]):
            rival = label
    return rival


@kernel
def learn_document(
    table: Any, vectors: Any, types: Any, document: Any, allowed: Any, gold: Any, how: Any, state: Any,
    room: Any, labels: Any,
) -> bool:  # fmt: skip
    """Learn from the words of a document, in order; False where the table is full before its end.

    ``how`` is (margin, dropout, seed), ``state`` (the next word, steps so far): with
    more room in the table, the work goes on where it was. Labels that were given before are the tagger's
    own, right or wrong, as they will be when it tags. ``sums`` has every update times the number of steps
    before it: the average of the weights over all T steps is then ``weights - sums / T``.
    """
    margin, dropout, seed = how
    scores, n_labels = room.scores, len(room.scores)
    for s in range(len(document.starts) - 1):
        start, end = document.starts[s], document.starts[s + 1]
        for i in range(max(start, state[0]), end):
            if table.used[0] + len(room.keys) > len(table.keys):
                return False
            step = state[1]
            scores[:] = 0
            n_static = _static_rows(types, document, start, end, i, seed, step, dropout, room)
            for k in range(n_static):
                for label in range(n_labels):
                    scores[label] += table.weights[room.rows[k], label]
            n_keys = _dynamic_keys(document, types, labels, start, end, i, n_labels, room)
            n = _score_dynamic(table, how, step, n_keys, room)
            for place in range(PLACES):
                t = _type_at(document, start, end, i + place - CENTRE)
                _add_vector(types, t, place, vectors[0], scores)
            right = gold[i]
            rival = _rival(scores, right)
            if scores[right] - scores[rival] <= margin:
                where = (start, end, i)
                _update(
                    table, types, vectors, document, where, right, rival, step, n_static, n, room
                )
            labels[i] = _choose(scores, allowed, labels, start, end, i)
            state[0] = i + 1
            state[1] = step + 1
    return True
