"""Kernels that learn trees of histories, and look words up in them.

A history is a list of elements, the nearest first: words before the predicted one, or their classes.
Every node of the tree is a history; its children are longer by one element. Nodes are numbered by
level, and within a level by parent and element. ``children`` has the first child of each node,
``elements`` the element that each node adds, and ``starts`` the first outcome of each node.

``maps`` has a row for words and one for each clustering, with the element of each symbol. ``places``
has the place of each symbol in its sentence, which is 0 for the beginning of a sentence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.compute.search_kernels import first_not_below

__all__ = [
    "BITS",
    "add_extensions",
    "add_positions",
    "count_kinds",
    "descend",
    "find",
    "history_keys",
    "interpolate",
    "multiply",
    "outcome_keys",
]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

BITS = 21
"""The bits of a symbol in a key; the others are the number of a node."""


@kernel
def find(row: Any, first: Any, last: Any, wanted: Any) -> int:
    """The place of a number in a sorted row, or -1."""
    begin: Any = np.int64(first)
    end: Any = np.int64(last)
    place = first_not_below(row, begin, end, wanted)
    return place if place < last and row[place] == wanted else -1


@kernel
def outcome_keys(nodes: Integers, text: Short, outcome_of: Short, keys: Keys) -> int:
    """Keys of the outcomes after the history of each symbol; returns their number.

    ``nodes`` has the node of each history; -1 at the beginning of a sentence, and -2 - node if the
    history does not become longer.
    """
    n = 0
    for i in range(len(nodes)):
        if nodes[i] >= 0:
            outcome = np.uint64(outcome_of[text[i]])
            keys[n] = np.uint64(nodes[i]) << np.uint64(BITS) | outcome
            n += 1
    return n


@kernel
def history_keys(
    nodes: Integers, begin: int, text: Short, places: Short, element_of: Short, distance: int, keys: Keys
) -> int:  # fmt: skip
    """Keys of the histories of each symbol from ``begin`` on, longer by one element; returns their number."""
    n = 0
    for i in range(len(nodes)):
        if nodes[i] >= 0 and places[begin + i] >= distance:
            element = np.uint64(element_of[text[begin + i - distance]])
            keys[n] = np.uint64(nodes[i]) << np.uint64(BITS) | element
            n += 1
    return n


@kernel
def descend(
    nodes: Integers, begin: int, text: Short, places: Short, element_of: Short, distance: int,
    children: Integers, elements: Short, first_parent: int, first_child: int,
) -> None:  # fmt: skip
    """Replace the history of each symbol by the one that is longer, where there is one.

    ``children`` and ``elements`` are those of one level.
    """
    for i in range(len(nodes)):
        if nodes[i] < 0:
            continue
        found = -1
        if places[begin + i] >= distance:
            parent = nodes[i] - first_parent
            wanted = element_of[text[begin + i - distance]]
            found = find(elements, children[parent], children[parent + 1], wanted)
        nodes[i] = found + first_child if found >= 0 else -2 - nodes[i]


@kernel
def add_positions(
    nodes: Integers, text: Short, outcome_of: Short, starts: Any, words: Any, counts: Short
) -> None:
    """Count each outcome after the longest history of its symbol."""
    for i in range(len(nodes)):
        if nodes[i] == -1:
            continue
        node = nodes[i] if nodes[i] >= 0 else -2 - nodes[i]
        counts[find(words, starts[node], starts[node + 1], outcome_of[text[i]])] += 1


@kernel
def add_extensions(
    begin: int, end: int, parents: Any, starts: Any, words: Any, counts: Short
) -> None:
    """Count the histories, longer by one element, after which each outcome was seen."""
    for node in range(begin, end):
        parent = parents[node]
        for i in range(starts[node], starts[node + 1]):
            counts[find(words, starts[parent], starts[parent + 1], words[i])] += 1


@kernel
def count_kinds(begin: int, end: int, starts: Any, counts: Short, kinds: Any) -> None:
    """For each node: the sum of its counts, and the numbers of outcomes seen once, twice, and more often."""
    for node in range(begin, end):
        kinds[node, :] = 0
        for i in range(starts[node], starts[node + 1]):
            kinds[node, 0] += counts[i]
            kinds[node, min(counts[i], 3)] += 1


@kernel
def interpolate(
    begin: int, end: int, parents: Any, starts: Any, words: Any, counts: Short, kinds: Any, discounts: Floats,
    base: Any, p: Floats, backoff: Any,
) -> None:  # fmt: skip
    """The probability of each outcome, and the share of each node that is left for the shorter history.

    Nodes without a parent share the base probabilities.
    """
    for node in range(begin, end):
        total, parent = kinds[node, 0], parents[node]
        if total == 0:
            backoff[node] = 1.0
            continue
        left = 0.0
        for k in range(1, 4):
            left += discounts[k] * kinds[node, k] / total
        backoff[node] = left
        for i in range(starts[node], starts[node + 1]):
            lower = np.float64(base[min(node, len(base) - 1)])
            if parent >= 0:
                lower = p[find(words, starts[parent], starts[parent + 1], words[i])]
            p[i] = (counts[i] - discounts[min(counts[i], 3)]) / total + left * lower


@kernel
def multiply(
    text: Short, places: Short, maps: Any, given: int, outcome: int, rows: Integers, distances: Integers,
    children: Any, elements: Any, backoff: Any, starts: Any, words: Any, p: Any, base: Any, path: Integers,
    out: Floats,
) -> None:  # fmt: skip
    """Multiply ``out`` by the probability of each outcome; not at the beginning of a sentence.

    ``given``, ``outcome`` and ``rows`` are rows of ``maps``; nothing is given if it is -1.
    """
    for i in range(len(text)):
        if places[i] == 0:
            continue
        node: Any = np.int64(maps[given, text[i]]) if given >= 0 else np.int64(0)
        wanted, depth = maps[outcome, text[i]], 0
        path[0] = node
        value, weight = np.float64(base[node]), 1.0
        for k in range(len(rows)):
            if places[i] < distances[k]:
                break
            element = maps[rows[k], text[i - distances[k]]]
            found = find(elements, children[node], children[node + 1], element)
            if found < 0:
                break
            node, depth = found, depth + 1
            path[depth] = node
        for d in range(depth, -1, -1):
            found = find(words, starts[path[d]], starts[path[d] + 1], wanted)
            if found >= 0:
                value = np.float64(p[found])
                break
            weight *= backoff[path[d]]
        out[i] *= weight * value
