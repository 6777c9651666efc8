"""Where each word of a corpus stands: like the index of a book."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.corpus._corpus import Corpus
from firth.errors import ModelError
from firth.store import array_file, read_array

__all__ = ["INDEX_VERSION", "Index", "build_index"]

INDEX_VERSION = 1
_STARTS = "starts.i64"
_POSITIONS = ("positions.u32", "positions.u64")
_AT_ONCE = 1 << 22


class Index:
    """The places of every word among the tokens of a corpus, mapped from disk.

    With it a concordance takes as long as its lines, however long the corpus is.

    Examples
    --------
    >>> import tempfile, firth
    >>> corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     names = build_index(corpus, Path(folder))
    ...     Index(Path(folder).joinpath, names, corpus)[corpus.vocabulary.id("rose")].tolist()
    [1, 4]
    """

    def __init__(self, file: Callable[[str], Path], names: Sequence[str], corpus: Corpus) -> None:
        found = [name for name in _POSITIONS if name in names]
        if not found:
            raise ModelError(f"{file(_STARTS).parent} cannot be trusted: it has no positions.")
        self._starts: npt.NDArray[np.int64] = read_array(file(_STARTS))
        self._positions: npt.NDArray[Any] = read_array(file(found[0]))
        sound = (
            len(self._starts) == corpus.n_types + 1
            and int(self._starts[0]) == 0
            and np.array_equal(np.diff(self._starts), corpus.vocabulary.counts)
            and len(self._positions) == corpus.n_tokens
            and int(self._positions.max()) < corpus.n_tokens
        )
        if not sound:
            raise ModelError(
                f"{file(_STARTS).parent} cannot be trusted: it does not go with the corpus."
            )

    def __getitem__(self, word_id: int) -> npt.NDArray[Any]:
        """The places of a word, ascending."""
        return self._positions[int(self._starts[word_id]) : int(self._starts[word_id + 1])]


def build_index(corpus: Corpus, folder: Path) -> list[str]:
    """Write the files of an index into a folder; returns their names."""
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
                    "The corpus cannot be trusted: a word occurs more often than it says.",
                    "Learn the corpus again.",
                )
            stage.advance(len(some))
    positions.flush()
    return [_STARTS, name]
