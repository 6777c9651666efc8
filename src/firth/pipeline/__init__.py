"""From text to a model, stage by stage. A stage whose result is current is skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.pipeline._classes import learn_classes, make_classes
    from firth.pipeline._correcting import correct_morphs, import_corrections
    from firth.pipeline._entities import learn_entities
    from firth.pipeline._grammars import learn_grammar
    from firth.pipeline._importing import import_classes, import_vectors
    from firth.pipeline._language_models import import_lm, learn_lm
    from firth.pipeline._learn import learn, plan
    from firth.pipeline._merging import merge
    from firth.pipeline._morphs import learn_morphs
    from firth.pipeline._naming import name_classes, name_tags
    from firth.pipeline._parameters import LearnParameters
    from firth.pipeline._reports import learn_report, report_of
    from firth.pipeline._sharing_names import export_names, import_names, name_rows
    from firth.pipeline._taggers import learn_tags
    from firth.pipeline._text import (
        learn_corpus,
        learn_counts,
        learn_index,
        make_index,
    )
    from firth.pipeline._vectors import learn_map, learn_vectors, make_map, make_vectors

__all__ = [
    "LearnParameters",
    "learn",
    "merge",
    "plan",
    "learn_corpus",
    "learn_index",
    "learn_counts",
    "learn_classes",
    "learn_vectors",
    "learn_map",
    "learn_morphs",
    "learn_tags",
    "learn_entities",
    "learn_grammar",
    "learn_lm",
    "import_lm",
    "learn_report",
    "report_of",
    "make_index",
    "make_vectors",
    "make_classes",
    "make_map",
    "export_names",
    "import_names",
    "name_rows",
    "name_classes",
    "name_tags",
    "correct_morphs",
    "import_classes",
    "import_corrections",
    "import_vectors",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _classes="learn_classes make_classes",
        _correcting="correct_morphs import_corrections",
        _entities="learn_entities",
        _grammars="learn_grammar",
        _importing="import_classes import_vectors",
        _language_models="import_lm learn_lm",
        _learn="learn plan",
        _merging="merge",
        _morphs="learn_morphs",
        _naming="name_classes name_tags",
        _parameters="LearnParameters",
        _reports="learn_report report_of",
        _sharing_names="export_names import_names name_rows",
        _taggers="learn_tags",
        _text="learn_corpus learn_counts learn_index make_index",
        _vectors="learn_map learn_vectors make_map make_vectors",
    )
