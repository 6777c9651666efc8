"""Counts of parts of a text in, counts of the whole out; counts are whole numbers, so they add up exactly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts import _kernels as kernels
from firth.counts._count import check_memory, entries_at_once, merge_runs, write_rest
from firth.counts._counts import Counts
from firth.counts._layout import Layout, Run, run_folder
from firth.counts._parameters import CountsParameters
from firth.counts._rows import pieces_of
from firth.parameters import parse_memory

__all__ = ["can_be_added", "merge_counts"]

move_rows: Any = kernels.move_rows


def can_be_added(parameters: CountsParameters) -> bool:
    """Whether counts of parts of a text add up to those of the whole.

    They do not if rare words are counted as one, because a word may be rare in a part only, nor if
    contexts may reach from one part into the next.
    """
    kept = parameters.min_count == 1 and parameters.vocabulary is None
    return kept and not parameters.across_lines


def merge_counts(
    parts: Sequence[Counts],
    corpus: Corpus,
    mappings: Sequence[npt.NDArray[np.uint32]],
    folder: Path,
    memory: int | str,
    engine: Engine,
) -> dict[str, Any]:
    """Add up counts and write the files of ``Counts``; returns the sizes.

    Parameters
    ----------
    parts : sequence of Counts
        Counts with the same parameters, for which ``can_be_added`` is true.
    corpus : Corpus
        The whole.
    mappings : sequence of array
        For each part, the ids that its words have in the whole.
    folder : Path
    memory : int or str
    engine : Engine
    """
    n_bytes = parse_memory(memory)
    layout = Layout.of(corpus, parts[0].parameters, engine)
    check_memory(layout.n_rows, layout.contexts, engine, n_bytes)
    entries = entries_at_once(layout, n_bytes)
    n, n_blocks = layout.n_rows, layout.contexts.n_blocks
    rows = np.zeros((n, n_blocks), np.int64)
    columns = np.zeros((n_blocks, n), np.int64)
    runs = []
    with progress.stage("adding counts", sum(c.n_entries for c in parts), "entries") as stage:
        for k, (counts, mapping) in enumerate(zip(parts, mappings, strict=True)):
            rows[mapping] += counts.rows
            columns[:, mapping] += counts.columns.reshape(n_blocks, -1)
            runs.append(run_folder(folder, k))
            run = Run(layout, runs[-1])
            try:
                _move(layout, counts, mapping, run, entries, stage)
            finally:
                run.close()
    n_entries = merge_runs(layout, runs, folder, entries)
    return write_rest(layout, corpus, folder, rows, columns.reshape(-1), n_entries)


def _move(
    layout: Layout, counts: Counts, mapping: Any, run: Run, entries: int, stage: progress.Stage
) -> None:
    """Write the matrix of a part with the rows and columns of the whole."""
    indptr, indices, data, _ = counts.entries
    old_rows = np.full(layout.n_rows, -1, np.int64)
    old_rows[mapping] = np.arange(len(mapping))
    sizes = np.zeros(layout.n_rows, np.int64)
    sizes[mapping] = np.diff(indptr)

    def move(piece: tuple[int, int]) -> tuple[Any, Any, Any]:
        first, last = piece
        room = int(sizes[first:last].sum())
        new = (
            np.empty(last - first, np.int64),
            np.empty(room, layout.index_type),
            np.empty(room, layout.data_type),
        )
        move_rows(old_rows[first:last], indptr, indices, data, mapping, layout.n_rows, *new)
        return new

    for new in layout.engine.map(move, pieces_of(sizes, entries)):
        run.add(*new)
        stage.advance(len(new[1]))
