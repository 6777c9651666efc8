"""Sparse matrices on a GPU, and their products with blocks of columns."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from firth import progress
from firth.compute import Device, Engine
from firth.counts import Counts, Entries
from firth.errors import FirthError
from firth.store import Room
from firth.vectors._panels import mirror
from firth.vectors._template import Template

__all__ = ["DeviceMatrix", "Side", "kernels_of"]

_STRETCH = 1024
"""Entries of a row that are multiplied in one go; longer rows are divided."""
_BYTES = 40
"""Bytes for each entry while a matrix is made."""
_MOST_SORTED = (1 << 31) - 1
"""Entries that PyTorch sorts at once on a GPU."""
_LARGEST_HALF = 2.0**14
"""The largest number of a block that is rounded to half precision; the range ends at 65,504."""

Tensor = Any


@dataclass
class Side:
    """Rows whose entries are somewhere in two arrays, as the kernel takes them.

    ``stretches`` says where the result belongs, and the first and last entry. Rows of several stretches
    have their results in places from ``n_rows`` on, which ``sums`` adds up in order.
    """

    n_rows: int
    n_columns: int
    indices: Tensor
    values: Tensor
    begins: Tensor
    ends: Tensor
    origin: int
    stretches: tuple[Tensor, Tensor, Tensor]
    sums: tuple[Tensor, Tensor, Tensor]
    n_parts: int
    plain: Tensor = None
    """The same as a matrix of PyTorch, made if Triton is missing."""

    @classmethod
    def of(
        cls, torch: Any, indices: Tensor, values: Tensor, begins: Tensor, ends: Tensor,
        n_columns: int, origin: int = 0,
    ) -> Side:  # fmt: skip
        n, where = len(begins), begins.device
        pieces = ((ends - begins + _STRETCH - 1) // _STRETCH).clamp(min=1)
        rows = torch.arange(n, device=where).repeat_interleave(pieces)
        number = torch.arange(len(rows), device=where) - (pieces.cumsum(0) - pieces)[rows]
        first = begins[rows] + number * _STRETCH
        last = torch.minimum(first + _STRETCH, ends[rows])
        is_part = (pieces > 1)[rows]
        outs = torch.where(is_part, n + is_part.cumsum(0) - 1, rows)
        whole = torch.nonzero(pieces > 1).flatten()
        after = pieces[whole].cumsum(0)
        n_parts = int(is_part.sum())
        sums = whole, after - pieces[whole], after
        return cls(
            n, n_columns, indices, values, begins, ends, origin, (outs, first, last), sums, n_parts
        )

    def times(self, torch: Any, kernels: Any, source: Tensor, target: Tensor) -> None:
        """Write the product with a block to the first rows of a target."""
        target = target[: self.n_rows]
        if kernels is None:
            target[:] = self._plain(torch) @ source[: self.n_columns].float()
            return
        parts = torch.empty((self.n_parts, source.shape[1]), device=source.device)
        kernels.multiply(
            self.stretches, self.indices, self.values, source, target, parts, self.origin
        )
        kernels.add_up(self.sums, parts, target)

    def _plain(self, torch: Any) -> Tensor:
        if self.plain is None:
            sizes = self.ends - self.begins
            pointers = torch.zeros(self.n_rows + 1, dtype=torch.int64, device=sizes.device)
            torch.cumsum(sizes, 0, out=pointers[1:])
            places = torch.arange(int(pointers[-1]), device=sizes.device)
            places += (self.begins - pointers[:-1]).repeat_interleave(sizes)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # these matrices are "in beta state"
                self.plain = torch.sparse_csr_tensor(
                    pointers, self.indices[places].long() - self.origin, self.values[places],
                    (self.n_rows, self.n_columns), check_invariants=False,
                )  # fmt: skip
        return self.plain


class DeviceMatrix:
    """A sparse matrix Ω = diag(left) · M · diag(right) on a device, as a linear operator on blocks.

    Blocks are single precision. With ``half``, numbers are rounded to half precision before they are
    multiplied (each block is scaled so that they are in its range), and sums are of single precision.

    Parameters
    ----------
    device : Device
    forward : Side
        The rows of M.
    backward : list of Side
        Those of its transpose, maybe in several pieces.
    left, right : Tensor
        Columns of factors.
    """

    def __init__(
        self, device: Device, forward: Side, backward: list[Side], left: Tensor, right: Tensor
    ) -> None:
        self.device, self.torch = device, device.torch
        self.shape = len(left), len(right)
        self._sides = [forward], backward
        self._factors = right, left
        self._kernels = kernels_of(device)

    @property
    def has_kernels(self) -> bool:
        """Whether products are those of Triton, which gain from half precision."""
        return self._kernels is not None

    @classmethod
    def of_counts(
        cls, counts: Counts, template: Template, device: Device, engine: Engine
    ) -> DeviceMatrix:
        """The matrix of a template: the transform of counts is computed on the device."""
        with _room_for(counts.entries, device):
            return cls._of_counts(counts, template, device, engine)

    @classmethod
    def _of_counts(
        cls, counts: Counts, template: Template, device: Device, engine: Engine
    ) -> DeviceMatrix:
        torch, entries, n_blocks = device.torch, counts.entries, counts.contexts.n_blocks
        margins = template.margins(counts)
        left, right = (device.put(x, torch.float32)[:, None] for x in template.factors(margins))
        indptr, indices = _pattern(entries, device, engine)
        if template.scale == "ppmi":
            here = Room().empty(len(entries.data))
            template.values(entries, counts.scale, margins, here, engine=engine)
            values = device.send(here, engine)
        else:
            values = _transformed(_counts(entries.data, device, engine), counts.scale, template)
        n, width = entries.shape[0], entries.shape[1] // n_blocks
        forward = Side.of(torch, indices, values, indptr[:-1], indptr[1:], entries.shape[1])
        turned = mirror(counts.contexts)
        if turned is None or template.scale == "ppmi":
            backward = [_transposed(torch, indptr, indices, values, entries.shape)]
        else:  # the matrix of an offset is the transpose of that of the opposite one
            edges = _edges(torch, indptr, indices, n, width, n_blocks)
            backward = [
                Side.of(torch, indices, values, edges[k], edges[k + 1], width, k * width)
                for k in turned
            ]
        return cls(device, forward, backward, left, right)

    @classmethod
    def of_entries(cls, entries: Entries, device: Device, engine: Engine) -> DeviceMatrix:
        """Any sparse matrix."""
        torch = device.torch
        with _room_for(entries, device):
            indptr, indices = _pattern(entries, device, engine)
            values = device.send(np.asarray(entries.data, np.float32), engine)
            forward = Side.of(torch, indices, values, indptr[:-1], indptr[1:], entries.shape[1])
            backward = [_transposed(torch, indptr, indices, values, entries.shape)]
            left, right = (torch.ones((n, 1), device=device.where) for n in entries.shape)
            return cls(device, forward, backward, left, right)

    def product(
        self, block: Tensor, back: bool, half: bool = False, n: int | None = None
    ) -> Tensor:
        """Ω times a block, or its transpose if ``back``, with rows of zeros up to ``n``."""
        torch = self.torch
        here, there = self._factors[::-1] if back else self._factors
        source, unit = (block[: len(here)] * here).contiguous(), None  # kernels read it row by row
        if half:
            largest = source.abs().amax().clamp(min=1e-30)
            unit = torch.exp2(torch.floor(torch.log2(_LARGEST_HALF / largest)))
            source = (source * unit).half()
        sides, rows = self._sides[back], len(there)
        target = torch.empty((n or rows, block.shape[1]), device=block.device)
        target[rows:] = 0
        first = 0
        for side in sides:
            side.times(torch, self._kernels, source, target[first:])
            first += side.n_rows
        target[:rows] *= there
        return target if unit is None else target.div_(unit)


def kernels_of(device: Device) -> Any:
    """The kernels for products on a device, or None if they are PyTorch's own."""
    return _kernels(device) if device.where.type == "cuda" else None


