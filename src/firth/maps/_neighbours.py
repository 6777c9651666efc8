"""Exact nearest neighbours of every word: all cosines, over blocks, each computed once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine, engine_for, limit_blas
from firth.errors import check_count
from firth.maps._device_neighbours import neighbours_on
from firth.maps._kernels import NOBODY, keep_best

__all__ = ["nearest_neighbours"]

_AT_ONCE = 1024
"""Words in a block. The products of two blocks, 4 MB, fit into the cache."""

Floats32 = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]


def nearest_neighbours(
    unit: Floats32, k: int, threads: int | Engine | None = None, device: str = "cpu"
) -> tuple[Ids, Floats32]:
    """The ``k`` other rows of largest cosine for every row.

    Parameters
    ----------
    unit : array of float32, shape (n, dim)
        Vectors of unit length. A vector of zeros has cosine 0 with all others.
    k : int
        At least 1. If there are fewer other rows, all of them are found.
    threads : int, optional
        Number of threads; all cores by default. The result does not depend on it.
    device : str
        ``cuda`` for a GPU, which adds up products in double precision; otherwise they are added in single
        precision.

    Returns
    -------
    ids : array of int32, shape (n, k)
        The nearest first; ties in order of id.
    cosines : array of float32, shape (n, k)

    Examples
    --------
    >>> unit = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)
    >>> ids, cosines = nearest_neighbours(unit, 1)
    >>> ids.ravel().tolist(), cosines.ravel().round(3).tolist()
    ([1, 2, 1], [0.6..., 0.8..., 0.8...])
    """
    check_count("nearest_neighbours", "k", k)
    engine = engine_for("nearest_neighbours", threads, device)
    unit = np.ascontiguousarray(unit, np.float32)
    n = len(unit)
    k = max(min(k, n - 1), 0)
    ids = np.full((n, k), NOBODY, np.int32)
    cosines = np.full((n, k), -np.inf, np.float32)
    worst = np.full(n, -np.inf, np.float32)
    if k == 0:
        return ids, cosines
    if engine.device:
        return neighbours_on(engine.device, unit, k)

    def compare(pair: tuple[int, int]) -> None:
        a, b = pair[0] * _AT_ONCE, pair[1] * _AT_ONCE
        products = unit[a : a + _AT_ONCE] @ unit[b : b + _AT_ONCE].T
        keep_best(products, a, b, ids, cosines, worst)

    n_blocks = -(-n // _AT_ONCE)
    total = n_blocks * (n_blocks + 1) // 2
    with limit_blas(1), progress.stage("neighbours", total=total, unit="blocks", brief=1) as stage:
        for pairs in _disjoint_pairs(n_blocks):
            for _ in engine.map(compare, pairs):
                stage.advance(1)
    return ids, cosines


def _disjoint_pairs(n: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of blocks, in lists in which no block occurs twice, so that pairs can run in parallel.

    First every block with itself; then a round-robin tournament by the circle method.

    >>> [sorted(pairs) for pairs in _disjoint_pairs(3)]
    [[(0, 0), (1, 1), (2, 2)], [(1, 2)], [(0, 2)], [(0, 1)]]
    """
    yield [(i, i) for i in range(n)]
    seats = list(range(n + n % 2))  # if n is odd, the last seat is empty
    for _ in range(len(seats) - 1):
        meetings = zip(seats[: len(seats) // 2], reversed(seats[len(seats) // 2 :]), strict=True)
        yield [(min(pair), max(pair)) for pair in meetings if max(pair) < n]
        seats.insert(1, seats.pop())
