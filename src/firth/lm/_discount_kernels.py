"""Kernels that fit the discounts of trees of histories to held-out text.

``seen`` has the count of the outcome of each held-out symbol (rows) at each level of its history
(columns); ``kinds`` has what ``count_kinds`` says of the node there, with a total of 0 if there is no
node; ``lowest`` has the probability without any history.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.lm._tree_kernels import find

__all__ = ["fit_discounts", "probabilities", "trace"]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]

_STEPS, _MARGIN = 2, 0.01
"""Newton steps for each discount, and how far a discount stays from its limits."""


@kernel
def trace(
    text: Short, places: Short, maps: Any, given: int, outcome: int, rows: Integers, distances: Integers,
    children: Any, elements: Any, starts: Any, words: Any, counts: Short, node_kinds: Any, base: Any,
    seen: Short, kinds: Any, lowest: Floats,
) -> None:  # fmt: skip
    """What the nodes of the history of each symbol say of it; not at the beginning of a sentence."""
    n = 0
    for i in range(len(text)):
        if places[i] == 0:
            continue
        node: Any = np.int64(maps[given, text[i]]) if given >= 0 else np.int64(0)
        wanted = maps[outcome, text[i]]
        lowest[n] = base[node]
        for k in range(len(rows) + 1):
            if k > 0 and node >= 0:
                found = -1
                if places[i] >= distances[k - 1]:
                    element = maps[rows[k - 1], text[i - distances[k - 1]]]
                    found = find(elements, children[node], children[node + 1], element)
                node = found
            seen[n, k] = 0
            for m in range(4):
                kinds[n, k, m] = node_kinds[node, m] if node >= 0 else 0
            if node >= 0:
                found = find(words, starts[node], starts[node + 1], wanted)
                seen[n, k] = counts[found] if found >= 0 else 0
        n += 1


@kernel
def _left(kinds: Any, discounts: Floats) -> Any:
    """The share of a node that is left for the shorter history."""
    total = 0.0
    for k in range(1, 4):
        total += discounts[k] * kinds[k]
    return total / kinds[0]


@kernel
def probabilities(seen: Short, kinds: Any, lowest: Floats, discounts: Floats, out: Floats) -> None:
    """The probability of each symbol."""
    for i in range(len(lowest)):
        p = lowest[i]
        for k in range(seen.shape[1]):
            if kinds[i, k, 0] > 0:
                kept = (seen[i, k] - discounts[k, min(seen[i, k], 3)]) / kinds[i, k, 0]
                p = kept + _left(kinds[i, k], discounts[k]) * p
        out[i] = p


@kernel
def fit_discounts(
    level: int, seen: Short, kinds: Any, lowest: Floats, scale: Floats, other: Floats, discounts: Floats,
    lower: Floats, above: Floats, rest: Floats,
) -> None:  # fmt: skip
    """Move the discounts of one level to where held-out text is most probable, given all others.

    The probability of a symbol by the whole mixture is ``scale * p + other``, where ``p`` is that of the
    tree. It is linear in each discount, so the logarithm has one maximum. ``lower``, ``above`` and
    ``rest`` are scratch space: the probability by shorter histories, and how ``p`` depends on the
    probability of this level, ``above * p + rest``.
    """
    for i in range(len(lowest)):
        lower[i], above[i], rest[i] = lowest[i], 1.0, 0.0
        for k in range(seen.shape[1]):
            if kinds[i, k, 0] > 0 and k != level:
                left = _left(kinds[i, k], discounts[k])
                kept = (seen[i, k] - discounts[k, min(seen[i, k], 3)]) / kinds[i, k, 0]
                if k < level:
                    lower[i] = kept + left * lower[i]
                else:
                    above[i], rest[i] = above[i] * left, kept + left * rest[i]
    for m in range(1, 4):
        for _ in range(_STEPS):
            slope = bend = 0.0
            for i in range(len(lowest)):
                total, count = kinds[i, level, 0], seen[i, level]
                if total == 0:
                    continue
                kept = (count - discounts[level, min(count, 3)]) / total
                here = kept + _left(kinds[i, level], discounts[level]) * lower[i]
                p = scale[i] * (above[i] * here + rest[i]) + other[i]
                change = kinds[i, level, m] * lower[i]
                if min(count, 3) == m:
                    change -= 1.0
                change *= scale[i] * above[i] / (total * p)
                slope += change
                bend += change * change
            if bend == 0.0:
                break
            moved = discounts[level, m] + slope / bend
            discounts[level, m] = min(max(moved, _MARGIN), m - _MARGIN)
