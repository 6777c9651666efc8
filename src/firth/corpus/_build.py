"""Sources in, the files of a corpus out, without holding the text in memory.

Each thread numbers the tokens of blocks with a lexicon of its own, in order of first occurrence, and
the numbers are written to disk. A lexicon that has become too large is written to disk as a list of
words, and a new one is begun. At the end all lists are merged into one vocabulary, and a second pass
over the numbers gives every token its final id. Ids depend only on counts and spellings, so the result
is the same for any number of threads, any memory and any block size.
"""

from __future__ import annotations

import json
import queue
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

from firth import formats, progress
from firth.compute import Engine
from firth.corpus._blocks import Block
from firth.corpus._lexicon import Lexicon
from firth.corpus._lexicon_kernels import renumber
from firth.corpus._reading import ENDS, GIVEN, IDS, PLACES, SOURCES, WORDS, Reading
from firth.corpus._sources import Source, blocks_of, plain_text, where_in
from firth.corpus._tokeniser import Cut, cut, sentence_breaks, sentence_starts
from firth.corpus._vocabulary import Vocabulary, fold_words
from firth.corpus._word_lists import WordList, merge_lists
from firth.errors import InputError
from firth.parameters import MEMORY, parse_memory
from firth.store import make_folder, open_file, remove_tree, write_text
from firth.unicode import unicode_version

__all__ = ["build", "give_ids", "prepare_kernels"]

_LISTS = "lists"
"""The folder for lists of words, while a corpus is made."""
_TOKENS_AT_ONCE = 1 << 20
# Chinese, Japanese, Thai, Lao, Tibetan, Burmese and Khmer
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff]{7}"
)


@dataclass(frozen=True)
class _Numbered:
    """A numbered block."""

    ids: npt.NDArray[np.uint32]
    list: int
    """The number of the list of words to which the ids refer."""
    breaks: npt.NDArray[np.int64]
    """Numbers of tokens after which a sentence ends."""
    firsts: npt.NDArray[np.int64]
    """Tokens that begin a sentence; ``places`` are their positions in the source."""
    places: npt.NDArray[np.int64]


