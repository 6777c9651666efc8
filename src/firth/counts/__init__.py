"""Numbered words in, counts out: contexts, co-occurrence counting, Counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.counts._contexts import Contexts, parse_contexts
    from firth.counts._count import build_counts, count, estimate_memory, parse_memory
    from firth.counts._counts import VERSION, Counts, CountsParameters
    from firth.counts._overlap import has_neighbours, neighbour_overlap

__all__ = [
    "VERSION",
    "Contexts",
    "Counts",
    "CountsParameters",
    "build_counts",
    "count",
    "estimate_memory",
    "has_neighbours",
    "neighbour_overlap",
    "parse_contexts",
    "parse_memory",
]

__getattr__ = lazily(
    __name__,
    {
        "Contexts": "_contexts", "parse_contexts": "_contexts",
        "Counts": "_counts", "CountsParameters": "_counts", "VERSION": "_counts",
        "build_counts": "_count", "count": "_count", "estimate_memory": "_count", "parse_memory": "_count",
        "has_neighbours": "_overlap", "neighbour_overlap": "_overlap",
    },
)  # fmt: skip
