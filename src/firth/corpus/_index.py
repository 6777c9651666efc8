"""The word index: the positions of every word of a corpus."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import ONE_THREAD, Engine
from firth.corpus._corpus import Corpus
from firth.errors import ModelError
from firth.parameters import MEMORY, parse_memory
from firth.parts import damaged
from firth.progress import count_of
from firth.store import Part, array_file, every, open_file, write_array

__all__ = ["Index", "build_index"]

_STARTS = "starts.i64"
_POSITIONS = ("positions.u32", "positions.u64")
_AT_ONCE = 1 << 22
_BATCH = 1 << 10


class Index:
    """The positions of every word among the tokens of a corpus, memory-mapped from disk.

    With it, the time for a concordance does not depend on the size of the corpus.

    Examples
    --------
    >>> import tempfile, firth
    >>> corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     build_index(corpus, Path(folder))
    ...     Index(Part.in_folder(Path(folder)), corpus)[corpus.vocabulary.id("rose")].tolist()
    [1, 4]
    """

    def __init__(self, part: Part, corpus: Corpus) -> None:
        self._part = part
        n, n_types = corpus.n_tokens, corpus.n_types
        self._starts: npt.NDArray[np.int64] = part.array(_STARTS, n_types + 1, 0, n)
        self._positions: npt.NDArray[Any] = part.array(_POSITIONS, n, 0, n - 1)
        lengths = np.diff(self._starts)
        part.require(
            self._starts[0] == 0 and np.array_equal(lengths, corpus.vocabulary.counts),
            "it does not match the corpus",
        )
        part.require(self._rises(), "the positions of a word are not in order")
        self._ids = corpus.ids

    def _rises(self) -> bool:
        """Whether the positions of every word rise."""
        starts, positions = self._starts, self._positions

        def holds(begin: int, end: int) -> bool:
            rises = positions[begin + 1 : end + 1] > positions[begin:end]
            a, b = np.searchsorted(starts, [begin + 1, end + 1])
            rises[starts[a:b] - begin - 1] = True  # where another word begins
            return bool(rises.all())

        return every(len(positions) - 1, holds)

    @classmethod
    def load(cls, part: Part, corpus: Corpus) -> Index:
        """Memory-map the files of a part and check them."""
        return cls(part, corpus)

    def save(self, folder: Path) -> None:
        """Copy the files of the index into a folder."""
        self._part.copy_to(folder)

    def describe(self) -> dict[str, Any]:
        """The size of the index."""
        return {"n_tokens": len(self._positions)}

    def summary(self) -> tuple[str, list[str]]:
        """The size in words."""
        return count_of(len(self._positions), "position"), []

    def __getitem__(self, word_id: int) -> npt.NDArray[np.int64]:
        """The positions of a word, ascending."""
        return self._checked(word_id, self._positions_of(word_id))

    def spread(self, word_id: int, n: int) -> npt.NDArray[np.int64]:
        """Up to ``n`` positions of a word, evenly spread over the corpus, ascending."""
        found = self._positions_of(word_id)
        if len(found) > n:
            found = found[np.linspace(0, len(found) - 1, n).astype(np.int64)]
        return self._checked(word_id, found)

    def positions_of(self, word_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The positions of some words, ascending; whether the words are there is not checked."""
        if len(word_ids) == 1:
            return self._positions_of(int(word_ids[0])).astype(np.int64)
        begins = self._starts[word_ids]
        lengths = self._starts[word_ids + 1] - begins
        before = np.cumsum(lengths) - lengths
        places = np.repeat(begins - before, lengths) + np.arange(int(lengths.sum()))
        found = np.sort(self._positions[places])
        return found.astype(np.int64)

    def _positions_of(self, word_id: int) -> npt.NDArray[Any]:
        return self._positions[int(self._starts[word_id]) : int(self._starts[word_id + 1])]

    def _checked(self, word_id: int, positions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Positions, if the word is there. Checking all words when loading would take too long."""
        if not (self._ids[positions] == word_id).all():
            raise damaged("index", self._part.folder, "it does not match the corpus")
        return positions.astype(np.int64)


def build_index(
    corpus: Corpus, folder: Path, memory: int | str = MEMORY, engine: Engine = ONE_THREAD
) -> None:
    """Write the files of an index into a folder.

    Parameters
    ----------
    corpus : Corpus
    folder : Path
    memory : int or str
        About how much memory to use. Positions are sorted in half of it at a time, and each time all
        ids are read.
    engine : Engine
    """
    from firth.corpus import _index_kernels as kernels

    place: Any = kernels.place
    starts = np.concatenate([[0], np.cumsum(corpus.vocabulary.counts)]).astype("<i8")
    write_array(folder / _STARTS, starts)
    dtype = np.uint32 if corpus.n_tokens < 1 << 32 else np.uint64
    name = array_file("positions", dtype)
    n = corpus.n_tokens
    at_a_time = parse_memory(memory) // (2 * np.dtype(dtype).itemsize)
    rounds = range(0, n, at_a_time)
    with (
        open_file(folder / name, "wb") as file,
        progress.stage("indexing", n * len(rounds), "tokens", brief=1.0) as stage,
        engine.lasting() as lasting,
    ):
        for begin in rounds:
            free, some = starts[:-1].copy(), np.zeros(min(at_a_time, n - begin), dtype)
            words = _word_ranges(starts, begin, begin + len(some), engine.threads)
            for a in range(0, n, _AT_ONCE):
                ids = np.asarray(corpus.ids[a : a + _AT_ONCE])
                here = ids, a, free, starts[1:]

                def placed(
                    words: tuple[int, int], here: Any = here, slots: Any = (begin, some)
                ) -> Any:
                    return place(*here, *words, *slots, np.empty(_BATCH, np.int64))

                if not all(lasting.map(placed, words)):
                    raise ModelError(
                        "The corpus is damaged: a word occurs more often than its count.",
                        "Retrain it: firth corpus learn TEXT -o MODEL",
                    )
                stage.advance(len(ids))
            file.write(some)


def _word_ranges(
    starts: npt.NDArray[np.int64], begin: int, end: int, n: int
) -> list[tuple[int, int]]:
    """Ranges of the words with slots from ``begin`` to before ``end``, of about as many slots each."""
    edges = np.searchsorted(starts, np.linspace(begin, end, n + 1).astype(np.int64))
    edges[0] = np.searchsorted(starts, begin, side="right") - 1
    return [(int(a), int(b)) for a, b in pairwise(edges) if a < b]
