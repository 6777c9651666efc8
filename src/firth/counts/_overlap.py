"""How much the neighbours of words overlap: the similarity of figure 14.1 (Manning and Schütze 1999)."""

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
    """Whether the words before and after have blocks of their own."""
    return not counts.contexts.bag and set(_SIDES) <= set(counts.contexts.offsets)


def neighbour_overlap(counts: Counts, words: Sequence[str]) -> npt.NDArray[np.float64]:
    """How much the neighbours of every two words overlap, from 0 (no neighbour in common) to 1.

    The neighbours to the left of a word are a distribution, and so are those to the right. The
    overlap of two distributions is the sum, over all neighbours, of the smaller of both shares. The
    overlap of two words is the mean of both sides. The end of a sentence counts as a neighbour, and
    so do all rare words together.

    An overlap is 1 less half the L1 distance. It is also the scalar product of some unit vectors, so
    that it can be used as a cosine.

    Parameters
    ----------
    counts : Counts
        With the words before and after kept apart, as ``LR1`` and ``LR2`` do.
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
            f"Contexts {counts.contexts.name} do not tell the word before from the word after.",
            "Count again with contexts LR1.",
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
    """Half of the distribution of the words before, then half of that of the words after; a row for every word."""
    from scipy.sparse import csr_array, hstack

    of_words = counts.matrix[np.asarray(ids, np.int64)].astype(np.float64)
    blocks = []
    for side in _SIDES:
        block = counts.contexts.offsets.index(side)
        begin = block * counts.n_rows
        met = of_words[:, begin : begin + counts.n_rows]
        tokens = counts.word_counts[ids] * float(counts.contexts.weights[block])
        ends = tokens - counts.rows[ids, block]  # where the sentence begins or ends instead
        blocks += [met, csr_array(ends[:, None])]
    shares = csr_array(hstack(blocks, format="csr"))
    shares.eliminate_zeros()
    shares.sort_indices()
    shares.data /= np.repeat(shares.sum(axis=1), np.diff(shares.indptr))
    return shares
