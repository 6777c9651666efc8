"""From the 17 parts of speech of Universal Dependencies to the 12 before them."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["TWELVE_TAGS"]

TWELVE_TAGS: Mapping[str, str] = {
    "NOUN": "NOUN", "PROPN": "NOUN", "VERB": "VERB", "AUX": "VERB", "ADJ": "ADJ", "ADV": "ADV", "PRON": "PRON",
    "DET": "DET", "ADP": "ADP", "NUM": "NUM", "CCONJ": "CONJ", "SCONJ": "CONJ", "CONJ": "CONJ", "PART": "PRT",
    "PUNCT": ".", "SYM": "X", "INTJ": "X", "X": "X", "_": "X",
}  # fmt: skip
"""The universal tag (Petrov, Das and McDonald 2012) of each part of speech; a word without one counts as other, X."""
