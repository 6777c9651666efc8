"""Sequences of words in, their probabilities out: n-grams by modified Kneser-Ney, classes, mixtures of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.lm._arpa import BEGIN, END, UNKNOWN, read_arpa, write_arpa
    from firth.lm._buckets import bucket_names
    from firth.lm._classes import ClassModel
    from firth.lm._counting import NgramCounts
    from firth.lm._entropy import ClassEntropy, class_entropy
    from firth.lm._kneser_ney import Smoothed, smooth
    from firth.lm._language_model import VERSION, LanguageModel
    from firth.lm._mixing import buckets_of, learn_weights, mixed
    from firth.lm._ngrams import Found, NgramModel
    from firth.lm._results import ComponentScore, NextWord, SentenceScores, TextScore

__all__ = [
    "BEGIN", "END", "UNKNOWN", "VERSION", "ClassEntropy", "ClassModel", "ComponentScore", "Found", "LanguageModel",
    "NextWord", "NgramCounts", "NgramModel", "SentenceScores", "Smoothed", "TextScore", "bucket_names", "buckets_of",
    "class_entropy", "learn_weights", "mixed", "read_arpa", "smooth", "write_arpa",
]  # fmt: skip

__getattr__ = lazily(
    __name__,
    {
        **dict.fromkeys(["BEGIN", "END", "UNKNOWN", "read_arpa", "write_arpa"], "_arpa"),
        "bucket_names": "_buckets",
        "ClassModel": "_classes",
        "NgramCounts": "_counting",
        **dict.fromkeys(["ClassEntropy", "class_entropy"], "_entropy"),
        **dict.fromkeys(["Smoothed", "smooth"], "_kneser_ney"),
        **dict.fromkeys(["VERSION", "LanguageModel"], "_language_model"),
        **dict.fromkeys(["buckets_of", "learn_weights", "mixed"], "_mixing"),
        **dict.fromkeys(["Found", "NgramModel"], "_ngrams"),
        **dict.fromkeys(["ComponentScore", "NextWord", "SentenceScores", "TextScore"], "_results"),
    },
)
