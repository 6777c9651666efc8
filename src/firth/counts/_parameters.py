"""The parameters of counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from firth.counts._contexts import Contexts, WeightName, parse_contexts
from firth.parameters import Param, Parameters

__all__ = [
    "AcrossLines",
    "ContextKind",
    "ContextWeights",
    "CountsParameters",
    "MinCount",
    "VocabularySize",
]

ContextKind = Annotated[
    str,
    Param(
        "Contexts to count: R1, LR2, bag5, bag5+LR2/4, ..., or offsets such as -2,1.",
        "See ``firth.counts.parse_contexts``.",
        metavar="KIND",
    ),
]
ContextWeights = Annotated[WeightName, Param("Weight of a context word by its distance.")]
MinCount = Annotated[int, Param("Words with fewer occurrences become one rare symbol.", least=1)]
VocabularySize = Annotated[
    int | None, Param("Maximum number of words to keep.", none="no limit", least=1)
]
AcrossLines = Annotated[
    bool, Param("Let contexts cross sentence boundaries.", negative="--within-lines")
]


@dataclass(frozen=True)
class CountsParameters(Parameters):
    """The parameters of counting, checked when they are set."""

    owner = "count"

    contexts: ContextKind = "LR2"
    weights: ContextWeights = "none"
    min_count: MinCount = 5
    vocabulary: VocabularySize = 200_000
    across_lines: AcrossLines = False

    def __post_init__(self) -> None:
        self.check()
        object.__setattr__(self, "contexts", self.parsed().name)

    def parsed(self) -> Contexts:
        """The contexts as offsets and weights."""
        return parse_contexts(self.contexts, self.weights)
