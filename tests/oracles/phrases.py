"""Sequences of words, counted one by one, and phrases joined one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["joined", "sequences"]


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


def joined(sentences: Sequence[Sequence[str]], phrases: Sequence[Sequence[str]]) -> list[list[str]]:
    """Sentences with phrases as tokens: at each word, from left to right, the longest that begins there."""
    found = []
    for sentence in sentences:
        tokens: list[str] = []
        rest = list(sentence)
        while rest:
            fits = [list(p) for p in phrases if rest[: len(p)] == list(p)]
            longest = max([rest[:1], *fits], key=len)
            tokens.append("_".join(longest))
            rest = rest[len(longest) :]
        found.append(tokens)
    return found
