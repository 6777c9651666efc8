"""Co-occurrence counts: a sparse matrix of words by contexts, and its row and column sums."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import ONE_THREAD, engine_for, interruptible
from firth.corpus import Vocabulary
from firth.counts._collocates import Collocate, best_collocates
from firth.counts._contexts import Contexts
from firth.counts._entries import Entries
from firth.counts._parameters import CountsParameters
from firth.errors import ParameterError
from firth.formats import Rows
from firth.notebook import Shown
from firth.progress import count_of
from firth.store import Part

__all__ = ["Counts"]

WORDS, WORD_COUNTS, INDPTR = "words.arrow", "word_counts.i64", "indptr.i64"
ROWS, COLUMNS = "rows.i64", "columns.i64"
_MOST = 1 << 62
"""Sums up to this limit do not overflow."""
_LARGE = 1 << 20
"""Matrices with at least this many entries are checked by all threads."""
INDICES, DATA = ("indices.i32", "indices.i64"), ("data.u32", "data.u64")


class CountsSizes:
    """The sizes of counts, wherever their matrix is."""

    contexts: Contexts
    vocabulary: Vocabulary
    word_counts: npt.NDArray[np.int64]

    @property
    def scale(self) -> int:
        return self.contexts.scale

    @property
    def n_words(self) -> int:
        """The number of kept words, without the rare symbol."""
        return len(self.vocabulary)

    @property
    def n_rows(self) -> int:
        return len(self.word_counts)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        return self.n_rows, self.n_rows * self.contexts.n_blocks


class Counts(CountsSizes, Shown):
    """How often each word occurs in each context, memory-mapped from disk.

    Rows are the ``n_words`` most frequent words. If there are rarer words, one more row, the *rare
    symbol*, stands for all of them. Columns are the same words, once for each block of contexts.

    Attributes
    ----------
    vocabulary : Vocabulary
        The words of the rows, without the rare symbol.
    word_counts : array of int64, shape (n_rows,)
        The number of tokens of each word in the corpus; the rare symbol is last.
    contexts : Contexts
        Offsets, blocks and weights.
    scale : int
        Entries must be divided by this; 1 unless contexts are weighted by distance.
    rows : array of int64, shape (n_rows, n_blocks)
        The sum of each row over each block.
    columns : array of int64, shape (n_blocks * n_rows,)
        The sum of each column.

    Examples
    --------
    >>> import firth
    >>> corpus = firth.Corpus.from_sentences([["the", "cat", "sat"], ["the", "dog", "sat"]])
    >>> counts = firth.count(corpus, contexts="R1", min_count=1)
    >>> list(counts.vocabulary)
    ['sat', 'the', 'cat', 'dog']
    >>> counts.matrix.toarray().tolist()
    [[0, 0, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0]]
    """

    def __init__(self, part: Part) -> None:
        self._part = part
        self.parameters = CountsParameters.restored(part.parameters)
        self.contexts = self.parameters.parsed()
        self.vocabulary = Vocabulary.load(part, WORDS)
        kept, blocks = len(self.vocabulary), self.contexts.n_blocks
        self.word_counts: npt.NDArray[np.int64] = part.array(WORD_COUNTS, -1, 1, _MOST)
        n = len(self.word_counts)
        part.require(
            0 <= n - kept <= 1
            and np.array_equal(self.word_counts[:kept], self.vocabulary.counts)
            and float(self.word_counts.sum(dtype=np.float64)) * sum(self.contexts.weights) < _MOST,
            "words and counts do not match",
        )
        self.rows: npt.NDArray[np.int64] = part.array(ROWS, (n, blocks), 0, _MOST)
        self.columns: npt.NDArray[np.int64] = part.array(COLUMNS, n * blocks, 0, _MOST)
        most = np.array(self.contexts.block_weights)
        part.require(
            (self.rows <= self.word_counts[:, None] * most).all(),
            "a word occurs more often in contexts than in the text",
        )
        self._data = part.array(DATA, -1, 1, _MOST)
        n_entries = len(self._data)
        self._indices = part.array(INDICES, n_entries, 0, n * blocks - 1)
        self._indptr = part.array(INDPTR, n + 1, 0, n_entries, "never falls")
        part.require(
            self._indptr[0] == 0 and self._indptr[-1] == n_entries, "the matrix is incomplete"
        )
        part.require(self._has_sums(), "the matrix does not have the sums that it should have")

    def _has_sums(self) -> bool:
        """Whether the rows of the matrix are sorted, and rows and columns have the right sums."""
        from firth.counts import _check_kernels as kernels  # here, because it imports Numba

        check_rows: Any = kernels.check_rows

        engine = engine_for("Counts", None) if self.n_entries >= _LARGE else ONE_THREAD
        shares = np.linspace(0, self.n_entries, engine.threads + 1).astype(np.int64)
        edges = np.searchsorted(self._indptr, shares)
        edges[0], edges[-1] = 0, self.n_rows
        matrix = self._indptr, self._indices, self._data, self.n_rows, self.rows

        def check(at: tuple[int, int]) -> npt.NDArray[np.int64] | None:
            sums = np.zeros(len(self.columns), np.int64)
            return sums if check_rows(*at, *matrix, sums) else None

        total = np.zeros(len(self.columns), np.int64)
        for sums in engine.map(check, pairwise(edges.tolist())):
            if sums is None:
                return False
            total += sums
        return np.array_equal(total, self.columns)

    @classmethod
    def load(cls, part: Part) -> Counts:
        """Memory-map the files of a part and check them."""
        return cls(part)

    def save(self, folder: Path) -> None:
        """Copy the files of the counts into a folder."""
        self._part.copy_to(folder)

    def describe(self) -> dict[str, Any]:
        """The sizes of the matrix."""
        return {
            "n_words": self.n_words,
            "has_rare": self.n_rows > self.n_words,
            "n_blocks": self.contexts.n_blocks,
            "n_entries": self.n_entries,
            "scale": self.contexts.scale,
        }

    def summary(self) -> tuple[str, list[str]]:
        """Sizes and counting options, for a person."""
        how = [f"min-count {self.parameters.min_count}"]
        how += [f"weights by {self.parameters.weights}"] * (self.parameters.weights != "none")
        words = count_of(self.n_words, "word")
        return f"{words} in {self.contexts.name} contexts, {self.n_entries:,} entries", how

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        return [("most frequent words", " ".join(self.vocabulary.words.slice(0, 12).to_pylist()))]

    def _notebook_picture(self) -> str:
        return self.vocabulary.drawing()

    def __repr__(self) -> str:
        return f"<Counts of {self.n_words:,} words in {self.contexts.name} contexts, {self.n_entries:,} entries>"

    @property
    def has_rare(self) -> bool:
        """Whether the last row is the rare symbol."""
        return self.n_rows > self.n_words

    @property
    def n_entries(self) -> int:
        """The number of entries that are not zero."""
        return len(self._data)

    @property
    def n_pairs(self) -> float:
        """The number of pairs of a word and a context word, weighted."""
        return int(self.columns.sum()) / self.scale

    @property
    def coverage(self) -> float:
        """The share of the tokens of the corpus that are words of the vocabulary."""
        return float(self.word_counts[: self.n_words].sum() / self.word_counts.sum())

    @cached_property
    def matrix(self) -> Any:
        """The matrix as a SciPy CSR array of integers, ``n_rows`` by ``n_blocks * n_rows``."""
        from scipy.sparse import csr_array

        entries = self._data, self._indices, self._indptr
        return interruptible(lambda: csr_array(entries, shape=self.shape))

    @property
    def entries(self) -> Entries:
        """The matrix as it is in its files, which SciPy would copy into memory."""
        return Entries(self._indptr, self._indices, self._data, self.shape)

    def block(self, offset: int) -> Any:
        """The square matrix of one offset, if offsets are counted separately.

        Examples
        --------
        >>> import firth
        >>> corpus = firth.Corpus.from_sentences([["a", "b"]])
        >>> firth.count(corpus, contexts="LR1", min_count=1).block(-1).toarray().tolist()
        [[0, 0], [1, 0]]
        """
        start, end = self.block_columns(offset)
        return self.matrix[:, start:end]

    def block_columns(self, offset: int) -> tuple[int, int]:
        """The columns of one offset, if offsets are counted separately: the first, and the end."""
        start = self._block_of(offset) * self.n_rows
        return start, start + self.n_rows

    def _block_of(self, offset: int) -> int:
        block = self.contexts.block_of(offset)
        if block is None:
            raise ParameterError(
                f"Contexts {self.contexts.name} have no block for offset {offset}."
            )
        return block

    def row(self, word_id: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Columns and values of one row."""
        a, b = int(self._indptr[word_id]), int(self._indptr[word_id + 1])
        return np.asarray(self._indices[a:b]), np.asarray(self._data[a:b])

    def collocates(
        self, word: str, offset: int | None = None, n: int = 10, measure: str = "pmi"
    ) -> Rows[Collocate]:
        """The typical contexts of a word, by a measure of association.

        Contexts that occur fewer than five times with the word are left out, because their association
        can be strong by chance. If there is no other context, the most frequent ones are kept.

        Parameters
        ----------
        word : str
        offset : int, optional
            -1 for the word before, 1 for the word after; ignored if contexts are one bag.
        n : int
            Maximum number of contexts.
        measure : {"pmi", "npmi", "mi3", "t", "z", "dice", "logdice", "g2", "chi2", "fisher"}
            Mutual information, also normalised or with the third power of the frequency; the t-score and
            the z-score; Dice's coefficient and its logarithm; the log-likelihood ratio; Pearson's
            chi-squared; or minus the decimal logarithm of the p-value of Fisher's exact test.
        """
        word_id = self.vocabulary.id(word)
        block = 0 if self.contexts.bag else self._block_of(offset if offset is not None else 1)
        columns, values = self.row(word_id)
        shift = block * self.n_rows
        here = (columns >= shift) & (columns < shift + self.n_words)  # no rare symbol
        columns, values = columns[here], values[here]
        total = int(self.columns[shift : shift + self.n_rows].sum())
        return best_collocates(
            self.vocabulary, columns - shift, values, self.columns[columns],
            int(self.rows[word_id, block]), total, self.scale, n, measure,
        )  # fmt: skip
