"""Word vectors: counts in, vectors by singular value decomposition out, nearest-neighbour search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.vectors._decomposition import decompose, room_for_vectors, vectors_from_counts
    from firth.vectors._embedding import SpectralEmbedding
    from firth.vectors._grammar import grammar_vectors
    from firth.vectors._grammar_embedding import GrammarEmbedding
    from firth.vectors._grammar_parameters import (
        GRAMMAR_CONTEXTS,
        KINDS,
        GrammarParameters,
        VectorKind,
        default_dim,
        default_grammar_dim,
    )
    from firth.vectors._guesser import LEARNED_FROM, Guesser, learn_guesser, mix
    from firth.vectors._krylov import krylov_svd
    from firth.vectors._panels import ScaledCounts, SparseMatrix
    from firth.vectors._parameters import (
        ANALOGY_METHODS,
        DEFAULT_DIM,
        DEFAULT_PRESET,
        PRESETS,
        AnalogyOption,
        Kappa,
        Preset,
        PresetOption,
        Scale,
        Transform,
        VectorCountsParameters,
        VectorsParameters,
        preset,
    )
    from firth.vectors._svd import Svd, dense_svd, exact_svd
    from firth.vectors._template import Template
    from firth.vectors._word_vectors import Neighbour, WordVectors

__all__ = [
    "SpectralEmbedding",
    "GrammarEmbedding",
    "GrammarParameters",
    "GRAMMAR_CONTEXTS",
    "KINDS",
    "VectorKind",
    "default_dim",
    "default_grammar_dim",
    "grammar_vectors",
    "VectorsParameters",
    "VectorCountsParameters",
    "WordVectors",
    "Neighbour",
    "Guesser",
    "PRESETS",
    "preset",
    "DEFAULT_DIM",
    "DEFAULT_PRESET",
    "ANALOGY_METHODS",
    "AnalogyOption",
    "Kappa",
    "Preset",
    "PresetOption",
    "Scale",
    "Transform",
    "Template",
    "ScaledCounts",
    "SparseMatrix",
    "Svd",
    "decompose",
    "room_for_vectors",
    "vectors_from_counts",
    "LEARNED_FROM",
    "learn_guesser",
    "mix",
    "krylov_svd",
    "exact_svd",
    "dense_svd",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _decomposition="decompose room_for_vectors vectors_from_counts",
        _embedding="SpectralEmbedding",
        _grammar="grammar_vectors",
        _grammar_embedding="GrammarEmbedding",
        _grammar_parameters="GRAMMAR_CONTEXTS KINDS GrammarParameters VectorKind default_dim "
        "default_grammar_dim",
        _guesser="LEARNED_FROM Guesser learn_guesser mix",
        _parameters="ANALOGY_METHODS DEFAULT_DIM DEFAULT_PRESET PRESETS AnalogyOption Kappa Preset PresetOption "
        "Scale Transform VectorCountsParameters VectorsParameters preset",
        _panels="ScaledCounts SparseMatrix",
        _krylov="krylov_svd",
        _svd="Svd dense_svd exact_svd",
        _template="Template",
        _word_vectors="Neighbour WordVectors",
    )
