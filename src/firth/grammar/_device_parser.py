"""Parsing many sentences at once on a GPU: what ``Parser`` does for one, with the same items and edges.

The edges of a span length, of all sentences, are done together. Edges with the same rule are in blocks of a fixed size,
so that the tensors of rules are applied by one batched matrix product. Sums are in double precision and in a fixed
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from firth.compute import Device
from firth.grammar._device_chart import DeviceChart, DeviceCharts, Leaves, batches
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
    """

    items: Tensor
    edges: Tensor
    levels: list[int]


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
        lengths = [len(leaves) for leaves in sentences]
        for batch in batches(lengths, self.charts):
            yield from self._batch(batch, sentences, decode or self.parser.decode)

    def _batch(
        self, batch: list[int], sentences: Sequence[Sequence[Leaf]], decode: str
    ) -> Iterator[tuple[int, Found | None]]:
        """Parse a batch; if memory is full, in two halves."""
        full = False
        try:
            found = self._parsed([sentences[k] for k in batch], decode)
        except RuntimeError as error:
            if not self.device.is_full(error) or len(batch) == 1:
                raise
            full = True
        if full:
            self.device.release()
            half = len(batch) // 2
            yield from self._batch(batch[:half], sentences, decode)
            yield from self._batch(batch[half:], sentences, decode)
            return
        yield from zip(batch, found, strict=True)

    def _parsed(self, sentences: Sequence[Sequence[Leaf]], decode: str) -> list[Found | None]:
        leaves = Leaves.of(sentences, self.device)
        chart = self.charts.chart(leaves)
        found: list[Found | None] = [None] * len(sentences)
        least, given_up = self.parser.threshold, chart.total <= 0
        # where pruning left no tree, again with a lower threshold
        for limit in dict.fromkeys((least, least * 1e-3, least * 1e-6, 0.0)):
            forest, too_many = self._forest(chart, given_up, limit)
            given_up = given_up | too_many
            trees = dict(self._trees(forest, leaves, chart, decode, sentences))
            for k, tree in trees.items():
                found[k] = tree
            given_up[self.device.put(np.array(list(trees), np.int64))] = True
            if bool(given_up.all()):
                break
        return found

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
        return _Forest(items, edges, levels.tolist()), too_many

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

    def _trees(
        self, forest: _Forest, leaves: Leaves, chart: DeviceChart, decode: str, sentences: Sequence[Sequence[Leaf]]
    ) -> Iterator[tuple[int, Found]]:  # fmt: skip
        """The number of each sentence that has a tree, and its best one."""
        torch, items = self.device.torch, forest.items
        of_items = torch.zeros(len(items), dtype=torch.float64, device=self.device.where)
        of_edges = torch.zeros(len(forest.edges), dtype=torch.float64, device=self.device.where)
        is_tag = items[:, 1] == 0
        whole = (items[:, 1] == leaves.lengths[items[:, 0]] - 1) & (items[:, 2] == 0)
        for fine in self._fine:
            shares, edges = fine.shares(forest, leaves, chart.lift, whole)
            if decode == "phrases":
                of_items += shares.abs()
            else:
                of_items += torch.where(is_tag, shares.abs().clamp(min=LEAST).log(), 0.0)
                of_edges += edges.abs().clamp(min=LEAST).log()
        best, choice = self._best(forest, of_items, of_edges)
        roots = self._roots(whole, items[:, 0], best, len(sentences))
        if not len(roots):
            return
        chosen = self._chosen(forest, roots, choice)
        tree = _Forest(
            items, forest.edges[chosen],
            torch.searchsorted(chosen, self.device.put(np.array(forest.levels))).tolist(),
        )  # fmt: skip
        sizes = torch.stack([
            (fine.inside(tree, leaves, chart.lift, known=True)[roots] * fine.roots[items[roots, 3]]).sum(-1).abs()
            for fine in self._fine
        ]).mean(0)  # fmt: skip
        of = items[roots, 0]
        logs = sizes.log() + leaves.log_scale[of] - leaves.lengths[of] * chart.lift[of].log()
        nodes = _nodes(self.device, tree, roots, sentences)
        for k, root, log in zip(of.tolist(), roots.tolist(), logs.tolist(), strict=True):
            yield k, (nodes[root], log)

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
        found, now = [], roots
        while len(now):
            edges = choice[now]
            edges = edges[edges < len(forest.edges)]
            found.append(edges)
            now = forest.edges[edges, 2:].flatten()
        return torch.cat(found).sort()[0]


def _nodes(
    device: Device, tree: _Forest, roots: Tensor, sentences: Sequence[Sequence[Leaf]]
) -> dict[int, Node]:
    """The nodes of trees by their items, children first."""
    torch = device.torch
    used = torch.cat([roots, tree.edges[:, 1:].flatten()]).unique()
    rows = tree.items[used].tolist()
    nodes = {}
    for item, (sentence, length, first, symbol) in zip(used.tolist(), rows, strict=True):
        if length == 0:
            nodes[item] = Node(symbol, word=sentences[sentence][first].word)
    symbols = dict(zip(used.tolist(), (row[3] for row in rows), strict=True))
    for _, up, left, right in tree.edges.tolist():
        nodes[up] = Node(symbols[up], nodes[left], nodes[right])
    return nodes


