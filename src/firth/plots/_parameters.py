"""What commands ask about figures; nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from firth.parameters import Param, Parameters

__all__ = ["MapFigureParameters"]


@dataclass(eq=False, repr=False)
class MapFigureParameters(Parameters):
    """What a map shows."""

    top: Annotated[
        int,
        Param(
            "Number of most frequent words to draw.",
            least=1,
            panel="Text",
            renamed_from=("--words",),
        ),
    ] = 5_000
