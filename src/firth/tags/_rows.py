"""Words as points, for the anchor method: what is known of the contexts of each word, in few numbers.

``spectral`` is what tags best. The others are rows whose mixtures are mixtures of states whenever the
text comes from a hidden Markov model with anchor words, so that they find it again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine, interruptible
from firth.counts import Entries
from firth.errors import InputError
from firth.store import Room
from firth.tags._contexts import ContextCounts
from firth.tags._spelling import spelling_features
from firth.tags._stacking import row_pieces, some_rows, stacked
from firth.vectors import SparseMatrix, Svd, dense_svd, exact_svd, krylov_svd

__all__ = ["REPRESENTATIONS", "rows_of"]

REPRESENTATIONS = ("spectral", "conditional", "cca", "random")
_SMALL = 400
"""Matrices with no more rows or columns than this are decomposed as a whole."""
_TOLERANCE = 5e-3

Floats = npt.NDArray[np.float64]


def rows_of(
    contexts: ContextCounts, representation: str, dim: int, pseudocount: float, spelling: float,
    seed: int, engine: Engine,
) -> Any:  # fmt: skip
    """A row for each word, as an array, or as a CSR array where rows are ``conditional``.

    Parameters
    ----------
    contexts : ContextCounts
    representation : {"spectral", "conditional", "cca", "random"}
        Rows of unit length of the singular vectors of the square roots of the counts, scaled for canonical
        correlation; the distribution of the contexts of each word; that, projected by the right singular
        vectors of the same scaled square roots; that, projected at random.
    dim : int
        The number of dimensions.
    pseudocount : float
        Added to the counts of words and of contexts, before they scale anything.
    spelling : float
        How much signs of spelling weigh beside contexts, in ``spectral`` rows.
    """
    matrix = contexts.matrix
    interruptible(matrix.sort_indices)  # now, and not where others share the indices: see _times
    if representation == "spectral":
        scaled = interruptible(lambda: _scaled(matrix, pseudocount, contexts.room))
        if spelling:
            scaled = _with_spelling(scaled, contexts, spelling)
        return _unit(_svd(scaled, dim, seed, engine, contexts.room).left)
    conditional = _rows_divided(matrix, matrix.sum(axis=1), contexts.room)
    if representation == "cca":
        scaled = _scaled(matrix, pseudocount, contexts.room)
        found = _svd(scaled, dim, seed, engine, contexts.room)
        columns = 1 / np.sqrt(np.maximum(matrix.sum(axis=0) + pseudocount, 1e-300))
        return np.ascontiguousarray(conditional @ (columns[:, None] * found.right), np.float64)
    if representation == "random":
        rng = np.random.default_rng(seed)
        return conditional @ (rng.standard_normal((matrix.shape[1], dim)) / np.sqrt(dim))
    return conditional


def _rows_divided(matrix: Any, by: Floats, room: Room) -> Any:
    return _times(matrix, 1 / np.maximum(by, 1e-300), None, room)


def _times(
    matrix: Any, rows: Floats, columns: Floats | None, room: Room, root: bool = False
) -> Any:
    """A CSR array, or that of the square roots, its rows and columns multiplied by numbers.

    It shares the indices of ``matrix``, which must be in order: who puts them in order later does so for both,
    and the values of one would stay behind.
    """
    from scipy.sparse import csr_array

    values, sizes = room.empty(matrix.nnz, np.float64), np.diff(matrix.indptr)
    for first, last in row_pieces(sizes):
        here = slice(matrix.indptr[first], matrix.indptr[last])
        some = np.sqrt(matrix.data[here]) if root else matrix.data[here]
        some = some * np.repeat(rows[first:last], sizes[first:last])
        if columns is not None:
            some *= columns[matrix.indices[here]]
        values[here] = some
    return csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def _scaled(matrix: Any, pseudocount: float, room: Room) -> Any:
    """Square roots of counts, divided by the fourth roots of those of words and of contexts."""
    words, contexts = matrix.sum(axis=1) + pseudocount, matrix.sum(axis=0) + pseudocount
    left, right = (np.maximum(x, 1e-300) ** -0.25 for x in (words, contexts))
    return _times(matrix, left, right, room, root=True)


def _with_spelling(scaled: Any, contexts: ContextCounts, weight: float) -> Any:
    """Columns for signs of spelling beside those for contexts.

    Each sign of a word counts ``weight`` times the length of its row, divided by the root of the number of
    its signs.
    """
    from scipy.sparse import csr_array, hstack

    sizes = np.diff(scaled.indptr)
    squares = [some_rows(scaled, a, b).power(2).sum(axis=1) for a, b in row_pieces(sizes)]
    lengths = np.sqrt(np.concatenate(squares))
    rows, columns = spelling_features(contexts.words)
    n_signs = np.bincount(rows, minlength=contexts.n_words)
    values = weight * lengths[rows] / np.sqrt(n_signs[rows])
    signs = csr_array(
        (values, (rows, columns)), shape=(contexts.n_words, int(columns.max(initial=-1)) + 1)
    )
    if not len(columns):
        return scaled
    pieces = (
        hstack([some_rows(scaled, a, b), signs[a:b]], format="csr") for a, b in row_pieces(sizes)
    )
    shape = (len(sizes), scaled.shape[1] + signs.shape[1])
    return stacked(pieces, shape, scaled.nnz + signs.nnz, contexts.room)


def _svd(matrix: Any, dim: int, seed: int, engine: Engine, room: Room) -> Svd:
    found = None
    if min(matrix.shape) > _SMALL:
        entries = Entries(matrix.indptr.astype(np.int64), matrix.indices, matrix.data, matrix.shape)
        operator = SparseMatrix(entries, engine, room)
        found = krylov_svd(operator, dim, _TOLERANCE, seed, engine, room)
    if found is None:
        small = min(matrix.shape) <= 4 * _SMALL
        found = dense_svd(matrix, dim) if small else exact_svd(matrix, dim)
    if len(found.values) < dim:
        raise InputError(
            f"The contexts of the words differ in {len(found.values)} ways only; {dim} are needed.",
            "Ask for fewer tags, or use more text.",
        )
    return found


def _unit(rows: Any) -> Floats:
    """Rows of length one; those that are zero stay so."""
    wide = np.ascontiguousarray(rows, np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    unit: Floats = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 1e-12)
    return unit
