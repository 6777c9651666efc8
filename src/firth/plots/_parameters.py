"""What commands ask about figures; nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from firth.maps import MapMethod
from firth.parameters import Param, Parameters
from firth.vectors import VectorKind

__all__ = ["MapFigureParameters"]


@dataclass(eq=False, repr=False)
class MapFigureParameters(Parameters):
    """What a map shows."""

    owner: ClassVar[str] = "plot map"

    top: Annotated[
        int | None,
        Param(
            "Number of most frequent words to draw.",
            least=1,
            panel="Text",
            shown_default="5,000, or 1,000 for mds",
            renamed_from=("--words",),
        ),
    ] = None
    method: Annotated[
        MapMethod | None,
        Param(
            "How words are laid out: t-SNE keeps neighbours, principal components (pca) the directions "
            "in which words differ most, multidimensional scaling (mds) distances.",
            shown_default="as the map in the model; t-sne for a new one",
        ),
    ] = None

    kind: Annotated[
        VectorKind,
        Param(
            "Which words are near each other: those of the same topics (meaning), or those that can "
            "replace each other (grammar).",
            panel="Text",
        ),
    ] = "meaning"

    @property
    def n_words(self) -> int:
        """The number of words to draw."""
        return self.top or (1_000 if self.method == "mds" else 5_000)
