"""Figures of merit: similarity and analogy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.evaluate._analogy import AnalogyResult, CategoryResult, evaluate_analogies
    from firth.evaluate._questions import Analogies, Questions, WordPairs, read_questions
    from firth.evaluate._similarity import SimilarityResult, evaluate_similarity

__all__ = [
    "read_questions",
    "Questions",
    "WordPairs",
    "Analogies",
    "evaluate_similarity",
    "SimilarityResult",
    "evaluate_analogies",
    "AnalogyResult",
    "CategoryResult",
]

__getattr__ = lazily(
    __name__,
    {
        **dict.fromkeys(["Analogies", "Questions", "WordPairs", "read_questions"], "_questions"),
        **dict.fromkeys(["AnalogyResult", "CategoryResult", "evaluate_analogies"], "_analogy"),
        **dict.fromkeys(["SimilarityResult", "evaluate_similarity"], "_similarity"),
    },
)
