"""Words that are spelled alike: the same signs of case, figures and hyphens, and the same ending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from firth import unicode

__all__ = ["SpellingGroups", "spelling_features", "spelling_values"]

_LONGEST = 4
"""Characters of the longest ending that is looked at."""
_LEAST = 20
"""How many words must share an ending for it to make a group."""


class SpellingGroups:
    """Groups of words that are spelled alike, each word in the narrowest that is large enough.

    A group is a form and an ending of up to four characters. A form tells whether a word begins with a
    capital letter, has a digit, has a hyphen, has neither letters nor digits. The first group takes
    what fits nowhere else.

    Parameters
    ----------
    keys : list of str
        The names of the groups, as ``learn`` makes them.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = list(keys)
        self._number = {key: number for number, key in enumerate(self.keys)}

    @classmethod
    def learn(
        cls, words: Iterable[str], least: int = _LEAST
    ) -> tuple[SpellingGroups, npt.NDArray[np.int64]]:
        """The groups with at least so many of some words, and the number of the group of each word."""
        keys = [_keys(word) for word in words]
        sizes = Counter(key for some in keys for key in some)
        groups = cls(["", *sorted(key for key, size in sizes.items() if size >= least)])
        return groups, np.array([groups._find(some) for some in keys], np.int64)

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, word: str) -> int:
        """The number of the group of a word."""
        return self._find(_keys(word))

    def _find(self, keys: list[str]) -> int:
        return next((self._number[key] for key in keys if key in self._number), 0)


def _form(word: str) -> str:
    """Which signs a word has: A for a capital at the beginning, 1 for a digit, - for a hyphen, . for no letter."""
    capital = "A" if unicode.is_upper(word[:1]) else ""
    if unicode.is_alpha(word):  # most words
        return capital
    digit = "1" if any(map(unicode.is_digit, word)) else ""
    hyphen = "-" if "-" in word else ""
    neither = "" if any(map(unicode.is_alnum, word)) else "."
    return capital + digit + hyphen + neither


def _keys(word: str) -> list[str]:
    """The names of the groups a word may be in, the narrowest first."""
    form, ending = _form(word), unicode.lower(word[-_LONGEST:])
    return [f"{form} {ending[k:]}" for k in range(len(ending))] + [f"{form} "]


def spelling_features(words: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows and columns of a matrix of words by signs: capital, hyphen, digit, endings of 1 to 3 characters."""
    known: dict[str, int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for row, word in enumerate(words):
        signs = [f"={sign}" for sign in _form(word) if sign != "."]
        signs += [f"-{unicode.lower(word[-n:])}" for n in (1, 2, 3) if len(word) > n]
        rows += [row] * len(signs)
        columns += [known.setdefault(sign, len(known)) for sign in signs]
    return np.array(rows, np.int64), np.array(columns, np.int64)


def spelling_values(words: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows and columns of a matrix of words by values: capital or not, hyphen or not, digit or not, suffixes.

    So every word has at least four: with a capital or without, with a hyphen or without, with a digit or
    without, and its suffixes of 1 to 3 characters, as they are written.
    """
    known: dict[str, int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for row, word in enumerate(words):
        signs = [unicode.is_upper(word[:1]), "-" in word, any(map(unicode.is_digit, word))]
        values = [f"{name}={has}" for name, has in zip("A-1", signs, strict=True)]
        values += [f"{n} {word[-n:]}" for n in (1, 2, 3) if len(word) >= n]
        rows += [row] * len(values)
        columns += [known.setdefault(value, len(known)) for value in values]
    return np.array(rows, np.int64), np.array(columns, np.int64)
