"""The nearest neighbours of every word, exactly: all cosines, a block at a time, each computed once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine, engine_for, limit_blas
from firth.errors import check_count
from firth.maps._kernels import NOBODY, keep_best

__all__ = ["nearest_neighbours"]

_AT_ONCE = 1024
"""Words in a block. The products of two blocks, 4 MB, are looked through while they are in the cache."""

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]


def nearest_neighbours(
    unit: Floats, k: int, threads: int | Engine | None = None
) -> tuple[Ids, Floats]:
    """The ``k`` rows of largest cosine for every row, itself left out.

    Parameters
    ----------
    unit : array of float32, shape (n, dim)
        Vectors of unit length. A vector of zeros has a cosine of 0 with all.
    k : int
        At least 1; where there are fewer other rows, all of them are found.
    threads : int, optional
        All cores by default. The result does not depend on it.

    Returns
    -------
    ids : array of int32, shape (n, k)
        The nearest first; of equals the lower id comes first.
    cosines : array of float32, shape (n, k)

    Examples
    --------
    >>> unit = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)
    >>> ids, cosines = nearest_neighbours(unit, 1)
    >>> ids.ravel().tolist(), cosines.ravel().round(3).tolist()
    ([1, 2, 1], [0.6..., 0.8..., 0.8...])
    """
    check_count("nearest_neighbours", "k", k)
    engine = engine_for("nearest_neighbours", threads)
    unit = np.ascontiguousarray(unit, np.float32)
    n = len(unit)
    k = max(min(k, n - 1), 0)
    ids = np.full((n, k), NOBODY, np.int32)
    cosines = np.full((n, k), -np.inf, np.float32)
    worst = np.full(n, -np.inf, np.float32)
    if k == 0:
        return ids, cosines

    def compare(pair: tuple[int, int]) -> None:
        a, b = pair[0] * _AT_ONCE, pair[1] * _AT_ONCE
        products = unit[a : a + _AT_ONCE] @ unit[b : b + _AT_ONCE].T
        keep_best(products, a, b, ids, cosines, worst)

    n_blocks = -(-n // _AT_ONCE)
    total = n_blocks * (n_blocks + 1) // 2
    with limit_blas(1), progress.stage("neighbours", total=total, unit="blocks", brief=1) as stage:
        for pairs in _rounds(n_blocks):
            for _ in engine.map(compare, pairs):
                stage.advance(1)
    return ids, cosines


def _rounds(n: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of blocks, in rounds in which no block occurs twice, so that pairs can be worked on at once.

    First every block with itself; then a tournament: one stays, the others walk round a circle.

    >>> [sorted(pairs) for pairs in _rounds(3)]
    [[(0, 0), (1, 1), (2, 2)], [(1, 2)], [(0, 2)], [(0, 1)]]
    """
    yield [(i, i) for i in range(n)]
    seats = list(range(n + n % 2))  # with an odd number, who meets the last rests
    for _ in range(len(seats) - 1):
        meetings = zip(seats[: len(seats) // 2], reversed(seats[len(seats) // 2 :]), strict=True)
        yield [(min(pair), max(pair)) for pair in meetings if max(pair) < n]
        seats.insert(1, seats.pop())
