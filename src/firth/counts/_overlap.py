"""Overlap of the neighbours of words: the similarity of figure 14.1 of Manning and Schütze (1999)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.counts import _overlap_kernels as kernels
from firth.counts._counts import Counts
from firth.errors import InputError

__all__ = ["has_neighbours", "neighbour_overlap"]

_SIDES = (-1, 1)
add_overlaps: Any = kernels.add_overlaps


def has_neighbours(counts: Counts) -> bool:
    """Whether the words before and after are counted separately."""
    return all(counts.contexts.block_of(side) is not None for side in _SIDES)


def neighbour_overlap(counts: Counts, words: Sequence[str]) -> npt.NDArray[np.float64]:
    """The overlap of the neighbours of all pairs of words, from 0 (no common neighbour) to 1.

    The left neighbours of a word form a distribution, and so do its right neighbours. The overlap of
    two distributions is the sum, over all neighbours, of the smaller probability. The overlap of two
    words is the mean over both sides. Sentence boundaries count as a neighbour, and so do all rare
    words together.

    An overlap is 1 minus half the L1 distance. It is also the scalar product of certain unit vectors,
    so it can be used as a cosine.

    Parameters
    ----------
    counts : Counts
        With the words before and after counted separately, such as ``LR1`` or ``LR2``.
    words : sequence of str

    Returns
    -------
    array of shape (n, n)

    Examples
    --------
    >>> import firth
    >>> from firth.counts import neighbour_overlap
    >>> text = ["the cat sat", "the dog sat", "the dog ran"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in text])
    >>> neighbour_overlap(firth.count(corpus, "LR1", 1), ["cat", "dog", "sat"]).round(2).tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if not has_neighbours(counts):
        raise InputError(
            f"Contexts {counts.contexts.name} do not count the words before and after separately.",
            "Count with contexts LR1: firth counts learn MODEL --contexts LR1",
        )
    shares = _shares(counts, [counts.vocabulary.id(word) for word in words])
    columns = shares.tocsc()
    columns.sort_indices()
    overlaps = np.zeros((len(words), len(words)))
    add_overlaps(
        shares.indptr, shares.indices, shares.data, columns.indptr, columns.indices, columns.data, overlaps
    )  # fmt: skip
    overlaps += overlaps.T
    np.fill_diagonal(overlaps, 1.0)
    return np.minimum(overlaps, 1.0, out=overlaps)


def _shares(counts: Counts, ids: Sequence[int]) -> Any:
    """A row for each word: half the distribution of the words before, then half that of those after."""
    from scipy.sparse import csr_array, hstack

    of_words = counts.matrix[np.asarray(ids, np.int64)].astype(np.float64)
    blocks = []
    for side in _SIDES:
        begin, end = counts.block_columns(side)
        block = begin // counts.n_rows
        met = of_words[:, begin:end]
        tokens = counts.word_counts[ids] * float(counts.contexts.block_weights[block])
        ends = tokens - counts.rows[ids, block]  # occurrences at a sentence boundary
        blocks += [met, csr_array(ends[:, None])]
    shares = csr_array(hstack(blocks, format="csr"))
    shares.eliminate_zeros()
    shares.sort_indices()
    shares.data /= np.repeat(shares.sum(axis=1), np.diff(shares.indptr))
    return shares
