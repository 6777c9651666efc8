"""The items and edges of many sentences on a GPU, and a grammar with states that is applied to them.

Edges with the same rule are in blocks of a fixed size, so that the tensors of rules are applied by one batched matrix
product. Sums are in double precision and in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from firth.compute import Device
from firth.grammar._device_chart import Leaves
from firth.grammar._fine import FineGrammar

__all__ = ["DeviceFine", "DeviceForest"]

_BLOCK = 32
"""Edges with the same rule that are multiplied by its tensor at once."""
_ROOM = 1 << 31
"""Bytes that the products of some blocks may take."""

Tensor = Any


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
class DeviceForest:
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
    def of(cls, device: Device, items: Tensor, edges: Tensor, levels: list[int]) -> DeviceForest:
        return cls(items, edges, levels, _Blocks(device, edges, levels))

    def whole(self, leaves: Leaves) -> Tensor:
        """Which items are whole sentences."""
        sentence, length, first, _ = self.items.T
        found: Tensor = (length == leaves.lengths[sentence] - 1) & (first == 0)
        return found


class DeviceFine:
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

    def inside(
        self, forest: DeviceForest, leaves: Leaves, lift: Tensor, known: bool = False
    ) -> Tensor:
        """The inside vectors of all items; with ``known``, those of words that the lexicon has, as it has them."""
        torch, items = self.device.torch, forest.items
        inside = torch.zeros((len(items), self.dim), dtype=torch.float64, device=self.device.where)
        self._fill_words(inside, items, leaves, lift, known)
        blocks = forest.blocks
        for edges, first, last in blocks.levels:
            found = blocks.run(partial(self._up, blocks, inside), self.dim, edges, first, last)
            inside.index_put_((forest.edges[edges, 1],), found, accumulate=True)
        return inside

    def shares(self, forest: DeviceForest, leaves: Leaves, lift: Tensor) -> tuple[Tensor, Tensor]:
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
