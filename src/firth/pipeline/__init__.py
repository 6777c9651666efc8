"""From text to a model, stage by stage; a stage that is done already is not done again."""

from __future__ import annotations

from firth.pipeline._grammars import learn_grammar
from firth.pipeline._importing import import_classes, import_vectors
from firth.pipeline._language_models import import_lm, learn_lm, learn_lm_classes
from firth.pipeline._learn import learn
from firth.pipeline._naming import name_classes, name_tags
from firth.pipeline._taggers import learn_entities, learn_tags
from firth.pipeline._text import (
    learn_corpus,
    learn_counts,
    learn_index,
    make_corpus,
    make_counts,
    make_index,
)
from firth.pipeline._words import make_classes, make_map, make_vectors, vectors_parameters

__all__ = [
    "learn",
    "learn_corpus",
    "learn_index",
    "learn_counts",
    "make_corpus",
    "make_counts",
    "make_index",
    "make_vectors",
    "make_classes",
    "make_map",
    "learn_tags",
    "learn_entities",
    "learn_grammar",
    "learn_lm",
    "learn_lm_classes",
    "import_lm",
    "name_classes",
    "name_tags",
    "import_classes",
    "import_vectors",
    "vectors_parameters",
]
