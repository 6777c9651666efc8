"""Which words have a part, a stem or an ending."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus import Vocabulary
from firth.morphs._paradigms import Paradigm, stem_and_ending

__all__ = ["Morph", "MorphIndex"]

_SEVERAL = 5
Rows = Sequence[int] | npt.NDArray[np.int64]


class Morph(NamedTuple):
    """A part of a word, and what it is: ``prefix``, ``stem`` or ``suffix``."""

    text: str
    kind: str


class MorphIndex:
    """The words of a morphology by their parts.

    A split is clear if each of its parts is in at least five words, and a stem is its longest part.

    Parameters
    ----------
    words : Vocabulary
    analysed : iterable of sequence of Morph
        The parts of each of them.
    """

    def __init__(self, words: Vocabulary, analysed: Iterable[Sequence[Morph]]) -> None:
        self._words = words
        self._parts: defaultdict[tuple[str, str], array[int]] = defaultdict(lambda: array("I"))
        self._stems: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self._endings: defaultdict[tuple[str, ...], array[int]] = defaultdict(lambda: array("I"))
        self._sizes, clear = array("I"), array("b")
        for row, parts in enumerate(analysed):
            self._sizes.append(len(parts))
            clear.append(max(parts, key=_length).kind == "stem")
            for morph in dict.fromkeys(parts):
                self._parts[morph].append(row)
            stem, ending = stem_and_ending(parts)
            self._stems[stem].append(row)
            self._endings[ending].append(row)
        self._clear = np.array(clear, np.bool_)
        for rows in self._parts.values():
            if len(rows) < _SEVERAL:
                self._clear[rows] = False

    def with_part(self, morph: tuple[str, str]) -> Sequence[int]:
        """The rows of words with a part."""
        return self._parts.get(morph, ())

    def with_ending(self, ending: tuple[str, ...]) -> Sequence[int]:
        """The rows of words with just an ending after their last stem."""
        return self._endings.get(ending, ())

    def with_parts(self, least: int) -> Sequence[int]:
        """The rows of words with at least so many parts."""
        return [row for row, size in enumerate(self._sizes) if size >= least]

    def frequent(self, rows: Rows) -> Iterator[str]:
        """The words of rows, the most frequent first; ties in the order of the rows."""
        chosen = np.asarray(rows, np.int64)
        order = np.argsort(-self._words.counts[chosen].astype(np.int64), kind="stable")
        return (self._words[int(row)] for row in chosen[order])

    def typical(self, rows: Rows) -> Iterator[str]:
        """The words of rows, those with clear splits first, and the most frequent of these."""
        chosen = np.asarray(rows, np.int64)
        clear = self._clear[chosen]
        return chain(self.frequent(chosen[clear]), self.frequent(chosen[~clear]))

    def frequent_stems(self, paradigm: Paradigm, n: int) -> list[str]:
        """The stems of a paradigm whose words are the most frequent, in the order of their spelling."""
        counts = self._words.counts
        weight = {stem: int(counts[self._stems[stem]].sum()) for stem in paradigm.stems}
        return sorted(sorted(weight, key=lambda stem: (-weight[stem], stem))[:n])

    def examples(self, morph: tuple[str, str], n: int) -> list[str]:
        """Typical words with a part: a morph, or its text and kind."""
        return list(islice(self.typical(self.with_part(morph)), n))


def _length(morph: Morph) -> tuple[int, bool]:
    """The length of a part; of parts that are equally long, affixes are the longer ones."""
    return len(morph.text), morph.kind != "stem"
