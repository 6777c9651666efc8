"""Counting on the workers of a cluster.

Workers count stretches of the text. What they find is divided into panels, ranges of rows, and the
panels of all stretches are added up, a few at a time. The sums are whole numbers, so the matrix does not
depend on how the text was divided, nor on which worker did what.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Cluster
from firth.corpus import Corpus, Vocabulary
from firth.counts._contexts import Contexts
from firth.counts._counts import CountsSizes
from firth.counts._layout import Layout, Pool, Stretch
from firth.counts._parameters import CountsParameters
from firth.counts._rows import check_not_empty, count_stretch, sum_rows
from firth.store import read_array

__all__ = ["PanelCounts", "count_panels", "panel_edges"]

_TOKENS = 1 << 25
_FEWEST_TOKENS = 1 << 16
"""Tokens of a stretch, at most and at least."""
_ENTRIES_PER_PANEL = 1 << 25
_MOST_PANELS = 256
_AT_ONCE = 8
"""So many panels are added up at once."""
_ENTRIES_AT_ONCE = 1 << 20
_SAMPLES = 16
_SAMPLE = 1 << 12

Future = Any
Csr = tuple[npt.NDArray[np.int64], npt.NDArray[Any], npt.NDArray[Any]]
"""Where rows begin and the last one ends, columns, and counts."""


@dataclass(frozen=True)
class PanelCounts(CountsSizes):
    """Counts, like ``Counts``, whose matrix is on the workers of a cluster."""

    parameters: CountsParameters
    contexts: Contexts
    vocabulary: Vocabulary
    word_counts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    n_entries: int
    panels: list[tuple[int, int, Future]]
    """Ranges of rows and, on some worker, their entries as ``Csr``."""
    cluster: Cluster

    def fetched(self) -> Iterator[Csr]:
        """The entries of all panels, in order."""
        return self.cluster.results(panel for _, _, panel in self.panels)


def panel_edges(most: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of rows with about the same number of entries, given how many a row may have.

    They depend on the text alone, not on the number of workers.
    """
    total = np.concatenate([[0], np.cumsum(most)])
    n = max(1, min(int(total[-1]) // _ENTRIES_PER_PANEL + 1, _MOST_PANELS))
    cuts = np.searchsorted(total, np.linspace(0, int(total[-1]), n + 1))
    edges = np.unique(np.concatenate([[0], cuts[1:-1], [len(most)]]))
    return list(pairwise(edges.tolist()))


def count_panels(corpus: Corpus, parameters: CountsParameters, cluster: Cluster) -> PanelCounts:
    """Count the contexts in a corpus on a cluster."""
    cluster.connect()
    layout = Layout.of(corpus, parameters, ONE_THREAD)
    contexts = layout.contexts
    per_block = len(contexts.offsets) // contexts.n_blocks
    most = np.minimum(layout.word_counts * per_block, layout.n_rows) * contexts.n_blocks
    ranges = panel_edges(most)
    there = cluster.send(layout)
    with progress.stage("counting", corpus.n_tokens, "tokens") as stage:
        stretches = _stretches(corpus, layout, cluster)
        counted = [cluster.submit(count_ranges, there, text, ranges) for text, _ in stretches]
        panels = [
            _sum(cluster, there, [cluster.submit(_pick, one, k) for one in counted])
            for k in range(len(ranges))
        ]
        for n_done, (one, (_, n)) in enumerate(zip(counted, stretches, strict=True), 1):
            cluster.wait(one, lambda: stage.advance(0))
            pieces = progress.count_of(len(counted), "piece")
            workers = progress.count_of(cluster.n_workers, "worker")
            stage.note = f"{workers}, {n_done:,} of {pieces}"
            stage.advance(n, n)
        del counted
        sums = [cluster.submit(_sums, there, panel) for panel in panels]
        rows, columns = [], np.zeros(layout.width, np.int64)
        for some_rows, some_columns in cluster.results(sums):
            rows.append(some_rows)
            columns += some_columns
    words = corpus.vocabulary
    kept = Vocabulary(words.words[: layout.n_kept], words.counts[: layout.n_kept])
    n_entries = sum(cluster.results([cluster.submit(_size, panel) for panel in panels]))
    check_not_empty(n_entries)
    made = [(first, last, panel) for (first, last), panel in zip(ranges, panels, strict=True)]
    return PanelCounts(
        parameters, contexts, kept, layout.word_counts, np.concatenate(rows), columns, n_entries, made,
        cluster,
    )  # fmt: skip


@dataclass(frozen=True)
class _InFiles:
    """A stretch of a corpus that workers read themselves."""

    ids: Path
    ends: Path
    begin: int
    end: int

    def read(self, layout: Layout) -> Stretch:
        ids, ends = read_array(self.ids), read_array(self.ends)
        return Stretch.between(ids, ends, layout, self.begin, self.end)


def _stretches(
    corpus: Corpus, layout: Layout, cluster: Cluster
) -> list[tuple[_InFiles | Future, int]]:
    """The text in pieces, as workers get them, and the number of tokens in each."""
    n = corpus.n_tokens
    size = max(_FEWEST_TOKENS, min(_TOKENS, -(-n // cluster.n_workers)))
    ranges = [(begin, min(begin + size, n)) for begin in range(0, n, size)]
    visible = _are_visible(corpus, cluster)
    return [
        (
            _InFiles(*corpus.files, begin, end)
            if visible
            else cluster.send(Stretch.of(corpus, layout, begin, end)),
            end - begin,
        )
        for begin, end in ranges
    ]


def _are_visible(corpus: Corpus, cluster: Cluster) -> bool:
    """Whether all workers can read the files of the corpus, as on one machine or in a shared folder."""
    mine = _fingerprint(corpus.files)
    return mine != "" and all(
        found == mine for found in cluster.everywhere(_fingerprint, corpus.files).values()
    )


def _fingerprint(paths: Sequence[Path]) -> str:
    """A checksum of the sizes and some places of files; empty if they cannot be read."""
    found = hashlib.sha256()
    try:
        for array in map(read_array, paths):
            found.update(str(len(array)).encode())
            places = np.linspace(0, max(0, len(array) - _SAMPLE), _SAMPLES).astype(np.int64)
            for place in places:
                found.update(np.ascontiguousarray(array[place : place + _SAMPLE]).data)
    except Exception:  # noqa: BLE001  whatever is wrong, these are not the files
        return ""
    return found.hexdigest()


def count_ranges(
    layout: Layout, text: Stretch | _InFiles, ranges: Sequence[tuple[int, int]]
) -> list[Csr]:
    """Count the contexts of a stretch; returns the rows of each range."""
    stretch = text.read(layout) if isinstance(text, _InFiles) else text
    contexts = layout.contexts
    rows = np.zeros((layout.n_rows, contexts.n_blocks), np.int64)
    pool = Pool(layout, layout.stretch * contexts.n_blocks)
    ends, indices, data, total = [np.zeros(1, np.int64)], [], [], 0
    for some_ends, some_indices, some_data, _ in count_stretch(
        layout, stretch, pool, _ENTRIES_AT_ONCE, rows
    ):
        ends.append(some_ends + total)
        indices.append(np.array(some_indices))  # they are views of larger arrays
        data.append(np.array(some_data))
        total += len(some_data)
    indptr = np.concatenate(ends)
    all_indices = np.concatenate(indices) if indices else np.empty(0, layout.index_type)
    all_data = np.concatenate(data) if data else np.empty(0, layout.data_type)
    found = []
    for first, last in ranges:
        a, b = int(indptr[first]), int(indptr[last])
        found.append((indptr[first : last + 1] - a, all_indices[a:b].copy(), all_data[a:b].copy()))
    return found


def _pick(counted: list[Csr], number: int) -> Csr:
    """The rows of one range."""
    return counted[number]


def _sum(cluster: Cluster, layout: Future, parts: list[Future]) -> Future:
    """Add up parts of a panel, some at a time."""
    while len(parts) > 1:
        groups = [parts[k : k + _AT_ONCE] for k in range(0, len(parts), _AT_ONCE)]
        parts = [cluster.submit(add_up, layout, group) for group in groups]
    return parts[0]


def add_up(layout: Layout, parts: Sequence[Csr]) -> Csr:
    """The sum of the same rows of several matrices."""
    [scratch] = Pool(layout, layout.width).all
    ends, indices, data = sum_rows(layout, parts, scratch)
    return np.concatenate([[0], ends]), indices.copy(), data.copy()


def _sums(layout: Layout, panel: Csr) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The sums of the rows of a panel over each block, and of all columns."""
    indptr, indices, data = panel
    n, n_blocks = len(indptr) - 1, layout.contexts.n_blocks
    place = np.repeat(np.arange(n), np.diff(indptr)) * n_blocks + indices // layout.n_rows
    # sums of counts are integers below 2**53, which float64 represents exactly
    rows = np.bincount(place, data, n * n_blocks).astype(np.int64)
    columns = np.bincount(indices, data, layout.width).astype(np.int64)
    return rows.reshape(n, n_blocks), columns


def _size(panel: Csr) -> int:
    return len(panel[1])
