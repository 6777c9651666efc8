"""What the letters of a word tell of it."""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "KINDS",
    "affixes",
    "forms",
    "has_capital",
    "is_sign",
    "kind_of",
    "may_be_name",
    "shape",
    "zeroed",
]

KINDS = (
    "edge", "capitals", "capital", "capitalised", "mixed", "number", "digits", "small", "sign", "other",
)  # fmt: skip
"""Kinds of writing by their number. Those from 1 to 4 begin with a capital letter, or are all capitals."""
LONGEST_AFFIX = 4
_LONG = 60
"""Of words with more letters only the first are looked at for their shape."""
_DIGIT = re.compile(r"\d")
_RUNS = re.compile(r"(.)\1{2,}")


def zeroed(word: str) -> str:
    """The word with 0 for every digit.

    >>> zeroed("1996-08-22")
    '0000-00-00'
    """
    return _DIGIT.sub("0", word)


def kind_of(word: str) -> int:
    """The kind of writing; an empty word is the place before and after a sentence.

    >>> [KINDS[kind_of(word)] for word in ("EU", "Peter", "McVeigh", "1996", "G-7", "said", ".", "iMac")]
    ['capitals', 'capitalised', 'mixed', 'number', 'capitals', 'small', 'sign', 'other']
    """
    if not word:
        return 0
    if word.isupper():
        return 1 if len(word) > 1 else 2
    if word[0].isupper():
        return 3 if word[1:].islower() else 4
    if word.isdigit():
        return 5
    if _DIGIT.search(word):
        return 6
    if word.islower():
        return 7
    return 9 if any(c.isalnum() for c in word) else 8


def has_capital(word: str) -> bool:
    """Whether a word begins with a capital letter, or is written in capitals.

    >>> has_capital("Peter"), has_capital("U.S."), has_capital("iMac")
    (True, True, False)
    """
    return 1 <= kind_of(word) <= 4


def is_sign(word: str) -> bool:
    """Whether there is neither a letter nor a digit in a word.

    >>> is_sign("..."), is_sign("漢字")
    (True, False)
    """
    return KINDS[kind_of(word)] in ("edge", "sign")


def may_be_name(word: str) -> bool:
    """Whether a word is not simply one in small letters, or a sign.

    >>> may_be_name("iMac"), may_be_name("1996"), may_be_name("said")
    (True, True, False)
    """
    return KINDS[kind_of(word)] not in ("edge", "small", "sign")


def shape(word: str) -> str:
    """X for capital letters, x for small ones, d for digits; no more than two of a kind together.

    >>> shape("McVeigh"), shape("1996-08-22"), shape("U.S.")
    ('XxXxx', 'dd-dd-dd', 'X.X.')
    """
    letters = "".join(
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c
        for c in word[:_LONG]
    )
    return _RUNS.sub(r"\1\1", letters)


def affixes(word: str) -> list[tuple[str, str]]:
    """The first and last letters, small, and the pieces between hyphens, each with its name.

    >>> affixes("Al-A")[:4]
    [('prefix1', 'a'), ('suffix1', 'a'), ('prefix2', 'al'), ('suffix2', '-a')]
    """
    small = word.lower()
    found = []
    for n in range(1, min(LONGEST_AFFIX, len(small)) + 1):
        found += [(f"prefix{n}", small[:n]), (f"suffix{n}", small[-n:])]
    if "-" in word:
        found += [("piece", piece) for piece in dict.fromkeys(word.split("-")[:LONGEST_AFFIX])]
    return found


def forms(word: str) -> list[str]:
    """The word as it is, then as it might stand in other texts: what to look for in a lexicon.

    >>> forms("BRUSSELS"), forms("Monday"), forms("said")
    (['BRUSSELS', 'Brussels', 'brussels'], ['Monday', 'monday'], ['said'])
    """
    word = unicodedata.normalize("NFC", word)
    small = word.lower()
    found = [word, word.capitalize(), small] if word.isupper() and len(word) > 1 else [word, small]
    if _DIGIT.search(word):
        found.append(zeroed(small))
    return list(dict.fromkeys(found))
