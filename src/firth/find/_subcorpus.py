"""The documents to search, and frequencies by what is known about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.errors import wrong_parameter
from firth.find._search import Ranges
from firth.find._where import parse_where

if TYPE_CHECKING:
    from firth.corpus import Corpus, Documents

__all__ = ["Frequency", "Subcorpus"]


@dataclass(frozen=True)
class Frequency:
    """How often a query matches in the documents with a value."""

    value: Any
    """None where it is unknown."""
    count: int
    n_tokens: int
    """The tokens of all these documents."""
    per_million: float


class Subcorpus:
    """The documents of a corpus of which a condition holds; all of them without a condition.

    Parameters
    ----------
    corpus : Corpus
    part : callable
        Opens the ``documents`` of a model, or raises an error that says how to make them.
    where : str, optional
    """

    def __init__(
        self, corpus: Corpus, part: Callable[[str], Any], where: str | None = None
    ) -> None:
        if where is not None and not isinstance(where, str):
            raise wrong_parameter("find", "where", "a str or None", where)
        self.corpus, self._part = corpus, part
        self._where = None if where is None else parse_where(where)

    @cached_property
    def documents(self) -> Documents:
        found: Documents = self.corpus.documents or self._part("documents")
        return found

    @cached_property
    def chosen(self) -> npt.NDArray[np.bool_]:
        """Whether each document is searched."""
        if self._where is None:
            return np.ones(len(self.documents), bool)
        columns = self.documents.columns
        used = [name for name in self._where.columns if name in columns]
        values = {name: columns[name].to_pylist() for name in used}
        return self._where.holds(
            {name: values.get(name, ()) for name in columns}, len(self.documents)
        )

    @cached_property
    def ranges(self) -> Ranges | None:
        """Where to search; None for everywhere."""
        return None if self._where is None else Ranges(*self.documents.ranges(self.chosen))

    def frequencies(self, starts: npt.NDArray[np.int64], column: str) -> list[Frequency]:
        """How many matches start in the documents with each value of a column."""
        documents = self.documents
        matches = np.bincount(documents.of_tokens(starts), minlength=len(documents))
        counts: dict[Any, list[int]] = {}
        rows = zip(documents.values(column), self.chosen, matches, documents.sizes, strict=True)
        for value, is_chosen, count, size in rows:
            if is_chosen:
                told = counts.setdefault(value, [0, 0])
                told[0] += int(count)
                told[1] += int(size)
        known = sorted(value for value in counts if value is not None)
        return [
            Frequency(value, count, size, count / size * 1e6)
            for value in [*known, *([None] if None in counts else [])]
            for count, size in [counts[value]]
        ]
