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
    from firth.compare import compare
    from firth.corpus import Corpus, Hit, Vocabulary
    from firth.counts import Counts, count
    from firth.errors import (
        BusyError,
        FirthError,
        InputError,
        ModelError,
        ParameterError,
        QueryError,
        WordError,
    )
    from firth.grammar import LPCFG, LatentTagger
    from firth.integrations import ClassVectorizer, EmbeddingVectorizer
    from firth.lm import LanguageModel
    from firth.maps import WordMap
    from firth.model import Model, load
    from firth.morphs import Morphology
    from firth.ner import EntityTagger, SentenceFeatures, features
    from firth.pipeline import learn, merge
    from firth.progress import show_progress
    from firth.senses import WordSenses
    from firth.tags import (
        HMM,
        AnchorTagger,
        BaumWelchTagger,
        ClusterTagger,
        FeatureTagger,
        MutualInformationTagger,
        SpectralHMM,
        SupervisedTagger,
        Tagger,
    )
    from firth.trees import Tree, parse_trees, read_trees
    from firth.vectors import GrammarEmbedding, Neighbour, SpectralEmbedding, WordVectors

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "Hit",
    "Vocabulary",
    "Counts",
    "count",
    "SpectralEmbedding",
    "GrammarEmbedding",
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
    "FeatureTagger",
    "MutualInformationTagger",
    "SupervisedTagger",
    "LatentTagger",
    "Tagger",
    "HMM",
    "SpectralHMM",
    "LPCFG",
    "LanguageModel",
    "Morphology",
    "ClassVectorizer",
    "EmbeddingVectorizer",
    "Tree",
    "parse_trees",
    "read_trees",
    "Model",
    "compare",
    "learn",
    "merge",
    "load",
    "show_progress",
    "FirthError",
    "InputError",
    "ParameterError",
    "QueryError",
    "WordError",
    "ModelError",
    "BusyError",
]


if not TYPE_CHECKING:  # type checkers would accept any name
    __getattr__ = lazily(
        __name__,
        classes="BrownClasses BrownModel ExchangeRefiner Hierarchy SpectralClasses",
        compare="compare",
        corpus="Corpus Hit Vocabulary",
        counts="Counts count",
        errors="BusyError FirthError InputError ModelError ParameterError QueryError WordError",
        grammar="LPCFG LatentTagger",
        integrations="ClassVectorizer EmbeddingVectorizer",
        lm="LanguageModel",
        maps="WordMap",
        model="Model load",
        morphs="Morphology",
        ner="EntityTagger SentenceFeatures features",
        pipeline="learn merge",
        progress="show_progress",
        senses="WordSenses",
        tags=(
            "HMM AnchorTagger BaumWelchTagger ClusterTagger FeatureTagger MutualInformationTagger SpectralHMM "
            "SupervisedTagger Tagger"
        ),
        trees="Tree parse_trees read_trees",
        vectors="GrammarEmbedding Neighbour SpectralEmbedding WordVectors",
    )


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
