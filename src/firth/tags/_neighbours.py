"""How often words stand beside the clusters of other words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.tags._contexts import ContextCounts
from firth.tags._stacking import row_pieces, some_rows, stacked

__all__ = ["beside_clusters", "clusters_only", "merged"]

Integers = npt.NDArray[np.int64]


def merged(contexts: ContextCounts, twins: Integers) -> tuple[ContextCounts, Integers]:
    """The counts of words that are taken for others, and the number that each word has in them.

    ``twins`` has the word that each word is taken for. Words by contexts only; ``pairs`` stays as it was.
    """
    from scipy.sparse import csr_array

    kept, number = np.unique(twins, return_inverse=True)
    n_words, n = contexts.n_words, len(kept)
    sums = csr_array((np.ones(n_words), (number, np.arange(n_words))), shape=(n, n_words))
    sizes = np.bincount(number, np.diff(contexts.matrix.indptr), n)
    onto, width = _onto(contexts, number, n)
    pieces = ((sums[a:b] @ contexts.matrix @ onto).tocsr() for a, b in row_pieces(sizes))
    matrix = stacked(pieces, (n, width), int(sizes.sum()), contexts.room)
    together = replace(
        contexts,
        words=[contexts.words[k] for k in kept],
        counts=np.bincount(number, contexts.counts, n).astype(np.float64),
        starts=np.bincount(number, contexts.starts, n).astype(np.float64),
        matrix=matrix,
    )
    return together, number


def beside_clusters(contexts: ContextCounts, cluster: Integers, k: int) -> Any:
    """How often each word has a word of each cluster beside it, by offset, as a CSR array.

    Other contexts, such as the end of a sentence, stay columns of their own. Rows add up to the same as the
    count of the word at each offset, so that contexts from other text make a word no more frequent.
    """
    onto, width = _onto(contexts, cluster, k)
    sizes = np.diff(contexts.matrix.indptr)
    sums = contexts.matrix.sum(axis=1)
    scale = contexts.counts * contexts.n_blocks / np.where(sums > 0, sums, 1.0)

    def rows(first: int, last: int) -> Any:
        some = (some_rows(contexts.matrix, first, last) @ onto).tocsr()
        some.data *= np.repeat(scale[first:last], np.diff(some.indptr))
        return some

    pieces = (rows(first, last) for first, last in row_pieces(sizes))
    most = int(np.minimum(sizes, width).sum())
    return stacked(pieces, (contexts.n_words, width), most, contexts.room)


def clusters_only(counts: Any, k: int, n_blocks: int) -> Any:
    """The columns of ``beside_clusters`` that are clusters, without the ends of sentences."""
    columns = np.arange(counts.shape[1])
    return counts[:, columns[columns % (counts.shape[1] // n_blocks) < k]]


def _onto(contexts: ContextCounts, number: Integers, n: int) -> tuple[Any, int]:
    """The columns of all contexts, onto those of the numbers of words; other contexts are kept."""
    from scipy.sparse import csr_array

    old = contexts.matrix.shape[1] // contexts.n_blocks
    one = np.concatenate([number, n + np.arange(old - len(number))])
    new = n + old - len(number)
    columns = np.concatenate([one + new * block for block in range(contexts.n_blocks)])
    shape = (len(columns), new * contexts.n_blocks)
    return csr_array(
        (np.ones(len(columns)), (np.arange(len(columns)), columns)), shape=shape
    ), shape[1]
