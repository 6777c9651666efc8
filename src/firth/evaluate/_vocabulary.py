"""Coverage of a text by the vocabulary of a corpus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from firth.corpus import MIN_COUNTS, Corpus
from firth.formats import Rows

__all__ = ["known_words"]


def known_words(
    corpus: Corpus, other: Corpus, min_counts: Iterable[int] = MIN_COUNTS
) -> Rows[dict[str, Any]]:
    """The share of another text that is known, for vocabularies of several sizes.

    Parameters
    ----------
    corpus : Corpus
        Its words are the vocabulary.
    other : Corpus
        The text to cover.
    min_counts : iterable of int
        A word is known if it occurs this often in ``corpus``.

    Returns
    -------
    list of dict
        ``min_count``, the number of ``words`` of the vocabulary, and the known shares of ``tokens`` and
        ``types``.

    Examples
    --------
    >>> import firth
    >>> corpus, other = (firth.Corpus.from_sentences([s.split()]) for s in ("a a b", "a b b c"))
    >>> known_words(corpus, other, [2])
    [{'min_count': 2, 'words': 1, 'tokens': 0.25, 'types': 0.333...}]
    """
    found = corpus.vocabulary.ids(list(other.vocabulary))
    ids = np.array([-1 if i is None else i for i in found])
    rows: Rows[dict[str, Any]] = Rows()
    for least in min_counts:
        kept = corpus.vocabulary.n_kept(least)
        known = (ids >= 0) & (ids < kept)
        tokens = float(other.vocabulary.counts[known].sum() / other.n_tokens)
        sizes = {"min_count": least, "words": kept}
        rows.append({**sizes, "tokens": tokens, "types": float(known.mean())})
    return rows
