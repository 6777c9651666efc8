"""A model, a word, a class, a tag or an entity type as plain data, for commands and the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.describe._classes import (
        assigned_words,
        class_facts,
        node_facts,
        siblings,
        typical_classes,
        word_class,
    )
    from firth.describe._entities import entity_facts
    from firth.describe._language_models import lm_facts
    from firth.describe._model import Row, coverage, model_facts, summary_rows, typical_word
    from firth.describe._report import report_facts, report_rows
    from firth.describe._tags import tag_facts
    from firth.describe._trees import comparable_words
    from firth.describe._words import word_contexts, word_facts, word_frequency

__all__ = [
    "Row",
    "assigned_words",
    "class_facts",
    "comparable_words",
    "coverage",
    "entity_facts",
    "lm_facts",
    "model_facts",
    "node_facts",
    "report_facts",
    "report_rows",
    "siblings",
    "summary_rows",
    "tag_facts",
    "typical_classes",
    "typical_word",
    "word_class",
    "word_contexts",
    "word_facts",
    "word_frequency",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _classes="assigned_words class_facts node_facts siblings typical_classes word_class",
        _entities="entity_facts",
        _language_models="lm_facts",
        _model="Row coverage model_facts summary_rows typical_word",
        _report="report_facts report_rows",
        _tags="tag_facts",
        _trees="comparable_words",
        _words="word_contexts word_facts word_frequency",
    )
