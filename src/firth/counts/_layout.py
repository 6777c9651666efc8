"""Counting: sizes of the matrix, scratch memory for each thread, and files for its rows."""

from __future__ import annotations

import queue
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts._contexts import Contexts
from firth.counts._counts import INDPTR
from firth.counts._parameters import CountsParameters
from firth.errors import InputError
from firth.progress import count_of
from firth.store import array_file, open_file, read_array

__all__ = ["GROUP", "Layout", "Pool", "Run", "Scratch"]

GROUP = 1 << 12
"""Entries of the accumulator for each word of the upper level of bits."""


@dataclass(frozen=True)
class Layout:
    """The corpus to count, and the sizes and types of the matrix."""

    corpus: Corpus
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
        return cls(corpus, parameters.parsed(), parameters.across_lines, n_kept, counts, engine)

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
        n = len(self.contexts.offsets)
        return (
            np.zeros(n, np.int64)
            if self.contexts.bag
            else np.arange(n, dtype=np.int64) * self.stretch
        )


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


class Run:
    """Rows of a matrix in CSR format, appended to three files."""

    def __init__(self, layout: Layout, folder: Path) -> None:
        self.folder = folder
        self.names = [
            INDPTR,
            array_file("indices", layout.index_type),
            array_file("data", layout.data_type),
        ]
        with ExitStack() as opened:
            self._files = [
                opened.enter_context(open_file(folder / name, "wb")) for name in self.names
            ]
            self._files[0].write(np.zeros(1, np.int64).tobytes())
            self._open = opened.pop_all()
        self.n_entries = 0

    def add(self, indptr: Any, indices: Any, data: Any) -> None:
        for file, array in zip(self._files, (indptr + self.n_entries, indices, data), strict=True):
            file.write(np.ascontiguousarray(array).data)
        self.n_entries += len(data)

    def close(self) -> None:
        self._open.close()

    def arrays(self) -> list[Any]:
        return [read_array(self.folder / name) for name in self.names]
