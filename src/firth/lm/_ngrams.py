"""N-gram models: the probability of a symbol, given up to two symbols before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import logs
from firth.errors import InputError
from firth.lm import _kernels as kernels
from firth.lm._counting import BITS, MOST_SYMBOLS, NgramCounts
from firth.lm._kneser_ney import Smoothed, pieces, smooth
from firth.store import Room

__all__ = ["Found", "NgramModel"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

look_up: Any = kernels.look_up


@dataclass(frozen=True, eq=False)
class Found:
    """The symbols of a text, looked up in a model.

    Attributes
    ----------
    log_p : array
        The log probability of each symbol, given its history; 0 at the beginning of a sentence.
    orders : array of uint8
        The order of the longest n-gram that was found; 0 at the beginning of a sentence.
    histories : array of int64
        The number of the bigram before each symbol; -1 if it was never seen, or is too short.
    """

    log_p: Floats
    orders: npt.NDArray[np.uint8]
    histories: Integers


@dataclass(frozen=True, eq=False)
class NgramModel:
    """Tables of log probabilities and log backoff weights.

    Symbols are the words, numbered from 0, and then the unknown word, the beginning and the end of a
    sentence.

    Attributes
    ----------
    n_words : int
    order : int
    p1, backoff1 : array of shape (n_words + 3,)
    starts2 : array of int64, shape (n_words + 4,)
        Where the bigrams of each first symbol begin.
    words2, p2, backoff2 : array
        The second symbols of the bigrams, with log probabilities and log backoff weights.
    starts3 : array of int64
        Where the trigrams of each first bigram begin.
    words3, p3 : array
        The third symbols of the trigrams, with log probabilities.
    """

    n_words: int
    order: int
    p1: Floats
    backoff1: Floats
    starts2: Integers
    words2: npt.NDArray[np.int32]
    p2: Floats
    backoff2: Floats
    starts3: Integers
    words3: npt.NDArray[np.int32]
    p3: Floats

    @classmethod
    def learn(
        cls, symbols: npt.NDArray[Any], ends: Integers, n_words: int, order: int = 3
    ) -> NgramModel:
        """Learn from sentences of symbols, with modified Kneser-Ney smoothing."""
        return cls.of(n_words, smooth(NgramCounts.count(symbols, ends, n_words, order)))

    def __post_init__(self) -> None:
        # as they are when they are read from files, so that kernels are compiled once
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @classmethod
    def of(cls, n_words: int, found: Smoothed, room: Room | None = None) -> NgramModel:
        """From smoothed probabilities of n-grams."""
        room = room or Room()
        order, none = len(found.keys), np.zeros(0, np.uint64)
        bigrams, trigrams = (found.keys[k] if k < order else none for k in (1, 2))
        symbols = np.arange(n_words + 4, dtype=np.uint64)
        starts2 = np.searchsorted(bigrams, symbols << np.uint64(BITS)).astype(np.int64)
        starts3 = room.empty(len(bigrams) + 1, np.int64)
        starts3[-1] = len(trigrams)
        for some in pieces(len(bigrams)):
            starts3[some] = np.searchsorted(trigrams, bigrams[some] << np.uint64(BITS))
        p1, p2, p3 = (_logs(found.p[k] if k < order else none, room) for k in range(3))
        backoff1, backoff2 = (
            _logs(found.backoff[k], room) if k < order - 1 else np.zeros(n)
            for k, n in enumerate((n_words + 3, len(bigrams)))
        )
        words2, words3 = (_last(keys, room) for keys in (bigrams, trigrams))
        return cls(n_words, order, p1, backoff1, starts2, words2, p2, backoff2, starts3, words3, p3)

    @property
    def begin(self) -> int:
        return self.n_words + 1

    @property
    def end(self) -> int:
        return self.n_words + 2

    def look_up(self, text: Integers) -> Found:
        """The log probability of each symbol, given its history.

        Parameters
        ----------
        text : array of int64
            Sentences with symbols for their beginnings and ends, as ``NgramCounts.padded`` makes them.
        """
        if len(text) and (text[0] != self.begin or text.min() < 0 or text.max() > self.end):
            raise InputError("A text must begin with the beginning of a sentence.")
        found, orders = np.empty(len(text)), np.empty(len(text), np.uint8)
        histories = np.empty(len(text), np.int64)
        look_up(
            np.ascontiguousarray(text, np.int64), self.begin, self.p1, self.backoff1, self.starts2, self.words2,
            self.p2, self.backoff2, self.starts3, self.words3, self.p3, found, orders, histories,
        )  # fmt: skip
        return Found(found, orders, histories)


def _logs(p: npt.NDArray[Any], room: Room) -> Floats:
    made: Floats = room.empty(len(p), np.float64)
    for some in pieces(len(p)):
        made[some] = logs(p[some])
    return made


def _last(keys: npt.NDArray[np.uint64], room: Room) -> npt.NDArray[np.int32]:
    """The last symbol of each n-gram."""
    made: npt.NDArray[np.int32] = room.empty(len(keys), np.int32)
    for some in pieces(len(keys)):
        made[some] = keys[some] & np.uint64(MOST_SYMBOLS - 1)
    return made
