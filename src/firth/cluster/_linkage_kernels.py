"""Trees of merges: minimum spanning trees and nearest-neighbour chains, in quadratic time.

``grow_tree`` and ``follow_chain`` write some rows (an object of one cluster, an object of another, a
height) to ``merges`` and keep their state between calls, so that work can be shown and interrupted. Rows
are not in the order of their heights; ``number_clusters`` turns sorted rows into a tree in SciPy's form.

Vectors are in blocks of eight: ``blocks[b, k]`` has their values of dimension k. Eight sums of squared
differences are added up at once, by vector instructions, but the order of each sum is fixed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from firth.compute.kernels import kernel

__all__ = ["Chain", "Spanning", "follow_chain", "grow_tree", "number_clusters"]

Array = Any

SQUARES, L1, GIVEN = 0, 1, 2
"""What is compared: sums of squared differences, sums of differences, or given rows of distances."""
LANES = 8
"""The number of vectors in a block."""


@kernel
def _measure(blocks: Array, at: int, m: int, kind: int, out: Array) -> None:
    """The distances from the vector ``at`` to the first m; writes up to the end of the last block."""
    block, lane = at // LANES, at % LANES
    for b in range((m + LANES - 1) // LANES):
        s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(blocks.shape[1]):
            x, y = blocks[block, k, lane], blocks[b, k]
            d0, d1, d2, d3 = y[0] - x, y[1] - x, y[2] - x, y[3] - x
            d4, d5, d6, d7 = y[4] - x, y[5] - x, y[6] - x, y[7] - x
            if kind == SQUARES:
                s0, s1, s2, s3 = s0 + d0 * d0, s1 + d1 * d1, s2 + d2 * d2, s3 + d3 * d3
                s4, s5, s6, s7 = s4 + d4 * d4, s5 + d5 * d5, s6 + d6 * d6, s7 + d7 * d7
            else:
                s0, s1, s2, s3 = s0 + abs(d0), s1 + abs(d1), s2 + abs(d2), s3 + abs(d3)
                s4, s5, s6, s7 = s4 + abs(d4), s5 + abs(d5), s6 + abs(d6), s7 + abs(d7)
        here = b * LANES
        out[here], out[here + 1], out[here + 2], out[here + 3] = s0, s1, s2, s3
        out[here + 4], out[here + 5], out[here + 6], out[here + 7] = s4, s5, s6, s7


class Spanning(NamedTuple):
    """A tree that grows by the shortest edge (Prim): the objects outside, and then those inside."""

    blocks: Array
    """The vectors of the objects, or nothing."""
    ids: Array
    """The numbers of the objects."""
    near: Array
    """The distances of those outside to the tree, ..."""
    via: Array
    """... and the nearest objects there."""
    scratch: Array


@kernel
def grow_tree(
    first: int, last: int, given: Array, kind: int, tree: Spanning, merges: Array
) -> None:
    """Find the edges ``first`` to ``last`` of the minimum spanning tree."""
    blocks, ids, near, via = tree.blocks, tree.ids, tree.near, tree.via
    for step in range(first, last):
        m = len(ids) - 1 - step  # so many are outside; the newest one inside follows
        if kind == GIVEN:
            for s in range(m):
                tree.scratch[s] = given[ids[m], ids[s]]
        else:
            _measure(blocks, m, m, kind, tree.scratch)
        best = 0
        for s in range(m):
            if tree.scratch[s] < near[s]:
                near[s], via[s] = tree.scratch[s], ids[m]
            if near[s] <= near[best] and (near[s] < near[best] or ids[s] < ids[best]):
                best = s
        merges[step, 0], merges[step, 1], merges[step, 2] = via[best], ids[best], near[best]
        end = m - 1  # the best one changes places with the last one outside
        ids[best], ids[end] = ids[end], ids[best]
        near[best], via[best] = near[end], via[end]
        for k in range(blocks.shape[1]):
            value = blocks[best // LANES, k, best % LANES]
            blocks[best // LANES, k, best % LANES] = blocks[end // LANES, k, end % LANES]
            blocks[end // LANES, k, end % LANES] = value


class Chain(NamedTuple):
    """Clusters, each with the number of one of its objects, and a chain of nearest neighbours."""

    table: Array
    """For complete and average link, the distances, in SciPy's order."""
    starts: Array
    """The distance of i < j is ``table[starts[i] + j]``."""
    blocks: Array
    """For Ward's method, the means of the clusters; otherwise nothing."""
    ids: Array
    """The numbers of the clusters; the first of them are in use."""
    places: Array
    """For Ward's method, where the numbers are in ``ids``."""
    shares: Array
    """For Ward's method, one divided by the size, for ``ids``."""
    sizes: Array
    links: Array
    """Clusters, each of them the nearest neighbour of the one before."""
    scratch: Array


