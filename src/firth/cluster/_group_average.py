"""Group-average clustering (Manning and Schütze 1999, 14.1.2), exact and without a matrix of all pairs.

Every step merges the two clusters whose union has the largest average similarity over all its pairs,
including pairs within the same part. For vectors of unit length and their cosines, this average follows
from the sums of the vectors of the clusters, so that memory grows with the number of vectors, not pairs.

This average is not reducible: a merge can bring a cluster closer to a third one. Nearest-neighbour
chains, which compute other linkages in quadratic time, would give wrong trees. Instead, every cluster
keeps a short list of its best partners and a bound for all others. A cluster is compared with all others
only when its bound allows it to have the best pair of all; many clusters are compared at once, by a matrix
product in single precision with a known maximum error. The final choice is made in double precision, with
sums in a fixed order.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Device, Engine, Run, limit_blas

__all__ = ["group_average_of_matrix", "group_average_of_vectors"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_AT_ONCE = 64
"""Maximum number of clusters that are compared with all others at once."""
_FEW = 16
"""Fewer rows than this are multiplied by our own kernel."""
_ROUNDED = 16 * float(np.finfo(np.float64).eps)
"""Lower heights are rounding errors of identical vectors."""
_LISTED = 16
"""Length of the short list of partners of a cluster."""
_HINT = "Leave out --device: results are the same."


class _Source(Protocol):
    """The similarities of clusters."""

    margin: float
    sums: Floats

    def dots(self, rows: Integers, m: int, run: Run, engine: Engine) -> npt.NDArray[Any]: ...
    def across(self, u: int, v: int) -> float: ...
    def merge(self, u: int, v: int, last: int) -> None: ...


class _Vectors:
    """Sums of vectors; the sum of similarities across two clusters is the inner product of their sums."""

    def __init__(self, unit: Floats) -> None:
        self.sums = unit.copy()
        self._single = unit.astype(np.float32)
        self.margin = (unit.shape[1] + 4) * float(np.finfo(np.float32).eps) / 2

    def dots(self, rows: Integers, m: int, run: Run, engine: Engine) -> npt.NDArray[Any]:
        from firth.cluster._group_average_kernels import multiply_few

        few, out = self._single[rows], np.empty((len(rows), m), np.float32)

        def multiply(first: int, last: int) -> None:
            if len(few) < _FEW:
                multiply_few(few, self._single, first, last, out)
            else:
                out[:, first:last] = (self._single[first:last] @ few.T).T

        cuts = np.linspace(0, m, engine.threads + 1).astype(np.int64)
        list(run(multiply, cuts[:-1], cuts[1:]))
        return out

    def across(self, u: int, v: int) -> float:
        from firth.cluster._group_average_kernels import dot

        return float(dot(self.sums[u], self.sums[v]))

    def merge(self, u: int, v: int, last: int) -> None:
        self.sums[u] += self.sums[v]
        self._single[u] = self.sums[u]
        self.sums[v], self._single[v] = self.sums[last], self._single[last]


class _VectorsOnDevice(_Vectors):
    """The same; approximate products are computed on a GPU, in single precision as here."""

    def __init__(self, unit: Floats, device: Device) -> None:
        super().__init__(unit)
        self._device = device
        kept = device.unless_full(lambda: device.put(self._single))
        self._there = kept[0] if kept else None
        """All vectors, if there is room for them."""
        self._changed: set[int] = set()

    def dots(self, rows: Integers, m: int, run: Run, engine: Engine) -> npt.NDArray[Any]:  # noqa: ARG002
        put, there = self._device.put, self._there
        if self._changed and there is not None:
            changed = np.sort(np.fromiter(self._changed, np.int64))
            there[put(changed)] = put(self._single[changed])
        self._changed.clear()

        def work(a: int, b: int) -> npt.NDArray[Any]:
            mine = put(self._single[rows]) if there is None else there[put(rows)]
            others = put(self._single[a:b]) if there is None else there[a:b]
            return self._device.later(mine @ others.T)()

        what = f"group-average clustering of {len(self._single):,} objects"
        with self._device.products("exact"):
            found = list(self._device.blocks(m, m, work, what, _HINT))
        return found[0][2] if len(found) == 1 else np.concatenate([x for *_, x in found], axis=1)

    def merge(self, u: int, v: int, last: int) -> None:
        super().merge(u, v, last)
        self._changed |= {u, v}


class _Matrix:
    """Sums of similarities across all pairs of clusters."""

    sums = np.zeros((0, 0))

    def __init__(self, similarities: Floats) -> None:
        self._across = similarities.copy()
        self.margin = 1e-13 * float(np.abs(similarities).max(initial=0.0))

    def dots(self, rows: Integers, m: int, run: Run, engine: Engine) -> npt.NDArray[Any]:  # noqa: ARG002
        return self._across[rows, :m]

    def across(self, u: int, v: int) -> float:
        return float(self._across[u, v])

    def merge(self, u: int, v: int, last: int) -> None:
        across = self._across
        across[u] += across[v]
        across[:, u] = across[u]
        across[v] = across[last]
        across[:, v] = across[:, last]


def group_average_of_vectors(unit: Floats, engine: Engine = ONE_THREAD) -> Floats:
    """The tree of rows of unit length, by their cosines; heights are one minus the average similarity."""
    device = engine.device
    with limit_blas(1):  # the engine has threads of its own
        if device is None:
            tree = _Merging(_Vectors(unit), len(unit), engine).run()
        else:
            with device.within_memory(f"group-average clustering of {len(unit):,} objects", _HINT):
                tree = _Merging(_VectorsOnDevice(unit, device), len(unit), engine).run()
    tree[:, 2] = 1.0 - tree[:, 2]
    tree[tree[:, 2] < _ROUNDED, 2] = 0.0
    return tree


def group_average_of_matrix(distances: Floats) -> Floats:
    """The tree of objects with given distances; heights are average distances over all pairs of a merge."""
    tree = _Merging(_Matrix(-distances), len(distances), ONE_THREAD).run()
    tree[:, 2] = -tree[:, 2]
    return tree


class _Merging:
    """Merges clusters, which live in slots, until only one is left."""

    def __init__(self, source: _Source, n: int, engine: Engine) -> None:
        self._source, self._n, self._engine = source, n, engine
        self._ids = np.arange(n)
        self._slots = np.concatenate([np.arange(n), np.full(max(n - 1, 0), -1)])
        self._sizes, self._within = np.ones(n), np.zeros(n)
        self._cross, self._second, self._best = (np.full(n, np.inf) for _ in range(3))
        self._closest = np.full(n, -1)
        self._sure, self._rest = np.zeros(n, np.bool_), np.full(n, np.inf)
        self._near = np.full((n, _LISTED), -1, np.int64)
        self._near_values = np.full((n, _LISTED), -np.inf)
        self._scratch = [np.empty((2, n)) for _ in range(engine.threads)]
        self.looks = 0

    def run(self) -> Floats:
        """The rows of a tree, with average similarities instead of heights."""
        from firth.cluster._group_average_kernels import best_pair

        tree, found = np.empty((self._n - 1, 4)), np.zeros(1, np.int64)
        m = self._n
        with (
            progress.stage("merging", total=self._n - 1, unit="merges", brief=1.0) as stage,
            self._engine.team() as run,
        ):
            while m > 1:
                possible = best_pair(m, self._ids, self._best, self._sure, self._near, found)
                c = int(found[0])
                if c < 0 or possible >= self._best[c]:
                    self._look(m, run)
                else:
                    tree[self._n - m] = self._merge(c, m)
                    m -= 1
                    stage.advance(1)
        return tree

    def _look(self, m: int, run: Run) -> None:
        """Compare the clusters that may have the best pair with all others."""
        from firth.cluster._group_average_kernels import look_around

        unsure = np.flatnonzero(~self._sure[:m])
        if len(unsure) > _AT_ONCE:
            unsure = unsure[np.argpartition(-self._best[unsure], _AT_ONCE)[:_AT_ONCE]]

        dots = self._source.dots(unsure, m, run, self._engine)

        n_parts = self._engine.threads

        def look(part: int, scratch: Floats) -> None:
            look_around(
                dots[part::n_parts], unsure[part::n_parts], m, self._source.margin, self._source.sums,
                self._ids, self._sizes, self._within, self._cross, self._second, self._closest, self._best, self._sure,
                self._near, self._near_values, self._rest, scratch,
            )  # fmt: skip

        self.looks += len(unsure)
        list(run(look, range(n_parts), self._scratch))

    def _merge(self, c: int, m: int) -> tuple[int, int, float, int]:
        """Merge a cluster with its best partner; returns a row of the tree."""
        from firth.cluster._group_average_kernels import merge_slots

        average, p = float(self._best[c]), int(self._slots[self._near[c, 0]])
        u, v = min(c, p), max(c, p)
        a, b = sorted((int(self._ids[u]), int(self._ids[v])))
        size = int(self._sizes[u] + self._sizes[v])
        merge_slots(
            u, v, 2 * self._n - m, self._source.across(u, v), m, self._slots, self._ids, self._sizes, self._within,
            self._cross, self._second, self._closest, self._best, self._sure, self._near, self._near_values, self._rest,
        )  # fmt: skip
        self._source.merge(u, v, m - 1)
        return a, b, average, size
