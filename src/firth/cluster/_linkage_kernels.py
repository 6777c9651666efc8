"""Trees of merges: minimum spanning trees and nearest-neighbour chains, in quadratic time.

Both kernels add some rows (an object of one cluster, an object of another, a height) to ``merges`` and
keep their state between calls, so that work can be shown and interrupted. Rows are not in the order of
their heights; ``number_clusters`` turns sorted rows into a tree in SciPy's form.

Sums are in a fixed order, so that trees are the same bytes on every machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from firth.compute.kernels import kernel

__all__ = ["Chain", "Spanning", "follow_chain", "grow_tree", "number_clusters"]

Array = Any

EUCLIDEAN, L1, GIVEN = 0, 1, 2
"""How rows are compared: squared lengths of differences, sums of differences, or rows of distances."""


@kernel
def squared_distance(a: Array, b: Array) -> float:
    """The squared Euclidean distance, in eight partial sums."""
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = len(a) // 8 * 8
    for k in range(0, whole, 8):
        d0, d1, d2, d3 = a[k] - b[k], a[k + 1] - b[k + 1], a[k + 2] - b[k + 2], a[k + 3] - b[k + 3]
        d4, d5 = a[k + 4] - b[k + 4], a[k + 5] - b[k + 5]
        d6, d7 = a[k + 6] - b[k + 6], a[k + 7] - b[k + 7]
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
        s4 += d4 * d4
        s5 += d5 * d5
        s6 += d6 * d6
        s7 += d7 * d7
    for k in range(whole, len(a)):
        s0 += (a[k] - b[k]) * (a[k] - b[k])
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


@kernel
def _distance(rows: Array, i: int, j: int, kind: int) -> float:
    if kind == EUCLIDEAN:
        return squared_distance(rows[i], rows[j])
    if kind == GIVEN:
        return rows[i, j]
    total = 0.0
    for k in range(rows.shape[1]):
        total += abs(rows[i, k] - rows[j, k])
    return total


class Spanning(NamedTuple):
    """A tree that grows by the shortest edge (Prim), and what is outside."""

    outside: Array
    """Objects outside, in order; the first ``counts[0]`` count, and the newest object inside is among them."""
    near: Array
    """The distance from every object outside to the tree, ..."""
    via: Array
    """... and the nearest object there."""
    counts: Array
    """How many are outside, and the newest object inside."""


@kernel
def grow_tree(first: int, last: int, rows: Array, kind: int, tree: Spanning, merges: Array) -> None:
    """Find the edges ``first`` to ``last`` of the minimum spanning tree."""
    outside, near, via = tree.outside, tree.near, tree.via
    m, new = tree.counts[0], tree.counts[1]
    for step in range(first, last):
        kept, best = 0, -1
        for s in range(m):
            x = outside[s]
            if x == new:
                continue
            outside[kept] = x
            kept += 1
            d = _distance(rows, new, x, kind)
            if via[x] < 0 or d < near[x]:
                near[x], via[x] = d, new
            if best < 0 or near[x] < near[best]:
                best = x
        merges[step, 0], merges[step, 1], merges[step, 2] = via[best], best, near[best]
        m, new = kept, best
    tree.counts[0], tree.counts[1] = m, new


class Chain(NamedTuple):
    """Clusters, each in the slot of one of its objects, and a chain of nearest neighbours."""

    table: Array
    """For complete and average link, the distances, as SciPy orders them."""
    centres: Array
    """For Ward's method, the means of the clusters; otherwise empty."""
    starts: Array
    """The distance of i < j is ``table[starts[i] + j]``."""
    sizes: Array
    heights: Array
    """The height of the last merge of every cluster."""
    active: Array
    """The slots in use, in order."""
    links: Array
    """Each is the nearest neighbour of the one before."""
    counts: Array
    """How many slots are in use, and how long the chain is."""


@kernel
def _of_table(i: int, j: int, chain: Chain) -> float:
    return chain.table[chain.starts[i] + j] if i < j else chain.table[chain.starts[j] + i]


