"""Language models: n-grams with modified Kneser-Ney smoothing, interpolated with class models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.lm._buckets import bucket_names
    from firth.lm._classes import ClassModel
    from firth.lm._counting import NgramCounts
    from firth.lm._entropy import ClassEntropy, class_entropy
    from firth.lm._interpolated import InterpolatedModel
    from firth.lm._language_model import LanguageModel
    from firth.lm._mixing import buckets_of, learn_weights, mixed
    from firth.lm._ngrams import NgramModel
    from firth.lm._parameters import HELD_OUT, LanguageModelParameters, ReadAs
    from firth.lm._results import ComponentScore, NextWord, SentenceScores, TextScore

__all__ = [
    "HELD_OUT",
    "ClassEntropy",
    "ClassModel",
    "ComponentScore",
    "InterpolatedModel",
    "LanguageModel",
    "LanguageModelParameters",
    "NextWord",
    "NgramCounts",
    "NgramModel",
    "ReadAs",
    "SentenceScores",
    "TextScore",
    "bucket_names",
    "buckets_of",
    "class_entropy",
    "learn_weights",
    "mixed",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _buckets="bucket_names",
        _classes="ClassModel",
        _counting="NgramCounts",
        _entropy="ClassEntropy class_entropy",
        _interpolated="InterpolatedModel",
        _language_model="LanguageModel",
        _mixing="buckets_of learn_weights mixed",
        _ngrams="NgramModel",
        _parameters="HELD_OUT LanguageModelParameters ReadAs",
        _results="ComponentScore NextWord SentenceScores TextScore",
    )
