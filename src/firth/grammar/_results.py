"""What a grammar returns: parses, phrases, and the states of its symbols."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from firth.trees import Tree

__all__ = ["FACTS", "HELD_OUT", "Parse", "Phrase", "States"]


@dataclass(frozen=True)
class Parse:
    """A parse of a sentence.

    Attributes
    ----------
    tree : Tree
    found : bool
        Whether the grammar has a tree for the sentence; if not, the tree is flat.
    log_prob : float
        The log-probability of the tree with its words; -inf if it was not found.
    """

    tree: Tree
    found: bool
    log_prob: float

    def to_dict(self) -> dict[str, Any]:
        """The parse as plain data, the tree in brackets; JSON has no -inf, so None stands for it."""
        return {
            "tree": self.tree.brackets(),
            "words": self.tree.words,
            "tags": self.tree.tags,
            "found": self.found,
            "log_prob": self.log_prob if math.isfinite(self.log_prob) else None,
        }


@dataclass(frozen=True)
class Phrase:
    """A possible phrase of a sentence.

    Attributes
    ----------
    label : str
    start, end : int
        Its words; ``end`` is exclusive.
    p : float
        The probability of the phrase, given the sentence.
    """

    label: str
    start: int
    end: int
    p: float


@dataclass(frozen=True)
class States:
    """The hidden states of a symbol.

    Attributes
    ----------
    symbol : str
    count : int
        Frequency in the treebank.
    n_states : int
    largest, smallest : float
        The largest singular value of the covariance of inside and outside trees, and the smallest one
        that was kept. Their ratio is the condition number. Zero for methods without a projection.
    """

    symbol: str
    count: int
    n_states: int
    largest: float
    smallest: float


_STATES = {"symbol": str, "count": int, "n_states": int, "largest": float, "smallest": float}
_NUMBERS = ("n_trees", "n_tokens", "n_symbols", "n_rules", "n_words", "dim", "rounds")
FACTS = {**dict.fromkeys(_NUMBERS, int), "states": [_STATES]}
"""The structure of the facts about a grammar."""
HELD_OUT = {"n_trees": int, "n_found": int, "bits_per_word": float}
