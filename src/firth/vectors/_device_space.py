"""The decomposition on a GPU: the matrix, the basis and all blocks are in its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Device, Engine
from firth.store import Checkpoint, Room
from firth.vectors._device_matrix import DeviceMatrix
from firth.vectors._krylov import svd_in
from firth.vectors._space import Block, Floats, Order
from firth.vectors._svd import Svd, rank_of

__all__ = ["DeviceSpace", "device_svd"]

LANES = 64
"""Columns of a block: wider than on a processor, because each product reads the whole matrix."""
_PIECE = 4096
"""Rows whose inner products are added up in single precision; the sums of pieces, in double."""
_WIDTH = 512
"""Vectors of the basis in one tensor."""
_ROWS = 1 << 16
"""Rows that are computed in double precision at a time."""
_MARGIN = 0.9
"""The share of the tolerance at which products of half precision are given up to the test."""

Tensor = Any


class _NotPreciseError(Exception):
    """The triplets are not as good as the tolerance demands."""


def device_svd(
    matrix: DeviceMatrix, rank: int, tolerance: float, seed: int, engine: Engine, room: Room,
    checkpoint: Checkpoint | None = None, half: bool | None = None,
) -> Svd | None:  # fmt: skip
    """The ``rank`` largest singular triplets of a matrix on a device; see ``krylov_svd``.

    While the basis grows, products round numbers to half precision where that is faster. Whether the
    triplets are good enough is measured with products of single precision; if they are not, all is done
    again in single precision.

    Parameters
    ----------
    half : bool, optional
        Whether to begin with half precision.
    """
    device = matrix.device
    n, m = sorted(matrix.shape)
    needed = 4.0 * (rank * (n + max(3 * n, m)) + 8 * LANES * m)
    most = max(1, int(rank * device.memory()[0] / (1.5 * needed)))
    hint = f"About {progress.number(most)} dimensions would fit; or use fewer words."
    begin = matrix.has_kernels if half is None else half
    for rounded in (True, False)[not begin :]:
        space = DeviceSpace(matrix, seed, engine, room, tolerance if rounded else None)
        with (
            suppress(_NotPreciseError),
            device.products("exact"),
            device.within_memory("the decomposition", hint, needed),
        ):
            found = svd_in(space, rank, tolerance * (_MARGIN if rounded else 1), checkpoint)
            if found is not None:
                return found
    return None


class DeviceSpace:
    """Blocks are tensors on a device; see ``Space``.

    Those on the side of the basis have some rows of zeros at the end, so that rows can be divided into
    equal pieces.

    Parameters
    ----------
    matrix : DeviceMatrix
    seed : int
    engine : Engine
        Whose threads copy the result to arrays of ``room``.
    room : Room
    tolerance : float, optional
        If it is given, products are in half precision, and the result must have at most this residual.
    """

    lanes = LANES

    def __init__(
        self, matrix: DeviceMatrix, seed: int, engine: Engine, room: Room, tolerance: float | None = None
    ) -> None:  # fmt: skip
        self._matrix, self._torch, self._where = matrix, matrix.torch, matrix.device.where
        self._device: Device = matrix.device
        self._engine, self._room, self._tolerance = engine, room, tolerance
        self._half = tolerance is not None
        self._turned = matrix.shape[1] > matrix.shape[0]  # the basis is on the shorter side
        self.n, self._n_long = sorted(matrix.shape)
        self._rows = -(-self.n // _PIECE) * _PIECE
        self.size, self.limit = 0, 0
        self._basis: list[Tensor] = []
        """Vectors as rows."""
        self._seed, self._drawn = seed, 0

    def _random(self, n: int) -> Tensor:
        generator = self._torch.Generator(self._where)
        generator.manual_seed((self._seed << 20) + self._drawn)
        self._drawn += 1
        return self._torch.randn((n, LANES), generator=generator, device=self._where)

    def _product(self, block: Tensor, back: bool, half: bool) -> Tensor:
        """Ω times a block on the side of the basis; the other way if ``back``."""
        n = self._rows if back else self._n_long
        return self._matrix.product(block, back != self._turned, half, n)

    def start(self) -> Tensor:
        start = self._product(self._random(self._n_long), True, self._half)
        self._support = (start != 0).any(dim=1, keepdim=True)
        self.limit = min(self._n_long, int(self._support.sum()))
        return start

    def square(self, block: Tensor) -> Tensor:
        return self._product(self._product(block, False, self._half), True, self._half)

    def append(self, block: Tensor) -> None:
        at = self.size % _WIDTH
        if not at:
            self._basis.append(self._torch.empty((_WIDTH, self._rows), device=self._where))
        self._basis[-1][at : at + LANES] = block.T
        self.size += LANES

    def _parts(self, first: int, last: int) -> Iterator[Tensor]:
        """The vectors ``first`` to ``last - 1`` of the basis."""
        for k, vectors in enumerate(self._basis):
            a, b = max(first - k * _WIDTH, 0), min(last - k * _WIDTH, _WIDTH)
            if a < b:
                yield vectors[a:b]

    def project(
        self, block: Tensor, first: int
    ) -> tuple[Tensor, Callable[[], tuple[Floats, float]]]:
        before = self._longest(block)
        found = []
        rows = block.view(-1, _PIECE, LANES)
        for vectors in self._parts(first, self.size):
            pieces = vectors.view(len(vectors), -1, _PIECE).transpose(0, 1)
            found.append(self._torch.bmm(pieces, rows).sum(dim=0, dtype=self._torch.float64))
        inner = self._torch.cat(found) if found else before.new_zeros((0, LANES))
        single, k = inner.float(), 0
        for vectors in self._parts(first, self.size):
            block.addmm_(vectors.T, single[k : k + len(vectors)], alpha=-1)
            k += len(vectors)
        return block, lambda: (self._device.get(inner).astype(np.float64), float(before))

    def _longest(self, block: Tensor) -> Tensor:
        return block.square().sum(dim=0).amax().sqrt()

    def longest(self, block: Tensor) -> float:
        return float(self._longest(block))

    def spectrum(self, block: Tensor) -> tuple[Floats, Floats]:
        values, vectors = np.linalg.eigh(self.gram(block))
        return values, vectors

    def largest(self, inner: Floats, n: int) -> tuple[Floats, Floats]:
        values, vectors = self._torch.linalg.eigh(self._device.put(inner))
        return self._device.get(values[-n:]), self._device.get(vectors[:, -n:].contiguous())

    def _small(self, small: Floats) -> Tensor:
        return self._device.put(np.ascontiguousarray(small), self._torch.float32)

    def times(self, tall: Tensor, small: Floats) -> Tensor:
        return tall @ self._small(small)

    def with_random(self, block: Tensor, lost: npt.NDArray[np.bool_]) -> Tensor:
        others = self._random(self._rows) * self._support
        lengths = self._torch.linalg.norm(others, dim=0).clamp(min=1e-30)
        where = self._device.put(lost)
        return self._torch.where(where, others / lengths, block)

    def gram(self, tall: Tensor) -> Floats:
        total = tall.new_zeros((tall.shape[1],) * 2, dtype=self._torch.float64)
        for a in range(0, len(tall), _ROWS):
            rows = tall[a : a + _ROWS].double()
            total += rows.T @ rows
        return self._device.get(total)

    def _lengths(self, tall: Tensor) -> Tensor:
        total = tall.new_zeros(tall.shape[1], dtype=self._torch.float64)
        for a in range(0, len(tall), _ROWS):
            total += tall[a : a + _ROWS].double().square().sum(dim=0)
        return total.sqrt()

    def lengths(self, tall: Tensor) -> Floats:
        return self._device.get(self._lengths(tall))

    def arranged(self, tall: Tensor, order: Order, factors: Floats) -> Tensor:
        places, small = self._device.put(order), self._small(factors)
        for a in range(0, len(tall), _ROWS):
            tall[a : a + _ROWS] = tall[a : a + _ROWS][:, places] * small
        return tall

    def combined(self, small: Floats) -> Tensor:
        factors, k = self._small(small), 0
        product = self._torch.zeros((self._rows, small.shape[1]), device=self._where)
        for vectors in self._parts(0, self.size):
            product.addmm_(vectors.T, factors[k : k + len(vectors)])
            k += len(vectors)
        return product

    def images(self, tall: Tensor) -> tuple[Tensor, Floats]:
        lengths = []

        def scaled(product: Tensor) -> Tensor:
            found = self._lengths(product)
            lengths.append(found)
            return product / self._torch.where(found > 0, found, 1).float()

        left = self._products(tall.shape[1], lambda a, b: tall[:, a:b], scaled)
        return left, self._device.get(self._torch.cat(lengths))

    def products(self, tall: Tensor | None = None) -> Tensor:
        if tall is not None:
            return self._products(tall.shape[1], lambda a, b: tall[:, a:b])
        return self._products(self.size, lambda a, b: next(self._parts(a, b)).T)

    def _products(
        self,
        width: int,
        columns: Callable[[int, int], Tensor],
        change: Callable[[Tensor], Tensor] = lambda product: product,
    ) -> Tensor:
        """The products with ``LANES`` columns at a time, in single precision."""
        products = self._torch.empty((self._n_long, width), device=self._where)
        for a in range(0, width, LANES):
            b = min(a + LANES, width)
            product = self._product(self._block(columns(a, b)), False, False)
            products[:, a:b] = change(product[:, : b - a])
        return products

    def residuals(self, left: Tensor, values: Floats, right: Tensor) -> Floats:
        known, found = self._small(values), []
        for a in range(0, left.shape[1], LANES):
            some = left[:, a : a + LANES]
            width = some.shape[1]
            back = self._product(self._block(some), True, False)[:, :width]
            found.append(self._lengths(back - right[:, a : a + width] * known[a : a + width]))
        return self._device.get(self._torch.cat(found)) if found else np.empty(0)

    def _block(self, columns: Tensor) -> Tensor:
        """Some columns as a block, with others that are zero."""
        if columns.shape[1] == LANES:
            return columns
        block = columns.new_zeros((len(columns), LANES))
        block[:, : columns.shape[1]] = columns
        return block

    def result(self, left: Tensor, values: Floats, right: Tensor, residual: float) -> Svd:
        rank = rank_of(values, np.float32)
        left, values, right = left[:, :rank], values[:rank], right[:, :rank]
        if self._half and rank:
            errors = self.residuals(left, values, right) / values
            residual = float(np.sqrt((errors**2).mean()))
            if not residual <= float(self._tolerance or 0):
                raise _NotPreciseError
        right = right[: self.n]
        words, contexts = (right, left) if self._turned else (left, right)
        signs = self._signs(words)
        found = []
        for tall in (words, contexts):
            here = self._room.empty(tuple(tall.shape))
            self._device.fetch(tall.mul_(signs), here, self._engine)
            found.append(here)
        return Svd(found[0], np.asarray(values, np.float64), found[1], residual, self.size)

    def _signs(self, words: Tensor) -> Tensor:
        """The sign of the entry of the largest absolute value in each column, the first of several."""
        if not words.numel():
            return words.new_ones(words.shape[1])
        largest = words.abs().argmax(dim=0, keepdim=True)
        return self._torch.where(words.gather(0, largest)[0] < 0, -1.0, 1.0)

    def blocks(self, first: int) -> Iterator[Block]:
        for k in range(first, self.size, LANES):
            yield self._device.get(next(self._parts(k, k + LANES))[:, : self.n])

    def array(self, block: Tensor) -> Block:
        return self._device.get(block[: self.n])

    def block(self, array: Block) -> Tensor:
        return _padded(self._device.put(np.ascontiguousarray(array)), self._rows)

    def forget(self) -> None:
        self.size = 0
        self.release()

    def release(self) -> None:
        self._basis = []

    @property
    def chance(self) -> npt.NDArray[np.uint64]:
        """How many blocks of random numbers were drawn."""
        return np.array([self._drawn, 0, 0, 0], np.uint64)

    @chance.setter
    def chance(self, numbers: npt.NDArray[np.uint64]) -> None:
        self._drawn = int(numbers[0]) % (1 << 20)


def _padded(tall: Tensor, n: int) -> Tensor:
    """With rows of zeros at the end."""
    found = tall.new_zeros((n, tall.shape[1]))
    found[: len(tall)] = tall
    return found
