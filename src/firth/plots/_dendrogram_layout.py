"""The layout of a dendrogram: order, clusters, colours and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.cluster import check_linkage, cut_tree, inversions
from firth.errors import InputError, check_count, wrong_parameter

__all__ = ["COLOURS", "Layout", "clean", "lay_out", "short"]

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c00", "#7a6fd0")
"""Colours that colour-blind people can distinguish (after Okabe and Ito)."""
_MOST_LEAVES, _CLUSTERS = 400, 100
"""Larger trees are drawn as this number of clusters."""
_MOST_ORDERED = 500
"""Ordering more leaves than this would take too long."""
_PARTS = 50
"""Without a given cut, clusters with at least one in 50 of the leaves, and two, get a colour."""
_MEMBERS = 12
"""Number of objects of a cluster that are listed by name."""
_JOINERS = "\u200c\u200d"
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A tree, ready to be drawn.

    Attributes
    ----------
    labels : list of str
        The name of every object, without unprintable characters.
    children : array of shape (n - 1, 2)
        Both parts of every merge, in the order in which they are drawn.
    heights : array of shape (2 n - 1,)
        Of objects and merges.
    colours : array of shape (2 n - 1,)
        The colour of each node: the number of its cluster, or -1 above the clusters and in small ones.
    n_clusters : int
        Number of clusters, including single objects.
    inverted : array
        The merges that are lower than one of their parts.
    rows : int
        Number of objects and clusters that are drawn at first.
    """

    labels: list[str]
    children: Ids
    heights: npt.NDArray[np.float64]
    colours: Ids
    n_clusters: int
    inverted: Ids
    rows: int

    @property
    def n(self) -> int:
        return len(self.labels)

    @cached_property
    def sizes(self) -> Ids:
        sizes = np.ones(2 * self.n - 1, np.int64)
        for i, (a, b) in enumerate(self.children.tolist()):
            sizes[self.n + i] = sizes[a] + sizes[b]
        return sizes

    @property
    def opened(self) -> range:
        """The merges that are drawn: the last ones."""
        return range(2 * self.n - self.rows, 2 * self.n - 1)

    @cached_property
    def base(self) -> float:
        """The height of leaves: 0, or a little below the lowest merge drawn if all are far from 0."""
        drawn = self.heights[self.opened.start :]
        low, high = float(drawn.min()), float(drawn.max())
        below = (0.1 if self.rows == self.n else 0.3) * (high - low or abs(low))
        return 0.0 if 0 <= low <= high / 3 else low - below

    def begin(self, node: int) -> float:
        """Where the branch of a node begins; collapsed clusters below the axis are drawn at its end."""
        if node < self.n:
            return self.base
        height = float(self.heights[node])
        return (
            height
            if node in self.opened
            else max(height, self.base + 0.06 * (self.high - self.base))
        )

    @cached_property
    def high(self) -> float:
        return float(self.heights[self.opened.start :].max())

    def visible(self) -> list[int]:
        """The objects and collapsed clusters that are drawn, in order."""
        found, waiting = [], [2 * self.n - 2]
        while waiting:
            node = waiting.pop()
            if node not in self.opened:
                found.append(node)
            else:
                waiting += self.children[node - self.n, ::-1].tolist()
        return found

    @cached_property
    def first(self) -> list[list[int]]:
        """The first few objects of every node."""
        found = [[i] for i in range(self.n)]
        for a, b in self.children.tolist():
            found.append(sorted(found[a] + found[b])[:_MEMBERS])
        return found

    def warning(self) -> str:
        """A warning if the tree is not monotonic, otherwise empty."""
        if not len(self.inverted):
            return ""
        n, of = len(self.inverted), len(self.children)
        which = "1 merge is" if n == 1 else f"{n:,} merges are"
        return (
            f"{which} lower than one of {'its' if n == 1 else 'their'} parts (of {of:,}; marked ◆): the "
            "similarity is not monotonic, and what is close in the tree need not be similar."
        )


