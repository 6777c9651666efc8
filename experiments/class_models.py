"""Language models of words and classes with arbitrary histories, for ``experiments/class_lm.py``.

``Conditional`` is modified Kneser-Ney smoothing of P(outcome | given, history). The history is a
list of columns: words, classes, or both alternately, so that unseen word histories back off to
classes. Two of them form a predictive model (Goodman 2001): P(w | history) = P(c | history) · P(w |
c, history), where c is the class of w.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["NONE", "Conditional", "columns_of", "predictive"]

NONE = -1
"""Padding of histories before the beginning of the sentence."""
_USUAL = (0.5, 1.0, 1.5)

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def columns_of(text: Integers, begin: int, depth: int) -> tuple[list[Integers], Integers]:
    """All symbols except begin-of-sentence, and the columns of their histories, nearest first."""
    places = np.flatnonzero(text != begin)
    columns, inside = [], np.ones(len(places), bool)
    for back in range(1, depth + 1):
        column = np.where(inside, text[np.maximum(places - back, 0)], NONE)
        columns.append(column)
        inside &= column != begin
    return columns, text[places]


class Conditional:
    """P(outcome | given, history), smoothed by dropping the most distant column of the history
    first.

        Parameters
        ----------
        given : array of int64
            A condition that is never dropped, such as the class of each outcome; zeros for none.
        history : sequence of array of int64
            Columns, nearest first; NONE ends a history.
        outcomes : array of int64
        n_outcomes : array of int64
            The number of possible outcomes for each value of ``given``.
        n_symbols : int
            An upper bound for outcomes and for symbols in histories.
    """

    def __init__(
        self, given: Integers, history: Sequence[Integers], outcomes: Integers, n_outcomes: Integers,
        n_symbols: int,
    ) -> None:  # fmt: skip
        self._n_outcomes, self._base = n_outcomes, n_symbols
        inside, state = np.ones(len(outcomes), bool), given.astype(np.int64)
        self._states: list[Integers] = []
        levels = []
        for k in range(len(history) + 1):
            if k:
                inside = inside & (history[k - 1] != NONE)
                keys = state * self._base + history[k - 1]
                self._states.append(np.unique(keys[inside]))
                state = np.searchsorted(self._states[-1], keys)
            keys, place, counts = np.unique(
                (state * self._base + outcomes)[inside], return_inverse=True, return_counts=True
            )
            at = np.full(len(outcomes), -1)
            at[inside] = place
            levels.append((keys, at, counts))
        self._tables = [
            self._table(keys, self._counts(levels[k : k + 2]), len(n_outcomes) if k == 0 else len(self._states[k - 1]))
            for k, (keys, _, _) in enumerate(levels)
        ]  # fmt: skip

    @staticmethod
    def _counts(levels: list[Any]) -> Integers:
        """Counts at the last level; at the others, the number of different continuations to the left."""
        keys, at, counts = levels[0]
        if len(levels) == 1:
            return np.asarray(counts, np.int64)
        longer, next_at, _ = levels[1]
        shorter = np.zeros(len(longer), np.int64)
        shorter[next_at[next_at >= 0]] = at[next_at >= 0]
        ended = at[(at >= 0) & (next_at < 0)]
        return np.bincount(shorter, minlength=len(keys)) + np.bincount(ended, minlength=len(keys))

    def _table(self, keys: Integers, counts: Integers, n_states: int) -> tuple[Any, Any, Any]:
        """Events, their discounted probabilities, and the back-off weight of each state."""
        state = keys // self._base
        away = np.array([0.0, *_discounts(counts)])[np.minimum(counts, 3)]
        totals = np.bincount(state, counts, n_states)
        left = np.bincount(state, away, n_states) / np.maximum(totals, 1)
        left[totals == 0] = 1.0
        return keys, (counts - away) / totals[state], left

    def log_probs(self, given: Integers, history: Sequence[Integers], outcomes: Integers) -> Floats:
        """The log-probability of every outcome."""
        p, state = 1 / self._n_outcomes[given], given.astype(np.int64)
        seen = np.ones(len(outcomes), bool)
        for k, (keys, own, left) in enumerate(self._tables):
            if k:
                state, found = _find(self._states[k - 1], state * self._base + history[k - 1])
                seen &= found & (history[k - 1] != NONE)
                state = np.where(seen, state, 0)
            place, found = _find(keys, state * self._base + outcomes)
            p = np.where(seen, np.where(found, own[place], 0) + left[state] * p, p)
        return np.asarray(np.log(p))


def predictive(
    class_of: Integers, learned: tuple[Any, Integers], asked: tuple[Any, Integers]
) -> tuple[Floats, Floats]:
    """The log-probabilities P(c | history) and P(w | c, history).

    Parameters
    ----------
    class_of : array of int64
        The class of each symbol; unknown words and sentence boundaries are the last three classes.
    learned, asked : tuple of columns and symbols
        The history of each word, and the words: of the training text, and of the test text.
    """
    (history, words), (before, after) = learned, asked
    n_symbols, n_possible = (
        len(class_of),
        np.array([class_of.max()]),
    )  # all classes but begin-of-sentence
    nothing = np.zeros(len(words), np.int64)
    classes = Conditional(nothing, history, class_of[words], n_possible, n_symbols)
    inside = Conditional(class_of[words], history, words, np.bincount(class_of), n_symbols)
    return (
        classes.log_probs(np.zeros(len(after), np.int64), before, class_of[after]),
        inside.log_probs(class_of[after], before, after),
    )


def _find(keys: Integers, asked: Integers) -> tuple[Integers, Any]:
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return place, keys[place] == asked


def _discounts(counts: Integers) -> tuple[float, ...]:
    n = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if np.any(n == 0):
        return _USUAL
    y = n[0] / (n[0] + 2 * n[1])
    found = tuple(k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3))
    return found if all(0 <= d <= k for k, d in enumerate(found, 1)) else _USUAL
