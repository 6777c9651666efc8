"""Ward's algorithm with a window: words are added one by one, in order of frequency.

(Stratos et al. 2014, figure 5.) The figure computes each distance from means of many dimensions when
it is needed. Here the distances between active clusters are stored, and updated after a merge by the
formula of Lance and Williams. Only the inner products of new words with the sums of the clusters are
computed from the vectors, for many words at once, and updated when a sum changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["Clusters", "add_points", "merge_clusters", "tighten"]

Array = npt.NDArray[Any]

_INFINITE = np.inf
_NEW = -2
"""The nearest cluster is the new point, which has no slot yet."""
_ROUNDING = 1 - 1e-12
"""By what a bound is lowered, so that it holds for rounded distances, too."""


class Clusters(NamedTuple):
    """The active clusters, in slots."""

    distance: Any
    """d(v, w), eq. 2."""
    size: Any
    """The number of words; 0 in a free slot."""
    sums: Any
    """The sum of the vectors of a cluster."""
    squares: Any
    """The squared length of that sum."""
    first: Any
    """The first word, which identifies the cluster."""
    least: Any
    """A lower bound of the distance to the nearest cluster."""
    nearest: Any
    """The cluster at that distance, if the bound is tight."""
    tight: Any
    searches: Any
    """The total number of searches for the smallest bound: steps 2(b) and 2(c)ii of the figure."""


@kernel
def tighten(v: int, clusters: Clusters) -> Any:
    """Find the nearest cluster of v."""
    best, at = _INFINITE, -1
    row, size = clusters.distance[v], clusters.size
    for w in range(len(size)):
        if size[w] == 0 or w == v or row[w] > best:
            continue
        if row[w] < best or at < 0 or clusters.first[w] < clusters.first[at]:
            best, at = row[w], w
    clusters.least[v], clusters.nearest[v], clusters.tight[v] = best, at, True


@kernel
def _nearest_pair(limit: float, of_new: Array, clusters: Clusters) -> Any:
    """A cluster of the nearest pair, or -1 if its distance is above ``limit``.

    ``of_new`` has the distance of each cluster to the new point, which has no slot yet.
    """
    least, size = clusters.least, clusters.size
    while True:
        clusters.searches[0] += 1
        best, at = _INFINITE, -1
        for v in range(len(size)):
            if size[v] == 0 or least[v] > best:
                continue
            if least[v] < best or at < 0 or clusters.first[v] < clusters.first[at]:
                best, at = least[v], v
        if at < 0 or best > limit:
            return -1
        if clusters.tight[at]:
            return at
        # only a bound that is the smallest of all is worth a search
        tighten(at, clusters)
        if of_new[at] < least[at]:
            least[at], clusters.nearest[at] = of_new[at], _NEW


@kernel
def _settle(slot: int, clusters: Clusters) -> Any:
    """The new point is in this slot now, alone or with others."""
    for v in range(len(clusters.size)):
        if clusters.nearest[v] == _NEW:
            clusters.nearest[v] = slot


@kernel
def _after_merge(v: int, cost: float, clusters: Clusters) -> Any:
    """Update bounds after a merge of this cost has changed the distances of v.

    Distances of other clusters to v have grown, or are covered by the bound of v. No two clusters were
    nearer than ``cost``, and the union is not nearer to any other than its parts were.
    """
    for w in range(len(clusters.size)):
        if clusters.nearest[w] == v:
            clusters.tight[w] = False
    clusters.least[v], clusters.tight[v] = cost * _ROUNDING, False


@kernel
def _merge(v: int, w: int, clusters: Clusters) -> Any:
    """Merge cluster w into v, which frees slot w."""
    d, size, first = clusters.distance, clusters.size, clusters.first
    # the squared length of the new sum, from those of its parts
    product = 0.0
    for i in range(clusters.sums.shape[1]):
        product += clusters.sums[v, i] * clusters.sums[w, i]
    clusters.squares[v] += clusters.squares[w] + 2.0 * product
    for i in range(clusters.sums.shape[1]):
        clusters.sums[v, i] += clusters.sums[w, i]
    a, b, between = float(size[v]), float(size[w]), d[v, w]
    for x in range(len(size)):
        if size[x] > 0 and x != v and x != w:
            c = float(size[x])
            # Lance and Williams; rounding could make it negative
            d[v, x] = max(((a + c) * d[v, x] + (b + c) * d[w, x] - c * between) / (a + b + c), 0.0)
            d[x, v] = d[v, x]
    size[v] += size[w]
    first[v] = min(first[v], first[w])
    size[w] = 0
    for x in range(len(size)):
        # w is gone, but the union is not nearer than w was, so the bound still holds
        if clusters.nearest[x] == w:
            clusters.tight[x] = False
    _after_merge(v, between, clusters)


@kernel
def _distances(x: int, square: float, products: Array, clusters: Clusters, found: Array) -> Any:
    """The distance of a point to every cluster (eq. 2); returns the nearest, the earliest if several."""
    size, first = clusters.size, clusters.first
    at, best = -1, _INFINITE
    for w in range(len(size)):
        if size[w] == 0:
            found[w] = _INFINITE
            continue
        n = float(size[w])
        # from inner products, so rounding could make it negative
        apart = square + clusters.squares[w] / (n * n) - 2.0 * products[x, w] / n
        found[w] = max(apart, 0.0) * n / (n + 1.0)
        if found[w] < best or (found[w] == best and first[w] < first[at]):
            at, best = w, found[w]
    return at


@kernel
def add_points(
    begin: int,
    points: Array,
    squares: Array,
    products: Array,
    inner: Array,
    clusters: Clusters,
    room: Array,
    names: Array,
    costs: Array,
) -> Any:
    """Add points, each followed by the merge of the nearest pair.

    ``products[i, w]`` is the inner product of point i and the sum of cluster w; ``inner`` has those of
    the points. The first words of the two clusters merged for point i are written to ``names[i]``.
    """
    size, first, d = clusters.size, clusters.first, clusters.distance
    n = len(points)
    for i in range(n):
        z = _distances(i, squares[i], products, clusters, room)
        v = _nearest_pair(room[z], room, clusters)
        w = v if v < 0 else clusters.nearest[v]
        if w == _NEW:
            v = -1
        if v >= 0:
            if first[v] > first[w]:
                v, w = w, v
            # on a tie the earlier first cluster wins; the new point is later than any other
            if d[v, w] == room[z] and first[v] > first[z]:
                v = -1
        if v < 0:
            names[i, 0], names[i, 1], costs[i] = first[z], begin + i, room[z]
            # Lance and Williams for a cluster of one point, which never takes a slot
            a, between = float(size[z]), room[z]
            for x in range(len(size)):
                if size[x] > 0 and x != z:
                    c = float(size[x])
                    d[z, x] = max(
                        ((a + c) * d[z, x] + (1.0 + c) * room[x] - c * between) / (a + 1.0 + c), 0.0
                    )
                    d[x, z] = d[z, x]
            clusters.squares[z] += squares[i] + 2.0 * products[i, z]
            for k in range(points.shape[1]):
                clusters.sums[z, k] += points[i, k]
            # products were computed for the whole block, before this sum changed
            for j in range(i + 1, n):
                products[j, z] += inner[j, i]
            size[z] += 1
            _settle(z, clusters)
            _after_merge(z, between, clusters)
        else:
            names[i, 0], names[i, 1], costs[i] = first[v], first[w], d[v, w]
            least, is_tight = room[z], z != v and z != w
            _merge(v, w, clusters)
            # the sum of v has grown by that of w, and slot w becomes the new point
            for j in range(i, n):
                products[j, v] += products[j, w]
                products[j, w] = inner[j, i]
            for k in range(points.shape[1]):
                clusters.sums[w, k] = points[i, k]
            size[w], first[w], clusters.squares[w] = 1, begin + i, squares[i]
            _distances(i, squares[i], products, clusters, room)
            for x in range(len(size)):
                if x != w:
                    d[w, x] = room[x]
                    d[x, w] = room[x]
            _settle(w, clusters)
            # its nearest cluster, unless that has just been merged
            clusters.least[w] = least if is_tight else least * _ROUNDING
            clusters.nearest[w], clusters.tight[w] = z if is_tight else v, is_tight


@kernel
def merge_clusters(
    n_merges: int, clusters: Clusters, room: Array, names: Array, costs: Array
) -> Any:
    """Merge the nearest pair, ``n_merges`` times."""
    room[:] = _INFINITE  # there are no more points
    for i in range(n_merges):
        v = _nearest_pair(_INFINITE, room, clusters)
        w = clusters.nearest[v]
        if clusters.first[v] > clusters.first[w]:
            v, w = w, v
        names[i, 0], names[i, 1] = clusters.first[v], clusters.first[w]
        costs[i] = clusters.distance[v, w]
        _merge(v, w, clusters)
