"""Measures of a text: frequency lists with dispersion, phrases, and word sketches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.measure._measures import PhraseMeasure
    from firth.measure._neighbours import ByOffset, Neighbours, collocates, collocates_in
    from firth.measure._phrases import Phrase, joining, phrases
    from firth.measure._report import Report, measure_text
    from firth.measure._sketch import Collocate, Column, sketch
    from firth.measure._stability import Band, agreement, halves, similarity_bands
    from firth.measure._words import WordList, word_list

__all__ = [
    "Band",
    "ByOffset",
    "Collocate",
    "Column",
    "Neighbours",
    "Phrase",
    "PhraseMeasure",
    "Report",
    "WordList",
    "agreement",
    "collocates",
    "collocates_in",
    "halves",
    "joining",
    "measure_text",
    "phrases",
    "similarity_bands",
    "sketch",
    "word_list",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _measures="PhraseMeasure",
        _neighbours="ByOffset Neighbours collocates collocates_in",
        _phrases="Phrase joining phrases",
        _report="Report measure_text",
        _sketch="Collocate Column sketch",
        _stability="Band agreement halves similarity_bands",
        _words="WordList word_list",
    )