class _DeviceFine:
    """A grammar with states on a device."""

    def __init__(self, fine: FineGrammar, device: Device) -> None:
        put = device.put
        self.device, self.dim = device, fine.dim
        m, n = fine.dim, len(fine.tensors)
        # axes: right child, then parent and left child
        self._tensors = put(np.ascontiguousarray(fine.tensors.transpose(0, 3, 1, 2))).reshape(
            n, m, m * m
        )
        self._vectors, self._totals = put(fine.vectors), put(fine.totals)
        self.roots = put(fine.roots)

    def inside(self, forest: _Forest, leaves: Leaves, lift: Tensor, known: bool = False) -> Tensor:
        """The inside vectors of all items; with ``known``, those of words that the lexicon has, as it has them."""
        torch, items = self.device.torch, forest.items
        inside = torch.zeros((len(items), self.dim), dtype=torch.float64, device=self.device.where)
        self._fill_words(inside, items, leaves, lift, known)
        for edges in self._levels(forest):
            blocks = _Blocks(self.device, edges[:, 0])
            left, right = inside[edges[:, 2]], inside[edges[:, 3]]

            def work(
                a: int, b: int, blocks: Any = blocks, left: Tensor = left, right: Tensor = right
            ) -> Tensor:
                part = self._products(blocks, a, b, right)
                return (part * blocks.padded(left, a, b).unsqueeze(-2)).sum(-1)

            inside.index_put_((edges[:, 1],), blocks.run(work, self.dim), accumulate=True)
        return inside

    def shares(
        self, forest: _Forest, leaves: Leaves, lift: Tensor, whole: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The share of each item and edge in the probability of its sentence; can be negative."""
        torch, items, m = self.device.torch, forest.items, self.dim
        inside = self.inside(forest, leaves, lift)
        outside = torch.where(whole[:, None], self.roots[items[:, 3]], 0.0)
        of_edges = []
        for edges in reversed(list(self._levels(forest))):
            blocks = _Blocks(self.device, edges[:, 0])
            up, left, right = outside[edges[:, 1]], inside[edges[:, 2]], inside[edges[:, 3]]

            def work(
                a: int,
                b: int,
                blocks: Any = blocks,
                up: Tensor = up,
                left: Tensor = left,
                right: Tensor = right,
            ) -> Tensor:
                up, left_here = blocks.padded(up, a, b), blocks.padded(left, a, b)
                part = self._products(blocks, a, b, right)
                to_left = (part * up.unsqueeze(-1)).sum(-2)
                both = (up.unsqueeze(-1) * left_here.unsqueeze(-2)).flatten(-2)
                to_right = both @ self._of(blocks, a, b).transpose(-1, -2)
                return torch.cat([to_left, to_right], -1)

            found = blocks.run(work, 2 * m)
            of_edges.append((found[:, :m] * left).sum(-1))
            outside.index_put_((edges[:, 2],), found[:, :m], accumulate=True)
            outside.index_put_((edges[:, 3],), found[:, m:], accumulate=True)
        of_items = (inside * outside).sum(-1)
        total = torch.zeros_like(lift)
        total.index_put_((items[whole, 0],), of_items[whole], accumulate=True)
        factor = torch.where(total.abs() > 1e-300, 1.0 / total, 1.0)
        edges_of = torch.cat([*of_edges[::-1], total[:0]])
        return of_items * factor[items[:, 0]], edges_of * factor[items[forest.edges[:, 1], 0]]

    def _levels(self, forest: _Forest) -> Iterator[Tensor]:
        return (forest.edges[a:b] for a, b in pairwise(forest.levels) if a < b)

    def _of(self, blocks: _Blocks, a: int, b: int) -> Tensor:
        return self._tensors[blocks.rules[a:b]].double()

    def _products(self, blocks: _Blocks, a: int, b: int, right: Tensor) -> Tensor:
        """The tensor of the rule of each edge, with the vector of the right child: parents by left children."""
        found = blocks.padded(right, a, b) @ self._of(blocks, a, b)
        return found.unflatten(-1, (self.dim, self.dim))

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


class _Blocks:
    """Edges of the same rule in blocks of a fixed size; the last one of each rule is padded."""

    def __init__(self, device: Device, rules: Tensor) -> None:
        torch = device.torch
        self.device, self.n = device, len(rules)
        self.order = rules.argsort(stable=True)
        used, counts = rules[self.order].unique_consecutive(return_counts=True)
        n_blocks = (counts + _BLOCK - 1) // _BLOCK
        self.rules = used.repeat_interleave(n_blocks)
        begins = (counts.cumsum(0) - counts).repeat_interleave(counts)
        first = ((n_blocks.cumsum(0) - n_blocks) * _BLOCK).repeat_interleave(counts)
        place = first + torch.arange(self.n, device=device.where) - begins
        self.places = torch.empty_like(place)
        self.places[self.order] = place
        self._edge = torch.full((len(self.rules) * _BLOCK,), self.n, device=device.where)
        self._edge[self.places] = torch.arange(self.n, device=device.where)

    def padded(self, vectors: Tensor, a: int, b: int) -> Tensor:
        """The vectors of the edges of some blocks; anything for padding."""
        rows = self._edge[a * _BLOCK : b * _BLOCK].clamp(max=self.n - 1)
        return vectors[rows].unflatten(0, (b - a, _BLOCK))

    def run(self, work: Any, dim: int) -> Tensor:
        """The rows that ``work`` finds for blocks a to b, in the order of the edges."""
        torch, m = self.device.torch, dim
        size = max(1, _ROOM // (8 * _BLOCK * max(m, 8) ** 2))
        found = [work(a, min(a + size, len(self.rules))) for a in range(0, len(self.rules), size)]
        return torch.cat(found).flatten(0, 1)[self.places]
