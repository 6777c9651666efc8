"""Tables of n-grams, as files in the ARPA format have them, and trees of histories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm._tree_kernels import BITS
from firth.lm._trees import Tree, short_type

__all__ = ["Table", "level_edges", "n_counted", "tables_of", "tree_of"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Table:
    """The n-grams of one order.

    Attributes
    ----------
    rows : array of int64, shape (n, order)
        Symbols, the predicted one last.
    p : array
        The probability of the last symbol.
    backoff : array
        The backoff weight of each n-gram as a history; 1 for one that was never seen.
    """

    rows: Integers
    p: Floats
    backoff: Floats


def level_edges(children: Any, n_given: int) -> list[int]:
    """The first node of each level of a tree, and the number of nodes."""
    edges, n = [0, n_given], len(children) - 1
    while edges[-1] < n:
        edges.append(int(children[edges[-1]]))
    return edges


def n_counted(words: Tree) -> int:
    """The number of nodes of a tree of words, up to those of two words."""
    edges = level_edges(words.children, 1)
    return edges[min(3, len(edges) - 1)]


def tree_of(tables: Sequence[Table]) -> Tree:
    """A tree from n-grams of all orders, from unigrams; all symbols are unigrams."""
    histories = _histories(tables)
    keys: list[Any] = []
    edges = [0, 1]
    for found in histories:
        parents = _nodes(found[:, :-1], keys, edges)
        keys.append(_pack(parents, found[:, -1]))
        edges.append(edges[-1] + len(found))
    n = edges[-1]
    children = [_starts(keys[k], edges[k], edges[k + 1]) for k in range(len(keys))]
    last = np.full(n + 1 - sum(map(len, children)), n)
    backoff = np.ones(n)
    ends = [np.zeros(1, np.int64)]
    words: list[Any] = []
    p: list[Any] = []
    for k, table in enumerate(tables):
        nodes = _nodes(table.rows[:, :-1][:, ::-1], keys, edges)
        order = np.lexsort((table.rows[:, -1], nodes))
        ends.append(_ends(nodes[order], edges[k], edges[k + 1]) + sum(len(some) for some in words))
        words.append(table.rows[order, -1])
        p.append(table.p[order])
        if k + 1 < len(tables):
            own = _nodes(table.rows[:, ::-1], keys, edges)
            backoff[own[own >= 0]] = table.backoff[own >= 0]
    elements = np.concatenate([[0], *(found[:, -1] for found in histories)]).astype(np.int32)
    n_words = sum(len(some) for some in words)
    return Tree(
        np.concatenate([*children, last]).astype(short_type(n)), elements, backoff.astype(np.float32),
        np.concatenate(ends).astype(short_type(n_words)), np.concatenate(words).astype(np.int32),
        np.concatenate(p).astype(np.float32), np.zeros(1, np.float32),
    )  # fmt: skip


def _histories(tables: Sequence[Table]) -> list[Integers]:
    """The histories of each length, nearest symbol first, sorted; each with all shorter ones."""
    found: list[Integers] = []
    for k in range(len(tables) - 1, 0, -1):
        used = tables[k - 1].rows[tables[k - 1].backoff != 1]
        parts = [tables[k].rows[:, :-1][:, ::-1], used[:, ::-1]]
        if found:
            parts.append(found[-1][:, :-1])
        found.append(np.unique(np.concatenate(parts), axis=0))
    return found[::-1]


def _pack(nodes: Integers, symbols: npt.NDArray[Any]) -> Any:
    return nodes.astype(np.uint64) << np.uint64(BITS) | symbols.astype(np.uint64)


def _starts(keys: Any, first: int, last: int) -> Integers:
    """The first child of each node from ``first`` to ``last``, whose children have these keys."""
    nodes = np.arange(first, last, dtype=np.uint64) << np.uint64(BITS)
    return np.searchsorted(keys, nodes).astype(np.int64) + last


def _ends(nodes: Integers, first: int, last: int) -> Integers:
    """The end of the outcomes of each node from ``first`` to ``last``."""
    return np.searchsorted(nodes, np.arange(first, last), side="right").astype(np.int64)


def _nodes(rows: Integers, keys: Sequence[Any], edges: Sequence[int]) -> Integers:
    """The node of each history, nearest symbol first; -1 for none."""
    nodes = np.zeros(len(rows), np.int64)
    for k in range(rows.shape[1]):
        if k >= len(keys) or not len(keys[k]):
            return np.full(len(rows), -1)
        wanted = _pack(np.maximum(nodes, 0), rows[:, k])
        place = np.minimum(np.searchsorted(keys[k], wanted), len(keys[k]) - 1)
        nodes = np.where((nodes >= 0) & (keys[k][place] == wanted), place + edges[k + 1], -1)
    return nodes


def tables_of(tree: Tree, order: int) -> Iterator[Table]:
    """The n-grams of a tree of words, sorted, for each order."""
    edges = level_edges(tree.children, 1)
    edges += [edges[-1]] * (order + 1 - len(edges))
    parents = np.zeros(edges[-1], np.int64)
    parents[1:] = np.repeat(np.arange(edges[-1]), np.diff(tree.children))
    keys = [_pack(parents[a:b], tree.elements[a:b]) for a, b in pairwise(edges[1:])]
    histories = np.zeros((1, 0), np.int64)
    for k in range(order):
        first, last = edges[k], edges[k + 1]
        if k:
            above = histories[parents[first:last] - edges[k - 1]]
            histories = np.concatenate([tree.elements[first:last, None], above], axis=1)
        row = slice(int(tree.starts[first]), int(tree.starts[last]))
        times = np.diff(tree.starts[first : last + 1])
        words = np.asarray(tree.words[row], np.int64)[:, None]
        rows = np.concatenate([np.repeat(histories, times, axis=0), words], axis=1)
        chosen = np.lexsort(rows.T[::-1])
        rows = rows[chosen]
        nodes = _nodes(rows[:, ::-1], keys, edges)
        backoff = np.where(nodes >= 0, tree.backoff[nodes], 1.0)
        yield Table(rows, np.asarray(tree.p[row], np.float64)[chosen], backoff)
