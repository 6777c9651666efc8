"""A grammar without hidden states: relative frequencies of rules and words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.grammar._lexicon import Lexicon
from firth.grammar._treebank import Treebank

__all__ = ["CoarseGrammar"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CoarseGrammar:
    """A PCFG.

    Attributes
    ----------
    rules : array of int64, shape (n_rules, 3)
        Symbols: parent, left child, right child.
    p : array of shape (n_rules,)
    lexicon : Lexicon
    roots : array of shape (n_symbols,)
    """

    rules: npt.NDArray[np.int64]
    p: Floats
    lexicon: Lexicon
    roots: Floats

    @classmethod
    def count(cls, bank: Treebank, lexicon: Lexicon) -> CoarseGrammar:
        """Estimate from the frequencies in a treebank."""
        p = bank.rule_counts / np.maximum(bank.symbol_counts, 1)[bank.table[:, 0]]
        roots = np.bincount(bank.symbols[bank.starts], minlength=bank.n_symbols) / bank.n_trees
        return cls(bank.table, p, lexicon, roots)

    @cached_property
    def numbers(self) -> dict[tuple[int, ...], int]:
        """The index of each rule."""
        return {tuple(rule): number for number, rule in enumerate(self.rules.tolist())}

    @property
    def n_symbols(self) -> int:
        return len(self.roots)
