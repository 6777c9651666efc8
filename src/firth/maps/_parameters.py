"""The parameters of a map of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from firth.parameters import Param, Parameters

__all__ = ["MAPS", "MapMethod", "MapParameters"]

MAPS = {"meaning": "map", "grammar": "grammar_map"}
"""The map of each kind of vectors: a part of a model."""
MapMethod = Literal["t-sne", "pca", "mds"]
_ONLY: tuple[str, ...] = ("t-sne",)


@dataclass(eq=False, repr=False)
class MapParameters(Parameters):
    """The parameters of ``WordMap.learn``."""

    owner = "WordMap.learn"

    words: Annotated[
        int,
        Param(
            "Maximum number of words on the map.",
            "The first words of the vocabulary that have a vector.",
            least=1,
        ),
    ] = 100_000
    perplexity: Annotated[
        float,
        Param(
            "Effective number of neighbours of a word.",
            "At most a third of the other words.",
            least=1,
            most=1000,
            methods=_ONLY,
        ),
    ] = 15.0
    n_early: Annotated[
        int, Param("Number of early iterations, in which clusters form.", least=0, methods=_ONLY)
    ] = 250
    n_late: Annotated[
        int, Param("Number of late iterations, in which the map unfolds.", least=0, methods=_ONLY)
    ] = 500
    exaggeration: Annotated[
        float,
        Param(
            "Factor of the attraction in late iterations; 1 in plain t-SNE.",
            least=1,
            most=12,
            methods=_ONLY,
        ),
    ] = 2.0
    method: Annotated[
        MapMethod,
        Param(
            "How words are laid out: t-SNE, principal components, or multidimensional scaling.",
            "``t-sne`` keeps the neighbours of a word, ``pca`` the two directions in which words "
            "differ most, ``mds`` all distances as far as possible, for at most 5,000 words.",
            added=True,
        ),
    ] = "t-sne"
