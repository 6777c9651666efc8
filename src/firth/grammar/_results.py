"""What a grammar returns: parses, phrases, and the states of its symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firth.errors import check_count, wrong_parameter
from firth.trees import Tree

__all__ = ["Parse", "Phrase", "States", "check_facts", "checked_states"]


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


def checked_states(stored: Mapping[str, Any]) -> States:
    """The states of a symbol, as a manifest stores them."""
    states = States(**stored)
    check_count("States", "count", states.count, least=0)
    check_count("States", "n_states", states.n_states, least=0)
    if not isinstance(states.symbol, str):
        raise wrong_parameter("States", "symbol", "a str", states.symbol)
    for value in (states.largest, states.smallest):
        if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
            raise wrong_parameter("States", "a singular value", "a number", value)
    return states


def check_facts(facts: Mapping[str, Any]) -> None:
    """Check that the facts about a grammar are numbers."""
    for name in ("n_trees", "n_tokens", "n_symbols", "n_rules", "n_words", "dim", "rounds"):
        check_count("LPCFG", name, facts[name], least=0)
    if "held_out" in facts:
        held_out = facts["held_out"]
        for name in ("n_trees", "n_found"):
            check_count("LPCFG", name, held_out[name], least=0)
        if not isinstance(held_out["bits_per_word"], float | int | None):
            raise wrong_parameter("LPCFG", "bits_per_word", "a number", held_out["bits_per_word"])
