"""Counting with bounded memory: chunks of the corpus, runs on disk, one merge at the end."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine, engine_for
from firth.corpus import Corpus, TextData, Vocabulary
from firth.counts import _kernels as kernels
from firth.counts._contexts import Contexts, WeightName
from firth.counts._counts import COLUMNS, ROWS, WORD_COUNTS, WORDS, Counts
from firth.counts._layout import GROUP, Layout, Pool, Run, Scratch
from firth.counts._parameters import CountsParameters
from firth.errors import InputError, ParameterError
from firth.parameters import MEMORY, Resources, documents, parse_memory
from firth.store import Part, TemporaryFolder, make_folder, remove_tree, write_array

__all__ = [
    "build_counts",
    "check_memory",
    "count",
    "entries_at_once",
    "estimate_memory",
    "merge_runs",
    "pieces_of",
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


def estimate_memory(n_tokens: int, n_words: int, contexts: Contexts, engine: Engine) -> int:
    """About how many bytes counting takes if no run is written to disk."""
    return n_tokens * _BYTES_PER_CELL + _fixed_memory(n_words, contexts, engine) + (64 << 20)


def _fixed_memory(n_rows: int, contexts: Contexts, engine: Engine) -> int:
    """Memory that does not depend on the size of chunks: accumulators, sums, rows to be written."""
    width = n_rows * contexts.n_blocks
    threads = engine.threads
    return threads * width * 17 + (2 * threads + 2) * width * 12 + width * 16 + n_rows * 32


def build_counts(
    corpus: Corpus, parameters: CountsParameters, folder: Path, memory: int | str, engine: Engine
) -> dict[str, Any]:
    """Count the contexts in a corpus and write the files of ``Counts``; returns the sizes."""
    n_bytes = parse_memory(memory)
    layout = Layout.of(corpus, parameters, engine)
    fixed = check_memory(layout, n_bytes)
    with progress.stage("compiling kernels (first run only)", brief=1.0, unit=""):
        _prepare(layout)
    room = min((n_bytes - fixed - n_bytes // 4) // _BYTES_PER_CELL, 1 << 31)
    return _build(layout, folder, room, entries_at_once(layout, n_bytes))


def entries_at_once(layout: Layout, n_bytes: int) -> int:
    """How many entries are written at a time: a quarter of the memory, the rest is for the text."""
    return min(_ENTRIES_AT_ONCE, n_bytes // 4 // (16 * (2 * layout.engine.threads + 2)))


def check_memory(layout: Layout, n_bytes: int) -> int:
    """The memory that is needed whatever the text; an error if it is more than there is."""
    engine = layout.engine
    fixed = _fixed_memory(layout.n_rows, layout.contexts, engine)
    if fixed > n_bytes // 2:
        raise ParameterError(
            f"Counting {layout.n_rows:,} words in {layout.contexts.name} contexts with "
            f"{progress.count_of(engine.threads, 'thread')} needs at least "
            f"{progress.size(2 * fixed)} of memory.",
            "Use a larger --memory, fewer --threads, a smaller --vocabulary or fewer contexts.",
        )
    return fixed


# untyped for mypy: kernels take any arrays
count_rows: Any = kernels.count_rows
merge_rows: Any = kernels.merge_rows


def _build(layout: Layout, folder: Path, room: int, entries: int) -> dict[str, Any]:
    """Count in chunks of at most ``room`` cells, rows in pieces of about ``entries`` entries."""
    n_tokens = layout.corpus.n_tokens
    chunks = list(_chunks(layout, room))
    rows = np.zeros((layout.n_rows, layout.contexts.n_blocks), np.int64)
    pool = Pool(layout, layout.stretch * layout.contexts.n_blocks)
    runs: list[Run] = []
    with progress.stage("counting", n_tokens, "tokens") as stage:
        for k, (begin, end) in enumerate(chunks):
            place = folder if len(chunks) == 1 else folder / f"run{k}"
            make_folder(place)
            runs.append(Run(layout, place))
            try:
                _count_chunk(layout, runs[-1], pool, begin, end, entries, rows, stage)
            finally:
                runs[-1].close()
    n_entries = runs[0].n_entries if len(runs) == 1 else merge_runs(layout, runs, folder, entries)
    return write_rest(layout, folder, rows, pool.columns(), n_entries)


def write_rest(
    layout: Layout, folder: Path, rows: Any, columns: Any, n_entries: int
) -> dict[str, Any]:
    """Write everything beside the matrix; returns the sizes."""
    if n_entries == 0:
        raise InputError(
            "There is nothing to count: no word occurs in the context of another.",
            "Use more text or --across-lines.",
        )
    write_array(folder / ROWS, rows)
    write_array(folder / COLUMNS, columns)
    write_array(folder / WORD_COUNTS, layout.word_counts)
    words = layout.corpus.vocabulary
    Vocabulary(words.words[: layout.n_kept], words.counts[: layout.n_kept]).save(folder / WORDS)
    return {
        "n_words": layout.n_kept, "has_rare": layout.n_rows > layout.n_kept, "n_blocks": layout.contexts.n_blocks,
        "n_entries": n_entries, "scale": layout.contexts.scale,
    }  # fmt: skip


def _chunks(layout: Layout, room: int) -> Iterator[tuple[int, int]]:
    """Ranges of tokens that take at most ``room`` cells with blanks between sentences, or one token."""
    reach = 0 if layout.across_lines else layout.contexts.reach

    def laid_out(end: int) -> int:
        return end + reach * int(np.searchsorted(layout.corpus.ends, end, side="right"))

    begin, n_tokens = 0, layout.corpus.n_tokens
    while begin < n_tokens:
        ends = range(begin + 1, n_tokens + 1)
        end = begin + max(1, bisect.bisect_right(ends, laid_out(begin) + room, key=laid_out))
        yield begin, end
        begin = end


def _count_chunk(
    layout: Layout,
    run: Run,
    pool: Pool,
    begin: int,
    end: int,
    entries: int,
    rows: Any,
    stage: progress.Stage,
) -> None:
    """Count the contexts of the tokens from ``begin`` to before ``end``."""
    tokens, starts, places = _lay_out(layout, begin, end)
    offsets = np.array(layout.contexts.offsets, np.int64)
    weights = np.array(layout.contexts.weights, layout.data_type)
    shifts = layout.shifts()
    here = np.zeros_like(rows)
    per_block = len(offsets) // layout.contexts.n_blocks
    # a row has at most as many entries in a block as contexts, and as columns
    most = np.minimum(np.diff(starts) * per_block, layout.n_rows) * layout.contexts.n_blocks

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

    for indptr, indices, data, n in layout.engine.map(count_some, pieces_of(most, entries)):
        run.add(indptr, indices, data)
        stage.advance(n, n)
    rows += here


def _lay_out(layout: Layout, begin: int, end: int) -> tuple[Any, Any, Any]:
    """The tokens of a chunk with blanks between sentences, and the positions of each word."""
    reach = layout.contexts.reach
    first, last = max(0, begin - reach), min(layout.corpus.n_tokens, end + reach)
    ends = np.empty(0, np.int64)
    if not layout.across_lines:
        a, b = np.searchsorted(layout.corpus.ends, [first, last], side="right")
        ends = np.asarray(layout.corpus.ends[a:b])
    tokens = np.empty(last - first + (len(ends) + 2) * reach, np.int32)
    starts = np.zeros(layout.n_rows + 2, np.int64)
    ids = np.asarray(layout.corpus.ids[first:last])
    _, start, stop = kernels.lay_out(
        ids, first, ends, layout.n_rows, layout.n_kept, reach, begin, end, tokens, starts
    )
    starts = starts[:-1]
    places = np.full(end - begin + kernels.AHEAD, reach, np.uint32)
    kernels.sort_places(
        tokens, start, stop, layout.n_rows, starts, np.empty(layout.n_rows, np.int64), places
    )
    return tokens, starts, places


def pieces_of(most: npt.NDArray[np.int64], entries: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows with about ``entries`` entries each."""
    total = np.concatenate([[0], np.cumsum(most)])
    first = 0
    while first < len(most):
        last = int(np.searchsorted(total, total[first] + entries, side="right")) - 1
        last = min(max(last, first + 1), len(most))
        yield first, last
        first = last


