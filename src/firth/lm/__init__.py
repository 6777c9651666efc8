"""Language models: n-grams with modified Kneser-Ney smoothing, interpolated with class models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.lm._buckets import bucket_names
    from firth.lm._compact import CompactModel, open_compact
    from firth.lm._entropy import ClassEntropy, class_entropy
    from firth.lm._interpolated import InterpolatedModel
    from firth.lm._language_model import LanguageModel
    from firth.lm._mixing import buckets_of, learn_weights, mixed
    from firth.lm._mixture import class_rows, outcomes_of
    from firth.lm._parameters import HELD_OUT, LanguageModelParameters, ReadAs
    from firth.lm._results import ComponentScore, NextWord, SentenceScores, TextScore, WordScore
    from firth.lm._texts import Sentences, padded
    from firth.lm._trees import CountedTree, Event, Text, Tree

__all__ = [
    "HELD_OUT",
    "ClassEntropy",
    "CompactModel",
    "ComponentScore",
    "CountedTree",
    "Event",
    "InterpolatedModel",
    "LanguageModel",
    "LanguageModelParameters",
    "NextWord",
    "ReadAs",
    "SentenceScores",
    "Sentences",
    "Text",
    "TextScore",
    "Tree",
    "WordScore",
    "bucket_names",
    "buckets_of",
    "class_entropy",
    "class_rows",
    "learn_weights",
    "mixed",
    "open_compact",
    "outcomes_of",
    "padded",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _buckets="bucket_names",
        _compact="CompactModel open_compact",
        _entropy="ClassEntropy class_entropy",
        _interpolated="InterpolatedModel",
        _language_model="LanguageModel",
        _mixing="buckets_of learn_weights mixed",
        _parameters="HELD_OUT LanguageModelParameters ReadAs",
        _results="ComponentScore NextWord SentenceScores TextScore WordScore",
        _mixture="class_rows outcomes_of",
        _texts="Sentences padded",
        _trees="CountedTree Event Text Tree",
    )
