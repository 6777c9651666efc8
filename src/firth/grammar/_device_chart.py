"""Charts of the coarse grammar on a GPU, of many sentences at once.

All spans of a length are done together. The sum over the split points of a span, for all pairs of a left and a right
symbol, is a matrix product; so is the sum over pairs, which gives the parents. Numbers are in double precision, with
the scale factors of ``Parser``, so that the same phrases are pruned as on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Device
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._parser import LIFT, STEP, TINY, TRIES, Leaf

__all__ = ["HINT", "DeviceChart", "DeviceCharts", "Leaves", "batches"]

_ROOM = 1 << 33
"""Bytes of the largest of the arrays of a batch; a sixteenth of the memory if that is less."""
HINT = "Use a smaller grammar, or leave out --device."
_MOST = 512
"""The most sentences of a batch."""

Tensor = Any


@dataclass(frozen=True, eq=False)
class Leaves:
    """The words of some sentences with their possible tags, on a device: a row for each tag of each word.

    Attributes
    ----------
    lengths : tensor of int64, shape (n_sentences,)
    sentence, place, tag, pair : tensor of int64
        ``pair`` is the index in the lexicon; -1 if it is not there.
    p, weight : tensor of float64
        As in ``Leaf``.
    inverse : tensor of float64
        One divided by the scale of the word.
    log_scale : tensor of float64, shape (n_sentences,)
        The logarithm of the product of the scales of the words.
    """

    lengths: Tensor
    sentence: Tensor
    place: Tensor
    tag: Tensor
    pair: Tensor
    p: Tensor
    weight: Tensor
    inverse: Tensor
    log_scale: Tensor

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Leaf]], device: Device) -> Leaves:
        # most words occur several times, and are the same objects
        numbers: dict[int, int] = {}
        of = [numbers.setdefault(id(leaf), len(numbers)) for leaves in sentences for leaf in leaves]
        known = {id(leaf): leaf for leaves in sentences for leaf in leaves}
        different, which = [known[key] for key in numbers], np.array(of)
        all_sizes = np.array([len(leaf.tags) for leaf in different])
        firsts, sizes = (np.cumsum(all_sizes) - all_sizes)[which], all_sizes[which]
        lengths = np.array([len(leaves) for leaves in sentences])
        begins = np.cumsum(lengths) - lengths
        scales = np.array([leaf.scale for leaf in different])[which]
        rows = np.repeat(np.arange(len(which)), sizes)
        places = np.arange(len(rows)) + np.repeat(firsts - np.cumsum(sizes) + sizes, sizes)
        sentence = np.repeat(np.arange(len(lengths)), lengths)

        def joined(name: str) -> npt.NDArray[Any]:
            whole: npt.NDArray[Any] = np.concatenate([getattr(leaf, name) for leaf in different])
            found: npt.NDArray[Any] = whole[places]
            return found

        return cls(
            *map(device.put, (
                lengths, sentence[rows], (np.arange(len(which)) - begins[sentence])[rows], joined("tags"),
                joined("pairs"), joined("p"), joined("weights"), 1.0 / scales[rows],
                np.add.reduceat(np.log(scales), begins),
            ))
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class DeviceChart:
    """The chart of a batch of sentences.

    Attributes
    ----------
    inside, outside : tensor of shape (n_sentences, longest, longest, n_symbols)
        By first word and number of words less one. The product is the probability of the phrase, given the sentence.
    lift : tensor of shape (n_sentences,)
        The scale factor of the words.
    total : tensor of shape (n_sentences,)
        The scaled probability of each sentence; 0 if it has no tree.
    counts : tensor of shape (n_pairs, n_parents) or None
        Expected counts of rules, if they were asked for.
    """

    inside: Tensor
    outside: Tensor
    lift: Tensor
    total: Tensor
    counts: Tensor | None


class DeviceCharts:
    """Makes charts of the coarse grammar."""

    def __init__(self, coarse: CoarseGrammar, device: Device) -> None:
        self.coarse, self.device = coarse, device
        above, left, right = coarse.rules.T
        self._above, parent = np.unique(above, return_inverse=True)
        self._left, first = np.unique(left, return_inverse=True)
        self._right, second = np.unique(right, return_inverse=True)
        pairs, self._pair = np.unique(first * len(self._right) + second, return_inverse=True)
        self._parent = parent
        rules = np.zeros((len(pairs), len(self._above)))
        np.add.at(rules, (self._pair, parent), coarse.p)
        with device.within_memory("the grammar", HINT, rules.nbytes):
            self._places = [device.put(x) for x in (self._above, self._left, self._right, pairs)]
            self._rules, self._roots = device.put(rules), device.put(coarse.roots)

    def room(self, longest: int) -> int:
        """Bytes of the largest array of a sentence: a chart, or the pairs of the spans of a length."""
        charts = 3 * longest * longest * self.coarse.n_symbols
        return 8 * max(charts, longest * len(self._left) * len(self._right))

    def halves(self, batch: list[int], lengths: Sequence[int]) -> list[list[int]]:
        """A batch that was too large for the memory as two, to be taken from the end of a list."""
        self.device.release()
        if len(batch) == 1:
            hint = f"Leave out sentences of more than {lengths[0] * 2 // 3} words, or --device."
            raise self.device.too_small(f"a sentence of {lengths[0]} words", hint)
        half = len(batch) // 2
        return [batch[half:], batch[:half]]

    def of_rules(self, counts: Tensor) -> npt.NDArray[np.float64]:
        """The expected count of each rule, from ``DeviceChart.counts``."""
        return np.asarray(self.device.get(counts)[self._pair, self._parent])

    def chart(
        self, leaves: Leaves, allowed: Tensor | None = None, counting: bool = False
    ) -> DeviceChart:
        """The chart of a batch.

        Parameters
        ----------
        leaves : Leaves
        allowed : tensor of shape (n_sentences, longest, longest), optional
            The spans that can be phrases: 1 at their first word and their number of words less one.
        counting : bool
            Whether to count rules.
        """
        torch = self.device.torch
        n = int(leaves.lengths.max())
        sentences = torch.arange(len(leaves.lengths), device=self.device.where)
        lift = torch.full((len(sentences),), LIFT, dtype=torch.float64, device=self.device.where)
        parts = self._inside(leaves, lift, n, allowed)
        for _ in range(TRIES - 1):
            total = parts[0][sentences, 0, leaves.lengths - 1] @ self._roots
            any_tree = (parts[0][sentences, 0, leaves.lengths - 1] > 0).any(1) | total.isnan()
            bad = any_tree & ~((total > TINY) & (total < 1 / TINY))
            if not bool(bad.any()):
                break
            known = (total > 0) & total.isfinite()
            step = torch.where(total.isnan() | (total > 0), 1 / STEP, STEP)
            step = torch.where(known, total.abs() ** (-1.0 / leaves.lengths), step)
            lift = torch.where(bad, lift * step, lift)
            parts = self._inside(leaves, lift, n, allowed)
        total = parts[0][sentences, 0, leaves.lengths - 1] @ self._roots
        total = torch.where((total > 0) & total.isfinite(), total, 0.0)
        outside, counts = self._outside(parts, leaves.lengths, total, allowed, counting)
        return DeviceChart(parts[0], outside, lift, total, counts)

    def _inside(
        self, leaves: Leaves, lift: Tensor, n: int, allowed: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Inside probabilities; those of left children once more, and of right ones by their last word.

        In the third array, the second axis is the last word, and the third n less the number of words.
        """
        torch, (above, left, right, _) = self.device.torch, self._places
        size = len(leaves.lengths), n, n

        def zeros(width: int) -> Tensor:
            return torch.zeros((*size, width), dtype=torch.float64, device=self.device.where)

        inside = zeros(self.coarse.n_symbols)
        begin, end = zeros(len(left)), zeros(len(right))
        inside[leaves.sentence, leaves.place, 0, leaves.tag] = (
            leaves.p * leaves.inverse * lift[leaves.sentence]
        )
        begin[:, :, 0], end[:, :, n - 1] = inside[:, :, 0][..., left], inside[:, :, 0][..., right]
        for width in range(2, n + 1):
            here = self._pairs(begin, end, width) @ self._rules
            if allowed is not None:
                here = here * allowed[:, : n - width + 1, width - 1, None]
            level = inside[:, : n - width + 1, width - 1]
            level[..., above] = here
            begin[:, : n - width + 1, width - 1] = level[..., left]
            end[:, width - 1 :, n - width] = level[..., right]
        return inside, begin, end

    def _children(self, begin: Tensor, end: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """The left and right children of all spans of a length, by split point: views."""
        n = begin.shape[1]
        return begin[:, : n - width + 1, : width - 1], end[:, width - 1 :, n - width + 1 :]

    def _pairs(self, begin: Tensor, end: Tensor, width: int) -> Tensor:
        """For all spans of a length, the sum over split points, for each pair of children."""
        first, second = self._children(begin, end, width)
        both = first.transpose(-1, -2) @ second
        return both.flatten(-2)[..., self._places[3]]

    def _outside(
        self, parts: tuple[Tensor, Tensor, Tensor], lengths: Tensor, total: Tensor, allowed: Tensor | None,
        counting: bool,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """Outside probabilities, divided by that of the sentence; expected counts of rules."""
        torch, (inside, begin, end) = self.device.torch, parts
        above, left, right, pairs = self._places
        n, sentences = inside.shape[1], torch.arange(len(total), device=self.device.where)
        outside, as_left, as_right = map(torch.zeros_like, parts)
        share = torch.where(total > 0, 1.0 / total, 0.0)
        outside[sentences, 0, lengths - 1] = share[:, None] * self._roots
        counts = torch.zeros_like(self._rules) if counting else None
        for width in range(n, 0, -1):
            spans = slice(0, n - width + 1)
            level = outside[:, spans, width - 1]
            level[..., left] += as_left[:, spans, width - 1]
            level[..., right] += as_right[:, width - 1 :, n - width]
            level *= inside[:, spans, width - 1] > 0
            if width == 1:
                break
            around = level[..., above]
            if allowed is not None:
                around = around * allowed[:, spans, width - 1, None]
            if counts is not None:
                counts += self._pairs(begin, end, width).flatten(0, 1).T @ around.flatten(0, 1)
            first, second = self._children(begin, end, width)
            down = torch.zeros(
                (*around.shape[:2], len(left) * len(right)), dtype=torch.float64, device=self.device.where
            )  # fmt: skip
            down[..., pairs] = around @ self._rules.T
            down = down.unflatten(-1, (len(left), len(right)))
            as_left[:, spans, : width - 1] += second @ down.transpose(-1, -2)
            as_right[:, width - 1 :, n - width + 1 :] += first @ down
        return outside, None if counts is None else counts * self._rules


def batches(lengths: Sequence[int], charts: DeviceCharts) -> Iterator[list[int]]:
    """The numbers of sentences that make a batch: of like length, the longest first."""
    order = sorted(range(len(lengths)), key=lambda k: (-lengths[k], k))
    # not what is free now, so that sums are the same the next time
    first, room = 0, min(_ROOM, charts.device.memory()[1] // 16)
    while first < len(order):
        size = min(_MOST, max(1, room // charts.room(lengths[order[first]])))
        yield order[first : first + size]
        first += size
