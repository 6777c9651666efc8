"""Frequency lists: how often each word occurs, and how evenly it is spread over the documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compare import Text, text_of
from firth.corpus import Corpus
from firth.errors import check_count
from firth.find import Finder
from firth.formats import Framed
from firth.model import Model
from firth.store import MANIFEST

__all__ = ["WordList", "word_list"]


@dataclass(frozen=True)
class WordList(Framed):
    """The words of a text, the most frequent first; see ``word_list``.

    Attributes
    ----------
    text : Text
        The text, with the counts and the dispersion of all words.
    ids : array of int64
        The ids of the words.
    """

    text: Text
    ids: npt.NDArray[np.int64]
    _columns = ("word", "count", "per_million", "parts", "dp", "d")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<WordList of {len(self):,} words>"

    def rows(self, n: int | None = None) -> Iterator[dict[str, Any]]:
        """The first ``n`` words, or all, as plain data.

        ``parts`` is the number of documents with the word, or of stretches of equal size if the text is not
        divided into documents; ``dp`` is Gries's deviation of proportions, ``d`` Juilland's D.
        """
        parts, deviation, even = self.text.dispersion
        words, size = self.text.corpus.vocabulary, self.text.n_tokens
        for i in self.ids[:n].tolist():
            count = int(self.text.counts[i])
            yield {
                "word": words[i], "count": count, "per_million": 1e6 * count / size,
                "parts": int(parts[i]), "dp": float(deviation[i]), "d": float(even[i]),
            }  # fmt: skip


def word_list(
    source: Model | Corpus | str | Path, *queries: str, where: str = "", min_count: int = 1
) -> WordList:
    """The words of a text with their frequencies and dispersion.

    Parameters
    ----------
    source : Model, Corpus, str or Path
        A model or a corpus; or the name of a model folder or of a text file.
    *queries : str
        Only words that one of these queries for single words finds, such as ``econom*``, ``/ing$/`` or
        ``[tag=4]``.
    where : str
        Only in documents for which this holds, such as ``year >= 1900``.
    min_count : int
        The least frequency.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_texts(["a rose is a rose", "a ship"])
    >>> [(row["word"], row["count"], row["parts"]) for row in word_list(corpus, "/o|a/").rows()]
    [('a', 3, 2), ('rose', 2, 1)]
    """
    check_count("word_list", "min_count", min_count)
    if isinstance(source, str | Path) and (Path(source) / MANIFEST).is_file():
        source = Model(source)
    text = text_of(source, where)
    kept = text.counts >= min_count
    if queries:
        finder = (
            Finder(text.corpus, part=source.part)
            if isinstance(source, Model)
            else Finder(text.corpus)
        )
        among = np.zeros(len(kept), bool)
        among[finder.words(*queries)] = True
        kept = kept & among
    ids = np.flatnonzero(kept)
    return WordList(text, ids[np.lexsort([ids, -text.counts[ids]])])
