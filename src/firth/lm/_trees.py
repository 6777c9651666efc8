"""Trees of histories: P(outcome | given, history), with modified Kneser-Ney smoothing.

One structure serves all models of a mixture: the outcome is a word or a class, and the history consists
of words, of classes or of both. The most distant element of a history is dropped first. The count of an
outcome after the longest histories is how often it was seen; after shorter ones, it is the number of
different histories, longer by one element, after which it was seen. Histories that cannot become longer,
because a sentence begins there, count how often they were seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.lm import _discount_kernels as fitting
from firth.lm import _tree_kernels as kernels
from firth.lm._runs import pieces, sorted_counts
from firth.store import Room

__all__ = ["CountedTree", "Event", "Text", "Traced", "Tree", "short_type"]

BITS = kernels.BITS
_USUAL = (0.5, 1.0, 1.5)
"""The discounts where there are too few outcomes to estimate them."""

Floats = npt.NDArray[np.float64]
Short = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]

outcome_keys: Any = kernels.outcome_keys
history_keys: Any = kernels.history_keys
descend: Any = kernels.descend
add_positions: Any = kernels.add_positions
add_extensions: Any = kernels.add_extensions
count_kinds: Any = kernels.count_kinds
interpolate: Any = kernels.interpolate
multiply: Any = kernels.multiply
trace: Any = fitting.trace
fit_discounts: Any = fitting.fit_discounts
probabilities: Any = fitting.probabilities


@dataclass(frozen=True, eq=False)
class Text:
    """Sentences as symbols, with their beginnings and ends.

    Attributes
    ----------
    symbols : array of int32
    places : array of int32
        The place of each symbol in its sentence; 0 for the beginning of a sentence.
    """

    symbols: Short
    places: Short

    def __len__(self) -> int:
        return len(self.symbols)


@dataclass(frozen=True)
class Event:
    """What a tree predicts, and from what. Numbers are rows of ``maps``: 0 for words, then clusterings.

    Attributes
    ----------
    outcome : int
    given : int, optional
        What is known beside the history, such as the class of the word.
    history : tuple of (int, int)
        The elements of the history, nearest first: a row, and the distance from the predicted word.
    """

    outcome: int
    given: int | None = None
    history: tuple[tuple[int, int], ...] = ()

    def arguments(self) -> tuple[int, int, Integers, Integers]:
        """For kernels: what is given or -1, the outcome, and rows and distances of the history."""
        rows = np.array([row for row, _ in self.history], np.int64)
        distances = np.array([distance for _, distance in self.history], np.int64)
        return -1 if self.given is None else self.given, self.outcome, rows, distances


@dataclass(frozen=True, eq=False)
class Tree:
    """Probabilities after histories.

    Attributes
    ----------
    children : array of int32 or int64, shape (n_nodes + 1,)
        The first child of each node. The first nodes are the values of what is given.
    elements : array of int32, shape (n_nodes,)
        The element that each node adds to the history of its parent.
    backoff : array of float32, shape (n_nodes,)
        The weight of the shorter history.
    starts : array of int32 or int64, shape (n_nodes + 1,)
        The first outcome of each node.
    words : array of int32
        The outcomes of each node, sorted.
    p : array of float32
        Their probabilities.
    base : array of float32
        The probability of an outcome that was never seen, for each value of what is given.
    """

    children: npt.NDArray[Any]
    elements: Short
    backoff: npt.NDArray[np.float32]
    starts: npt.NDArray[Any]
    words: Short
    p: npt.NDArray[np.float32]
    base: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        # as they are when they are read from files, so that kernels are compiled once
        for array in vars(self).values():
            array.flags.writeable = False

    @property
    def n_given(self) -> int:
        return len(self.base)

    def multiply(self, event: Event, text: Text, maps: Short, out: Floats) -> None:
        """Multiply ``out`` by the probability of each symbol of a text; not at beginnings of sentences."""
        path = np.empty(len(event.history) + 1, np.int64)
        multiply(
            text.symbols, text.places, maps, *event.arguments(), self.children, self.elements, self.backoff,
            self.starts, self.words, self.p, self.base, path, out,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class CountedTree:
    """Histories and outcomes, with their counts.

    Attributes
    ----------
    event : Event
    levels : list of int
        The first node of each level, and the number of nodes.
    children, elements, starts, words : array
        As of ``Tree``.
    parents : array of int64
        The parent of each node; -1 for those of the first level.
    tokens : array of int64
        How often each history was seen.
    counts : array of int32
        The count of each outcome.
    base : array
        As of ``Tree``.
    """

    event: Event
    levels: list[int]
    children: npt.NDArray[Any]
    elements: Short
    starts: npt.NDArray[Any]
    words: Short
    parents: Integers
    tokens: Integers
    counts: Short
    base: Floats
    room: Room

    @classmethod
    def count(
        cls, event: Event, text: Text, maps: Short, n_outcomes: Integers, least: int = 1, room: Room | None = None,
        at_once: int | None = None,
    ) -> CountedTree:  # fmt: skip
        """Count a text.

        Parameters
        ----------
        event : Event
        text : Text
        maps : array of int32
            The element of each symbol: a row for words, and one for each clustering.
        n_outcomes : array of int64
            The number of possible outcomes, for each value of what is given.
        least : int
            Histories of more than two words are kept if they were seen this often.
        room : Room, optional
        at_once : int, optional
            How many symbols are counted at a time; see ``keys_at_once``.
        """
        room = room or Room()
        grown = _Grown(event, text, maps, len(n_outcomes), least, room, at_once)
        return grown.result(1 / n_outcomes)

    def smooth(self, discounts: Floats) -> Tree:
        """Probabilities, with the discounts of each level: 0, and of counts of 1, of 2, and of more."""
        room, n = self.room, len(self.elements)
        p, backoff = room.empty(len(self.words), np.float64), room.empty(n, np.float32)
        kinds = self.kinds()
        for k, (begin, end) in enumerate(self._ranges()):
            away = np.ascontiguousarray(discounts[k])
            for some in pieces(begin, end):
                interpolate(
                    some.start, some.stop, self.parents, self.starts, self.words, self.counts, kinds, away, self.base,
                    p, backoff,
                )  # fmt: skip
        single = room.empty(len(p), np.float32)
        for some in pieces(0, len(p)):
            single[some] = p[some]
        base = self.base.astype(np.float32)
        return Tree(self.children, self.elements, backoff, self.starts, self.words, single, base)

    def _ranges(self) -> Iterator[tuple[int, int]]:
        return zip(self.levels[:-1], self.levels[1:], strict=True)

    def kinds(self) -> npt.NDArray[np.int32]:
        """For each node: the sum of its counts, and how many outcomes have counts of 1, of 2, and of more."""
        kinds: npt.NDArray[np.int32] = self.room.empty((len(self.elements), 4), np.int32)
        for some in pieces(0, len(kinds)):
            count_kinds(some.start, some.stop, self.starts, self.counts, kinds)
        return kinds

    def discounts(self) -> Floats:
        """Discounts estimated from the numbers of outcomes that are counted 1, 2, 3 and 4 times."""
        found = []
        for begin, end in self._ranges():
            first, last = int(self.starts[begin]), int(self.starts[end])
            sizes = np.zeros(6, np.int64)
            for some in pieces(first, last):
                sizes += np.bincount(np.minimum(self.counts[some], 5), minlength=6)
            found.append([0.0, *_discounts(sizes[1:5].astype(np.float64))])
        return np.array(found)

    def traced(self, text: Text, maps: Short) -> Traced:
        """What the tree says of held-out text."""
        n, m, room = int(np.count_nonzero(text.places)), len(self.levels) - 1, self.room
        seen, kinds = room.empty((n, m), np.int32), room.empty((n, m, 4), np.int32)
        lowest = room.empty(n, np.float64)
        trace(
            text.symbols, text.places, maps, *self.event.arguments(), self.children, self.elements, self.starts,
            self.words, self.counts, self.kinds(), self.base, seen, kinds, lowest,
        )  # fmt: skip
        return Traced(seen, kinds, lowest, self.discounts())


@dataclass(frozen=True, eq=False)
class Traced:
    """Held-out text in a tree; see ``_discount_kernels``. ``discounts`` has a row for each level."""

    seen: Short
    kinds: npt.NDArray[np.int32]
    lowest: Floats
    discounts: Floats

    def p(self) -> Floats:
        """The probability of each symbol."""
        found = np.empty(len(self.lowest))
        probabilities(self.seen, self.kinds, self.lowest, self.discounts, found)
        return found

    def fit(self, scale: Floats, other: Floats) -> None:
        """Fit the discounts; the probability by the whole mixture is ``scale * p + other``."""
        scratch = [np.empty(len(self.lowest)) for _ in range(3)]
        for level in range(len(self.discounts)):
            fit_discounts(
                level, self.seen, self.kinds, self.lowest, scale, other, self.discounts, *scratch
            )


def _discounts(n: Floats) -> tuple[float, float, float]:
    """Discounts (Chen and Goodman 1998), from the numbers of outcomes with counts of 1, 2, 3 and 4."""
    if np.any(n == 0):
        return _USUAL
    y = n[0] / (n[0] + 2 * n[1])
    found = [k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)]
    if any(not 0 < d <= k for k, d in enumerate(found, 1)):
        return _USUAL
    return float(found[0]), float(found[1]), float(found[2])


class _Grown:
    """A tree that grows level by level."""

    def __init__(
        self, event: Event, text: Text, maps: Short, n_given: int, least: int, room: Room, at_once: int | None,
    ) -> None:  # fmt: skip
        self._event, self._text, self._room, self._at_once = event, text, room, at_once
        self._outcome_of = maps[event.outcome]
        self._nodes = room.empty(len(text), np.int64)
        for some in pieces(0, len(text)):
            first = 0 if event.given is None else maps[event.given][text.symbols[some]]
            self._nodes[some] = np.where(text.places[some] > 0, first, -1)
        self._levels = [0, n_given]
        # parts of arrays, and what is added to their numbers
        self._children: list[tuple[Any, int]] = []
        self._elements: list[tuple[Any, int]] = [(np.zeros(n_given, np.int32), 0)]
        self._parents: list[tuple[Any, int]] = [(np.full(n_given, -1, np.int64), 0)]
        self._tokens: list[tuple[Any, int]] = [(np.zeros(n_given, np.int64), 0)]
        self._starts: list[tuple[Any, int]] = []
        self._words: list[tuple[Any, int]] = []
        self._n_words = 0
        self._add_outcomes()
        for row, distance in event.history:
            self._add_level(maps[row], distance, least if distance > 2 else 1)
            self._add_outcomes()

    def _add_outcomes(self) -> None:
        """The outcomes of the nodes of the last level."""

        def make(some: slice, keys: Any) -> int:
            return int(
                outcome_keys(self._nodes[some], self._text.symbols[some], self._outcome_of, keys)
            )

        keys, _ = self._counted(make)
        starts, words = self._rows(keys)
        self._starts.append((starts[:-1], self._n_words))
        self._words.append((words, 0))
        self._n_words += len(words)

    def _add_level(self, element_of: Short, distance: int, least: int) -> None:
        """The histories that are longer by one element."""
        text, places = self._text.symbols, self._text.places
        first, last = self._levels[-2:]

        def make(some: slice, keys: Any) -> int:
            return int(
                history_keys(
                    self._nodes[some], some.start, text, places, element_of, distance, keys
                )
            )

        keys, tokens = self._counted(make)
        if least > 1:
            keys, tokens = self._frequent(keys, tokens, least)
        children, elements = self._rows(keys)
        for some in pieces(0, len(text)):
            descend(
                self._nodes[some], some.start, text, places, element_of, distance, children, elements, first, last,
            )  # fmt: skip
        parents = self._room.empty(len(keys), np.int64)
        for some in pieces(0, len(keys)):
            parents[some] = keys[some] >> np.uint64(BITS)
        self._children.append((children[:-1], last))
        self._elements.append((elements, 0))
        self._tokens.append((tokens, 0))
        self._parents.append((parents, 0))
        self._levels.append(last + len(elements))

    def _frequent(self, keys: Any, tokens: Integers, least: int) -> tuple[Any, Integers]:
        """The keys that were seen often enough, and how often."""
        n = sum(int(np.count_nonzero(tokens[some] >= least)) for some in pieces(0, len(keys)))
        kept, times = self._room.empty(n, np.uint64), self._room.empty(n, np.int64)
        begin = 0
        for some in pieces(0, len(keys)):
            chosen = tokens[some] >= least
            end = begin + int(np.count_nonzero(chosen))
            kept[begin:end], times[begin:end] = keys[some][chosen], tokens[some][chosen]
            begin = end
        return kept, times

    def _counted(self, make: Callable[[slice, Any], int]) -> tuple[Any, Integers]:
        bits = BITS + self._levels[-1].bit_length()
        return sorted_counts(len(self._text), make, bits, self._room, self._at_once)

    def _rows(self, keys: npt.NDArray[np.uint64]) -> tuple[Integers, Short]:
        """Where the keys of each node of the last level begin, and the symbols of the keys."""
        first, last = self._levels[-2:]
        starts = self._room.empty(last - first + 1, np.int64)
        for some in pieces(0, len(starts)):
            nodes = np.arange(first + some.start, first + some.stop, dtype=np.uint64)
            starts[some] = np.searchsorted(keys, nodes << np.uint64(BITS))
        symbols = self._room.empty(len(keys), np.int32)
        for some in pieces(0, len(keys)):
            symbols[some] = keys[some] & np.uint64((1 << BITS) - 1)
        return starts, symbols

    def result(self, base: Floats) -> CountedTree:
        """All levels together, with the counts of their outcomes."""
        n = self._levels[-1]
        none = np.broadcast_to(np.int64(n), n - self._levels[-2] + 1)
        self._children.append((none, 0))
        self._starts.append((np.array([self._n_words]), 0))
        children = self._joined(self._children, short_type(n))
        starts_ = self._joined(self._starts, short_type(self._n_words))
        words, parents = self._joined(self._words, np.int32), self._joined(self._parents, np.int64)
        counts = self._room.empty(len(words), np.int32)
        for some in pieces(0, len(words)):
            counts[some] = 0
        for some in pieces(0, len(self._text)):
            symbols = self._text.symbols[some]
            add_positions(self._nodes[some], symbols, self._outcome_of, starts_, words, counts)
        for some in pieces(self._levels[1], n):
            add_extensions(some.start, some.stop, parents, starts_, words, counts)
        return CountedTree(
            self._event, self._levels, children, self._joined(self._elements, np.int32), starts_, words, parents,
            self._joined(self._tokens, np.int64), counts, base, self._room,
        )  # fmt: skip

    def _joined(self, parts: list[tuple[Any, int]], dtype: npt.DTypeLike) -> Any:
        """Arrays, one after the other, with a number added to each; the list is emptied."""
        made, begin = self._room.empty(sum(len(part) for part, _ in parts), dtype), 0
        while parts:
            part, more = parts.pop(0)
            for some in pieces(0, len(part)):
                made[begin + some.start : begin + some.stop] = part[some] + part.dtype.type(more)
            begin += len(part)
        return made


def short_type(n: int) -> npt.DTypeLike:
    """The type of numbers up to ``n``."""
    return np.int32 if n < 1 << 31 else np.int64
