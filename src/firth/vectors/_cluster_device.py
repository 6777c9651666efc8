"""What the workers of a cluster compute on GPUs: the larger products of ``_cluster_work``.

Pieces of blocks come from the memory of a worker and go back there, because other workers need them. The matrix and
the basis are copied once and stay on the GPU for as long as the worker has them, unless its memory is full.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar
from weakref import finalize

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, Device
from firth.vectors._basis import PIECE, Basis, arrays
from firth.vectors._device_matrix import Side, kernels_of
from firth.vectors._panels import Panels

__all__ = ["changed", "combined", "gram", "measured", "multiplied", "panel_times", "triangle"]

_ROWS = 1 << 16
"""Rows that are computed in double precision at a time."""
_HINT = "Start more workers, so that each has fewer words; or leave out --device."

Block = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Tensor = Any
Result = TypeVar("Result")
Copy = Callable[..., Any]
"""Makes a copy of something on the GPU, or returns the one that is there."""


class _Copies:
    """What is on the GPUs of this process, by what it was copied from."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._there: dict[tuple[int, str], Any] = {}

    def of(self, device: Device, thing: Any, make: Callable[[Any], Any]) -> Any:
        key = id(thing), str(device.where)
        with self._lock:
            if key not in self._there:
                self._there[key] = make(thing)
                finalize(thing, self._there.pop, key, None).atexit = False
            return self._there[key]

    def forget(self) -> None:
        with self._lock:
            self._there.clear()


_COPIES = _Copies()


def _computed(device: Device, work: Callable[[Copy], Result]) -> Result:
    """Work that needs copies; if memory is full, those that are there are given up, and none are kept."""
    with device.products("exact"):
        done = device.unless_full(partial(work, partial(_COPIES.of, device)))
        if done is not None:
            return done[0]
        _COPIES.forget()
        with device.within_memory("the share of a worker in the decomposition", _HINT):
            return work(lambda thing, make: make(thing))


class _Rows:
    """The rows of a sparse matrix that belong to a panel, on a device."""

    def __init__(self, device: Device, panels: Panels) -> None:
        torch, pointers = device.torch, device.put(panels.pointers)
        self._torch, self._kernels = torch, kernels_of(device)
        n, width = panels.n_rows, panels.block_width
        n_blocks = len(panels.starts) // panels.per_block
        rows = torch.arange(n, dtype=torch.int32, device=device.where).repeat(len(panels.starts))
        sizes = pointers.diff(dim=1)
        order = torch.sort(rows.repeat_interleave(sizes.flatten()), stable=True)[1]
        columns = device.put(panels.indices[: panels.n_entries].astype(np.int32))
        columns += device.put(panels.starts, torch.int32).repeat_interleave(sizes.sum(dim=1))
        entries = columns[order], device.put(panels.values)[order]
        ends = sizes.view(n_blocks, -1, n).sum(dim=1).cumsum(0)
        ends += (ends[-1].cumsum(0) - ends[-1])[None]
        begins = torch.cat([(ends[-1] - sizes.sum(dim=0))[None], ends[:-1]])
        self._all = Side.of(torch, *entries, begins[0], ends[-1], n_blocks * width)
        self._blocks = [
            Side.of(torch, *entries, begins[k], ends[k], width, k * width) for k in range(n_blocks)
        ]

    def times(self, source: Tensor, block: int | None) -> Tensor:
        side = self._all if block is None else self._blocks[block]
        target = self._torch.empty((side.n_rows, source.shape[1]), device=source.device)
        side.times(self._torch, self._kernels, source, target)
        return target


def panel_times(
    device: Device, panels: Panels, blocks: Sequence[int | None], sources: Sequence[Block],
    edges: Sequence[int],
) -> Block:  # fmt: skip
    """The rows of a panel times a block, or those of each of some blocks of columns, one below the other.

    ``sources`` are the pieces of the block from all panels.
    """

    def gathered(first: Block) -> Tensor:
        n_blocks = len(first) // edges[1]
        there = device.torch.empty((n_blocks, edges[-1], first.shape[1]), device=device.where)
        for piece, (a, b) in zip(sources, pairwise(edges), strict=True):
            there[:, a:b] = _there(device, piece).view(n_blocks, b - a, -1)
        return there.view(-1, first.shape[1])

    def work(copy: Copy) -> Block:
        rows = copy(panels, partial(_Rows, device))
        source = copy(sources[0], gathered)
        return _here(device, device.torch.cat([rows.times(source, k) for k in blocks]))

    return _computed(device, work)


