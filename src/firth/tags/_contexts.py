"""What the anchor method counts: which words stand beside which, and at the ends of sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine
from firth.corpus import Corpus
from firth.counts import Counts, CountsParameters, build_counts, count
from firth.store import Part, Room, make_folder
from firth.tags._spelling import spelling_values
from firth.tags._stacking import row_pieces, some_rows, stacked

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
    room : Room
        For matrices.
    """

    words: Sequence[str]
    counts: Floats
    matrix: Any
    pairs: Any
    starts: Floats
    n_blocks: int = 1
    room: Room = field(default_factory=Room)

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        contexts: str,
        vocabulary: int | None,
        memory: int | str,
        engine: Engine,
        room: Room | None = None,
        folder: Path | None = None,
    ) -> ContextCounts:
        """Count the contexts of the most frequent words of a corpus; ``contexts`` as for ``firth.count``.

        The counts are in ``folder``, or in a temporary one.
        """
        room = room or Room()
        counting = vocabulary, memory, engine, folder
        counted = beside = _count(corpus, contexts, *counting)
        if contexts != "LR1":
            beside = _count(corpus, "LR1", *counting)
        n = counted.n_words
        ends = np.asarray(beside.word_counts[:, None] - beside.rows, np.float64)
        return cls(
            list(counted.vocabulary),
            np.asarray(counted.word_counts[:n], np.float64),
            _with_ends(counted, room),
            _pairs(beside, room),
            ends[:n, beside.contexts.offsets.index(-1)],
            counted.contexts.n_blocks,
            room,
        )

    @property
    def n_words(self) -> int:
        return len(self.words)

    def plus(self, other: ContextCounts, most: float = np.inf) -> ContextCounts:
        """These counts, and of the words in them also the contexts they have elsewhere.

        Both must have been counted with the same offsets. A word that has more than ``most`` contexts
        elsewhere gets so many, in the same proportions.
        """
        from scipy.sparse import csr_array

        here = {word: number for number, word in enumerate(self.words)}
        known = np.array([here.get(word, -1) for word in other.words], np.int64)
        columns = _places(self, other, known)
        there = np.full(self.n_words, -1, np.int64)
        there[known[known >= 0]] = np.flatnonzero(known >= 0)
        more = np.where(there >= 0, np.diff(other.matrix.indptr)[there], 0)
        sizes = np.diff(self.matrix.indptr) + more

        def both(first: int, last: int) -> Any:
            own = some_rows(self.matrix, first, last)
            rows = np.flatnonzero(there[first:last] >= 0)
            found = other.matrix[there[first:last][rows]].tocoo()
            row, column = rows[found.coords[0]], columns[found.coords[1]]
            kept = column >= 0
            row, column, data = row[kept], column[kept], found.data[kept]
            if most < np.inf:
                totals = np.bincount(row, data, own.shape[0])
                data = data * np.minimum(1.0, most / np.maximum(totals, 1))[row]
            moved = csr_array((data, (row, column)), shape=own.shape)
            return (own + moved).tocsr()

        return self._with(both, sizes)

    def _with(self, rows: Callable[[int, int], Any], sizes: npt.NDArray[Any]) -> ContextCounts:
        """With another matrix; ``sizes`` has the most entries that each of its rows can have."""
        pieces = (rows(first, last) for first, last in row_pieces(sizes))
        matrix = stacked(pieces, self.matrix.shape, int(sizes.sum()), self.room)
        return replace(self, matrix=matrix)

    def halves(self, rng: np.random.Generator) -> tuple[ContextCounts, ContextCounts]:
        """Each occurrence in one of two halves, at random; of words and their contexts, not of neighbours."""
        matrix, sizes = self.matrix, np.diff(self.matrix.indptr)
        contexts = self.room.empty(matrix.nnz, np.float64)
        for first, last in row_pieces(sizes):
            here = slice(matrix.indptr[first], matrix.indptr[last])
            contexts[here] = rng.binomial(matrix.data[here].astype(np.int64), 0.5)
        counts = rng.binomial(self.counts.astype(np.int64), 0.5).astype(np.float64)

        def one(first: int, last: int) -> Any:
            rows = some_rows(matrix, first, last)
            rows.data = contexts[matrix.indptr[first] : matrix.indptr[last]].copy()
            rows.eliminate_zeros()
            return rows

        def other(first: int, last: int) -> Any:
            rows = some_rows(matrix, first, last)
            rows.data = rows.data - contexts[matrix.indptr[first] : matrix.indptr[last]]
            rows.eliminate_zeros()
            return rows

        half, rest = self._with(one, sizes), self._with(other, sizes)
        return replace(half, counts=counts), replace(rest, counts=self.counts - counts)

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
        sizes = np.diff(self.matrix.indptr)
        heights = np.bincount(group, sizes, n_groups).astype(np.int64)
        shape = (n_groups, self.matrix.shape[1])
        typical = stacked(
            (_largest((members[a:b] @ self.matrix).tocsr(), _SHARED) for a, b in row_pieces(heights)),
            shape, int(np.minimum(heights, _SHARED).sum()), self.room,
        )  # fmt: skip
        belongs = csr_array((np.full(n, amount), (np.arange(n), group)), shape=(n, n_groups))
        return self._with(
            lambda a, b: (some_rows(self.matrix, a, b) + belongs[a:b] @ typical).tocsr(),
            sizes + np.diff(typical.indptr)[group],
        )

    def spelled(self, weight: float) -> ContextCounts:
        """Every word counts as having the values of its spelling features, too: more columns.

        Each value of a word counts ``weight`` times the length of its row of counts, divided by the root of
        the number of its values, so that all values together are ``weight`` times as long as the row.
        """
        from scipy.sparse import csr_array, hstack

        if not weight:
            return self
        sizes = np.diff(self.matrix.indptr)
        squares = [some_rows(self.matrix, a, b).power(2).sum(axis=1) for a, b in row_pieces(sizes)]
        lengths = np.sqrt(np.concatenate(squares))
        rows, columns = spelling_values(self.words)
        n_values = np.bincount(rows, minlength=self.n_words)
        counts = weight * lengths[rows] / np.sqrt(n_values[rows])
        shape = (self.n_words, int(columns.max(initial=-1)) + 1)
        values = csr_array((counts, (rows, columns)), shape=shape)
        pieces = (
            hstack([some_rows(self.matrix, a, b), values[a:b]], format="csr")
            for a, b in row_pieces(sizes)
        )
        wider = (self.n_words, self.matrix.shape[1] + shape[1])
        matrix = stacked(pieces, wider, self.matrix.nnz + values.nnz, self.room)
        return replace(self, matrix=matrix)