@cache
def _kernels(device: Device) -> Any:
    """The kernels, or None where Triton is missing or does not work: it needs a C compiler, for example."""
    try:
        from firth.vectors import _device_kernels as kernels
    except ImportError:
        return None
    ones = device.torch.ones((1, 64), device=device.where)
    first = device.torch.zeros(1, dtype=device.torch.int32, device=device.where)
    try:
        kernels.multiply((first, first, first + 1), first, ones[0, :1], ones, ones.clone(), ones, 0)
    except Exception as error:  # noqa: BLE001  of Triton, a compiler, the linker
        progress.notice(
            f"Triton does not work here, so sparse products on the GPU take longer: {str(error).strip()}",
            "It needs a C compiler, such as gcc.",
        )
        return None
    return kernels


def _room_for(entries: Entries, device: Device) -> AbstractContextManager[None]:
    n = len(entries.indices)
    hint = f"About {device.fitting(_BYTES)} entries would fit: use a larger --min-count, or leave out --device."
    return device.within_memory(f"a matrix of {n:,} entries", hint, _BYTES * n)


def _pattern(entries: Entries, device: Device, engine: Engine) -> tuple[Tensor, Tensor]:
    indices = np.asarray(entries.indices)
    if indices.dtype.itemsize > 4 and entries.shape[1] < 1 << 31:
        indices = indices.astype(np.int32)
    return device.put(np.asarray(entries.indptr, np.int64)), device.send(indices, engine)


