"""Co-occurrence counts: a corpus in, a sparse matrix of words by contexts out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.counts._association import MEASURES, Measure, association, g2
    from firth.counts._collocates import Collocate, best_collocates
    from firth.counts._contexts import Contexts, parse_contexts
    from firth.counts._count import build_counts, cells_at_once, count
    from firth.counts._counts import Counts
    from firth.counts._entries import Entries
    from firth.counts._merge import can_be_added, merge_counts
    from firth.counts._overlap import has_neighbours, neighbour_overlap
    from firth.counts._panels import PanelCounts, count_panels
    from firth.counts._parameters import (
        AcrossLines,
        ContextKind,
        ContextWeights,
        CountsParameters,
        MinCount,
        VocabularySize,
    )

__all__ = [
    "AcrossLines",
    "Collocate",
    "ContextKind",
    "ContextWeights",
    "Contexts",
    "Counts",
    "CountsParameters",
    "Entries",
    "MEASURES",
    "Measure",
    "MinCount",
    "PanelCounts",
    "VocabularySize",
    "association",
    "best_collocates",
    "build_counts",
    "can_be_added",
    "cells_at_once",
    "count",
    "count_panels",
    "g2",
    "has_neighbours",
    "merge_counts",
    "neighbour_overlap",
    "parse_contexts",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _association="MEASURES Measure association g2",
        _collocates="Collocate best_collocates",
        _contexts="Contexts parse_contexts",
        _count="build_counts cells_at_once count",
        _counts="Counts",
        _entries="Entries",
        _merge="can_be_added merge_counts",
        _overlap="has_neighbours neighbour_overlap",
        _panels="PanelCounts count_panels",
        _parameters="AcrossLines ContextKind ContextWeights CountsParameters MinCount VocabularySize",
    )
