"""A language model: the probability of a symbol after one or two others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.lm import _kernels as kernels
from firth.lm._counting import NgramCounts
from firth.lm._kneser_ney import Smoothed, smooth

__all__ = ["Found", "NgramModel"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

look_up: Any = kernels.look_up


@dataclass(frozen=True, eq=False)
class Found:
    """What a model says of a text, symbol by symbol.

    Attributes
    ----------
    log_p : array
        The logarithm of the probability of each symbol after those before it; 0 for beginnings of sentences.
    orders : array of uint8
        How many symbols the sequence had that was found; 0 for beginnings.
    histories : array of int64
        The number of the pair before each symbol; -1 where it was never seen, or there is none.
    """

    log_p: Floats
    orders: npt.NDArray[np.uint8]
    histories: Integers


@dataclass(frozen=True, eq=False)
class NgramModel:
    """Logarithms of probabilities of sequences, as tables.

    Symbols are words, from 0 on, and then: what is not known, the beginning and the end of a sentence.

    Attributes
    ----------
    n_words : int
    order : int
    p1, backoff1 : array of shape (n_words + 3,)
    starts2 : array of int64, shape (n_words + 4,)
        Where the pairs begin that have each symbol first.
    words2, p2, backoff2 : array
        The second symbols of pairs.
    starts3 : array of int64
        Where the triples begin of each pair.
    words3, p3 : array
        The third symbols of triples.
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
        """From sentences of symbols, smoothed by modified Kneser-Ney."""
        return cls.of(n_words, smooth(NgramCounts.count(symbols, ends, n_words, order)))

    @classmethod
    def of(cls, n_words: int, found: Smoothed) -> NgramModel:
        """From probabilities of sequences, in order."""
        order, n_symbols = len(found.rows), n_words + 3
        none = np.zeros((0, 3), np.int64)
        pairs = found.rows[1] if order > 1 else none[:, :2]
        triples = found.rows[2] if order > 2 else none
        starts2 = np.searchsorted(pairs[:, 0], np.arange(n_symbols + 1)).astype(np.int64)
        key = pairs[:, 0] * n_symbols + pairs[:, 1]
        starts3 = np.searchsorted(
            triples[:, 0] * n_symbols + triples[:, 1], np.append(key, n_symbols**2)
        ).astype(np.int64)

        def logs(values: list[Floats], k: int) -> Floats:
            with np.errstate(divide="ignore"):
                return np.log(values[k]) if k < order else np.zeros(0)

        return cls(
            n_words, order, logs(found.p, 0), logs(found.backoff, 0), starts2, pairs[:, 1].astype(np.int32),
            logs(found.p, 1), logs(found.backoff, 1), starts3, triples[:, 2].astype(np.int32), logs(found.p, 2),
        )  # fmt: skip

    @property
    def begin(self) -> int:
        return self.n_words + 1

    @property
    def end(self) -> int:
        return self.n_words + 2

    def look_up(self, text: Integers) -> Found:
        """The probability of every symbol after those before it.

        Parameters
        ----------
        text : array of int64
            Sentences with their beginnings and ends, as ``NgramCounts.padded`` makes them.
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
