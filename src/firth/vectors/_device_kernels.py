"""Products of sparse matrices for GPUs, in Triton; see ``_device_matrix``.

Triton comes with PyTorch for NVIDIA's GPUs on Linux. Where it is missing, PyTorch's own products are used.
"""

# mypy: ignore-errors
from __future__ import annotations

import torch
import triton
import triton.language as tl

__all__ = ["multiply"]

_ENTRIES = 16
"""Entries of a row that are added at a time."""


@triton.jit
def _multiply(
    outs, begins, ends, indices, values, source, target, parts, origin, n_rows, stride,
    width: tl.constexpr, n_entries: tl.constexpr, add: tl.constexpr,
):  # fmt: skip
    """One stretch of entries of a row, times rows of a dense matrix of ``width`` columns.

    With ``add``, rows ``begin`` to ``end`` of the dense matrix are added up instead.
    """
    item = tl.program_id(0).to(tl.int64)
    begin, end, out = tl.load(begins + item), tl.load(ends + item), tl.load(outs + item)
    lanes, steps = tl.arange(0, width), tl.arange(0, n_entries)
    total = tl.zeros((n_entries, width), tl.float32)
    for at in range(begin, end, n_entries):
        here = at + steps
        inside = here < end
        if add:
            places = here
            rows = tl.load(
                source + places[:, None] * width + lanes[None, :], mask=inside[:, None], other=0.0
            )
            total += rows.to(tl.float32)
        else:
            column = tl.load(indices + here, mask=inside, other=0) - origin
            value = tl.load(values + here, mask=inside, other=0.0)
            places = column.to(tl.int64)
            rows = tl.load(
                source + places[:, None] * width + lanes[None, :], mask=inside[:, None], other=0.0
            )
            total += value[:, None] * rows.to(tl.float32)
    found = tl.sum(total, axis=0)
    if out < n_rows:
        tl.store(target + out * stride + lanes, found)
    else:
        tl.store(parts + (out - n_rows) * width + lanes, found)


def multiply(stretches, indices, values, source, target, parts, origin) -> None:
    """Write the products of all stretches to rows of the target, or of ``parts`` where a row has several."""
    outs, begins, ends = stretches
    _launch(outs, begins, ends, indices, values, source, target, parts, origin, False)


def add_up(stretches, parts, target) -> None:
    """Write the sums of rows of ``parts`` to rows of the target."""
    outs, begins, ends = stretches
    _launch(outs, begins, ends, begins, parts, parts, target, parts, 0, True)


def _launch(outs, begins, ends, indices, values, source, target, parts, origin, add: bool) -> None:
    if len(outs):
        with torch.cuda.device_of(source):  # Triton takes the GPU that is current
            _multiply[(len(outs),)](
                outs, begins, ends, indices, values, source, target, parts, origin,
                len(target), target.stride(0), width=source.shape[1], n_entries=_ENTRIES, add=add,
                num_warps=1,
            )  # fmt: skip
