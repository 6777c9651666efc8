"""Properties of characters and words, as Python's ``str`` methods have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth.unicode._tables import (
    ALPHA,
    DIGIT,
    LOWER,
    NUMBER,
    TITLE,
    UPPER,
    WIDE,
    conjuncts,
    forms,
    properties,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "base",
    "categories",
    "category",
    "is_alnum",
    "is_alpha",
    "is_consonant",
    "is_digit",
    "is_linker",
    "is_lower",
    "is_printable",
    "is_upper",
    "is_wide",
    "is_word",
]

_JOINERS = "\u200c\u200d"


def category(character: str) -> str:
    """The general category, such as ``Lu``.

    >>> category("A"), category("\\U0001fae8")
    ('Lu', 'So')
    """
    found = properties()
    return found.names[found.categories[ord(character)]]


def categories() -> tuple[list[str], npt.NDArray[np.uint8]]:
    """The names of the categories, and the number of the category of each code point."""
    import numpy as np

    found = properties()
    return found.names, np.frombuffer(found.categories, np.uint8)


def base(character: str) -> str:
    """The first character of the decomposition.

    >>> base("é"), base("e")
    ('e', 'e')
    """
    point, found = ord(character), forms()
    if point >= len(found.lower) or found.starts[point] == found.starts[point + 1]:
        return character
    return chr(found.parts[found.starts[point]])


def is_alpha(text: str) -> bool:
    """Whether there are characters, and all are letters."""
    return text.isalpha() if text.isascii() else _all(text, ALPHA)


def is_word(text: str) -> bool:
    """Whether there are letters, and beside them only marks, such as vowel signs, and invisible joiners.

    >>> is_word("हिन्दी"), is_alpha("हिन्दी"), is_word("B2B")
    (True, False, False)
    """
    if is_alpha(text):
        return True
    others = [c for c in text if not is_alpha(c)]
    return len(others) < len(text) and all(category(c)[0] == "M" or c in _JOINERS for c in others)


def is_digit(text: str) -> bool:
    """Whether there are characters, and all are digits."""
    return text.isdigit() if text.isascii() else _all(text, DIGIT)


def is_alnum(text: str) -> bool:
    """Whether there are characters, and all are letters or numbers."""
    return text.isalnum() if text.isascii() else _all(text, ALPHA | NUMBER | DIGIT)


def is_upper(text: str) -> bool:
    """Whether there are letters with case, all of them upper case.

    >>> is_upper("ÉTAT-1"), is_upper("État")
    (True, False)
    """
    return text.isupper() if text.isascii() else _cased(text) == UPPER


def is_lower(text: str) -> bool:
    """Whether there are letters with case, all of them lower case."""
    return text.islower() if text.isascii() else _cased(text) == LOWER


def is_printable(text: str) -> bool:
    """Whether no character is a control, unassigned, or a separator other than a space."""
    return (
        text.isprintable()
        if text.isascii()
        else all(category(c)[0] not in "CZ" or c == " " for c in text)
    )


def is_wide(character: str) -> bool:
    """Whether a character takes two columns, as Chinese characters do."""
    return properties().flags[ord(character)] & WIDE > 0


def is_linker(character: str) -> bool:
    """Whether a character joins two Indic consonants, as the virama of Devanagari does."""
    return character in conjuncts("linkers")


def is_consonant(character: str) -> bool:
    """Whether a character is a consonant that may be part of an Indic conjunct."""
    return character in conjuncts("consonants")


def _all(text: str, flag: int) -> bool:
    flags = properties().flags
    return all(flags[ord(c)] & flag for c in text)


def _cased(text: str) -> int:
    """The flags of case that occur in a text."""
    flags, found = properties().flags, 0
    for c in text:
        found |= flags[ord(c)]
    return found & (UPPER | LOWER | TITLE)
