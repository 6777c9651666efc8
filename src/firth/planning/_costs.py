"""What each stage costs, one function for each, as a function of the sizes of text and matrices.

Memory is anonymous memory: what a stage needs, or the limit where it keeps to one, and the program. Disk
space is what is written while a stage runs, and what stays of it. Time is how much more work a stage is
than its trial on a sample. ``python -m benchmarks.plan`` compares all of it with what is measured; its
figures are where the numbers here are from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from firth.compute import Engine
from firth.counts import Contexts, cells_at_once
from firth.planning._growth import Growth
from firth.planning._samples import Decomposed, Work
from firth.vectors import LEARNED_FROM

__all__ = [
    "Matrix", "Space", "Text", "brown_work", "classes_space", "counting_passes", "counting_space",
    "decomposition_work", "grammar_space", "morphs_space", "reading_space", "tags_space", "tags_work", "vectors_space",
]  # fmt: skip

_BLOCK = 128
"""Bytes of a row of a block of vectors."""


@dataclass(frozen=True)
class Space:
    """Bytes: memory, disk space while a stage runs (with what it leaves), and what stays."""

    memory: float
    disk: float
    stays: float


@dataclass(frozen=True)
class Text:
    """The sizes of a text."""

    n_tokens: float
    n_sentences: float
    types: Growth
    word_bytes: float
    most: float
    """Occurrences of the most frequent word, or of all rare ones together."""

    @property
    def n_types(self) -> float:
        return self.types.at(self.n_tokens)

    def words(self, n: float) -> float:
        """A file of so many words with their counts."""
        return n * (16 + self.word_bytes)


@dataclass(frozen=True)
class Matrix:
    """The sizes of a matrix of counts; ``n_words`` includes the rare symbol."""

    n_words: float
    contexts: Contexts
    across_lines: bool
    entries: Growth

    @property
    def width(self) -> float:
        return self.n_words * self.contexts.n_blocks

    def n_entries(self, text: Text, share: float = 1.0) -> float:
        """Entries of the matrix, or of that of a share of the text."""
        return min(self.entries.at(text.n_tokens * share), self.n_words * self.width)

    def item(self, text: Text) -> int:
        """Bytes of an entry."""
        data = 4 if text.most * sum(self.contexts.weights) < 1 << 32 else 8
        return data + (4 if self.width < 1 << 31 else 8)

    def n_bytes(self, text: Text) -> float:
        """The files of the matrix."""
        rest = 16 * self.n_words + 16 * self.width + text.words(self.n_words)
        return self.n_entries(text) * self.item(text) + rest


def reading_space(text: Text, limit: int, threads: int, checkpoints: bool = False) -> Space:
    """Each thread has a table of words; tables that take too much are written as lists, and merged.

    With checkpoints, ids stay as they were until all of them have been written again.
    """
    room = limit / (2 * threads)
    types, n_lists = text.types.at(text.n_tokens / threads), float(threads)
    if _table(types, text) > room:
        types = room / (_table(types, text) / types)
        n_lists = max(n_lists, text.n_tokens / _length(text.types, types))
    listed = n_lists * types
    merging = listed * (200 + 6 * (text.word_bytes + 8))
    memory = max(min(threads * _table(types, text), limit / 2), 200 * listed)
    stays = 4 * text.n_tokens + 16 * text.n_sentences + text.words(text.n_types)
    disk = stays + 4 * text.n_tokens * checkpoints
    if n_lists > threads or merging > limit:
        memory = min(memory, 0.8 * limit) + (
            120 << 20
        )  # what Arrow keeps of lists that were merged
        disk += listed * (24 + text.word_bytes) + text.n_types * (44 + 2 * text.word_bytes)
    return Space((130 << 20) + memory, disk, stays)


def _table(n_types: float, text: Text) -> float:
    """The memory of a hash table: rows of 32 bytes, a power of two of them, and spellings."""
    rows = 2.0 ** math.ceil(math.log2((n_types + (1 << 14)) / 0.75))
    return 32 * rows + 1.25 * (8 + text.word_bytes) * n_types


def _length(types: Growth, n: float) -> float:
    """The length of a text that has so many types."""
    return types.length * math.pow(n / types.value, 1 / max(types.exponent, 0.1))


def counting_passes(text: Text, matrix: Matrix, limit: int, engine: Engine) -> int:
    """How many pieces of the text are counted one after the other."""
    return math.ceil(_cells(text, matrix) / _at_once(text, matrix, limit, engine))


def _at_once(text: Text, matrix: Matrix, limit: int, engine: Engine) -> float:
    """Tokens and blanks of the first piece; only the last may have fewer."""
    most = cells_at_once(round(matrix.n_words), matrix.contexts, engine, limit)
    return min(_cells(text, matrix), most)


def _cells(text: Text, matrix: Matrix) -> float:
    """Tokens, and blanks between sentences."""
    blanks = 0.0 if matrix.across_lines else text.n_sentences * matrix.contexts.reach
    return text.n_tokens + blanks


def counting_space(text: Text, matrix: Matrix, limit: int, engine: Engine) -> Space:
    """A piece of the text, sums for each thread, rows to be written; matrices of pieces are on disk."""
    n, threads = counting_passes(text, matrix, limit, engine), engine.threads
    entries, stays = matrix.n_entries(text), matrix.n_bytes(text)
    sums = threads * matrix.width * 14 + matrix.width * 16
    rows = 12 * min(entries, (threads + 2) * min(1 << 20, limit / (128 * threads + 128)))
    memory = (120 << 20) + 8 * _at_once(text, matrix, limit, engine) + sums + rows
    disk = stays
    if n > 1:
        disk += n * matrix.n_entries(text, 1 / n) * matrix.item(text)
    return Space(memory, disk, stays)


def vectors_space(
    text: Text, matrix: Matrix, dim: float, basis: float, limit: int, engine: Engine
) -> Space:
    """Entries, basis and singular vectors, which keep to the limit; blocks of vectors, which do not."""
    counting = counting_space(text, matrix, limit, engine)
    both, short = matrix.n_words + matrix.width, min(matrix.n_words, matrix.width)
    guesses = 4 * dim * min(matrix.n_words, LEARNED_FROM)
    # left and right singular vectors; word vectors and coefficients of guesses are as long as the left ones
    singular = 4 * dim * (3 * matrix.n_words + matrix.width)
    arrays = 6 * matrix.n_entries(text) + 4 * basis * short + singular
    blocks = 5 * _BLOCK * both + 40 * basis**2
    room = 0.75 * limit
    memory = (130 << 20) + min(arrays, room) + blocks
    stays = 4 * dim * both + guesses + 8 * matrix.width + text.words(matrix.n_words)
    disk = counting.stays + max(0.0, arrays - room) + stays
    return Space(max(memory, counting.memory), max(disk, counting.disk), stays)


def grammar_space(
    text: Text, matrix: Matrix, dim: float, limit: int, engine: Engine, counted: bool
) -> Space:
    """The matrix, its transpose and both in panels, a basis and vectors, which keep to the limit; sums for contexts."""
    entries = min(matrix.n_entries(text) + 88 * matrix.n_words, 2 * matrix.n_entries(text))
    arrays = (
        28 * entries
        + 4 * (3.5 * dim) * matrix.n_words
        + 4 * dim * (2 * matrix.n_words + matrix.width)
    )
    room = 0.75 * limit
    contexts = 150 * matrix.n_words + 20 * text.n_types + 40 * (1 << 20) * engine.threads
    memory = (
        (150 << 20) + min(arrays, room) + contexts + 5 * _BLOCK * (matrix.n_words + matrix.width)
    )
    stays = 4 * dim * (matrix.n_words + min(matrix.n_words, LEARNED_FROM)) + text.words(
        matrix.n_words
    )
    disk = stays + max(0.0, arrays - room)
    if counted:
        return Space(memory, disk, stays)
    counting = counting_space(text, matrix, limit, engine)
    return Space(max(memory, counting.memory), max(disk + counting.stays, counting.disk), stays)


def classes_space(text: Text, matrix: Matrix, n_pairs: float, m: float, counted: bool) -> Space:
    """Pairs of adjacent words in both directions, with copies, and what is known of pairs of classes."""
    memory = (150 << 20) + 145 * n_pairs + 40 * m**2
    stays = text.words(matrix.n_words) + 4 * matrix.n_words + 8 * m**2 + 300 * m
    disk = stays + 20 * matrix.n_words  # checkpoints
    return Space(memory, disk + (0.0 if counted else matrix.n_bytes(text)), stays)


def morphs_space(text: Text, n_words: float) -> Space:
    """Substrings of all words; words with a mark for each letter, and morphs of several words."""
    stays = text.words(n_words) + (4 * text.word_bytes + 10) * n_words
    return Space((150 << 20) + 3_700 * n_words, stays, stays)


def tags_space(text: Text, matrix: Matrix) -> Space:
    """Each word has two hundred contexts of those that are spelled alike, in several copies."""
    stays = 73 * matrix.n_words
    memory = (150 << 20) + 12_600 * matrix.n_words
    return Space(memory, max(stays, matrix.n_bytes(text)), stays)


def decomposition_work(
    trial: Decomposed, text: Text, matrix: Matrix, dim: float
) -> tuple[float, Work]:
    """The size of the basis and the work for the whole matrix.

    Products with the matrix grow with its entries, orthogonalisation with its sides, and both with the
    basis, the latter with its square; eigenvectors grow with the cube of the basis.
    """
    basis = trial.basis * dim / trial.rank
    longer = dim / trial.rank
    more = matrix.n_entries(text) / max(trial.n_entries, 1)
    sides = (matrix.n_words + matrix.width) / (trial.n_rows + trial.width)
    work = (
        trial.preparing * more + trial.sparse * (more * longer) + trial.dense * (sides * longer**2)
    )
    learned, tried = (min(n, LEARNED_FROM) for n in (matrix.n_words, max(trial.n_rows, 1)))
    guessing = trial.guessing * (dim * learned / tried)
    mixing = trial.mixing * (longer * matrix.n_words / max(trial.n_rows, 1))
    return basis, work + trial.small * longer**3 + guessing + mixing


def brown_work(n: float, m: float, pairs: float) -> float:
    """Seconds of Brown's algorithm and exchange on one core; only ratios are used.

    The first bounds and the first words, further words, each compared with pairs of classes; passes of
    exchange; the tree; the contexts of classes. See ``docs/how/brown.md``.
    """
    adding = 2.8e-6 * m**2 + 60e-12 * n * m**2 + 1.5e-6 * n
    exchange = 1.4e-9 * pairs * max(m, 500)
    return adding + exchange + 1.5e-9 * m**3 + 1.2e-7 * pairs + 1e-4 * m


def tags_work(n_words: float, n_tokens: float) -> float:
    """Seconds of learning tags on one core; only ratios are used."""
    return 27e-6 * n_words + 0.4e-6 * n_tokens
