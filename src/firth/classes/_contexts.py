"""The distinctive words before and after the words of a class, for every node of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._bigrams import Bigrams
from firth.classes._tree import Tree
from firth.compute.portable import log2s

__all__ = ["distinctive_contexts"]

_LEAST_MET = 5
"""Minimum count of a context, if any context has it."""
_LEAST_SHARE = 0.004
"""Minimum share of the contexts on one side, because rare contexts have the highest values."""


def distinctive_contexts(
    bigrams: Bigrams, class_of: npt.NDArray[Any], tree: Tree, n: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Words, counts and pointwise mutual information (bits) of the contexts of each node.

    Arrays of shape (nodes, 2, n), for before and after; words are -1 where there are fewer than n.
    """
    from scipy.sparse import csr_array

    m, n_words = len(tree), len(bigrams.vocabulary)
    shape = (2 * m - 1, 2, n)
    words = np.full(shape, -1, np.int32)
    counts, pmi = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
    ones = np.ones(bigrams.n_words, np.int64)
    members = csr_array((ones, (class_of, np.arange(bigrams.n_words))), shape=(m, bigrams.n_words))
    for side, pairs in enumerate((bigrams.before, bigrams.after)):
        table = csr_array(members @ pairs)
        totals = np.asarray(pairs.sum(axis=0), np.float64).ravel()
        waiting: dict[int, Any] = {}
        for node in tree.children_first():  # children first, so that few rows are in memory
            if node < m:
                row = _dense(table, node)
            else:
                left, right = tree.merges[node - m].tolist()
                row = waiting.pop(left) + waiting.pop(right)
            waiting[node] = row
            found = _best(row, totals, bigrams.order < n_words, n)
            k = len(found[0])
            words[node, side, :k] = bigrams.order[found[0]]
            counts[node, side, :k], pmi[node, side, :k] = found[1:]
    return words, counts, pmi


def _dense(table: Any, row: int) -> npt.NDArray[np.int64]:
    dense = np.zeros(table.shape[1], np.int64)
    a, b = table.indptr[row], table.indptr[row + 1]
    dense[table.indices[a:b]] = table.data[a:b]
    return dense


def _best(row: Any, totals: Any, kept: Any, n: int) -> tuple[Any, Any, Any]:
    """The frequent enough contexts with the highest pointwise mutual information."""
    total = row.sum()
    least = max(min(_LEAST_MET, int(row.max(initial=0))), _LEAST_SHARE * total)
    at = np.flatnonzero((row >= max(least, 1)) & kept)
    score = log2s(row[at] / total * totals.sum() / totals[at])
    # the same order, but equal ratios are equal numbers here, whereas logarithms are rounded
    best = np.lexsort((at, -row[at], -(row[at] / totals[at])))[:n]
    best = best[score[best] > 0]
    return at[best], row[at[best]], score[best]
