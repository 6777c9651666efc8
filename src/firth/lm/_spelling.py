"""Probabilities of unknown words, from their letters.

A tree of letters predicts each letter of a word, and its end, from the letters before. It is learned
from the rare words of a text, each once. The probabilities of known words are taken out, so those of all
other strings sum to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import exps, logs
from firth.corpus import Vocabulary
from firth.lm._mixture import class_rows, outcomes_of
from firth.lm._texts import Sentences, padded, whole_text
from firth.lm._trees import CountedTree, Event, Tree
from firth.store import Room

__all__ = ["LETTER_ORDER", "Spelling"]

LETTER_ORDER = 6
_EVENT = Event(0, None, tuple((0, k) for k in range(1, LETTER_ORDER)))
_CHARACTERS = 1_114_112
"""A letter that was never seen is any of the characters of Unicode."""
_ENOUGH = 500
"""With fewer rare words than this, letters are learned from all words."""
_AT_ONCE = 1 << 14
"""How many words are looked at together."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spelling:
    """A model of the letters of unknown words.

    Attributes
    ----------
    letters : str
        The known letters, sorted.
    tree : Tree
    log_left : float
        The logarithm of the probability that all unknown words have together.
    """

    letters: str
    tree: Tree
    log_left: float = 0.0

    @classmethod
    def learn(cls, vocabulary: Vocabulary, known: Vocabulary, room: Room | None = None) -> Spelling:
        """Learn from the words of a text; the known words are taken out of what is possible."""
        words = vocabulary.words
        n_rare = int(np.count_nonzero(np.asarray(vocabulary.counts) <= 2))  # the last ones
        spelled = words[len(words) - n_rare :] if n_rare >= _ENOUGH else words
        seen, n = np.zeros(_CHARACTERS, np.int64), 2 * len(spelled)
        for some in _pieces(spelled):
            codes, found = np.unique(_codes(some), return_counts=True)
            seen[codes] += found
            n += int(found.sum())
        letters = "".join(map(chr, np.flatnonzero(seen > 1).tolist()))
        maps = class_rows(len(letters), [])
        pieces = (_numbered(some, letters) for some in _pieces(spelled))
        text = whole_text(pieces, len(letters), n, room or Room())
        counted = CountedTree.count(_EVENT, text, maps, outcomes_of(maps, 0, None), room=room)
        whole, taken = cls(letters, counted.smooth(counted.discounts())), 0.0
        for some in _pieces(known.words):
            taken += float(exps(whole.log_probs(some)).sum())
        return cls(letters, whole.tree, float(logs(np.array([max(1.0 - taken, 1e-6)]))[0]))

    def log_probs(self, words: Sequence[str]) -> Floats:
        """The log probability of the spelling of each word, if it is unknown."""
        if not len(words):
            return np.zeros(0)
        n = len(self.letters)
        text = padded(_numbered(words, self.letters), n)
        p = np.ones(len(text))
        self.tree.multiply(_EVENT, text, class_rows(n, []), p)
        p[text.symbols == n] /= _CHARACTERS
        starts = np.flatnonzero(text.places == 0)
        return np.asarray(np.add.reduceat(logs(p), starts) - self.log_left)


def _pieces(words: Any) -> Iterator[list[str]]:
    """Some words at a time, from an Arrow array."""
    return (words[k : k + _AT_ONCE].to_pylist() for k in range(0, len(words), _AT_ONCE))


def _codes(words: Sequence[str]) -> npt.NDArray[np.uint32]:
    """The code points of words, one word after the other."""
    return np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), "<u4")


def _numbered(words: Sequence[str], letters: str) -> Sentences:
    """The letters of words as numbers; letters that are not known have the number after all others."""
    known, codes = _codes(letters), _codes(words)
    numbers = np.searchsorted(known, codes).astype(np.int32)
    if len(known):
        numbers[known[np.minimum(numbers, len(known) - 1)] != codes] = len(known)
    return Sentences(numbers, np.cumsum([len(word) for word in words]))
