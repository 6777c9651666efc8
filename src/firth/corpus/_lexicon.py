"""The lexicon: a hash table that numbers words in order of first occurrence.

The hash depends on a random secret, so that no text can be made to cause collisions on purpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import new_secret
from firth.corpus import _lexicon_kernels as kernels

__all__ = ["Lexicon", "spelled"]

_AT_ONCE = 1 << 14
_BYTES_AT_ONCE = 1 << 20


def _grown(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    bigger = np.zeros(length, array.dtype)
    bigger[: len(array)] = array
    return bigger


def spelled(words: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Where each word of an Arrow array begins, and the last one ends, in the bytes of all words."""
    if len(words) == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    first, last = words.offset, words.offset + len(words)
    offsets = np.frombuffer(words.buffers()[1], np.int64)[first : last + 1]
    return offsets, np.frombuffer(words.buffers()[2], np.uint8)


def _aligned_rows(n: int) -> npt.NDArray[np.uint64]:
    """Rows of four zeros, aligned so that no row crosses a cache line."""
    room = np.zeros(4 * n + 8, np.uint64)
    skip = -room.ctypes.data % 64 // 8
    return room[skip : skip + 4 * n].reshape(n, 4)


class Lexicon:
    """Words, numbered in order of first occurrence, and their counts."""

    def __init__(self) -> None:
        self.n_words = 0
        self._secret = new_secret()
        self._table = _aligned_rows(1 << 14)
        self._offsets = np.zeros(1 << 13, np.int64)
        self._spellings = np.zeros(1 << 16, np.uint8)
        self._keys = np.zeros((kernels.AHEAD, 3), np.uint64)

    def number(
        self,
        text: npt.NDArray[np.uint8],
        starts: npt.NDArray[np.int32],
        ends: npt.NDArray[np.int32],
    ) -> npt.NDArray[np.uint32]:
        """The number of every token of a block; new words are added."""
        out = np.empty(len(starts), np.uint32)
        for a in range(
            0, len(starts), _AT_ONCE
        ):  # in batches, so that little more room is reserved than needed
            b = min(a + _AT_ONCE, len(starts))
            self._make_room(b - a, int(ends[b - 1]) - int(starts[a]))
            self.n_words = kernels.number_tokens(
                text, starts[a:b], ends[a:b], self._table, self._offsets, self._spellings,
                self.n_words, self._secret, self._keys, out[a:b],
            )  # fmt: skip
        return out

    def number_words(self, words: Any) -> npt.NDArray[np.uint32]:
        """The number of every word of an Arrow array; new words are added."""
        offsets, spellings = spelled(words)
        out = np.empty(len(words), np.uint32)
        a = 0
        while a < len(words):
            b = int(np.searchsorted(offsets, offsets[a] + _BYTES_AT_ONCE, side="right")) - 1
            b = min(max(b, a + 1), len(words))
            text = np.zeros(offsets[b] - offsets[a] + 16, np.uint8)
            text[:-16] = spellings[offsets[a] : offsets[b]]
            edges = (offsets[a : b + 1] - offsets[a]).astype(np.int32)
            out[a:b] = self.number(text, edges[:-1], edges[1:])
            a = b
        return out

    def _make_room(self, n_tokens: int, n_bytes: int) -> None:
        words = self.n_words + n_tokens + 1
        if words > len(self._offsets):
            self._offsets = _grown(self._offsets, words + words // 2)
        n_bytes += int(self._offsets[self.n_words]) + 8
        if n_bytes > len(self._spellings):
            self._spellings = _grown(self._spellings, n_bytes + n_bytes // 2)
        while words > 0.75 * len(self._table):
            self.grow()

    def grow(self) -> None:
        """Double the table."""
        table = _aligned_rows(2 * len(self._table))
        kernels.refill(self._table, table, self._secret)
        self._table = table

    @property
    def n_bytes(self) -> int:
        """The memory that it takes."""
        return self._table.nbytes + self._offsets.nbytes + self._spellings.nbytes

    def words(self) -> Any:
        """The words as an Arrow array, in order of their numbers."""
        import pyarrow as pa

        offsets = self._offsets[: self.n_words + 1].copy()
        spellings = self._spellings[: offsets[-1]].copy()
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(spellings)]
        return pa.Array.from_buffers(pa.large_string(), self.n_words, buffers)

    def counts(self) -> npt.NDArray[np.int64]:
        """The count of each word, in order of their numbers."""
        out = np.zeros(self.n_words, np.int64)
        kernels.read_counts(self._table, out)
        return out
