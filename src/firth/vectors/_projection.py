"""Vectors for new words, computed from their contexts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD
from firth.corpus import Corpus, Vocabulary
from firth.counts import Contexts, CountsParameters
from firth.errors import InputError, WordError, check_count
from firth.store import Part, write_array
from firth.vectors._guesser import mix
from firth.vectors._parameters import VectorsParameters
from firth.vectors._template import Margins, Template

if TYPE_CHECKING:
    from firth.vectors._word_vectors import WordVectors

__all__ = ["CONTEXTS", "MARGINS", "Projection"]

CONTEXTS, MARGINS = "contexts.f32", "margins.f64"
_TOKENS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Projection:
    """Maps counts of contexts to vectors: Ω·V·Σ^(β−1), where V are the right singular vectors.

    For the counts of a trained word this gives its trained vector.
    """

    vocabulary: Vocabulary
    """The trained words, which are also the contexts."""
    contexts: Contexts
    template: Template
    margins: npt.NDArray[np.float64]
    """t(#(c) + κ) of every column."""
    right: npt.NDArray[np.float32]
    """The right singular vectors, a row for every column of the matrix of counts."""
    values: npt.NDArray[np.float64]
    across_lines: bool
    spelling: float = 0.0
    """The count at which the vector of a word is half a guess from its spelling; 0 for no guesses."""

    @property
    def n_rows(self) -> int:
        """Words and, if there is one, the rare symbol."""
        return len(self.margins) // self.contexts.n_blocks

    @property
    def has_rare(self) -> bool:
        return self.n_rows > len(self.vocabulary)

    def vectors(self, counts: Any) -> npt.NDArray[np.float32]:
        """Unit vectors from a CSR array of counts, a row for each word; zero rows stay zero."""
        rows = np.asarray(counts.sum(axis=1), np.float64).reshape(-1, 1)
        margins = Margins(self.template.word_margins(rows, self.contexts), self.margins)
        omega = self.template.matrix(counts, self.contexts.scale, margins)
        vectors = (omega @ self.right) * self.values ** (self.template.beta - 1)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = (vectors / np.where(lengths > 0, lengths, 1)).astype(
            np.float32
        )
        return unit

    def fold_in(
        self, known: WordVectors, corpus: Corpus, words: Sequence[str] | None, min_count: int
    ) -> WordVectors:
        """See ``WordVectors.fold_in``."""
        import pyarrow as pa

        from firth.vectors._word_vectors import WordVectors

        check_count("WordVectors.fold_in", "min_count", min_count)
        here = corpus.vocabulary
        columns = self.vocabulary.ids(list(here))
        if words is None:
            named = known.vocabulary.ids(list(here))
            wanted = [i for i in range(here.n_kept(min_count)) if named[i] is None]
        else:
            found = {word: here.find(word) for word in words}
            for word, i in found.items():
                if i is None:
                    raise WordError(f"The word {word!r} is not in the text.")
            wanted = sorted(
                {i for i in found.values() if i is not None and here.counts[i] >= min_count}
            )
        if not wanted:
            raise InputError(
                "The text has no new words.",
                "Words that have a vector are skipped unless they are named; so are words below --min-count.",
            )
        vectors = self.vectors(self._count(corpus, np.array(wanted), columns))
        vocabulary = Vocabulary(here.words.take(pa.array(wanted)), here.counts[np.array(wanted)])
        if self.spelling:
            mix(vectors, vocabulary, known.require_guesser(), self.spelling, ONE_THREAD)
        return WordVectors(vocabulary, vectors, made={**known.made, "folded_in": True})

    def _count(
        self, corpus: Corpus, wanted: npt.NDArray[np.int64], columns: Sequence[int | None]
    ) -> Any:
        """The contexts of some words in a text, in the columns of the learned matrix."""
        from scipy.sparse import coo_array, csr_array

        rare = self.n_rows - 1 if self.has_rare else -1
        column_of = np.array([rare if i is None else i for i in columns], np.int64)
        row_of = np.full(corpus.n_types, -1, np.int64)
        row_of[wanted] = np.arange(len(wanted))
        shape = (len(wanted), len(self.margins))
        total = csr_array(shape, dtype=np.int64)
        for start in range(0, corpus.n_tokens, _TOKENS_AT_ONCE):
            rows = row_of[corpus.ids[start : start + _TOKENS_AT_ONCE]]
            here = np.flatnonzero(rows >= 0)
            entries = self._entries(corpus, here + start, rows[here], column_of)
            total += csr_array(coo_array(entries, shape=shape))
        return total

    def _entries(
        self, corpus: Corpus, places: Any, rows: Any, column_of: Any
    ) -> tuple[Any, tuple[Any, Any]]:
        """Weights, rows and columns of all contexts of the tokens at some positions."""
        first, last = np.zeros_like(places), np.full_like(places, corpus.n_tokens)
        if not self.across_lines:
            sentences = np.searchsorted(corpus.ends, places, side="right")
            last = np.asarray(corpus.ends[sentences])
            first = np.where(sentences > 0, corpus.ends[np.maximum(sentences - 1, 0)], 0)
        found = []
        # one offset at a time, all tokens at once
        contexts = self.contexts
        for offset, block, weight in zip(
            contexts.offsets, contexts.blocks, contexts.weights, strict=True
        ):
            there = places + offset
            inside = (there >= first) & (there < last)
            columns = column_of[corpus.ids[there[inside]]]
            kept = columns >= 0
            of = rows[inside][kept]
            found.append(
                (np.full(len(of), weight, np.int64), of, columns[kept] + block * self.n_rows)
            )
        data, of, at = map(np.concatenate, zip(*found, strict=True))
        return data, (of, at)

    def save(self, folder: Path) -> None:
        write_array(folder / CONTEXTS, self.right)
        write_array(folder / MARGINS, self.margins)

    @classmethod
    def load(
        cls, part: Part, values: npt.NDArray[np.float64], vocabulary: Vocabulary
    ) -> Projection:
        """Memory-map the files of a part of a model; the rest follows from its parameters."""
        counted = CountsParameters.restored(part.parameters)
        parameters = VectorsParameters.restored(part.parameters)
        contexts, template = counted.parsed(), Template.of(parameters)
        margins = part.array(MARGINS, (-1, contexts.n_blocks), 0, math.inf, copy=True).reshape(-1)
        part.require(
            0 <= len(margins) // contexts.n_blocks - len(vocabulary) <= 1,
            "words and contexts do not match",
        )
        right = part.array(CONTEXTS, (len(margins), len(values)), -math.inf, math.inf)
        return cls(
            vocabulary, contexts, template, margins, right, values, counted.across_lines,
            parameters.spelling_for(len(vocabulary)),
        )  # fmt: skip
