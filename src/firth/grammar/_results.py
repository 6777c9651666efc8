"""What a grammar says: of sentences, and of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firth.errors import check_count, wrong_parameter
from firth.trees import Tree

__all__ = ["Parse", "Phrase", "States", "check_facts", "checked_states"]


@dataclass(frozen=True)
class Parse:
    """What a parser says of a sentence.

    Attributes
    ----------
    tree : Tree
    found : bool
        Whether the grammar has a tree for the sentence; if not, the tree only holds the words together.
    log_prob : float
        The logarithm of the probability of the tree, words among it; -inf where the grammar has none.
    """

    tree: Tree
    found: bool
    log_prob: float


@dataclass(frozen=True)
class Phrase:
    """A phrase that a sentence may have.

    Attributes
    ----------
    label : str
    start, end : int
        Its words: the number of the first, and that after the last.
    p : float
        How probable it is that the sentence has such a phrase.
    """

    label: str
    start: int
    end: int
    p: float


@dataclass(frozen=True)
class States:
    """How a symbol was split.

    Attributes
    ----------
    symbol : str
    count : int
        How often it occurs.
    n_states : int
    largest, smallest : float
        The first and the last singular value that was kept of the covariance of inside and outside trees; their ratio
        is its condition number. Zero where nothing was projected.
    """

    symbol: str
    count: int
    n_states: int
    largest: float
    smallest: float


def checked_states(told: Mapping[str, Any]) -> States:
    """How a symbol was split, as a model says."""
    states = States(**told)
    check_count("States", "count", states.count, least=0)
    check_count("States", "n_states", states.n_states, least=0)
    if not isinstance(states.symbol, str):
        raise wrong_parameter("States", "symbol", "text", states.symbol)
    for value in (states.largest, states.smallest):
        if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
            raise wrong_parameter("States", "a singular value", "a number", value)
    return states


def check_facts(facts: Mapping[str, Any]) -> None:
    """What a model says of how a grammar was learned must be numbers."""
    for name in ("n_trees", "n_tokens", "n_symbols", "n_rules", "n_words", "dim", "rounds"):
        check_count("LPCFG", name, facts[name], least=0)
    if "held_out" in facts:
        held_out = facts["held_out"]
        for name in ("n_trees", "n_found"):
            check_count("LPCFG", name, held_out[name], least=0)
        if not isinstance(held_out["bits_per_word"], float | int | None):
            raise wrong_parameter("LPCFG", "bits_per_word", "a number", held_out["bits_per_word"])
