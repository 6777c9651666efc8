"""The contexts of a word: a bag of words around each occurrence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.corpus import Corpus, Index
from firth.errors import InputError, check_count, wrong_parameter
from firth.senses._parameters import WINDOW

__all__ = ["ContextWord", "Contexts", "check_window"]

SIDES = ("", "before", "after")
LONGEST = 1_000
"""The widest window, also for whole sentences."""
_MOST_TOKENS = 40_000_000
"""Maximum number of tokens in all contexts, which are in memory."""
_SCAN = 1 << 24
"""How many tokens are scanned at once."""

Integers = npt.NDArray[np.int64]


class ContextWord(NamedTuple):
    """A word of a context.

    ``side`` is ``before`` or ``after`` for words adjacent to the target word, if these are kept apart
    from others; else it is empty.
    """

    word: str
    side: str = ""


class Contexts:
    """The contexts of a word, as counts: a row for each occurrence, a column for each context word.

    Make them with ``of`` (from a corpus) or ``of_bags`` (from lists of words).

    Attributes
    ----------
    words : list of ContextWord
        The columns.
    starts : array of int64, shape (n_contexts + 1,)
        Where each row begins among ``columns`` and ``counts``.
    columns : array of int32
        The columns of each row, ascending.
    counts : array of float64
        The count of each.
    places : array of int64, shape (n_contexts,), or None
        The positions of the occurrences in the corpus.
    n_occurrences : int
        Number of occurrences before sampling.

    Examples
    --------
    >>> import firth
    >>> from firth.senses import Contexts
    >>> lines = ["the bank of the river", "a bank of the river", "the bank lends money"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> contexts = Contexts.of(corpus, "bank", window=5)
    >>> contexts
    <Contexts: 3 of 4 words>
    >>> [" ".join(word).strip() for word in contexts.words]
    ['the', 'river', 'the before', 'of after']
    >>> contexts.row(1)
    [(ContextWord(word='the', side=''), 1), (ContextWord(word='river', side=''), 1), (ContextWord(word='of', side='after'), 1)]
    """  # noqa: E501

    def __init__(
        self,
        words: Sequence[ContextWord],
        starts: Integers,
        columns: npt.NDArray[np.int32],
        counts: npt.NDArray[np.float64],
        places: Integers | None = None,
        n_occurrences: int | None = None,
    ) -> None:
        self.words = list(words)
        self.starts, self.columns, self.counts = starts, columns, counts
        self.places = places
        self.n_occurrences = len(self) if n_occurrences is None else n_occurrences

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"<Contexts: {len(self):,} of {len(self.words):,} words>"

    @property
    def n_tokens(self) -> float:
        """Number of tokens in all contexts."""
        return float(self.counts.sum())

    def row(self, i: int) -> list[tuple[ContextWord, int]]:
        """The words of one context, with counts."""
        some = slice(int(self.starts[i]), int(self.starts[i + 1]))
        cells = zip(self.columns[some].tolist(), self.counts[some].tolist(), strict=True)
        return [(self.words[column], int(count)) for column, count in cells]

    def totals(self) -> npt.NDArray[np.float64]:
        """The count of each word in all contexts."""
        return np.bincount(self.columns, self.counts, len(self.words)).astype(np.float64)

    def spread(self, n: int) -> Contexts:
        """At most ``n`` of the contexts, evenly spread, in their order."""
        if len(self) <= n:
            return self
        chosen = np.linspace(0, len(self) - 1, n).astype(np.int64)
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        source = np.arange(starts[-1]) + np.repeat(self.starts[chosen] - starts[:-1], lengths)
        places = None if self.places is None else self.places[chosen]
        return Contexts(self.words, starts, self.columns[source], self.counts[source], places)

    def fitted_to(self, words: Sequence[ContextWord]) -> Contexts:
        """The same contexts with other columns; words without a column are omitted."""
        if list(words) == self.words:
            return self
        number = {word: i for i, word in enumerate(words)}
        new = np.array([number.get(word, -1) for word in self.words], np.int64)
        rows = np.repeat(np.arange(len(self)), np.diff(self.starts))
        columns = new[self.columns]
        kept = columns >= 0
        return _counted(
            words, rows[kept], columns[kept], self.counts[kept], len(self), self.places, self.n_occurrences
        )  # fmt: skip

    def without_rare(self, least: int) -> Contexts:
        """The same contexts without words that occur in fewer than ``least`` of them."""
        n = np.bincount(self.columns, minlength=len(self.words))
        if n.size and n.min() >= least:
            return self
        return self.fitted_to([self.words[i] for i in np.flatnonzero(n >= least).tolist()])

    @classmethod
    def of_bags(cls, bags: Sequence[Sequence[str]], min_contexts: int = 1) -> Contexts:
        """Contexts from lists of words; their order does not matter.

        Parameters
        ----------
        bags : sequence of sequences of str
        min_contexts : int
            Words that occur in fewer contexts are omitted.

        Examples
        --------
        >>> from firth.senses import Contexts
        >>> Contexts.of_bags([["river", "water"], ["money", "money"]]).counts.tolist()
        [1.0, 1.0, 2.0]
        """
        check_count("Contexts.of_bags", "min_contexts", min_contexts)
        if isinstance(bags, str) or any(isinstance(bag, str) for bag in bags):
            raise wrong_parameter("Contexts.of_bags", "bags", "lists of words", bags)
        number: dict[str, int] = {}
        rows = [i for i, bag in enumerate(bags) for _ in bag]
        columns = [number.setdefault(word, len(number)) for bag in bags for word in bag]
        words = [ContextWord(word) for word in number]
        found = _counted(
            words, np.array(rows, np.int64), np.array(columns, np.int64), None, len(bags)
        )
        return found.without_rare(min_contexts)

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        word: str | Sequence[str],
        window: int | None = WINDOW,
        *,
        beside: bool = True,
        min_contexts: int = 2,
        max_share: float = 1.0,
        most: int | None = None,
        index: Index | None = None,
    ) -> Contexts:
        """The contexts of a word in a corpus, within sentences.

        Parameters
        ----------
        corpus : Corpus
        word : str or list of str
            Several words are treated as one. The word itself is not part of its contexts.
        window : int or None
            Number of tokens on either side; None for the whole sentence, up to 1,000 tokens.
        beside : bool
            Whether adjacent words are kept apart from words further away.
        min_contexts : int
            Words that occur in fewer contexts are omitted; a word of a single context is no evidence.
        max_share : float
            Words that make up a larger share of the corpus are omitted; none by default.
        most : int, optional
            Maximum number of occurrences, evenly spread over the corpus; all by default.
        index : Index, optional
            The index of the corpus; without it, all tokens are scanned.
        """
        owner = "Contexts.of"
        check_window(owner, window)
        check_count(owner, "min_contexts", min_contexts)
        if not isinstance(max_share, float | int) or not 0 < max_share <= 1:
            raise wrong_parameter(owner, "max_share", "a share above 0, up to 1", max_share)
        if most is not None:
            check_count(owner, "most", most)
        asked = [word] if isinstance(word, str) else list(word)
        own = np.array([corpus.vocabulary.id(one) for one in asked], np.int64)
        places = _places(corpus, own, index)
        n_occurrences = len(places)
        if most is not None and n_occurrences > most:
            places = places[np.linspace(0, n_occurrences - 1, most).astype(np.int64)]
        reach = LONGEST if window is None else window
        rows, found, side = _around(corpus, places, reach, beside)
        shares = corpus.vocabulary.counts / corpus.n_tokens
        kept = ~np.isin(found, own) & (shares[found] <= max_share)
        keys = found[kept] + side[kept] * corpus.n_types
        distinct, columns = np.unique(keys, return_inverse=True)
        names = corpus.vocabulary.words.take(distinct % corpus.n_types).to_pylist()
        sides = (distinct // corpus.n_types).tolist()
        words = [ContextWord(name, SIDES[s]) for name, s in zip(names, sides, strict=True)]
        counted = _counted(words, rows[kept], columns, None, len(places), places, n_occurrences)
        return counted.without_rare(min_contexts)


def check_window(owner: str, window: int | None) -> None:
    """Raise unless a window is a number of tokens, or None."""
    if window is not None:
        check_count(owner, "window", window)
        if window > LONGEST:
            raise wrong_parameter(owner, "window", f"an int of at most {LONGEST}", window)


def _places(corpus: Corpus, own: Integers, index: Index | None) -> Integers:
    """The positions of the word, ascending."""
    if index is not None:
        found = [index[int(i)] for i in own]
        return np.unique(np.concatenate(found))
    ids = corpus.ids
    looked = []
    for a in range(0, len(ids), _SCAN):
        progress.check_interrupted()
        looked.append(np.flatnonzero(np.isin(ids[a : a + _SCAN], own)) + a)
    return np.concatenate(looked).astype(np.int64)


def _around(
    corpus: Corpus, places: Integers, reach: int, beside: bool
) -> tuple[Integers, Integers, Integers]:
    """The tokens around some positions: the row, the word and the side of each."""
    sentences = np.searchsorted(corpus.ends, places, side="right")
    ends = np.asarray(corpus.ends)
    begin = np.where(sentences > 0, ends[sentences - 1], 0)
    first = np.maximum(begin, places - reach)
    lengths = np.minimum(ends[sentences], places + reach + 1) - first
    n_tokens = int(lengths.sum())
    if n_tokens > _MOST_TOKENS:
        raise InputError(
            f"The contexts of this word have {n_tokens:,} tokens; at most {_MOST_TOKENS:,} are possible.",
            "Use a smaller window, or fewer occurrences.",
        )
    rows = np.repeat(np.arange(len(places)), lengths)
    before = np.cumsum(lengths) - lengths
    around = np.arange(n_tokens) + np.repeat(first - before, lengths)
    distance = around - places[rows]
    other = distance != 0
    rows, around, distance = rows[other], around[other], distance[other]
    side = np.zeros(len(rows), np.int64)
    if beside:
        side[distance == -1] = SIDES.index("before")
        side[distance == 1] = SIDES.index("after")
    return rows, np.asarray(corpus.ids)[around].astype(np.int64), side


def _counted(
    words: Sequence[ContextWord],
    rows: Integers,
    columns: Integers,
    counts: npt.NDArray[np.float64] | None,
    n_rows: int,
    places: Integers | None = None,
    n_occurrences: int | None = None,
) -> Contexts:
    """Contexts from the row and the column of each token."""
    width = max(len(words), 1)
    cells, cell_of = np.unique(rows * width + columns, return_inverse=True)
    added = np.bincount(cell_of, counts, len(cells)).astype(np.float64)
    starts = np.searchsorted(cells, np.arange(n_rows + 1) * width).astype(np.int64)
    return Contexts(
        words, starts, (cells % width).astype(np.int32), added, places, n_occurrences
    )  # fmt: skip
