"""A corpus that is being read: its files, and checkpoints from which reading continues."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus._numbering import Numbered, SoFar, distinct
from firth.corpus._reading import ENDS, IDS, PLACES
from firth.corpus._vocabulary import Vocabulary
from firth.corpus._word_lists import WordList
from firth.store import Checkpoint, Part, Saved, make_folder, open_file, sync

__all__ = ["CorpusFiles", "Mark", "Restored", "restored", "save"]

_STATE = "reading"
_MOST = 1 << 62
_LETTERS = 64
"""Letters of a checksum."""


class Mark(NamedTuple):
    """How much there is in the files of a corpus."""

    n_tokens: int = 0
    n_sentences: int = 0
    n_places: int = 0
    last_end: int = 0
    n_runs: int = 0


Restored = tuple["CorpusFiles", SoFar, Mark]
"""Files, how far reading is, and where the source begins that is being read."""


class CorpusFiles:
    """The files of ids, sentence ends and positions of sentences, while they are written.

    Parameters
    ----------
    folder : Path
    mark : Mark
        How much of files that are there already is kept.
    runs : list of pairs of int
        The number of a list of words, and how many tokens refer to it, in order.
    """

    def __init__(
        self, folder: Path, mark: Mark | None = None, runs: list[tuple[int, int]] | None = None
    ) -> None:
        make_folder(folder)
        mode = "r+b" if mark else "wb"
        with ExitStack() as opened:
            self._files = [
                opened.enter_context(open_file(folder / name, mode)) for name in (IDS, ENDS, PLACES)
            ]
            self._open = opened.pop_all()
        self.mark, self.runs = Mark(), list(runs or [])
        self.back_to(mark or self.mark)

    @property
    def n_tokens(self) -> int:
        return self.mark.n_tokens

    def add(self, block: Numbered, base: int) -> None:
        """Write a block whose source begins at place ``base``."""
        n_tokens, _, n_places, last_end, _ = self.mark
        is_open = n_tokens > last_end
        firsts, places = block.firsts, block.places + base
        if (
            is_open
            and len(firsts)
            and firsts[0] == 0
            and not (len(block.breaks) and block.breaks[0] == 0)
        ):
            places = places[1:]  # continues the last sentence of the previous block
        ids, _, positions = self._files
        positions.write(places.data)
        ends = distinct(block.breaks + n_tokens)
        self._write_ends(ends[ends > last_end])
        ids.write(block.ids.data)
        self.runs.append((block.list, len(block.ids)))
        self.mark = self.mark._replace(
            n_tokens=n_tokens + len(block.ids),
            n_places=n_places + len(places),
            n_runs=len(self.runs),
        )

    def back_to(self, mark: Mark) -> None:
        """Remove what was added after a mark."""
        self.mark = mark
        del self.runs[mark.n_runs :]
        sizes = (4 * mark.n_tokens, 8 * mark.n_sentences, 8 * mark.n_places)
        for file, size in zip(self._files, sizes, strict=True):
            file.truncate(size)
            file.seek(size)

    def end_source(self) -> None:
        """End the last sentence."""
        if self.mark.n_tokens > self.mark.last_end:
            self._write_ends(np.array([self.mark.n_tokens], np.int64))

    def _write_ends(self, ends: npt.NDArray[np.int64]) -> None:
        self._files[1].write(ends.data)
        if len(ends):
            n = self.mark.n_sentences + len(ends)
            self.mark = self.mark._replace(n_sentences=n, last_end=int(ends[-1]))

    def flush(self) -> None:
        """Wait until everything is on the disk."""
        for file in self._files:
            sync(file)

    def close(self) -> None:
        self._open.close()


def save(folder: Path, files: CorpusFiles, so_far: SoFar, before: Mark) -> None:
    """Save how far reading is; its lists are in files of this folder.

    ``before`` is where the source begins that is being read: it may yet be skipped.
    """
    files.flush()
    Checkpoint(folder / _STATE).save(
        at=np.array([so_far.n_done, so_far.base, so_far.piece, so_far.n_lists_before], np.int64),
        mark=np.array([files.mark, before], np.int64),
        runs=np.array(files.runs, np.int64).reshape(-1, 2),
        distinct=np.array([one.distinct for one in so_far.lists], np.int64),
        facts=np.array([fact[:3] for fact in so_far.facts], np.int64).reshape(-1, 3),
        checksums=np.frombuffer(_padded(so_far.facts), np.uint8).astype(np.uint32),
    )


def _padded(facts: Sequence[tuple[int, int, bool, str]]) -> bytes:
    """Checksums, each with the same number of letters."""
    return b"".join(checksum.encode().ljust(_LETTERS) for *_, checksum in facts)


def restored(folder: Path, lists: Path, skip_bad: bool) -> Restored | None:
    """What was saved in a folder, checked; None if there is nothing that can be used.

    Unless ``skip_bad``, sources that were skipped must be read.
    """

    def read(saved: Saved) -> Restored:
        n_done, base, piece, n_lists_before = map(int, saved.array("at.i64", 4, 0, _MOST))
        marks = saved.array("mark.i64", (2, len(Mark._fields)), 0, _MOST)
        mark, before = (Mark(*map(int, some)) for some in marks)
        saved.require(all(a <= b for a, b in zip(before, mark, strict=True)), "marks are in order")
        flags = saved.array("distinct.i64", -1, 0, 1)
        saved.require(n_lists_before <= len(flags), "there were fewer lists")
        runs = saved.array("runs.i64", (mark.n_runs, 2), 0, _MOST)
        facts = saved.array("facts.i64", (-1, 3), 0, _MOST)
        saved.require(skip_bad or not facts[:, 2].any(), "all files were read")
        letters = saved.array("checksums.u32", _LETTERS * len(facts), 0, 127)
        checksums = letters.astype(np.uint8).tobytes().decode("ascii")
        saved.require(
            not len(runs) or runs[:, 0].max() < len(flags), "there is a list for every run"
        )
        for some in (mark, before):
            n_tokens = int(runs[: some.n_runs, 1].sum())
            saved.require(n_tokens == some.n_tokens, "runs contain all tokens")
        sizes = (4 * mark.n_tokens, 8 * mark.n_sentences, 8 * mark.n_places)
        for name, size in zip((IDS, ENDS, PLACES), sizes, strict=True):
            path = folder / name
            saved.require(path.is_file() and path.stat().st_size >= size, f"{name} is too short")
        saved.require(lists.is_dir() and not lists.is_symlink(), "there are no lists")
        part, words = Part.in_folder(lists), []
        for k, flag in enumerate(flags.tolist()):
            known = Vocabulary.load(part, f"{k}.arrow", ordered=False)
            words.append(WordList(known.words, known.counts, bool(flag)))
        of_sources = [
            (a, b, bool(c), checksums[_LETTERS * k : _LETTERS * (k + 1)].strip())
            for k, (a, b, c) in enumerate(facts.tolist())
        ]
        files = CorpusFiles(folder, mark, [(a, b) for a, b in runs.tolist()])
        return files, SoFar(n_done, base, piece, words, of_sources, n_lists_before), before

    return Checkpoint(folder / _STATE).load(read)
