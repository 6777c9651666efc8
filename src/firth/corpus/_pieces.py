"""Sources in, numbered tokens out, a piece at a time: on the workers of a cluster, or on threads.

A piece is a file, or some lines of a large one. Every piece has a list of words of its own, so it can
be read anywhere, again if a worker dies, and left out if it cannot be read.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from firth import formats, progress
from firth.compute import ONE_THREAD, Cluster, Engine
from firth.corpus._numbering import BlockReader, Numbered, SoFar
from firth.corpus._reading import Reading
from firth.corpus._source_blocks import pieces_of_sources
from firth.corpus._sources import Source
from firth.corpus._vocabulary import Vocabulary
from firth.corpus._word_lists import WordList, merge_lists
from firth.errors import FirthError, InputError
from firth.store import make_folder

__all__ = ["PieceReader"]

_PIECE = 64 << 20
_SMALLEST = 1 << 20
_PIECES_PER_WORKER = 3
"""So many pieces of each worker are read ahead."""
_PLENTY = 1 << 40
_SECONDS_BETWEEN_RESTS = 15.0


_Piece = tuple[int, int, int | None]
"""The number of a source, and the bytes between which lines of the piece begin."""


@dataclass(frozen=True)
class _Read:
    """A piece that was read, or the error that kept it from being read."""

    blocks: list[Numbered]
    words: WordList | None
    n_bytes: int = 0
    extent: int = 0
    sha256: str = ""
    error: FirthError | None = None


def read_piece(piece: Source, reading: Reading, limits: dict[str, Any]) -> _Read:
    """Read a piece with a lexicon of its own; ids are numbers of the words of its list."""
    try:
        if isinstance(piece.path, Path) and not piece.once and not piece.path.exists():
            raise InputError(
                f"There is no file {piece.name} on a worker.",
                "Workers read files themselves: use a shared folder, or an address such as s3://...",
            )
        with formats.limits(**limits):
            reader = BlockReader(reading, ONE_THREAD, _PLENTY, Path())  # nothing is put on disk
            blocks = [block for _, block in reader.read([piece]) if block is not None]
            return _Read(blocks, reader.only_list(), piece.n_bytes, piece.extent, piece.sha256)
    except InputError as error:
        return _Read([], None, error=error)


def checksum_of(source: Source) -> str | None:
    """The checksum of a whole file."""
    return source.checksum()


def _facts(source: Source) -> tuple[int, int, bool, str]:
    """What is known about a source that has been read."""
    return source.n_bytes, source.extent, source.skipped, source.sha256


class PieceReader:
    """Reads sources piece by piece; see ``BlockReader``.

    Parameters
    ----------
    reading : Reading
    engine : Engine
        Its cluster reads, or else its threads.
    memory : int
        For merging lists of words.
    folder : Path
        For lists of words.
    start : SoFar
        What has been read before.
    skip_bad : bool
        Leave out files that cannot be read, with a notice.
    """

    def __init__(
        self,
        reading: Reading,
        engine: Engine,
        memory: int,
        folder: Path,
        start: SoFar,
        skip_bad: bool,
    ) -> None:
        self.reading, self._engine, self._skip_bad = reading, engine, skip_bad
        self._memory, self._folder = memory, folder
        if engine.cluster:
            engine.cluster.connect()
        self._limits = dataclasses.asdict(formats.current_limits())
        self._lists, self._facts = list(start.lists), list(start.facts)
        self._n_done, self._size = start.n_done, start.piece
        self._first = start.n_lists_before
        """The number of lists when the source began that is being read."""
        self._several: set[int] = set()
        """The numbers of sources in several pieces."""
        self._checksums: dict[int, Any] = {}
        """Their checksums that are under way."""
        self._partial: Source | None = None
        """A source of which some pieces have been read."""
        self._is_kept = self._first < len(self._lists)
        """Whether a checkpoint has some of its pieces."""
        self.done = 0.0
        self.status = ""

    def read(
        self, sources: Sequence[Source], rests: bool
    ) -> Iterator[tuple[Source | None, Numbered | None]]:
        """The blocks of all sources in order, and None after the last block of each.

        A source that is skipped is marked so; then its blocks are void. If it ``rests``, there is None
        instead of a source now and then, after the end of one; see ``so_far``.
        """
        cluster = self._engine.cluster
        n_workers = cluster.n_workers if cluster else self._engine.threads
        size = sum(source.disk_size() for source in sources)
        self._size = self._size or min(_PIECE, max(_SMALLEST, size // (4 * n_workers)))
        pieces = pieces_of_sources(sources, self._size, self.reading.split)
        self._restore(sources, pieces)
        rested = time.monotonic()
        self._several = {n for n, count in Counter(n for n, _, _ in pieces).items() if count > 1}
        for k, (number, found) in enumerate(self._all(sources, pieces), self._n_done):
            source = sources[number]
            if found.error is not None and not source.skipped:
                self._skip(source, found.error)
                del self._lists[self._first :]
            if not source.skipped:
                yield from self._blocks(source, found)
            self.done += found.n_bytes
            workers = f"{progress.count_of(cluster.n_workers, 'worker')}, " if cluster else ""
            self.status = f"{workers}{k + 1:,} of {progress.count_of(len(pieces), 'piece')}"
            self._n_done = k + 1
            must_rest = False
            if k + 1 == len(pieces) or pieces[k + 1][0] != number:
                self._end(number, source)
                # what was kept of a source that is skipped will be overwritten
                must_rest = self._is_kept and source.skipped
                yield source, None
            else:
                self._partial = source
            is_due = must_rest or time.monotonic() - rested > _SECONDS_BETWEEN_RESTS
            if rests and is_due and not (self._partial and self._partial.skipped):
                self._is_kept = self._partial is not None
                yield None, None
                rested = time.monotonic()

    def so_far(self) -> SoFar:
        """How far reading is, at a rest."""
        facts = [*self._facts, *map(_facts, [self._partial] if self._partial else [])]
        return SoFar(
            self._n_done,
            piece=self._size,
            lists=self._lists,
            facts=facts,
            n_lists_before=self._first,
        )

    def _restore(self, sources: Sequence[Source], pieces: Sequence[_Piece]) -> None:
        """Tell sources what is known about those that were read before, the last one perhaps in part."""
        for source, (n_bytes, extent, skipped, checksum) in zip(sources, self._facts, strict=False):
            source.n_bytes, source.extent, source.skipped = n_bytes, extent, skipped
            source.sha256 = checksum
            self.done += n_bytes
        if self._n_done < len(pieces):
            del self._facts[pieces[self._n_done][0] :]

    def _skip(self, source: Source, error: FirthError) -> None:
        if not self._skip_bad:
            error.hint = f"{error.hint or ''} To leave out such files: --skip-bad".strip()
            raise error
        named = source.name in error.message
        progress.notice(f"Skipped{'' if named else f' {source.name}'}: {error.message}", error.hint)
        source.skipped = True

    def _blocks(self, source: Source, found: _Read) -> Iterator[tuple[Source, Numbered]]:
        number = len(self._lists)
        make_folder(self._folder)
        assert found.words is not None  # noqa: S101  there was no error
        self._lists.append(found.words.save(self._folder / f"{number}.arrow"))
        source.n_bytes += found.n_bytes
        source.extent = max(source.extent, found.extent)
        source.sha256 = found.sha256
        for block in found.blocks:
            yield source, dataclasses.replace(block, list=number)

    def _end(self, number: int, source: Source) -> None:
        """Complete what is known about a source; a file in several pieces is read once more for its checksum."""
        if number in self._several and not source.skipped:
            cluster, found = self._engine.cluster, self._checksums.pop(number, None)
            checksum = cluster.result(found) if cluster and found else checksum_of(source)
            source.sha256 = checksum or ""
        self._facts.append(_facts(source))
        self._partial, self._first = None, len(self._lists)

    def _all(
        self, sources: Sequence[Source], pieces: Sequence[_Piece]
    ) -> Iterator[tuple[int, _Read]]:
        """All pieces, read, in order; some are read ahead."""
        made = (
            (number, dataclasses.replace(sources[number], begin=begin, end=end))
            for number, begin, end in pieces[self._n_done :]
        )
        cluster = self._engine.cluster
        if cluster is None:
            yield from self._engine.map(
                lambda item: (item[0], read_piece(item[1], self.reading, self._limits)), made
            )
            return
        pending: deque[tuple[int, Callable[[], _Read]]] = deque()
        for number, piece in made:
            if number in self._several and number not in self._checksums:
                self._checksums[number] = cluster.submit(checksum_of, sources[number])
            pending.append((number, self._begin(piece, cluster)))
            if len(pending) > _PIECES_PER_WORKER * cluster.n_workers:
                number, work = pending.popleft()
                yield number, work()
        while pending:
            number, work = pending.popleft()
            yield number, work()

    def _begin(self, piece: Source, cluster: Cluster) -> Callable[[], _Read]:
        """Let a worker read a piece; what only this program can read, such as standard input, is read here."""
        if piece.path is None or piece.once:
            return lambda: read_piece(piece, self.reading, self._limits)
        work = cluster.submit(read_piece, piece, self.reading, self._limits)
        return lambda: cluster.result(work)

    def merged(self) -> tuple[Vocabulary, list[npt.NDArray[Any]]]:
        """The vocabulary, and for each list the ids of its words."""
        return merge_lists(self._lists, self._memory, self._folder / "merged", self._engine)
