"""Sequences of numbered symbols, laid out for kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus
from firth.errors import InputError
from firth.store import Room

__all__ = ["Observations"]

_TOKENS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class Observations:
    """Sentences as one array of symbols, and where each sentence ends in it."""

    symbols: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]

    @cached_property
    def layouts(self) -> dict[Any, Any]:
        """The same as a GPU wants it, kept for as long as this is."""
        return {}

    @classmethod
    def of(
        cls, sequences: Iterable[Sequence[int] | npt.NDArray[Any]], n_symbols: int
    ) -> Observations:
        """Sequences of numbers from 0 to below ``n_symbols``; empty ones are kept."""
        arrays = [_checked(sequence, n_symbols) for sequence in sequences]
        ends = np.cumsum([len(array) for array in arrays], dtype=np.int64)
        symbols = np.concatenate(arrays) if arrays else np.empty(0, np.int32)
        return cls(symbols, ends)

    @classmethod
    def of_corpus(
        cls, corpus: Corpus, most: int | None = None, room: Room | None = None
    ) -> Observations:
        """The words of a corpus by their ids; ids above ``most`` become ``most``."""
        room = room or Room()
        symbols, ends = (
            room.empty(corpus.n_tokens, np.int32),
            room.empty(corpus.n_sentences, np.int64),
        )
        highest = np.uint32(corpus.n_types if most is None else most)
        np.minimum(corpus.ids, highest, out=symbols, casting="unsafe")
        ends[:] = corpus.ends
        return cls(symbols, ends)

    def __len__(self) -> int:
        return len(self.symbols)

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Stretches of whole sentences of some thousand tokens each; the same whoever asks."""
        first = 0
        while first < len(self.ends):
            begin = int(self.ends[first - 1]) if first else 0
            last = int(np.searchsorted(self.ends, begin + _TOKENS_AT_ONCE, side="right"))
            last = max(last, first + 1)
            yield first, last
            first = last

    def bounds(self, first: int, last: int) -> tuple[int, int]:
        """The tokens of a stretch of sentences."""
        return int(self.ends[first - 1]) if first else 0, int(self.ends[last - 1])

    def longest(self, first: int, last: int) -> int:
        """The length of the longest sentence of a stretch."""
        return int(np.diff(self.ends[first:last], prepend=self.bounds(first, last)[0]).max())

    def split(self, values: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Something that each token has, sentence by sentence."""
        return np.split(values, self.ends[:-1]) if len(self.ends) else []


def _checked(sequence: Sequence[int] | npt.NDArray[Any], n_symbols: int) -> npt.NDArray[np.int32]:
    try:
        array = np.asarray(sequence)
    except ValueError:  # lists of different lengths
        array = np.zeros((1, 1))
    if not array.size:
        return np.empty(0, np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(
            "A sequence must be a list of whole numbers, the numbers of its symbols.",
            "Words go into a tagger: firth.AnchorTagger, firth.BaumWelchTagger.",
        )
    if array.min() < 0 or array.max() >= n_symbols:
        raise InputError(
            f"A symbol must be from 0 to {n_symbols - 1:,}; got {int(array.min())} to {int(array.max())}."
        )
    return array.astype(np.int32)
