"""Figures of merit: similarity, analogy, agreement with known classes, perplexity, entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.evaluate._analogy import AnalogyResult, CategoryResult, evaluate_analogies
    from firth.evaluate._class_model import Curve, CurveRow, Perplexity, curve, perplexity
    from firth.evaluate._classes import evaluate_classes
    from firth.evaluate._entities import EntityResult, EntityRow, evaluate_entities
    from firth.evaluate._matching import Matching, confusion, matching
    from firth.evaluate._parses import (
        ParseResult,
        ParseRow,
        bracket_counts,
        evaluate_parses,
        f1_difference,
    )
    from firth.evaluate._questions import Analogies, Questions, WordPairs, read_questions
    from firth.evaluate._similarity import SimilarityResult, evaluate_similarity
    from firth.evaluate._universal import TWELVE_TAGS
    from firth.evaluate._vectors import evaluate_vectors
    from firth.evaluate._vocabulary import known_words

__all__ = [
    "read_questions",
    "Questions",
    "WordPairs",
    "Analogies",
    "evaluate_vectors",
    "evaluate_similarity",
    "SimilarityResult",
    "evaluate_analogies",
    "AnalogyResult",
    "CategoryResult",
    "known_words",
    "matching",
    "Matching",
    "confusion",
    "TWELVE_TAGS",
    "evaluate_classes",
    "perplexity",
    "Perplexity",
    "curve",
    "Curve",
    "CurveRow",
    "evaluate_entities",
    "EntityResult",
    "EntityRow",
    "evaluate_parses",
    "bracket_counts",
    "f1_difference",
    "ParseResult",
    "ParseRow",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _analogy="AnalogyResult CategoryResult evaluate_analogies",
        _class_model="Curve CurveRow Perplexity curve perplexity",
        _classes="evaluate_classes",
        _entities="EntityResult EntityRow evaluate_entities",
        _matching="Matching confusion matching",
        _parses="ParseResult ParseRow bracket_counts evaluate_parses f1_difference",
        _questions="Analogies Questions WordPairs read_questions",
        _similarity="SimilarityResult evaluate_similarity",
        _universal="TWELVE_TAGS",
        _vectors="evaluate_vectors",
        _vocabulary="known_words",
    )
