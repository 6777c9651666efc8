"""Completion of the search box: words that match what was typed, the most frequent first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from firth import progress
from firth.corpus import Vocabulary
from firth.find import FoldedWords, fold

__all__ = ["Completion"]

_CHUNKS = (1 << 14, 1 << 17)
"""Chunks of the vocabulary are searched one after the other; those after these only by prefix."""


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

    def __init__(self, vocabulary: Vocabulary, language: str | None = None) -> None:
        self._vocabulary = vocabulary
        self.folded = FoldedWords(vocabulary, _CHUNKS, language)

    def fold_all(self) -> None:
        """Fold all words now; otherwise each chunk is folded when it is first searched."""
        for _ in self.folded:
            pass

    def search(self, text: str, n: int) -> list[int]:
        """The ids of up to ``n`` words: an exact match first, then by frequency."""
        import pyarrow.compute as pc

        exact = self._vocabulary.find(text)
        found = {} if exact is None else {exact: None}
        wanted = fold(text, self.folded.language)
        if not wanted:
            return list(found)
        found |= dict.fromkeys(self._scan(pc.starts_with, wanted, n, self.folded.chunks))
        if len(found) < n and len(wanted) > 1:
            some = self.folded.chunks[: len(_CHUNKS)]
            found |= dict.fromkeys(self._scan(pc.match_substring, wanted, n, some))
        return list(found)[:n]

    def _scan(self, fits: Any, wanted: str, n: int, chunks: Sequence[tuple[int, int]]) -> list[int]:
        """The first matches, chunk by chunk until there are enough."""
        found: list[int] = []
        for begin, end in chunks:
            if len(found) < n:
                progress.check_interrupted()
                some = fits(self.folded.chunk(begin, end), wanted).to_numpy(zero_copy_only=False)
                found += (np.flatnonzero(some) + begin).tolist()
        return found[:n]
