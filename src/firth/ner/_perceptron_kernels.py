"""The inner loops of the averaged perceptron: scores of labels, tagging and training."""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel
from firth.compute.portable_kernels import dot32
from firth.ner._feature_kernels import CENTRE, PLACES, dynamic_keys, label_at, type_at
from firth.ner._key_kernels import find_row, key_pair, row_for

__all__ = ["best_labels", "learn_document", "static_scores", "tag_document"]

_DROP_BITS = np.float64(2.0**53)


@kernel
def static_scores(table: Any, types: Any, vector_weights: Any, scores: Any) -> None:
    """Sum the weights of each word type at each position: ``scores[type, position, label]``."""
    n_labels = scores.shape[2]
    for t in range(scores.shape[0]):
        for place in range(PLACES):
            into = scores[t, place]
            into[:] = 0
            at = t * PLACES + place
            for k in range(types.starts[at], types.starts[at + 1]):
                row = types.rows[k]
                # a feature without a row has no weights
                if row >= 0:
                    for label in range(n_labels):
                        into[label] += table.weights[row, label]
            _add_vector(types, t, place, vector_weights, into)


@kernel
def _add_vector(types: Any, t: int, place: int, vector_weights: Any, scores: Any) -> None:
    """Add the score that the vector of a type gives to each label."""
    vector = types.vector_of[t]
    if vector >= 0:
        for label in range(len(scores)):
            scores[label] += dot32(types.vectors[vector], vector_weights[place, label])


@kernel
def _best(scores: Any, allowed: Any) -> int:
    """The allowed label with the highest score; the first one if several have it."""
    best = -1
    for label in range(len(allowed)):
        if allowed[label] and (best < 0 or scores[label] > scores[best]):
            best = label
    return best


@kernel
def _choose(scores: Any, allowed: Any, labels: Any, start: int, end: int, i: int) -> int:
    """The best label that can follow the previous one and, at the end of a sentence, can be the last."""
    before = label_at(labels, start, i - 1)
    return _best(scores, allowed[before + (len(scores) if i == end - 1 else 0)])


@kernel
def tag_document(
    table: Any, vector_weights: Any, static: Any, types: Any, document: Any, allowed: Any, work: Any,
    labels: Any, all_scores: Any,
) -> None:  # fmt: skip
    """Give every word its best label, from left to right, and leave the scores of all labels.

    ``allowed[y]`` marks the labels that can follow y, ``allowed[n_labels + y]`` those that can follow it
    as the last label of a sentence.
    """
    n_labels = static.shape[2]
    topic = work.topic
    for label in range(n_labels):
        topic[label] = dot32(document.topic, vector_weights[PLACES, label])
    for s in range(len(document.starts) - 1):
        start, end = document.starts[s], document.starts[s + 1]
        for i in range(start, end):
            scores = all_scores[i]
            for label in range(n_labels):
                scores[label] = topic[label]
            for place in range(PLACES):
                of_type = static[type_at(document, start, end, i + place - CENTRE), place]
                for label in range(n_labels):
                    scores[label] += of_type[label]
            n = dynamic_keys(document, types, labels, start, end, i, n_labels, work)
            for k in range(n):
                row = find_row(table, work.keys[k])
                if row >= 0:
                    value = work.values[k]
                    for label in range(n_labels):
                        scores[label] += value * table.weights[row, label]
            labels[i] = _choose(scores, allowed, labels, start, end, i)


@kernel
def _best_whole(scores: Any) -> int:
    """The best label that can end a sentence: O, or L or U of a type."""
    best = 0
    for first in range(1, len(scores), 4):
        for label in range(first + 2, first + 4):
            if scores[label] > scores[best]:
                best = label
    return best


@kernel
def _goes_on(label: int) -> bool:
    """Whether a label is I or L, which continue an entity."""
    return label > 0 and (label - 1) & 3 in (1, 2)


@kernel
def _best_open(scores: Any, label: int) -> int:
    """The best label before an I or L: B or I of the same type."""
    first = label - ((label - 1) & 3)
    return first + 1 if scores[first + 1] > scores[first] else first


@kernel
def best_labels(scores: Any, starts: Any, labels: Any) -> None:
    """Give the words of each sentence the valid labels with the highest sum of scores (Viterbi).

    Only I and L depend on what is before them, so their scores are replaced by what they have with the best
    labels before, less what whole entities before have. All other scores stay as they are.
    """
    for s in range(len(starts) - 1):
        start, end = starts[s], starts[s + 1]
        for label in range(1, scores.shape[1]):
            if start < end and _goes_on(label):
                scores[start, label] = -np.inf
        for i in range(start + 1, end):
            before = scores[i - 1]
            whole = before[_best_whole(before)]
            for label in range(1, scores.shape[1]):
                if _goes_on(label):
                    scores[i, label] += before[_best_open(before, label)] - whole
        for i in range(end - 1, start - 1, -1):
            if i + 1 < end and _goes_on(labels[i + 1]):
                labels[i] = _best_open(scores[i], labels[i + 1])
            else:
                labels[i] = _best_whole(scores[i])


