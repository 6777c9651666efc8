"""Spelling features of words."""

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
"""Kinds of spelling by number. Words of kinds 1 to 4 start with a capital letter, or are all capitals."""
LONGEST_AFFIX = 4
_LONG = 60
"""The shape of a word is that of its first letters, up to this number."""
_DIGIT = re.compile(r"\d")
_RUNS = re.compile(r"(.)\1{2,}")


def zeroed(word: str) -> str:
    """The word with 0 for every digit.

    >>> zeroed("1996-08-22")
    '0000-00-00'
    """
    return _DIGIT.sub("0", word)


def kind_of(word: str) -> int:
    """The kind of spelling; an empty word is the position before and after a sentence.

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
    """Whether a word starts with a capital letter, or is written in capitals.

    >>> has_capital("Peter"), has_capital("U.S."), has_capital("iMac")
    (True, True, False)
    """
    return 1 <= kind_of(word) <= 4


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
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c
        for c in word[:_LONG]
    )
    return _RUNS.sub(r"\1\1", letters)


def affixes(word: str) -> list[tuple[str, str]]:
    """Prefixes and suffixes in lower case, and parts between hyphens, each with the name of its feature.

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
    """The forms under which a word is looked up in a lexicon, the word itself first.

    >>> forms("BRUSSELS"), forms("Monday"), forms("said")
    (['BRUSSELS', 'Brussels', 'brussels'], ['Monday', 'monday'], ['said'])
    """
    word = unicodedata.normalize("NFC", word)
    small = word.lower()
    found = [word, word.capitalize(), small] if word.isupper() and len(word) > 1 else [word, small]
    if _DIGIT.search(word):
        found.append(zeroed(small))
    return list(dict.fromkeys(found))
