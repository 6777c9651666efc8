"""Search: the places where one of some patterns matches, from the index or by a scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Engine
from firth.errors import InputError
from firth.find._lexicon import Ids
from firth.find._patterns import Pattern

if TYPE_CHECKING:
    from firth.corpus import Corpus, Index

__all__ = ["Places", "Ranges", "search"]

Positions = npt.NDArray[np.int64]
_AT_ONCE = 1 << 17
_SCANNED = 1 << 20
_SORTING = 8
"""How much longer it takes to look up and sort a position than to scan one."""


class Ranges(NamedTuple):
    """Ranges of tokens, ascending and apart: each from a start to before an end."""

    starts: Positions
    ends: Positions


class Places(NamedTuple):
    """Where matches start, ascending, and end: the position after the last token."""

    starts: Positions
    ends: Positions


def search(
    corpus: Corpus,
    patterns: Sequence[Pattern],
    index: Index | None = None,
    ranges: Ranges | None = None,
    engine: Engine = ONE_THREAD,
    most: int | None = None,
) -> Places:
    """All places where one of some patterns matches: at each start, the shortest match.

    Parameters
    ----------
    corpus : Corpus
    patterns : sequence of Pattern
    index : Index, optional
        The positions of all words; without it, all tokens are searched.
    ranges : Ranges, optional
        Matches must be within one of these; by default anywhere.
    engine : Engine
    most : int, optional
        Raise InputError if a pattern of several words matches at more places.
    """
    found = [_places(corpus, pattern, index, ranges, engine, most) for pattern in patterns]
    if not found:
        return Places(np.zeros(0, np.int64), np.zeros(0, np.int64))
    if len(found) == 1:
        return found[0]
    starts, ends = (np.concatenate(some) for some in zip(*found, strict=True))
    order = np.lexsort((ends, starts))
    starts, ends = starts[order], ends[order]
    first = np.ones(len(starts), bool)
    first[1:] = starts[1:] != starts[:-1]
    return Places(starts[first], ends[first])


def _places(
    corpus: Corpus, pattern: Pattern, index: Index | None, ranges: Ranges | None, engine: Engine,
    most: int | None,
) -> Places:  # fmt: skip
    searched = _Search(corpus, pattern, index)
    starts, ends, n = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for some, lengths in engine.map(searched.match, searched.candidates()):
        progress.check_interrupted()
        here = _within(Places(some, some + lengths), ranges)
        starts.append(here.starts)
        ends.append(here.ends)
        n += len(here.starts)
        if most is not None and n > most:
            raise InputError(
                f"The query matches at more than {most:,} places.",
                "Ask for something rarer, or use the command line: firth find MODEL PATTERN",
            )
    found, last = np.concatenate(starts), np.concatenate(ends)
    if (found[1:] <= found[:-1]).any():  # pieces overlap where gaps vary
        found, first = np.unique(found, return_index=True)
        last = last[first]
    return Places(found, last)


def _within(places: Places, ranges: Ranges | None) -> Places:
    """The places that are within one of some ranges."""
    if ranges is None or not len(places.starts):
        return places
    if not len(ranges.starts):
        return Places(places.starts[:0], places.ends[:0])
    at = np.searchsorted(ranges.starts, places.starts, side="right") - 1
    kept = (at >= 0) & (places.ends <= np.asarray(ranges.ends)[at])
    return Places(places.starts[kept], places.ends[kept])


class _Search:
    """A search for one pattern: where it may start, and whether it does."""

    def __init__(self, corpus: Corpus, pattern: Pattern, index: Index | None) -> None:
        self._corpus, self._pattern, self._index = corpus, pattern, index

    def candidates(self) -> Iterator[Positions]:
        """Positions where a match may start, in pieces, each ascending.

        The slot with the fewest occurrences decides, where it is looked up in the index or among all
        tokens, whichever is quicker. Pieces overlap where gaps before it vary.
        """
        slots, gaps = self._pattern.slots, self._pattern.gaps
        before = list(accumulate(low for low, _ in gaps))
        slack = list(accumulate(high - low for low, high in gaps))
        counts = self._corpus.vocabulary.counts
        totals = [int(counts[ids].sum()) for ids in slots]
        best = min(range(len(slots)), key=lambda j: totals[j] * (1 + slack[j]))
        away, spread = best + before[best], np.arange(slack[best] + 1)
        for some in self._positions(slots[best], totals[best]):
            starts = some - away
            yield starts if len(spread) == 1 else np.unique(starts[:, None] - spread)

    def _positions(self, ids: Ids, total: int) -> Iterator[Positions]:
        """The positions of some words, ascending, in pieces."""
        n = self._corpus.n_tokens
        if self._index is not None and (len(ids) == 1 or _SORTING * total < n):
            found = self._index.positions_of(ids)
            yield from (found[a : a + _AT_ONCE] for a in range(0, len(found), _AT_ONCE))
            return
        among = np.zeros(self._corpus.n_types, bool)
        among[ids] = True
        for a in range(0, n, _SCANNED):
            here = self._corpus.ids[a : a + _SCANNED]
            yield np.flatnonzero(here == ids[0] if len(ids) == 1 else among[here]) + a

    @cached_property
    def _tables(self) -> tuple[Any, Any, Any]:
        """The slots and the gaps as the kernel takes them."""
        from firth.find._kernels import ANY, MANY

        n, slots = self._corpus.n_types, self._pattern.slots
        only = np.empty(len(slots), np.int64)
        rows: list[npt.NDArray[np.uint8]] = []
        for j, ids in enumerate(slots):
            if len(ids) == n:
                only[j] = ANY
            elif len(ids) == 1:
                only[j] = ids[0]
            else:
                only[j] = MANY - len(rows)
                among = np.zeros(n, bool)
                among[ids] = True
                rows.append(np.packbits(among, bitorder="little"))
        bits = np.array(rows, np.uint8).reshape(len(rows), (n + 7) // 8)
        return only, bits, np.array(self._pattern.gaps, np.int64)

    def match(self, starts: Positions) -> tuple[Positions, Positions]:
        """Those of some starts where the pattern matches, and the lengths of the matches."""
        if len(self._pattern.slots) == 1 and self._index is None:  # they were just looked at
            return starts, np.ones(len(starts), np.int64)
        from firth.find._kernels import match

        corpus = self._corpus
        found, lengths = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
        reach = np.zeros((2, self._pattern.widest + 1), np.uint8)
        n = match(corpus.ids, corpus.ends, starts, *self._tables, reach, found, lengths)
        return found[:n].copy(), lengths[:n].copy()
