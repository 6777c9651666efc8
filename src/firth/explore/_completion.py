"""Words that begin with what was typed, the most frequent first, while one is typing."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from firth.corpus import Vocabulary

__all__ = ["Completion", "fold"]

_CHUNKS = (1 << 14, 1 << 17)
_SEARCHED = 1 << 17
"""Only so many words are searched for a piece in their midst."""


def fold(text: str) -> str:
    """A text as it is compared: case and accents do not matter.

    >>> fold("Čeština")
    'cestina'
    """
    apart = unicodedata.normalize("NFKD", text).lower().replace("ς", "σ")
    return "".join(c for c in apart if unicodedata.category(c) != "Mn")


class Completion:
    """Looks words up by their beginning, else by any piece of them.

    The vocabulary is in the order of frequency, so the search ends with the first words that fit:
    most often that is after a few thousand.

    Examples
    --------
    >>> import firth
    >>> words = firth.Corpus.from_sentences([["the", "Über", "The", "bathe", "the"]]).vocabulary
    >>> Completion(words).search("th", 3), Completion(words).search("UB", 3)
    ([0, 1, 2], [3])
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        import pyarrow.compute as pc

        apart = pc.utf8_lower(pc.utf8_normalize(vocabulary.words, form="NFKD"))
        apart = pc.replace_substring(apart, "ς", "σ")  # the one letter with two small forms
        self._folded = pc.replace_substring_regex(apart, r"\p{Mn}+", "")
        self._vocabulary = vocabulary

    def search(self, text: str, n: int) -> list[int]:
        """The ids of up to ``n`` words: the very word first, then by frequency."""
        import pyarrow.compute as pc

        exact = self._vocabulary.find(text)
        found = {} if exact is None else {exact: None}
        wanted = fold(text)
        if not wanted:
            return list(found)
        found |= dict.fromkeys(self._scan(pc.starts_with, wanted, n, len(self._folded)))
        if len(found) < n and len(wanted) > 1:
            found |= dict.fromkeys(self._scan(pc.match_substring, wanted, n, _SEARCHED))
        return list(found)[:n]

    def _scan(self, fits: Any, wanted: str, n: int, last: int) -> list[int]:
        """The first words that fit, looking at more and more words as long as there are too few."""
        found: list[int] = []
        at = 0
        for end in (*_CHUNKS, last):
            if at < end and len(found) < n:
                some = fits(self._folded.slice(at, end - at), wanted)
                found += (np.flatnonzero(some.to_numpy(zero_copy_only=False)) + at).tolist()
                at = end
        return found[:n]
