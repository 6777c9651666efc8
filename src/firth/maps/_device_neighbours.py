"""Exact nearest neighbours on a GPU: a list of candidates from fast products, and cosines of those alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Device

__all__ = ["HINT", "neighbours_on"]

HINT = "Use fewer words: restrict(50_000), or --words 50000, keeps the most frequent ones."
_AT_ONCE = 4096
"""Words that are compared with all others at a time."""
_GROUP = 32
"""Cosines of which only the largest is looked at first."""
_FAST_ERROR = 2.0**-9 + 2.0**-12
"""What products of TF32 can be wrong by: vectors have unit length, and each number loses at most 2**-10."""
_FEW = 64
"""Rows of which all cosines are computed in double precision at a time."""
_PARTS = 1 << 27
"""Numbers of candidates' vectors in double precision at a time."""

Tensor = Any
Floats32 = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]


def neighbours_on(device: Device, unit: Floats32, k: int) -> tuple[Ids, Floats32]:
    """The ``k`` other rows of largest cosine for every row; see ``nearest_neighbours``.

    Cosines are sums of products in double precision, rounded once. Which words can be among the nearest is
    decided with faster products, whose largest possible error is known: if the word after the candidates
    could still be among the nearest, there are more candidates, and finally all words.
    """
    ids = np.empty((len(unit), k), np.int32)
    cosines = np.empty((len(unit), k), np.float32)
    rounding = 2.0 * unit.shape[1] * float(np.finfo(np.float32).eps)
    with (
        progress.stage("neighbours", total=len(unit), unit="words", brief=1) as stage,
        device.within_memory(f"{len(unit):,} vectors", _hint(device, unit), unit.nbytes),
    ):
        search, rest = _Search(device, unit, k), np.arange(len(unit))
        for precision, size, error in (
            ("fast", k + 64, _FAST_ERROR + rounding),
            ("exact", 2 * k + 256, rounding),
            ("exact", len(unit), 0.0),
        ):
            left = []
            with device.products(precision):  # type: ignore[arg-type]
                for rows, found, values, is_sure in search.answers(rest, size, error):
                    ids[rows], cosines[rows] = found, values
                    left.append(rows[~is_sure])
                    stage.advance(float(is_sure.sum()))
            rest = np.concatenate(left) if left else rest[:0]
    return ids, cosines


def _hint(device: Device, unit: Floats32) -> str:
    return f"About {device.fitting(4 * unit.shape[1])} would fit. {HINT}"


class _Search:
    """The vectors on the device."""

    def __init__(self, device: Device, unit: Floats32, k: int) -> None:
        self._device, self._torch, self._k = device, device.torch, k
        self._unit = device.put(unit)
        self._n = len(unit)

    def answers(self, asked: npt.NDArray[np.int64], size: int, error: float) -> Iterator[Any]:
        """The nearest of ``size`` candidates for each row, in blocks; of all words if there are no more.

        Yields the rows, their answers, and whether no other word can be as near, if cosines that were not
        computed in double precision are wrong by at most ``error``.
        """

        def work(a: int, b: int) -> Any:
            rows = asked[a:b]
            there = self._device.put(rows)
            some = (
                self._of_listed(there, size, error) if size < self._n - 1 else self._of_all(there)
            )
            return rows, *map(self._device.get, some)

        at_once = _AT_ONCE if size < self._n - 1 else _FEW
        for *_, found in self._device.blocks(len(asked), at_once, work, "a row of cosines", HINT):
            yield found

    def _of_listed(self, rows: Tensor, size: int, error: float) -> tuple[Tensor, Tensor, Tensor]:
        k = self._k
        scores = self._unit[rows] @ self._unit.T
        scores.scatter_(1, rows[:, None], -math.inf)
        values, candidates = self._largest(scores, size)
        del scores
        candidates = candidates.sort(dim=1)[0]  # ties in order of id
        cosines, order = self._cosines(rows, candidates).sort(dim=1, descending=True, stable=True)
        is_sure = cosines[:, k - 1] > values.amin(dim=1) + error
        return candidates.gather(1, order[:, :k]).int(), cosines[:, :k], is_sure

    def _of_all(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores = self._torch.empty((len(rows), self._n), device=rows.device)
        query, step = self._unit[rows].double(), max(1, _PARTS // self._unit.shape[1])
        for a in range(0, self._n, step):
            scores[:, a : a + step] = (query @ self._unit[a : a + step].double().T).float()
        scores.scatter_(1, rows[:, None], -math.inf)
        values, order = scores.sort(dim=1, descending=True, stable=True)
        return order[:, : self._k].int(), values[:, : self._k], rows >= 0

    def _largest(self, scores: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """The largest of each row: they are in the groups whose largest ones are largest."""
        n_groups = scores.shape[1] // _GROUP
        if n_groups <= 2 * size:
            found: tuple[Tensor, Tensor] = self._torch.topk(scores, size, dim=1, sorted=False)
            return found
        whole = n_groups * _GROUP
        tops = scores[:, :whole].view(len(scores), n_groups, _GROUP).amax(dim=2)
        groups = self._torch.topk(tops, size, dim=1, sorted=False)[1]
        offsets = self._torch.arange(_GROUP, device=scores.device)
        places = (groups[:, :, None] * _GROUP + offsets).flatten(1)
        rest = self._torch.arange(whole, scores.shape[1], device=scores.device)
        places = self._torch.cat([places, rest.expand(len(scores), -1)], dim=1)
        values, order = self._torch.topk(scores.gather(1, places), size, dim=1, sorted=False)
        return values, places.gather(1, order)

    def _cosines(self, rows: Tensor, candidates: Tensor) -> Tensor:
        """Cosines in double precision, rounded to single precision."""
        found = self._torch.empty(candidates.shape, device=rows.device)
        per_row = candidates.shape[1] * self._unit.shape[1]
        step = max(1, _PARTS // per_row)
        for a in range(0, len(rows), step):
            here = slice(a, a + step)
            vectors = self._unit[candidates[here]].double()
            query = self._unit[rows[here]].double()
            found[here] = self._torch.bmm(vectors, query[:, :, None])[:, :, 0].float()
        return found
