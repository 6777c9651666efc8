"""Candidates for exact search, from a copy of the vectors rounded to bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.vectors._search import ROUNDING
from firth.vectors._shortlist_kernels import approximate, encode

__all__ = ["Shortlist"]

_LANES = 16


class Shortlist:
    """Unit vectors rounded to bytes, so that a search reads a quarter of the memory.

    Each row has its own scale, and the length of its rounding error bounds the error of inner products.
    All rows that may be among the nearest are candidates.

    Examples
    --------
    >>> unit = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)
    >>> Shortlist(unit).candidates(unit[0], 2).tolist()
    [0, 1]
    """

    def __init__(self, unit: npt.NDArray[np.float32]) -> None:
        n, self._dim = unit.shape
        width = -(-self._dim // _LANES) * _LANES
        self._codes = np.zeros((n, width), np.int8)
        self._scales = np.empty(n, np.float32)
        self._errors = np.empty(n, np.float32)
        encode(np.asarray(unit), self._codes, self._scales, self._errors)

    def candidates(self, query: npt.NDArray[Any], n: int) -> npt.NDArray[np.int64]:
        """Rows, ascending, that include the ``n`` rows of largest inner product with a vector."""
        padded = np.zeros(self._codes.shape[1], np.float32)
        padded[: self._dim] = query
        scores = np.empty(len(self._codes), np.float32)
        approximate(self._codes, self._scales, padded, scores)
        doubt = (self._errors + np.float32(ROUNDING * self._dim)) * np.linalg.norm(padded)
        n = min(n, len(scores))
        least = np.partition(scores - doubt, len(scores) - n)[len(scores) - n]
        return np.flatnonzero(scores + doubt >= least)
