"""A binary tree over classes: paths, merges and heights."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, ParameterError

__all__ = ["Integers", "Tree"]

Integers = npt.NDArray[np.int64]


class Tree:
    """Leaves numbered from left to right, and the merges that join them, in order.

    Parameters
    ----------
    paths : list of str
        The path of each leaf, in order; no path is a prefix of another.
    merges : array, shape (n - 1, 2)
        The left and the right child of each inner node; numbers below n are leaves, others are earlier
        merges.
    heights : array of float64, shape (n - 1,)
        The height of each inner node; never decreasing.

    Examples
    --------
    >>> tree = Tree.from_paths(["0", "10", "11"])
    >>> tree.merges.tolist(), tree.span("1")
    ([[1, 2], [0, 3]], (1, 3))
    """

    def __init__(self, paths: list[str], merges: Any, heights: Any) -> None:
        self.paths = paths
        self.merges: Integers = np.asarray(merges, np.int64).reshape(-1, 2)
        self.heights: npt.NDArray[np.float64] = np.asarray(heights, np.float64)
        self._check()

    def _check(self) -> None:
        n = len(self.paths)
        if n < 1 or len(self.merges) != n - 1 or len(self.heights) != n - 1:
            raise ParameterError("leaves and merges do not match")
        later = n + np.arange(n - 1)
        used = np.sort(self.merges.ravel())
        if np.any(self.merges < 0) or np.any(self.merges >= later[:, None]):
            raise ParameterError("a merge uses a node that does not exist yet")
        if not np.array_equal(used, np.arange(2 * n - 2)):
            raise ParameterError("a node is merged twice")
        if not np.all(np.isfinite(self.heights)):
            raise ParameterError("a height is not finite")
        for left, right in pairwise(self.paths):
            if left >= right or right.startswith(left):
                raise ParameterError("paths are not in order")
        if np.any(np.diff(self.heights) < 0):
            raise ParameterError("heights decrease")
        spans = self.spans
        if n > 1 and np.any(spans[self.merges[:, 0], 1] != spans[self.merges[:, 1], 0]):
            raise ParameterError("merges do not match the paths")
        if any(path.strip("01") for path in self.paths) or len(self.node_of) < 2 * n - 1:
            raise ParameterError("merges do not match the paths")

    @classmethod
    def from_merges(cls, merges: Any, losses: Any) -> tuple[Tree, Integers]:
        """A tree from merges, and the new number of each leaf.

        A merge is a pair of leaves, each of which stands for everything merged into it before; the first
        stands for the result, and is the left branch.
        """
        pairs = np.asarray(merges, np.int64).reshape(-1, 2)
        n = len(pairs) + 1
        node = np.arange(n)
        children = np.empty((n - 1, 2), np.int64)
        for i, (a, b) in enumerate(pairs):
            children[i] = node[a], node[b]
            node[a] = n + i
        path = [""] * (2 * n - 1)
        for i in range(n - 2, -1, -1):
            for bit in (0, 1):
                path[children[i, bit]] = path[n + i] + str(bit)
        order = sorted(range(n), key=lambda leaf: path[leaf])
        new = np.empty(2 * n - 1, np.int64)
        new[order] = np.arange(n)
        new[n:] = np.arange(n, 2 * n - 1)
        heights = np.maximum.accumulate(np.cumsum(np.asarray(losses, np.float64)))
        return cls([path[leaf] for leaf in order], new[children], heights), new[:n]

    @classmethod
    def from_paths(cls, paths: Sequence[str]) -> Tree:
        """A tree from the paths of its leaves; nodes far from the root are merged first."""
        leaves = list(paths)
        for path in leaves:
            if not path and len(leaves) > 1:
                raise InputError("A path is empty.")
            if path.strip("01"):
                raise InputError(f"A path must consist of 0 and 1. Got {path!r}.")
        for left, right in pairwise(leaves):
            if right.startswith(left):
                raise InputError(f"The path {left!r} is a prefix of the path {right!r}.")
        # neighbouring leaves are joined at the depth of their common prefix
        n = len(leaves)
        depth = [len(_common_prefix(a, b)) for a, b in pairwise(leaves)]
        order = sorted(range(n - 1), key=lambda i: (-depth[i], i))
        root = list(range(n))  # of each run of joined leaves, stored at its first and its last leaf
        first = list(range(n))
        last = list(range(n))
        merges = []
        for k, i in enumerate(order):
            a, b = first[i], last[i + 1]
            merges.append((root[i], root[i + 1]))
            root[a] = root[b] = n + k
            first[b], last[a] = a, b
        heights = [float(max(depth, default=0) + 1 - depth[i]) for i in order]
        return cls(leaves, np.array(merges, np.int64).reshape(-1, 2), heights)

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def spans(self) -> Integers:
        """The first leaf below each node, and the one after its last; leaves first."""
        n = len(self.paths)
        spans = np.empty((2 * n - 1, 2), np.int64)
        spans[:n, 0], spans[:n, 1] = np.arange(n), np.arange(1, n + 1)
        for i, (a, b) in enumerate(self.merges):
            spans[n + i] = spans[a, 0], spans[b, 1]
        return spans

    @cached_property
    def node_paths(self) -> list[str]:
        """The path of each node, leaves first."""
        leaves = self.paths
        return [
            leaves[a] if b - a == 1 else _common_prefix(leaves[a], leaves[b - 1])
            for a, b in self.spans
        ]

    @cached_property
    def node_of(self) -> dict[str, int]:
        """The number of each node, by path."""
        return {path: i for i, path in enumerate(self.node_paths)}

    def children_first(self) -> list[int]:
        """All nodes, each after its children, from left to right; the larger child of a node first."""
        n = len(self.paths)
        width = self.spans[:, 1] - self.spans[:, 0]
        order, waiting = [], [2 * n - 2]
        while waiting:  # parents first, then reversed
            node = waiting.pop()
            order.append(node)
            if node >= n:
                a, b = self.merges[node - n].tolist()
                waiting += [a, b] if width[a] >= width[b] else [b, a]
        return order[::-1]

    def span(self, prefix: str) -> tuple[int, int]:
        """The leaves whose paths begin with a prefix: the first, and the one after the last."""
        begin, end = bisect_left(self.paths, prefix), bisect_left(self.paths, prefix + "2")
        if begin == end:
            raise InputError(
                f"No path of the tree begins with {prefix!r}.",
                "Show the tree: firth classes show MODEL",
            )
        return begin, end

    def linkage(self) -> npt.NDArray[np.float64]:
        """The tree as a SciPy linkage matrix."""
        n = len(self.paths)
        sizes = (self.spans[n:, 1] - self.spans[n:, 0]).astype(np.float64)
        return np.column_stack([self.merges.astype(np.float64), self.heights, sizes])

    def cut(self, k: int) -> tuple[Tree, Integers]:
        """The tree without its first merges, so that ``k`` leaves remain, and the new number of each leaf."""
        kept = len(self.merges) - (k - 1)
        return self._without(np.arange(len(self.merges)) < kept)

    def truncate(self, bits: int) -> tuple[Tree, Integers]:
        """The tree with all nodes at a depth made leaves, and the new number of each leaf."""
        n = len(self.paths)
        tree, new_of = self._without(np.array([len(p) >= bits for p in self.node_paths[n:]], bool))
        return Tree([path[:bits] for path in tree.paths], tree.merges, tree.heights), new_of

    def _without(self, dropped: npt.NDArray[np.bool_]) -> tuple[Tree, Integers]:
        """The tree in which some inner nodes, with everything below them, become leaves."""
        n = len(self.paths)
        parent = np.full(2 * n - 1, -1)
        parent[self.merges] = (n + np.arange(n - 1))[:, None]
        inside = np.zeros(2 * n - 1, bool)  # below a node that becomes a leaf
        for node in range(2 * n - 3, -1, -1):
            above = parent[node]
            inside[node] = inside[above] or dropped[above - n]
        leaves = [i for i in range(2 * n - 1) if not inside[i] and (i < n or dropped[i - n])]
        leaves.sort(key=lambda i: int(self.spans[i, 0]))
        new = np.full(2 * n - 1, -1)
        new[leaves] = np.arange(len(leaves))
        merges, heights = [], []
        for i in range(n - 1):
            if not inside[n + i] and not dropped[i]:
                merges.append(new[self.merges[i]])
                heights.append(self.heights[i])
                new[n + i] = len(leaves) + len(merges) - 1
        new_of = np.repeat(np.arange(len(leaves)), [int(np.diff(self.spans[i])[0]) for i in leaves])
        return Tree(
            [self.node_paths[i] for i in leaves], np.array(merges).reshape(-1, 2), heights
        ), new_of

    def newick(self, names: Sequence[str]) -> str:
        """The tree in Newick format, with branch lengths; every name is quoted."""
        n = len(self.paths)
        height = [0.0] * n + self.heights.tolist()
        pieces: list[str] = []
        waiting: list[int | str] = [2 * n - 2]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                pieces.append(node)
            elif node < n:
                pieces.append("'" + names[node].replace("'", "''") + "'")
            else:
                a, b = self.merges[node - n].tolist()
                to_a, to_b = (f":{height[node] - height[child]:.6g}" for child in (a, b))
                waiting += [")", to_b, b, ",", to_a, a, "("]
        return "".join(pieces) + ";"


def _common_prefix(a: str, b: str) -> str:
    """The longest common prefix of two paths."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return a[:i]
    return a[: len(b)]
