"""Sequences of words in, their probabilities out: n-grams by modified Kneser-Ney, classes, mixtures of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.lm._arpa import read_arpa, write_arpa
    from firth.lm._classes import ClassModel
    from firth.lm._counting import NgramCounts
    from firth.lm._kneser_ney import Smoothed, smooth
    from firth.lm._mixing import buckets_of, learn_weights, mixed
    from firth.lm._ngrams import Found, NgramModel

__all__ = [
    "ClassModel", "Found", "NgramCounts", "NgramModel", "Smoothed", "buckets_of", "learn_weights", "mixed", "read_arpa",
    "smooth", "write_arpa",
]  # fmt: skip

__getattr__ = lazily(
    __name__,
    {
        **dict.fromkeys(["read_arpa", "write_arpa"], "_arpa"),
        "ClassModel": "_classes",
        "NgramCounts": "_counting",
        **dict.fromkeys(["Smoothed", "smooth"], "_kneser_ney"),
        **dict.fromkeys(["buckets_of", "learn_weights", "mixed"], "_mixing"),
        **dict.fromkeys(["Found", "NgramModel"], "_ngrams"),
    },
)
