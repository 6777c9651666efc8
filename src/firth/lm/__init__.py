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
    from firth.lm._interpolated import InterpolatedModel
    from firth.lm._kneser_ney import Smoothed, smooth
    from firth.lm._language_model import LanguageModel
    from firth.lm._mixing import buckets_of, learn_weights, mixed
    from firth.lm._ngrams import Found, NgramModel
    from firth.lm._parameters import HELD_OUT, LanguageModelParameters, ReadAs
    from firth.lm._results import ComponentScore, NextWord, SentenceScores, TextScore

__all__ = [
    "BEGIN",
    "END",
    "HELD_OUT",
    "UNKNOWN",
    "ClassEntropy",
    "ClassModel",
    "ComponentScore",
    "Found",
    "InterpolatedModel",
    "LanguageModel",
    "LanguageModelParameters",
    "NextWord",
    "NgramCounts",
    "NgramModel",
    "ReadAs",
    "SentenceScores",
    "Smoothed",
    "TextScore",
    "bucket_names",
    "buckets_of",
    "class_entropy",
    "learn_weights",
    "mixed",
    "read_arpa",
    "smooth",
    "write_arpa",
]

__getattr__ = lazily(
    __name__,
    _arpa="BEGIN END UNKNOWN read_arpa write_arpa",
    _buckets="bucket_names",
    _classes="ClassModel",
    _counting="NgramCounts",
    _entropy="ClassEntropy class_entropy",
    _kneser_ney="Smoothed smooth",
    _interpolated="InterpolatedModel",
    _language_model="LanguageModel",
    _mixing="buckets_of learn_weights mixed",
    _ngrams="Found NgramModel",
    _parameters="HELD_OUT LanguageModelParameters ReadAs",
    _results="ComponentScore NextWord SentenceScores TextScore",
)