def lay_out(
    tree: npt.ArrayLike,
    labels: Sequence[str],
    n_clusters: int | None = None,
    distances: npt.ArrayLike | None = None,
    rows: int | None = None,
) -> Layout:
    """Check a tree and its labels, and choose order, clusters and colours. See ``dendrogram_figure``."""
    checked = check_linkage(tree)
    n = len(checked) + 1
    if n < 2:
        raise InputError("A dendrogram needs at least two objects.")
    if len(labels) != n:
        raise InputError(f"The tree has {n:,} objects, but there are {len(labels):,} labels.")
    if rows is not None:
        check_count("dendrogram_figure", "rows", rows, 2)
    children = _in_order(checked, distances)
    least = 2
    if n_clusters is None:
        least = max(2, n // _PARTS)
        n_clusters = _informative_cut(checked, least)
    check_count("dendrogram_figure", "n_clusters", n_clusters)
    if n_clusters > n:
        most = f"an int of at most {n:,} (the number of objects)"
        raise wrong_parameter("dendrogram_figure", "n_clusters", most, n_clusters)
    rows = rows or (n if n <= _MOST_LEAVES else _CLUSTERS)
    return Layout(
        [clean(label) for label in labels],
        children,
        np.concatenate([np.zeros(n), checked[:, 2]]),
        _coloured(children, cut_tree(checked, n_clusters), n_clusters, least),
        n_clusters,
        inversions(checked),
        min(rows, n),
    )


def _in_order(tree: npt.NDArray[np.float64], distances: npt.ArrayLike | None) -> Ids:
    """Both parts of every merge, in the order in which they are drawn.

    If distances are known and there are not too many objects, neighbours are as similar as the tree
    allows (Bar-Joseph et al. 2001, by SciPy). Otherwise the lower part comes first, and a single object
    after a cluster.
    """
    n = len(tree) + 1
    if distances is not None:
        given = np.asarray(distances, np.float64)
        condensed = given[np.triu_indices(n, 1)] if given.shape == (n, n) else given
        if condensed.shape != (n * (n - 1) // 2,):
            raise InputError(f"The distances of {n:,} objects must be a matrix of {n:,} × {n:,}.")
        if n <= _MOST_ORDERED:
            from scipy.cluster.hierarchy import optimal_leaf_ordering

            plain = tree.copy()
            plain[:, 2] = np.arange(1, n)  # only the shape of the tree matters
            return np.asarray(optimal_leaf_ordering(plain, condensed)[:, :2], np.int64)
    parts = tree[:, :2].astype(np.int64)
    heights = np.concatenate([np.full(n, np.inf), tree[:, 2]])
    first = np.lexsort((parts, heights[parts]))
    return np.take_along_axis(parts, first, axis=1)


def _informative_cut(tree: npt.NDArray[np.float64], least: int) -> int:
    """The number of clusters that gives as many large clusters as there are colours, and few others."""
    n = len(tree) + 1
    best, most, groups = 1, 0, 0
    sizes = np.concatenate([np.ones(n), tree[:, 3]])
    large = sizes >= least
    for i, (a, b) in enumerate(tree[:, :2].astype(np.int64).tolist()):
        groups += int(large[n + i]) - int(large[a]) - int(large[b])
        if min(groups, len(COLOURS)) >= most:
            best, most = n - 1 - i, min(groups, len(COLOURS))
    return best


def _coloured(children: Ids, groups: Ids, n_clusters: int, least: int) -> Ids:
    """The colour of every node; large clusters get colours in the order in which they are drawn."""
    n = len(children) + 1
    of_group: dict[int, int] = {}
    colours = np.full(2 * n - 1, -1, np.int64)
    sizes = np.bincount(groups)
    waiting = [2 * n - 2]
    while waiting:
        node = waiting.pop()
        if node >= n:
            waiting += children[node - n, ::-1].tolist()
        elif sizes[groups[node]] >= least:
            colours[node] = of_group.setdefault(int(groups[node]), len(of_group))
    for i in range(n - n_clusters):
        colours[n + i] = colours[children[i, 0]]
    return colours


def clean(text: Any) -> str:
    """A label without unprintable characters."""
    return "".join(c if unicode.is_printable(c) or c in _JOINERS else "\ufffd" for c in str(text))


def short(text: str, most: int) -> str:
    """A label of limited length."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
