"""Checkpoints of counting: the runs that are complete, and the sums of their rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.counts._layout import Layout, run_files, run_folder
from firth.store import Checkpoint, Part, Saved

__all__ = ["restored", "save"]

_STATE = "counting"
_MOST = 1 << 62

Sums = npt.NDArray[np.int64]


def save(
    folder: Path, chunks: Sequence[tuple[int, int]], n_runs: int, rows: Sums, columns: Sums
) -> None:
    """Note that the first runs, of all chunks of a text, are complete."""
    Checkpoint(folder / _STATE).save(
        chunks=np.array(chunks, np.int64), n_runs=np.array([n_runs]), rows=rows, columns=columns
    )


def restored(
    folder: Path, layout: Layout, chunks: Sequence[tuple[int, int]]
) -> tuple[int, Sums, Sums] | None:
    """The number of complete runs, and sums of rows and columns; None if nothing can be used.

    Every number is checked, because kernels trust them.
    """

    def read(saved: Saved) -> tuple[int, Sums, Sums]:
        before = saved.array("chunks.i64", (-1, 2), 0, _MOST)
        saved.require(np.array_equal(before, np.array(chunks)), "the text was divided otherwise")
        n_runs = int(saved.array("n_runs.i64", 1, 1, len(chunks))[0])
        rows = saved.array("rows.i64", (layout.n_rows, layout.contexts.n_blocks), 0, _MOST)
        columns = saved.array("columns.i64", layout.width, 0, _MOST)
        for k in range(n_runs):
            run = run_folder(folder, k)
            saved.require(run.is_dir() and not run.is_symlink(), f"{run.name} is missing")
            _check(layout, Part.in_folder(run))
        return n_runs, rows, columns

    return Checkpoint(folder / _STATE).load(read)


def _check(layout: Layout, part: Part) -> None:
    """Raise an error unless a run is a matrix."""
    pointers, indices, data = run_files(layout)
    entries: Any = part.array(data, -1, 1, _MOST)
    part.array(indices, len(entries), 0, layout.width - 1)
    indptr = part.array(pointers, layout.n_rows + 1, 0, len(entries), "never falls")
    part.require(indptr[0] == 0 and indptr[-1] == len(entries), "the matrix is incomplete")
