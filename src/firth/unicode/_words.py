"""Lower case, normal form C and digits of words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from firth.unicode._tables import forms, runs

__all__ = [
    "fold", "fold_words", "has_decimal", "lower", "nfc", "prepare_lower", "zero_digits",
]  # fmt: skip

_BETWEEN = "\U0010ffff"
"""Stands between words; it is not a character, and hardly any word has it."""
_SPECIAL = "Σİ"
"""Letters whose lower case depends on the context, or is two characters."""
_TURKIC = {ord("I"): "ı", ord("İ"): "i"}
_LITHUANIAN = {ord("Ì"): "i\u0307\u0300", ord("Í"): "i\u0307\u0301", ord("Ĩ"): "i\u0307\u0303"}


def nfc(text: str) -> str:
    """Normal form C.

    >>> nfc("e\\u0301") == "\\xe9"
    True
    """
    if text.isascii() or _unsure().isdisjoint(text):
        return text
    return _text(_normalised(_points(text)))


def lower(text: str, language: str | None = None) -> str:
    """Lower case, with a final sigma at the end of words; Turkish, Azerbaijani or Lithuanian if given.

    >>> lower("ΣΊΣΥΦΟΣ"), lower("ISPARTA İLİ", "tr")
    ('σίσυφος', 'ısparta ili')
    """
    text = prepare_lower(text, language)
    if text.isascii():
        return text.lower()
    if any(c in text for c in _SPECIAL):
        return _text(_lowered(_points(text)))
    return text.translate(_small())


def zero_digits(text: str) -> str:
    """A text with 0 for every decimal digit.

    >>> zero_digits("1996-08-22")
    '0000-00-00'
    """
    return _decimal().sub("0", text)


def has_decimal(text: str) -> bool:
    """Whether there is a decimal digit."""
    return _decimal().search(text) is not None


def prepare_lower(text: str, language: str | None) -> str:
    """A text in which the letters are in lower case whose lower case is another in some languages.

    These are the rules for Turkish, Azerbaijani and Lithuanian of the Unicode Character Database
    (``SpecialCasing.txt``).
    """
    if language in ("tr", "az"):
        if "I" in text and "\u0307" in text:
            text = _i_with_dot().sub(r"i\1", text)
        return text.translate(_TURKIC)
    if language == "lt" and not text.isascii():
        text = _i_with_accent().sub(lambda found: found[0].lower() + "\u0307", text)
        return text.translate(_LITHUANIAN)
    return text


def fold(word: str, lowercase: bool, zero: bool, language: str | None = None) -> str:
    """A word in normal form C and, if wanted, in lower case and with 0 for digits."""
    word = nfc(word)
    if lowercase:
        word = nfc(lower(word, language))
    return zero_digits(word) if zero else word


def fold_words(
    words: Sequence[str], lowercase: bool, zero: bool, language: str | None = None
) -> list[str]:
    """Many words, each as ``fold`` gives it."""
    text = _BETWEEN.join(words)
    if text.count(_BETWEEN) != len(words) - 1:
        return [fold(word, lowercase, zero, language) for word in words]
    given = _points(text)
    points = _normalised(given)
    if lowercase and language is not None:
        points = _points(prepare_lower(_text(points), language))
    if lowercase:
        points = _normalised(_lowered(points))
    if points is given and not zero:
        return list(words)
    text = _text(points)
    return (zero_digits(text) if zero else text).split(_BETWEEN)


def _points(text: str) -> Any:
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _text(points: Any) -> str:
    return bytes(points).decode("utf-32-le", "surrogatepass")


def _normalised(points: Any) -> Any:
    import numpy as np

    unsure = forms().unsure
    if not unsure.take(points, mode="clip").any():
        return points
    from firth.unicode._kernels import normalise  # late: few texts need it

    out, room = np.empty(4 * len(points), np.uint32), np.empty(4 * len(points) + 256, np.uint32)
    return out[: normalise(points, out, room, forms())]


def _lowered(points: Any) -> Any:
    import numpy as np

    small = forms().lower
    if not any((points == ord(c)).any() for c in _SPECIAL):
        return np.where(points < len(small), small.take(points, mode="clip"), points)
    from firth.unicode._kernels import lower_case

    out = np.empty(2 * len(points), np.uint32)
    return out[: lower_case(points, out, forms())]


@cache
def _unsure() -> frozenset[str]:
    """Characters that are not always in normal form C."""
    import numpy as np

    return frozenset(map(chr, np.flatnonzero(forms().unsure).tolist()))


@cache
def _small() -> str:
    """The lower case of each character, as ``str.translate`` takes it."""
    return _text(forms().lower)


def _marks(below: bool) -> str:
    """A pattern of marks that are not above a letter, or else of those that are, by combining class."""
    import numpy as np

    classes = forms().combining
    some = (classes > 0) & (classes != 230) if below else classes == 230
    return f"[{''.join(map(chr, np.flatnonzero(some).tolist()))}]"


@cache
def _i_with_dot() -> re.Pattern[str]:
    """I and a dot above it; between them there may be marks that are not above."""
    return re.compile(f"I({_marks(below=True)}*)\u0307")


@cache
def _i_with_accent() -> re.Pattern[str]:
    """I, J or Į with an accent above it."""
    return re.compile(f"[IJĮ](?={_marks(below=True)}*{_marks(below=False)})")


@cache
def _decimal() -> re.Pattern[str]:
    some = [f"{chr(first)}-{chr(end - 1)}" for name, first, end in runs() if name == "Nd"]
    return re.compile(f"[{''.join(some)}]")
