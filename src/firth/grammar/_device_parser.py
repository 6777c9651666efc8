"""Parsing many sentences at once on a GPU: what ``Parser`` does for one, with the same items and edges.

The edges of a span length, of all sentences, are done together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from firth import progress
from firth.compute import Device
from firth.grammar._device_chart import HINT, DeviceChart, DeviceCharts, Leaves, batches
from firth.grammar._device_fine import DeviceFine, DeviceForest
from firth.grammar._parser import LEAST, MOST_EDGES, Leaf, Parser
from firth.grammar._tensors import Node

__all__ = ["DeviceParser", "Found"]

Tensor = Any
Found = tuple[Node, float]
"""The best tree of a sentence, and its log-probability."""


@dataclass(frozen=True, eq=False)
class _Started:
    """A batch that the GPU works on: the value of the best tree below each item, and its edge."""

    leaves: Leaves
    lift: Tensor
    forest: DeviceForest
    given_up: Tensor
    best: Tensor
    choice: Tensor


class _Read(NamedTuple):
    """The best trees of a batch: sentences with their roots, log-probabilities, items, edges without rules."""

    roots: list[list[int]]
    logs: list[float]
    used: list[int]
    items: list[list[int]]
    edges: list[list[int]]
    given_up: list[bool]


class DeviceParser:
    """Parses sentences of numbers, as ``Parser.best`` with one tree.

    Parameters
    ----------
    parser : Parser
    device : Device
    """

    def __init__(self, parser: Parser, device: Device) -> None:
        self.parser, self.device, coarse = parser, device, parser.coarse
        self.charts = DeviceCharts(coarse, device)
        size = sum(fine.tensors.nbytes for fine in parser.fine)
        s = coarse.n_symbols
        order = np.lexsort((coarse.rules[:, 0], coarse.rules[:, 2], coarse.rules[:, 1]))
        above, left, right = coarse.rules[order].T
        pairs, starts = np.unique(left * s + right, return_index=True)
        pair_of = np.full(s * s, -1)
        pair_of[pairs] = np.arange(len(pairs))
        with device.within_memory("the grammar", HINT, size):
            self._fine = [DeviceFine(fine, device) for fine in parser.fine]
            self._pair_of = device.put(pair_of)
            self._starts = device.put(np.append(starts, len(order)))
            self._above, self._number = device.put(above), device.put(order)

    def best(
        self, sentences: Sequence[Sequence[Leaf]], decode: str | None = None
    ) -> Iterator[tuple[int, Found | None]]:
        """The number of each sentence with its best tree, None if the grammar has none; in any order."""
        least, numbers = self.parser.threshold, list(range(len(sentences)))
        # where pruning left no tree, again with a lower threshold
        for limit in dict.fromkeys((least, least * 1e-3, least * 1e-6, 0.0)):
            again = []
            for k, found, is_last in self._parsed(numbers, sentences, limit, decode):
                if found is None and not is_last:
                    again.append(k)
                else:
                    yield k, found
            numbers = again
        yield from ((k, None) for k in numbers)

    def _parsed(
        self, numbers: list[int], sentences: Sequence[Sequence[Leaf]], limit: float, decode: str | None
    ) -> Iterator[tuple[int, Found | None, bool]]:  # fmt: skip
        """The number of each sentence, its best tree with this threshold, and whether there can be no other.

        The trees of a batch are built while the GPU does the next one. If memory is full, a batch is done in halves.
        """
        waiting = [
            [numbers[k] for k in batch]
            for batch in batches([len(sentences[k]) for k in numbers], self.charts)
        ][::-1]
        done: Iterable[tuple[int, Found | None, bool]] = ()
        while waiting:
            progress.check_interrupted()
            batch, found = waiting.pop(), None
            some = [sentences[k] for k in batch]
            started = self.device.unless_full(partial(self._started, some, limit, decode))
            yield from done
            done = ()
            if started is not None:
                found = self.device.unless_full(partial(self._read, *started, len(batch)))
            started = None
            if found is None:
                waiting += self.charts.halves(batch, [len(words) for words in some])
                continue
            done = _built(*found, batch, some)
        yield from done

    def _started(
        self, sentences: Sequence[Sequence[Leaf]], limit: float, decode: str | None
    ) -> _Started:
        """Begin to parse a batch. Nothing waits for the shares of phrases and for the best trees."""
        leaves = Leaves.of(sentences, self.device)
        chart = self.charts.chart(leaves)
        given_up = chart.total <= 0
        forest, too_many = self._forest(chart, given_up, limit)
        best, choice = self._best(
            forest, *self._values(forest, leaves, chart.lift, decode or self.parser.decode)
        )
        return _Started(leaves, chart.lift, forest, given_up | too_many, best, choice)

    # Items and edges ----------------------------------------------------------------------------------

    def _forest(
        self, chart: DeviceChart, without: Tensor, least: float
    ) -> tuple[DeviceForest, Tensor]:
        """The phrases with at least this probability, and the sentences that have too many edges."""
        torch = self.device.torch
        share = chart.inside * chart.outside
        kept = (share > 0) & (share >= least) & ~without[:, None, None, None]
        # by length, sentence, first word and symbol, so that children come before their parents
        length, sentence, first, symbol = kept.permute(2, 0, 1, 3).nonzero().T
        items = torch.stack([sentence, length, first, symbol], 1)
        number_of = torch.full(kept.shape, -1, dtype=torch.int32, device=self.device.where)
        number_of[sentence, first, length, symbol] = torch.arange(
            len(items), dtype=torch.int32, device=self.device.where
        )
        edges = self._edges(items, number_of)
        per_sentence = torch.bincount(sentence[edges[:, 1]], minlength=len(without))
        too_many = per_sentence > MOST_EDGES
        edges = edges[~too_many[sentence[edges[:, 1]]]]
        n = kept.shape[1]
        levels = torch.searchsorted(
            length[edges[:, 1]], torch.arange(1, n + 1, device=self.device.where)
        )
        return DeviceForest.of(self.device, items, edges, levels.tolist()), too_many

    def _edges(self, items: Tensor, number_of: Tensor) -> Tensor:
        """Rule, parent, left and right item; sorted by parent, and then as ``Parser`` lists them."""
        torch = self.device.torch
        sentence, length, first, symbol = items.T
        n = number_of.shape[1]
        # the items that begin at a word of a sentence, to be found by the word before
        begins = sentence * (n + 1) + first
        order = begins.argsort(stable=True)
        ends = sentence * (n + 1) + first + length + 1
        low, high = (
            torch.searchsorted(begins[order], ends, right=right) for right in (False, True)
        )
        left, place = self._repeated(high - low)
        right = order[low[left] + place]
        pair = self._pair_of[symbol[left] * self.charts.coarse.n_symbols + symbol[right]]
        left, right, pair = (x[pair >= 0] for x in (left, right, pair))
        of_pair, place = self._repeated(self._starts[pair + 1] - self._starts[pair])
        rule = self._starts[pair[of_pair]] + place
        left, right = left[of_pair], right[of_pair]
        both = length[left] + length[right] + 1
        up = number_of[sentence[left], first[left], both, self._above[rule]]
        edges = torch.stack([self._number[rule], up.long(), left, right], 1)[up >= 0]
        return edges[edges[:, 1].argsort(stable=True)]

    def _repeated(self, times: Tensor) -> tuple[Tensor, Tensor]:
        """0, 1, ... each a number of times, and the place among the same ones."""
        torch = self.device.torch
        which = torch.repeat_interleave(times)
        begins = torch.cumsum(times, 0) - times
        return which, torch.arange(len(which), device=self.device.where) - begins[which]

    # Trees ----------------------------------------------------------------------------------------------

    def _values(
        self, forest: DeviceForest, leaves: Leaves, lift: Tensor, decode: str
    ) -> tuple[Tensor, Tensor]:
        """What each item and edge adds to the value of a tree."""
        torch, items = self.device.torch, forest.items
        of_items = torch.zeros(len(items), dtype=torch.float64, device=self.device.where)
        of_edges = torch.zeros(len(forest.edges), dtype=torch.float64, device=self.device.where)
        for fine in self._fine:
            shares, edges = fine.shares(forest, leaves, lift)
            if decode == "phrases":
                of_items += shares.abs()
            else:
                of_items += torch.where(items[:, 1] == 0, shares.abs().clamp(min=LEAST).log(), 0.0)
                of_edges += edges.abs().clamp(min=LEAST).log()
        return of_items, of_edges

    def _read(self, done: _Started, n: int) -> _Read:
        """The best trees of a batch as numbers of this process."""
        torch, forest, leaves, lift = self.device.torch, done.forest, done.leaves, done.lift
        items = forest.items
        roots = self._roots(forest.whole(leaves), items[:, 0], done.best, n)
        chosen = self._chosen(forest, roots, done.choice)
        tree = DeviceForest.of(
            self.device, items, forest.edges[chosen],
            torch.searchsorted(chosen, self.device.put(np.array(forest.levels))).tolist(),
        )  # fmt: skip
        sizes = torch.stack([
            (fine.inside(tree, leaves, lift, known=True)[roots] * fine.roots[items[roots, 3]]).sum(-1).abs()
            for fine in self._fine
        ]).mean(0)  # fmt: skip
        of = items[roots, 0]
        logs = sizes.log() + leaves.log_scale[of] - leaves.lengths[of] * lift[of].log()
        used = torch.cat([roots, tree.edges[:, 1:].flatten()]).unique()
        return _Read(
            torch.stack([of, roots], 1).tolist(), logs.tolist(), used.tolist(), items[used].tolist(),
            tree.edges[:, 1:].tolist(), done.given_up.tolist(),
        )  # fmt: skip

    def _best(
        self, forest: DeviceForest, of_items: Tensor, of_edges: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The value of the best tree below each item, and its edge; the first of equal ones."""
        torch = self.device.torch
        best = torch.where(forest.items[:, 1] == 0, of_items, -torch.inf)
        none = len(forest.edges)
        choice = torch.full((len(best),), none, device=self.device.where)
        for first, last in pairwise(forest.levels):
            _, up, left, right = forest.edges[first:last].T
            total = of_items[up] + of_edges[first:last] + best[left] + best[right]
            best.scatter_reduce_(0, up, total, "amax")
            number = torch.arange(first, last, device=self.device.where)
            number = torch.where((total == best[up]) & (total > -torch.inf), number, none)
            choice.scatter_reduce_(0, up, number, "amin")
        return best, choice

    def _roots(self, whole: Tensor, sentence: Tensor, best: Tensor, n: int) -> Tensor:
        """The item with the best tree of each sentence that has one; the first of equal ones."""
        torch = self.device.torch
        items = whole.nonzero()[:, 0]
        items = items[best[items] > -torch.inf]
        most = torch.full((n,), -torch.inf, dtype=torch.float64, device=self.device.where)
        most.scatter_reduce_(0, sentence[items], best[items], "amax")
        items = items[best[items] == most[sentence[items]]]
        first = torch.full((n,), len(best), device=self.device.where)
        first.scatter_reduce_(0, sentence[items], items, "amin")
        found: Tensor = first[first < len(best)]
        return found

    def _chosen(self, forest: DeviceForest, roots: Tensor, choice: Tensor) -> Tensor:
        """The edges of the best trees, sorted."""
        torch = self.device.torch
        found, now = [roots[:0]], roots
        while len(now):
            edges = choice[now]
            edges = edges[edges < len(forest.edges)]
            found.append(edges)
            now = forest.edges[edges, 2:].flatten()
        return torch.cat(found).sort()[0]


def _built(
    read: _Read, batch: list[int], sentences: Sequence[Sequence[Leaf]]
) -> Iterator[tuple[int, Found | None, bool]]:
    """The trees of a batch, with the numbers of their sentences."""
    nodes, symbols = {}, {}
    for item, (sentence, length, first, symbol) in zip(read.used, read.items, strict=True):
        symbols[item] = symbol
        if length == 0:
            nodes[item] = Node(symbol, word=sentences[sentence][first].word)
    for up, left, right in read.edges:  # children first
        nodes[up] = Node(symbols[up], nodes[left], nodes[right])
    found = {k: (nodes[root], log) for (k, root), log in zip(read.roots, read.logs, strict=True)}
    for k, number in enumerate(batch):
        yield number, found.get(k), read.given_up[k]
