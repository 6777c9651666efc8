"""Measures of a text: frequency lists with dispersion, and phrases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.measure._phrases import Phrase, PhraseMeasure, phrases
    from firth.measure._words import WordList, word_list

__all__ = ["Phrase", "PhraseMeasure", "WordList", "phrases", "word_list"]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _phrases="Phrase PhraseMeasure phrases",
        _words="WordList word_list",
    )
