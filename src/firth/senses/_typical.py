"""Typical context words: frequent, and more frequent than expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.compute.portable import log2s
from firth.corpus import Corpus
from firth.senses._contexts import SIDES, Contexts, ContextWord

__all__ = ["TypicalWord", "company", "typical"]

LEAST_RATIO = 2.0
"""A typical word is at least this many times as frequent as expected."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TypicalWord:
    """A context word that is typical of a sense."""

    word: str
    side: str
    """``before`` or ``after`` for adjacent words, if they are kept apart; else empty."""
    count: float
    """Its expected count in the contexts of this sense."""
    ratio: float
    """Its count, divided by the count without a preference for this sense."""
    bits: float
    """The number of bits saved by knowing its count; words are ordered by it."""


def typical(
    words: Sequence[ContextWord], counts: Floats, usual: Floats, n: int
) -> list[TypicalWord]:
    """The words that are at least twice as frequent as expected, ordered by the bits that this saves.

    Knowing that a word occurs ``count`` times rather than ``usual`` times saves
    count · log2(count / usual) - (count - usual) / ln 2 bits. So a typical word is both frequent and much
    more frequent than expected.

    Parameters
    ----------
    words : list of ContextWord
    counts, usual : array
        The count of each word, and the count to compare it with.
    n : int
        Maximum number of words.

    Examples
    --------
    >>> import numpy as np
    >>> from firth.senses import ContextWord
    >>> words = [ContextWord("the"), ContextWord("river"), ContextWord("oar")]
    >>> [found.word for found in typical(words, np.array([90.0, 20.0, 2.0]), np.array([80.0, 5.0, 0.5]), 3)]
    ['river', 'oar']
    """
    ratios = np.divide(counts, usual, out=np.zeros_like(counts), where=usual > 0)
    some = np.flatnonzero(ratios >= LEAST_RATIO)
    bits = counts[some] * log2s(ratios[some]) - (counts - usual)[some] / math.log(2)
    order = np.argsort(-bits.round(6), kind="stable")[:n]
    return [
        TypicalWord(words[i].word, words[i].side, float(counts[i]), float(ratios[i]), float(saved))
        for i, saved in zip(some[order].tolist(), bits[order].tolist(), strict=True)
    ]


def company(corpus: Corpus, contexts: Contexts, n: int) -> list[TypicalWord]:
    """The context words that are typical of all contexts of a word: more frequent than in the corpus.

    Parameters
    ----------
    corpus : Corpus
    contexts : Contexts
    n : int
        Maximum number of words.
    """
    sides = np.array([SIDES.index(word.side) for word in contexts.words], np.int64)
    counts = contexts.totals()
    tokens = np.bincount(sides, counts, len(SIDES))
    numbers = np.array(corpus.vocabulary.ids([word.word for word in contexts.words]), np.int64)
    usual = corpus.vocabulary.counts[numbers] / corpus.n_tokens * tokens[sides]
    return typical(contexts.words, counts, usual, n)
