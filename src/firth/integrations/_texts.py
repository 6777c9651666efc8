"""Texts as the words of a model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firth.corpus import Reading, Units, fold_word, tokenise, tokens_of
from firth.errors import InputError, wrong_parameter
from firth.model import Model, load

__all__ = ["TextReader", "checked_texts", "opened"]


class TextReader:
    """Splits texts into words as a model's own text was split."""

    def __init__(self, reading: Reading | None = None, units: Units | None = None) -> None:
        self.reading = reading or Reading()
        self.units = units

    def words(self, text: str) -> list[str]:
        """The words of a text."""
        found = tokenise(text, self.reading.cuts, "none")
        words = [fold_word(word, self.reading) for sentence in found for word in sentence]
        return tokens_of(words, self.units)


def opened(given: Any, part: str, kind: type, owner: str, name: str) -> tuple[Any, TextReader]:
    """Classes or vectors, and the reader of texts that goes with them.

    Parameters
    ----------
    given : str, Path, Model, or an object of ``kind``
    part : str
        The part of a model to use.
    kind : type
        What the part is.
    owner, name : str
        The estimator and its parameter, for the error message.
    """
    if isinstance(given, kind):
        return given, TextReader()
    if isinstance(given, str | Path):
        given = load(given)
    if not isinstance(given, Model):
        expected = f"a path, a Model, {kind.__name__} or None"
        raise wrong_parameter(owner, name, expected, given)
    reading = Reading.restored(given.parts["corpus"].parameters) if "corpus" in given else Reading()
    units = given.part("morphs") if reading.tokens == "morphs" else None
    if reading.phrases is not None:
        units = given.part("corpus").phrases
    return given.part(part), TextReader(reading, units)


def checked_texts(texts: Iterable[str], owner: str) -> list[str]:
    """Texts as a list, if that is what they are."""
    if isinstance(texts, str | bytes) or len(getattr(texts, "shape", (0,))) != 1:
        what = "one text" if isinstance(texts, str | bytes) else "a table"
        raise InputError(
            f"{owner} takes a list of texts. Got {what}.",
            "Put it into a list." if what == "one text" else "Choose the column with the texts.",
        )
    try:
        listed = list(texts)
    except TypeError:
        raise InputError(f"{owner} takes a list of texts. Got {texts!r}.") from None
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            raise InputError(
                f"{owner} takes a list of texts. Text {i} is of type {type(text).__name__}: {text!r:.40}.",
                "Leave it out, or replace it with ''.",
            )
    return listed