def _there(device: Device, array: Block) -> Tensor:
    return device.send(array, ONE_THREAD)


def _here(device: Device, tensor: Tensor) -> Block:
    out = np.empty(tuple(tensor.shape), np.float32)
    device.fetch(tensor, out, ONE_THREAD)
    return out


def _vectors(
    device: Device, copy: Copy, basis: Basis, first: int, n: int
) -> Iterator[tuple[Tensor, slice]]:
    """The ``n`` vectors from ``first`` on, as columns, some at a time; and which of the ``n`` they are."""
    for some, begin, m, at in arrays(basis, first, n):
        yield copy(some, partial(_there, device))[:, begin : begin + m], slice(at, at + m)


def _changed(
    device: Device, copy: Copy, piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any]
) -> Tensor:  # fmt: skip
    there = _there(device, piece)
    for first, small in zip(firsts, smalls, strict=True):
        if first is None:
            there = there @ device.put(small[-1], device.torch.float32)
            continue
        inner = device.put(small[0])
        for vectors, here in _vectors(device, copy, basis, first, len(inner)):
            there = there.addmm(vectors, inner[here], alpha=-1)
    return there


def changed(
    device: Device, piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any]
) -> Block:
    """The rows of a block after changes that were put off."""

    def work(copy: Copy) -> Block:
        return _here(device, _changed(device, copy, piece, basis, firsts, smalls))

    return _computed(device, work)


def measured(
    device: Device, piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any], first: int
) -> tuple[Floats, Floats]:  # fmt: skip
    """Inner products with the basis, from its vector ``first`` on, and squared lengths of columns."""
    n = sum(some.shape[1] for some in basis) - first

    def work(copy: Copy) -> tuple[Floats, Floats]:
        block = _changed(device, copy, piece, basis, firsts, smalls)
        inner = block.new_zeros((n, block.shape[1]), dtype=device.torch.float64)
        for vectors, here in _vectors(device, copy, basis, first, n):
            for a in range(0, len(block), PIECE):
                inner[here] += vectors[a : a + PIECE].T @ block[a : a + PIECE]
        return device.get(inner), device.get(block.double().square().sum(dim=0))

    return _computed(device, work)


def triangle(
    device: Device, piece: Block, basis: Basis, firsts: list[int | None], smalls: list[Any]
) -> Floats:
    """A square root of the inner products of the columns of a block, in place of its triangular factor."""

    def work(copy: Copy) -> Floats:
        block = _changed(device, copy, piece, basis, firsts, smalls)
        return device.get(_gram(device, block))

    values, vectors = np.linalg.eigh(_computed(device, work))
    found: Floats = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    return found


def combined(device: Device, basis: Basis, small: Floats, n: int) -> Block:
    """The rows of the basis times a small matrix."""

    def work(copy: Copy) -> Block:
        factors = device.put(small, device.torch.float32)
        total = factors.new_zeros((n, small.shape[1]))
        for vectors, here in _vectors(device, copy, basis, 0, len(small)):
            total.addmm_(vectors, factors[here])
        return _here(device, total)

    return _computed(device, work)


def multiplied(device: Device, tall: Block, small: Floats) -> Block:
    """Rows times a small matrix."""
    factors = small.astype(np.float32)
    return _computed(device, lambda _: _here(device, _there(device, tall) @ device.put(factors)))


def gram(device: Device, tall: Block) -> Floats:
    """The inner products of columns."""
    return _computed(device, lambda _: device.get(_gram(device, _there(device, tall))))


def _gram(device: Device, tall: Tensor) -> Tensor:
    total = tall.new_zeros((tall.shape[1],) * 2, dtype=device.torch.float64)
    for a in range(0, len(tall), _ROWS):
        rows = tall[a : a + _ROWS].double()
        total += rows.T @ rows
    return total