@kernel
def _keep(seed: int, step: int, k: int, dropout: float) -> bool:
    """Whether dropout keeps a feature in this step: a hash, so that every run is the same."""
    h = key_pair(key_pair(np.uint64(seed), step), k)
    # 53 bits, which float64 represents exactly
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
    work: Any,
) -> int:
    """Find the rows of the word types in the window that dropout keeps; returns their number."""
    n, k = 0, 0
    for place in range(PLACES):
        at = type_at(document, start, end, i + place - CENTRE) * PLACES + place
        for q in range(types.starts[at], types.starts[at + 1]):
            if _keep(seed, step, k, dropout):
                work.rows[n] = types.rows[q]
                n += 1
            # dropped features count too, so k always denotes the same feature
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
    """Add a vector to the weights, or subtract it."""
    for k in range(len(x)):
        weights[k] += np.float32(sign) * x[k]
        # the sign is in steps already
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
    work: Any,
) -> None:
    """Perceptron update: add the features to the right label, and subtract them from the wrong one."""
    start, end, i = place_of
    vector_weights, vector_sums = vectors
    for k in range(n_static):
        _add(table.weights, table.sums, work.rows[k], right, wrong, 1.0, steps)
    for k in range(n):
        # only now, so that a feature gets a row when its weights first change
        row = row_for(table, work.keys[k])
        _add(table.weights, table.sums, row, right, wrong, work.values[k], steps)
    for place in range(PLACES):
        vector = types.vector_of[type_at(document, start, end, i + place - CENTRE)]
        if vector >= 0:
            x = types.vectors[vector]
            _add_times(vector_weights[place, right], vector_sums[place, right], x, 1, steps)
            _add_times(vector_weights[place, wrong], vector_sums[place, wrong], x, -1, -steps)
    x = document.topic
    _add_times(vector_weights[PLACES, right], vector_sums[PLACES, right], x, 1, steps)
    _add_times(vector_weights[PLACES, wrong], vector_sums[PLACES, wrong], x, -1, -steps)


@kernel
def _score_dynamic(table: Any, how: Any, step: int, n_keys: int, work: Any) -> int:
    """Add the weights of the keys that dropout keeps to the scores; returns the number of keys kept."""
    _, dropout, seed = how
    n = 0
    for k in range(n_keys):
        # numbered after all features of word types, to be dropped independently of them
        if _keep(seed, step, len(work.rows) + k, dropout):
            # kept keys move to the front; n is never above k
            key, value = work.keys[k], work.values[k]
            work.keys[n] = key
            work.values[n] = value
            n += 1
            row = find_row(table, key)
            if row >= 0:
                for label in range(len(work.scores)):
                    work.scores[label] += value * table.weights[row, label]
    return n


@kernel
def _rival(scores: Any, right: int) -> int:
    """The best label other than the right one."""
    rival = -1
    for label in range(len(scores)):
        if label != right and (rival < 0 or scores[label] > scores[rival]):
            rival = label
    return rival


@kernel
def learn_document(
    table: Any, vectors: Any, types: Any, document: Any, allowed: Any, gold: Any, how: Any, state: Any,
    work: Any, labels: Any,
) -> bool:  # fmt: skip
    """Train on the words of a document, in order; returns False if the table became full.

    ``how`` is (margin, dropout, seed), ``state`` is (next word, steps so far): after the table has been
    enlarged, a second call continues from there. Previous labels are the predicted ones, right or wrong,
    as they will be when text is tagged. ``sums`` adds up every update times the number of steps before
    it; the average of the weights over T steps is then ``weights - sums / T``.
    """
    margin, dropout, seed = how
    scores, n_labels = work.scores, len(work.scores)
    for s in range(len(document.starts) - 1):
        start, end = document.starts[s], document.starts[s + 1]
        for i in range(max(start, state[0]), end):
            # tested before anything changes, so that a second call can begin with this word
            if table.used[0] + len(work.keys) > len(table.keys):
                return False
            step = state[1]
            scores[:] = 0
            n_static = _static_rows(types, document, start, end, i, seed, step, dropout, work)
            for k in range(n_static):
                for label in range(n_labels):
                    scores[label] += table.weights[work.rows[k], label]
            n_keys = dynamic_keys(document, types, labels, start, end, i, n_labels, work)
            n = _score_dynamic(table, how, step, n_keys, work)
            for place in range(PLACES):
                t = type_at(document, start, end, i + place - CENTRE)
                _add_vector(types, t, place, vectors[0], scores)
            for label in range(n_labels):
                scores[label] += dot32(document.topic, vectors[0][PLACES, label])
            right = gold[i]
            rival = _rival(scores, right)
            if scores[right] - scores[rival] <= margin:
                where = (start, end, i)
                _update(
                    table, types, vectors, document, where, right, rival, step, n_static, n, work
                )
            labels[i] = _choose(scores, allowed, labels, start, end, i)
            state[0] = i + 1
            state[1] = step + 1
    return True
