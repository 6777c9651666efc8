"""Words as rows of few numbers, from what stands beside them and from their spelling."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress

__all__ = ["predicted", "ridge", "singular_rows"]

_PSEUDOCOUNT = 10.0
"""Added to the counts of words and contexts, before they scale anything."""
_FREQUENT = 50.0
"""A word speaks for its spelling no louder than so many occurrences would."""
_PENALTY = 30.0
"""Of the squared coefficients of the regression, in occurrences."""
_TOLERANCE, _MOST_STEPS = 1e-5, 500

Floats = npt.NDArray[np.float64]


def singular_rows(counts: Any, dim: int) -> Floats:
    """Rows of unit length: the left singular vectors of scaled counts, times the singular values.

    Square roots of counts are divided by the fourth roots of the counts of words and of contexts. There are
    few contexts, so the right singular vectors are eigenvectors of a small matrix.
    """
    from scipy.linalg import eigh

    words, contexts = (counts.sum(axis=axis) + _PSEUDOCOUNT for axis in (1, 0))
    scaled = counts.sqrt()
    scaled.data *= np.repeat(words**-0.25, np.diff(scaled.indptr))
    scaled.data *= (contexts**-0.25)[scaled.indices]
    products, n = (scaled.T @ scaled).toarray(), scaled.shape[1]
    _, right = eigh(products, subset_by_index=(max(n - dim, 0), n - 1))
    rows: Floats = scaled @ right
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)
    return unit


def predicted(rows: Floats, features: Any, seen: Floats, weight: float) -> Floats:
    """Rows, and what spelling says of them: as much as so many occurrences of the word.

    Parameters
    ----------
    rows : array of shape (n_words, dim)
    features : CSR array of shape (n_words, n_features)
    seen : array of shape (n_words,)
        How often each word was seen.
    weight : float
        Of the prediction, in occurrences.
    """
    if not weight:
        return rows
    guess = features @ ridge(features, rows, np.minimum(seen, _FREQUENT), _PENALTY)
    mixed: Floats = (seen[:, None] * rows + weight * guess) / (seen[:, None] + weight)
    return mixed


def ridge(features: Any, targets: Floats, weights: Floats, penalty: float) -> Floats:
    """The coefficients of weighted ridge regression, by conjugate gradients for all targets at once.

    The last feature is the intercept, which is not penalised.
    """
    turned = features.T.tocsr()
    penalties = np.full(features.shape[1], penalty)
    penalties[-1] = 0.0

    def times(b: Floats) -> Floats:
        product: Floats = turned @ (weights[:, None] * (features @ b)) + penalties[:, None] * b
        return product

    diagonal = (turned.power(2) @ weights + penalties)[:, None]
    found = np.zeros((features.shape[1], targets.shape[1]))
    rest = turned @ (weights[:, None] * targets)
    enough = _TOLERANCE * np.linalg.norm(rest, axis=0)
    scaled = rest / diagonal
    direction, size = scaled, (rest * scaled).sum(axis=0)
    for _ in range(_MOST_STEPS):
        progress.check_interrupted()
        if (np.linalg.norm(rest, axis=0) <= enough).all():
            break
        product = times(direction)
        curvature = (direction * product).sum(axis=0)
        step = np.divide(size, curvature, out=np.zeros_like(size), where=curvature > 0)
        found += step * direction
        rest = rest - step * product
        scaled = rest / diagonal
        before, size = size, (rest * scaled).sum(axis=0)
        direction = scaled + direction * np.divide(
            size, before, out=np.zeros_like(size), where=before > 0
        )
    return found
