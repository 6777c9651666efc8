"""Lines of a corpus at given positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus, Hit, Index

__all__ = ["lines_at"]


class _SomePlaces(Index):
    """An index of some positions of one word."""

    def __init__(self, places: npt.NDArray[np.int64]) -> None:
        self._some = places

    def spread(self, word_id: int, n: int) -> npt.NDArray[np.int64]:  # noqa: ARG002
        return self._some


def lines_at(
    corpus: Corpus,
    word: str,
    places: Sequence[int],
    width: int,
    quick: bool = False,
    remote: bool = False,
) -> list[Hit]:
    """A word in context, at given positions.

    Parameters
    ----------
    corpus : Corpus
    word : str
    places : sequence of int
        Positions of the word in the corpus.
    width : int
        Maximum number of characters on either side.
    quick, remote : bool
        As for ``Corpus.find``.

    Examples
    --------
    >>> import firth
    >>> from firth.senses._lines import lines_at
    >>> corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]])
    >>> [hit.left for hit in lines_at(corpus, "rose", [4, 1], 40)]
    ['a rose is a ', 'a ']
    """
    if not places:
        return []
    order = np.argsort(places, kind="stable")
    ascending = np.asarray(places, np.int64)[order]
    hits = corpus.find(word, len(places), width, _SomePlaces(ascending), quick, remote)
    back = np.argsort(order, kind="stable")
    return [hits[i] for i in back.tolist()]
