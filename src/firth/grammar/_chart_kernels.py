"""Kernels of coarse-to-fine parsing: a chart of all phrases, then vectors of those that are not pruned.

The coarse grammar has no states; phrases that are improbable with it are pruned. The others become a list of items
(symbol, first word, last word), short spans first, and a list of edges (rule, parent item, left item, right item),
those of a span together. The fine grammars, with a vector for each item, only go through these lists.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel, loose_kernel

__all__ = [
    "add_rule_counts", "best_lists", "coarse_inside", "coarse_outside", "count_edges", "fill_edges", "fine_inside",
    "fine_outside", "list_items",
]  # fmt: skip

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Short = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]


@loose_kernel
def coarse_inside(
    n: int, by_left: Integers, right: Short, by_pair: Integers, above: Short, p: Floats, allowed: Bytes,
    inside: Floats, active: Short, n_active: Short, left_of: Floats, right_of: Floats, left_ends: Short,
    right_ends: Short,
) -> None:  # fmt: skip
    """Inside probabilities of all phrases over allowed spans; tags must be filled in, and listed as active.

    Pairs of children are sorted by the left symbol: those of b are from ``by_left[b]`` to ``by_left[b + 1]``. Rules
    are sorted by pair: those of q are from ``by_pair[q]`` to ``by_pair[q + 1]``. The sum over all split points k of a
    pair is computed before its rules are applied; it is a dot product of contiguous arrays: ``left_of[i, b, k]`` is the
    phrase b over the words i to k, and ``right_of[j, c, k]`` the phrase c over k + 1 to j. ``left_ends`` and
    ``right_ends`` have the first and the last k with an entry.
    """
    n_symbols = inside.shape[2]
    # an empty range: the first split point is after the last
    for i in range(n):
        for a in range(n_symbols):
            left_ends[i, a, 0], left_ends[i, a, 1] = n, -1
            right_ends[i, a, 0], right_ends[i, a, 1] = n, -1
    for width in range(n):
        for i in range(n - width):
            j = i + width
            here = inside[i, j]
            if width > 0:
                n_active[i, j] = 0
                if not allowed[i, j]:
                    continue
                for b in range(n_symbols):
                    if left_ends[i, b, 1] < 0:  # no phrase b begins at i
                        continue
                    for q in range(by_left[b], by_left[b + 1]):
                        c = right[q]
                        # only split points where both children can exist
                        first = max(left_ends[i, b, 0], right_ends[j, c, 0])
                        last = min(left_ends[i, b, 1], right_ends[j, c, 1])
                        total = 0.0
                        for k in range(first, last + 1):
                            total += left_of[i, b, k] * right_of[j, c, k]
                        if total > 0.0:
                            for r in range(by_pair[q], by_pair[q + 1]):
                                here[above[r]] += p[r] * total
                # the symbols of the span, so that later kernels need not look at all of them
                count = 0
                for a in range(n_symbols):
                    if here[a] > 0.0:
                        active[i, j, count] = a
                        count += 1
                n_active[i, j] = count
            # the phrases of this span as left and right children of larger ones
            for e in range(n_active[i, j]):
                a = active[i, j, e]
                left_of[i, a, j] = here[a]
                left_ends[i, a, 0], left_ends[i, a, 1] = (
                    min(left_ends[i, a, 0], j),
                    max(left_ends[i, a, 1], j),
                )
                if i > 0:
                    right_of[j, a, i - 1] = here[a]
                    right_ends[j, a, 0] = min(right_ends[j, a, 0], i - 1)
                    right_ends[j, a, 1] = max(right_ends[j, a, 1], i - 1)


@loose_kernel
def coarse_outside(
    n: int, by_left: Integers, right: Short, by_pair: Integers, above: Short, p: Floats, inside: Floats, active: Short,
    n_active: Short, left_of: Floats, right_of: Floats, left_ends: Short, right_ends: Short, out_left: Floats,
    out_right: Floats, outside: Floats,
) -> None:  # fmt: skip
    """Outside probabilities of all phrases; those of the whole sentence must be filled in.

    ``out_left`` and ``out_right``, initially zeros, collect the outside probabilities of phrases as left and as right
    children, in the layout of ``left_of`` and ``right_of``.
    """
    n_symbols = inside.shape[2]
    for width in range(n - 1, -1, -1):
        for i in range(n - width):
            j = i + width
            around = outside[i, j]
            # all larger spans are done, so the sums of this one are complete
            for e in range(n_active[i, j]):
                a = active[i, j, e]
                around[a] += out_left[i, a, j]
                if i > 0:
                    around[a] += out_right[j, a, i - 1]
            if width == 0 or n_active[i, j] == 0:
                continue
            for b in range(n_symbols):
                for q in range(by_left[b], by_left[b + 1]):
                    c = right[q]
                    # left children begin at i, right ones end at j: the range is inside the span
                    first = max(left_ends[i, b, 0], right_ends[j, c, 0])
                    last = min(left_ends[i, b, 1], right_ends[j, c, 1])
                    if first > last:
                        continue
                    # the sum over parents does not depend on the split point
                    down = 0.0
                    for r in range(by_pair[q], by_pair[q + 1]):
                        down += p[r] * around[above[r]]
                    if down > 0.0:
                        for k in range(first, last + 1):
                            out_left[i, b, k] += down * right_of[j, c, k]
                            out_right[j, c, k] += down * left_of[i, b, k]


@kernel
def add_rule_counts(
    n: int, by_left: Integers, above: Short, right: Short, number: Short, p: Floats, inside: Floats, active: Short,
    n_active: Short, outside: Floats, counts: Floats,
) -> None:  # fmt: skip
    """Add the expected count of each rule in the trees of a sentence."""
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            if n_active[i, j] == 0:
                continue
            # already divided by the probability of the sentence
            around = outside[i, j]
            for k in range(i, j):
                other = inside[k + 1, j]
                for e in range(n_active[i, k]):
                    b = active[i, k, e]
                    weight = inside[i, k, b]
                    for r in range(by_left[b], by_left[b + 1]):
                        counts[number[r]] += p[r] * around[above[r]] * weight * other[right[r]]


@kernel
def list_items(
    n: int, inside: Floats, outside: Floats, active: Short, n_active: Short, least: float, items: Short,
    number_of: Short,
) -> int:  # fmt: skip
    """List the phrases whose probability is at least ``least``, and not zero; returns their number.

    ``number_of`` gets the index of each item, or -1 for pruned phrases.
    """
    count = 0
    for width in range(n):
        for i in range(n - width):
            j = i + width
            for e in range(n_active[i, j]):
                a = active[i, j, e]
                number_of[i, j, a] = -1
                # the probability of the phrase, given the sentence
                share = inside[i, j, a] * outside[i, j, a]
                if share > 0.0 and share >= least:
                    items[count, 0], items[count, 1], items[count, 2] = a, i, j
                    number_of[i, j, a] = count
                    count += 1
    return count


@kernel
def count_edges(
    n: int, by_left: Integers, above: Short, right: Short, active: Short, n_active: Short, number_of: Short
) -> int:  # fmt: skip
    """The number of edges, so that they can be allocated."""
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(i, j):
                for e in range(n_active[i, k]):
                    b = active[i, k, e]
                    if number_of[i, k, b] < 0:
                        continue
                    for r in range(by_left[b], by_left[b + 1]):
                        if number_of[k + 1, j, right[r]] >= 0 and number_of[i, j, above[r]] >= 0:
                            count += 1
    return count


@kernel
def fill_edges(
    n: int, by_left: Integers, above: Short, right: Short, number: Short, active: Short, n_active: Short,
    number_of: Short, edges: Short,
) -> None:  # fmt: skip
    """Fill in the edges: rule, parent item, left item, right item.

    Short spans come first, so that the children of an edge are complete when it is used.
    """
    count = 0
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            for k in range(i, j):
                for e in range(n_active[i, k]):
                    b = active[i, k, e]
                    left = number_of[i, k, b]
                    if left < 0:
                        continue
                    for r in range(by_left[b], by_left[b + 1]):
                        other, up = number_of[k + 1, j, right[r]], number_of[i, j, above[r]]
                        if other >= 0 and up >= 0:
                            edges[count, 0], edges[count, 1] = number[r], up
                            edges[count, 2], edges[count, 3] = left, other
                            count += 1


@loose_kernel
def fine_inside(edges: Short, tensors: Floats, inside: Floats) -> None:
    """Inside vectors of all items; those of tags must be filled in, the others zero."""
    m = inside.shape[1]
    for e in range(len(edges)):
        tensor, up = tensors[edges[e, 0]], inside[edges[e, 1]]
        left, right = inside[edges[e, 2]], inside[edges[e, 3]]
        for i in range(m):
            total = 0.0
            for j in range(m):
                part = 0.0  # so that left[j] is multiplied once, not m times
                for k in range(m):
                    part += tensor[i, j, k] * right[k]
                total += part * left[j]
            up[i] += total


@loose_kernel
def fine_outside(
    edges: Short, tensors: Floats, inside: Floats, outside: Floats, of_edges: Floats
) -> None:
    """Outside vectors of all items, and the weight of each edge; roots must be filled in, the others zero."""
    m = inside.shape[1]
    # backwards: the outside vector of a parent is complete before it is used
    for e in range(len(edges) - 1, -1, -1):
        tensor, up = tensors[edges[e, 0]], outside[edges[e, 1]]
        left, right = inside[edges[e, 2]], inside[edges[e, 3]]
        to_left, to_right = outside[edges[e, 2]], outside[edges[e, 3]]
        total = 0.0
        for i in range(m):
            weight = up[i]
            for j in range(m):
                part = 0.0
                times = weight * left[j]
                for k in range(m):
                    part += tensor[i, j, k] * right[k]
                    to_right[k] += tensor[i, j, k] * times
                to_left[j] += weight * part
                total += times * part
        of_edges[e] = total


@kernel
def best_lists(
    items: Short, edges: Short, of_items: Floats, of_edges: Floats, best: Floats, choice: Short
) -> None:
    """For each item, the best trees below it, by the sum of the values of their items and edges.

    ``choice`` has for each tree the edge, and the ranks of the left and right tree in their lists; the edge is -1 for
    tags. If there are fewer trees, ``best`` is -1e300.
    """
    n = best.shape[1]
    for item in range(len(items)):
        for rank in range(n):
            best[item, rank] = -1e300
            choice[item, rank, 0] = -1
        if items[item, 1] == items[item, 2]:
            best[item, 0] = of_items[item]
    # edges of short spans come first, so the lists of both children are complete
    for e in range(len(edges)):
        up, left, right = edges[e, 1], edges[e, 2], edges[e, 3]
        here = of_items[up] + of_edges[e]
        for a in range(n):
            if best[left, a] <= -1e299:
                break
            # with a better trees on the left and b on the right, (a + 1)(b + 1) - 1 combinations are better
            for b in range(n // (a + 1)):
                total = here + best[left, a] + best[right, b]
                if best[right, b] <= -1e299 or total <= best[up, n - 1]:
                    break
                # insert it into the sorted list
                rank = n - 1
                while rank > 0 and best[up, rank - 1] < total:
                    best[up, rank] = best[up, rank - 1]
                    for k in range(3):
                        choice[up, rank, k] = choice[up, rank - 1, k]
                    rank -= 1
                best[up, rank] = total
                choice[up, rank, 0], choice[up, rank, 1], choice[up, rank, 2] = e, a, b
