"""Contexts of a word: positions around it, counted separately, as one bag of words, or both."""

from __future__ import annotations

import math
import re
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from firth.errors import ParameterError, check_choice, wrong_parameter

__all__ = ["Contexts", "WeightName", "parse_contexts"]

WeightName = Literal["none", "distance", "dynamic"]
_WIDEST = 1000
_WIDEST_BY_DISTANCE = 20
_LARGEST_SCALE = 1 << 30
_NAMED = re.compile(r"(L|R|LR|bag)([1-9][0-9]{0,3})", re.IGNORECASE)
_BOTH = re.compile(r"(bag[0-9]+)\+((?:L|R|LR)[0-9]+)(?:/([1-9][0-9]?))?", re.IGNORECASE)
_OFFSETS = re.compile(r"[+-]?[0-9]{1,4}(,[+-]?[0-9]{1,4})*")


@dataclass(frozen=True)
class Contexts:
    """Offsets of the context words, their layout in the matrix, and their weights.

    Attributes
    ----------
    name : str
        ``R1``, ``LR2``, ``bag5``, ``bag5+LR2/4``, or the offsets: ``-2,1``.
    offsets : tuple of int
        Positions relative to the word, never 0: those of a bag, ascending, then those that have a block
        each, ascending.
    blocks : tuple of int
        The block of columns of each offset: one for all offsets of a bag, or one for each offset
        (Stratos et al. 2014, appendix A).
    weights : tuple of int
        What one occurrence at each offset adds: the true weight times ``scale``, an integer.
    scale : int
        What counts must be divided by.
    """

    name: str
    offsets: tuple[int, ...]
    blocks: tuple[int, ...]
    weights: tuple[int, ...]
    scale: int

    @property
    def n_blocks(self) -> int:
        return self.blocks[-1] + 1

    @property
    def bag(self) -> bool:
        """Whether all offsets are counted together."""
        return self.n_blocks == 1 < len(self.offsets)

    @property
    def block_weights(self) -> tuple[int, ...]:
        """What the offsets of each block add together."""
        pairs = list(zip(self.blocks, self.weights, strict=True))
        return tuple(sum(w for b, w in pairs if b == block) for block in range(self.n_blocks))

    def block_of(self, offset: int) -> int | None:
        """The block that has only this offset, if there is one."""
        for block, other in zip(self.blocks, self.offsets, strict=True):
            if other == offset and self.blocks.count(block) == 1:
                return block
        return None

    @property
    def reach(self) -> int:
        """The distance of the furthest context word."""
        return max(abs(offset) for offset in self.offsets)


