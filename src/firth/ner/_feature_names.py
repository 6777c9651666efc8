"""Names of features: tables have keys only, but the keys of known words can be computed again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth.ner._feature_kernels import CENTRE, PLACES
from firth.ner._key_kernels import key_pair
from firth.ner._lexicon import Lexicon
from firth.ner._types import EDGE, Feature, centre_features, key_of, window_features
from firth.ner._weights import FinishedWeights

__all__ = ["named_features", "strongest_features"]

_NOISE = 1e-3
"""Smaller weights are rounding errors."""
_PLACES = ("two before", "before", "", "after", "two after")

Named = list[tuple[Feature, int]]
"""Features and their positions in the window."""


def named_features(
    weights: FinishedWeights, words: Sequence[str], lexicon: Lexicon
) -> tuple[Named, npt.NDArray[np.int64]]:
    """The features of some words that have weights, and their rows."""
    window = {feature for word in (EDGE, *words) for feature in window_features(word, lexicon)}
    centre = {feature for word in words for feature in centre_features(word)}
    named = [(feature, place) for feature in sorted(window) for place in range(PLACES)]
    named += [(feature, CENTRE) for feature in sorted(centre)]
    keys = [key_pair(np.uint64(key_of(*feature)), place) for feature, place in named]
    rows = weights.rows(np.array(keys, np.uint64))
    there = np.flatnonzero(rows >= 0)
    return [named[i] for i in there.tolist()], rows[there]


def strongest_features(
    weights: FinishedWeights, named: Named, rows: npt.NDArray[np.int64], label: int, n: int
) -> list[tuple[str, float]]:
    """The features with the largest weights for a label, less their mean over all labels."""
    table = weights.table.weights[rows]
    values = table[:, label] - table.mean(axis=1)
    best = np.argsort(-values, kind="stable")[:n].tolist()
    return [(_in_words(*named[i]), float(values[i])) for i in best if values[i] > _NOISE]


def _in_words(feature: Feature, place: int) -> str:
    name, value = feature
    where = f"{_PLACES[place]}: " if _PLACES[place] else ""
    if (name, value) == ("word", EDGE):
        return f"{where}(edge of the sentence)"
    return f"{where}{name}={value}"
