"""What commands ask about objects, distances and trees, as parameters; nothing heavy is imported here."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from firth.parameters import Param, Parameters, Threads

__all__ = [
    "LINKS",
    "METRICS",
    "ClusterOptions",
    "LinkName",
    "MetricName",
    "Selection",
    "WordTreeParameters",
]

LinkName = Literal["group-average", "single", "complete", "average", "ward"]
MetricName = Literal["cosine", "euclidean", "l1", "precomputed"]
CoherenceName = Literal["group-average", "single", "complete"]
SplitName = Literal[
    "k-means", "k-medoids", "group-average", "single", "complete", "average", "ward"
]
StartName = Literal["k-means++", "buckshot", "random"]
CovarianceName = Literal["full", "diagonal", "tied", "spherical", "auto"]
LINKS: tuple[str, ...] = typing.get_args(LinkName)
METRICS: tuple[str, ...] = typing.get_args(MetricName)
MOST_WORDS = 5_000
"""The largest number of words in a dendrogram."""


@dataclass(eq=False, repr=False)
class ClusterOptions(Parameters):
    """What ``cluster`` takes for every method."""

    owner: ClassVar[str] = "cluster"

    metric: Annotated[
        MetricName | None,
        Param(
            "Distance between objects, or precomputed for a distance matrix.",
            "By default ``cosine`` for words, otherwise ``euclidean``; ``l1`` for k-medoids.",
            shown_default="cosine for words, otherwise euclidean",
        ),
    ] = None
    threads: Threads = None


@dataclass(eq=False, repr=False)
class Selection(Parameters):
    """Which objects of a model or a file to cluster."""

    owner: ClassVar[str] = "cluster"

    words: Annotated[
        str | None,
        Param("Only the objects named in this file, one per line.", metavar="FILE", panel="Text"),
    ] = None
    top: Annotated[
        int | None,
        Param(
            "Only the first N objects; of a model, the N most frequent words.",
            least=2,
            panel="Text",
            shown_default="500 words of a model, all objects of a file",
        ),
    ] = None
    header: Annotated[
        bool | None,
        Param(
            "Whether the first line of a CSV file is a header; detected by default.",
            negative="--no-header",
            panel="Text",
        ),
    ] = None


@dataclass(eq=False, repr=False)
class WordTreeParameters(Parameters):
    """Which words make a tree, and how."""

    owner: ClassVar[str] = "word_tree"

    words: Annotated[
        str | None,
        Param("Draw the words in this file, one per line.", metavar="FILE", panel="Text"),
    ] = None
    top: Annotated[
        int | None,
        Param(
            "Number of most frequent words to draw.",
            least=2,
            most=MOST_WORDS,
            panel="Text",
            shown_default="100, or all words of the file",
        ),
    ] = None
    marks: Annotated[bool, Param("Draw punctuation marks, too.", panel="Text")] = False
    method: Annotated[LinkName, Param("Clustering method.")] = "ward"
    by: Annotated[
        Literal["neighbours", "vectors"] | None,
        Param(
            "What to compare.",
            "Words by the counts of their neighbours, or by their vectors.",
            shown_default="neighbours if the model has a corpus",
        ),
    ] = None
