"""A slow, obvious twin of counting contexts (Stratos et al. 2014, appendix A; 2015, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def count(
    sentences: Sequence[Sequence[int]],
    n_kept: int,
    n_rows: int,
    offsets: Sequence[int],
    bag: bool,
    weights: str,
) -> list[list[Fraction]]:
    """The matrix of words by contexts: one loop over everything, as the definition has it."""
    n_blocks = 1 if bag else len(offsets)
    reach = max(abs(offset) for offset in offsets)
    matrix = [[Fraction(0)] * (n_rows * n_blocks) for _ in range(n_rows)]
    for sentence in sentences:
        words = [min(word, n_kept) for word in sentence]  # the rest is the one rare symbol
        for i, word in enumerate(words):
            for k, offset in enumerate(offsets):
                j = i + offset
                if 0 <= j < len(words):
                    column = words[j] + (0 if bag else k * n_rows)
                    matrix[word][column] += weight(abs(offset), reach, weights)
    return matrix


def weight(distance: int, reach: int, weights: str) -> Fraction:
    if weights == "distance":
        return Fraction(1, distance)
    if weights == "dynamic":
        return Fraction(reach - distance + 1, reach)
    return Fraction(1)
