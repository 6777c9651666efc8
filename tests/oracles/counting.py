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


Kind = tuple[Sequence[int], bool, int]
"""Offsets, whether they are a bag, and what their counts are divided by."""


def count_kinds(
    sentences: Sequence[Sequence[int]], n_kept: int, n_rows: int, kinds: Sequence[Kind], weights: str
) -> list[list[Fraction]]:  # fmt: skip
    """Matrices of several kinds of contexts, side by side."""
    rows: list[list[Fraction]] = [[] for _ in range(n_rows)]
    for offsets, bag, divisor in kinds:
        matrix = count(sentences, n_kept, n_rows, offsets, bag, weights)
        for row, more in zip(rows, matrix, strict=True):
            row += [x / divisor for x in more]
    return rows


def weight(distance: int, reach: int, weights: str) -> Fraction:
    if weights == "distance":
        return Fraction(1, distance)
    if weights == "dynamic":
        return Fraction(reach - distance + 1, reach)
    return Fraction(1)


def laid_out(
    sentences: Sequence[Sequence[int]], n_kept: int, n_rows: int, reach: int, begin: int, end: int
) -> tuple[list[int], list[list[int]]]:
    """Some tokens and their contexts with blanks around sentences, and the positions of each word."""
    numbered = [(s, min(word, n_kept)) for s, words in enumerate(sentences) for word in words]
    first, last = max(0, begin - reach), min(len(numbered), end + reach)
    tokens: list[int] = [n_rows] * reach
    places: list[list[int]] = [[] for _ in range(n_rows)]
    for i in range(first, last):
        sentence, word = numbered[i]
        if i > first and sentence != numbered[i - 1][0]:
            tokens += [n_rows] * reach
        if begin <= i < end:
            places[word].append(len(tokens))
        tokens.append(word)
    return tokens + [n_rows] * reach, places


def transposed(table: Sequence[Sequence[int]]) -> list[list[int]]:
    """Rows become columns."""
    return [[row[k] for row in table] for k in range(len(table[0]))]
