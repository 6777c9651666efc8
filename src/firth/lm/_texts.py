"""Sentences as symbols: the words, then the unknown word, the beginning and the end of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.lm._tree_kernels import BITS
from firth.lm._trees import Text
from firth.store import Room

__all__ = ["Sentences", "padded", "stretches", "whole_text"]

MOST_SYMBOLS = 1 << BITS

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences of symbols, one after the other; ``ends`` has the number of symbols before the end of each."""

    symbols: npt.NDArray[Any]
    ends: Integers

    def some(self, chosen: npt.NDArray[np.bool_]) -> Sentences:
        """The chosen sentences."""
        lengths = np.diff(self.ends, prepend=0)
        return Sentences(self.symbols[np.repeat(chosen, lengths)], np.cumsum(lengths[chosen]))


def stretches(ends: Integers, at_once: int) -> Iterator[tuple[slice, slice]]:
    """Some sentences at a time, of about ``at_once`` symbols: which sentences, and which symbols."""
    first = begin = 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, begin + at_once, side="right")))
        end = int(ends[last - 1])
        yield slice(first, last), slice(begin, end)
        first, begin = last, end


def padded(some: Sentences, n_words: int) -> Text:
    """Sentences with symbols for their beginnings and ends; numbers from ``n_words`` on are unknown words."""
    text = Text(*(np.empty(len(some.symbols) + 2 * len(some.ends), np.int32) for _ in range(2)))
    _pad(some, n_words, text)
    return text


def whole_text(pieces: Iterable[Sentences], n_words: int, n: int, room: Room) -> Text:
    """All sentences of a text that comes in pieces, padded; ``n`` symbols in all."""
    if n_words + 3 > MOST_SYMBOLS:
        raise InputError(
            f"A language model can have at most {MOST_SYMBOLS - 3:,} words.",
            "Use a smaller vocabulary.",
        )
    text, begin = Text(room.empty(n, np.int32), room.empty(n, np.int32)), 0
    for some in pieces:
        here = slice(begin, begin + len(some.symbols) + 2 * len(some.ends))
        _pad(some, n_words, Text(text.symbols[here], text.places[here]))
        begin = here.stop
    return text


def _pad(some: Sentences, n_words: int, text: Text) -> None:
    n = len(some.ends)
    lengths = np.diff(some.ends, prepend=0) + 2
    stops = np.cumsum(lengths)
    starts = stops - lengths
    words = np.ones(len(text), bool)
    words[starts] = words[stops - 1] = False
    text.symbols[words] = np.minimum(some.symbols, n_words)
    text.symbols[starts], text.symbols[stops - 1] = n_words + 1, n_words + 2
    text.places[:] = np.arange(len(text)) - np.repeat(starts, lengths) if n else 0