def _count(
    corpus: Corpus, contexts: str, vocabulary: int | None, memory: int | str, engine: Engine,
    folder: Path | None,
) -> Counts:  # fmt: skip
    if folder is None:
        return count(corpus, contexts, 1, vocabulary, memory=memory, threads=engine)
    parameters = CountsParameters(contexts, min_count=1, vocabulary=vocabulary)
    place = folder / f"counts{len(list(folder.iterdir()))}"
    make_folder(place)
    build_counts(corpus, parameters, place, memory, engine)
    return Counts.load(Part.in_folder(place, parameters.parameters()))


def _with_ends(counted: Counts, room: Room) -> Any:
    """The counts of words with a column for the end of the sentence at the end of each block."""
    from scipy.sparse import csr_array, hstack

    n, n_blocks = counted.n_rows, counted.contexts.n_blocks
    offsets_each = len(counted.contexts.offsets) // n_blocks
    missing = offsets_each * counted.word_counts[:, None] - counted.rows
    sizes = np.diff(counted.entries.indptr[: counted.n_words + 1]) + n_blocks

    def rows(first: int, last: int) -> Any:
        some, parts = some_rows(counted.entries, first, last), []
        for block in range(n_blocks):
            ends = csr_array(missing[first:last, [block]])
            parts += [some[:, block * n : (block + 1) * n], ends]
        return hstack(parts, format="csr", dtype=np.float64)

    pieces = (rows(first, last) for first, last in row_pieces(sizes))
    return stacked(pieces, (counted.n_words, n_blocks * (n + 1)), int(sizes.sum()), room)


def _pairs(counted: Counts, room: Room) -> Any:
    """How often words follow each other."""
    n, (begin, _) = counted.n_words, counted.block_columns(1)
    sizes = np.diff(counted.entries.indptr[: n + 1])
    pieces = (
        some_rows(counted.entries, first, last)[:, begin : begin + n]
        for first, last in row_pieces(sizes)
    )
    return stacked(pieces, (n, n), int(sizes.sum()), room)


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
