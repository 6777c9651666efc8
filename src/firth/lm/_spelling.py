"""Probabilities of unknown words, from their letters.

A tree of letters predicts each letter of a word, and its end, from the letters before. It is learned
from the rare words of a text, each once. The probabilities of known words are taken out, so those of all
other strings sum to one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.compute.portable import exps, logs
from firth.lm._mixture import class_rows, outcomes_of
from firth.lm._texts import Sentences, padded
from firth.lm._trees import CountedTree, Event, Tree
from firth.store import Room

__all__ = ["LETTER_ORDER", "Spelling"]

LETTER_ORDER = 6
_EVENT = Event(0, None, tuple((0, k) for k in range(1, LETTER_ORDER)))
_CHARACTERS = 1_114_112
"""A letter that was never seen is any of the characters of Unicode."""
_ENOUGH = 500
"""With fewer rare words than this, letters are learned from all words."""
_AT_ONCE = 100_000

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
    def learn(
        cls, words: Sequence[str], counts: Sequence[int], known: Iterable[str], room: Room | None = None
    ) -> Spelling:  # fmt: skip
        """Learn from words and their counts; the known words are taken out of what is possible."""
        rare = [word for word, n in zip(words, counts, strict=True) if n <= 2]
        spelled = rare if len(rare) >= _ENOUGH else list(words)
        seen = Counter(letter for word in spelled for letter in word)
        letters = "".join(sorted(letter for letter, n in seen.items() if n > 1))
        maps = class_rows(len(letters), [])
        text = padded(_numbered(spelled, letters), len(letters))
        counted = CountedTree.count(_EVENT, text, maps, outcomes_of(maps, 0, None), room=room)
        whole = cls(letters, counted.smooth(counted.discounts()))
        names, taken = list(known), 0.0
        for first in range(0, len(names), _AT_ONCE):
            taken += float(exps(whole.log_probs(names[first : first + _AT_ONCE])).sum())
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


def _numbered(words: Sequence[str], letters: str) -> Sentences:
    """The letters of words as numbers; letters that are not known have the number after all others."""
    number = {letter: k for k, letter in enumerate(letters)}
    found = [
        np.array([number.get(letter, len(letters)) for word in words[k : k + _AT_ONCE] for letter in word], np.int32)
        for k in range(0, len(words), _AT_ONCE)
    ]  # fmt: skip
    return Sentences(np.concatenate(found), np.cumsum([len(word) for word in words]))
