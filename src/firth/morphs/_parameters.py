"""How words are taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from firth.parameters import Param, Parameters

__all__ = ["MOST_WORDS", "MorphologyParameters"]

MOST_WORDS = 250_000
"""For the tokens ``morphs``, a morphology is learned from the most frequent words, at most so many."""


@dataclass(eq=False, repr=False)
class MorphologyParameters(Parameters):
    """The parameters of ``Morphology``."""

    estimator: ClassVar[str] = "firth.morphs:Morphology"

    min_count: Annotated[
        int, Param("Learn from words with at least this many occurrences.", least=1)
    ] = 1
    rounds: Annotated[
        int, Param("Number of EM iterations.", least=1, most=1000, panel="Expert")
    ] = 20
    unattested: Annotated[
        float,
        Param(
            "Factor for a stem that is not the first part of its word and not a word itself.",
            "Smaller values give fewer compounds and prefixes.",
            least=1e-9,
            most=1,
            panel="Expert",
        ),
    ] = 0.1
    attestation: Annotated[
        float,
        Param(
            "Share of attested remainders, relative to the average affix, from which an affix counts in full.",
            "The remainder of a word without the affix is attested if it is a word itself.",
            least=1e-9,
            panel="Expert",
        ),
    ] = 1.0
    divide: Annotated[
        bool, Param("Divide affixes whose halves are affixes that are as frequent.", panel="Expert")
    ] = True
