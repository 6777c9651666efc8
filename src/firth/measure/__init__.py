"""Measures of a text: frequency lists with dispersion, and phrases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.measure._measures import PhraseMeasure
    from firth.measure._phrases import Phrase, phrases
    from firth.measure._words import WordList, word_list

__all__ = ["Phrase", "PhraseMeasure", "WordList", "phrases", "word_list"]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _measures="PhraseMeasure",
        _phrases="Phrase phrases",
        _words="WordList word_list",
    )
