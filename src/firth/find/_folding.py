"""Words without case and accents, folded chunk by chunk when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from firth import progress, unicode
from firth.corpus import Vocabulary

__all__ = ["FoldedWords", "fold", "fold_words"]

_CHUNK = 1 << 18


def fold_words(words: Any, language: str | None = None) -> Any:
    """An Arrow array of words as they are compared: without case and accents."""
    import pyarrow.compute as pc

    if language in ("tr", "az"):  # in Lithuanian, it is only an accent
        words = pc.replace_substring(pc.replace_substring(words, "I", "ı"), "İ", "i")
    apart = pc.utf8_lower(pc.utf8_normalize(words, form="NFKD"))
    apart = pc.replace_substring(apart, "ς", "σ")  # the one letter with two lower-case forms
    return pc.replace_substring_regex(apart, r"\p{Mn}+", "")


def fold(text: str, language: str | None = None) -> str:
    """A text as it is compared: without case and accents.

    >>> fold("Čeština")
    'cestina'
    """
    import pyarrow as pa

    # a lone surrogate cannot occur in text
    whole = unicode.nfc(text.encode(errors="ignore").decode())
    return str(fold_words(pa.array([whole], pa.large_string()), language)[0].as_py())


class FoldedWords:
    """The words of a vocabulary, folded and kept; the first chunks, of frequent words, are small.

    Parameters
    ----------
    vocabulary : Vocabulary
    first : sequence of int
        Where the first chunks end.
    language : str, optional
        The language whose lower case is meant.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        first: tuple[int, ...] = (1 << 14, 1 << 17),
        language: str | None = None,
    ) -> None:
        self.language = language
        n = len(vocabulary)
        ends = [*(end for end in first if end < n), *range(first[-1] + _CHUNK, n, _CHUNK), n]
        self.chunks = list(pairwise([0, *ends]))
        self._vocabulary = vocabulary
        self._folded: dict[int, Any] = {}

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """The first id of each chunk, and its words."""
        for begin, end in self.chunks:
            progress.check_interrupted()
            yield begin, self.chunk(begin, end)

    def chunk(self, begin: int, end: int) -> Any:
        """The folded words of a chunk."""
        if begin not in self._folded:
            some = self._vocabulary.words.slice(begin, end - begin)
            self._folded[begin] = fold_words(some, self.language)
        return self._folded[begin]
