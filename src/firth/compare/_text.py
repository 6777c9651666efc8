"""One of two texts: all of a corpus or some of its documents, with its words counted part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from firth.compare._kernels import add_counts, add_dispersion
from firth.corpus import Corpus, Documents
from firth.errors import InputError
from firth.progress import check_interrupted

__all__ = ["Text"]

_STRETCHES = 10
"""A text that is not divided into documents is cut into so many parts of equal size."""
_AT_ONCE = 1 << 22
Integers = npt.NDArray[np.int64]
Dispersion: TypeAlias = tuple[Integers, npt.NDArray[np.float64], npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Text:
    """A text to compare with another.

    Attributes
    ----------
    name : str
    corpus : Corpus
    starts, ends : arrays of int64
        Where its parts begin and end among the tokens of the corpus: documents, or stretches of equal
        size if there is only one document.
    divided : bool
        Whether the parts are documents.
    condition : str
        What selects the documents; empty for all of them.
    """

    name: str
    corpus: Corpus
    starts: Integers
    ends: Integers
    divided: bool
    condition: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        corpus: Corpus,
        documents: Documents | None = None,
        chosen: npt.NDArray[np.bool_] | None = None,
        condition: str = "",
    ) -> Text:
        """All of a corpus, or the ``chosen`` documents."""
        bounds = np.array([0, corpus.n_tokens]) if documents is None else documents.bounds
        some = np.arange(len(bounds) - 1) if chosen is None else np.flatnonzero(chosen)
        if not len(some):
            raise InputError(
                f"No document is selected: {name}.", "Show them: firth corpus documents MODEL"
            )
        starts, ends = bounds[some], bounds[some + 1]
        if len(some) == 1:
            n = max(1, min(_STRETCHES, int(ends[0] - starts[0])))
            edges = np.linspace(starts[0], ends[0], n + 1).astype(np.int64)
            return cls(name, corpus, edges[:-1], edges[1:], False, condition)
        return cls(name, corpus, starts, ends, True, condition)

    @property
    def n_tokens(self) -> int:
        return int((self.ends - self.starts).sum())

    @property
    def n_documents(self) -> int:
        return self.n_parts if self.divided else 1

    @property
    def n_parts(self) -> int:
        return len(self.starts)

    @cached_property
    def ranges(self) -> tuple[Integers, Integers]:
        """Where the text begins and ends among the tokens; parts that follow each other are one range."""
        cuts = np.flatnonzero(self.starts[1:] != self.ends[:-1])
        return self.starts[np.append(0, cuts + 1)], self.ends[np.append(cuts, -1)]

    @cached_property
    def counts(self) -> Integers:
        """How often each word of the corpus occurs in the text."""
        starts, ends = self.ranges
        most = 2 * self.n_tokens > self.corpus.n_tokens
        if most:  # what is left out is counted
            starts, ends = np.append(0, ends), np.append(starts, self.corpus.n_tokens)
        counts = np.zeros(self.corpus.n_types, np.int64)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            for a in range(start, end, _AT_ONCE):
                check_interrupted()
                add_counts(np.asarray(self.corpus.ids[a : min(a + _AT_ONCE, end)]), counts)
        return np.asarray(self.corpus.vocabulary.counts) - counts if most else counts

    def _batches(self) -> Iterator[tuple[list[int], list[int]]]:
        """The bounds of parts, some at a time, as many as have a certain number of tokens."""
        done = np.cumsum(self.ends - self.starts)
        first = 0
        while first < len(done):
            before = done[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(done, before + _AT_ONCE, side="right")))
            yield self.starts[first:last].tolist(), self.ends[first:last].tolist()
            first = last

    @cached_property
    def dispersion(self) -> Dispersion:
        """For each word, in how many parts it occurs, Gries's deviation of proportions and Juilland's D.

        Words that do not occur have a deviation of 1 and a D of 0. With a single part, both say nothing:
        0 and 1.
        """
        return self._dispersion(np.arange(self.corpus.n_types))

    def dispersion_of(self, words: npt.NDArray[Any]) -> Dispersion:
        """The same for some words, given by their ids: of a few, that takes a tenth of the time."""
        if "dispersion" in vars(self):
            parts, deviation, even = self.dispersion
            return parts[words], deviation[words], even[words]
        some, at = np.unique(words, return_inverse=True)
        parts, deviation, even = self._dispersion(some)
        return parts[at], deviation[at], even[at]

    def _dispersion(self, words: npt.NDArray[Any]) -> Dispersion:
        n_parts = self.n_parts
        places = np.full(self.corpus.n_types, -1, np.int32)
        places[words] = np.arange(len(words))
        occur = self.counts[words] > 0
        counts = np.maximum(self.counts[words], 1)
        parts, scratch = np.zeros(len(words), np.int64), np.zeros(len(words), np.int64)
        sums: list[Any] = [np.zeros(len(words)) for _ in range(3)]
        touched = np.zeros(min(len(words), int((self.ends - self.starts).max())), np.int32)
        for starts, ends in self._batches():
            check_interrupted()
            pieces = [self.corpus.ids[a:b] for a, b in zip(starts, ends, strict=True)]
            ids = np.concatenate(pieces)
            last = np.cumsum([len(piece) for piece in pieces])
            add_dispersion(ids, last, self.n_tokens, places, counts, scratch, touched, parts, *sums)
        if n_parts == 1:
            return parts, np.where(occur, 0.0, 1.0), occur.astype(np.float64)
        deviation = np.where(occur, 0.5 * (1 + sums[0]), 1.0)
        mean = sums[1] / n_parts
        spread = np.sqrt(np.maximum(sums[2] / n_parts - mean**2, 0))
        even = 1 - np.divide(spread, mean, out=np.ones(len(words)), where=mean > 0) / np.sqrt(
            n_parts - 1
        )
        return parts, np.clip(deviation, 0, 1), np.where(occur, np.clip(even, 0, 1), 0.0)
