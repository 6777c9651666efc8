"""How word senses are learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from firth.parameters import Param, Parameters, Remote, Seed

__all__ = ["WINDOW", "ReportParameters", "SenseParameters"]

WINDOW = 7
"""How many tokens on either side are the context of a word."""


@dataclass(eq=False, repr=False)
class SenseParameters(Parameters):
    """The parameters of ``WordSenses``."""

    estimator: ClassVar[str] = "firth.senses:WordSenses"

    n_senses: Annotated[
        int | None,
        Param(
            "Number of senses; by default the one with the shortest description of the contexts.",
            option="--senses",
            least=1,
        ),
    ] = None
    max_senses: Annotated[
        int, Param("Maximum number of senses to try.", least=1, command=False)
    ] = 6
    smoothing: Annotated[
        float,
        Param(
            "Strength of the prior.",
            "The word counts of all contexts, times this, are added to those of each sense.",
            least=1e-9,
            command=False,
        ),
    ] = 0.3
    restarts: Annotated[
        int,
        Param(
            "Number of random restarts; the most probable mixture is kept.", least=1, command=False
        ),
    ] = 5
    rounds: Annotated[int, Param("Maximum number of EM iterations.", least=1, command=False)] = 200
    tolerance: Annotated[
        float,
        Param(
            "Stop when an iteration gains less than this, in nats per context.",
            least=0,
            command=False,
        ),
    ] = 1e-4
    seed: Seed = 0


@dataclass(eq=False, repr=False)
class ReportParameters(Parameters):
    """What ``firth senses`` looks at and shows."""

    owner = "report_senses"

    window: Annotated[
        int | None,
        Param("Number of tokens on either side.", none="the whole sentence", least=1, most=1000),
    ] = WINDOW
    n_words: Annotated[
        int,
        Param(
            "Maximum number of context words of each sense.", option="-n", panel="Output", least=1
        ),
    ] = 12
    n_lines: Annotated[
        int,
        Param("Maximum number of lines of each sense.", option="--lines", panel="Output", least=0),
    ] = 4
    most: Annotated[
        int | None,
        Param(
            "Maximum number of occurrences to learn from, evenly spread.",
            none="all",
            option="--occurrences",
            least=1,
        ),
    ] = 20_000
    remote: Remote = False
