"""Spelling features of words."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.unicode import zero_digits as zeroed

__all__ = [
    "KINDS",
    "affixes",
    "forms",
    "has_capital",
    "has_one_case",
    "is_sign",
    "kind_of",
    "may_be_name",
    "shape",
    "zeroed",
]

KINDS = (
    "edge", "capitals", "capital", "capitalised", "mixed", "number", "digits", "small", "sign", "other",
)  # fmt: skip
"""Kinds of spelling by number. Words of kinds 1 to 4 start with a capital letter, or are all capitals."""
LONGEST_AFFIX = 4
_CAPITALS = 20
"""A text in capitals has at least this many words: a headline alone says nothing about the rest."""
_LONG = 60
"""The shape of a word is that of its first letters, up to this number."""
_TITLE = str.maketrans("ǄǇǊǱ", "ǅǈǋǲ")
"""Capital letters that are not the same at the beginning of a word in small letters."""
_RUNS = re.compile(r"(.)\1{2,}")


def kind_of(word: str) -> int:
    """The kind of spelling; an empty word is the position before and after a sentence.

    >>> [KINDS[kind_of(word)] for word in ("EU", "Peter", "McVeigh", "1996", "G-7", "said", ".", "iMac")]
    ['capitals', 'capitalised', 'mixed', 'number', 'capitals', 'small', 'sign', 'other']
    """
    if not word:
        return 0
    if unicode.is_upper(word):
        return 1 if len(word) > 1 else 2
    if unicode.is_upper(word[0]):
        return 3 if unicode.is_lower(word[1:]) else 4
    if unicode.is_digit(word):
        return 5
    if unicode.has_decimal(word):
        return 6
    if unicode.is_lower(word):
        return 7
    return 9 if any(map(unicode.is_alnum, word)) else 8


def has_capital(word: str) -> bool:
    """Whether a word starts with a capital letter, or is written in capitals.

    >>> has_capital("Peter"), has_capital("U.S."), has_capital("iMac")
    (True, True, False)
    """
    return 1 <= kind_of(word) <= 4


def has_one_case(kinds: npt.NDArray[np.int64]) -> bool:
    """Whether words of these kinds are all in lower case, or all in capitals; a few capitals are not enough.

    >>> def all_in_one(text):
    ...     return has_one_case(np.array([kind_of(word) for word in text.split()]))
    >>> all_in_one("in 1996 , he said"), all_in_one("He said"), all_in_one("EU rejects"), all_in_one("EU")
    (True, False, False, False)
    """
    counts = np.bincount(kinds, minlength=len(KINDS))
    n_small, n_capitals = counts[7], counts[1] + counts[2]
    if counts[3] + counts[4] + counts[9]:
        return False
    return bool(n_small and not n_capitals) or bool(n_capitals >= _CAPITALS and not n_small)


def is_sign(word: str) -> bool:
    """Whether a word has neither a letter nor a digit.

    >>> is_sign("..."), is_sign("漢字")
    (True, False)
    """
    return KINDS[kind_of(word)] in ("edge", "sign")


def may_be_name(word: str) -> bool:
    """Whether a word is neither in lower case nor a sign.

    >>> may_be_name("iMac"), may_be_name("1996"), may_be_name("said")
    (True, True, False)
    """
    return KINDS[kind_of(word)] not in ("edge", "small", "sign")


def shape(word: str) -> str:
    """X for upper-case letters, x for lower-case ones, d for digits; at most two of a kind in a row.

    >>> shape("McVeigh"), shape("1996-08-22"), shape("U.S.")
    ('XxXxx', 'dd-dd-dd', 'X.X.')
    """
    letters = "".join(
        "X"
        if unicode.is_upper(c)
        else "x"
        if unicode.is_lower(c)
        else "d"
        if unicode.is_digit(c)
        else c
        for c in word[:_LONG]
    )
    return _RUNS.sub(r"\1\1", letters)


def affixes(word: str) -> list[tuple[str, str]]:
    """Prefixes and suffixes in lower case, and parts between hyphens, each with the name of its feature.

    >>> affixes("Al-A")[:4]
    [('prefix1', 'a'), ('suffix1', 'a'), ('prefix2', 'al'), ('suffix2', '-a')]
    """
    small = unicode.lower(word)
    found = []
    for n in range(1, min(LONGEST_AFFIX, len(small)) + 1):
        found += [(f"prefix{n}", small[:n]), (f"suffix{n}", small[-n:])]
    if "-" in word:
        found += [("piece", piece) for piece in dict.fromkeys(word.split("-")[:LONGEST_AFFIX])]
    return found


def forms(word: str) -> list[str]:
    """The forms under which a word is looked up in a lexicon, the word itself first.

    >>> forms("BRUSSELS"), forms("Monday"), forms("said")
    (['BRUSSELS', 'Brussels', 'brussels'], ['Monday', 'monday'], ['said'])
    """
    word = unicode.nfc(word)
    small = unicode.lower(word)
    found = [word, small, zeroed(small)]
    if len(word) > 1 and unicode.is_upper(word):
        rest = small[len(unicode.lower(word[0])) :]
        found.insert(1, word[0].translate(_TITLE) + rest)
    return list(dict.fromkeys(found))
