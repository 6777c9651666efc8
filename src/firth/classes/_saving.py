"""The files of a hierarchy in a model."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firth.classes._tree import Tree
from firth.corpus import Vocabulary
from firth.store import Part, has_structure, write_array

if TYPE_CHECKING:
    from firth.classes._hierarchy import Hierarchy

__all__ = ["N_CONTEXTS", "read", "save"]

WORDS, CLASS_OF, LEAVES, MERGES, HEIGHTS = (
    "words.arrow", "class_of.i32", "leaves.arrow", "merges.i32", "heights.f64",
)  # fmt: skip
FOLLOW, CONTEXT_WORDS, CONTEXT_COUNTS, CONTEXT_PMI = (
    "follow.i64", "context_words.i32", "context_counts.i64", "context_pmi.f32",
)  # fmt: skip
N_CONTEXTS = 12
_MOST = 1 << 62
"""Sums up to this limit do not overflow."""


def save(hierarchy: Hierarchy, folder: Path) -> None:
    """Write the files of a part of a model."""
    import pyarrow as pa

    hierarchy.vocabulary.save(folder / WORDS)
    write_array(folder / CLASS_OF, hierarchy.class_of)
    Vocabulary(pa.array(hierarchy.tree.paths, pa.large_string()), hierarchy.tokens).save(
        folder / LEAVES
    )
    write_array(folder / MERGES, hierarchy.tree.merges)
    write_array(folder / HEIGHTS, hierarchy.tree.heights)
    if hierarchy.follow is not None:
        write_array(folder / FOLLOW, hierarchy.follow)
    if hierarchy.stored_contexts is not None:
        names = CONTEXT_WORDS, CONTEXT_COUNTS, CONTEXT_PMI
        for name, array in zip(names, hierarchy.stored_contexts, strict=True):
            write_array(folder / name, array)


def read(part: Part) -> tuple[Any, ...]:
    """Map what ``save`` wrote into memory and check it; returns the arguments of ``Hierarchy``."""
    vocabulary, leaves = (Vocabulary.load(part, name, ordered=False) for name in (WORDS, LEAVES))
    n, m = len(vocabulary), len(leaves)
    part.require(n and m, "there are no words")
    class_of = part.array(CLASS_OF, n, 0, m - 1)
    merges = part.array(MERGES, (m - 1, 2), 0, max(2 * m - 3, 0), copy=True)
    heights = part.array(HEIGHTS, m - 1, -math.inf, math.inf, "never falls", copy=True)
    tree = Tree(list(leaves), merges, heights)
    rare = part.facts.get("rare")
    part.require(
        rare is None or (has_structure(rare, int) and rare < m),
        "the class of rare words does not exist",
    )
    follow, contexts = None, None
    if FOLLOW in part.files:
        follow = part.array(FOLLOW, (m, m), 0, _MOST)
        part.require(
            all((follow.sum(axis, np.float64) <= leaves.counts).all() for axis in (0, 1)),
            "classes follow each other more often than they occur",
        )
    if CONTEXT_WORDS in part.files:
        shape = (2 * m - 1, 2, N_CONTEXTS)
        contexts = (
            part.array(CONTEXT_WORDS, shape, -1, n - 1),
            part.array(CONTEXT_COUNTS, shape, 0, _MOST),
            part.array(CONTEXT_PMI, shape, -math.inf, math.inf),
        )
    return (vocabulary, class_of, tree, np.array(leaves.counts), follow, rare, contexts)
