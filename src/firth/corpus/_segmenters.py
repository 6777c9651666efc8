"""Segmenters: ICU, and functions of other packages (entry points ``firth.segmenters``)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FirthError, InputError, ParameterError, wrong_parameter

__all__ = [
    "GROUP",
    "Segmenter",
    "icu_lengths",
    "names_of_tokens",
    "segmenter_of",
    "unknown_tokens",
    "version_of",
]

GROUP = "firth.segmenters"
"""The entry points of packages that offer segmenters."""
ICU = "icu"
_BUILT_IN = ("words", "whitespace", "characters", "morphs", ICU)
_SHOWN = 40
Span = tuple[int, int]


def names_of_tokens() -> list[str]:
    """What ``tokens`` can be: what Firth has, and the segmenters that are installed."""
    return list(dict.fromkeys([*_BUILT_IN, *sorted(_entry_points().names)]))


def unknown_tokens(owner: str, tokens: object) -> ParameterError:
    """The error for ``tokens`` that are none of these."""
    names = ", ".join(map(repr, names_of_tokens()))
    error = wrong_parameter(owner, "tokens", f"one of {names}", tokens)
    error.hint = f"If {tokens!r} is a segmenter of another package, install that package first."
    return error


def version_of(tokens: str) -> str | None:
    """What segments text for some ``tokens``, with its version; None for rules of Firth's own."""
    if tokens == ICU:
        return f"ICU {_icu().icu_version}"
    return None if tokens in _BUILT_IN or tokens == "given" else segmenter_of(tokens).version


def _entry_points() -> metadata.EntryPoints:
    return metadata.entry_points(group=GROUP)


@cache
def _icu() -> Any:
    try:
        import icu4py
        import icu4py.breakers
    except ImportError:
        raise ParameterError(
            "--tokens icu needs icu4py, which is not installed.",
            'Install it: pip install "firth[icu]"',
        ) from None
    return icu4py


def icu_lengths(text: str) -> npt.NDArray[np.int64]:
    """The lengths of the words of a text in code points, as ICU's rules and dictionaries divide it."""
    # the strings themselves, because the offsets of icu4py count in UTF-16
    words = _icu().breakers.WordBreaker(text, "und")
    lengths = np.fromiter(map(len, words), np.int64)
    if int(lengths.sum()) != len(text):
        raise InputError("ICU has not divided all of the text.", "Report this, with the text.")
    return lengths


@dataclass(frozen=True)
class Segmenter:
    """A function of another package that divides a line of text.

    Attributes
    ----------
    name : str
        What is typed after ``--tokens``.
    version : str
        The distribution that has the function, and its version.
    function : callable
        Given a line, returns the start and end of each token in code points, or the tokens themselves.
    """

    name: str
    version: str
    function: Callable[[str], Iterable[Any]]
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def spans(self, line: str) -> list[Span]:
        """Where the tokens of a line begin and end; an error if that is not possible."""
        try:
            with self._lock:  # it may not be made for several threads
                found: list[Any] = list(self.function(line))
        except FirthError:
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise self._wrong(f"raised {why}", line) from error
        if found and isinstance(found[0], str):
            return list(self._places(found, line))
        return list(self._checked(found, line))

    def _places(self, tokens: Sequence[Any], line: str) -> Iterator[Span]:
        """Where tokens are in a line: one after the other, with nothing but blanks between them."""
        at = 0
        for token in tokens:
            if not isinstance(token, str) or not token:
                raise self._wrong(f"returned {token!r} as a token", line)
            start = line.find(token, at)
            if start < 0 or line[at:start].strip():
                raise self._wrong(f"returned {token!r}, which does not come next", line)
            at = start + len(token)
            yield start, at

    def _checked(self, spans: Iterable[Any], line: str) -> Iterator[Span]:
        at = 0
        for span in spans:
            try:
                start, end = map(int, span)
            except (TypeError, ValueError):
                raise self._wrong(
                    f"returned {span!r} instead of a start and an end", line
                ) from None
            if not at <= start < end <= len(line):
                raise self._wrong(
                    f"returned {start} and {end} after {at}, in {len(line):,} characters", line
                )
            yield start, end
            at = end

    def _wrong(self, what: str, line: str) -> InputError:
        shown = line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."
        return InputError(
            f"The segmenter {self.name!r} ({self.version}) {what}, for the line {shown!r}.",
            "Tell its authors, or choose other tokens: --tokens",
        )


@cache
def segmenter_of(tokens: str) -> Segmenter:
    """An installed segmenter, by its name."""
    found = [entry for entry in _entry_points() if entry.name == tokens]
    if not found:
        raise unknown_tokens("Corpus", tokens)
    entry = found[0]
    who = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"
    try:
        function = entry.load()
    except Exception as error:
        raise ParameterError(
            f"The segmenter {tokens!r} ({who}) cannot be loaded: {error}.",
            "Install what it needs, or choose other tokens: --tokens",
        ) from error
    if not callable(function):
        raise ParameterError(f"The segmenter {tokens!r} ({who}) is not a function.")
    return Segmenter(tokens, who, function)
