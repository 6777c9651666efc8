"""Some of the documents of a model: conditions that were asked for, and their words counted."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from firth.compare import Text
from firth.errors import QueryError
from firth.explore._snapshot import Snapshot
from firth.find import Ranges, select

__all__ = ["chosen_documents", "ranges_of", "recent", "text_where"]

_MOST = {"where": 12, "text": 12, "matches": 12}
"""Results of some kind that are kept for each snapshot; these have numbers for each document, word or match."""
_MOST_SMALL = 100
Result = TypeVar("Result")


class _Recent:
    """The last few results of something that takes a while."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, make: Callable[[], Result], kept: Callable[[Result], bool]) -> Result:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                found: Result = self._kept[key]
                return found
        made = make()
        if not kept(made):
            return made
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


def recent(
    snapshot: Snapshot,
    kind: str,
    key: Any,
    make: Callable[[], Result],
    kept: Callable[[Result], bool] = lambda _: True,
) -> Result:
    """A result from the last few of a kind, or a new one, which is kept unless it is too large."""
    most = _MOST.get(kind, _MOST_SMALL)
    return snapshot.once(f"recent {kind}", lambda: _Recent(most)).get(key, make, kept)


def chosen_documents(snapshot: Snapshot, where: str) -> npt.NDArray[np.bool_] | None:
    """For which documents a condition holds; None for all if it is empty."""
    if not where.strip():
        return None
    documents = snapshot.documents  # raises an error with the command that makes them
    try:
        return recent(snapshot, "where", where, lambda: select(documents, where))
    except QueryError as error:
        error.of = "where"
        raise


def ranges_of(snapshot: Snapshot, where: str) -> Ranges | None:
    """The tokens of the documents for which a condition holds; None for all."""
    chosen = chosen_documents(snapshot, where)
    return None if chosen is None else Ranges(*snapshot.documents.ranges(chosen))


def text_where(snapshot: Snapshot, where: str, others: bool = False) -> Text:
    """The documents for which a condition holds, or all ``others``, with their words counted."""

    def make() -> Text:
        documents = snapshot.documents if "documents" in snapshot.parts else None
        chosen = chosen_documents(snapshot, where)
        if others and chosen is not None:
            chosen = ~chosen
        name = f"not ({where})" if others else where or "all documents"
        text = Text.of(name, snapshot.corpus, documents, chosen)
        _ = text.counts
        return text

    return recent(snapshot, "text", (where, others), make)
