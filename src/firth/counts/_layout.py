"""Counting: sizes of the matrix, scratch memory for each thread, and files for its rows."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts._contexts import Contexts
from firth.counts._counts import INDPTR
from firth.counts._parameters import CountsParameters
from firth.errors import InputError
from firth.progress import count_of
from firth.store import array_file, make_folder, open_file, read_array

__all__ = [
    "GROUP",
    "Layout",
    "Pool",
    "Run",
    "Scratch",
    "Stretch",
    "run_arrays",
    "run_files",
    "run_folder",
]

GROUP = 1 << 12
"""Entries of the accumulator for each word of the upper level of bits."""


@dataclass(frozen=True)
class Layout:
    """What is counted, and the sizes and types of the matrix."""

    contexts: Contexts
    across_lines: bool
    n_kept: int
    word_counts: npt.NDArray[np.int64]
    """Token counts of the kept words and, last, of the rare symbol if there is one."""
    engine: Engine

    @classmethod
    def of(cls, corpus: Corpus, parameters: CountsParameters, engine: Engine) -> Layout:
        words = corpus.vocabulary
        n_kept = words.n_kept(parameters.min_count, parameters.vocabulary)
        if n_kept == 0:
            raise InputError(
                f"No word occurs {parameters.min_count} times: "
                f"the most frequent one, {words[0]!r}, occurs {count_of(int(words.counts[0]), 'time')}.",
                "Use a smaller --min-count or more text.",
            )
        counts = np.array(words.counts[:n_kept])
        if n_kept < len(words):
            counts = np.append(counts, words.counts[n_kept:].sum())
        return cls(parameters.parsed(), parameters.across_lines, n_kept, counts, engine)

    @property
    def n_rows(self) -> int:
        return len(self.word_counts)

    @property
    def width(self) -> int:
        return self.n_rows * self.contexts.n_blocks

    @property
    def data_type(self) -> type[np.unsignedinteger[Any]]:
        """Wide enough for the largest possible entry."""
        largest = int(self.word_counts.max()) * sum(self.contexts.weights)
        return np.uint32 if largest < 1 << 32 else np.uint64

    @property
    def index_type(self) -> type[np.signedinteger[Any]]:
        return np.int32 if self.width < 1 << 31 else np.int64

    @property
    def stretch(self) -> int:
        """Entries of the accumulator for each block: rows and the blank, rounded up to groups."""
        return (self.n_rows // GROUP + 1) * GROUP

    def shifts(self) -> npt.NDArray[np.int64]:
        """Where in the accumulator the block of each offset begins."""
        return np.array(self.contexts.blocks, np.int64) * self.stretch

    def most_entries(self, occurrences: Any) -> npt.NDArray[np.int64]:
        """How many entries rows may have: in each block at most the number of contexts, and of columns."""
        sizes = np.bincount(self.contexts.blocks)
        most = np.minimum(np.multiply.outer(occurrences, sizes), self.n_rows)
        return np.asarray(most.sum(axis=1), np.int64)


@dataclass(frozen=True)
class Stretch:
    """Tokens of a corpus from ``begin`` to before ``end``, and their neighbours."""

    begin: int
    end: int
    first: int
    """The number of the first of ``ids``."""
    ids: npt.NDArray[np.uint32]
    ends: npt.NDArray[np.int64]
    """Where sentences end, among these tokens; empty if contexts reach across lines."""

    def __post_init__(self) -> None:
        # kernels are compiled for arrays like those of a corpus
        self.ids.flags.writeable = self.ends.flags.writeable = False

    @classmethod
    def of(cls, corpus: Corpus, layout: Layout, begin: int, end: int) -> Stretch:
        return cls.between(corpus.ids, corpus.ends, layout, begin, end)

    @classmethod
    def between(cls, all_ids: Any, all_ends: Any, layout: Layout, begin: int, end: int) -> Stretch:
        """A stretch, given the ids and sentence ends of the whole corpus."""
        reach = layout.contexts.reach
        first, last = max(0, begin - reach), min(len(all_ids), end + reach)
        ends = np.empty(0, np.int64)
        if not layout.across_lines:
            a, b = np.searchsorted(all_ends, [first, last - 1], side="right")
            ends = np.asarray(all_ends[a:b])
        return cls(begin, end, first, np.asarray(all_ids[first:last]), ends)


class Scratch:
    """Memory of a thread that sums rows: an accumulator, bits of its nonzero entries, column sums."""

    def __init__(self, width: int, n_columns: int, dtype: Any) -> None:
        self.sums = np.zeros(width, dtype)
        n_groups = -(-width // GROUP)
        self.bits = np.zeros(n_groups << 6, np.uint64)
        self.groups = np.zeros(n_groups, np.uint64)
        self.columns = np.zeros(n_columns, np.int64)

    def accumulator(self) -> tuple[Any, Any, Any]:
        return self.sums, self.bits, self.groups


class Pool:
    """Scratch memory for every thread."""

    def __init__(self, layout: Layout, width: int) -> None:
        self.all = [
            Scratch(width, layout.width, layout.data_type) for _ in range(layout.engine.threads)
        ]
        self._free: queue.SimpleQueue[Scratch] = queue.SimpleQueue()
        for scratch in self.all:
            self._free.put(scratch)

    def run(self, work: Any) -> Any:
        scratch = self._free.get()
        try:
            return work(scratch)
        finally:
            self._free.put(scratch)

    def columns(self) -> npt.NDArray[np.int64]:
        total: npt.NDArray[np.int64] = np.sum([s.columns for s in self.all], axis=0)
        return total


def run_folder(folder: Path, number: int) -> Path:
    """Where a run is while others are counted."""
    return folder / f"run{number}"


def run_files(layout: Layout) -> list[str]:
    """The files of a matrix in CSR format."""
    return [INDPTR, array_file("indices", layout.index_type), array_file("data", layout.data_type)]


def run_arrays(layout: Layout, folder: Path) -> list[Any]:
    """The arrays of a run that is complete."""
    return [read_array(folder / name) for name in run_files(layout)]


class Run:
    """Rows of a matrix in CSR format, appended to three files, while the next ones are counted."""

    def __init__(self, layout: Layout, folder: Path) -> None:
        make_folder(folder)
        names = run_files(layout)
        with ExitStack() as opened:
            self._files = [opened.enter_context(open_file(folder / name, "wb")) for name in names]
            self._files[0].write(np.zeros(1, np.int64).tobytes())
            # a thread for each file
            self._run = opened.enter_context(layout.engine.at_most(len(names)).team())
            self._open = opened.pop_all()
        self._written: Iterator[None] = iter(())
        self.n_entries = 0

    def add(self, indptr: Any, indices: Any, data: Any) -> None:
        self._wait()
        self._written = self._run(_write, self._files, (indptr + self.n_entries, indices, data))
        self.n_entries += len(data)

    def _wait(self) -> None:
        """Wait until what was added has been written."""
        for _ in self._written:
            pass

    def close(self) -> None:
        with self._open:
            self._wait()


def _write(file: IO[bytes], array: Any) -> None:
    file.write(np.ascontiguousarray(array).data)
