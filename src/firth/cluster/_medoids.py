"""k-medoids from given distances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.progress import check_interrupted

__all__ = ["Found", "find_medoids"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Found(NamedTuple):
    """Medoids that no single swap improves, unless the iterations ran out."""

    medoids: Integers
    loss: float
    """The sum of the distances of all objects to their nearest medoids."""
    n_iter: int


def find_medoids(distances: Floats, first: Integers, max_iter: int) -> Found:
    """Improve medoids by swaps: FasterPAM (Schubert and Rousseeuw 2021).

    Parameters
    ----------
    distances : array of shape (n, n)
        Symmetric.
    first : array of int64
        The initial medoids, all different.
    max_iter : int
        Maximum number of times that every object is tried.
    """
    from firth.cluster._medoid_kernels import Medoids, assign, improve, most_central

    n, k = len(distances), len(first)
    if k == 1:
        totals = np.empty(n)
        best = int(most_central(int(first[0]), distances, totals))
        return Found(np.array([best]), float(totals[best]), 1)
    medoids = Medoids(
        first.astype(np.int64), *np.empty((3, n), np.int64), *np.empty((2, n)), *np.empty((2, k))
    )
    loss, last = assign(distances, medoids), np.full(1, -1)
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        check_interrupted()
        before, loss = loss, improve(loss, distances, medoids, last)
        if last[0] < 0 or loss >= before:  # a gain that was only rounding could come again for ever
            break
    return Found(medoids.chosen, float(loss), n_iter)
