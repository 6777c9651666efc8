"""The tree of some words, by their neighbours or by their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.cluster._linkage import linkage
from firth.cluster._objects import listed
from firth.cluster._parameters import MOST_WORDS
from firth.counts import Counts, neighbour_overlap
from firth.errors import InputError
from firth.vectors import WordVectors

__all__ = ["WordTree", "word_tree"]

Floats = npt.NDArray[np.float64]

_TOP = 100
_ALMOST_NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class WordTree:
    """A tree of words.

    Attributes
    ----------
    words : list of str
    tree : array of shape (n - 1, 4)
        In SciPy's form.
    distances : array of shape (n, n)
        One minus the similarity.
    missing : list of str
        Words that were asked for, but cannot be compared.
    title, axis : str
        For a figure: what is drawn, and what heights are.
    """

    words: list[str]
    tree: Floats
    distances: Floats
    missing: list[str]
    title: str
    axis: str


def word_tree(
    source: Counts | WordVectors,
    words: Sequence[str] | None = None,
    top: int | None = None,
    method: str = "ward",
    marks: bool = False,
) -> WordTree:
    """Cluster words bottom-up.

    Parameters
    ----------
    source : Counts or WordVectors
        Words are compared by the overlap of their neighbours, or by the cosine of their vectors.
    words : sequence of str, optional
        The words; by default the most frequent ones.
    top : int, optional
        How many of them; by default all ``words``, or 100.
    method : str
        See ``linkage``.
    marks : bool
        Whether frequent words include punctuation marks.
    """
    missing: list[str] = []
    if words is None:
        ids = _most_frequent(source, top or _TOP, marks)
    else:
        ids, missing = _known(source, words)
        ids = ids[:top]
    found = [source.vocabulary[i] for i in ids]
    if isinstance(source, WordVectors):
        by, similarity, distances = "vectors", "cosine of vectors", _cosine_distances(source, ids)
    else:
        by, similarity = "neighbours", "overlap of neighbours"
        distances = 1.0 - neighbour_overlap(source, found)
    which = f"The {len(ids):,} most frequent words" if words is None else f"{len(ids):,} words"
    link = "Ward's method" if method == "ward" else f"{method} link"
    axis = "Ward's height" if method == "ward" else f"1 − {similarity}"
    title = f"{which} by their {by}, {link}"
    return WordTree(found, _tree(distances, method), distances, missing, title, axis)


def _is_usable(source: Counts | WordVectors, word_id: int) -> bool:
    """Whether a word can be compared: one that was never seen in a context has a vector of zeros."""
    return not isinstance(source, WordVectors) or bool(source.matrix[word_id].any())


def _most_frequent(source: Counts | WordVectors, top: int, marks: bool) -> list[int]:
    usable = (
        i
        for i, word in enumerate(source.vocabulary)
        if (marks or any(map(unicode.is_alnum, word))) and _is_usable(source, i)
    )
    ids = list(islice(usable, top))
    if len(ids) < 2:
        raise InputError(
            f"A dendrogram needs at least two words. The model has {len(ids)}.",
            "Learn from more text, or draw punctuation marks, too: --marks",
        )
    return ids


def _known(source: Counts | WordVectors, words: Sequence[str]) -> tuple[list[int], list[str]]:
    """The ids of the words that can be compared, and the words that cannot."""
    if len(words) > MOST_WORDS:
        raise InputError(
            f"{len(words):,} words are too many for a dendrogram.", f"Use at most {MOST_WORDS:,}."
        )
    ids: dict[int, None] = {}
    missing = []
    for word, i in zip(words, source.vocabulary.ids(words), strict=True):
        found = source.vocabulary.find(word) if i is None else i
        if found is None or not _is_usable(source, found):
            missing.append(word)
        else:
            ids[found] = None
    if len(ids) < 2:
        raise InputError(
            f"A dendrogram needs at least two words. The model has {len(ids)} of those in the file.",
            f"Words are case-sensitive. Not in the model: {listed(missing)}" if missing else None,
        )
    return list(ids), missing


def _cosine_distances(vectors: WordVectors, ids: list[int]) -> Floats:
    rows = np.asarray(vectors.matrix[ids], np.float64)
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    found = np.maximum(1.0 - rows @ rows.T, 0.0)
    np.fill_diagonal(found, 0.0)
    return np.asarray((found + found.T) / 2)


def _tree(distances: Any, method: str) -> Floats:
    """The tree of objects whose similarities are inner products of unit vectors."""
    if method != "ward":
        return linkage(distances, method, "precomputed")
    # Ward's method needs points: the Cholesky factor gives points with these inner products
    products = 1.0 - distances
    np.fill_diagonal(products, 1.0 + _ALMOST_NOTHING)  # identical words would make it singular
    return linkage(np.linalg.cholesky(products), "ward", "euclidean")
