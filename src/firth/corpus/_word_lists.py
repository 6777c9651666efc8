"""Lists of words with counts in, one vocabulary out, with bounded memory.

While text is read, every thread makes such lists, and so does every corpus that is merged with
others. Lists that are small enough are merged in memory. Others are merged on disk. First every word
is written to the file of its share, which its hash tells; a word is in the same share wherever it
occurs. The different words of a share fit into memory, and get numbers. Then words are sorted, a range
of counts at a time; words of the same count, of which there may be too many, are divided by spelling.
The order depends only on counts and spellings, so the result is the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Engine, release_memory
from firth.compute.kernels import new_secret
from firth.corpus._lexicon import Lexicon, spelled
from firth.corpus._lexicon_kernels import shares_of
from firth.corpus._sorting import order_of, sort_words
from firth.corpus._vocabulary import Vocabulary
from firth.store import (
    column,
    make_folder,
    map_file,
    open_file,
    read_array,
    read_table,
    remove_file,
    write_array,
)

__all__ = ["WordList", "merge_lists", "into_shares"]

Ids = npt.NDArray[np.uint32]
_AT_ONCE = 1 << 20
_BYTES_PER_WORD, _BYTES_PER_LETTER = 200, 6
"""What merging in memory takes, at most: the hash table while it grows, numbers, order, and copies."""
_SORTED_BYTES = 120
_SAMPLE = 64


@dataclass(frozen=True)
class WordList:
    """Words and their counts; unless they are ``distinct``, a word may be in the list more than once."""

    words: Any
    """An Arrow array."""
    counts: npt.NDArray[np.int64]
    distinct: bool

    def n_bytes(self) -> int:
        """The memory that merging this list takes, if its words are in no other."""
        return len(self.words) * _BYTES_PER_WORD + int(self.words.nbytes) * _BYTES_PER_LETTER

    def save(self, path: Path) -> WordList:
        """Write the list to a file, and return it as it is there, mapped into memory."""
        Vocabulary(self.words, self.counts).save(path)
        table = read_table(path)
        words, counts = (column(table, i) for i in range(2))
        return WordList(words, counts.to_numpy(), self.distinct)


def merge_lists(
    lists: Sequence[WordList], memory: int, folder: Path, engine: Engine = ONE_THREAD
) -> tuple[Vocabulary, list[Ids]]:
    """Merge lists of words into one vocabulary; also returns the new ids of the words of each list.

    Parameters
    ----------
    lists : sequence of WordList
    memory : int
        A number of bytes.
    folder : Path
        Where files are put if the memory is not enough. They are needed as long as what is returned.
    engine : Engine
    """
    needed = sum(one.n_bytes() for one in lists)
    if needed <= memory:
        return _merge_in_memory(lists, engine)
    return _Merge(lists, -(-needed // memory), memory, folder).run()


def _merge_in_memory(lists: Sequence[WordList], engine: Engine) -> tuple[Vocabulary, list[Ids]]:
    import pyarrow as pa

    words = pa.concat_arrays([one.words for one in lists])
    counts = np.concatenate([one.counts for one in lists])
    numbers = np.arange(len(words), dtype=np.uint32)
    if len(lists) > 1 or not lists[0].distinct:
        words, counts, numbers = _add_up(lists, words, counts, engine)
    words, order = sort_words(words, counts, engine)
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    edges = np.cumsum([0, *(len(one.words) for one in lists)])
    ids = engine.map(lambda edge: rank[numbers[edge[0] : edge[1]]], pairwise(edges))
    return Vocabulary(words, counts[order]), list(ids)


def _add_up(
    lists: Sequence[WordList], words: Any, counts: npt.NDArray[np.int64], engine: Engine
) -> tuple[Any, npt.NDArray[np.int64], Ids]:
    """The different words of all lists, their counts, and the number of each word.

    Each thread takes a share of the words.
    """
    import pyarrow as pa

    secret = new_secret()
    found = engine.map(lambda one: into_shares(one.words, engine.threads, secret), lists)
    share = np.concatenate(list(found))
    numbers = np.empty(len(words), np.uint32)

    def add_up(s: int) -> tuple[Any, npt.NDArray[np.int64]]:
        mine, lexicon = np.flatnonzero(share == s), Lexicon()
        some = words if len(mine) == len(words) else words.take(pa.array(mine))
        numbers[mine] = lexicon.number_words(some)
        del some
        # sums of counts are integers below 2**53, which float64 represents exactly
        sums = np.bincount(numbers[mine], counts[mine], lexicon.n_words)
        return lexicon.words(), sums.astype(np.int64)

    different, sums = zip(*engine.map(add_up, range(engine.threads)), strict=True)
    firsts = np.cumsum([0, *map(len, sums)])[:-1].astype(np.uint32)
    numbers += firsts[share]
    return pa.concat_arrays(different), np.concatenate(sums), numbers


def into_shares(words: Any, n_shares: int, secret: Any) -> npt.NDArray[np.uint16]:
    """The share of each word."""
    share = np.zeros(len(words), np.uint16)
    if n_shares > 1:
        shares_of(*spelled(words), n_shares, secret, share)
    return share


class _Growing:
    """A list of words in files, to which more are appended.

    No file stays open, because there may be more of these lists than a process may have open files.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._paths = [
            folder / f"{name}-{end}" for end in ("offsets.i64", "spellings", "counts.i64")
        ]
        self._end = 0
        self._write([np.zeros(1, np.int64), np.zeros(0, np.uint8), np.zeros(0, np.int64)], "wb")

    def _write(self, arrays: Sequence[npt.NDArray[Any]], mode: str = "ab") -> None:
        for path, array in zip(self._paths, arrays, strict=True):
            with open_file(path, mode) as file:
                file.write(array.tobytes())

    def append(self, words: Any, counts: npt.NDArray[np.int64]) -> None:
        offsets, spellings = spelled(words)
        begin, end = int(offsets[0]), int(offsets[-1])
        self._write([offsets[1:] - begin + self._end, spellings[begin:end], counts])
        self._end += end - begin

    def mapped(self) -> WordList:
        """All words so far, mapped into memory."""
        import pyarrow as pa

        offsets, counts = read_array(self._paths[0]), read_array(self._paths[2])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(map_file(self._paths[1]))]
        words = pa.Array.from_buffers(pa.large_string(), len(counts), buffers)
        return WordList(words, counts, distinct=False)

    def remove(self) -> None:
        for path in self._paths:
            remove_file(path)


