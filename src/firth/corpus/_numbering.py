"""Blocks of text in, numbered tokens out."""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from firth import formats, progress
from firth.compute import Engine, release_memory
from firth.corpus._blocks import Block
from firth.corpus._lexicon import Lexicon
from firth.corpus._reading import Reading
from firth.corpus._source_blocks import blocks_of, plain_text, where_in
from firth.corpus._sources import Source
from firth.corpus._tokeniser import Cut, cut_block, sentence_breaks
from firth.corpus._vocabulary import Vocabulary, fold_words
from firth.corpus._word_lists import WordList, merge_lists
from firth.store import make_folder

__all__ = ["BlockReader", "Numbered", "SoFar", "distinct", "list_of"]

_BYTES_BETWEEN_RESTS = 1 << 30


@dataclass(frozen=True)
class Numbered:
    """The tokens of a block, as numbers of words in a list."""

    ids: npt.NDArray[np.uint32]
    list: int
    """The number of the list of words to which the ids refer."""
    breaks: npt.NDArray[np.int64]
    """Numbers of tokens after which a sentence ends."""
    firsts: npt.NDArray[np.int64]
    """Tokens that begin a sentence; ``places`` are their positions in the source."""
    places: npt.NDArray[np.int64]


def distinct(ascending: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Ascending numbers without repetitions."""
    return ascending[np.diff(ascending, prepend=-1) > 0]


def _places(
    block: Block,
    data: bytes,
    cut_: Cut,
    firsts: npt.NDArray[np.int64],
    of_lines: Sequence[int] | None,
) -> npt.NDArray[np.int64]:
    """The positions of some tokens in the source; ``of_lines`` are those of lines of records."""
    if of_lines is not None:
        lines = np.searchsorted(cut_.lines, firsts, side="right")
        return np.asarray(of_lines, np.int64)[lines]
    offsets = cut_.starts[firsts].astype(np.int64)
    if data is not block.data:  # invalid bytes were replaced: positions are relative to lines
        old, new = (
            np.flatnonzero(np.frombuffer(b"\n" + d, np.uint8) == 0x0A) for d in (block.data, data)
        )
        line = np.searchsorted(new, offsets, side="right") - 1
        last = np.append(old, len(block.data) + 1)[line + 1] - 1  # never past the line
        offsets = np.minimum(old[line] + offsets - new[line], last)
    return offsets + block.place


@dataclass(frozen=True)
class SoFar:
    """How far reading is, when nothing is under way."""

    n_done: int = 0
    """Blocks, and ends of sources, that have been read; or pieces."""
    base: int = 0
    """The place at which the source begins that is read next."""
    piece: int = 0
    """The size of pieces."""
    lists: list[WordList] = field(default_factory=list)
    facts: list[tuple[int, int, bool, str]] = field(default_factory=list)
    """Of sources that were read in pieces: size, extent, whether it was skipped, and checksum."""
    n_lists_before: int = 0
    """The number of lists when the source began of which some pieces have been read."""


class BlockReader:
    """Reads sources block by block, on all threads; each thread has a lexicon of its own.

    Lexicons take about half of ``memory``, together; ``folder`` is for lists of words. What was read
    before ``start`` is read again, but only to know where it ends.
    """

    def __init__(
        self,
        reading: Reading,
        engine: Engine,
        memory: int,
        folder: Path,
        start: SoFar | None = None,
    ) -> None:
        start = start or SoFar()
        self.reading, self._engine = reading, engine
        self._limits = formats.current_limits()
        self._folder, self._memory = folder, memory
        self._room = memory // (2 * engine.threads)
        self._lists: list[WordList | None] = list(start.lists)
        self._n_done = start.n_done
        self._free: queue.SimpleQueue[tuple[int, Lexicon]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self.done = 0.0
        """Bytes of the sources that have been read."""
        self.status = ""
        self._begin_all()

    def _begin_all(self) -> None:
        for _ in range(self._engine.threads):
            self._free.put(self._begin())

    def _begin(self) -> tuple[int, Lexicon]:
        """A new lexicon, and the number of its list."""
        with self._lock:
            self._lists.append(None)
            return len(self._lists) - 1, Lexicon()

    def read(
        self, sources: Sequence[Source], rests: bool = False
    ) -> Iterator[tuple[Source | None, Numbered | None]]:
        """The blocks of all sources in order, and None after the last block of each.

        If it ``rests``, there is None instead of a source every now and then, when no block is under way
        and all words are in lists on disk; see ``so_far``.
        """
        before = 0
        with closing(self._engine.ahead(blocks_of(sources, self.reading))) as blocks:
            for source, again in islice(blocks, self._n_done):
                self.done = before + source.consumed()
                before += source.disk_size() if again is None else 0
                progress.check_interrupted()
            while stretch := _Stretch(blocks, _BYTES_BETWEEN_RESTS if rests else None):
                for source, block in self._engine.map(self._numbered, stretch):
                    yield source, block
                    self._n_done += 1
                    self.done = before + source.consumed()
                    before += source.disk_size() if block is None else 0
                if rests:
                    self._end_all(to_disk=True)
                    release_memory()
                    self._begin_all()
                    yield None, None

    def so_far(self) -> SoFar:
        """How far reading is, at a rest."""
        n = len(self._lists) - self._free.qsize()  # the others have just begun
        return SoFar(self._n_done, lists=cast(Any, self._lists[:n]))

    def _numbered(self, item: tuple[Source, Block | None]) -> tuple[Source, Numbered | None]:
        source, block = item
        if block is None:
            return source, None
        with formats.reading(source.name):
            return source, self._number(block, source)

    def _number(self, block: Block, source: Source) -> Numbered:
        data = plain_text(block, source, self.reading.errors)
        cut_, lines = cut_block(block, data, self.reading)
        number, lexicon = self._free.get()
        mine = number, lexicon
        try:
            ids = lexicon.number(cut_.text, cut_.starts, cut_.ends)
            self._limits.check_types(lexicon.n_words, where_in(block, source, 0))
            if lexicon.n_bytes > self._room:
                self._end(number, lexicon, to_disk=True)
                mine = self._begin()
        finally:
            self._free.put(mine)
        breaks = sentence_breaks(cut_, block.given, self.reading, lines)
        firsts = distinct(np.concatenate([np.zeros(1, np.int64), breaks]))
        firsts = firsts[firsts < len(ids)]
        return Numbered(ids, number, breaks, firsts, _places(block, data, cut_, firsts, lines))

    def _end(self, number: int, lexicon: Lexicon, to_disk: bool) -> None:
        """Make a list of the words of a lexicon."""
        found = list_of(lexicon, self.reading)
        if to_disk:
            make_folder(self._folder)
            found = found.save(self._folder / f"{number}.arrow")
        self._lists[number] = found

    def _end_all(self, to_disk: bool) -> None:
        # taken one by one, so that no lexicon is kept when its list has been made
        lexicons = (self._free.get() for _ in range(self._free.qsize()))
        self._engine.each(lambda one: self._end(*one, to_disk), lexicons)

    def only_list(self) -> WordList:
        """The list of the words, if there is one thread and no limit of memory."""
        _, lexicon = self._free.get()
        return list_of(lexicon, self.reading)

    def merged(self) -> tuple[Vocabulary, list[npt.NDArray[np.uint32]]]:
        """The vocabulary, and for each list the ids of its words."""
        self._end_all(to_disk=len(self._lists) > self._free.qsize())
        return merge_lists(
            cast(Any, self._lists), self._memory, self._folder / "merged", self._engine
        )


class _Stretch:
    """The next items of an iterator, up to a number of bytes of text; false if there are none left."""

    def __init__(self, items: Iterator[tuple[Source, Block | None]], n_bytes: int | None) -> None:
        self._items, self._left = items, math.inf if n_bytes is None else n_bytes
        self._first = next(items, None)

    def __bool__(self) -> bool:
        return self._first is not None

    def __iter__(self) -> Iterator[tuple[Source, Block | None]]:
        item = self._first
        while item is not None:
            self._left -= len(item[1].data) if item[1] else 0
            yield item
            item = next(self._items, None) if self._left > 0 else None


def list_of(lexicon: Lexicon, reading: Reading) -> WordList:
    """The words of a lexicon as the corpus has them, in the order of their numbers."""
    words = lexicon.words()
    folded = fold_words(words, reading)
    return WordList(folded, lexicon.counts(), distinct=folded is words)
