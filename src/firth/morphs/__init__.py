"""Morphology: words in, their parts out; a hidden Markov model over prefixes, stems and suffixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.morphs._conllu import fill_morphs, misc_of, morphs_text
    from firth.morphs._evaluation import boundaries, compare_splits, evaluate_morphs
    from firth.morphs._files import looks_like_words, read_gold, read_known, read_words
    from firth.morphs._graphemes import LONGEST, graphemes, has_parts
    from firth.morphs._morphology import Morphology
    from firth.morphs._paradigms import Affix, Paradigm
    from firth.morphs._parameters import MOST_WORDS, MorphologyParameters
    from firth.morphs._splitter import KINDS, Morph, Split, Splitter

__all__ = [
    "Affix",
    "KINDS",
    "LONGEST",
    "MOST_WORDS",
    "Morph",
    "Morphology",
    "MorphologyParameters",
    "Paradigm",
    "Split",
    "Splitter",
    "boundaries",
    "compare_splits",
    "evaluate_morphs",
    "fill_morphs",
    "graphemes",
    "has_parts",
    "looks_like_words",
    "misc_of",
    "morphs_text",
    "read_gold",
    "read_known",
    "read_words",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _conllu="fill_morphs misc_of morphs_text",
        _evaluation="boundaries compare_splits evaluate_morphs",
        _files="looks_like_words read_gold read_known read_words",
        _graphemes="LONGEST graphemes has_parts",
        _morphology="Morphology",
        _paradigms="Affix Paradigm",
        _parameters="MOST_WORDS MorphologyParameters",
        _splitter="KINDS Morph Split Splitter",
    )
