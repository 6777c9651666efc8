"""What a model learned, as objects of other libraries: one file for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.integrations._vectorizers import ClassVectorizer, EmbeddingVectorizer

__all__ = ["ClassVectorizer", "EmbeddingVectorizer"]

if not TYPE_CHECKING:
    __getattr__ = lazily(__name__, _vectorizers="ClassVectorizer EmbeddingVectorizer")
