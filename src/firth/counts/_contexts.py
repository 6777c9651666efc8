"""Contexts of a word: positions around it, counted separately or as one bag of words."""

from __future__ import annotations

import math
import re
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from firth.errors import ParameterError, check_choice, wrong_parameter

__all__ = ["Contexts", "WeightName", "parse_contexts"]

WeightName = Literal["none", "distance", "dynamic"]
_WIDEST = 1000
_WIDEST_BY_DISTANCE = 20
_NAMED = re.compile(r"(L|R|LR|bag)([1-9][0-9]{0,3})", re.IGNORECASE)
_OFFSETS = re.compile(r"[+-]?[0-9]{1,4}(,[+-]?[0-9]{1,4})*")


@dataclass(frozen=True)
class Contexts:
    """Offsets of the context words, their layout in the matrix, and their weights.

    Attributes
    ----------
    name : str
        ``R1``, ``LR2``, ``bag5``, or the offsets: ``-2,1``.
    offsets : tuple of int
        Positions relative to the word, ascending, never 0.
    bag : bool
        One block of columns for all offsets together, or a block for each (Stratos et al. 2014,
        appendix A).
    weights : tuple of int
        What one occurrence at each offset adds: the true weight times ``scale``, an integer.
    scale : int
        What counts must be divided by.
    """

    name: str
    offsets: tuple[int, ...]
    bag: bool
    weights: tuple[int, ...]
    scale: int

    @property
    def n_blocks(self) -> int:
        return 1 if self.bag else len(self.offsets)

    @property
    def reach(self) -> int:
        """The distance of the furthest context word."""
        return max(abs(offset) for offset in self.offsets)


def parse_contexts(contexts: str | Sequence[int], weights: str = "none") -> Contexts:
    """Parse ``R1``, ``LR2``, ``bag5``, ``-2,1`` or a list of offsets.

    Parameters
    ----------
    contexts : str or sequence of int
        ``R``, ``L`` or ``LR`` and a number: that many positions to the right, to the left or on both
        sides, each with its own block of columns. ``bag`` and a number: the positions on both sides
        in one block. Otherwise offsets.
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
    """
    check_choice("count", "weights", weights, typing.get_args(WeightName))
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
            raise _not_contexts(contexts)
    else:
        offsets = tuple(int(offset) for offset in contexts)
        name = ""
    if (
        not offsets
        or 0 in offsets
        or len(set(offsets)) < len(offsets)
        or max(map(abs, offsets)) > _WIDEST
    ):
        raise _not_contexts(contexts)
    offsets = tuple(sorted(offsets))
    reach = max(map(abs, offsets))
    if weights == "distance" and reach > _WIDEST_BY_DISTANCE:
        raise ParameterError(
            f"Weights by distance are limited to contexts of {_WIDEST_BY_DISTANCE} positions. "
            f"Got {reach}."
        )
    scale = {"none": 1, "distance": math.lcm(*map(abs, offsets)), "dynamic": reach}[weights]
    distances = [abs(offset) for offset in offsets]
    if weights == "distance":
        values = [scale // distance for distance in distances]
    elif weights == "dynamic":
        values = [reach - distance + 1 for distance in distances]
    else:
        values = [1] * len(offsets)
    return Contexts(name or ",".join(map(str, offsets)), offsets, bag, tuple(values), scale)


def _not_contexts(contexts: object) -> ParameterError:
    expected = f"like R1, LR2, bag5, or distinct nonzero offsets up to {_WIDEST}"
    error = wrong_parameter("count", "contexts", expected, contexts)
    error.hint = (
        "R1 is the next word; LR2 is two words on each side, each position counted separately; "
        "bag5 is five words on each side, counted together; or list offsets: -2,1"
    )
    return error
