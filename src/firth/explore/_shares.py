"""Which words are more frequent in the documents with some value: the colours of a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.compare import Text
from firth.corpus import Vocabulary
from firth.errors import InputError
from firth.explore._snapshot import Snapshot

__all__ = ["MostlyIn", "columns_of", "mostly_in"]

_MOST_VALUES = 24
_SMOOTHED = 0.5
"""Added to each count, so that rare words are not at the ends of the scale."""


@dataclass(frozen=True)
class MostlyIn:
    """How much more frequent words are in the documents with some value than in the others.

    ``log_ratios`` has the binary logarithm of the ratio of relative frequencies for each word of the map: 1 if
    it is twice as frequent there, -1 if half as frequent.
    """

    column: str
    value: str
    tokens: int
    """The size of the documents with the value."""
    log_ratios: list[float]


def columns_of(snapshot: Snapshot) -> dict[str, list[str | float | bool]]:
    """The columns that divide the documents into a few groups, with their values in order."""
    if not {"documents", "corpus"} <= snapshot.parts:
        return {}
    documents, found = snapshot.documents, {}
    for name in documents.metadata:
        values = documents.columns[name].unique().drop_null()
        if 2 <= len(values) <= _MOST_VALUES:
            found[name] = sorted(values.to_pylist())
    return found


def mostly_in(
    snapshot: Snapshot, words: Vocabulary, name: str, column: str, value: str
) -> MostlyIn:
    """The ratios of the words of a map; ``name`` identifies its words."""
    columns = snapshot.once("columns of documents", lambda: columns_of(snapshot))
    known = [str(one) for one in columns.get(column, [])]
    if value not in known:
        raise InputError(
            f"Words cannot be coloured by {column!r} {value!r}.",
            "Choose a column with few values, and one of them.",
        )
    text = snapshot.once(f"text {column} {value}", lambda: _text(snapshot, column, value))
    inside, size = text.counts, text.n_tokens
    ids = snapshot.once(f"ids of {name}", lambda: _ids(snapshot, words))
    totals = np.asarray(snapshot.corpus.vocabulary.counts)
    here = np.where(ids >= 0, inside[ids], 0)
    others = np.where(ids >= 0, totals[ids], 0) - here
    rest = snapshot.corpus.n_tokens - size
    ratios = np.log2((here + _SMOOTHED) / max(1, size) / ((others + _SMOOTHED) / max(1, rest)))
    return MostlyIn(column, value, size, np.round(ratios, 2).tolist())


def _text(snapshot: Snapshot, column: str, value: str) -> Text:
    """The documents with a value, their words counted."""
    chosen = np.array([str(one) == value for one in snapshot.documents.values(column)])
    text = Text.of(value, snapshot.corpus, snapshot.documents, chosen)
    _ = text.counts
    return text


def _ids(snapshot: Snapshot, words: Vocabulary) -> npt.NDArray[np.int64]:
    """The ids of words in the corpus; -1 where it does not have them."""
    found = snapshot.corpus.vocabulary.find_all(list(words))
    return np.array([-1 if i is None else i for i in found], np.int64)
