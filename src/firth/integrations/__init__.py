"""What a model learned, as objects of other libraries: one file for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.integrations._hub import TEXT_PARTS, model_card, push
    from firth.integrations._vectorizers import ClassVectorizer, EmbeddingVectorizer

__all__ = ["TEXT_PARTS", "ClassVectorizer", "EmbeddingVectorizer", "model_card", "push"]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _hub="TEXT_PARTS model_card push",
        _vectorizers="ClassVectorizer EmbeddingVectorizer",
    )
