"""Short labels for classes: typical words, and what most words have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from firth import unicode

__all__ = ["LEAST_SHARE", "N_LOOKED_AT", "N_WORDS", "RARE", "label_of", "trait"]

RARE = "(rare words)"
N_WORDS = 3
N_LOOKED_AT = 200
LEAST_SHARE = 0.02
_MOST = 0.7
_LEAST = 5
"""Minimum number of words that share a trait."""

_SHAPES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("numbers", lambda word: any(map(unicode.is_digit, word))),
    ("punctuation", lambda word: not any(map(unicode.is_alnum, word))),
    ("capitals", lambda word: unicode.is_upper(word) and len(word) > 1),
    ("capitalised", lambda word: unicode.is_upper(word[:1])),
)


def trait(words: Sequence[str], counts: Sequence[int] | None = None) -> str | None:
    """A shape or an ending that at least 70 % of the tokens have in common, or None.

    >>> trait(["going", "making", "being", "using", "having", "time"])
    '-ing'
    """
    if len(words) < _LEAST:
        return None
    weights = counts if counts is not None and any(counts) else [1] * len(words)
    wanted = _MOST * sum(weights)
    for name, fits in _SHAPES:
        if sum(w for word, w in zip(words, weights, strict=True) if fits(word)) >= wanted:
            return name
    for length in (4, 3, 2):
        endings: Counter[str] = Counter()
        for word, weight in zip(words, weights, strict=True):
            if len(word) > length + 1:
                endings[word[-length:]] += weight
        if endings:
            ending, tokens = endings.most_common(1)[0]
            several = sum(word.endswith(ending) for word in words) >= _LEAST
            if tokens >= wanted and several:
                return f"-{ending}"
    return None


def label_of(typical: Sequence[str], some: Sequence[tuple[str, int]]) -> str:
    """A label from the first typical words, and a trait of more words.

    Punctuation is left out if there are words.

    >>> label_of(["may", "will", "can"], [("may", 5), ("will", 3), ("can", 2), ("could", 1)])
    'may, will, can'
    """
    shared = trait([word for word, _ in some], [count for _, count in some])
    words = [word for word in typical if any(map(unicode.is_alnum, word))]
    typical = (words or typical)[:N_WORDS]
    return ", ".join(typical) + (f" ({shared})" if shared else "")
