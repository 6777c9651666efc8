"""The distinctive words before and after the words of a class, for every node of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams
from firth.classes._tree import Tree
from firth.compute import ONE_THREAD, Engine
from firth.compute.portable import log2s
from firth.counts import Entries

__all__ = ["distinctive_contexts"]

_LEAST_MET = 5
"""Minimum count of a context, if any context has it."""
_LEAST_SHARE = 0.004
"""Minimum share of the contexts on one side, because rare contexts have the highest values."""


def distinctive_contexts(
    bigrams: Bigrams, class_of: npt.NDArray[Any], tree: Tree, n: int, engine: Engine = ONE_THREAD
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Words, counts and pointwise mutual information (bits) of the contexts of each node.

    Arrays of shape (nodes, 2, n), for before and after; words are -1 where there are fewer than n.
    """
    m, n_words = len(tree), len(bigrams.vocabulary)
    shape = (2 * m - 1, 2, n)
    words = np.full(shape, -1, np.int32)
    counts, pmi = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
    kept = bigrams.order < n_words
    for side, pairs in enumerate((bigrams.before, bigrams.after)):
        totals = _sums(np.arange(bigrams.n_words), pairs).astype(np.float64)
        best = partial(_best, totals=totals, kept=kept, n=n)
        for node, found in engine.map(best, _rows(pairs, class_of, tree)):
            k = len(found[0])
            words[node, side, :k] = bigrams.order[found[0]]
            counts[node, side, :k], pmi[node, side, :k] = found[1:]
    return words, counts, pmi


def _rows(
    pairs: Entries, class_of: npt.NDArray[Any], tree: Tree
) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    """Every node, and how often it is with each word: children first, so that few rows are in memory."""
    members = np.argsort(class_of, kind="stable")
    starts = np.searchsorted(class_of[members], np.arange(len(tree) + 1))
    waiting: dict[int, npt.NDArray[np.int64]] = {}
    for node in tree.children_first():
        if node < len(tree):
            row = _sums(members[starts[node] : starts[node + 1]], pairs)
        else:
            left, right = tree.merges[node - len(tree)].tolist()
            row = waiting.pop(left) + waiting.pop(right)
        waiting[node] = row
        yield node, row


def _sums(rows: npt.NDArray[Any], pairs: Entries) -> npt.NDArray[np.int64]:
    """The sum of some rows of a matrix."""
    from firth.classes import _bigram_kernels as kernels  # here, because it imports Numba

    add_rows: Any = kernels.add_rows
    total = np.zeros(pairs.shape[1], np.int64)
    add_rows(rows, *pairs[:3], total)
    return total


def _best(
    node_row: tuple[int, Any], totals: Any, kept: Any, n: int
) -> tuple[int, tuple[Any, Any, Any]]:
    """A node, and its frequent enough contexts with the highest pointwise mutual information."""
    node, row = node_row
    total = row.sum()
    least = max(min(_LEAST_MET, int(row.max(initial=0))), _LEAST_SHARE * total)
    at = np.flatnonzero((row >= max(least, 1)) & kept)
    score = log2s(row[at] / total * totals.sum() / totals[at])
    # the same order, but equal ratios are equal numbers here, whereas logarithms are rounded
    best = np.lexsort((at, -row[at], -(row[at] / totals[at])))[:n]
    best = best[score[best] > 0]
    return node, (at[best], row[at[best]], score[best])
