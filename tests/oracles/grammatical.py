"""Grammatical vectors, written from the formula: Python counters, a dense matrix, NumPy's decomposition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def shape(word: str) -> str:
    """For words of ASCII letters, digits and marks."""
    if any(c.isdigit() for c in word):
        return "number"
    if not any(c.isalpha() for c in word):
        return "mark"
    if word[0].isupper():
        return "capitalised"
    return "hyphen" if "-" in word else "other"


def table(
    sentences: Sequence[Sequence[str]], words: Sequence[str], far: float, of_shape: float, of_suffix: float,
    classes: Sequence[int] | None = None,
) -> dict[tuple[str, object], float]:  # fmt: skip
    """The weight of each pair of a word and a context: a word at a place, a class at a place, or a spelling."""
    times = Counter(word for sentence in sentences for word in sentence)
    together: Counter[str] = Counter()
    for word, n in times.items():
        together[word.lower()] += n
    least = min(times[word] for word in words)
    class_of = dict(zip(words, classes, strict=True)) if classes is not None else {}
    found: dict[tuple[str, object], float] = {}

    def add(word: str, context: object, weight: float) -> None:
        if weight:
            found[word, context] = found.get((word, context), 0.0) + weight

    for sentence in sentences:
        for i, word in enumerate(sentence):
            for offset in (-2, -1, 1, 2):
                if word not in words or not 0 <= i + offset < len(sentence):
                    continue
                other, weight = sentence[i + offset], 1.0 if abs(offset) == 1 else far
                rare = together[other.lower()] < least
                add(word, (offset, rare, shape(other) if rare else other.lower()), weight)
                if other in class_of:
                    add(word, (offset, class_of[other]), weight)
    for word in words:
        add(word, shape(word), of_shape)
        for n in (1, 2, 3):
            if len(word) > n:
                add(word, "-" + word.lower()[-n:], of_suffix)
    return found


def omega(found: dict[tuple[str, object], float], words: Sequence[str]) -> npt.NDArray[np.float64]:
    """√x / (r c)^¼ of every entry x, where r and c are the sums of its row and of its column."""
    contexts = list(dict.fromkeys(context for _, context in found))
    dense = np.zeros((len(words), len(contexts)))
    for (word, context), weight in found.items():
        dense[words.index(word), contexts.index(context)] = weight
    rows, columns = dense.sum(axis=1, keepdims=True), dense.sum(axis=0, keepdims=True)
    rows[rows == 0] = 1
    return np.asarray(np.sqrt(dense) / (rows * columns) ** 0.25)


def vectors(matrix: npt.NDArray[np.float64], dim: int, beta: float) -> npt.NDArray[np.float64]:
    """Rows of UΣ^β at unit length, without the first column unless it is the only one."""
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    kept = values > values[0] * 1e-12
    left, values = left[:, kept][:, : dim + 1], values[kept][: dim + 1]
    first = int(len(values) > 1)
    rows = left[:, first:] * values[first:] ** beta
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 1e-9, lengths, 1))
