"""Anchors, and words as mixtures of them: the geometry of the anchor method.

Only inner products of the rows are needed, so rows may be sparse and as long as they like.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.errors import InputError
from firth.tags import _anchor_kernels as kernels

__all__ = ["find_anchors", "mixtures", "refine"]

_FLAT = 1e-9
"""Anchors whose squared distance from the others is smaller than this, relative to the first, are none."""
_ROUNDING = 1e-13
_EQUAL = 1e-5
"""Distances that differ by less than this, relatively, are the same."""
_MOST_SWEEPS = 20
_GAP = 1e-9
_ROWS_AT_ONCE = 1 << 13
_MOST_ROUNDS = 200

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def find_anchors(rows: Any, n: int, exchange: bool = True) -> Integers:
    """The rows that lie furthest apart.

    Each is the furthest from the span of those before (Gram-Schmidt); the first of those that are
    equally far, as all rows of unit length are in the beginning. With ``exchange``, each in turn is then
    given up for the row that is furthest from the span of all others, as long as that makes the volume
    larger: what is found does not hang on the first choice.

    Parameters
    ----------
    rows : array or SciPy sparse array
        The candidates.
    n : int
        How many to find.
    exchange : bool
        Whether to go on until no exchange makes the volume larger.
    """
    products = _dense(rows @ rows.T)
    found: list[int] = []
    largest = products.diagonal().max(initial=0.0)
    for k in range(n):
        distance = _distances(products, found)
        if not distance.max(initial=0.0) > _FLAT * largest:
            raise InputError(
                f"The words differ in {k} ways only, not in {n}: there are no {n} anchors among "
                f"{len(products):,} candidates.",
                "Ask for fewer tags, allow more candidates, or use more text.",
            )
        found.append(_furthest(distance))
    for _ in range(_MOST_SWEEPS if exchange else 0):
        before = list(found)
        for k in range(n):
            others = found[:k] + found[k + 1 :]
            distance = _distances(products, others)
            furthest = _furthest(distance)
            if distance[furthest] > distance[found[k]] * (1 + _EQUAL):
                found[k] = furthest
        if found == before:
            break
    return np.array(found, np.int64)


def _distances(products: Floats, chosen: list[int]) -> Floats:
    """The squared distance of each row from the span of some, from the inner products of all."""
    if not chosen:
        return products.diagonal()
    basis, values, _ = np.linalg.svd(products[np.ix_(chosen, chosen)], hermitian=True)
    kept = values > _ROUNDING * values[0]
    along = products[:, chosen] @ (basis[:, kept] / np.sqrt(values[kept]))
    distances: Floats = np.maximum(products.diagonal() - (along**2).sum(axis=1), 0.0)
    return distances


def _furthest(distance: Floats) -> int:
    """The first of the rows that are furthest, but for rounding."""
    return int(np.argmax(distance >= distance.max() * (1 - _EQUAL)))


def mixtures(rows: Any, corners: Any, engine: Engine) -> Floats:
    """For each row, the weights of the mixture of ``corners`` that is nearest to it.

    A convex problem for each row, solved by Frank and Wolfe's method with pairwise steps and exact line
    search, until the duality gap is next to zero.
    """
    products = np.ascontiguousarray(_dense(rows @ corners.T))
    gram = np.ascontiguousarray(_dense(corners @ corners.T))
    weights = np.zeros(products.shape)
    gap = _GAP * float(gram.diagonal().max())
    pieces = range(0, len(products), _ROWS_AT_ONCE)

    def solve(first: int) -> int:
        here = slice(first, first + _ROWS_AT_ONCE)
        kernels.nearest_mixtures(products[here], gram, gap, np.empty(len(gram)), weights[here])
        return len(products[here])

    with progress.stage("mixtures of anchors", len(products), "words", brief=1.0) as stage:
        for done in engine.map(solve, pieces):
            stage.advance(done)
    return weights


def refine(rows: Floats, importance: Floats, centres: Floats) -> tuple[Floats, Integers]:
    """Move centres to the mean of the rows nearest to them, as often as anything changes (k-means).

    Returns
    -------
    centres : array
    nearest : array of int64
        The centre of each row.
    """
    nearest = np.full(len(rows), -1, np.int64)
    for _ in range(_MOST_ROUNDS):
        progress.check_interrupted()
        squares = (centres**2).sum(axis=1)
        if not kernels.find_nearest(rows @ centres.T, squares, nearest):
            break
        sums = np.zeros_like(centres)
        kernels.add_by_group(nearest, importance, rows, sums)
        weight = np.bincount(nearest, importance, len(centres))[:, None]
        centres = np.where(weight > 0, sums / np.where(weight > 0, weight, 1), centres)
    return centres, nearest


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)
