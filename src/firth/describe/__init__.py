"""What commands and the explorer say about a model, a word, a class or a tag, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.describe._classes import class_facts, nodes_below, word_class
    from firth.describe._model import Row, coverage, model_facts, summary_rows, typical_word
    from firth.describe._tags import tag_facts
    from firth.describe._trees import comparable_words
    from firth.describe._words import word_facts

__all__ = [
    "Row",
    "class_facts",
    "comparable_words",
    "coverage",
    "model_facts",
    "nodes_below",
    "summary_rows",
    "tag_facts",
    "typical_word",
    "word_class",
    "word_facts",
]

__getattr__ = lazily(
    __name__,
    _classes="class_facts nodes_below word_class",
    _model="Row coverage model_facts summary_rows typical_word",
    _tags="tag_facts",
    _trees="comparable_words",
    _words="word_facts",
)