@dataclass(frozen=True)
class _Range:
    """Words with counts from ``low`` to ``high``, from one spelling to before another."""

    low: int
    high: int
    first: str | None = None
    end: str | None = None

    def places(self, words: Any, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where the words of this range are in a list."""
        import pyarrow as pa
        import pyarrow.compute as pc

        places = np.flatnonzero((counts >= self.low) & (counts <= self.high))
        if self.first is not None or self.end is not None:
            some = words.take(pa.array(places))
            kept = np.ones(len(places), np.bool_)
            if self.first is not None:
                kept &= pc.greater_equal(some, pa.scalar(self.first, pa.large_string())).to_numpy(
                    zero_copy_only=False
                )
            if self.end is not None:
                kept &= pc.less(some, pa.scalar(self.end, pa.large_string())).to_numpy(
                    zero_copy_only=False
                )
            places = places[kept]
        return places


class _Merge:
    """A merge on disk, with words in ``n_shares`` shares.

    Files are written from beginning to end and then mapped for reading, so that they take no memory
    that cannot be given up.
    """

    def __init__(self, lists: Sequence[WordList], n_shares: int, memory: int, folder: Path) -> None:
        self.lists, self.n_shares, self.memory, self.folder = lists, n_shares, memory, folder
        self.secret = new_secret()
        make_folder(folder)

    def run(self) -> tuple[Vocabulary, list[Ids]]:
        total = sum(len(one.words) for one in self.lists)
        with progress.stage("merging the vocabulary", 3 * total, "words") as stage:
            shares = []
            for s, share in enumerate(self._divide(stage)):
                shares.append(self._number(s, share.mapped(), stage))
                share.remove()
                release_memory()
            vocabulary = self._sort(shares)
            ranks = [self._ranks(s, len(shares[s].words)) for s in range(self.n_shares)]
            ids = self._ids(ranks, stage)
        return vocabulary, ids

    def _edges(self, n: int) -> Iterator[tuple[int, int]]:
        """Where to divide n words, so that there is room for some at a time."""
        step = max(1, min(_AT_ONCE, self.memory // (_BYTES_PER_WORD * 4)))
        return pairwise([*range(0, n, step), n])

    def _shares(self, number: int) -> Path:
        """Where the shares of the words of a list are."""
        return self.folder / f"shares{number}"

    def _divide(self, stage: progress.Stage) -> list[_Growing]:
        """Write the words and counts of all lists to the files of their shares."""
        import pyarrow as pa

        files = [_Growing(self.folder, f"divided{s}") for s in range(self.n_shares)]
        for number, one in enumerate(self.lists):
            with open_file(self._shares(number), "wb") as written:
                for a, b in self._edges(len(one.words)):
                    share = into_shares(one.words[a:b], self.n_shares, self.secret)
                    written.write(share.tobytes())
                    order = np.argsort(share, kind="stable")
                    words, counts = one.words[a:b].take(pa.array(order)), one.counts[a:b][order]
                    edges = np.searchsorted(share[order], np.arange(self.n_shares + 1)).tolist()
                    for file, (c, d) in zip(files, pairwise(edges), strict=True):
                        if c < d:
                            file.append(words[c:d], counts[c:d])
                    stage.advance(b - a)
        return files

    def _numbers(self, share: int) -> Path:
        return self.folder / f"numbers{share}.u32"

    def _number(self, share: int, all_words: WordList, stage: progress.Stage) -> WordList:
        """Number the words of one share in order of first occurrence, and add up their counts."""
        lexicon, totals = Lexicon(), np.zeros(0, np.int64)
        with open_file(self._numbers(share), "wb") as file:
            for a, b in self._edges(len(all_words.words)):
                numbers = lexicon.number_words(all_words.words[a:b])
                file.write(numbers.tobytes())
                sums = np.bincount(numbers, all_words.counts[a:b], lexicon.n_words)
                sums[: len(totals)] += totals
                totals = sums.astype(np.int64)
                stage.advance(b - a)
        return WordList(lexicon.words(), totals, distinct=True).save(
            self.folder / f"share{share}.arrow"
        )

    def _sort(self, shares: Sequence[WordList]) -> Vocabulary:
        """Sort the words of all shares, a range at a time, and write which share each is from."""
        import pyarrow as pa

        result = _Growing(self.folder, "sorted")
        with ExitStack() as opened:
            files = [
                opened.enter_context(open_file(self.folder / name, "wb"))
                for name in ("shares.u32", "places.u32")
            ]
            for range_ in self._ranges(shares):
                places = [range_.places(one.words, one.counts) for one in shares]
                words = pa.concat_arrays(
                    [one.words.take(pa.array(p)) for one, p in zip(shares, places, strict=True)]
                )
                counts = np.concatenate([o.counts[p] for o, p in zip(shares, places, strict=True)])
                order = order_of(words, counts)
                share = np.repeat(np.arange(len(shares), dtype=np.uint32), list(map(len, places)))
                result.append(words.take(pa.array(order)), counts[order])
                files[0].write(share[order].tobytes())
                files[1].write(np.concatenate(places).astype(np.uint32)[order].tobytes())
                del places, words, counts, order, share
                release_memory()
        found = result.mapped()
        return Vocabulary(found.words, found.counts)

    def _ranges(self, shares: Sequence[WordList]) -> Iterator[_Range]:
        """Ranges of words that can be sorted in memory, in the order of the vocabulary."""
        room = max(1, self.memory // (2 * _SORTED_BYTES))
        values, sizes = _histogram(shares)
        end = len(values)
        while end:
            # as many of the largest counts as there is room for, or else one of them
            begin = int(np.searchsorted(sizes[:end][::-1].cumsum(), room, side="right"))
            begin = end - max(1, begin)
            if end - begin == 1 and sizes[begin] > room:
                yield from _by_spelling(shares, int(values[begin]), int(sizes[begin]), room)
            else:
                yield _Range(int(values[begin]), int(values[end - 1]))
            end = begin

    def _ranks(self, share: int, n: int) -> Ids:
        """The ids of the words of a share, by their numbers."""
        shares, places = (read_array(self.folder / name) for name in ("shares.u32", "places.u32"))
        ranks = np.empty(n, np.uint32)
        for a in range(0, len(shares), _AT_ONCE):
            mine = np.flatnonzero(shares[a : a + _AT_ONCE] == share)
            ranks[places[a + mine]] = a + mine
        path = self.folder / f"ranks{share}.u32"
        write_array(path, ranks)
        return read_array(path)

    def _ids(self, ranks: Sequence[Ids], stage: progress.Stage) -> list[Ids]:
        """The ids of the words of each list."""
        numbers = [read_array(self._numbers(s)) for s in range(self.n_shares)]
        used = [0] * self.n_shares
        found = []
        for i, one in enumerate(self.lists):
            path, shares = self.folder / f"ids{i}.u32", map_file(self._shares(i)).view(np.uint16)
            with open_file(path, "wb") as file:
                for a, b in self._edges(len(one.words)):
                    order = np.argsort(shares[a:b], kind="stable")
                    sizes = np.bincount(shares[a:b], minlength=self.n_shares).tolist()
                    sorted_ids = []
                    for s, n in enumerate(sizes):
                        sorted_ids.append(ranks[s][numbers[s][used[s] : used[s] + n]])
                        used[s] += n
                    ids = np.empty(b - a, np.uint32)
                    ids[order] = np.concatenate(sorted_ids)
                    file.write(ids.tobytes())
                    stage.advance(b - a)
            found.append(read_array(path))
        return found


def _histogram(shares: Sequence[WordList]) -> tuple[Any, Any]:
    """The different counts, rising, and how many words have each."""
    values, sizes = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for one in shares:
        more, n = np.unique(one.counts, return_counts=True)
        values, where = np.unique(np.concatenate([values, more]), return_inverse=True)
        sizes = np.bincount(where, np.concatenate([sizes, n])).astype(np.int64)
    return values, sizes


def _by_spelling(shares: Sequence[WordList], count: int, size: int, room: int) -> Iterator[_Range]:
    """Ranges of the words with one count: between words that divide a sample of them evenly."""
    n_ranges = -(-2 * size // room)
    sample: list[str] = []
    for one in shares:
        places = np.flatnonzero(one.counts == count)
        step = max(1, size // (n_ranges * _SAMPLE))
        sample += one.words.take(places[::step]).to_pylist()
    sample.sort(key=str.encode)
    ends = [sample[k * len(sample) // n_ranges] for k in range(1, n_ranges)]
    for first, end in pairwise([None, *dict.fromkeys(ends), None]):
        yield _Range(count, count, first, end)
