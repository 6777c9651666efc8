"""A slow, obvious twin of guessing vectors from character n-grams, and of fastText's models.

N-grams and their hashes are those of fastText (Bojanowski et al. 2017); ridge regression is solved by the
normal equations.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def ngrams(word: str, least: int = 3, most: int = 6) -> list[str]:
    """All substrings of 3 to 6 characters of a word between < and >."""
    text = f"<{word}>"
    return [
        text[i : i + n]
        for i in range(len(text))
        for n in range(least, most + 1)
        if i + n <= len(text)
    ]


def fnv1a(text: str) -> int:
    """The hash of fastText: bytes above 127 are negative numbers, extended to 32 bits."""
    state = 2166136261
    for byte in text.encode():
        state ^= byte if byte < 128 else byte | 0xFFFFFF00
        state = state * 16777619 % 2**32
    return state


def features(words: Sequence[str], n_buckets: int) -> Matrix:
    """A row for each word: the share of its n-grams in each bucket."""
    rows = np.zeros((len(words), n_buckets))
    for row, word in zip(rows, words, strict=True):
        for one in ngrams(word):
            row[fnv1a(one) % n_buckets] += 1 / len(ngrams(word))
    return rows


def ridge(x: Matrix, y: Matrix, weights: Any, penalty: float) -> Any:
    """B with the smallest Σ w |y - xB|² + penalty |B|²."""
    left = x.T @ (weights[:, None] * x) + penalty * np.eye(x.shape[1])
    return np.linalg.solve(left, x.T @ (weights[:, None] * y))


class FastText:
    """Reads a model of fastText (``.bin``, version 12) and computes vectors as fastText does."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0
        assert self._take("<2i") == (793712314, 12)
        *numbers, _ = self._take("<12id")
        self.dim, self.n_buckets, self.least, self.most = (numbers[i] for i in (0, 8, 9, 10))
        n_entries, n_words, n_labels = self._take("<3i")
        self.n_tokens, pruned = self._take("<2q")
        assert (n_entries, n_labels, pruned) == (n_words, 0, -1)
        self.counts = dict(self._entry() for _ in range(n_words))
        self.rows, self.output = self._matrix(), self._matrix()
        assert (self._at, len(self.rows)) == (len(content), n_words + self.n_buckets)
        self._row_of = {word: row for row, word in enumerate(self.counts)}

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._content, self._at)
        self._at += struct.calcsize(form)
        return found

    def _entry(self) -> tuple[str, int]:
        end = self._content.index(b"\0", self._at)
        word, self._at = self._content[self._at : end].decode(), end + 1
        count, kind = self._take("<qb")
        assert kind == 0
        return word, count

    def _matrix(self) -> Any:
        quantised, n, m = self._take("<?2q")
        assert not quantised
        found = np.frombuffer(self._content, "<f4", n * m, self._at).reshape(n, m)
        self._at += found.nbytes
        return found

    def vector(self, word: str) -> Any:
        """The mean of the rows of a word and of its n-grams."""
        rows = [self._row_of[word]] if word in self._row_of else []
        rows += [
            len(self.counts) + fnv1a(one) % self.n_buckets
            for one in ngrams(word, self.least, self.most)
        ]
        return self.rows[rows].astype(np.float64).mean(axis=0)


def mixed(
    vector: Sequence[float], guess: Sequence[float], count: float, half: float
) -> list[float]:
    """A vector and a guess, by their shares, at unit length; a word without contexts has neither."""
    if not any(vector):
        return [0.0] * len(vector)
    share = 1 / math.sqrt(1 + 3 * count / half)
    both = [(1 - share) * v + share * g for v, g in zip(vector, guess, strict=True)]
    length = math.sqrt(sum(x * x for x in both))
    return [x / length for x in both]


def unmixed(
    vector: Sequence[float], guess: Sequence[float], count: float, half: float
) -> list[float]:
    """A mixed vector with its part along the guess made smaller by the share of the guess, at unit length."""
    size = math.sqrt(sum(g * g for g in guess))
    share = 1 / math.sqrt(1 + 3 * count / half)
    along = sum(v * g for v, g in zip(vector, guess, strict=True)) / size
    less = [v - share * along * g / size for v, g in zip(vector, guess, strict=True)]
    length = math.sqrt(sum(x * x for x in less))
    return [x / length for x in less]
