"""The neighbours of a word in a text: how often each word is at some distance from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compare import Text, text_of
from firth.corpus import Index
from firth.counts import Collocate, Counts, best_collocates
from firth.formats import Framed, Rows
from firth.model import Model
from firth.progress import check_interrupted

__all__ = ["ByOffset", "Neighbours", "collocates", "collocates_in"]

_AT_ONCE = 1 << 22
Integers = npt.NDArray[np.int64]


class ByOffset(dict[int | None, Rows[Collocate]], Framed):
    """The contexts of a word at each offset; None if they are one bag."""

    _columns = ("offset", *(field.name for field in fields(Collocate)))

    def rows(self) -> Iterator[dict[str, Any]]:
        """All contexts as plain data, with their offsets."""
        return ({"offset": at, **row} for at, some in self.items() for row in some.rows())


class Neighbours:
    """The words at some distance from words of a text, within sentences.

    Parameters
    ----------
    text : Text
        All of a corpus, or some of its documents.
    across_lines : bool
        Whether words of neighbouring sentences are neighbours, too, as far as the text goes on.
    index : Index, optional
        The positions of all words; without it, the text is scanned for a word.
    """

    def __init__(self, text: Text, across_lines: bool = False, index: Index | None = None) -> None:
        self._text, self._across, self._index = text, across_lines, index

    @cached_property
    def _lines(self) -> tuple[Integers, Integers]:
        """Where the lines begin and end within which words are neighbours."""
        starts, ends = self._text.ranges
        if self._across:
            return starts, ends
        of_sentences = np.asarray(self._text.corpus.ends)
        first = np.searchsorted(of_sentences, starts, side="right")
        last = np.searchsorted(of_sentences, ends, side="left")
        sizes = last - first + 1
        before = np.cumsum(sizes) - sizes
        chosen = np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))
        begins = np.where(chosen > 0, of_sentences[chosen - 1], 0)
        return begins, of_sentences[chosen]

    def positions(self, word_id: int) -> Integers:
        """Where a word occurs in the text."""
        starts, ends = self._text.ranges
        if self._index is not None:
            found = self._index[word_id]
            at = np.searchsorted(starts, found, side="right") - 1
            return found[(at >= 0) & (found < ends[np.maximum(at, 0)])]
        parts = [np.zeros(0, np.int64)]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            for a in range(start, end, _AT_ONCE):
                check_interrupted()
                here = self._text.corpus.ids[a : min(a + _AT_ONCE, end)]
                parts.append(np.flatnonzero(here == word_id) + a)
        return np.concatenate(parts)

    def beside(self, positions: Integers, offset: int) -> Integers:
        """How often each word of the corpus is at an offset from one of some positions."""
        begins, ends = self._lines
        line, at = np.searchsorted(ends, positions, side="right"), positions + offset
        at = at[(at >= begins[line]) & (at < ends[line])]
        return np.bincount(self._text.corpus.ids[at], minlength=self._text.corpus.n_types)

    def margins(self, offset: int) -> Integers:
        """How often each word of the corpus is at an offset from any word.

        That is how often it occurs, but for the words at that end of a line that are too close to it.
        """
        begins, ends = self._lines
        found = self._text.counts.copy()
        for k in range(abs(offset)):
            check_interrupted()
            at = begins + k if offset > 0 else ends - 1 - k
            at = at[(at >= begins) & (at < ends)]
            if not len(at):
                break
            found -= np.bincount(self._text.corpus.ids[at], minlength=len(found))
        return found


def collocates(
    model: Model | str | Path, word: str, where: str = "", n: int = 10, measure: str = "pmi"
) -> ByOffset:
    """The typical contexts of a word, in all of the text of a model or in some documents.

    Parameters
    ----------
    model : Model, str or Path
        A model with counts, which say which contexts are counted, and of which words.
    word : str
    where : str
        Only in documents for which this holds, such as ``year >= 1900``.
    n : int
        Maximum number of contexts for each offset.
    measure : str
        One of ``firth.counts.MEASURES``.

    Returns
    -------
    dict of int to list of Collocate
        For each offset: -1 is the word before, 1 the word after. For None if the contexts are one bag.
    """
    opened = model if isinstance(model, Model) else Model(model)
    counts, text = opened.part("counts"), text_of(opened, where)
    index = opened.__dict__.get("index")  # opening it would take longer than a scan
    return collocates_in(text, counts, word, n, measure, index=index)


def collocates_in(
    text: Text,
    counts: Counts,
    word: str,
    n: int = 10,
    measure: str = "pmi",
    offsets: Iterable[int | None] | None = None,
    index: Index | None = None,
) -> ByOffset:
    """The typical contexts of a word in some documents, by a measure of association.

    They are counted as the counts of the model are, but only in these documents.

    Parameters
    ----------
    text : Text
        Some documents of the corpus that the counts were made from.
    counts : Counts
        They say which contexts are counted, and of which words.
    word : str
    n : int
        Maximum number of contexts for each offset.
    measure : str
        One of ``firth.counts.MEASURES``.
    offsets : iterable of int, optional
        Where the contexts are, relative to the word: all places that the counts tell apart, by default.
    index : Index, optional
        The positions of all words of the corpus.

    Returns
    -------
    dict of int to list of Collocate
        For each offset; for None if the contexts are one bag.
    """
    contexts = counts.contexts
    near = Neighbours(text, counts.parameters.across_lines, index)
    positions = near.positions(counts.vocabulary.id(word))
    weights = dict(zip(contexts.offsets, contexts.weights, strict=True))
    found = ByOffset()
    for wanted in offsets or ([None] if contexts.bag else contexts.offsets):
        some = weights if wanted is None else {wanted: weights[wanted]}
        together: Any = sum(weight * near.beside(positions, at) for at, weight in some.items())
        margins: Any = sum(weight * near.margins(at) for at, weight in some.items())
        ids = np.flatnonzero(together[: counts.n_words])
        found[wanted] = best_collocates(
            counts.vocabulary, ids, together[ids], margins[ids],
            int(together.sum()), int(margins.sum()), contexts.scale, n, measure,
        )  # fmt: skip
    return found