@kernel
def _of_centres(i: int, j: int, chain: Chain) -> float:
    """Twice the increase of the sum of squares if two clusters merge."""
    a, b = chain.sizes[i], chain.sizes[j]
    return 2.0 * a * b / (a + b) * squared_distance(chain.centres[i], chain.centres[j])


@kernel
def _nearest(x: int, before: int, m: int, chain: Chain) -> Any:
    """The nearest neighbour of x and its distance; in case of a tie ``before``, so that chains end."""
    by_centres = len(chain.centres) > 0
    best, at = np.inf, before
    if before >= 0:
        best = _of_centres(x, before, chain) if by_centres else _of_table(x, before, chain)
    for s in range(m):
        i = chain.active[s]
        if i != x:
            d = _of_centres(x, i, chain) if by_centres else _of_table(x, i, chain)
            if d < best or at < 0:
                best, at = d, i
    return at, best


@kernel
def _merge(u: int, v: int, m: int, average: bool, chain: Chain) -> None:
    """Merge the cluster in slot v into that in slot u < v; distances by Lance and Williams."""
    a, b = chain.sizes[u], chain.sizes[v]
    if len(chain.centres) > 0:
        for k in range(chain.centres.shape[1]):
            chain.centres[u, k] = (a * chain.centres[u, k] + b * chain.centres[v, k]) / (a + b)
    kept = 0
    for s in range(m):
        i = chain.active[s]
        if i == v:
            continue
        chain.active[kept] = i
        kept += 1
        if i != u and len(chain.centres) == 0:
            of_u, of_v = _of_table(i, u, chain), _of_table(i, v, chain)
            d = (a * of_u + b * of_v) / (a + b) if average else max(of_u, of_v)
            chain.table[chain.starts[min(i, u)] + max(i, u)] = d
    chain.sizes[u] = a + b


@kernel
def follow_chain(first: int, last: int, average: bool, chain: Chain, merges: Array) -> None:
    """Merge ``first`` to ``last``: always two clusters that are each other's nearest neighbours."""
    links, heights = chain.links, chain.heights
    m, length = chain.counts[0], chain.counts[1]
    for step in range(first, last):
        if length == 0:
            links[0], length = chain.active[0], 1
        while True:
            x, before = links[length - 1], links[length - 2] if length > 1 else -1
            y, height = _nearest(x, before, m, chain)
            if y == before:
                break
            if length == len(links):  # only by rounding; a chain can start anywhere
                length = 0
            links[length] = y
            length += 1
        u, v = min(x, y), max(x, y)
        _merge(u, v, m, average, chain)
        m -= 1
        height = max(height, max(heights[u], heights[v]))  # which only rounding could prevent
        merges[step, 0], merges[step, 1], merges[step, 2] = u, v, height
        heights[u] = height
        for s in range(length):  # after rounding, a cluster could be in the chain twice
            if links[s] == u or links[s] == v:
                length = s
                break
    chain.counts[0], chain.counts[1] = m, length


@kernel
def number_clusters(merges: Array, parent: Array, tree: Array) -> None:
    """Turn merges of objects, in the order of their heights, into a tree of numbered clusters."""
    n = len(merges) + 1
    for i in range(2 * n - 1):
        parent[i] = i
    for k in range(n - 1):
        for side in range(2):
            x = np.int64(merges[k, side])
            while parent[x] != x:  # paths are halved on the way
                parent[x] = parent[parent[x]]
                x = parent[x]
            tree[k, side] = x
        a, b = np.int64(tree[k, 0]), np.int64(tree[k, 1])
        tree[k, 0], tree[k, 1], tree[k, 2] = min(a, b), max(a, b), merges[k, 2]
        tree[k, 3] = (tree[a - n, 3] if a >= n else 1.0) + (tree[b - n, 3] if b >= n else 1.0)
        parent[a] = parent[b] = n + k
