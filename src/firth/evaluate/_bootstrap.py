"""How far a figure could be off, had other questions been asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["bootstrap"]

N_RESAMPLES, SEED, COVERAGE = 1000, 0, 0.95
_AT_ONCE = 20
_LEAST = 10
"""Questions below which samples say nothing about how sure a figure is."""


def bootstrap(n: int, figure: Callable[[npt.NDArray[np.int64]], Any]) -> tuple[float, float]:
    """The middle 95 % of a figure over 1,000 samples, with replacement, of ``n`` questions; NaN for fewer than ten.

    ``figure`` takes rows of indices, a sample each, and gives a figure for each.
    """
    if n < _LEAST:
        return float("nan"), float("nan")
    chance = np.random.default_rng(SEED)
    parts = [figure(chance.integers(0, n, (_AT_ONCE, n))) for _ in range(N_RESAMPLES // _AT_ONCE)]
    figures = np.concatenate(parts)
    tail = (1 - COVERAGE) / 2
    low, high = (
        np.nanquantile(figures, [tail, 1 - tail]) if not np.isnan(figures).all() else (np.nan,) * 2
    )
    return float(low), float(high)
