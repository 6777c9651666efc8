"""The parameters of word vectors."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from firth.counts import ContextKind, ContextWeights, CountsParameters
from firth.errors import check_choice
from firth.parameters import Param, Parameters, Seed, Threads

__all__ = [
    "ANALOGY_METHODS",
    "DEFAULT_DIM",
    "PRESETS",
    "AnalogyOption",
    "Kappa",
    "Preset",
    "PresetOption",
    "Scale",
    "Transform",
    "VectorCountsParameters",
    "VectorsParameters",
    "preset",
]

DEFAULT_DIM = 300
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "similarity": {"contexts": "bag10", "weights": "distance", "alpha": 1.0, "beta": 0.25},
    "analogy": {"contexts": "bag10", "weights": "distance", "alpha": 0.75, "beta": 0.5},
    "syntax": {"contexts": "LR2", "weights": "none", "alpha": 1.0, "beta": 0.5},
    "paper": {"contexts": "bag5", "weights": "none", "alpha": 0.75, "beta": 0.0},
}
"""Contexts and exponents by purpose; see ``docs/how/vectors.md`` for the evidence."""
_DEFAULT = PRESETS["similarity"]
PresetName = Literal["similarity", "analogy", "syntax", "paper"]
_PRESET = Param("Choose contexts, weights, alpha and beta of the word vectors for a purpose.")
Preset = Annotated[PresetName, _PRESET]
Transform = Literal["none", "log", "two-thirds", "sqrt"]
Scale = Literal["none", "reg", "ppmi", "cca"]
Kappa = Annotated[float, Param("Pseudocount of words and contexts.", metavar="X", least=0)]
AnalogyMethod = Literal["mul", "add"]
ANALOGY_METHODS: tuple[str, ...] = typing.get_args(AnalogyMethod)
"""The ways to answer an analogy."""


def preset(name: str) -> dict[str, Any]:
    """The parameters that a preset sets."""
    check_choice("vectors", "preset", name, tuple(PRESETS))
    return dict(PRESETS[name])


@dataclass(frozen=True)
class VectorCountsParameters(CountsParameters):
    """The contexts that are counted for word vectors."""

    contexts: ContextKind = _DEFAULT["contexts"]
    weights: ContextWeights = _DEFAULT["weights"]


@dataclass(eq=False, repr=False)
class PresetOption(Parameters):
    """The preset of the word vectors of a model."""

    preset: Annotated[PresetName | None, _PRESET] = None


@dataclass(eq=False, repr=False)
class AnalogyOption(Parameters):
    """How analogies are answered."""

    method: Annotated[AnalogyMethod, Param("Analogy method: 3CosMul or 3CosAdd.")] = "mul"


@dataclass(eq=False, repr=False)
class VectorsParameters(Parameters):
    """The parameters of ``SpectralEmbedding``; the defaults are those of the preset ``similarity``."""

    estimator: ClassVar[str] = "firth.vectors:SpectralEmbedding"
    owner = "SpectralEmbedding"

    dim: Annotated[
        int | None,
        Param("Number of dimensions; by default 300, or fewer for a small text.", least=1),
    ] = None
    transform: Annotated[
        Transform,
        Param(
            "Transform applied to every count.",
            "The square root makes the variance of counts nearly constant.",
        ),
    ] = "sqrt"
    scale: Annotated[
        Scale,
        Param(
            "Scaling by word and context frequencies.",
            "Canonical correlation analysis, positive pointwise mutual information, regression, or "
            "none.",
        ),
    ] = "cca"
    alpha: Annotated[
        float,
        Param(
            "Exponent that smooths context frequencies, from 0 to 1.",
            "For ``cca`` and ``ppmi``.",
            metavar="X",
            least=0,
            most=1,
        ),
    ] = _DEFAULT["alpha"]
    beta: Annotated[
        float,
        Param("Exponent of the singular values, from 0 to 1.", metavar="X", least=0, most=1),
    ] = _DEFAULT["beta"]
    kappa: Kappa = 0.0
    spelling: Annotated[
        float,
        Param(
            "Count at which the vector of a word is half a guess from its spelling; 0 for no guesses.",
            "With 100, rare words and analogies of grammar become better, those of world knowledge worse.",
            metavar="N",
            least=0,
            most=1e9,
            added=True,
        ),
    ] = 0.0
    svd: Annotated[
        Literal["fast", "exact"],
        Param("Solver; exact is slow, to machine precision, for checking.", panel="Expert"),
    ] = "fast"
    tolerance: Annotated[
        float,
        Param(
            "Residual at which the fast solver stops, relative to the singular values.",
            metavar="X",
            panel="Expert",
            least=1e-4,
            most=0.1,
        ),
    ] = 0.005
    seed: Seed = 0
    threads: Threads = None
