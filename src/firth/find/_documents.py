"""Documents that a condition selects, and matches counted by what is known about their documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.find._search import Ranges
from firth.find._where import parse_where
from firth.formats import Rows

if TYPE_CHECKING:
    from firth.corpus import Documents

__all__ = ["Frequency", "frequencies", "ranges_where", "select"]


@dataclass(frozen=True)
class Frequency:
    """How often something occurs in the documents with some value."""

    value: Any
    count: int
    tokens: int
    per_million: float


def select(documents: Documents, where: str) -> npt.NDArray[np.bool_]:
    """For which documents a condition holds, such as ``year >= 1900 and party == "D"``."""
    return parse_where(where).holds(documents.columns)


def ranges_where(documents: Documents, where: str) -> Ranges:
    """The tokens of the documents for which a condition holds."""
    return Ranges(*documents.ranges(select(documents, where)))


def frequencies(
    documents: Documents,
    column: str,
    positions: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.bool_] | None = None,
) -> Rows[Frequency]:
    """How many of some tokens are in the documents with each value of a column, in the order of values.

    Parameters
    ----------
    documents : Documents
    column : str
    positions : array of int64
        Tokens, such as the beginnings of matches.
    chosen : array of bool, optional
        The documents that count; all by default.
    """
    values = documents.values(column)
    counts = np.bincount(documents.of_tokens(positions), minlength=len(documents))
    sizes = documents.sizes.tolist()
    totals: dict[Any, list[int]] = {}
    for i in range(len(documents)) if chosen is None else np.flatnonzero(chosen).tolist():
        total = totals.setdefault(values[i], [0, 0])
        total[0] += int(counts[i])
        total[1] += sizes[i]
    known = sorted(value for value in totals if value is not None)
    ordered = [*known, *([None] if None in totals else [])]
    found = (
        Frequency(v, totals[v][0], totals[v][1], 1e6 * totals[v][0] / max(totals[v][1], 1))
        for v in ordered
    )
    return Rows(found, Frequency)
