"""Exact nearest-neighbour search and analogies, over blocks of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine, limit_blas

if TYPE_CHECKING:
    from firth.vectors._shortlist import Shortlist

__all__ = ["analogy_scores", "best", "best_answers", "nearest"]

_EPSILON = 1e-3
"""Keeps 3CosMul from dividing by zero (Levy and Goldberg 2014)."""
_SCORES_AT_ONCE = 1 << 24
_FEW = 8
"""Up to this many queries are answered one by one from the short list; more, in one product."""
_WORDS_AT_ONCE, _QUESTIONS_AT_ONCE = 1 << 13, 32
ROUNDING = 4e-7
"""A bound of the rounding error of an inner product of unit vectors, for each dimension."""

Floats32 = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]


def best(scores: npt.NDArray[Any], n: int) -> Ids:
    """The indices of the ``n`` largest numbers, the largest first; ties in order of index.

    >>> best(np.array([1.0, 3.0, 3.0, 2.0]), 3).tolist()
    [1, 2, 3]
    """
    n = min(n, len(scores))
    if n == 0:
        return np.empty(0, np.int64)
    least = np.partition(scores, len(scores) - n)[len(scores) - n]
    candidates = np.flatnonzero(scores >= least)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:n]


def nearest(
    unit: Floats32,
    queries: Floats32,
    n: int,
    without: Sequence[Sequence[int]],
    shortlist: Shortlist | None = None,
) -> Iterator[tuple[Ids, Floats32]]:
    """The ``n`` rows of largest inner product with each query, except those in ``without``."""
    if shortlist is not None and len(queries) <= _FEW:
        for query, excluded in zip(queries, without, strict=True):
            yield _nearest_listed(unit, query, n, set(excluded), shortlist)
        return
    at_once = max(1, _SCORES_AT_ONCE // max(1, len(unit)))
    for a in range(0, len(queries), at_once):
        progress.check_interrupted()
        asked = queries[a : a + at_once]
        for query, row, excluded in zip(
            asked, asked @ unit.T, without[a : a + at_once], strict=True
        ):
            row[list(excluded)] = -np.inf
            wanted = min(n, len(row) - len(set(excluded)))
            yield _decided(unit, query, wanted, _contenders(row, wanted, unit.shape[1]))


def _contenders(scores: Floats32, n: int, dim: int) -> Ids:
    """Rows, ascending, that include the ``n`` of largest inner product, whatever the scores' rounding errors."""
    if n == 0:
        return np.empty(0, np.int64)
    least = np.partition(scores, len(scores) - n)[len(scores) - n]
    return np.flatnonzero(scores >= least - np.float32(2 * ROUNDING * dim))


def _nearest_listed(
    unit: Floats32, query: Floats32, n: int, excluded: set[int], shortlist: Shortlist
) -> tuple[Ids, Floats32]:
    listed = shortlist.candidates(query, n + len(excluded))
    return _decided(unit, query, n, listed[~np.isin(listed, list(excluded))])


def _decided(unit: Floats32, query: Floats32, n: int, listed: Ids) -> tuple[Ids, Floats32]:
    """The nearest of some rows; in double precision, so that it depends on nothing else."""
    scores = (unit[listed].astype(np.float64) @ query.astype(np.float64)).astype(np.float32)
    found = best(scores, n)
    return listed[found], scores[found]


def analogy_scores(unit: Floats32, question: Sequence[int], method: str) -> Floats32:
    """The score of each word as the answer to (a, b, c), "a is to b as c is to ...": 3CosMul or 3CosAdd."""
    to_a, to_b, to_c = unit[list(question)] @ unit.T
    if method == "add":
        scores: Floats32 = to_b - to_a + to_c
    else:
        to_a, to_b, to_c = ((1 + cosine) / 2 for cosine in (to_a, to_b, to_c))
        scores = to_b * to_c / (to_a + np.float32(_EPSILON))
    scores[list(question)] = -np.inf
    return scores


def best_answers(unit: Floats32, questions: Ids, method: str, engine: Engine) -> Ids:
    """The best answer to each question, a row ``(a, b, c)``; -1 if there is no other word.

    Cosines with the words of the questions are computed once for each block of words and used for
    all questions.
    """
    if engine.device:
        from firth.vectors._device_search import answers_on

        return answers_on(engine.device, unit, questions, method, _EPSILON)
    asked, places = np.unique(questions, return_inverse=True)
    places = places.reshape(questions.shape)
    vectors = unit[asked]

    def answer(first: int) -> tuple[Floats32, Ids]:
        block = unit[first : first + _WORDS_AT_ONCE]
        cosines = vectors @ block.T
        toward, away = cosines, -cosines
        if method == "mul":
            toward = (1 + cosines) / 2
            away = 1 / (toward + np.float32(_EPSILON))
        combine = np.add if method == "add" else np.multiply
        scores, answers = np.empty(len(questions), np.float32), np.empty(len(questions), np.int64)
        for q in range(0, len(questions), _QUESTIONS_AT_ONCE):
            here = slice(q, q + _QUESTIONS_AT_ONCE)
            a, b, c = places[here].T
            total = toward[b]
            combine(total, toward[c], out=total)
            combine(total, away[a], out=total)
            for words in questions[here].T:  # the words of a question cannot be its answer
                inside = np.flatnonzero((words >= first) & (words < first + len(block)))
                total[inside, words[inside] - first] = -np.inf
            answers[here] = total.argmax(axis=1)
            scores[here] = total[np.arange(len(total)), answers[here]]
        return scores, answers + first

    top = np.full(len(questions), -np.inf, np.float32)
    found = np.full(len(questions), -1, np.int64)
    with limit_blas(1):
        blocks = range(0, len(unit), _WORDS_AT_ONCE)
        for scores, answers in engine.map(answer, blocks):
            better = scores > top
            top[better], found[better] = scores[better], answers[better]
    return found
