"""Counting on the workers of a cluster.

Every worker counts some rows of the matrix. Only text that is too long for one worker is cut into
stretches; then the rows of all stretches are added up, a few at a time. The sums are whole numbers, so
the matrix does not depend on how the work was divided, nor on which worker did what.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise, product
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

__all__ = ["PanelCounts", "count_panels", "row_ranges"]

_TOKENS = 1 << 26
"""Tokens of a stretch, at most."""
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
Margins = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""The sums of rows over each block, and of all columns."""


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


def row_ranges(layout: Layout, n_groups: int) -> list[list[tuple[int, int]]]:
    """All rows in ranges with about the same number of entries, in groups that take about the same time."""
    contexts = layout.contexts
    found = layout.word_counts * len(contexts.offsets)
    most = layout.most_entries(layout.word_counts)
    groups = _equal_ranges(found + most, n_groups)
    most_panels = max(1, _MOST_PANELS // len(groups))
    return [
        [
            (first + a, first + b)
            for a, b in _equal_ranges(
                most[first:last],
                min(int(most[first:last].sum()) // _ENTRIES_PER_PANEL + 1, most_panels),
            )
        ]
        for first, last in groups
    ]


def _equal_ranges(sizes: npt.NDArray[np.int64], n: int) -> list[tuple[int, int]]:
    """Up to ``n`` ranges of rows, of about the same size together."""
    total = np.concatenate([[0], np.cumsum(sizes)])
    cuts = np.searchsorted(total, np.linspace(0, int(total[-1]), n + 1))
    edges = np.unique(np.concatenate([[0], cuts[1:-1], [len(sizes)]]))
    return list(pairwise(edges.tolist()))


def count_panels(corpus: Corpus, parameters: CountsParameters, cluster: Cluster) -> PanelCounts:
    """Count the contexts in a corpus on a cluster."""
    cluster.connect()
    layout = Layout.of(corpus, parameters, ONE_THREAD)
    there, slots = cluster.send(layout), cluster.threads()
    with progress.stage("counting", corpus.n_tokens, "tokens") as stage:
        stretches = _stretches(corpus, layout, cluster)
        groups = row_ranges(layout, max(-(-len(slots) // len(stretches)), min(len(stretches), 2)))
        counted: list[list[tuple[Future, str]]] = [[] for _ in groups]
        each = product(stretches, zip(counted, groups, strict=True))
        for ((text, _), (some, ranges)), at in zip(each, cycle(slots), strict=False):
            some.append((cluster.submit(count_ranges, there, text, ranges, at=at), at))

        def picked(group: int, number: int) -> list[Future]:  # without moving all the others
            return [cluster.submit(_pick, one, number, at=at) for one, at in counted[group]]

        panels = [
            _sum(cluster, add_up, picked(group, k), there)
            for group, ranges in enumerate(groups)
            for k in range(len(ranges))
        ]
        sums = [_sum(cluster, _add_margins, picked(group, -1)) for group in range(len(groups))]
        _follow(cluster, stage, counted, [n for _, n in stretches])
        counted.clear()
        rows, columns = [], np.zeros(layout.width, np.int64)
        for some_rows, some_columns in cluster.results(sums):
            rows.append(some_rows)
            columns += some_columns
    words = corpus.vocabulary
    kept = Vocabulary(words.words[: layout.n_kept], words.counts[: layout.n_kept])
    n_entries = sum(cluster.results([cluster.submit(_size, panel) for panel in panels]))
    check_not_empty(n_entries)
    all_ranges = [some for ranges in groups for some in ranges]
    made = [(first, last, panel) for (first, last), panel in zip(all_ranges, panels, strict=True)]
    return PanelCounts(
        parameters, layout.contexts, kept, layout.word_counts, np.concatenate(rows), columns, n_entries, made,
        cluster,
    )  # fmt: skip


def _follow(
    cluster: Cluster,
    stage: progress.Stage,
    counted: list[list[tuple[Future, str]]],
    sizes: list[int],
) -> None:
    """Show progress until all groups of rows of all stretches have been counted."""
    n_done, n_all = 0, progress.count_of(len(counted) * len(sizes), "piece")
    for k, n in enumerate(sizes):
        for group, some in enumerate(counted):
            cluster.wait(some[k][0], lambda: stage.advance(0))
            n_done += 1
            workers = progress.count_of(cluster.n_workers, "worker")
            stage.note = f"{workers}, {n_done:,} of {n_all}"
            share = n * (group + 1) // len(counted) - n * group // len(counted)
            stage.advance(share, share)


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
    edges = np.linspace(0, n, -(-n // _TOKENS) + 1).astype(np.int64).tolist()
    visible = _are_visible(corpus, cluster)
    return [
        (
            _InFiles(*corpus.files, begin, end)
            if visible
            else cluster.send(Stretch.of(corpus, layout, begin, end)),
            end - begin,
        )
        for begin, end in pairwise(edges)
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
) -> list[Csr | Margins]:
    """Count the rows of some ranges, one after another, in a stretch; last come the sums of all rows."""
    stretch = text.read(layout) if isinstance(text, _InFiles) else text
    n_blocks = layout.contexts.n_blocks
    rows = np.zeros((layout.n_rows, n_blocks), np.int64)
    pool = Pool(layout, layout.stretch * n_blocks)
    counted = count_stretch(layout, stretch, pool, _ENTRIES_AT_ONCE, rows, ranges)
    found: list[Csr | Margins] = [_next_rows(counted, last - first) for first, last in ranges]
    for _ in counted:  # nothing comes any more, but sums are added up at the end
        pass
    return [*found, (rows[ranges[0][0] : ranges[-1][1]], pool.columns())]


def _next_rows(counted: Iterator[tuple[Any, Any, Any, int]], n: int) -> Csr:
    """The next ``n`` rows."""
    ends, indices, data, total = [np.zeros(1, np.int64)], [], [], 0
    while n:
        some_ends, some_indices, some_data, _ = next(counted)
        ends.append(some_ends + total)
        indices.append(np.array(some_indices))  # they are views of larger arrays
        data.append(np.array(some_data))
        total += len(some_data)
        n -= len(some_ends)
    return np.concatenate(ends), np.concatenate(indices), np.concatenate(data)


def _pick(counted: list[Csr | Margins], number: int) -> Csr | Margins:
    """The rows of one range, or the sums."""
    return counted[number]


def _sum(cluster: Cluster, add: Callable[..., Any], parts: list[Future], *how: Future) -> Future:
    """Add up parts of a panel, some at a time."""
    while len(parts) > 1:
        groups = [parts[k : k + _AT_ONCE] for k in range(0, len(parts), _AT_ONCE)]
        parts = [cluster.submit(add, group, *how) for group in groups]
    return parts[0]


def add_up(parts: Sequence[Csr], layout: Layout) -> Csr:
    """The sum of the same rows of several matrices."""
    [scratch] = Pool(layout, layout.width).all
    ends, indices, data = sum_rows(layout, parts, scratch)
    return np.concatenate([[0], ends]), indices.copy(), data.copy()


def _add_margins(parts: Sequence[Margins]) -> Margins:
    rows, columns = (np.sum(some, axis=0) for some in zip(*parts, strict=True))
    return rows, columns


def _size(panel: Csr) -> int:
    return len(panel[1])