def _distinct(ascending: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return ascending[np.diff(ascending, prepend=-1) > 0]


def _places(
    block: Block, data: bytes, cut_: Cut, firsts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The positions of some tokens in the source."""
    if block.places is not None:
        lines = np.searchsorted(cut_.lines, firsts, side="right")
        return np.asarray(block.places, np.int64)[lines]
    offsets = cut_.starts[firsts].astype(np.int64)
    if data is not block.data:  # invalid bytes were replaced: positions are relative to lines
        old, new = (
            np.flatnonzero(np.frombuffer(b"\n" + d, np.uint8) == 0x0A) for d in (block.data, data)
        )
        line = np.searchsorted(new, offsets, side="right") - 1
        last = np.append(old, len(block.data) + 1)[line + 1] - 1  # never past the line
        offsets = np.minimum(old[line] + offsets - new[line], last)
    return offsets + block.place


class _Workers:
    """Numbers blocks; each thread has a lexicon of its own.

    Lexicons take about half of ``memory``, together; ``folder`` is for lists of words.
    """

    def __init__(self, reading: Reading, engine: Engine, memory: int, folder: Path) -> None:
        self.reading, self.limits = reading, formats.current_limits()
        self._folder, self._memory = folder, memory
        self._room = memory // (2 * engine.threads)
        self._lists: list[WordList | None] = []
        self._free: queue.SimpleQueue[tuple[int, Lexicon]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        for _ in range(engine.threads):
            self._free.put(self._begin())

    def _begin(self) -> tuple[int, Lexicon]:
        """A new lexicon, and the number of its list."""
        with self._lock:
            self._lists.append(None)
            return len(self._lists) - 1, Lexicon()

    def __call__(self, item: tuple[Source, Block | None]) -> tuple[Source, _Numbered | None]:
        source, block = item
        if block is None:
            return source, None
        with formats.reading(source.name):
            return source, self._number(block, source)

    def _number(self, block: Block, source: Source) -> _Numbered:
        data = plain_text(block, source, self.reading.errors)
        cut_ = cut(data, GIVEN if block.given else self.reading.tokens, block.n_lines)
        number, lexicon = self._free.get()
        mine = number, lexicon
        try:
            ids = lexicon.number(cut_.text, cut_.starts, cut_.ends)
            self.limits.check_types(lexicon.n_words, where_in(block, source, 0))
            if lexicon.n_bytes > self._room:
                self._end(number, lexicon, to_disk=True)
                mine = self._begin()
        finally:
            self._free.put(mine)
        breaks = sentence_breaks(cut_, block.given, self.reading)
        firsts = _distinct(np.concatenate([np.zeros(1, np.int64), breaks]))
        firsts = firsts[firsts < len(ids)]
        return _Numbered(ids, number, breaks, firsts, _places(block, data, cut_, firsts))

    def _end(self, number: int, lexicon: Lexicon, to_disk: bool) -> None:
        """Make a list of the words of a lexicon."""
        words = lexicon.words()
        folded = fold_words(words, self.reading)
        found = WordList(folded, lexicon.counts(), distinct=folded is words)
        if to_disk:
            make_folder(self._folder)
            found = found.save(self._folder / f"{number}.arrow")
        self._lists[number] = found

    def merged(self) -> tuple[Vocabulary, list[npt.NDArray[np.uint32]]]:
        """The vocabulary, and for each list the ids of its words."""
        to_disk = len(self._lists) > self._free.qsize()
        while not self._free.empty():
            number, lexicon = self._free.get()
            self._end(number, lexicon, to_disk)
            del lexicon  # before the next list is made
        return merge_lists(cast(Any, self._lists), self._memory, self._folder / "merged")


class _Files:
    """The files of ids, sentence ends and positions of sentences."""

    def __init__(self, folder: Path) -> None:
        with ExitStack() as opened:
            self._ids, self._ends, self._places = (
                opened.enter_context(open_file(folder / name, "wb")) for name in (IDS, ENDS, PLACES)
            )
            self._open = opened.pop_all()
        self.n_tokens = self.n_sentences = 0
        self.runs: list[tuple[int, int]] = []
        """The number of a list of words, and how many tokens refer to it, in order."""
        self._last_end = 0

    def add(self, block: _Numbered, base: int) -> None:
        """Write a block whose source begins at place ``base``."""
        is_open = self.n_tokens > self._last_end
        firsts, places = block.firsts, block.places + base
        if (
            is_open
            and len(firsts)
            and firsts[0] == 0
            and not (len(block.breaks) and block.breaks[0] == 0)
        ):
            places = places[1:]  # continues the last sentence of the previous block
        self._places.write(places.tobytes())
        ends = _distinct(block.breaks + self.n_tokens)
        self._write_ends(ends[ends > self._last_end])
        self._ids.write(block.ids.tobytes())
        self.n_tokens += len(block.ids)
        self.runs.append((block.list, len(block.ids)))

    def end_source(self) -> None:
        if self.n_tokens > self._last_end:
            self._write_ends(np.array([self.n_tokens], np.int64))

    def _write_ends(self, ends: npt.NDArray[np.int64]) -> None:
        self._ends.write(ends.tobytes())
        self.n_sentences += len(ends)
        if len(ends):
            self._last_end = int(ends[-1])

    def close(self) -> None:
        self._open.close()


def build(
    sources: Sequence[Source],
    reading: Reading,
    folder: Path,
    engine: Engine,
    memory: int | str = MEMORY,
) -> dict[str, Any]:
    """Read sources and write the files of a corpus; returns its sizes and the version of Unicode.

    The words take at most ``memory`` bytes.
    """
    prepare_kernels(reading.tokens)
    lists = folder / _LISTS
    workers = _Workers(reading, engine, parse_memory(memory), lists)
    files = _Files(folder)
    base = 0
    known = all(source.path for source in sources)
    try:
        with progress.stage(
            "reading", sum(s.disk_size() for s in sources) if known else None
        ) as stage:
            for source, block in engine.map(workers, blocks_of(sources, reading)):
                if block is None:
                    files.end_source()
                    base += source.extent
                else:
                    files.add(block, base)
                    done = sum(s.consumed() for s in sources) if len(sources) < 50 else stage.done
                    stage.advance(done - stage.done, len(block.ids))
                if block is None and len(sources) >= 50:
                    stage.advance(source.disk_size())
    finally:
        files.close()
    if files.n_tokens == 0:
        names = ", ".join(s.name for s in sources[:3]) + (", ..." if len(sources) > 3 else "")
        raise InputError(
            f"There are no words in {names}.",
            "Check that it is the right file; it has only white space or nothing at all.",
        )
    n_types = _finish(workers, files, folder, engine)
    del workers  # unmaps the lists, or Windows does not remove them
    remove_tree(lists)
    described = json.dumps([s.describe() for s in sources], indent=1, ensure_ascii=False)
    write_text(folder / SOURCES, described + "\n")
    return {
        "n_tokens": files.n_tokens,
        "n_types": n_types,
        "n_sentences": files.n_sentences,
        "unicode": unicode_version(),
    }


def _finish(workers: _Workers, files: _Files, folder: Path, engine: Engine) -> int:
    """Merge the lists, write the vocabulary, and give every token its final id; returns the number of types."""
    with progress.stage("sorting the vocabulary", files.n_tokens, "tokens") as stage:
        vocabulary, mappings = workers.merged()
        workers.limits.check_types(len(vocabulary), "The text")
        vocabulary.save(folder / WORDS)
        with open_file(folder / IDS) as old, open_file(folder / IDS, "r+b") as new:
            stretches = ((number, _read_ids(old, n)) for number, n in _together(files.runs))
            give_ids(stretches, mappings, new, engine, stage)  # what stood there has been read
    if workers.reading.tokens == "words":
        _notice_unspaced(vocabulary)
    return len(vocabulary)


def give_ids(
    stretches: Iterable[tuple[int, npt.NDArray[np.uint32]]],
    mappings: Sequence[npt.NDArray[np.uint32]],
    file: IO[bytes],
    engine: Engine,
    stage: progress.Stage,
) -> None:
    """Write tokens with their ids, given the number of a list and the numbers of words in it."""

    def renumbered(stretch: tuple[int, npt.NDArray[np.uint32]]) -> npt.NDArray[np.uint32]:
        number, ids = stretch
        renumber(ids, mappings[number])
        return ids

    for ids in engine.map(renumbered, stretches):
        file.write(ids.data)
        stage.advance(len(ids))


def _read_ids(file: IO[bytes], n: int) -> npt.NDArray[np.uint32]:
    ids = np.empty(n, np.uint32)
    if file.readinto(ids) != ids.nbytes:  # type: ignore[attr-defined]
        raise InputError(
            "The ids that were just written cannot be read again.",
            "Check the disk, and run the same command again.",
        )
    return ids


def _together(runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join adjacent runs of a list into runs of limited length."""
    current, together = -1, 0
    for number, n in runs:
        if number != current or together > _TOKENS_AT_ONCE:
            if together:
                yield current, together
            current, together = number, 0
        together += n
    if together:
        yield current, together


def _notice_unspaced(vocabulary: Vocabulary) -> None:
    sample = vocabulary.words[: 1 << 14].to_pylist()
    unspaced = sum(1 for word in sample if not word.isascii() and _UNSPACED.search(word))
    if unspaced > 0.1 * len(sample):
        progress.notice(
            "Many words are whole clauses: this script has no spaces between words.",
            "Segment the text first and use --tokens whitespace, or use --tokens characters.",
        )


def prepare_kernels(tokens: str) -> None:
    """Compile the kernels on a line of text, so that compiling is shown as a stage of its own."""
    with progress.stage("compiling kernels (first run only)", brief=1.0, unit=""):
        lexicon = Lexicon()
        block = cut(b"a b. c\n", tokens)
        sentence_starts(block, tokens)
        lexicon.number(block.text, block.starts, block.ends)
        lexicon.counts()
        lexicon.grow()
        renumber(np.zeros(1, np.uint32), np.zeros(1, np.uint32))
