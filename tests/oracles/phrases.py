"""Sequences of words, counted one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["sequences"]


def sequences(sentences: Sequence[Sequence[str]], longest: int) -> Counter[tuple[str, ...]]:
    """How often each sequence of one to ``longest`` words with a letter or a digit occurs."""
    found: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences:
        for n in range(1, longest + 1):
            for i in range(len(sentence) - n + 1):
                some = tuple(sentence[i : i + n])
                if all(any(c.isalnum() for c in word) for word in some):
                    found[some] += 1
    return found
