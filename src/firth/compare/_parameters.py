"""The parameters of comparing two texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from firth.parameters import Param, Parameters

__all__ = ["CompareParameters", "Correction"]

Correction = Literal["benjamini-hochberg", "bonferroni", "none"]


@dataclass(frozen=True)
class CompareParameters(Parameters):
    """How two texts are compared."""

    owner = "compare"

    min_count: Annotated[
        int,
        Param(
            "Compare words with at least this many occurrences in both texts together.",
            panel="Output",
            least=1,
        ),
    ] = 5
    correction: Annotated[
        Correction,
        Param(
            "How p-values are corrected for the number of words.",
            "Benjamini and Hochberg (1995) limit the share of false discoveries, Bonferroni the chance of "
            "a single one.",
            panel="Output",
        ),
    ] = "benjamini-hochberg"

    def __post_init__(self) -> None:
        self.check()
