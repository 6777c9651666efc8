"""The typical contexts of a word, from how often it occurs with each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import log2s
from firth.corpus import Vocabulary
from firth.counts._association import MEASURES, association
from firth.errors import check_choice
from firth.formats import Rows

__all__ = ["Collocate", "best_collocates"]

_LEAST_OFTEN = 5
"""Contexts that occur less often with a word are not listed among its collocates."""


@dataclass(frozen=True)
class Collocate:
    """A context word that occurs with a word more often than by chance."""

    word: str
    count: int
    pmi: float
    """Pointwise mutual information, in bits."""
    score: float
    """The measure of association that was asked for."""


def best_collocates(
    words: Vocabulary,
    ids: npt.NDArray[Any],
    together: npt.NDArray[Any],
    of_contexts: npt.NDArray[Any],
    of_word: int,
    total: int,
    scale: int,
    n: int,
    measure: str,
) -> Rows[Collocate]:
    """The ``n`` best contexts of a word by a measure of association; see ``Counts.collocates``.

    ``ids`` are the words that it occurs with, and ``together`` and ``of_contexts`` how often they occur with
    it and with any word. All counts are to be divided by ``scale``.
    """
    check_choice("Counts.collocates", "measure", measure, MEASURES)
    if not len(ids):
        return Rows((), Collocate)
    values, column = together.astype(np.float64), of_contexts.astype(np.float64)
    pmi = log2s(values / (of_word * column / total))
    kept = (values >= min(_LEAST_OFTEN * scale, values.max())) & (pmi > 0)
    ids, values, column, pmi = ids[kept], values[kept], column[kept], pmi[kept]
    scores = pmi
    if measure != "pmi":
        scores = association(
            measure, values / scale, of_word / scale, column / scale, total / scale
        )
    order = np.lexsort((ids, -values, -scores))[:n]
    found = (
        Collocate(words[int(ids[i])], round(values[i] / scale), float(pmi[i]), float(scores[i]))
        for i in order
    )
    return Rows(found, Collocate)
