"""Parsing many sentences at once on a GPU: what ``Parser`` does for one, with the same items and edges.

The edges of a span length, of all sentences, are done together. Edges with the same rule are in blocks of a fixed size,
so that the tensors of rules are applied by one batched matrix product. Sums are in double precision and in a fixed
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from firth import progress
from firth.compute import Device
from firth.grammar._device_chart import HINT, DeviceChart, DeviceCharts, Leaves, batches
from firth.grammar._fine import FineGrammar
from firth.grammar._parser import LEAST, MOST_EDGES, Leaf, Parser
from firth.grammar._tensors import Node

__all__ = ["DeviceParser", "Found"]

_BLOCK = 32
"""Edges with the same rule that are multiplied by its tensor at once."""
_ROOM = 1 << 31
"""Bytes that the products of some blocks may take."""

Tensor = Any
Found = tuple[Node, float]
"""The best tree of a sentence, and its log-probability."""


class _Blocks:
    """Edges of the same level and rule in blocks of a fixed size; the last one of each rule is padded.

    Attributes
    ----------
    rules : tensor of int64, shape (n_blocks,)
    items : tensor of int64, shape (3, n_blocks, _BLOCK)
        Parent, left and right item of each edge; for padding, those of any edge.
    levels : list of (slice, int, int)
        The edges of each level, its first block, and the first one after it.
    """

    def __init__(self, device: Device, edges: Tensor, levels: list[int]) -> None:
        torch, n = device.torch, len(edges)
        self.device = device
        sizes = device.put(np.diff(np.array(levels, np.int64)))
        key = (torch.repeat_interleave(sizes, output_size=n) << 32) + edges[:, 0]
        order = key.argsort(stable=True)
        used, counts = key[order].unique_consecutive(return_counts=True)
        n_blocks = (counts + _BLOCK - 1) // _BLOCK
        of_blocks = used.repeat_interleave(n_blocks)
        self.rules = of_blocks & 0xFFFFFFFF
        begins = (counts.cumsum(0) - counts).repeat_interleave(counts, output_size=n)
        first = (n_blocks.cumsum(0) - n_blocks).repeat_interleave(counts, output_size=n) * _BLOCK
        place = first + torch.arange(n, device=device.where) - begins
        self._places = torch.empty_like(place)
        self._places[order] = place
        edge = torch.zeros(len(of_blocks) * _BLOCK, dtype=torch.int64, device=device.where)
        edge[self._places] = torch.arange(n, device=device.where)
        self.items = edges[edge, 1:].T.reshape(3, -1, _BLOCK)
        starts = torch.arange(len(sizes) + 1, device=device.where)
        cuts = torch.searchsorted(of_blocks >> 32, starts).tolist()
        self.levels = [
            (slice(a, b), first, last)
            for (a, b), (first, last) in zip(pairwise(levels), pairwise(cuts), strict=True)
            if a < b
        ]

    def run(
        self, work: Callable[[slice], Tensor], dim: int, edges: slice, first: int, last: int
    ) -> Tensor:
        """The rows that ``work`` finds for the blocks of a level, in the order of its edges."""
        size = max(1, _ROOM // (8 * _BLOCK * max(dim, 8) ** 2))
        parts = [slice(a, min(a + size, last)) for a in range(first, last, size)]
        found = self.device.torch.cat([work(part) for part in parts])
        return found.flatten(0, 1)[self._places[edges] - first * _BLOCK]


@dataclass(frozen=True, eq=False)
class _Forest:
    """The items and edges of a batch, as ``Items``, and where the levels begin: items of a span length.

    Attributes
    ----------
    items : tensor of int64, shape (n_items, 4)
        Sentence, number of words less one, first word, symbol; sorted.
    edges : tensor of int64, shape (n_edges, 4)
        Rule, parent, left and right item; sorted by parent.
    levels : list of int
        The first edge of each level of parents, and the number of edges.
    blocks : _Blocks
    """

    items: Tensor
    edges: Tensor
    levels: list[int]
    blocks: _Blocks

    @classmethod
    def of(cls, device: Device, items: Tensor, edges: Tensor, levels: list[int]) -> _Forest:
        return cls(items, edges, levels, _Blocks(device, edges, levels))

    def whole(self, leaves: Leaves) -> Tensor:
        """Which items are whole sentences."""
        sentence, length, first, _ = self.items.T
        found: Tensor = (length == leaves.lengths[sentence] - 1) & (first == 0)
        return found


@dataclass(frozen=True, eq=False)
class _Started:
    """A batch that the GPU works on: the value of the best tree below each item, and its edge."""

    leaves: Leaves
    lift: Tensor
    forest: _Forest
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
        with device.within_memory("the grammar", HINT, size):
            self._fine = [_DeviceFine(fine, device) for fine in parser.fine]
        s = coarse.n_symbols
        order = np.lexsort((coarse.rules[:, 0], coarse.rules[:, 2], coarse.rules[:, 1]))
        above, left, right = coarse.rules[order].T
        pairs, starts = np.unique(left * s + right, return_index=True)
        pair_of = np.full(s * s, -1)
        pair_of[pairs] = np.arange(len(pairs))
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

    def _forest(self, chart: DeviceChart, without: Tensor, least: float) -> tuple[_Forest, Tensor]:
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
        return _Forest.of(self.device, items, edges, levels.tolist()), too_many

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
        self, forest: _Forest, leaves: Leaves, lift: Tensor, decode: str
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
        tree = _Forest.of(
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

    def _best(self, forest: _Forest, of_items: Tensor, of_edges: Tensor) -> tuple[Tensor, Tensor]:
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

    def _chosen(self, forest: _Forest, roots: Tensor, choice: Tensor) -> Tensor:
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


class _DeviceFine:
    """A grammar with states on a device."""

    def __init__(self, fine: FineGrammar, device: Device) -> None:
        put = device.put
        self.device, self.dim = device, fine.dim
        m, n = fine.dim, len(fine.tensors)
        # axes: right child, then parent and left child
        tensors = put(np.ascontiguousarray(fine.tensors.transpose(0, 3, 1, 2))).reshape(n, m, m * m)
        # they are needed in double precision again and again
        small = 8 * tensors.numel() < device.memory()[0] // 8
        self._tensors = tensors.double() if small else tensors
        self._vectors, self._totals = put(fine.vectors), put(fine.totals)
        self.roots = put(fine.roots)

    def inside(self, forest: _Forest, leaves: Leaves, lift: Tensor, known: bool = False) -> Tensor:
        """The inside vectors of all items; with ``known``, those of words that the lexicon has, as it has them."""
        torch, items = self.device.torch, forest.items
        inside = torch.zeros((len(items), self.dim), dtype=torch.float64, device=self.device.where)
        self._fill_words(inside, items, leaves, lift, known)
        blocks = forest.blocks
        for edges, first, last in blocks.levels:
            found = blocks.run(partial(self._up, blocks, inside), self.dim, edges, first, last)
            inside.index_put_((forest.edges[edges, 1],), found, accumulate=True)
        return inside

    def shares(self, forest: _Forest, leaves: Leaves, lift: Tensor) -> tuple[Tensor, Tensor]:
        """The share of each item and edge in the probability of its sentence; can be negative."""
        torch, items, m = self.device.torch, forest.items, self.dim
        inside, whole = self.inside(forest, leaves, lift), forest.whole(leaves)
        outside = torch.where(whole[:, None], self.roots[items[:, 3]], 0.0)
        of_edges, blocks = [], forest.blocks
        for edges, first, last in reversed(blocks.levels):
            work = partial(self._down, blocks, inside, outside)
            found = blocks.run(work, 2 * m, edges, first, last)
            _, _, left, right = forest.edges[edges].T
            of_edges.append((found[:, :m] * inside[left]).sum(-1))
            both = torch.cat([found[:, :m], found[:, m:]])
            outside.index_put_((torch.cat([left, right]),), both, accumulate=True)
        of_items = (inside * outside).sum(-1)
        total = torch.zeros_like(lift)
        total.index_put_((items[:, 0],), torch.where(whole, of_items, 0.0), accumulate=True)
        factor = torch.where(total.abs() > 1e-300, 1.0 / total, 1.0)
        edges_of = torch.cat([*of_edges[::-1], total[:0]])
        return of_items * factor[items[:, 0]], edges_of * factor[items[forest.edges[:, 1], 0]]

    def _up(self, blocks: _Blocks, inside: Tensor, part: slice) -> Tensor:
        """For the edges of some blocks, what they add to their parents."""
        m, (_, left, _) = self.dim, blocks.items[:, part]
        products = self._products(blocks, inside, self._of(blocks, part), part)
        return (products @ inside[left].view(-1, m, 1)).view(-1, _BLOCK, m)

    def _down(self, blocks: _Blocks, inside: Tensor, outside: Tensor, part: slice) -> Tensor:
        """What they add to their left and right children."""
        torch, m, (up, left, _) = self.device.torch, self.dim, blocks.items[:, part]
        above, tensors = outside[up], self._of(blocks, part)
        products = self._products(blocks, inside, tensors, part)
        to_left = (above.view(-1, 1, m) @ products).view(-1, _BLOCK, m)
        both = (above.unsqueeze(-1) * inside[left].unsqueeze(-2)).flatten(-2)
        return torch.cat([to_left, both @ tensors.transpose(-1, -2)], -1)

    def _of(self, blocks: _Blocks, part: slice) -> Tensor:
        return self._tensors[blocks.rules[part]].double()

    def _products(self, blocks: _Blocks, inside: Tensor, tensors: Tensor, part: slice) -> Tensor:
        """The tensor of the rule of each edge, with the vector of the right child: parents by left children."""
        return (inside[blocks.items[2, part]] @ tensors).view(-1, self.dim, self.dim)

    def _fill_words(
        self, inside: Tensor, items: Tensor, leaves: Leaves, lift: Tensor, known: bool
    ) -> None:
        torch, n = self.device.torch, int((items[:, 1] == 0).sum())
        longest, s = int(leaves.lengths.max()), len(self.roots)
        key = (leaves.sentence * longest + leaves.place) * s + leaves.tag
        order = key.argsort()
        tags = items[:n]
        wanted = (tags[:, 0] * longest + tags[:, 2]) * s + tags[:, 3]
        row = order[torch.searchsorted(key[order], wanted)]
        pair, tag, there = leaves.pair[row], leaves.tag[row], leaves.pair[row] >= 0
        weight = leaves.inverse[row] * (there if known else leaves.weight[row])
        vectors = torch.where(there[:, None], self._vectors[pair], self._totals[tag])
        inside[:n] = vectors * (weight * lift[tags[:, 0]])[:, None]
