"""Which features speak for a label: the keys of a table have no names, but those of known words do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth.ner._kernels import CENTRE, PLACES
from firth.ner._key_kernels import key_pair
from firth.ner._lexicon import Lexicon
from firth.ner._types import EDGE, key_of, told_at_the_word, told_in_the_window
from firth.ner._weights import FinishedWeights

__all__ = ["named_features", "telling"]

_NOISE = 1e-3
"""Smaller weights are what rounding leaves."""
_PLACES = ("two before", "before", "", "after", "two after")


Named = list[tuple[tuple[str, str], int]]


def named_features(
    weights: FinishedWeights, words: Sequence[str], lexicon: Lexicon
) -> tuple[Named, npt.NDArray[np.int64]]:
    """The features of these words that have weights, by name and place, and their rows."""
    window = {told for word in (EDGE, *words) for told in told_in_the_window(word, lexicon)}
    centre = {told for word in words for told in told_at_the_word(word)}
    named = [(told, place) for told in sorted(window) for place in range(PLACES)]
    named += [(told, CENTRE) for told in sorted(centre)]
    keys = np.array([key_pair(np.uint64(key_of(*told)), place) for told, place in named], np.uint64)
    rows = weights.rows(keys)
    there = np.flatnonzero(rows >= 0)
    return [named[i] for i in there.tolist()], rows[there]


def telling(
    weights: FinishedWeights, named: Named, rows: npt.NDArray[np.int64], label: int, n: int
) -> list[tuple[str, float]]:
    """The features with the largest weights for a label, less what they have for labels on average."""
    table = weights.table.weights[rows]
    values = table[:, label] - table.mean(axis=1)
    best = np.argsort(-values, kind="stable")[:n].tolist()
    return [(_in_words(*named[i]), float(values[i])) for i in best if values[i] > _NOISE]


def _in_words(told: tuple[str, str], place: int) -> str:
    name, value = told
    where = f"{_PLACES[place]}: " if _PLACES[place] else ""
    if (name, value) == ("word", EDGE):
        return f"{where}(edge of the sentence)"
    return f"{where}{name}={value}"
