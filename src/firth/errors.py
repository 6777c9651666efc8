"""Errors.

::

    FirthError                 base class of all errors that Firth raises
    ├── InputError             a text, file or folder cannot be read or used
    ├── ParameterError         a parameter has an invalid value (also a ValueError)
    │   └── QueryError         a query cannot be read; it knows the place of the mistake
    ├── WordError              a word is not in the vocabulary (also a KeyError)
    └── ModelError             a model folder is damaged or cannot be written
        └── BusyError          another process is writing to the same model folder

Every error has a ``message`` that says what happened and, in most cases, a ``hint`` what to do. The
command line prints both and exits with status 1, or 2 for a ParameterError.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "FirthError",
    "InputError",
    "ParameterError",
    "QueryError",
    "WordError",
    "ModelError",
    "BusyError",
]


_NOT_UNICODE = re.compile("[\ud800-\udfff]")
"""How Python writes the bytes of a file name that is not UTF-8; no such text can be printed."""


_EXCERPT = 60
"""How many characters of a query are shown on either side of a mistake."""


def shown(name: object) -> str:
    """A file name, or other text, as it can be printed and encoded."""
    return _NOT_UNICODE.sub("\ufffd", str(name))


class FirthError(Exception):
    """Base class of all errors that Firth raises.

    Parameters
    ----------
    message : str
        What happened, in one sentence.
    hint : str, optional
        What the user can do.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        self.message = shown(message)
        self.hint = None if hint is None else shown(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InputError(FirthError):
    """A text, file or folder cannot be read or used."""


class ParameterError(FirthError, ValueError):
    """A parameter has an invalid value.

    If a single parameter is invalid, ``name`` is its name and ``rule`` what it must be, so that the
    command line can name its option instead.
    """

    name: str | None = None
    rule: str | None = None


class QueryError(ParameterError):
    """A query or an expression cannot be read.

    Attributes
    ----------
    query : str
        What was typed.
    place : int
        The index of the character where the mistake is; the length of the query if its end is missing.
    of : str
        What was typed: ``query``, or ``where`` for a condition on documents.
    """

    def __init__(self, message: str, hint: str, query: str, place: int) -> None:
        super().__init__(message, hint)
        self.query, self.place, self.of = query, place, "query"

    def excerpt(self) -> tuple[str, int]:
        """The query, or the part of a long one around the mistake, and the place in it."""
        begin = max(0, self.place - _EXCERPT)
        cut = self.query[begin : self.place + _EXCERPT]
        return "…" * (begin > 0) + shown(cut), self.place - begin + (begin > 0)

    def __str__(self) -> str:
        text, place = self.excerpt()
        return f"{self.message}\n    {text}\n    {' ' * place}^\n{self.hint}"


class WordError(FirthError, KeyError):
    """A word is not in the vocabulary."""

    word: str | None = None


class ModelError(FirthError):
    """A model folder is damaged or cannot be written."""


class BusyError(ModelError):
    """Another process is writing to the same model folder."""


def wrong_parameter(owner: str, name: str, expected: str, got: object) -> ParameterError:
    """The error for a parameter with an invalid value."""
    error = ParameterError(f"The {name!r} parameter of {owner} must be {expected}. Got {got!r}.")
    error.name, error.rule = name, f"must be {expected}. Got {got!r}."
    return error


def not_for(name: str, what: str) -> ParameterError:
    """The error for a parameter that does not apply."""
    error = ParameterError(f"The {name!r} parameter does not apply to {what}.")
    as_typed = re.sub(r"\bmethod '([^']+)'", r"--method \1", what)
    error.name, error.rule = name, f"does not apply to {as_typed}."
    return error


def check_choice(owner: str, name: str, value: str, choices: Sequence[str]) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise wrong_parameter(owner, name, "one of " + ", ".join(map(repr, choices)), value)


def check_count(owner: str, name: str, value: object, least: int = 1) -> None:
    """Raise unless ``value`` is an int of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise wrong_parameter(owner, name, f"an int of at least {least}", value)


def check_fitted(thing: object, fitted: bool) -> None:
    """Raise an error, also a NotFittedError of scikit-learn, unless ``thing`` is fitted."""
    if fitted:
        return
    from sklearn.exceptions import NotFittedError  # here, because it imports scikit-learn

    class NotFitted(ParameterError, NotFittedError):  # type: ignore[misc]  # noqa: N818
        """An estimator is used before it is fitted."""

    NotFitted.__name__ = NotFitted.__qualname__ = "NotFittedError"
    name = type(thing).__name__
    raise NotFitted(
        f"This {name} is not fitted yet.", "Call fit first, or load a model with firth.load."
    )
