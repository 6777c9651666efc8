"""Classes of new words, from their contexts in a text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.compute import interruptible
from firth.compute.portable import logs
from firth.corpus import Corpus
from firth.errors import FirthError

if TYPE_CHECKING:
    from firth.classes._hierarchy import Hierarchy

__all__ = ["classes_from_contexts"]

_ROWS = 4096
_TOKENS = 1 << 20
_SMOOTHING = 5.0
"""Tokens of every class that are assumed to have average neighbours."""


def classes_from_contexts(
    hierarchy: Hierarchy, corpus: Corpus, words: Sequence[str]
) -> dict[str, int]:
    """The most probable class of each word that has known neighbours in the text.

    The prior of a class is its share of the rarer half of the vocabulary, because new words are rare.
    The likelihood of neighbours is how often their classes occur beside the words of the class.
    """
    if hierarchy.follow is None:
        raise FirthError(
            "These classes were imported, so their contexts are unknown.",
            "Omit the text to use spelling only.",
        )
    found = zip(words, corpus.vocabulary.find_all(words), strict=True)
    wanted = [(word, i) for word, i in found if i is not None]
    if not wanted:
        return {}
    ids = np.array([i for _, i in wanted])
    after, before = (
        interruptible(partial(_neighbours, hierarchy, corpus, ids, step)) for step in (1, -1)
    )
    to_right = _log_probabilities(hierarchy.follow).T
    to_left = _log_probabilities(hierarchy.follow.T).T
    rarer = hierarchy.class_of[len(hierarchy) // 2 :]
    prior = logs(np.bincount(rarer, minlength=hierarchy.n_classes) + 0.5)
    best = np.empty(len(ids), np.int64)
    for begin in range(0, len(ids), _ROWS):
        rows = slice(begin, begin + _ROWS)
        best[rows] = (after[rows] @ to_right + before[rows] @ to_left + prior).argmax(axis=1)
    known = np.asarray(after.sum(axis=1) + before.sum(axis=1)).ravel() > 0
    return {word: int(c) for (word, _), c, some in zip(wanted, best, known, strict=True) if some}


def _log_probabilities(follow: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """ln P(class of neighbour | class), smoothed towards the average."""
    cells = np.asarray(follow, np.float64)
    share = (cells.sum(axis=0) + 1) / (cells.sum() + len(cells))
    smooth = cells + _SMOOTHING * share
    return logs(smooth / smooth.sum(axis=1, keepdims=True))


def _neighbours(hierarchy: Hierarchy, corpus: Corpus, ids: Any, step: int) -> Any:
    """How often each class occurs on one side of the new words: a CSR array, one row for each word."""
    from scipy.sparse import coo_array, csr_array

    rare = -1 if hierarchy.rare is None else hierarchy.rare
    column = _classes_of(hierarchy, corpus, rare)
    row = np.full(corpus.n_types, -1, np.int64)
    row[ids] = np.arange(len(ids))
    shape = (len(ids), hierarchy.n_classes)
    total = csr_array(shape, dtype=np.int64)
    for begin in range(0, corpus.n_tokens - 1, _TOKENS):
        tokens = np.asarray(corpus.ids[begin : begin + _TOKENS + 1])
        left, right = (tokens[:-1], tokens[1:]) if step == 1 else (tokens[1:], tokens[:-1])
        inside = np.ones(len(left), bool)
        if not hierarchy.made.get("across_lines"):
            first, last = np.searchsorted(corpus.ends, [begin + 1, begin + len(tokens)])
            inside[np.asarray(corpus.ends[first:last]).astype(np.int64) - begin - 1] = False
        rows, columns = row[left], column[right]
        kept = inside & (rows >= 0) & (columns >= 0)
        ones = np.ones(int(kept.sum()), np.int64)
        total += csr_array(coo_array((ones, (rows[kept], columns[kept])), shape=shape))
    return total


def _classes_of(hierarchy: Hierarchy, corpus: Corpus, other: int) -> npt.NDArray[np.int64]:
    """The class of each word of a corpus; ``other`` for words that have none."""
    known = corpus.vocabulary.places_among(hierarchy.vocabulary.words)
    return np.where(known >= 0, hierarchy.class_of[known], other).astype(np.int64)
