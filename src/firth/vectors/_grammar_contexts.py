"""The matrix of grammatical vectors: words by the words around them, and by their own spelling.

Context words are lower-cased, so ``The`` and ``the`` are one context. Those that are rarer than the words
of the vocabulary are one context for each shape, instead of one for all. Two more kinds of columns describe
the word itself: its shape, and its suffixes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.compute import Engine
from firth.corpus import Corpus, Vocabulary
from firth.counts import Counts, Entries
from firth.store import Room
from firth.vectors._template import Margins, Template

__all__ = ["GrammarContexts", "contexts_of_types", "spelling_matrix", "word_shape"]

_SUFFIXES = (1, 2, 3)
_SHAPES = ("other", "capitalised", "number", "mark", "hyphen")
_TOKENS_AT_ONCE, _TYPES_AT_ONCE = 1 << 22, 1 << 17
_ROWS, _ENTRIES_AT_ONCE = 1 << 12, 1 << 20

Ids = npt.NDArray[np.int64]


def word_shape(word: str) -> str:
    """A coarse shape that scripts without case have too: number, mark, capitalised, hyphen or other.

    >>> [word_shape(word) for word in ("1987", "!?", "Paris", "well-known", "dog", "犬")]
    ['number', 'mark', 'capitalised', 'hyphen', 'other', 'other']
    """
    if unicode.is_alpha(word):  # most words
        return "capitalised" if unicode.is_upper(word[:1]) else "other"
    if any(map(unicode.is_digit, word)):
        return "number"
    if not any(map(unicode.is_alpha, word)):
        return "mark"
    if unicode.is_upper(word[:1]):
        return "capitalised"
    return "hyphen" if "-" in word else "other"


def contexts_of_types(words: Vocabulary, n_kept: int) -> Ids:
    """The context that each type of a corpus stands for, as a number; the first ``n_kept`` are the vocabulary.

    They are numbered as they first occur. Types that differ in case alone are one context if they occur
    together as often as the rarest word of the vocabulary. All others are one context for each shape.
    """
    import pyarrow as pa

    lower, shapes = [], np.empty(len(words), np.int32)
    for a in range(0, len(words), _TYPES_AT_ONCE):
        some = words.words[a : a + _TYPES_AT_ONCE].to_pylist()
        lower.append(pa.array([unicode.lower(word) for word in some], pa.large_string()))
        shapes[a : a + len(some)] = [_SHAPES.index(word_shape(word)) for word in some]
    plain = pa.chunked_array(lower).combine_chunks().dictionary_encode().indices.to_numpy()
    together = np.bincount(plain, np.asarray(words.counts, np.float64))
    is_rare = together[plain] < int(words.counts[n_kept - 1])
    keys = np.where(is_rare, len(together) + shapes, plain)
    _, first, of = np.unique(keys, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[of]


def spelling_matrix(words: list[str], shape: float, suffix: float) -> Any:
    """Pseudocounts of the shape and the suffixes of each word, as a CSR array of float64.

    A suffix is shorter than the word, and lower-cased.
    """
    from scipy.sparse import csr_array

    numbers: dict[tuple[int, str], int] = {}
    indices: list[int] = []
    data: list[float] = []
    indptr = [0]
    for word in words:
        lower = unicode.lower(word)
        signs = [(0, word_shape(word))] if shape else []
        if suffix:
            signs += [(n, lower[-n:]) for n in _SUFFIXES if len(lower) > n]
        indices += [numbers.setdefault(sign, len(numbers)) for sign in signs]
        data += [suffix if n else shape for n, _ in signs]
        indptr.append(len(indices))
    entries = np.array(data, np.float64), np.array(indices, np.int32), np.array(indptr, np.int64)
    return csr_array(entries, shape=(len(words), len(numbers)))


@dataclass(frozen=True)
class GrammarContexts:
    """What is counted around the words of a vocabulary.

    Attributes
    ----------
    counts : Counts
        In LR2 contexts, with one rare symbol.
    of_types : array of int64
        The context of each type of the corpus.
    rare : CSR array
        Counts of contexts whose types are not in the vocabulary, in the columns of the matrix.
    """

    counts: Counts
    of_types: Ids
    rare: Any

    @classmethod
    def of(cls, counts: Counts, corpus: Corpus) -> GrammarContexts:
        of_types = contexts_of_types(corpus.vocabulary, counts.n_words)
        return cls(counts, of_types, _rare_contexts(counts, corpus, of_types))

    @property
    def n_contexts(self) -> int:
        """The number of contexts at each position."""
        return int(self.of_types.max()) + 1

    def matrix(
        self, far: float, classes: Ids | None, spelling: Any, template: Template, engine: Engine, room: Room
    ) -> Entries:  # fmt: skip
        """The matrix that is decomposed, in arrays of ``room``: words by contexts, and by ``spelling``.

        If the ``classes`` of the words are given, there are as many more columns for each position: how often
        a word of each class is there.
        """
        from scipy.sparse import csr_array, hstack

        counts = self.counts
        n, blocks, kept = counts.n_rows, counts.contexts.n_blocks, counts.n_words
        groups = [(self.of_types[:kept], self.n_contexts)]
        groups += [] if classes is None else [(classes, int(classes.max()) + 1)]
        near = np.array([1.0 if abs(offset) == 1 else far for offset in counts.contexts.offsets])
        sides = [(_indicator(of, n, blocks, m), np.repeat(near, m)) for of, m in groups]

        def some(rows: slice) -> Any:
            here, found = _rows(counts, rows), []
            for k, (indicator, weights) in enumerate(sides):
                grouped = here @ indicator
                found.append((grouped if k else grouped + self.rare[rows]) * weights)
            part = csr_array(hstack([*found, spelling[rows]]))
            part.eliminate_zeros()
            part.sort_indices()
            return part

        indptr = np.asarray(counts.entries.indptr[: kept + 1])
        most = int(indptr[-1]) + self.rare.nnz + spelling.nnz
        most += 0 if classes is None else kept * sides[-1][0].shape[1]
        width = sum(indicator.shape[1] for indicator, _ in sides) + spelling.shape[1]
        pieces = _pieces(indptr)
        whole, margins = _joined(engine.map(some, pieces), pieces, (kept, width), most, room)
        _scale(whole, margins, pieces, template, engine)
        return whole


def _joined(
    parts: Iterable[Any], pieces: list[slice], shape: tuple[int, int], most: int, room: Room
) -> tuple[Entries, Margins]:
    """A matrix of at most so many entries, from CSR arrays of its rows; and the sums of rows and columns."""
    indptr, sums, columns = np.zeros(shape[0] + 1, np.int64), np.zeros(shape[0]), np.zeros(shape[1])
    indices, data = room.empty(most, np.int32), room.empty(most)
    end = 0
    for rows, part in zip(pieces, parts, strict=True):
        begin, end = end, end + part.nnz
        indptr[rows.start + 1 : rows.stop + 1] = begin + part.indptr[1:]
        indices[begin:end], data[begin:end] = part.indices, part.data
        sums[rows] = part.sum(axis=1)
        columns += part.sum(axis=0)
    return Entries(indptr, indices[:end], data[:end], shape), Margins(sums, columns)


def _scale(
    matrix: Entries, sums: Margins, pieces: list[slice], template: Template, engine: Engine
) -> None:
    """Square roots of counts, by those of their rows and columns, in place."""
    indptr, indices, data, _ = matrix
    margins = Margins(template.apply(sums.words), template.apply(sums.contexts))
    left, right = template.factors(margins)

    def scale(rows: slice) -> None:
        here = slice(int(indptr[rows.start]), int(indptr[rows.stop]))
        of_rows = np.repeat(left[rows], np.diff(indptr[rows.start : rows.stop + 1]))
        data[here] = of_rows * template.apply(data[here]) * right[indices[here]]

    engine.each(scale, pieces)


def _pieces(indptr: npt.NDArray[np.int64]) -> list[slice]:
    """Rows with about as many entries as are worked on at once, at least one."""
    n = len(indptr) - 1
    cuts = np.searchsorted(indptr, np.arange(_ENTRIES_AT_ONCE, int(indptr[-1]), _ENTRIES_AT_ONCE))
    edges = np.unique([0, *cuts.tolist(), n, *range(0, n, _ROWS)]).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]


def _rows(counts: Counts, rows: slice) -> Any:
    from scipy.sparse import csr_array

    indptr, indices, data, shape = counts.entries
    a, b = int(indptr[rows.start]), int(indptr[rows.stop])
    entries = data[a:b].astype(np.float64), indices[a:b], indptr[rows.start : rows.stop + 1] - a
    return csr_array(entries, shape=(rows.stop - rows.start, shape[1]))


def _indicator(groups: Ids, n_rows: int, n_blocks: int, n_groups: int) -> Any:
    """Which column of a block belongs to which group; the rare symbol belongs to none."""
    from scipy.sparse import csr_array, eye_array, kron

    ones = np.ones(len(groups)), (np.arange(len(groups)), groups)
    return csr_array(kron(eye_array(n_blocks), csr_array(ones, shape=(n_rows, n_groups))))


def _rare_contexts(counts: Counts, corpus: Corpus, of_types: Ids) -> Any:
    """Counts of the contexts whose types are not in the vocabulary, a few tokens at a time."""
    from scipy.sparse import coo_array, csr_array

    n_kept, width = counts.n_words, int(of_types.max()) + 1
    shape = n_kept, width * counts.contexts.n_blocks
    total = csr_array(shape, dtype=np.float64)
    ends, n_tokens = corpus.ends, corpus.n_tokens
    for start in range(0, n_tokens, _TOKENS_AT_ONCE):
        places = start + np.flatnonzero(corpus.ids[start : start + _TOKENS_AT_ONCE] >= n_kept)
        first, last = np.zeros_like(places), np.full_like(places, n_tokens)
        if not counts.parameters.across_lines:
            sentences = np.searchsorted(ends, places, side="right")
            last = np.asarray(ends[sentences])
            first = np.where(sentences > 0, ends[np.maximum(sentences - 1, 0)], 0)
        for block, offset in enumerate(counts.contexts.offsets):
            at = places - offset
            inside = (at >= first) & (at < last)
            words = np.asarray(corpus.ids[at[inside]]).astype(np.int64)
            known = words < n_kept
            columns = of_types[corpus.ids[places[inside][known]]] + block * width
            ones = np.ones(len(columns))
            total = total + csr_array(coo_array((ones, (words[known], columns)), shape=shape))
    return total
