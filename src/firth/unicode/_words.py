"""Lower case, normal form C and digits of words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from firth.unicode._tables import forms, runs

__all__ = ["fold", "fold_words", "has_decimal", "lower", "nfc", "zero_digits"]

_BETWEEN = "\U0010ffff"
"""Stands between words; it is not a character, and hardly any word has it."""
_SPECIAL = "Σİ"
"""Letters whose lower case depends on the context, or is two characters."""


def nfc(text: str) -> str:
    """Normal form C.

    >>> nfc("e\\u0301") == "\\xe9"
    True
    """
    if text.isascii() or _unsure().isdisjoint(text):
        return text
    return _text(_normalised(_points(text)))


def lower(text: str) -> str:
    """Lower case, with a final sigma at the end of words.

    >>> lower("ΣΊΣΥΦΟΣ")
    'σίσυφος'
    """
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


def fold(word: str, lowercase: bool, zero: bool) -> str:
    """A word in normal form C and, if wanted, in lower case and with 0 for digits."""
    word = nfc(word)
    if lowercase:
        word = nfc(lower(word))
    return zero_digits(word) if zero else word


def fold_words(words: Sequence[str], lowercase: bool, zero: bool) -> list[str]:
    """Many words, each as ``fold`` gives it."""
    text = _BETWEEN.join(words)
    if text.count(_BETWEEN) != len(words) - 1:
        return [fold(word, lowercase, zero) for word in words]
    given = _points(text)
    points = _normalised(given)
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


@cache
def _decimal() -> re.Pattern[str]:
    some = [f"{chr(first)}-{chr(end - 1)}" for name, first, end in runs() if name == "Nd"]
    return re.compile(f"[{''.join(some)}]")
