"""Measures of corpus linguistics, straight from their formulas."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def log_likelihood(a: int, b: int, n_a: int, n_b: int) -> float:
    """Dunning's G2 of a table of two by two: twice the sum of O ln (O / E)."""
    table = [[a, b], [n_a - a, n_b - b]]
    total = n_a + n_b
    result = 0.0
    for row in table:
        for j, column in enumerate((n_a, n_b)):
            expected = sum(row) * column / total
            if row[j]:
                result += 2 * row[j] * math.log(row[j] / expected)
    return result


def deviation_of_proportions(word: str, parts: Sequence[Sequence[str]]) -> float:
    """Gries's DP: half of the sum of |v - s| over all parts."""
    total = sum(map(len, parts))
    count = sum(part.count(word) for part in parts)
    return 0.5 * sum(abs(part.count(word) / count - len(part) / total) for part in parts)


def juilland_d(word: str, parts: Sequence[Sequence[str]]) -> float:
    """Juilland's D of relative frequencies: 1 - V / sqrt(n - 1), V the coefficient of variation."""
    shares = [part.count(word) / len(part) for part in parts]
    mean = sum(shares) / len(shares)
    spread = math.sqrt(sum((share - mean) ** 2 for share in shares) / len(shares))
    return max(0.0, 1 - spread / mean / math.sqrt(len(parts) - 1))


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """The smallest p n / rank of all values that are at least as large, at most 1."""
    ordered = sorted(values)
    return [
        min(1.0, *(p * len(values) / (rank + 1) for rank, p in enumerate(ordered) if p >= value))
        for value in values
    ]


def counts(parts: Sequence[Sequence[str]]) -> Counter[str]:
    return Counter(word for part in parts for word in part)
