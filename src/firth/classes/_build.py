"""Build a hierarchy from classes of words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.classes._bigrams import Bigrams
from firth.classes._contexts import distinctive_contexts
from firth.classes._hierarchy import Hierarchy
from firth.classes._merging import merge_classes
from firth.classes._saving import N_CONTEXTS
from firth.classes._tree import Tree
from firth.compute import Engine
from firth.errors import InputError, wrong_parameter

__all__ = ["build_hierarchy", "check_n_classes", "hierarchy_from_merges", "numbered"]

_MORE_WORDS = "Use more text or a smaller --min-count to get more words."


def check_n_classes(owner: str, n_classes: int, n_words: int) -> None:
    """Raise an error if there are too few words for a number of classes."""
    if n_words < 2:
        raise InputError("There is only one word to put into classes.", _MORE_WORDS)
    if not 2 <= n_classes <= n_words:
        error = wrong_parameter(
            owner, "n_classes", f"an int between 2 and {n_words:,} (the vocabulary)", n_classes
        )
        error.hint = _MORE_WORDS
        raise error


def numbered(names: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Number classes from 0 in the order of their first words; ``names`` has the class of each word."""
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    numbers: npt.NDArray[np.int64] = rank[inverse].astype(np.int64)
    return numbers


def build_hierarchy(
    bigrams: Bigrams, class_of: npt.NDArray[Any], engine: Engine, made: Mapping[str, Any]
) -> Hierarchy:
    """A hierarchy over classes: merges that lose the least mutual information come first."""
    numbers = numbered(class_of)
    merges, losses = merge_classes(bigrams, numbers, int(numbers.max()) + 1, engine)
    bits = losses / bigrams.n_pairs / math.log(2)
    return hierarchy_from_merges(bigrams, numbers, merges, bits, made, engine)


def hierarchy_from_merges(
    bigrams: Bigrams,
    class_of: npt.NDArray[Any],
    merges: Any,
    losses: Any,
    made: Mapping[str, Any],
    engine: Engine,
) -> Hierarchy:
    """A hierarchy from classes of words and the merges of the classes."""
    tree, new_of = Tree.from_merges(merges, losses)
    m = len(tree)
    classes = new_of[class_of]
    with progress.stage("finding the contexts of classes", brief=1.0, unit=""):
        contexts = distinctive_contexts(bigrams, classes, tree, N_CONTEXTS, engine)
    known = bigrams.order < len(bigrams.vocabulary)
    by_word = np.empty(len(bigrams.vocabulary), np.int32)
    by_word[bigrams.order[known]] = classes[known]
    rare = None if bigrams.rare is None else int(classes[bigrams.rare])
    return Hierarchy(
        bigrams.vocabulary, by_word, tree, bigrams.sums(classes, m), bigrams.between(classes, m), rare,
        contexts, {**made, "across_lines": bigrams.across_lines},
    )  # fmt: skip
