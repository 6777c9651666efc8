"""All substrings of a list of words, numbered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.morphs import _kernels as kernels
from firth.morphs._graphemes import graphemes

__all__ = ["Lattice", "Spelled", "spell"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
_ENDING = 10.0


@dataclass(frozen=True)
class Spelled:
    """Words as numbered letters (graphemes), one word after the other.

    Attributes
    ----------
    codes : array of int32
    starts : array of int64
        Where each word begins, and the end of the last.
    letters : list of str
        The graphemes of the words, one after the other.
    """

    codes: Ints
    starts: Longs
    letters: list[str]

    @property
    def edges(self) -> Longs:
        """The number of the first edge at each letter, and the number of all edges."""
        lengths = np.repeat(self.starts[1:], np.diff(self.starts)) - np.arange(len(self.codes))
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    @property
    def longest(self) -> int:
        """The number of letters of the longest word."""
        return int(np.diff(self.starts).max(initial=1))


def spell(words: Sequence[str], alphabet: Mapping[str, int]) -> Spelled:
    """Words as letters of an alphabet; letters that are not in it get the next number."""
    spelled = [graphemes(word) for word in words]
    starts = np.concatenate([[0], np.cumsum([len(letters) for letters in spelled])])
    letters = [letter for of_word in spelled for letter in of_word]
    unknown = len(alphabet)
    codes = np.fromiter(
        (alphabet.get(letter, unknown) for letter in letters), np.int32, len(letters)
    )
    return Spelled(codes, starts.astype(np.int64), letters)


class Lattice:
    """The substrings of words that occur at least twice.

    Attributes
    ----------
    rows : array of int32
        The number of the substring of each edge; -1 if it occurs only once.
    first, length : arrays
        Where each substring occurs first, and its length.
    is_word : array of bool
        Whether it is a word of the list.
    words : array of int32
        The number of that word, or -1.
    is_stem : array of bool
        Whether it is a word of the list, and not one that ends far more words than it begins: such a
        word is also an ending, and does not attest affixes or later stems.
    tallies : array, shape (n_substrings, 4)
        See ``attest`` in ``_kernels.py``.
    """

    def __init__(self, spelled: Spelled, n_letters: int) -> None:
        self.spelled, self.edges = spelled, spelled.edges
        n_edges, starts = int(self.edges[-1]), spelled.starts
        rows, size = np.empty(n_edges, np.int32), 1 << (n_edges + 1).bit_length()
        keys, values = np.zeros(size, np.int64), np.empty(size, np.int32)
        counts = np.zeros(n_edges, np.int32)
        n = kernels.number(spelled.codes, starts, n_letters, keys, values, rows, counts)
        del keys, values
        kept = np.flatnonzero(counts[:n] > 1)
        numbers = np.full(n, -1, np.int32)
        numbers[kept] = np.arange(len(kept), dtype=np.int32)
        self.rows: Ints = numbers[rows]
        self.first, self.length = np.empty(len(kept), np.int64), np.empty(len(kept), np.int32)
        kernels.place(starts, self.edges, self.rows, self.first, self.length)
        whole = self.rows[self.edges[starts[:-1]] + np.diff(starts) - 1]
        self.is_word = np.zeros(len(kept), np.bool_)
        self.is_word[whole[whole >= 0]] = True
        self.words = np.full(len(kept), -1, np.int32)
        self.words[whole[whole >= 0]] = np.flatnonzero(whole >= 0)
        self.n_other_words = int((whole < 0).sum())
        self.tallies = np.zeros((len(kept), 4))
        kernels.attest(starts, self.edges, self.rows, self.is_word, self.tallies)
        begun, ended = self.tallies[:, 0], self.tallies[:, 2]
        self.is_stem = self.is_word & (ended <= _ENDING * (begun + 1.0))
        self.tallies = np.zeros((len(kept), 4))
        kernels.attest(starts, self.edges, self.rows, self.is_stem, self.tallies)

    def text(self, row: int) -> str:
        """A substring."""
        begin = int(self.first[row])
        return "".join(self.spelled.letters[begin : begin + int(self.length[row])])
