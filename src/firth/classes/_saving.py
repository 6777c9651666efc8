"""The files of a hierarchy in a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firth.classes._tree import Tree
from firth.corpus import Vocabulary
from firth.errors import FirthError, ModelError, ParameterError
from firth.store import Part, read_array

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


def save(hierarchy: Hierarchy, folder: Path) -> None:
    """Write the files of a part of a model."""
    import pyarrow as pa

    hierarchy.vocabulary.save(folder / WORDS)
    np.ascontiguousarray(hierarchy.class_of, "<i4").tofile(folder / CLASS_OF)
    Vocabulary(pa.array(hierarchy.tree.paths, pa.large_string()), hierarchy.tokens).save(
        folder / LEAVES
    )
    np.ascontiguousarray(hierarchy.tree.merges, "<i4").tofile(folder / MERGES)
    np.ascontiguousarray(hierarchy.tree.heights, "<f8").tofile(folder / HEIGHTS)
    if hierarchy.follow is not None:
        np.ascontiguousarray(hierarchy.follow, "<i8").tofile(folder / FOLLOW)
    if hierarchy.stored_contexts is not None:
        kinds = ((CONTEXT_WORDS, "<i4"), (CONTEXT_COUNTS, "<i8"), (CONTEXT_PMI, "<f4"))
        for array, (name, kind) in zip(hierarchy.stored_contexts, kinds, strict=True):
            np.ascontiguousarray(array, kind).tofile(folder / name)


def read(part: Part) -> tuple[Any, ...]:
    """Map what ``save`` wrote into memory and check it; returns the arguments of ``Hierarchy``."""
    file, names, facts, folder = part.path, part.files, part.facts, part.folder
    vocabulary, leaves = (Vocabulary.load(file(name), ordered=False) for name in (WORDS, LEAVES))
    class_of, m = read_array(file(CLASS_OF)), len(leaves)
    merges, heights = (np.array(read_array(file(name))) for name in (MERGES, HEIGHTS))
    rare = facts.get("rare")
    try:
        tree = Tree(list(leaves), merges.reshape(-1, 2), heights)
        if len(class_of) != len(vocabulary) or not len(class_of):
            raise ParameterError("words and classes do not match")
        if class_of.min() < 0 or class_of.max() >= m or np.any(leaves.counts < 0):
            raise ParameterError("words and classes do not match")
        if rare is not None and not (isinstance(rare, int) and 0 <= rare < m):
            raise ParameterError("the class of rare words does not exist")
        follow = read_array(file(FOLLOW)).reshape(m, m) if FOLLOW in names else None
        contexts = None
        if CONTEXT_WORDS in names:
            shape = (2 * m - 1, 2, N_CONTEXTS)
            contexts = tuple(
                read_array(file(name)).reshape(shape)
                for name in (CONTEXT_WORDS, CONTEXT_COUNTS, CONTEXT_PMI)
            )
            if contexts[0].max(initial=0) >= len(vocabulary):
                raise ParameterError("a context is not a word of the vocabulary")
        if follow is not None and follow.min(initial=0) < 0:
            raise ParameterError("counts are negative")
    except (ParameterError, ValueError) as error:
        why = error.message if isinstance(error, FirthError) else str(error)
        raise ModelError(
            f"The word classes in {folder} cannot be used: {why}.",
            "Retrain them: firth classes learn MODEL",
        ) from error
    return (vocabulary, class_of, tree, np.array(leaves.counts), follow, rare, contexts)
