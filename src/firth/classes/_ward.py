"""Cluster word vectors: windowed Ward, and top-down splitting by two-means."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes import _ward_kernels as kernels
from firth.classes._tree import Integers
from firth.compute import ONE_THREAD, Engine, limit_blas
from firth.store import Room

__all__ = ["split_in_two", "ward"]

_BLOCK = 256
_MOST_ITERATIONS = 25
_HINT = "Use fewer classes, or leave out --device."

Floats = npt.NDArray[np.float64]
add_points_kernel: Any = kernels.add_points
merge_clusters_kernel: Any = kernels.merge_clusters
tighten_kernel: Any = kernels.tighten


def ward(
    vectors: npt.NDArray[Any],
    window: int,
    engine: Engine = ONE_THREAD,
    order: Integers | None = None,
) -> tuple[Integers, Floats, float]:
    """Windowed Ward (Stratos et al. 2014, figure 5).

    The first ``window`` points are clusters; the others are added one by one, and each time the nearest
    pair is merged. Points are rows of ``vectors``, in the given order. Returns all merges (a cluster is
    identified by its first point), their costs (eq. 2), and gamma, the mean number of searches for the
    smallest bound before a merge.
    """
    n, m = len(vectors), min(window, len(vectors))
    order = np.arange(n) if order is None else order
    state = _clusters(vectors[order[:m]].astype(np.float64))
    names, costs = np.zeros((n - 1, 2), np.int64), np.zeros(n - 1)
    room = np.empty(m)
    none = np.empty((0, vectors.shape[1]))
    add_points_kernel(
        m, none, np.empty(0), np.empty((0, m)), np.empty((0, 0)), state, room, names[:0], costs[:0]
    )
    with (
        limit_blas(1),
        progress.stage("merging words into classes", n - m, "words", brief=0.5) as stage,
    ):
        for begin in range(m, n, _BLOCK):
            points = vectors[order[begin : begin + _BLOCK]].astype(np.float64)
            products = _products(points, state.sums, engine)
            rows = slice(begin - m, begin - m + len(points))
            add_points_kernel(
                begin, points, np.einsum("ij,ij->i", points, points), products, points @ points.T,
                state, room, names[rows], costs[rows],
            )  # fmt: skip
            stage.advance(len(points))
    merge_clusters_kernel(m - 1, state, room, names[n - m :], costs[n - m :])
    return names, costs, float(state.searches[0]) / max(n - 1, 1)


def _clusters(points: Floats) -> Any:
    m = len(points)
    squares = np.einsum("ij,ij->i", points, points)
    distance = np.maximum(squares[:, None] + squares - 2 * (points @ points.T), 0) / 2
    np.fill_diagonal(distance, np.inf)
    state = kernels.Clusters(
        distance, np.ones(m, np.int64), points.copy(), squares, np.arange(m), np.zeros(m),
        np.zeros(m, np.int64), np.zeros(m, np.bool_), np.zeros(1, np.int64),
    )  # fmt: skip
    for v in range(m):
        tighten_kernel(v, state)
    return state


def _products(points: Floats, sums: Floats, engine: Engine) -> Floats:
    """Inner products, a block of rows for each thread; sums do not depend on the number of blocks."""
    if (device := engine.device) is not None:

        def work(a: int, b: int) -> Floats:
            found: Floats = device.later(device.put(points) @ device.put(sums[a:b]).T)()
            return found

        n = len(sums)
        blocks = device.blocks(n, n, work, f"a window of {n:,} classes", _HINT)
        return np.concatenate([found for *_, found in blocks], axis=1)
    pieces = np.array_split(points, engine.threads)
    return np.concatenate(list(engine.map(lambda piece: piece @ sums.T, pieces)))


def split_in_two(
    vectors: npt.NDArray[Any],
    n_clusters: int,
    order: Integers | None = None,
    room: Room | None = None,
) -> tuple[npt.NDArray[np.int64], Integers, Floats]:
    """Split the widest cluster by two-means until there are enough clusters.

    Points are rows of ``vectors``, in the given order. Returns the cluster of each point (numbered by
    their first points), and the splits in reverse order as merges of clusters, with the costs of
    merging (eq. 2).
    """
    order, room = np.arange(len(vectors)) if order is None else order, room or Room()
    points = _rows(np.asarray(vectors, np.float32), order, room)
    groups = {0: np.arange(len(points))}
    widths = {0: _width(points)}
    splits = []
    with (
        limit_blas(1),
        progress.stage("splitting classes", n_clusters - 1, "classes", brief=0.5) as stage,
    ):
        while len(groups) < n_clusters:
            name = max(widths, key=lambda g: (widths[g], -g))
            members = groups[name]
            second = _second_half(_rows(points, members, room), room)
            kept, left = members[~second], members[second]
            groups[name], other = kept, int(left[0])
            groups[other] = left
            before = widths[name]
            widths[name], widths[other] = (
                _width(_rows(points, some, room)) for some in (kept, left)
            )
            after = max(widths[name], 0.0) + max(widths[other], 0.0)
            splits.append((name, other, max(before - after, 0.0)))
            stage.advance(1)
    names = sorted(groups)
    number = {name: i for i, name in enumerate(names)}
    class_of = np.empty(len(points), np.int64)
    for name, members in groups.items():
        class_of[members] = number[name]
    merges = np.array([(number[a], number[b]) for a, b, _ in reversed(splits)], np.int64).reshape(
        -1, 2
    )
    return class_of, merges, np.array([cost for *_, cost in reversed(splits)])


def _rows(points: npt.NDArray[np.float32], rows: Integers, room: Room) -> npt.NDArray[np.float32]:
    """Some rows, in an array of ``room``."""
    chosen: npt.NDArray[np.float32] = room.empty((len(rows), points.shape[1]))
    np.take(points, rows, axis=0, out=chosen, mode="clip")  # in other modes NumPy makes a copy
    return chosen


def _width(points: npt.NDArray[np.float32]) -> float:
    """The sum of squared distances to the mean; -1 for a single point, which cannot be split."""
    if len(points) == 1:
        return -1.0
    mean = points.mean(axis=0, dtype=np.float64)
    return float(np.einsum("ij,ij->", points, points, dtype=np.float64) - len(points) * mean @ mean)


def _second_half(points: npt.NDArray[np.float32], room: Room) -> npt.NDArray[np.bool_]:
    """Which points are in the second of two clusters (two-means): never the first point, never none.

    Two-means begins with the point farthest from the mean and the point farthest from that one.
    """
    squares = np.einsum("ij,ij->i", points, points)

    def farthest(centre: Any) -> int:
        return int(np.argmax(squares - 2 * (points @ centre)))

    a = points[farthest(points.mean(axis=0))]
    b = points[farthest(a)]
    second = np.zeros(len(points), bool)
    for _ in range(_MOST_ITERATIONS):
        now = 2 * (points @ (b - a)) > b @ b - a @ a
        if now.all() or not now.any():
            break
        if np.array_equal(now, second):
            break
        second = now
        a, b = (_rows(points, np.flatnonzero(x), room).mean(axis=0) for x in (~now, now))
    if not second.any():  # all points are equal
        second[len(second) // 2 :] = True
    return ~second if second[0] else second
