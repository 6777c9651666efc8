"""The form of a word: its spelling features, its lower-case twin, and whether it is punctuation or a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.tags._word_morphs import morph_features

__all__ = ["NUMBERS", "PUNCTUATION", "feature_matrix", "lower_case_twins", "reserved_kinds"]

PUNCTUATION, NUMBERS = 0, 1
_LEAST = 5
"""How many words must have a feature for it to count."""
_LONGEST_PREFIX, _LONGEST_SUFFIX = 4, 5
_LONGEST_SHAPE, _LONGEST_WORD = 6, 10
_FEW, _MANY = 5, 12
"""Bits of a code point that do not matter for its block: of alphabets, and of Chinese characters and beyond."""
_ALPHABETS = 0x3400

Integers = npt.NDArray[np.int64]


def lower_case_twins(words: Sequence[str], counts: Any, starts: Any) -> Integers:
    """For each word the number of the word it is an instance of: its own, or that of its lower-case form.

    A word with an initial capital is taken for its lower-case form if it occurs inside sentences no more
    often than that form occurs anywhere. ``starts`` says how often each word begins a sentence.
    """
    number = {word: k for k, word in enumerate(words)}
    twins = np.arange(len(words))
    for k, word in enumerate(words):
        lower = unicode.lower(word[:1]) + word[1:]
        twin = number.get(lower, k)
        if counts[k] - starts[k] <= counts[twin]:
            twins[k] = twin
    return twins


def reserved_kinds(words: Sequence[str]) -> Integers:
    """PUNCTUATION for words without letters and digits, NUMBERS for those with digits alone, else -1."""
    return np.array([_kind(word) for word in words], np.int64)


def _kind(word: str) -> int:
    shape = set(map(_sign, word))
    if shape & set("Aax"):
        return -1
    return NUMBERS if "1" in shape else PUNCTUATION


def feature_matrix(words: Sequence[str], least: int = _LEAST, affixes: str = "letters") -> Any:
    """Words by spelling features, as a CSR array of ones; the last column is one for all words.

    ``affixes`` are the first and last letters of a word, its ``morphs``, or ``both``.
    """
    from scipy.sparse import csr_array

    found = [_signs(word) for word in words]
    if affixes != "morphs":
        found = [names + _letters(word) for names, word in zip(found, words, strict=True)]
    if affixes != "letters":
        more = morph_features(words)
        found = [names + parts for names, parts in zip(found, more, strict=True)]
    sizes = Counter(name for names in found for name in names)
    kept = sorted(name for name, size in sizes.items() if size >= least)
    column = {name: k for k, name in enumerate(kept)}
    rows = [[column[name] for name in names if name in column] + [len(kept)] for names in found]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.array([k for row in rows for k in row], np.int32)
    return csr_array((np.ones(len(indices)), indices, indptr), shape=(len(rows), len(kept) + 1))


def _signs(word: str) -> list[str]:
    """Length, shape, signs, and blocks of characters."""
    lower, signs = unicode.lower(word), "".join(map(_sign, word))
    shape = "".join(a for a, b in zip(signs, " " + signs, strict=False) if a != b)
    names = [f"length {min(len(word), _LONGEST_WORD)}", f"shape {shape[:_LONGEST_SHAPE]}"]
    names += [f"block {block}" for block in sorted({_block(c) for c in lower})]
    names += ["initial capital"] * (signs[:1] == "A") + ["hyphen"] * ("-" in word)
    return names + ["digit"] * ("1" in signs) + ["no letter or digit"] * (set(signs) == {"."})


def _letters(word: str) -> list[str]:
    """Prefixes of up to 4 and suffixes of up to 5 characters."""
    lower = unicode.lower(word)
    suffixes = [n for n in range(1, _LONGEST_SUFFIX + 1) if len(lower) >= n + (n > 3)]
    prefixes = [n for n in range(1, _LONGEST_PREFIX + 1) if len(lower) >= n + (n > 2)]
    return [*(f"-{lower[-n:]}" for n in suffixes), *(f"{lower[:n]}-" for n in prefixes)]


@cache
def _sign(character: str) -> str:
    """A and a for upper and lower case, x for other letters, 1 for digits, a point for the rest."""
    if unicode.is_upper(character):
        return "A"
    if unicode.is_lower(character):
        return "a"
    if unicode.is_alpha(character):
        return "x"
    return "1" if unicode.is_digit(character) else "."


def _block(character: str) -> int:
    """A block of characters: the letters of one script are in a few of them."""
    code = ord(character)
    return code >> _FEW if code < _ALPHABETS else -(code >> _MANY)
