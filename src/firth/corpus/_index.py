"""The word index: the positions of every word of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.corpus._corpus import Corpus
from firth.errors import ModelError
from firth.progress import count_of
from firth.store import Part, array_file, every

__all__ = ["Index", "build_index"]

_STARTS = "starts.i64"
_POSITIONS = ("positions.u32", "positions.u64")
_AT_ONCE = 1 << 22


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
        part.require(self._matches(corpus), "it does not match the corpus")

    def _matches(self, corpus: Corpus) -> bool:
        """Whether every position holds its word, and the positions of a word rise."""
        starts, positions, ids = self._starts, self._positions, corpus.ids

        def holds(begin: int, end: int) -> bool:
            first = int(np.searchsorted(starts, begin, side="right")) - 1
            last = int(np.searchsorted(starts, end, side="left"))
            edges = np.clip(starts[first : last + 1], begin, end)
            words = np.repeat(np.arange(first, last), np.diff(edges))
            second = max(begin, 1)
            rises = positions[second:end] > positions[second - 1 : end - 1]
            a, b = np.searchsorted(starts, [second, end])
            rises[starts[a:b] - second] = True  # where another word begins
            return np.array_equal(ids[positions[begin:end]], words) and bool(rises.all())

        return every(len(positions), holds)

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

    def __getitem__(self, word_id: int) -> npt.NDArray[Any]:
        """The positions of a word, ascending."""
        return self._positions[int(self._starts[word_id]) : int(self._starts[word_id + 1])]


def build_index(corpus: Corpus, folder: Path) -> None:
    """Write the files of an index into a folder."""
    from firth.corpus._index_kernels import place

    starts = np.concatenate([[0], np.cumsum(corpus.vocabulary.counts)]).astype("<i8")
    starts.tofile(folder / _STARTS)
    dtype = np.uint32 if corpus.n_tokens < 1 << 32 else np.uint64
    name = array_file("positions", dtype)
    positions = np.memmap(folder / name, dtype, mode="w+", shape=(corpus.n_tokens,))
    free = starts[:-1].copy()
    with progress.stage("indexing", corpus.n_tokens, "tokens", brief=1.0) as stage:
        for a in range(0, corpus.n_tokens, _AT_ONCE):
            some = np.asarray(corpus.ids[a : a + _AT_ONCE])
            if not place(some, a, free, starts[1:], positions):
                raise ModelError(
                    "The corpus is damaged: a word occurs more often than its count.",
                    "Retrain it: firth corpus learn TEXT -o MODEL",
                )
            stage.advance(len(some))
    positions.flush()
