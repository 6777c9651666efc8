"""Morphology: words in, their parts out; a hidden Markov model over prefixes, stems and suffixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.morphs._conllu import fill_morphs, misc_of, morphs_text
    from firth.morphs._evaluation import boundaries, compare_splits, evaluate_morphs
    from firth.morphs._files import looks_like_words, read_gold, read_known, read_words
    from firth.morphs._given import Corrections, check_split, known_text
    from firth.morphs._graphemes import LONGEST, graphemes, has_parts
    from firth.morphs._index import Morph, MorphIndex
    from firth.morphs._morphology import Morphology
    from firth.morphs._paradigms import Affix, Paradigm, stem_and_ending
    from firth.morphs._parameters import MOST_WORDS, MorphologyParameters
    from firth.morphs._splitter import KINDS, Split, Splitter

__all__ = [
    "Affix",
    "Corrections",
    "KINDS",
    "LONGEST",
    "MOST_WORDS",
    "Morph",
    "MorphIndex",
    "Morphology",
    "MorphologyParameters",
    "Paradigm",
    "Split",
    "Splitter",
    "boundaries",
    "check_split",
    "compare_splits",
    "evaluate_morphs",
    "fill_morphs",
    "graphemes",
    "has_parts",
    "known_text",
    "looks_like_words",
    "misc_of",
    "morphs_text",
    "read_gold",
    "read_known",
    "read_words",
    "stem_and_ending",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _conllu="fill_morphs misc_of morphs_text",
        _evaluation="boundaries compare_splits evaluate_morphs",
        _files="looks_like_words read_gold read_known read_words",
        _given="Corrections check_split known_text",
        _graphemes="LONGEST graphemes has_parts",
        _index="Morph MorphIndex",
        _morphology="Morphology",
        _paradigms="Affix Paradigm stem_and_ending",
        _parameters="MOST_WORDS MorphologyParameters",
        _splitter="KINDS Split Splitter",
    )
