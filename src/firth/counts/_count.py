"""Counting with bounded memory: chunks of the corpus, runs on disk, one merge."""

from __future__ import annotations

import queue
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import check_threads, in_order
from firth.corpus import Corpus, Vocabulary
from firth.counts import _kernels as kernels
from firth.counts._contexts import Contexts
from firth.counts._counts import COLUMNS, INDPTR, ROWS, WORD_COUNTS, WORDS, Counts, CountsParameters
from firth.errors import InputError, ParameterError, wrong_parameter
from firth.store import array_file, read_array

__all__ = ["build_counts", "count", "estimate_memory"]

_ENTRIES_AT_ONCE = 1 << 20
GROUP = 1 << 12
"""Entries of the accumulator that one word of the upper level of bits stands for."""
_LEAST_MEMORY = 64 << 20
_BYTES_PER_TOKEN = 9
"""Id and place of a token, four bytes each, and blanks between sentences."""


def count(
    corpus: Corpus,
    contexts: str | Sequence[int] = "LR2",
    min_count: int = 5,
    vocabulary: int | None = 200_000,
    weights: str = "none",
    across_lines: bool = False,
    memory: int | str = "4G",
    threads: int | None = None,
) -> Counts:
    """Count which words stand in which contexts.

    Parameters
    ----------
    corpus : Corpus
    contexts : str or sequence of int
        ``R1``, ``LR2``, ``bag5``, or offsets; see :func:`firth.counts.parse_contexts`.
    min_count : int
        Words with fewer occurrences become the one rare symbol.
    vocabulary : int or None
        The most words to keep; None for no limit.
    weights : {"none", "distance", "dynamic"}
        How much a context word counts by its distance.
    across_lines : bool
        Whether contexts reach over sentence ends.
    memory : int or str
        About how much memory to use, such as ``"500M"``; what does not fit is put on disk. The result does not depend on it.
    threads : int, optional
        All cores by default. The result does not depend on it.

    Returns
    -------
    Counts

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]])
    >>> firth.count(corpus, contexts="bag2", min_count=1)
    <Counts of 3 words in bag2 contexts, 8 entries>
    """
    text = contexts if isinstance(contexts, str) else ",".join(map(str, contexts))
    parameters = CountsParameters(text, weights, min_count, vocabulary, across_lines)
    folder = Path(tempfile.mkdtemp(prefix="firth-"))
    try:
        build_counts(corpus, parameters, folder, memory, check_threads("count", threads))
        counts = Counts(folder.joinpath, [p.name for p in folder.iterdir()], parameters.parameters())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(counts, shutil.rmtree, folder, ignore_errors=True)
    return counts


def parse_memory(memory: int | str) -> int:
    """A number of bytes from ``"4G"``, ``"500M"``, ``"1.5 GB"`` or an int."""
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)i?b?\s*", memory, re.IGNORECASE)
        if not found:
            raise wrong_parameter("count", "memory", "a size such as 500M or 4G", memory)
        memory = int(float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " "))
    if memory < _LEAST_MEMORY:
        raise wrong_parameter("count", "memory", f"at least {_LEAST_MEMORY >> 20}M", memory)
    return memory


def estimate_memory(n_tokens: int, n_words: int, contexts: Contexts, threads: int) -> int:
    """About how many bytes counting takes when nothing has to go to disk."""
    return n_tokens * _BYTES_PER_TOKEN + _fixed_memory(n_words, contexts, threads)


def _fixed_memory(n_rows: int, contexts: Contexts, threads: int) -> int:
    width = n_rows * contexts.n_blocks
    return threads * (width * 17 + n_rows * 9) + (2 * threads + 2) * 16 * _ENTRIES_AT_ONCE + n_rows * 32


