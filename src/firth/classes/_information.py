"""Mutual information of adjacent classes, and the contribution of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import logs

__all__ = ["information_shares", "mutual_information"]


def mutual_information(follow: npt.NDArray[Any], tokens: npt.NDArray[Any]) -> float:
    """Mutual information of adjacent classes, in nats (Stratos et al. 2014, eq. 3).

    Pairs are divided by the number of pairs, classes by the number of tokens.
    """
    return float(_of_pairs(follow, tokens)[2].sum())


def information_shares(
    follow: npt.NDArray[Any], tokens: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """The share of each class: half of the pairs it is first in, and half of those it is second in."""
    a, b, values = _of_pairs(follow, tokens)
    n = len(tokens)
    total = values.sum()
    both = np.bincount(a, values, n) + np.bincount(b, values, n)
    return both / (2 * total) if total else np.zeros(n)


def _of_pairs(
    follow: npt.NDArray[Any], tokens: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.float64]]:
    """The contribution of each pair of classes that occurs: first class, second class, nats."""
    cells = np.asarray(follow, np.float64)
    share = np.asarray(tokens, np.float64) / max(float(np.sum(tokens)), 1.0)
    a, b = np.nonzero(cells)
    p = cells[a, b] / max(cells.sum(), 1.0)
    return a, b, p * logs(p / (share[a] * share[b]))
