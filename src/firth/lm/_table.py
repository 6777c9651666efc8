"""Scores of sentences by one model of words, from a hash table of its n-grams."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import new_secret
from firth.lm import _table_kernels as kernels
from firth.lm._results import SentenceScores
from firth.lm._texts import Sentences
from firth.lm._trees import Tree

__all__ = ["NGramTable"]

fill: Any = kernels.fill
score_sentence: Any = kernels.score_sentence
score_sentences: Any = kernels.score_sentences
_LARGEST = 1 << 24
"""N-grams of the largest model with a table, which then takes 512 MiB."""


class NGramTable:
    """The n-grams of a tree of words in a hash table: a third to two thirds of its slots are full.

    Scores are those of the tree up to rounding, and do not depend on how n-grams are hashed.

    Parameters
    ----------
    tree : Tree
        With fewer than 2**31 nodes.
    n_symbols : int
        The number of words, plus 3.
    order : int
    """

    def __init__(self, tree: Tree, n_symbols: int, order: int) -> None:
        n = len(tree.elements) + len(tree.words)
        bits = max(1, (n + n // 2).bit_length())
        table = np.full(2 * (n_symbols + (1 << bits)), kernels.EMPTY, np.uint64)
        odd = new_secret()[0] | np.uint64(1)
        self._how = table, n_symbols, np.uint64(64 - bits), odd
        self._order = order
        fill(
            *self._how, tree.children, tree.elements, tree.backoff, tree.starts, tree.words, tree.p, tree.base
        )  # fmt: skip

    @staticmethod
    def suits(tree: Tree) -> bool:
        """Whether a tree is small enough; others are scored by the tree itself."""
        n = len(tree.elements) + len(tree.words)
        return bool(tree.children.dtype == np.int32 and n <= _LARGEST)

    def log_prob(self, symbols: npt.NDArray[np.int32]) -> float:
        """The log probability of one sentence."""
        return float(score_sentence(symbols, *self._how, self._order))

    def scores(self, text: Sentences) -> SentenceScores:
        """The scores of sentences, each by itself."""
        n = len(text.ends)
        log_p, of_unknown, n_unknown = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
        score_sentences(
            text.symbols, text.ends, *self._how, self._order, log_p, of_unknown, n_unknown
        )
        return SentenceScores(log_p, of_unknown, np.diff(text.ends, prepend=0), n_unknown)