def _counts(data: Any, device: Device, engine: Engine) -> Tensor:
    """Counts on the device, in double precision; PyTorch computes little with numbers without a sign."""
    signed = np.dtype(f"i{data.dtype.itemsize}")
    there = device.send(np.asarray(data).view(signed), engine).double()
    return device.torch.where(there < 0, there + 2.0 ** (8 * signed.itemsize), there)


def _transformed(counts: Tensor, scale: int, template: Template) -> Tensor:
    """The same as ``Template.apply``."""
    x = counts.div_(scale)
    if template.transform == "log":
        x = x.log1p_()
    elif template.transform == "two-thirds":
        x = x.pow_(2 / 3)
    elif template.transform == "sqrt":
        x = x.sqrt_()
    return x.float()


def _rows_of(torch: Any, indptr: Tensor) -> Tensor:
    rows = torch.arange(len(indptr) - 1, dtype=torch.int32, device=indptr.device)
    return rows.repeat_interleave(indptr.diff())


def _transposed(
    torch: Any, indptr: Tensor, indices: Tensor, values: Tensor, shape: tuple[int, int]
) -> Side:
    """The transpose, its entries in the order of rows."""
    if len(indices) > _MOST_SORTED:
        raise FirthError(
            f"The matrix has {len(indices):,} entries, and a GPU takes at most {_MOST_SORTED:,} with these options.",
            "Use a larger --min-count, or leave out --device.",
        )
    order = torch.sort(indices, stable=True)[1]
    rows = _rows_of(torch, indptr)[order]
    pointers = torch.zeros(shape[1] + 1, dtype=torch.int64, device=indptr.device)
    torch.cumsum(torch.bincount(indices, minlength=shape[1]), 0, out=pointers[1:])
    return Side.of(torch, rows, values[order], pointers[:-1], pointers[1:], shape[0])


def _edges(
    torch: Any, indptr: Tensor, indices: Tensor, n: int, width: int, n_blocks: int
) -> list[Tensor]:
    """Where the entries of each block of columns begin in each row, and where the last ones end."""
    keys = _rows_of(torch, indptr).long() * n_blocks + indices // width
    sizes = torch.bincount(keys, minlength=n * n_blocks).view(n, n_blocks)
    ends = sizes.cumsum(1) + indptr[:-1, None]
    return [indptr[:-1].contiguous(), *ends.T.contiguous()]
