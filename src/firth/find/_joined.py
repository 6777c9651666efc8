"""Words that are joined in the corpus: where a query has them in a row, the phrase is found, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from firth.corpus import JOINT, Corpus, Vocabulary

__all__ = ["JoinedWords", "Row"]

Ids: TypeAlias = npt.NDArray[np.int64]
Row: TypeAlias = Sequence[tuple[Ids, tuple[int, int]]]
"""The words of each slot, and the gap before it."""


class JoinedWords:
    """The phrases of a corpus, each of which is one token.

    Attributes
    ----------
    vocabulary : Vocabulary
        The words of the corpus, and after them those that occur in phrases only, with a count of 0.
    """

    def __init__(self, corpus: Corpus) -> None:
        import pyarrow as pa

        self.vocabulary = corpus.vocabulary
        self.n_types = corpus.n_types
        self._by_length: dict[int, tuple[Ids, Ids]] = {}
        phrases = list(corpus.phrases or ())
        if not phrases:
            return
        distinct = list(dict.fromkeys(word for phrase in phrases for word in phrase))
        found = self.vocabulary.find_all(distinct)
        others = [word for word, k in zip(distinct, found, strict=True) if k is None]
        words = pa.concat_arrays([self.vocabulary.words, pa.array(others, pa.large_string())])
        counts = np.append(self.vocabulary.counts, np.zeros(len(others), np.int64))
        self.vocabulary = Vocabulary(words, counts)
        ids = dict(zip(distinct, self.vocabulary.find_all(distinct), strict=True))
        tokens = self.vocabulary.find_all([JOINT.join(phrase) for phrase in phrases])
        for length in {len(phrase) for phrase in phrases}:
            here = [(p, t) for p, t in zip(phrases, tokens, strict=True) if len(p) == length]
            rows = np.array([[ids[word] for word in p] for p, _ in here], np.int64)
            self._by_length[length] = rows, np.array([t for _, t in here], np.int64)

    def rows(self, row: Row, most: int) -> list[Row]:
        """A row of slots, and those in which phrases take the place of several slots; ``most`` at most."""
        if not self._by_length:
            return [row]
        endings: list[list[Row]] = [[[]]]  # of the last 0, 1, 2 ... slots
        for i in reversed(range(len(row))):
            here: list[Row] = [[row[i], *rest] for rest in endings[-1]]
            for length in self._by_length:
                if length > len(row) - i or any(
                    gap != (0, 0) for _, gap in row[i + 1 : i + length]
                ):
                    continue
                tokens = self._tokens([ids for ids, _ in row[i : i + length]])
                if len(tokens):
                    here += [[(tokens, row[i][1]), *rest] for rest in endings[-length]]
            endings.append(here[: most + 1])
        return [[(ids[ids < self.n_types], gap) for ids, gap in found] for found in endings[-1]]

    def _tokens(self, slots: Sequence[Ids]) -> Ids:
        """The phrases, as tokens, whose words may stand in some slots."""
        rows, tokens = self._by_length[len(slots)]
        fits = np.ones(len(rows), bool)
        for k, ids in enumerate(slots):
            fits &= np.isin(rows[:, k], ids)
        return np.unique(tokens[fits])
