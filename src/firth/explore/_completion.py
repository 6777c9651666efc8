"""Completion of the search box: words that match what was typed, the most frequent first."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from firth import progress
from firth.corpus import Vocabulary

__all__ = ["Completion", "fold"]

_CHUNKS = (1 << 14, 1 << 17)
"""The vocabulary is searched in three chunks; the last one only by prefix, not by substring."""


def fold(text: str) -> str:
    """A text as it is compared: without case and accents.

    >>> fold("Čeština")
    'cestina'
    """
    apart = unicodedata.normalize("NFKD", text).lower().replace("ς", "σ")
    return "".join(c for c in apart if unicodedata.category(c) != "Mn")


class Completion:
    """Finds words by prefix, and if there are too few, by substring.

    The vocabulary is ordered by frequency, so the search stops at the first matches, usually after a
    few thousand words.

    Examples
    --------
    >>> import firth
    >>> words = firth.Corpus.from_sentences([["the", "Über", "The", "bathe", "the"]]).vocabulary
    >>> Completion(words).search("th", 3), Completion(words).search("UB", 3)
    ([0, 1, 2], [3])
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        ends = [*(end for end in _CHUNKS if end < len(vocabulary)), len(vocabulary)]
        self._chunks = list(pairwise([0, *ends]))
        self._folded: dict[int, Any] = {}

    def fold_all(self) -> None:
        """Fold all words now; otherwise each chunk is folded when it is first searched."""
        for begin, end in self._chunks:
            self._chunk(begin, end)

    def _chunk(self, begin: int, end: int) -> Any:
        """The folded words of a chunk."""
        import pyarrow.compute as pc

        if begin not in self._folded:
            words = self._vocabulary.words.slice(begin, end - begin)
            apart = pc.utf8_lower(pc.utf8_normalize(words, form="NFKD"))
            apart = pc.replace_substring(
                apart, "ς", "σ"
            )  # the one letter with two lower-case forms
            self._folded[begin] = pc.replace_substring_regex(apart, r"\p{Mn}+", "")
        return self._folded[begin]

    def search(self, text: str, n: int) -> list[int]:
        """The ids of up to ``n`` words: an exact match first, then by frequency."""
        import pyarrow.compute as pc

        exact = self._vocabulary.find(text)
        found = {} if exact is None else {exact: None}
        wanted = fold(text)
        if not wanted:
            return list(found)
        found |= dict.fromkeys(self._scan(pc.starts_with, wanted, n, self._chunks))
        if len(found) < n and len(wanted) > 1:
            some = self._chunks[: len(_CHUNKS)]
            found |= dict.fromkeys(self._scan(pc.match_substring, wanted, n, some))
        return list(found)[:n]

    def _scan(self, fits: Any, wanted: str, n: int, chunks: Sequence[tuple[int, int]]) -> list[int]:
        """The first matches, chunk by chunk until there are enough."""
        found: list[int] = []
        for begin, end in chunks:
            if len(found) < n:
                progress.check_interrupted()
                some = fits(self._chunk(begin, end), wanted).to_numpy(zero_copy_only=False)
                found += (np.flatnonzero(some) + begin).tolist()
        return found[:n]
