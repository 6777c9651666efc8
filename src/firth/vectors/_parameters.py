"""The parameters of word vectors."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from firth.counts import ContextKind, ContextWeights, CountsParameters
from firth.errors import check_choice
from firth.parameters import DeviceName, Param, Parameters, Seed, Threads

__all__ = [
    "ANALOGY_METHODS",
    "DEFAULT_DIM",
    "DEFAULT_PRESET",
    "DEFAULT_SPELLING",
    "FEW_WORDS",
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
DEFAULT_SPELLING = 60.0
FEW_WORDS = 1000
"""Fewer words are too few for good vectors, and for guesses from spelling that are better than chance."""
_PRESETS: dict[str, tuple[str, str, float, float, float | None]] = {
    "general": ("bag20+LR2/16", "distance", 1.0, 0.25, None),
    "similarity": ("bag10", "distance", 1.0, 0.25, 0.0),
    "analogy": ("bag10", "distance", 0.75, 0.5, 0.0),
    "syntax": ("LR2", "none", 1.0, 0.5, 0.0),
    "paper": ("bag5", "none", 0.75, 0.0, 0.0),
}
_SET = ("contexts", "weights", "alpha", "beta", "spelling")
PRESETS: Mapping[str, Mapping[str, Any]] = {
    name: dict(zip(_SET, values, strict=True)) for name, values in _PRESETS.items()
}
"""Contexts, exponents and spelling by purpose; see ``docs/how/vectors.md`` for the evidence."""
PresetName = Literal["general", "similarity", "analogy", "syntax", "paper"]
DEFAULT_PRESET: PresetName = "general"
_DEFAULT = PRESETS[DEFAULT_PRESET]
_PRESET = Param(
    "Choose contexts, weights, alpha, beta and spelling of the word vectors for a purpose."
)
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
    """The parameters of ``SpectralEmbedding``; the defaults are those of the preset ``general``."""

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
        float | None,
        Param(
            "Count at which the vector of a word is half a guess from its spelling; 0 for no guesses.",
            "By default 60, or 0 if there are fewer than 1,000 words, where guesses are chance. They make "
            "rare words and analogies of grammar better, those of world knowledge worse.",
            metavar="N",
            least=0,
            most=1e9,
            added=True,
            earlier=0.0,
        ),
    ] = _DEFAULT["spelling"]
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
    device: DeviceName = "cpu"

    def spelling_for(self, n_words: int) -> float:
        """``spelling``, or its default for so many words."""
        if self.spelling is not None:
            return self.spelling
        return DEFAULT_SPELLING if n_words >= FEW_WORDS else 0.0