@kernel
def _distance(i: int, j: int, chain: Chain) -> float:
    return chain.table[chain.starts[i] + j] if i < j else chain.table[chain.starts[j] + i]


@kernel
def _nearest(x: int, before: int, m: int, chain: Chain) -> Any:
    """The nearest neighbour of x and its distance; in case of a tie ``before``, so that chains end."""
    ids, scratch = chain.ids, chain.scratch
    if len(chain.blocks) > 0:
        place = chain.places[x]
        _measure(chain.blocks, place, m, SQUARES, scratch)
        for s in range(m):  # twice what a merge adds to the sum of squares
            scratch[s] = 2.0 * scratch[s] / (chain.shares[s] + chain.shares[place])
        of_before = scratch[chain.places[before]] if before >= 0 else np.inf
        scratch[place] = np.inf
    else:
        for s in range(m):
            scratch[s] = _distance(x, ids[s], chain) if ids[s] != x else np.inf
        of_before = _distance(x, before, chain) if before >= 0 else np.inf
    best = 0 if ids[0] != x else 1
    for s in range(m):
        if scratch[s] <= scratch[best] and (scratch[s] < scratch[best] or ids[s] < ids[best]):
            best = s
    return (before if of_before == scratch[best] else ids[best]), scratch[best]


@kernel
def _merge_means(u: int, v: int, m: int, chain: Chain) -> None:
    """Move the mean of cluster u to that of its union with v; the last cluster takes the place of v."""
    blocks, a, b = chain.blocks, chain.sizes[u], chain.sizes[v]
    of_u, of_v, end = chain.places[u], chain.places[v], m - 1
    for k in range(blocks.shape[1]):
        x, y = blocks[of_u // LANES, k, of_u % LANES], blocks[of_v // LANES, k, of_v % LANES]
        blocks[of_u // LANES, k, of_u % LANES] = (a * x + b * y) / (a + b)
        blocks[of_v // LANES, k, of_v % LANES] = blocks[end // LANES, k, end % LANES]
    chain.shares[of_u] = 1.0 / (a + b)
    chain.shares[of_v], chain.ids[of_v] = chain.shares[end], chain.ids[end]
    chain.places[chain.ids[end]] = of_v


@kernel
def _merge_rows(u: int, v: int, m: int, average: bool, chain: Chain) -> None:
    """Set the distances of cluster u to those of its union with v (Lance and Williams)."""
    ids, a, b = chain.ids, chain.sizes[u], chain.sizes[v]
    kept = 0
    for s in range(m):
        i = ids[s]
        if i == v:
            continue
        ids[kept] = i  # they stay in order: rows of the table are read from left to right
        kept += 1
        if i != u:
            of_u, of_v = _distance(i, u, chain), _distance(i, v, chain)
            d = (a * of_u + b * of_v) / (a + b) if average else max(of_u, of_v)
            chain.table[chain.starts[min(i, u)] + max(i, u)] = d


@kernel
def follow_chain(
    first: int, last: int, length: int, average: bool, chain: Chain, merges: Array
) -> int:
    """Make the merges ``first`` to ``last``: of two clusters that are each other's nearest neighbours.

    ``length`` is that of the chain. Returns its new length.
    """
    links = chain.links
    for step in range(first, last):
        m = len(chain.ids) - step
        if length == 0:
            links[0], length = chain.ids[0], 1
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
        if len(chain.blocks) > 0:
            _merge_means(u, v, m, chain)
        else:
            _merge_rows(u, v, m, average, chain)
        chain.sizes[u] += chain.sizes[v]
        merges[step, 0], merges[step, 1], merges[step, 2] = u, v, height
        for s in range(length):  # again by rounding, one of them could be in it twice
            if links[s] == u or links[s] == v:
                length = s
                break
    return length


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
