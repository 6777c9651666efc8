"""Words that keep other company in one text than in another.

Two measures, which fail in different ways: the cosine of a word's two vectors after the vectors of one text
were rotated into the space of the other (Hamilton et al. 2016), and how many of its nearest neighbours are
the same in both (Gonen et al. 2020), which needs no rotation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.formats import Rows
from firth.progress import check_interrupted
from firth.vectors import WordVectors

__all__ = ["ChangedWord", "compare_meaning"]

_MOST_NEIGHBOURS = 1_000
_SHARE = 10
"""The neighbours that are compared are at most a tenth of the words."""
_LEAST = 20
_AT_ONCE = 256
Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ChangedWord:
    """A word in two texts.

    Attributes
    ----------
    word : str
    count_a, count_b : int
    overlap : float
        The share of its nearest neighbours that are the same in both texts.
    similarity : float
        The cosine of its two vectors after the rotation.
    neighbours_a, neighbours_b : list of str
        Its nearest neighbours in either text.
    """

    word: str
    count_a: int
    count_b: int
    overlap: float
    similarity: float
    neighbours_a: list[str]
    neighbours_b: list[str]


def compare_meaning(
    a: WordVectors, b: WordVectors, n: int = 20, min_count: int = 20, shown: int = 8
) -> Rows[ChangedWord]:
    """The words whose neighbours differ most between two sets of vectors.

    Parameters
    ----------
    a, b : WordVectors
    n : int
        The number of words.
    min_count : int
        Compare words with at least this many occurrences in each of the texts: the vectors of rare words
        differ by chance.
    shown : int
        The number of neighbours that are returned for each word.
    """
    words = [word for word in a.words if word in b.vocabulary]
    rows_a = np.array([a.id(word) for word in words], np.int64)
    rows_b = np.array([b.id(word) for word in words], np.int64)
    frequent = (a.counts[rows_a] >= min_count) & (b.counts[rows_b] >= min_count)
    chosen = np.flatnonzero(frequent)
    if len(chosen) < _LEAST:
        raise InputError(
            f"Only {len(chosen)} words have vectors and {min_count:,} occurrences in both texts; "
            f"at least {_LEAST} are needed.",
            "Lower --min-count, or compare larger texts.",
        )
    names = [words[i] for i in chosen]
    unit_a, unit_b = a.unit[rows_a[chosen]], b.unit[rows_b[chosen]]
    similarity = np.sum(a.align(b).rotated[rows_a[chosen]][:, : b.dim] * unit_b, axis=1)
    k = max(1, min(_MOST_NEIGHBOURS, len(chosen) // _SHARE))
    overlap = _overlaps(unit_a, unit_b, k)
    order = np.lexsort([np.arange(len(chosen)), similarity, overlap])[:n]
    near = [_nearest(unit, order, shown) for unit in (unit_a, unit_b)]
    changed = (
        ChangedWord(
            names[i],
            int(a.counts[rows_a[chosen[i]]]),
            int(b.counts[rows_b[chosen[i]]]),
            float(overlap[i]),
            float(similarity[i]),
            *([names[other] for other in side[row]] for side in near),
        )
        for row, i in enumerate(order.tolist())
    )
    return Rows(changed, ChangedWord)


def _overlaps(a: Floats32, b: Floats32, k: int) -> npt.NDArray[np.float64]:
    """The share of the ``k`` nearest rows of each row that are the same in both."""
    found = np.empty(len(a))
    for begin in range(0, len(a), _AT_ONCE):
        check_interrupted()
        some = np.arange(begin, min(begin + _AT_ONCE, len(a)))
        near = [_nearest(unit, some, k) for unit in (a, b)]
        found[some] = [
            len(np.intersect1d(x, y, assume_unique=True)) / k for x, y in zip(*near, strict=True)
        ]
    return found


def _nearest(unit: Floats32, rows: npt.NDArray[np.int64], k: int) -> npt.NDArray[np.int64]:
    """The ``k`` rows nearest to each of some rows, without itself, the nearest first."""
    cosines = unit[rows] @ unit.T
    cosines[np.arange(len(rows)), rows] = -np.inf
    # equal cosines in order of rows, as a stable sort has them
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]
