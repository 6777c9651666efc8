"""Rows of the matrix: counted in a stretch of text, and added up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.counts import _kernels as kernels
from firth.counts._laying_out import lay_out
from firth.counts._layout import Layout, Pool, Scratch, Stretch
from firth.errors import InputError

__all__ = ["check_not_empty", "count_stretch", "pieces_of", "sum_rows"]

# untyped for mypy: kernels take any arrays
count_rows: Any = kernels.count_rows
merge_rows: Any = kernels.merge_rows


def count_stretch(
    layout: Layout, stretch: Stretch, pool: Pool, entries: int, rows: Any,
    ranges: Sequence[tuple[int, int]] | None = None,
) -> Iterator[tuple[Any, Any, Any, int]]:  # fmt: skip
    """Count the contexts of some tokens, and add the sums of rows to ``rows``.

    Yields rows in CSR format, as ``Run.add`` takes them, and the number of tokens that they stand for.
    If ``ranges`` of rows are given, one after another, only these rows; what is yielded crosses no end
    of a range.
    """
    ranges = ranges or [(0, layout.n_rows)]
    tokens, starts, places = lay_out(layout, stretch, (ranges[0][0], ranges[-1][1]))
    offsets = np.array(layout.contexts.offsets, np.int64)
    weights = np.array(layout.contexts.weights, layout.data_type)
    shifts = layout.shifts()
    here = np.zeros_like(rows)
    most = layout.most_entries(np.diff(starts))

    def count_some(piece: tuple[int, int]) -> tuple[Any, Any, Any, int]:
        first, last = piece
        room = int(most[first:last].sum())
        indptr = np.empty(last - first, np.int64)
        indices, data = np.empty(room, layout.index_type), np.empty(room, layout.data_type)
        n = pool.run(
            lambda scratch: count_rows(
                tokens, starts, places, first, last, layout.n_rows, layout.contexts.n_blocks,
                offsets, shifts, weights, *scratch.accumulator(), indptr, indices, data, here, scratch.columns,
            )
        )  # fmt: skip
        return indptr, indices[:n], data[:n], int(starts[last] - starts[first])

    pieces = (
        (first + a, first + b)
        for first, last in ranges
        for a, b in pieces_of(most[first:last], entries)
    )
    yield from layout.engine.map(count_some, pieces)
    rows += here


def pieces_of(most: npt.NDArray[np.int64], entries: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows with about ``entries`` entries each."""
    total = np.concatenate([[0], np.cumsum(most)])
    first = 0
    while first < len(most):
        last = int(np.searchsorted(total, total[first] + entries, side="right")) - 1
        last = min(max(last, first + 1), len(most))
        yield first, last
        first = last


def check_not_empty(n_entries: int) -> None:
    """Raise an error if nothing was counted."""
    if n_entries == 0:
        raise InputError(
            "There is nothing to count: no word occurs in the context of another.",
            "Use more text or --across-lines.",
        )


def sum_rows(
    layout: Layout, parts: Sequence[tuple[Any, Any, Any]], scratch: Scratch
) -> tuple[Any, Any, Any]:
    """Add up the same rows of several matrices in CSR format; where they begin may be any number."""
    sizes = [len(indices) for _, indices, _ in parts]
    shifts = np.concatenate([[0], np.cumsum(sizes[:-1])])
    pointers = np.stack([p - p[0] + shift for (p, _, _), shift in zip(parts, shifts, strict=True)])
    total = sum(sizes)
    new = (
        np.empty(pointers.shape[1] - 1, np.int64),
        np.empty(total, layout.index_type),
        np.empty(total, layout.data_type),
    )
    indices, data = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
    n = merge_rows(pointers, indices, data, *scratch.accumulator(), *new, scratch.columns)
    return new[0], new[1][:n], new[2][:n]
