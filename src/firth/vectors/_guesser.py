"""Vectors of words never seen, guessed from their spelling: ridge regression on character n-grams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.corpus import Vocabulary
from firth.store import Part, Room, write_array
from firth.vectors._ngram_kernels import (
    LEAST,
    MOST,
    ascend,
    count_ngrams,
    gather,
    hash_ngrams,
    predict_all,
)

__all__ = [
    "GUESSES",
    "LEARNED_FROM",
    "Guesser",
    "NGrams",
    "learn_guesser",
    "mix",
    "ngrams_of",
    "unmixed",
]

GUESSES = "guesses.f32"
LEARNED_FROM = 30_000
"""Guesses are learned from so many of the first words: those of rarer ones say less, and take the time."""
_LARGEST_TABLE = 1 << 21
_COLUMNS = 32
"""Dimensions that are learned at once: a row is two cache lines."""
_TRUSTED = 5.0
"""The count at which a word has half the weight of a frequent one."""
_FREQUENT = 1e-4
"""The share of the text from which on words have less weight again."""
_PENALTIES = (0.5, 0.2, 0.1, 0.05, 0.02)
_HELD_OUT = 10
"""Every tenth word is held out to choose the penalty."""
_TRIAL_PASSES, _PASSES, _ENOUGH = 8, 60, 3e-5
"""Passes end when they change less than this share of what the first one did (squared)."""
_ROWS_AT_ONCE = 1 << 14
_GUESSED = 1 << 13
"""Words whose guesses are mixed in at once."""
_LARGEST = 1e6
"""Of the coefficients of vectors of unit length, which are far smaller."""

Floats32 = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NGrams:
    """The n-grams of 3 to 6 characters of some words, hashed into buckets as fastText does."""

    starts: Integers
    """Where the n-grams of each word begin."""
    hashes: npt.NDArray[np.uint32]
    n_buckets: int
    """A power of two."""

    @cached_property
    def buckets(self) -> npt.NDArray[np.int32]:
        """The bucket of each n-gram: its hash modulo the number of buckets."""
        return (self.hashes & np.uint32(self.n_buckets - 1)).astype(np.int32)

    def some(self, rows: Any) -> NGrams:
        """The n-grams of some words."""
        sizes = np.diff(self.starts)[rows]
        ends = np.cumsum(sizes)
        places = np.repeat(self.starts[:-1][rows] - (ends - sizes), sizes) + np.arange(sizes.sum())
        return NGrams(np.concatenate([[0], ends]), self.hashes[places], self.n_buckets)

    @property
    def norms(self) -> Floats32:
        """|x|² of each word, where x is the mean of its n-grams."""
        words = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        _, of, times = np.unique(
            words * self.n_buckets + self.buckets, return_index=True, return_counts=True
        )
        total = np.bincount(words[of], times.astype(np.float64) ** 2, len(self.starts) - 1)
        return np.asarray(total / np.maximum(np.diff(self.starts), 1) ** 2, np.float32)


def ngrams_of(words: Sequence[str], n_buckets: int | None = None) -> NGrams:
    """The n-grams of words between < and >.

    The number of buckets is a power of two. By default it is at least half the number of n-grams, which
    keeps collisions few, and at most 2,097,152.
    """
    spelled = [f"<{word}>".encode("utf-8", "surrogatepass") for word in words]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in spelled])]).astype(np.int64)
    text = np.frombuffer(b"".join(spelled), np.uint8)
    counts = np.zeros(len(spelled), np.int64)
    count_ngrams(text, offsets, counts)
    starts = np.concatenate([[0], np.cumsum(counts)])
    if n_buckets is None:
        wanted = 1 << max(0, int(starts[-1] // 2 - 1).bit_length())
        n_buckets = min(wanted, _LARGEST_TABLE)
    hashes = np.empty(starts[-1], np.uint32)
    hash_ngrams(text, offsets, starts, hashes)
    return NGrams(starts, hashes, n_buckets)


Spell = Callable[[Sequence[str], int | None], NGrams]


class Guesser:
    """Guesses the vector of any word from its spelling.

    The guess is the mean of the rows of a table for the character n-grams of the word, as in fastText.
    The table is not stored: the coefficients of the known words (their weighted residuals) are a fraction
    of its size, and any row of it is a sum of them.

    Parameters
    ----------
    vocabulary : Vocabulary
        The words whose vectors are known. It was learned from the first 30,000 of them.
    coefficients : array of float32, shape (n_learned, dim)
    mean : array of float32, shape (dim,)
        What every row begins with.
    spell : callable
        The features of words: ``ngrams_of``.
    """

    least, most = LEAST, MOST

    def __init__(
        self,
        vocabulary: Vocabulary,
        coefficients: Floats32,
        mean: Floats32,
        spell: Spell = ngrams_of,
    ) -> None:
        self.vocabulary = vocabulary
        self.coefficients = coefficients
        self.mean = mean
        self._spell = spell

    @cached_property
    def ngrams(self) -> NGrams:
        """The n-grams of the words that it was learned from."""
        return self._spell(list(self.vocabulary.first(LEARNED_FROM)), None)

    @cached_property
    def _hashes(self) -> npt.NDArray[np.uint32]:
        return np.unique(self.ngrams.hashes)

    @property
    def n_buckets(self) -> int:
        return self.ngrams.n_buckets

    def guess(self, words: Sequence[str]) -> tuple[Floats32, npt.NDArray[np.bool_]]:
        """A vector for each word, and whether it has an n-gram of a known word."""
        asked = self._spell(words, self.n_buckets)
        wanted, places = np.unique(asked.buckets, return_inverse=True)
        found = np.empty((len(asked.starts) - 1, len(self.mean)), np.float32)
        predict_all(asked.starts, places.astype(np.int32), self._rows(wanted), found)
        words_of = np.repeat(np.arange(len(found)), np.diff(asked.starts))
        # not by buckets, which unknown n-grams share with known ones
        known = np.isin(asked.hashes, self._hashes)
        return found, np.bincount(words_of, known, len(found)) > 0

    def table(self) -> Iterator[Floats32]:
        """The rows of all buckets, some at a time."""
        for a in range(0, self.n_buckets, _ROWS_AT_ONCE):
            yield self._rows(np.arange(a, min(a + _ROWS_AT_ONCE, self.n_buckets)))

    def own_rows(self, words: Any, matrix: Floats32) -> Iterator[Floats32]:
        """What fastText has to add to the rows of the n-grams, so that their mean is the vector of a word."""
        for a in range(0, len(matrix), _ROWS_AT_ONCE):
            some = words[a : a + _ROWS_AT_ONCE].to_pylist()
            sizes = np.diff(ngrams_of(some, self.n_buckets).starts)[:, None]
            vectors = np.asarray(matrix[a : a + _ROWS_AT_ONCE], np.float64)
            rows = (sizes + 1) * vectors - sizes * self.guess(some)[0].astype(np.float64)
            yield rows.astype(np.float32)

    def _rows(self, wanted: Any) -> Floats32:
        """The rows of some buckets."""
        rows = np.full(self.n_buckets, -1, np.int32)
        rows[wanted] = np.arange(len(wanted), dtype=np.int32)
        table = np.repeat(self.mean[None], len(wanted), axis=0)
        known = self.ngrams
        gather(known.starts, known.buckets, self.coefficients, rows, table)
        return table

    def save(self, folder: Path) -> None:
        write_array(folder / GUESSES, np.vstack([self.coefficients, self.mean]))

    @classmethod
    def load(cls, part: Part, vocabulary: Vocabulary, dim: int) -> Guesser:
        """Memory-map the file of a part."""
        n_learned = min(len(vocabulary), LEARNED_FROM)
        stored = part.array(GUESSES, (n_learned + 1, dim), -_LARGEST, _LARGEST)
        return cls(vocabulary, stored[:-1], np.array(stored[-1]))


def learn_guesser(
    vocabulary: Vocabulary, matrix: Floats32, engine: Engine, room: Room | None = None,
    spell: Spell = ngrams_of,
) -> Guesser:  # fmt: skip
    """Learn to guess the vectors of words from their spelling, from those of the first 30,000 words.

    Words are weighted by c / (c + 5), where c is their count; by √(0.0001 / f) of it if f, their share of
    the text, is larger than 0.0001. The penalty is the one with the smallest
    squared error on every tenth word, learned from the others in some of the dimensions. Every thread
    needs 128 bytes for each bucket, at most 256 MB.
    """
    matrix = matrix[:LEARNED_FROM]
    ngrams = spell(list(vocabulary.first(LEARNED_FROM)), None)
    weights = _weights(np.asarray(vocabulary.counts, np.float64))[:LEARNED_FROM] * matrix.any(
        axis=1
    )
    weights = (weights / max(weights.mean(), 1e-30)).astype(np.float32)
    # not by BLAS, whose sums depend on the number of threads
    total = np.einsum("i,ij->j", weights, matrix, dtype=np.float64)
    mean = (total / max(float(weights.sum()), 1e-30)).astype(np.float32)
    penalty = _penalty(ngrams, matrix, mean, weights, engine)
    coefficients = (room or Room()).empty(matrix.shape)
    pieces = [slice(a, a + _COLUMNS) for a in range(0, matrix.shape[1], _COLUMNS)]
    norms = ngrams.norms

    def learn(some: slice) -> None:
        targets = np.ascontiguousarray(matrix[:, some] - mean[some])
        coefficients[:, some], _ = _fit(ngrams, norms, targets, weights, penalty, _PASSES)

    with progress.stage("guessing from spelling", len(pieces), "blocks", brief=1.0) as stage:
        for _ in engine.map(learn, pieces):
            stage.advance(1)
    return Guesser(vocabulary, coefficients, mean, spell)


def _weights(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How much words say about n-grams: little if they are rare, and if they are as frequent as *the*.

    Otherwise *Wythe* would be similar to *the*.
    """
    if not counts.any():
        return np.ones(len(counts))
    least = counts.sum() * _FREQUENT
    weights: npt.NDArray[np.float64] = np.sqrt(least / np.maximum(counts, least))
    weights *= counts / (counts + _TRUSTED)
    return weights