def build_counts(
    corpus: Corpus, parameters: CountsParameters, folder: Path, memory: int | str, threads: int
) -> dict[str, Any]:
    """Count into files; returns the facts about them."""
    n_bytes = parse_memory(memory)
    job = _Job.of(corpus, parameters, threads)
    chunk = max(1 << 16, (n_bytes - _fixed_memory(job.n_rows, job.contexts, threads)) // _BYTES_PER_TOKEN)
    with progress.stage("preparing kernels, first run only", brief=1.0, unit=""):
        _prepare(job)
    return _build(job, folder, min(chunk, 1 << 31), _ENTRIES_AT_ONCE)


@dataclass(frozen=True)
class _Job:
    corpus: Corpus
    contexts: Contexts
    across_lines: bool
    n_kept: int
    word_counts: npt.NDArray[np.int64]
    """Of the kept words, and of the rare symbol last where there is one."""
    threads: int

    @classmethod
    def of(cls, corpus: Corpus, parameters: CountsParameters, threads: int) -> _Job:
        words = corpus.vocabulary
        n_kept = words.n_kept(parameters.min_count, parameters.vocabulary)
        if n_kept == 0:
            raise InputError(
                f"No word occurs {parameters.min_count} times; the most frequent, {words[0]!r}, occurs {words.counts[0]:,} times.",
                "Use a smaller --min-count, or more text.",
            )
        counts = np.array(words.counts[:n_kept])
        if n_kept < len(words):
            counts = np.append(counts, words.counts[n_kept:].sum())
        return cls(corpus, parameters.parsed(), parameters.across_lines, n_kept, counts, threads)

    @property
    def n_rows(self) -> int:
        return len(self.word_counts)

    @property
    def width(self) -> int:
        return self.n_rows * self.contexts.n_blocks

    @property
    def data_type(self) -> type[np.unsignedinteger[Any]]:
        """Wide enough for the largest entry there can be."""
        largest = int(self.word_counts.max()) * sum(self.contexts.weights)
        return np.uint32 if largest < 1 << 32 else np.uint64

    @property
    def index_type(self) -> type[np.signedinteger[Any]]:
        return np.int32 if self.width < 1 << 31 else np.int64

    @property
    def stretch(self) -> int:
        """How many entries of the accumulator a block takes: rows and the blank, in whole groups."""
        return (self.n_rows // GROUP + 1) * GROUP

    def shifts(self) -> npt.NDArray[np.int64]:
        """Where in the accumulator the block of each offset begins."""
        n = len(self.contexts.offsets)
        return np.zeros(n, np.int64) if self.contexts.bag else np.arange(n, dtype=np.int64) * self.stretch


class _Scratch:
    """What a thread needs to sum up rows: an accumulator, the bits of its entries in use, column sums."""

    def __init__(self, width: int, n_columns: int, dtype: Any) -> None:
        self.sums = np.zeros(width, dtype)
        n_groups = -(-width // GROUP)
        self.bits = np.zeros(n_groups << 6, np.uint64)
        self.groups = np.zeros(n_groups, np.uint64)
        self.columns = np.zeros(n_columns, np.int64)

    def accumulator(self) -> tuple[Any, Any, Any]:
        return self.sums, self.bits, self.groups


class _Pool:
    """Scratch for every thread."""

    def __init__(self, job: _Job, width: int) -> None:
        self.all = [_Scratch(width, job.width, job.data_type) for _ in range(job.threads)]
        self._free: queue.SimpleQueue[_Scratch] = queue.SimpleQueue()
        for scratch in self.all:
            self._free.put(scratch)

    def run(self, work: Any) -> Any:
        scratch = self._free.get()
        try:
            return work(scratch)
        finally:
            self._free.put(scratch)

    def columns(self) -> npt.NDArray[np.int64]:
        return np.sum([scratch.columns for scratch in self.all], axis=0)


class _Run:
    """The rows of a matrix, written to three files as they come."""

    def __init__(self, job: _Job, folder: Path) -> None:
        self.folder = folder
        self.names = [INDPTR, array_file("indices", job.index_type), array_file("data", job.data_type)]
        self._files = [(folder / name).open("wb") for name in self.names]
        self._files[0].write(np.zeros(1, np.int64).tobytes())
        self.n_entries = 0

    def add(self, indptr: Any, indices: Any, data: Any) -> None:
        for file, array in zip(self._files, (indptr + self.n_entries, indices, data), strict=True):
            file.write(np.ascontiguousarray(array).data)
        self.n_entries += len(data)

    def close(self) -> None:
        for file in self._files:
            file.close()

    def arrays(self) -> list[Any]:
        return [read_array(self.folder / name) for name in self.names]


def _build(job: _Job, folder: Path, chunk: int, entries: int) -> dict[str, Any]:
    """Count in chunks of so many tokens, rows in pieces of so many entries."""
    n_tokens = job.corpus.n_tokens
    chunks = [(a, min(a + chunk, n_tokens)) for a in range(0, n_tokens, chunk)]
    rows = np.zeros((job.n_rows, job.contexts.n_blocks), np.int64)
    pool = _Pool(job, job.stretch * job.contexts.n_blocks)
    runs: list[_Run] = []
    with progress.stage("counting", n_tokens, "tokens") as stage:
        for k, (begin, end) in enumerate(chunks):
            place = folder if len(chunks) == 1 else folder / f"run{k}"
            place.mkdir(exist_ok=True)
            runs.append(_Run(job, place))
            try:
                _count_chunk(job, runs[-1], pool, begin, end, entries, rows, stage)
            finally:
                runs[-1].close()
    columns = pool.columns()
    n_entries = runs[0].n_entries if len(runs) == 1 else _merge(job, runs, folder, entries)
    if n_entries == 0:
        raise InputError("There is nothing to count: no word stands in a context of another.", "Use more text, or --across-lines.")
    rows.tofile(folder / ROWS)
    columns.tofile(folder / COLUMNS)
    job.word_counts.tofile(folder / WORD_COUNTS)
    words = job.corpus.vocabulary
    Vocabulary(words.words[: job.n_kept], words.counts[: job.n_kept]).save(folder / WORDS)
    return {
        "n_words": job.n_kept, "has_rare": job.n_rows > job.n_kept, "n_blocks": job.contexts.n_blocks,
        "n_entries": n_entries, "scale": job.contexts.scale,
    }  # fmt: skip


def _count_chunk(
    job: _Job, run: _Run, pool: _Pool, begin: int, end: int, entries: int, rows: Any, stage: progress.Stage
) -> None:
    """Count the contexts of the tokens from ``begin`` to before ``end``."""
    tokens, starts, places = _lay_out(job, begin, end)
    offsets = np.array(job.contexts.offsets, np.int64)
    weights = np.array(job.contexts.weights, job.data_type)
    shifts = job.shifts()
    here = np.zeros_like(rows)
    per_block = len(offsets) // job.contexts.n_blocks
    # no row has more entries in a block than the word has contexts there, or than there are columns
    most = np.minimum(np.diff(starts) * per_block, job.n_rows) * job.contexts.n_blocks

    def count_some(piece: tuple[int, int]) -> tuple[Any, Any, Any, int]:
        first, last = piece
        room = int(most[first:last].sum())
        indptr = np.empty(last - first, np.int64)
        indices, data = np.empty(room, job.index_type), np.empty(room, job.data_type)
        n = pool.run(
            lambda scratch: kernels.count_rows(
                tokens, starts, places, first, last, job.n_rows, job.contexts.n_blocks,
                offsets, shifts, weights, *scratch.accumulator(), indptr, indices, data, here, scratch.columns,
            )
        )  # fmt: skip
        return indptr, indices[:n], data[:n], int(starts[last] - starts[first])

    for indptr, indices, data, n in in_order(count_some, _pieces(most, entries), job.threads):
        run.add(indptr, indices, data)
        stage.advance(n, n)
    rows += here


def _lay_out(job: _Job, begin: int, end: int) -> tuple[Any, Any, Any]:
    """The tokens of a chunk with blanks between sentences, and the places of each word."""
    reach = job.contexts.reach
    first, last = max(0, begin - reach), min(job.corpus.n_tokens, end + reach)
    ends = np.empty(0, np.int64)
    if not job.across_lines:
        a, b = np.searchsorted(job.corpus.ends, [first, last], side="right")
        ends = np.asarray(job.corpus.ends[a:b])
    tokens = np.empty(last - first + (len(ends) + 2) * reach, np.int32)
    starts = np.zeros(job.n_rows + 2, np.int64)
    ids = np.asarray(job.corpus.ids[first:last])
    _, start, stop = kernels.lay_out(
        ids, first, ends, job.n_rows, job.n_kept, reach, begin, end, tokens, starts
    )
    starts = starts[:-1]
    places = np.full(end - begin + kernels.AHEAD, reach, np.uint32)
    kernels.sort_places(tokens, start, stop, job.n_rows, starts, np.empty(job.n_rows, np.int64), places)
    return tokens, starts, places


def _pieces(most: npt.NDArray[np.int64], entries: int) -> Iterator[tuple[int, int]]:
    """Stretches of rows with about so many entries each."""
    total = np.concatenate([[0], np.cumsum(most)])
    first = 0
    while first < len(most):
        last = int(np.searchsorted(total, total[first] + entries, side="right")) - 1
        last = min(max(last, first + 1), len(most))
        yield first, last
        first = last


def _merge(job: _Job, runs: Sequence[_Run], folder: Path, entries: int) -> int:
    """Add up runs into one matrix, a stretch of rows at a time."""
    pool = _Pool(job, job.width)
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
        new = np.empty(last - first, np.int64), np.empty(shift, job.index_type), np.empty(shift, job.data_type)
        n = pool.run(
            lambda scratch: kernels.merge_rows(
                pointers, np.concatenate(indices), np.concatenate(data), *scratch.accumulator(), *new, scratch.columns
            )
        )
        return new[0], new[1][:n], new[2][:n]

    out = _Run(job, folder)
    try:
        with progress.stage("merging", int(most.sum()), "entries") as stage:
            for rows in in_order(merge_some, _pieces(most, entries), job.threads):
                out.add(*rows)
                stage.advance(len(rows[1]))
    finally:
        out.close()
    del arrays
    for run in runs:
        shutil.rmtree(run.folder)
    return out.n_entries


def _prepare(job: _Job) -> None:
    """Compile what counting needs, on nothing, so that the wait has a name."""
    tokens, places = np.zeros(8, np.int32), np.zeros(64, np.uint32)
    starts, following = np.zeros(3, np.int64), np.zeros(2, np.int64)
    kernels.lay_out(np.zeros(1, np.uint32), 0, np.zeros(0, np.int64), 1, 1, 1, 0, 1, tokens, starts)
    kernels.sort_places(tokens, 0, 0, 1, starts[:2], following, places)
    scratch = _Scratch(GROUP, GROUP, job.data_type)
    out = np.zeros(1, np.int64), np.zeros(1, job.index_type), np.zeros(1, job.data_type)
    kernels.count_rows(
        tokens, starts[:2], places, 0, 0, 1, 1, np.array([1]), np.array([0]), np.ones(1, job.data_type),
        *scratch.accumulator(), *out, np.zeros((1, 1), np.int64), scratch.columns,
    )  # fmt: skip


def check_memory(memory: int | str) -> None:
    """Raise early where ``memory`` is not a size."""
    if not isinstance(memory, int | str):
        raise ParameterError(f"The 'memory' parameter must be a size such as 500M or 4G. Got {memory!r}.")
    parse_memory(memory)
