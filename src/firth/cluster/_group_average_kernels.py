"""Find the two clusters whose union has the largest average similarity, without a matrix of all pairs.

Clusters live in slots 0 to m - 1. Each has a number (``ids``, as in SciPy's trees), a size, and ``within``:
the sum of similarities over all ordered pairs of different members. ``cross`` is an upper bound of its
average similarity to any other cluster, ``second`` to any but the cluster ``closest``. For two clusters with
the sum s of similarities across, the average over all pairs of their union is
(within + within' + 2 s) / (N (N - 1)) (Manning and Schütze 1999, 14.4 to 14.6).

``near`` and ``near_values`` are a short list of partners (numbers of clusters, or -1) with exact averages.
The first is the best one when the list is made; the others are valid if they are better than ``rest``, which
no partner outside the list exceeds. ``best`` is exact if ``sure``, and otherwise an upper bound. Newer
clusters are compared with older ones, not the other way round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.compute.kernels import kernel, loose_kernel

__all__ = ["best_pair", "dot", "look_around", "merge_slots", "multiply_few"]

Array = Any


@loose_kernel
def multiply_few(few: Array, rows: Array, first: int, last: int, out: Array) -> None:
    """``out[b, x]`` = ``few[b] @ rows[x]``; faster than a general product if one side has few rows."""
    zero = np.float32(0)
    for x in range(first, last):
        # four sums at a time, so that a value is loaded once for all of them
        for b in range(0, few.shape[0] - 3, 4):
            s0, s1, s2, s3 = zero, zero, zero, zero
            for k in range(few.shape[1]):
                value = rows[x, k]
                s0 += few[b, k] * value
                s1 += few[b + 1, k] * value
                s2 += few[b + 2, k] * value
                s3 += few[b + 3, k] * value
            out[b, x], out[b + 1, x], out[b + 2, x], out[b + 3, x] = s0, s1, s2, s3
        for b in range(few.shape[0] // 4 * 4, few.shape[0]):
            s0 = zero
            for k in range(few.shape[1]):
                s0 += few[b, k] * rows[x, k]
            out[b, x] = s0


@loose_kernel
def _averages(
    dots: Array, within: Array, sizes: Array, m: int, c: int, values: Array, across: Array
) -> None:
    """Approximate averages of one cluster with every other: over the union, and across per member."""
    for x in range(m):
        n = sizes[c] + sizes[x]
        values[x] = (within[c] + within[x] + 2.0 * dots[x]) / (n * (n - 1.0))
        across[x] = dots[x] / sizes[x]


@kernel
def dot(a: Array, b: Array) -> float:
    """An inner product in four partial sums, always in the same order."""
    # strict arithmetic keeps this order, and four chains of additions run in parallel
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = a.shape[0] // 4 * 4
    for k in range(0, whole, 4):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
    for k in range(whole, a.shape[0]):
        s0 += a[k] * b[k]
    return (s0 + s1) + (s2 + s3)


@kernel
def _exact(dots: Array, sums: Array, within: Array, sizes: Array, c: int, x: int) -> float:
    """The exact average of two clusters, summed in a fixed order; without sums, ``dots`` are exact."""
    across = dot(sums[c], sums[x]) if sums.shape[0] > 0 else np.float64(dots[x])
    n = sizes[c] + sizes[x]
    return (within[c] + within[x] + 2.0 * across) / (n * (n - 1.0))


@kernel
def _before(value: float, a: int, b: int, than: float, c: int, d: int) -> bool:
    """Whether a pair of clusters comes first: the larger average, then the lower numbers."""
    if value != than:
        return value > than
    if min(a, b) != min(c, d):
        return min(a, b) < min(c, d)
    return max(a, b) < max(c, d)


@kernel
def look_around(
    dots: Array, rows: Array, m: int, margin: float, sums: Array, ids: Array, sizes: Array, within: Array,
    cross: Array, second: Array, closest: Array, best: Array, sure: Array, near: Array, near_values: Array, rest: Array,
    scratch: Array,
) -> None:  # fmt: skip
    """Find the exact best partner of some clusters, and a short list of others.

    ``dots[b]`` are the sums of similarities between cluster ``rows[b]`` and every cluster; averages computed
    from them are wrong by at most ``margin``. ``scratch`` has two rows.
    """
    length, values, across = near.shape[1], scratch[0], scratch[1]
    # only entries of these clusters are written, so threads with other rows do not interfere
    for b in range(rows.shape[0]):
        c = rows[b]
        _averages(dots[b], within, sizes, m, c, values, across)
        values[c] = -np.inf
        for k in range(length):
            near[c, k], near_values[c, k] = -1, -np.inf
        most, next_most, who, found = -np.inf, -np.inf, -1, 0
        for x in range(m):
            if x == c:
                continue
            # two values: if the closest cluster is merged into this one, the second is the bound
            if across[x] > next_most:
                if across[x] > most:
                    most, next_most, who = across[x], most, x
                else:
                    next_most = across[x]
            if found < length or values[x] > near_values[c, length - 1]:
                k = min(found, length - 1)
                while k > 0 and near_values[c, k - 1] < values[x]:
                    near[c, k], near_values[c, k] = near[c, k - 1], near_values[c, k - 1]
                    k -= 1
                near[c, k], near_values[c, k] = x, values[x]
                found = min(found + 1, length)
        cross[c], second[c] = most / sizes[c] + margin, next_most / sizes[c] + margin
        closest[c] = ids[who]
        # a list of all partners leaves none to bound
        rest[c] = -np.inf if m - 1 <= length else near_values[c, length - 1] + margin
        _settle(dots[b], m, margin, sums, ids, sizes, within, near, near_values, rest, values, c)
        best[c], sure[c] = near_values[c, 0], True


@kernel
def _settle(
    dots: Array, m: int, margin: float, sums: Array, ids: Array, sizes: Array, within: Array, near: Array,
    near_values: Array, rest: Array, values: Array, c: int,
) -> None:  # fmt: skip
    """Compute exact averages for a short list, put the best of all partners first, and turn slots into numbers."""
    # both values may be wrong by the margin, so a true best partner can be this much lower
    length, floor = near.shape[1], near_values[c, 0] - 2.0 * margin
    others = near_values[c, length - 1] >= floor  # the best one may not be in the list
    for k in range(length):
        if near[c, k] >= 0:
            near_values[c, k] = _exact(dots, sums, within, sizes, c, near[c, k])
            near[c, k] = ids[near[c, k]]
    first = 0
    for k in range(1, length):
        if near[c, k] >= 0 and _before(
            near_values[c, k], ids[c], near[c, k], near_values[c, first], ids[c], near[c, first]
        ):
            first = k
    near[c, 0], near[c, first] = near[c, first], near[c, 0]
    near_values[c, 0], near_values[c, first] = near_values[c, first], near_values[c, 0]
    if others:
        for x in range(m):
            if values[x] >= floor:
                value = _exact(dots, sums, within, sizes, c, x)
                if _before(value, ids[c], ids[x], near_values[c, 0], ids[c], near[c, 0]):
                    near[c, 0], near_values[c, 0] = ids[x], value
                    # the list may lack the next best, so only its first partner can be used
                    rest[c] = value


@kernel
def best_pair(m: int, ids: Array, best: Array, sure: Array, near: Array, found: Array) -> float:
    """Put the cluster of the best sure pair into ``found``; returns the bound of all other clusters."""
    who, open_best = -1, -np.inf
    for c in range(m):
        if not sure[c]:
            open_best = max(open_best, best[c])
        elif who < 0 or _before(best[c], ids[c], near[c, 0], best[who], ids[who], near[who, 0]):
            who = c
    found[0] = who
    return open_best


@kernel
def merge_slots(
    u: int, v: int, number: int, across: float, m: int, slots: Array, ids: Array, sizes: Array, within: Array,
    cross: Array, second: Array, closest: Array, best: Array, sure: Array, near: Array, near_values: Array, rest: Array,
) -> None:  # fmt: skip
    """Merge the clusters in slots u < v into cluster ``number`` in slot u; the last cluster moves to slot v.

    ``across`` is the sum of similarities across the two clusters.
    """
    size = sizes[u] + sizes[v]
    # similarity across a union is the mean over its parts; the other part is no partner any more
    of_u = second[u] if closest[u] == ids[v] else cross[u]
    of_v = second[v] if closest[v] == ids[u] else cross[v]
    # no cluster has the number -1, so second is not used until it is computed again
    cross[u], closest[u] = (sizes[u] * of_u + sizes[v] * of_v) / size, -1
    sizes[u], within[u] = size, within[u] + within[v] + 2.0 * across
    slots[ids[u]] = slots[ids[v]] = -1
    ids[u] = number
    slots[number] = u
    last = m - 1
    if v < last:
        ids[v], sizes[v], within[v], cross[v] = ids[last], sizes[last], within[last], cross[last]
        second[v], closest[v] = second[last], closest[last]
        best[v], sure[v], rest[v] = best[last], sure[last], rest[last]
        for k in range(near.shape[1]):
            near[v, k], near_values[v, k] = near[last, k], near_values[last, k]
        slots[ids[v]] = v
    # pairs with the new cluster are covered by its own bound, so other bounds stay valid
    for c in range(last):
        if c != u and sure[c] and slots[near[c, 0]] < 0:
            _next_partner(c, slots, ids, best, sure, near, near_values, rest)
    sure[u], best[u] = False, -np.inf
    for x in range(last):  # an upper bound for the new cluster, from the bounds of both
        if x != u:
            n = sizes[u] + sizes[x]
            most = 2.0 * sizes[u] * sizes[x] * min(cross[u], cross[x])
            best[u] = max(best[u], (within[u] + within[x] + most) / (n * (n - 1.0)))


@kernel
def _next_partner(
    c: int,
    slots: Array,
    ids: Array,
    best: Array,
    sure: Array,
    near: Array,
    near_values: Array,
    rest: Array,
) -> None:
    """Take the next partner from the short list if it is surely the best; otherwise lower the bound."""
    first = -1
    for k in range(near.shape[1]):
        x = near[c, k]
        if x >= 0 and slots[x] >= 0:
            if first < 0 or _before(
                near_values[c, k], ids[c], x, near_values[c, first], ids[c], near[c, first]
            ):
                first = k
    # strictly: a partner outside the list could have the same value and a lower number
    sure[c] = first >= 0 and near_values[c, first] > rest[c]
    if sure[c]:
        best[c] = near_values[c, first]
        near[c, 0], near_values[c, 0] = near[c, first], near_values[c, first]
        if first > 0:
            near[c, first] = -1
    else:
        best[c] = min(best[c], rest[c])