def merge_runs(layout: Layout, runs: Sequence[Run], folder: Path, entries: int) -> int:
    """Add up runs into one matrix, a range of rows at a time."""
    pool = Pool(layout, layout.width)
    arrays = [run.arrays() for run in runs]
    most = np.sum([np.diff(indptr) for indptr, _, _ in arrays], axis=0)

    def merge_some(piece: tuple[int, int]) -> tuple[Any, Any, Any]:
        first, last = piece
        pointers = np.empty((len(runs), last - first + 1), np.int64)
        indices, data = [], []
        shift = 0
        for r, (indptr, run_indices, run_data) in enumerate(arrays):
            a, b = int(indptr[first]), int(indptr[last])
            pointers[r] = indptr[first : last + 1] - (a - shift)
            indices.append(run_indices[a:b])
            data.append(run_data[a:b])
            shift += b - a
        new = (
            np.empty(last - first, np.int64),
            np.empty(shift, layout.index_type),
            np.empty(shift, layout.data_type),
        )
        n = pool.run(
            lambda scratch: merge_rows(
                pointers,
                np.concatenate(indices),
                np.concatenate(data),
                *scratch.accumulator(),
                *new,
                scratch.columns,
            )
        )
        return new[0], new[1][:n], new[2][:n]

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
        remove_tree(run.folder)
    return out.n_entries


def _prepare(layout: Layout) -> None:
    """Compile the kernels on empty input, so that compiling is shown as a stage of its own."""
    tokens, places = np.zeros(8, np.int32), np.zeros(64, np.uint32)
    starts, following = np.zeros(3, np.int64), np.zeros(2, np.int64)
    kernels.lay_out(np.zeros(1, np.uint32), 0, np.zeros(0, np.int64), 1, 1, 1, 0, 1, tokens, starts)
    kernels.sort_places(tokens, 0, 0, 1, starts[:2], following, places)
    scratch = Scratch(GROUP, GROUP, layout.data_type)
    out = np.zeros(1, np.int64), np.zeros(1, layout.index_type), np.zeros(1, layout.data_type)
    kernels.merge_rows(
        np.zeros((1, 1), np.int64), out[1], out[2], *scratch.accumulator(), *out, scratch.columns
    )
    kernels.count_rows(
        tokens, starts[:2], places, 0, 0, 1, 1, np.array([1]), np.array([0]), np.ones(1, layout.data_type),
        *scratch.accumulator(), *out, np.zeros((1, 1), np.int64), scratch.columns,
    )  # fmt: skip
