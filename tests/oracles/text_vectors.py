"""Texts as bags of classes and as weighted means of vectors, word by word from the definitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def bag_of_classes(
    words: Sequence[str], path_of: Mapping[str, str], depths: Sequence[int]
) -> dict[str, int]:
    """How many words of a text are below each node; a node counts once for a word."""
    bag: dict[str, int] = {}
    for word in words:
        if word in path_of:
            for node in {path_of[word][:depth] for depth in depths}:
                bag[node] = bag.get(node, 0) + 1
    return bag


def sif(
    texts: Sequence[Sequence[str]],
    vectors: Mapping[str, Any],
    counts: Mapping[str, int],
    a: float,
    components: int,
) -> Any:
    """Algorithm 1 of Arora, Liang and Ma (2017)."""
    total = sum(counts.values())
    dim = len(next(iter(vectors.values())))
    rows = []
    for text in texts:
        known = [word for word in text if word in vectors]
        row = np.zeros(dim)
        for word in known:
            row += a / (a + counts[word] / total) * np.asarray(vectors[word], float) / len(known)
        rows.append(row)
    found = np.array(rows)
    _, _, directions = np.linalg.svd(found, full_matrices=True)
    for u in directions[:components]:
        found = found - np.outer(found @ u, u)
    return found