def mix(
    vectors: Floats32, words: Vocabulary, guesser: Guesser, half: float, engine: Engine
) -> None:
    """Make unit vectors v (1 - s) + g s at unit length, in place, where g is the guess for a word.

    Its share s = 1 / √(1 + 3 c / half) is 1 for a word that never occurs, and a half if its count c is
    ``half``. Vectors of zeros stay zero, and words that have no n-gram of a known word keep their vectors.
    """
    shares = _shares(words.counts, half)

    def some(rows: slice) -> None:
        before = vectors[rows]
        guesses, known = guesser.guess(words.words[rows].to_pylist())
        mixed = before * (1 - shares[rows]) + guesses * shares[rows]
        lengths = np.linalg.norm(mixed, axis=1, keepdims=True)
        kept = (known & before.any(axis=1))[:, None] & (lengths > 0)
        vectors[rows] = np.where(kept, mixed / np.where(lengths > 0, lengths, 1), before)

    engine.each(some, [slice(a, a + _GUESSED) for a in range(0, len(vectors), _GUESSED)])


def unmixed(
    vectors: Floats32, words: Vocabulary, guesser: Guesser, half: float, engine: Engine
) -> Floats32:
    """Unit vectors that were mixed with guesses, with less of them: m - s (m·g) g at unit length.

    Here, g is the direction of the guess for a word, and s its share; see ``mix``. What was mixed cannot be
    told apart exactly, as the length that m had before is not known.
    """
    shares, found = _shares(words.counts, half), np.array(vectors, np.float32)

    def some(rows: slice) -> None:
        before = found[rows]
        guesses, known = guesser.guess(words.words[rows].to_pylist())
        lengths = np.linalg.norm(guesses, axis=1, keepdims=True)
        directions = guesses / np.where(lengths > 0, lengths, 1)
        along = np.einsum("ij,ij->i", before, directions)[:, None]
        less = before - shares[rows] * along * directions
        lengths = np.linalg.norm(less, axis=1, keepdims=True)
        kept = known[:, None] & (lengths > 0)
        found[rows] = np.where(kept, less / np.where(lengths > 0, lengths, 1), before)

    engine.each(some, [slice(a, a + _GUESSED) for a in range(0, len(found), _GUESSED)])
    return found


