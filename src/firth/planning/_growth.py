"""How a quantity grows with the text: a power law, fitted to nested samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Growth"]

_DAMPING = 0.7
"""The exponent of types and of pairs falls as text grows, and falls ever less."""
_STEEPEST = 1.2


@dataclass(frozen=True)
class Growth:
    """A quantity that grows with a power of the length of the text.

    The exponent is that between the two largest samples. If it was larger between smaller ones, it goes
    on to fall.

    Examples
    --------
    >>> round(Growth.of([1e6, 4e6, 16e6], [1e3, 2e3, 4e3]).at(64e6))
    8000
    """

    length: float
    value: float
    exponent: float
    decline: float
    step: float
    """The exponent declines once for each step of the logarithm of the length."""

    @classmethod
    def of(cls, lengths: Sequence[float], values: Sequence[float]) -> Growth:
        """Fit the law to nested samples, the largest last; those that have nothing are left out."""
        points = [
            (math.log(length), math.log(value))
            for length, value in zip(lengths, values, strict=True)
            if value > 0
        ]
        slopes = [(v - u) / (b - a) for (a, u), (b, v) in pairwise(points) if b - a > 0.1]
        slopes = [min(max(slope, 0.0), _STEEPEST) for slope in slopes] or [1.0]
        decline = max(0.0, slopes[-2] - slopes[-1]) if len(slopes) > 1 else 0.0
        step = points[-1][0] - points[-2][0] if len(points) > 1 else 1.0
        return cls(lengths[-1], values[-1], slopes[-1], decline, max(step, 0.1))

    def at(self, length: float) -> float:
        """The quantity in a text of some length."""
        if length <= self.length:
            return self.value * math.pow(length / self.length, self.exponent)
        left, grown = math.log(length / self.length), 0.0
        exponent, decline = self.exponent, self.decline
        while left > 0:
            decline *= _DAMPING
            exponent = max(0.0, exponent - decline)
            grown += exponent * min(left, self.step)
            left -= self.step
        return self.value * math.exp(grown)
