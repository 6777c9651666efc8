"""The parameters of the lines of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from firth.parameters import Param, Parameters, Remote, Seed

__all__ = ["FindParameters", "Sample"]

Sample = Literal["even", "random", "first"]


@dataclass(eq=False, repr=False)
class FindParameters(Parameters):
    """The parameters of the lines of a search; those of ``Matches.lines``."""

    owner = "Matches.lines"

    context: Annotated[
        int | str,
        Param(
            "What is shown on each side: 20 (words), 20c (characters) or sentence.",
            metavar="N|Nc|sentence", panel="Output", checked=False, shown_default="what fits the terminal",
        ),
    ] = "40c"  # fmt: skip
    sort: Annotated[
        str | None,
        Param(
            "Sort by words before (L1, L2 ...), in (M1 ...) and after (R1 ...) the match.",
            details="Case and accents come last. The lines that were chosen are sorted.",
            metavar="L1,R1,...", panel="Output", checked=False,
        ),
    ] = None  # fmt: skip
    sample: Annotated[
        Sample, Param("Which lines are shown if there are more.", panel="Output")
    ] = "even"  # fmt: skip
    seed: Seed = 0
    remote: Remote = False