def _shares(counts: Any, half: float) -> Any:
    """The shares of the guesses in mixed vectors, as a column."""
    return (1 / np.sqrt(1 + 3 * np.asarray(counts, np.float64) / half))[:, None]


def _fit(
    ngrams: NGrams,
    norms: Floats32,
    targets: Floats32,
    weights: Floats32,
    penalty: float,
    passes: int,
) -> tuple[Floats32, Floats32]:
    """Coefficients of the words, and the table, for a few dimensions."""
    coefficients = np.zeros_like(targets)
    table = np.zeros((ngrams.n_buckets, targets.shape[1]), np.float32)
    step, first = np.empty(targets.shape[1], np.float32), 0.0
    for _ in range(passes):
        progress.check_interrupted()
        changed = ascend(
            ngrams.starts, ngrams.buckets, norms, weights, penalty, targets, coefficients, table, step
        )  # fmt: skip
        first = first or changed
        if changed <= _ENOUGH * first:
            break
    return coefficients, table


def _penalty(
    ngrams: NGrams, matrix: Floats32, mean: Floats32, weights: Floats32, engine: Engine
) -> float:
    """The penalty with the smallest squared error on words held out, in up to 32 dimensions."""
    held = np.arange(len(matrix)) % _HELD_OUT == _HELD_OUT - 1
    if not weights[held].any() or not weights[~held].any():
        return _PENALTIES[0]
    dims = np.unique(np.linspace(0, matrix.shape[1] - 1, _COLUMNS).astype(np.int64))
    targets = np.ascontiguousarray(matrix[:, dims] - mean[dims])
    learned, asked = ngrams.some(~held), ngrams.some(held)
    norms = learned.norms

    def error(penalty: float) -> float:
        _, table = _fit(learned, norms, targets[~held], weights[~held], penalty, _TRIAL_PASSES)
        found = np.empty((int(held.sum()), len(dims)), np.float32)
        predict_all(asked.starts, asked.buckets, table, found)
        squared = np.square(targets[held].astype(np.float64) - found).sum(axis=1)
        return float(weights[held] @ squared)

    errors = list(engine.map(error, _PENALTIES))
    return _PENALTIES[int(np.argmin(errors))]
