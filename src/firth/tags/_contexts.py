"""What the anchor method counts: which words stand beside which, and at the ends of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts import Counts, count

__all__ = ["ContextCounts"]

_FREQUENT = 50
"""A word speaks for those that are spelled alike no louder than so many occurrences would."""
_SHARED = 200
"""How many contexts of a group of words that are spelled alike are passed on to its members."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContextCounts:
    """Counts of words, of their contexts and of neighbours.

    Attributes
    ----------
    words : list of str
        In order of decreasing count.
    counts : array of shape (n_words,)
    matrix : CSR array of shape (n_words, n_contexts)
        Contexts are the words at each offset, rarer words as one, and the end of the sentence as one more.
    pairs : CSR array of shape (n_words, n_words)
        How often the word of the column follows the word of the row.
    starts : array of shape (n_words,)
        How often a sentence begins with each word.
    n_blocks : int
        Contexts are so many blocks of equal width, one for each offset.
    """

    words: Sequence[str]
    counts: Floats
    matrix: Any
    pairs: Any
    starts: Floats
    n_blocks: int = 1

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        contexts: str,
        vocabulary: int | None,
        memory: int | str,
        engine: Engine,
    ) -> ContextCounts:
        """Count the contexts of the most frequent words of a corpus; ``contexts`` as for ``firth.count``."""
        counted = _count(corpus, contexts, vocabulary, memory, engine)
        beside = counted
        if contexts != "LR1":
            beside = _count(corpus, "LR1", vocabulary, memory, engine)
        n = counted.n_words
        ends = np.asarray(beside.word_counts[:, None] - beside.rows, np.float64)
        return cls(
            list(counted.vocabulary),
            np.asarray(counted.word_counts[:n], np.float64),
            _with_ends(counted)[:n].tocsr(),
            beside.block(1)[:n, :n].astype(np.float64).tocsr(),
            ends[:n, beside.contexts.offsets.index(-1)],
            counted.contexts.n_blocks,
        )

    @property
    def n_words(self) -> int:
        return len(self.words)

    def plus(self, other: ContextCounts) -> ContextCounts:
        """These counts, and of the words in them also the contexts they have elsewhere.

        Both must have been counted with the same offsets.
        """
        from scipy.sparse import csr_array

        here = {word: number for number, word in enumerate(self.words)}
        known = np.array([here.get(word, -1) for word in other.words], np.int64)
        columns = _places(self, other, known)
        rows = np.flatnonzero(known >= 0)
        found = other.matrix[rows].tocoo()
        row, column = known[rows][found.coords[0]], columns[found.coords[1]]
        kept = column >= 0
        moved = csr_array((found.data[kept], (row[kept], column[kept])), shape=self.matrix.shape)
        return replace(self, matrix=(self.matrix + moved).tocsr())

    def halves(self, rng: np.random.Generator) -> tuple[ContextCounts, ContextCounts]:
        """Each occurrence in one of two halves, at random; of words and their contexts, not of neighbours."""
        contexts = rng.binomial(self.matrix.data.astype(np.int64), 0.5).astype(np.float64)
        counts = rng.binomial(self.counts.astype(np.int64), 0.5).astype(np.float64)

        def part(values: Floats, of_words: Floats) -> ContextCounts:
            matrix = self.matrix.copy()
            matrix.data = values
            matrix.eliminate_zeros()
            return replace(self, matrix=matrix, counts=of_words)

        rest = self.matrix.data - contexts
        return part(contexts, counts), part(rest, self.counts - counts)

    def shared(self, group: npt.NDArray[np.int64], amount: float) -> ContextCounts:
        """Every word gets, beside its own contexts, a little of those of words that are spelled alike.

        Words that are alike have the same number in ``group``. The distribution of the contexts of a group
        counts as much as ``amount`` occurrences; its most frequent contexts are passed on.
        """
        from scipy.sparse import csr_array

        if not amount:
            return self
        n_groups = int(group.max()) + 1
        n, sums = self.n_words, np.maximum(self.matrix.sum(axis=1), 1e-300)
        heard = np.minimum(sums, _FREQUENT) / sums
        members = csr_array((heard, (group, np.arange(n))), shape=(n_groups, n))
        typical = _largest((members @ self.matrix).tocsr(), _SHARED)
        belongs = csr_array((np.full(n, amount), (np.arange(n), group)), shape=(n, n_groups))
        return replace(self, matrix=(self.matrix + belongs @ typical).tocsr())


def _count(
    corpus: Corpus, contexts: str, vocabulary: int | None, memory: int | str, engine: Engine
) -> Counts:
    return count(corpus, contexts, 1, vocabulary, memory=memory, threads=engine)


def _with_ends(counted: Counts) -> Any:
    """The matrix of counts with a column for the end of the sentence at the end of each block."""
    from scipy.sparse import csr_array, hstack

    n, n_blocks = counted.n_rows, counted.contexts.n_blocks
    offsets_each = len(counted.contexts.offsets) // n_blocks
    missing = offsets_each * counted.word_counts[:, None] - counted.rows
    parts = []
    for block in range(n_blocks):
        parts += [counted.matrix[:, block * n : (block + 1) * n], csr_array(missing[:, [block]])]
    return hstack(parts, format="csr", dtype=np.float64)


def _places(
    here: ContextCounts, other: ContextCounts, known: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """For each context of ``other`` the same one here; -1 for words that are not known here."""
    width_here, width_other = (c.matrix.shape[1] // c.n_blocks for c in (here, other))
    one = np.full(width_other, -1, np.int64)
    one[: other.n_words] = known
    one[-1] = width_here - 1  # the end of the sentence
    blocks = [np.where(one >= 0, block * width_here + one, -1) for block in range(here.n_blocks)]
    return np.concatenate(blocks)


def _largest(matrix: Any, n: int) -> Any:
    """Rows made to add up to one, of which the ``n`` largest entries are kept."""
    from scipy.sparse import csr_array

    indptr = [0]
    kept = []
    data = []
    for row in range(matrix.shape[0]):
        values = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]]
        order = np.argsort(-values, kind="stable")[:n]
        kept.append(matrix.indices[matrix.indptr[row] + order])
        data.append(values[order] / max(values.sum(), 1e-300))
        indptr.append(indptr[-1] + len(order))
    return csr_array(
        (np.concatenate(data), np.concatenate(kept), np.array(indptr)), shape=matrix.shape
    )
