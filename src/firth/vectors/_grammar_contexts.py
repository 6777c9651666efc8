"""The matrix of grammatical vectors: words by the words around them, and by their own spelling.

Context words are lower-cased, so ``The`` and ``the`` are one context. Those that are rarer than the words
of the vocabulary are one context for each shape, instead of one for all. Two more kinds of columns describe
the word itself: its shape, and its suffixes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts import Counts
from firth.vectors._template import Margins, Template

__all__ = ["GrammarContexts", "contexts_of_types", "scaled", "spelling_matrix", "word_shape"]

_SUFFIXES = (1, 2, 3)
_TOKENS_AT_ONCE = 1 << 22
_ROWS = 1 << 12

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


def contexts_of_types(words: list[str], counts: npt.NDArray[Any], n_kept: int) -> Ids:
    """The context that each type of a corpus stands for, as a number; the first ``n_kept`` are the vocabulary.

    Types that differ in case alone are one context if they occur together as often as the rarest word of
    the vocabulary. All others are one context for each shape.
    """
    lower = [unicode.lower(word) for word in words]
    together: Counter[str] = Counter()
    for word, n in zip(lower, counts.tolist(), strict=True):
        together[word] += n
    least = int(counts[n_kept - 1])
    numbers: dict[tuple[bool, str], int] = {}
    found = np.empty(len(words), np.int64)
    for i, (word, plain) in enumerate(zip(words, lower, strict=True)):
        is_rare = together[plain] < least
        key = is_rare, word_shape(word) if is_rare else plain
        found[i] = numbers.setdefault(key, len(numbers))
    return found


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
        words = corpus.vocabulary
        of_types = contexts_of_types(list(words), np.asarray(words.counts), counts.n_words)
        return cls(counts, of_types, _rare_contexts(counts, corpus, of_types))

    @property
    def n_contexts(self) -> int:
        """The number of contexts at each position."""
        return int(self.of_types.max()) + 1

    def matrix(self, far: float, classes: Ids | None, engine: Engine) -> Any:
        """Weighted counts of the words of the vocabulary by contexts, as a CSR array.

        If the ``classes`` of the words are given, there are as many more columns for each position: how often
        a word of each class is there.
        """
        from scipy.sparse import csr_array, hstack, vstack

        counts = self.counts
        n, blocks, offsets = counts.n_rows, counts.contexts.n_blocks, counts.contexts.offsets
        kept = counts.n_words
        by_context = _indicator(self.of_types[:kept], n, blocks, self.n_contexts)
        by_class = (
            None if classes is None else _indicator(classes, n, blocks, int(classes.max()) + 1)
        )
        weights = np.array([1.0 if abs(offset) == 1 else far for offset in offsets])

        def some(a: int) -> Any:
            b = min(a + _ROWS, kept)
            here = _rows(counts, a, b)
            found = [(here @ by_context + self.rare[a:b]) * np.repeat(weights, self.n_contexts)]
            if by_class is not None:
                found.append((here @ by_class) * np.repeat(weights, by_class.shape[1] // blocks))
            return csr_array(hstack(found))

        whole = csr_array(vstack(list(engine.map(some, range(0, kept, _ROWS)))))
        whole.eliminate_zeros()
        return whole


def _rows(counts: Counts, a: int, b: int) -> Any:
    from scipy.sparse import csr_array

    indptr, indices, data, shape = counts.entries
    some = slice(int(indptr[a]), int(indptr[b]))
    entries = (
        data[some].astype(np.float64),
        np.asarray(indices[some]),
        indptr[a : b + 1] - indptr[a],
    )
    return csr_array(entries, shape=(b - a, shape[1]))


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


def scaled(matrix: Any, template: Template) -> Any:
    """The matrix that is decomposed: the square roots of counts, by those of their rows and columns."""
    from scipy.sparse import csr_array

    sums = (template.apply(matrix.sum(axis=axis)) for axis in (1, 0))
    return csr_array(template.matrix(matrix, 1, Margins(*sums)))
