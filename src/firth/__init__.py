"""Firth learns the structure of a language from its raw text.

>>> import firth
>>> corpus = firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]])
>>> corpus.vocabulary[0]
'a'

Everything heavy is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.classes import BrownClasses, BrownModel, ExchangeRefiner, Hierarchy, SpectralClasses
    from firth.corpus import Corpus, Hit, Vocabulary
    from firth.counts import Counts, count
    from firth.errors import (
        BusyError,
        FirthError,
        InputError,
        ModelError,
        ParameterError,
        WordError,
    )
    from firth.grammar import LPCFG
    from firth.lm import LanguageModel
    from firth.maps import WordMap
    from firth.model import Model, load
    from firth.ner import EntityTagger, SentenceFeatures, features
    from firth.pipeline import learn
    from firth.progress import show_progress
    from firth.senses import WordSenses
    from firth.tags import (
        HMM,
        AnchorTagger,
        BaumWelchTagger,
        ClusterTagger,
        SpectralHMM,
        SupervisedTagger,
        Tagger,
    )
    from firth.trees import Tree, parse_trees, read_trees
    from firth.vectors import Neighbour, SpectralEmbedding, WordVectors

__version__ = "0.1.0"

_HOMES = {
    "Corpus": "corpus", "Hit": "corpus", "Vocabulary": "corpus",
    "Counts": "counts", "count": "counts",
    "Neighbour": "vectors", "SpectralEmbedding": "vectors", "WordVectors": "vectors",
    **dict.fromkeys(
        ["BrownClasses", "BrownModel", "ExchangeRefiner", "Hierarchy", "SpectralClasses"], "classes"
    ),
    "EntityTagger": "ner", "SentenceFeatures": "ner", "features": "ner",
    **dict.fromkeys(
        ["AnchorTagger", "BaumWelchTagger", "ClusterTagger", "SupervisedTagger", "Tagger", "HMM", "SpectralHMM"],
        "tags",
    ),
    "LPCFG": "grammar", "LanguageModel": "lm", **dict.fromkeys(["Tree", "parse_trees", "read_trees"], "trees"),
    "WordSenses": "senses", "WordMap": "maps",
    "Model": "model", "load": "model", "learn": "pipeline", "show_progress": "progress",
    "BusyError": "errors", "FirthError": "errors", "InputError": "errors", "ModelError": "errors",
    "ParameterError": "errors", "WordError": "errors",
}  # fmt: skip

__all__ = [
    "Corpus",
    "Hit",
    "Vocabulary",
    "Counts",
    "count",
    "SpectralEmbedding",
    "WordVectors",
    "Neighbour",
    "BrownClasses",
    "SpectralClasses",
    "ExchangeRefiner",
    "Hierarchy",
    "BrownModel",
    "WordMap",
    "WordSenses",
    "EntityTagger",
    "features",
    "SentenceFeatures",
    "AnchorTagger",
    "BaumWelchTagger",
    "ClusterTagger",
    "SupervisedTagger",
    "Tagger",
    "HMM",
    "SpectralHMM",
    "LPCFG",
    "LanguageModel",
    "Tree",
    "parse_trees",
    "read_trees",
    "Model",
    "learn",
    "load",
    "show_progress",
    "FirthError",
    "InputError",
    "ParameterError",
    "WordError",
    "ModelError",
    "BusyError",
]


if not TYPE_CHECKING:  # type checkers would accept any name
    __getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
