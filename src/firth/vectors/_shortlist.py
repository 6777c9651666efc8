"""A short list of who may be near, from a copy of the vectors in bytes; the nearest are then told exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.vectors._shortlist_kernels import approximate, encode

__all__ = ["Shortlist"]

_LANES = 16
_ROUNDING = 4e-7
"""What single precision may lose for each dimension, in both sums together, with room to spare."""


class Shortlist:
    """Unit vectors, rounded to bytes: a quarter of what must be read for a search.

    Each row has a scale of its own, and the length of what rounding took away from it, so the true inner
    product is known up to that. All rows that may be among the nearest are on the list.

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
        """Rows, ascending, among which are the ``n`` of largest inner product with a vector."""
        padded = np.zeros(self._codes.shape[1], np.float32)
        padded[: self._dim] = query
        scores = np.empty(len(self._codes), np.float32)
        approximate(self._codes, self._scales, padded, scores)
        doubt = (self._errors + np.float32(_ROUNDING * self._dim)) * np.linalg.norm(padded)
        n = min(n, len(scores))
        least = np.partition(scores - doubt, len(scores) - n)[len(scores) - n]
        return np.flatnonzero(scores + doubt >= least)
