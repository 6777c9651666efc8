"""Counting with bounded memory: chunks of the corpus, runs on disk, one merge at the end."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from firth import progress
from firth.compute import Cluster, Engine, engine_for, release_memory
from firth.corpus import Corpus, TextData, Vocabulary
from firth.counts import _kernels as kernels
from firth.counts._contexts import Contexts, WeightName
from firth.counts._counts import COLUMNS, ROWS, WORD_COUNTS, WORDS, Counts
from firth.counts._laying_out import prepare
from firth.counts._layout import (
    GROUP,
    Layout,
    Pool,
    Run,
    Scratch,
    Stretch,
    run_arrays,
    run_folder,
)
from firth.counts._panels import count_panels
from firth.counts._parameters import CountsParameters
from firth.counts._rows import check_not_empty, count_stretch, pieces_of, sum_rows
from firth.counts._unfinished import restored, save
from firth.errors import ParameterError
from firth.parameters import MEMORY, Resources, documents, parse_memory
from firth.store import Part, TemporaryFolder, remove_tree, write_array

__all__ = [
    "build_counts",
    "cells_at_once",
    "check_memory",
    "count",
    "entries_at_once",
    "merge_runs",
    "write_rest",
]

_ENTRIES_AT_ONCE = 1 << 20
_BYTES_PER_CELL = 9
"""Id and position of a token, four bytes each, and a little more; a blank takes less."""


@documents(CountsParameters, Resources)
def count(
    corpus: TextData,
    contexts: str | Sequence[int] = CountsParameters.contexts,
    min_count: int = CountsParameters.min_count,
    vocabulary: int | None = CountsParameters.vocabulary,
    weights: WeightName = CountsParameters.weights,
    across_lines: bool = CountsParameters.across_lines,
    memory: int | str = MEMORY,
    threads: int | Engine | None = None,
) -> Counts:
    """Count which words occur in which contexts.

    Parameters
    ----------
    corpus : Corpus, list of token lists, list of str, str or Path
        The text; see ``Corpus.of``.

    Returns
    -------
    Counts

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]])
    >>> firth.count(corpus, contexts="bag2", min_count=1)
    <Counts of 3 words in bag2 contexts, 6 entries>
    """
    wanted = contexts if isinstance(contexts, str) else ",".join(map(str, contexts))
    parameters = CountsParameters(wanted, weights, min_count, vocabulary, across_lines)
    text, engine = Corpus.of(corpus, "count"), engine_for("count", threads)
    with TemporaryFolder() as folder:
        build_counts(text, parameters, folder.path, memory, engine)
        counts = Counts.load(Part.in_folder(folder.path, parameters.parameters()))
        folder.keep_for(counts)
    return counts


def _fixed_memory(n_rows: int, contexts: Contexts, engine: Engine) -> int:
    """Memory that does not depend on the size of chunks: accumulators, sums, rows to be written."""
    width = n_rows * contexts.n_blocks
    threads = engine.threads
    return threads * (width * 41 + n_rows * 8) + width * 40 + n_rows * 24


def build_counts(
    corpus: Corpus,
    parameters: CountsParameters,
    folder: Path,
    memory: int | str,
    engine: Engine,
    unfinished: Path | None = None,
) -> dict[str, Any]:
    """Count the contexts in a corpus and write the files of ``Counts``; returns the sizes.

    ``unfinished`` is a folder for checkpoints, from which interrupted work continues.
    """
    n_bytes = parse_memory(memory)
    layout = Layout.of(corpus, parameters, engine)
    room = cells_at_once(layout.n_rows, layout.contexts, engine, n_bytes)
    with progress.stage("compiling kernels (first run only)", brief=1.0, unit=""):
        _prepare(layout)
    entries = entries_at_once(layout, n_bytes)
    if engine.cluster:
        return _build_on_cluster(corpus, parameters, layout, engine.cluster, folder)
    return _build(corpus, layout, folder, room, entries, unfinished)


def _build_on_cluster(
    corpus: Corpus, parameters: CountsParameters, layout: Layout, cluster: Cluster, folder: Path
) -> dict[str, Any]:
    """Let the workers count, and write the rows of the matrix as they come."""
    found = count_panels(corpus, parameters, cluster)
    out = Run(layout, folder)
    try:
        with progress.stage("fetching counts", found.n_entries, "entries", brief=1.0) as stage:
            for indptr, indices, data in found.fetched():
                out.add(indptr[1:], indices, data)
                stage.advance(len(data))
    finally:
        out.close()
    return write_rest(layout, corpus, folder, found.rows, found.columns, found.n_entries)


def entries_at_once(layout: Layout, n_bytes: int) -> int:
    """How many entries are written at a time: a quarter of the memory, the rest is for the text."""
    return min(_ENTRIES_AT_ONCE, n_bytes // 4 // (16 * (2 * layout.engine.threads + 2)))


def cells_at_once(n_rows: int, contexts: Contexts, engine: Engine, n_bytes: int) -> int:
    """How many tokens, and blanks between sentences, are counted at a time."""
    fixed = check_memory(n_rows, contexts, engine, n_bytes)
    return min((n_bytes - fixed - n_bytes // 4) // _BYTES_PER_CELL, 1 << 31)


def check_memory(n_rows: int, contexts: Contexts, engine: Engine, n_bytes: int) -> int:
    """The memory that is needed whatever the text; an error if it is more than there is."""
    fixed = _fixed_memory(n_rows, contexts, engine)
    if fixed > n_bytes // 2:
        raise ParameterError(
            f"Counting {n_rows:,} words in {contexts.name} contexts with "
            f"{progress.count_of(engine.threads, 'thread')} needs at least "
            f"{progress.size(2 * fixed)} of memory.",
            "Use a larger --memory, fewer --threads, a smaller --vocabulary or fewer contexts.",
        )
    return fixed


def _build(
    corpus: Corpus,
    layout: Layout,
    folder: Path,
    room: int,
    entries: int,
    unfinished: Path | None = None,
) -> dict[str, Any]:
    """Count in chunks of at most ``room`` cells, rows in pieces of about ``entries`` entries.

    Of several chunks, each makes a run of its own, in ``unfinished`` if that is given: then interrupted
    work continues after the last run that was complete.
    """
    chunks = list(_chunks(layout, corpus, room))
    place = folder if unfinished is None else unfinished
    single = len(chunks) == 1
    rows = np.zeros((layout.n_rows, layout.contexts.n_blocks), np.int64)
    n_done, before = 0, np.zeros(layout.width, np.int64)
    if unfinished and not single and (found := restored(unfinished, layout, chunks)):
        n_done, rows, before = found
    pool = Pool(layout, layout.stretch * layout.contexts.n_blocks)
    n_entries = 0
    with progress.stage("counting", corpus.n_tokens, "tokens") as stage:
        stage.advance(chunks[n_done][0] if n_done < len(chunks) else corpus.n_tokens)
        for k, (begin, end) in enumerate(chunks[n_done:], n_done):
            run = Run(layout, folder if single else run_folder(place, k))
            try:
                stretch = Stretch.of(corpus, layout, begin, end)
                for *counted, n in count_stretch(layout, stretch, pool, entries, rows):
                    run.add(*counted)
                    stage.advance(n, n)
            finally:
                run.close()
            n_entries = run.n_entries
            if unfinished and not single:
                save(unfinished, chunks, k + 1, rows, before + pool.columns())
    columns = before + pool.columns()
    del pool  # merging has scratch memory of its own
    release_memory()
    if not single:
        runs = [run_folder(place, k) for k in range(len(chunks))]
        n_entries = merge_runs(layout, runs, folder, entries)
    return write_rest(layout, corpus, folder, rows, columns, n_entries)


def write_rest(
    layout: Layout, corpus: Corpus, folder: Path, rows: Any, columns: Any, n_entries: int
) -> dict[str, Any]:
    """Write everything beside the matrix; returns the sizes."""
    check_not_empty(n_entries)
    write_array(folder / ROWS, rows)
    write_array(folder / COLUMNS, columns)
    write_array(folder / WORD_COUNTS, layout.word_counts)
    words = corpus.vocabulary
    Vocabulary(words.words[: layout.n_kept], words.counts[: layout.n_kept]).save(folder / WORDS)
    return {
        "n_words": layout.n_kept, "has_rare": layout.n_rows > layout.n_kept, "n_blocks": layout.contexts.n_blocks,
        "n_entries": n_entries, "scale": layout.contexts.scale,
    }  # fmt: skip


def _chunks(layout: Layout, corpus: Corpus, room: int) -> Iterator[tuple[int, int]]:
    """Ranges of tokens that take at most ``room`` cells with blanks between sentences, or one token."""
    reach = 0 if layout.across_lines else layout.contexts.reach

    def laid_out(end: int) -> int:
        return end + reach * int(np.searchsorted(corpus.ends, end, side="right"))

    begin, n_tokens = 0, corpus.n_tokens
    while begin < n_tokens:
        ends = range(begin + 1, n_tokens + 1)
        end = begin + max(1, bisect.bisect_right(ends, laid_out(begin) + room, key=laid_out))
        yield begin, end
        begin = end


def merge_runs(layout: Layout, runs: Sequence[Path], folder: Path, entries: int) -> int:
    """Add up the runs in some folders into one matrix, a range of rows at a time."""
    pool = Pool(layout, layout.width)
    arrays = [run_arrays(layout, run) for run in runs]
    most = np.sum([np.diff(indptr) for indptr, _, _ in arrays], axis=0)

    def merge_some(piece: tuple[int, int]) -> tuple[Any, Any, Any]:
        first, last = piece
        some = [
            (p[first : last + 1], i[p[first] : p[last]], d[p[first] : p[last]])
            for p, i, d in arrays
        ]
        summed: tuple[Any, Any, Any] = pool.run(lambda scratch: sum_rows(layout, some, scratch))
        return summed

    out = Run(layout, folder)
    try:
        with progress.stage("merging", int(most.sum()), "entries") as stage:
            for rows in layout.engine.map(merge_some, pieces_of(most, entries)):
                out.add(*rows)
                stage.advance(len(rows[1]))
    finally:
        out.close()
    arrays.clear()  # unmap the files, or Windows does not remove them
    for run in runs:
        if folder in run.parents:  # others are a checkpoint until all is finished
            remove_tree(run)
    return out.n_entries


def _prepare(layout: Layout) -> None:
    """Compile the kernels on empty input, so that compiling is shown as a stage of its own."""
    tokens, places = np.zeros(8, np.int32), np.zeros(64, np.uint32)
    starts = np.zeros(2, np.int64)
    prepare()
    scratch = Scratch(GROUP, GROUP, layout.data_type)
    out = np.zeros(1, np.int64), np.zeros(1, layout.index_type), np.zeros(1, layout.data_type)
    kernels.merge_rows(
        np.zeros((1, 1), np.int64), out[1], out[2], *scratch.accumulator(), *out, scratch.columns
    )
    kernels.count_rows(
        tokens, starts, places, 0, 0, 1, 1, np.array([1]), np.array([0]), np.ones(1, layout.data_type),
        *scratch.accumulator(), *out, np.zeros((1, 1), np.int64), scratch.columns,
    )  # fmt: skip
