"""Sequences of words in, their probabilities out: n-grams by modified Kneser-Ney."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.lm._counting import NgramCounts
    from firth.lm._kneser_ney import Smoothed, smooth
    from firth.lm._ngrams import NgramModel

__all__ = ["NgramCounts", "NgramModel", "Smoothed", "smooth"]

__getattr__ = lazily(
    __name__,
    {
        "NgramCounts": "_counting",
        **dict.fromkeys(["Smoothed", "smooth"], "_kneser_ney"),
        "NgramModel": "_ngrams",
    },
)
