"""How much of what is learned from a text is the same in two halves of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus
from firth.vectors import WordVectors

__all__ = ["BANDS", "Band", "agreement", "halves", "similarity_bands"]

BANDS = (5, 10, 20, 50, 100)
"""Words are compared in groups: those with at least so many occurrences, and fewer than the next group."""
_STRETCHES = 20
_POOL = 1000
"""Similarities with so many frequent words are compared, whatever the size of the text."""
_COMPARED = 300
_FEWEST = 20
"""The fewest words of a group, or of a pool, that are compared."""
_FEWEST_GROUPED = 50
"""The fewest words whose tags or classes are compared; with fewer, chance can look like agreement."""


class Band(NamedTuple):
    """How stable the similarities of words are: words with ``least`` occurrences or more in a half."""

    least: int
    n_words: int
    stability: float


def halves(corpus: Corpus, most_tokens: int) -> tuple[Corpus, Corpus]:
    """Two halves of a text: 20 stretches, taken in turn.

    Of a text with more than ``most_tokens``, the stretches have so many together and are evenly spread. A
    half is empty if there are fewer sentences than stretches.
    """
    ends = np.asarray(corpus.ends)
    size = min(most_tokens, corpus.n_tokens) // _STRETCHES
    edges = np.linspace(0, corpus.n_tokens, _STRETCHES + 1).astype(np.int64)
    firsts = np.searchsorted(ends, edges[:-1], side="right")
    lasts = np.minimum(
        np.searchsorted(ends, edges[:-1] + size, side="right"), np.append(firsts[1:], len(ends))
    )
    if corpus.n_tokens <= most_tokens:
        lasts = np.append(firsts[1:], len(ends))

    def sentences(which: int) -> Iterator[list[str]]:
        for first, last in zip(firsts[which::2].tolist(), lasts[which::2].tolist(), strict=True):
            for i in range(first, last):
                yield corpus.sentence(i)

    return Corpus.from_sentences(sentences(0)), Corpus.from_sentences(sentences(1))


def similarity_bands(a: WordVectors, b: WordVectors, seed: int = 0) -> list[Band]:
    """How stable the similarities of words are, by their frequency, for vectors of two halves of a text.

    For each of some words, its cosines with the 1,000 most frequent words in one half are compared with
    those in the other, by Spearman's rank correlation. It is 0 if all is chance and 1 if all is the same,
    and does not depend on the number of words, as shared nearest neighbours would.
    """
    places = a.vocabulary.places_among(b.vocabulary.words)
    mine = np.flatnonzero(places >= 0)
    theirs = np.asarray(places)[mine]
    least = np.minimum(a.vocabulary.counts[mine], b.vocabulary.counts[theirs])
    pool = np.argsort(-least, kind="stable")[:_POOL]
    if len(pool) < _FEWEST:
        return []
    chance, found = np.random.default_rng(seed), []
    for low, high in zip(BANDS, (*BANDS[1:], np.inf), strict=True):
        some = np.flatnonzero((least >= low) & (least < high))
        if len(some) < _FEWEST:
            continue
        if len(some) > _COMPARED:
            some = np.sort(chance.choice(some, _COMPARED, replace=False))
        cosines = [
            vectors.unit[rows[some]] @ vectors.unit[rows[pool]].T
            for vectors, rows in ((a, mine), (b, theirs))
        ]
        other = some[:, None] != pool  # not with itself
        correlations = [
            _correlation(one[kept], two[kept])
            for one, two, kept in zip(*cosines, other, strict=True)
        ]
        found.append(Band(low, len(some), float(np.mean(correlations))))
    return found


def _correlation(a: npt.NDArray[np.floating], b: npt.NDArray[np.floating]) -> float:
    """Spearman's rank correlation; 0 where all values are the same."""
    from scipy.stats import rankdata

    x, y = (rankdata(values) - (len(values) + 1) / 2 for values in (a, b))
    size = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / size if size else 0.0


def agreement(a: Mapping[str, int], b: Mapping[str, int]) -> float | None:
    """How well two groupings agree on the words that both have: adjusted mutual information.

    It is about 0 for groups by chance and 1 for the same groups; None if there are too few words. All words
    count alike: in running text, the most frequent words would decide, which are groups of their own even
    in a text of words at random.
    """
    from sklearn.metrics import adjusted_mutual_info_score

    words = [word for word in a if word in b]
    if len(words) < _FEWEST_GROUPED:
        return None
    return float(
        adjusted_mutual_info_score([a[word] for word in words], [b[word] for word in words])
    )
