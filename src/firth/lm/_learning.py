"""Learning the trees of all models of a mixture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.lm._buckets import history_buckets
from firth.lm._designs import Design
from firth.lm._mixture import outcomes_of
from firth.lm._runs import keys_at_once
from firth.lm._trees import CountedTree, Event, Text, Traced, Tree
from firth.store import Room

__all__ = ["Learned", "Learner"]

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Learned:
    """Trees, and facts about that of words.

    Attributes
    ----------
    trees : tuple of tuples of Tree
        The trees of each model.
    discounts : array
        The discounts of the tree of words: a row for each level.
    tokens : array of int64
        How often the histories of the first nodes of this tree were seen, up to those of two words.
    n_grams : list of int
        The number of its n-grams of each order.
    """

    trees: tuple[tuple[Tree, ...], ...]
    discounts: Floats
    tokens: Integers
    n_grams: list[int]


class Learner:
    """Learns trees, several at a time.

    Parameters
    ----------
    designs : sequence of Design
        The models; that of words first.
    maps : array of int32
        The element of each symbol: a row for words, and one for each clustering.
    room : Room
    engine : Engine
    """

    def __init__(self, designs: Sequence[Design], maps: Short, room: Room, engine: Engine) -> None:
        self._designs, self._maps, self._room, self._engine = designs, maps, room, engine

    def _each(self, text: Text, work: Callable[[int, CountedTree], Result]) -> list[list[Result]]:
        """Count a text for every tree, and keep what a function makes of the counts."""
        events = [
            (number, event, design.least)
            for number, design in enumerate(self._designs)
            for event in design.events()
        ]

        at_once = keys_at_once(self._room, min(self._engine.threads, len(events)))

        def do(one: tuple[int, tuple[int, Event, int]]) -> Result:
            place, (_, event, least) = one
            n_outcomes = outcomes_of(self._maps, event.outcome, event.given)
            counted = CountedTree.count(
                event, text, self._maps, n_outcomes, least, self._room, at_once
            )
            return work(place, counted)

        found: list[list[Result]] = [[] for _ in self._designs]
        with progress.stage("counting", len(events), "trees", brief=1.0) as stage:
            for (number, _, _), result in zip(
                events, self._engine.map(do, enumerate(events)), strict=True
            ):
                found[number].append(result)
                stage.advance(1)
        return found

    def traced(self, text: Text, held_out: Text) -> tuple[list[list[Traced]], Integers]:
        """Held-out text in the trees of a text, and the buckets of its histories."""
        buckets: list[Integers] = []

        def work(place: int, counted: CountedTree) -> Traced:
            if place == 0:
                tokens = counted.tokens[: counted.levels[min(3, len(counted.levels) - 1)]]
                buckets.append(history_buckets(held_out, counted, tokens))
            return counted.traced(held_out, self._maps)

        return self._each(text, work), buckets[0]

    def learned(self, text: Text, discounts: Sequence[Sequence[Floats]] | None = None) -> Learned:
        """Trees with these discounts; those of words, or all of them, are estimated from the counts."""
        given = None if discounts is None else [one for some in discounts for one in some]
        facts: list[Any] = []

        def work(place: int, counted: CountedTree) -> Tree:
            used = counted.discounts() if given is None or place == 0 else given[place]
            if place == 0:
                tokens = counted.tokens[: counted.levels[min(3, len(counted.levels) - 1)]]
                kept: Integers = self._room.empty(len(tokens), np.int64)
                kept[:] = tokens
                facts.extend([used, kept, _sizes(counted)])
            return counted.smooth(used)

        trees = tuple(tuple(some) for some in self._each(text, work))
        return Learned(trees, facts[0], facts[1], facts[2])


def _sizes(words: CountedTree) -> list[int]:
    """The number of n-grams of each order; all symbols are unigrams."""
    edges = [int(words.starts[level]) for level in words.levels]
    sizes = [b - a for a, b in pairwise(edges)]
    return [int(words.base[0] ** -1) + 1, *sizes[1:]]