def parse_contexts(contexts: str | Sequence[int], weights: str = "none") -> Contexts:
    """Parse ``R1``, ``LR2``, ``bag5``, ``bag5+LR2/4``, ``-2,1`` or a list of offsets.

    Parameters
    ----------
    contexts : str or sequence of int
        ``R``, ``L`` or ``LR`` and a number: that many positions to the right, to the left or on both
        sides, each with its own block of columns. ``bag`` and a number: the positions on both sides
        in one block. A bag, ``+`` and positions: both, so that words at these positions are counted twice;
        with ``/4``, a quarter as much by position as in the bag. Otherwise offsets.
    weights : {"none", "distance", "dynamic"}
        ``distance``: a context word at distance d counts 1/d. ``dynamic``: it counts (w - d + 1) / w in
        a window of width w, the average over windows of random width.

    Examples
    --------
    >>> parse_contexts("LR2").offsets, parse_contexts("LR2").n_blocks
    ((-2, -1, 1, 2), 4)
    >>> bag = parse_contexts("bag3", "distance")
    >>> bag.offsets, bag.weights, bag.scale
    ((-3, -2, -1, 1, 2, 3), (2, 3, 6, 6, 3, 2), 6)
    >>> both = parse_contexts("bag2+R1/4")
    >>> both.offsets, both.blocks, both.weights, both.scale
    ((-2, -1, 1, 2, 1), (0, 0, 0, 0, 1), (4, 4, 4, 4, 1), 4)
    """
    check_choice("count", "weights", weights, typing.get_args(WeightName))
    both = _BOTH.fullmatch(contexts.replace(" ", "")) if isinstance(contexts, str) else None
    kinds: list[tuple[str | Sequence[int], int]] = [(contexts, 1)]
    if both:
        kinds = [(both[1], 1), (both[2], int(both[3] or 1))]
    names: list[str] = []
    offsets: list[int] = []
    blocks: list[int] = []
    values: list[Fraction] = []
    for kind, divisor in kinds:
        name, here, bag = _parse_one(kind, contexts)
        first = blocks[-1] + 1 if blocks else 0
        names.append(f"{name}/{divisor}" if divisor > 1 else name)
        offsets += here
        blocks += [first] * len(here) if bag else range(first, first + len(here))
        values += [weight / divisor for weight in _weights(here, weights)]
    scale = math.lcm(*(value.denominator for value in values))
    if scale > _LARGEST_SCALE:
        raise ParameterError(
            f"The weights of the contexts {'+'.join(names)} need too large numbers.",
            "Use another number after the slash, such as 4 or 8.",
        )
    return Contexts(
        "+".join(names), tuple(offsets), tuple(blocks), tuple(int(v * scale) for v in values), scale
    )


def _parse_one(
    contexts: str | Sequence[int], whole: str | Sequence[int]
) -> tuple[str, tuple[int, ...], bool]:
    """The name and offsets of one kind of contexts, and whether they are a bag; ``whole`` is for errors."""
    bag = False
    if isinstance(contexts, str):
        named = _NAMED.fullmatch(contexts.replace(" ", ""))
        if named:
            side, width = named[1].upper(), int(named[2])
            bag = side == "BAG"
            left = range(-width, 0) if side != "R" else ()
            right = range(1, width + 1) if side != "L" else ()
            offsets = (*left, *right)
            name = f"{'bag' if bag else side}{width}"
        elif _OFFSETS.fullmatch(contexts.replace(" ", "")):
            offsets = tuple(int(offset) for offset in contexts.replace(" ", "").split(","))
            name = ""
        else:
            raise _not_contexts(whole)
    else:
        offsets = tuple(int(offset) for offset in contexts)
        name = ""
    if (
        not offsets
        or 0 in offsets
        or len(set(offsets)) < len(offsets)
        or max(map(abs, offsets)) > _WIDEST
    ):
        raise _not_contexts(whole)
    offsets = tuple(sorted(offsets))
    return name or ",".join(map(str, offsets)), offsets, bag


def _weights(offsets: Sequence[int], weights: str) -> list[Fraction]:
    """The weight of a context word at each offset."""
    reach = max(map(abs, offsets))
    if weights == "distance" and reach > _WIDEST_BY_DISTANCE:
        raise ParameterError(
            f"Weights by distance are limited to contexts of {_WIDEST_BY_DISTANCE} positions. "
            f"Got {reach}."
        )
    if weights == "distance":
        return [Fraction(1, abs(offset)) for offset in offsets]
    if weights == "dynamic":
        return [Fraction(reach - abs(offset) + 1, reach) for offset in offsets]
    return [Fraction(1)] * len(offsets)


def _not_contexts(contexts: object) -> ParameterError:
    expected = f"like R1, LR2, bag5, bag5+LR2/4, or distinct nonzero offsets up to {_WIDEST}"
    error = wrong_parameter("count", "contexts", expected, contexts)
    error.hint = (
        "R1 is the next word; LR2 is two words on each side, each position counted separately; "
        "bag5 is five words on each side, counted together; bag5+LR2/4 is both, positions with a quarter "
        "of the weight; or list offsets: -2,1"
    )
    return error
