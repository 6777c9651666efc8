"""Classes for new words, from their contexts in a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus
from firth.errors import FirthError

if TYPE_CHECKING:
    from firth.classes._hierarchy import Hierarchy

__all__ = ["fold_in"]

_ROWS = 4096
_SMOOTHING = 5.0
"""So many tokens of every class are taken to have neighbours as all words have."""


def fold_in(hierarchy: Hierarchy, corpus: Corpus, words: Sequence[str]) -> dict[str, int]:
    """The class of each word that has known neighbours in the text: the most probable one, given them.

    A class is as probable beforehand as it has words among the rarer half of the vocabulary, for new
    words are rare words; and neighbours are as probable as they stand beside the words of the class.
    """
    if hierarchy.follow is None:
        raise FirthError(
            "These classes come from elsewhere: what follows what is not known of them.",
            "Leave the text out, to use spelling alone.",
        )
    here = corpus.vocabulary
    wanted = [(word, i) for word in words if (i := here.find(word)) is not None]
    if not wanted:
        return {}
    ids = np.array([i for _, i in wanted])
    after, before = (_neighbours(hierarchy, corpus, ids, step) for step in (1, -1))
    to_right = _log_probabilities(hierarchy.follow).T
    to_left = _log_probabilities(hierarchy.follow.T).T
    rarer = hierarchy.class_of[len(hierarchy) // 2 :]
    prior = np.log(np.bincount(rarer, minlength=hierarchy.n_classes) + 0.5)
    best = np.empty(len(ids), np.int64)
    for begin in range(0, len(ids), _ROWS):
        rows = slice(begin, begin + _ROWS)
        best[rows] = (after[rows] @ to_right + before[rows] @ to_left + prior).argmax(axis=1)
    known = np.asarray(after.sum(axis=1) + before.sum(axis=1)).ravel() > 0
    return {word: int(c) for (word, _), c, some in zip(wanted, best, known, strict=True) if some}


def _log_probabilities(follow: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """ln P(neighbour's class | class), smoothed by the share of all neighbours."""
    cells = np.asarray(follow, np.float64)
    share = (cells.sum(axis=0) + 1) / (cells.sum() + len(cells))
    smooth = cells + _SMOOTHING * share
    logs: npt.NDArray[np.float64] = np.log(smooth / smooth.sum(axis=1, keepdims=True))
    return logs


def _neighbours(hierarchy: Hierarchy, corpus: Corpus, ids: Any, step: int) -> Any:
    """How often each class stands on one side of the new words: a CSR array, a row for each word."""
    from scipy.sparse import coo_array, csr_array

    rare = -1 if hierarchy.rare is None else hierarchy.rare
    known = hierarchy.vocabulary.ids(list(corpus.vocabulary))
    column = np.array([rare if i is None else hierarchy.class_of[i] for i in known], np.int64)
    row = np.full(corpus.n_types, -1, np.int64)
    row[ids] = np.arange(len(ids))
    tokens = np.asarray(corpus.ids)
    left, right = (tokens[:-1], tokens[1:]) if step == 1 else (tokens[1:], tokens[:-1])
    inside = np.ones(len(left), bool)
    if not hierarchy.made.get("across_lines"):
        inside[np.asarray(corpus.ends)[:-1].astype(np.int64) - 1] = False
    rows, columns = row[left], column[right]
    kept = inside & (rows >= 0) & (columns >= 0)
    ones = np.ones(int(kept.sum()), np.int64)
    return csr_array(
        coo_array((ones, (rows[kept], columns[kept])), shape=(len(ids), hierarchy.n_classes))
    )
