"""Words that are spelled nearly like another one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from firth import unicode

__all__ = ["near_words"]

_SEARCHED = 1 << 20
"""Only so many of the most frequent words are suggested."""
_LONGEST = 30
_LONG = 5
"""Words of so many letters may have two mistakes."""
_MOST = 1_000


def near_words(words: Any, word: str, n: int = 3) -> list[str]:
    """The words that differ least from a word, regardless of case; the first ones among equals.

    Words of five letters or more may differ in two letters, others in one: left out, added, replaced,
    or swapped with the next.

    Parameters
    ----------
    words : pyarrow.LargeStringArray
        The most frequent first.
    word : str
    n : int
        The most words to give.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["freedom", "freed", "free", "dome"]])
    >>> near_words(corpus.vocabulary.words, "freedm")
    ['freed', 'freedom']
    """
    import pyarrow.compute as pc

    wanted = unicode.lower(word.encode(errors="ignore").decode())
    if not 2 <= len(wanted) <= _LONGEST:
        return []
    some = words.slice(0, _SEARCHED)
    lengths = pc.utf8_length(some).to_numpy(zero_copy_only=False)
    for mistakes in (1, 2)[: 1 + (len(wanted) >= _LONG)]:
        alike = np.flatnonzero(np.abs(lengths.astype(np.int64) - len(wanted)) <= mistakes)
        found = some.take(alike)
        fits = pc.match_substring_regex(found, _pattern(wanted, mistakes), ignore_case=True)
        near = found.filter(fits).slice(0, _MOST).to_pylist()
        apart = {other: _distance(wanted, unicode.lower(other)) for other in near}
        close = [other for other in near if apart[other] <= mistakes]
        if close:
            return sorted(close, key=apart.__getitem__)[:n]
    return []


def _pattern(word: str, mistakes: int) -> str:
    """An expression for all words with so many mistakes, and some others."""
    letters = [f"\\x{{{ord(c):x}}}" for c in word]
    forms = [
        "".join(".{0,2}" if i in places else c for i, c in enumerate(letters))
        for places in combinations(range(len(letters)), mistakes)
    ]
    swapped = [
        "".join([*letters[:i], letters[i + 1], letters[i], *letters[i + 2 :]])
        for i in range(len(letters) - 1)
    ]
    return rf"\A(?s:{'|'.join(forms + swapped)})\z"


def _distance(a: str, b: str) -> int:
    """The number of letters that are left out, added, replaced, or swapped with the next."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row = row, [i, *[0] * len(b)]
        for j, y in enumerate(b, 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], before[j - 2] + 1)
        before = last
    return row[-1]
