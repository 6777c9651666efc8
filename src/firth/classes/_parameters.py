"""How word classes are learned: the parameters of the estimators and of the stage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from firth.counts import AcrossLines, CountsParameters, MinCount, VocabularySize, parse_contexts
from firth.errors import ParameterError, wrong_parameter
from firth.parameters import DeviceName, Param, Parameters, Seed, Threads
from firth.vectors import Transform

__all__ = [
    "BrownParameters",
    "ClassesParameters",
    "ExchangeParameters",
    "KeptWords",
    "SpectralParameters",
    "default_n_classes",
]

_MOST_CLASSES = 1000
_SPECTRAL = ("spectral",)
NumberOfClasses = Annotated[
    int | None,
    Param(
        f"Number of classes; by default it depends on the vocabulary, at most {_MOST_CLASSES:,}.",
        "The default is twice the square root of the number of words.",
        option="--classes",
        least=2,
    ),
]
NextWordContexts = Annotated[
    str,
    Param("Contexts: R1, LR1, LR2, or offsets that include 1.", metavar="KIND", methods=_SPECTRAL),
]
ClassKappa = Annotated[
    float,
    Param(
        "Pseudocount of words and contexts.",
        "It reduces the influence of rare words.",
        metavar="X",
        least=0,
        methods=_SPECTRAL,
    ),
]
CountTransform = Annotated[
    Transform,
    Param(
        "Transform applied to every count.",
        "The square root is the variant of Stratos et al. 2015.",
        methods=_SPECTRAL,
    ),
]
Clustering = Annotated[
    Literal["ward", "two-means"],
    Param(
        "Bottom-up or top-down clustering.",
        "``ward`` merges words and classes. ``two-means`` splits the widest class in two until "
        "there are enough classes.",
        methods=_SPECTRAL,
    ),
]


def default_n_classes(n_words: int) -> int:
    """The default number of classes: twice the square root of the vocabulary size, at most 1,000.

    >>> [default_n_classes(n) for n in (2, 100, 10_000, 10**6)]
    [2, 20, 200, 1000]
    """
    return max(2, min(_MOST_CLASSES, round(2 * math.sqrt(n_words)), n_words))


@dataclass(eq=False, repr=False)
class BrownParameters(Parameters):
    """The parameters of ``BrownClasses``."""

    estimator: ClassVar[str] = "firth.classes:BrownClasses"

    n_classes: NumberOfClasses = None
    min_count: MinCount = CountsParameters.min_count
    vocabulary: VocabularySize = CountsParameters.vocabulary
    across_lines: AcrossLines = CountsParameters.across_lines
    threads: Threads = None


@dataclass(eq=False, repr=False)
class SpectralParameters(Parameters):
    """The parameters of ``SpectralClasses``."""

    estimator: ClassVar[str] = "firth.classes:SpectralClasses"
    method: ClassVar[str] = "spectral"

    n_classes: NumberOfClasses = None
    contexts: NextWordContexts = "LR2"
    kappa: ClassKappa = 200.0
    transform: CountTransform = "none"
    clustering: Clustering = "ward"
    dim: Annotated[
        int | None,
        Param("Number of dimensions; by default the number of classes.", least=1),
    ] = None
    min_count: MinCount = CountsParameters.min_count
    vocabulary: VocabularySize = CountsParameters.vocabulary
    across_lines: AcrossLines = CountsParameters.across_lines
    seed: Seed = 0
    threads: Threads = None
    device: DeviceName = "cpu"

    def check(self) -> None:
        super().check()
        _context_name(self, self.contexts)

    def parameters(self) -> dict[str, Any]:
        return {**super().parameters(), "contexts": _context_name(self, self.contexts)}


@dataclass(eq=False, repr=False)
class ExchangeParameters(Parameters):
    """The parameters of ``ExchangeRefiner``."""

    estimator: ClassVar[str] = "firth.classes:ExchangeRefiner"

    passes: Annotated[int, Param("Maximum number of passes over the words.", least=1)] = 10
    tolerance: Annotated[
        float,
        Param(
            "Stop after a pass that gains less than this share of the initial mutual information.",
            least=0,
            most=1,
        ),
    ] = 0.003
    min_count: MinCount = CountsParameters.min_count
    vocabulary: VocabularySize = CountsParameters.vocabulary
    across_lines: AcrossLines = CountsParameters.across_lines
    threads: Threads = None


@dataclass(eq=False, repr=False)
class KeptWords(Parameters):
    """Which words get classes, and which of them are adjacent."""

    owner = "learn_classes"

    min_count: MinCount = CountsParameters.min_count
    vocabulary: VocabularySize = CountsParameters.vocabulary
    across_lines: AcrossLines = CountsParameters.across_lines


@dataclass(frozen=True)
class ClassesParameters(Parameters):
    """How the classes of a model are learned, once the words are chosen."""

    owner = "learn_classes"

    n_classes: NumberOfClasses = None
    method: Annotated[
        Literal["brown", "spectral", "seeds"],
        Param(
            "Method for the initial classes.",
            "``seeds`` deals words out to the classes in turn, and needs ``refine``.",
        ),
    ] = "brown"
    refine: Annotated[bool, Param("Then move single words to better classes.")] = True
    contexts: NextWordContexts = SpectralParameters.contexts
    kappa: ClassKappa = SpectralParameters.kappa
    transform: CountTransform = SpectralParameters.transform
    clustering: Clustering = SpectralParameters.clustering

    def __post_init__(self) -> None:
        self.check()
        object.__setattr__(self, "contexts", _context_name(self, self.contexts))

    def check(self) -> None:
        super().check()
        _context_name(self, self.contexts)
        if self.method == "seeds" and not self.refine:
            raise ParameterError(
                "Seeds are only a starting point: they must be refined.", "Omit --no-refine."
            )

    @property
    def counted_contexts(self) -> str:
        """The contexts that must be counted."""
        return self.contexts if self.method == "spectral" else "R1"


def _context_name(stage: Parameters, contexts: str) -> str:
    """The name of contexts that keep the next word apart from others; an error for other contexts."""
    parsed = parse_contexts(contexts)
    if parsed.block_of(1) is None:
        raise wrong_parameter(
            stage.owner or type(stage).__name__,
            "contexts",
            "R1, LR1, LR2 or other offsets that include 1",
            contexts,
        )
    return parsed.name
