"""Counts in, word vectors out: transform and scale, singular value decomposition, WordVectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.vectors._embedding import SpectralEmbedding, decompose
    from firth.vectors._panels import ScaledCounts, SparseMatrix
    from firth.vectors._parameters import (
        DEFAULT_DIM,
        PRESETS,
        Kappa,
        Preset,
        Transform,
        VectorsParameters,
        preset,
    )
    from firth.vectors._search import METHODS
    from firth.vectors._svd import Svd, dense_svd, exact_svd, krylov_svd
    from firth.vectors._template import SCALES, TRANSFORMS, Margins, Template
    from firth.vectors._word_vectors import Neighbour, WordVectors

__all__ = [
    "SpectralEmbedding",
    "VectorsParameters",
    "WordVectors",
    "Neighbour",
    "PRESETS",
    "preset",
    "DEFAULT_DIM",
    "Kappa",
    "Preset",
    "Transform",
    "METHODS",
    "TRANSFORMS",
    "SCALES",
    "Template",
    "Margins",
    "ScaledCounts",
    "SparseMatrix",
    "Svd",
    "decompose",
    "krylov_svd",
    "exact_svd",
    "dense_svd",
]

__getattr__ = lazily(
    __name__,
    _embedding="SpectralEmbedding decompose",
    _parameters="DEFAULT_DIM PRESETS Kappa Preset Transform VectorsParameters preset",
    _panels="ScaledCounts SparseMatrix",
    _search="METHODS",
    _svd="Svd dense_svd exact_svd krylov_svd",
    _template="SCALES TRANSFORMS Margins Template",
    _word_vectors="Neighbour WordVectors",
)
