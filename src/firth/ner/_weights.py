"""The weights of a perceptron: a row for every feature that was ever updated, found by its key."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import new_secret
from firth.ner._feature_kernels import VECTORS, Workspace, most_keys
from firth.ner._key_kernels import Table, add_keys, find_rows

__all__ = [
    "MOST_TYPES",
    "FinishedWeights",
    "Weights",
    "allowed_after",
    "label_names",
    "mirrored",
    "workspace_for",
]

_PARTS = "BILU"
MOST_TYPES = 1000
"""The largest number of entity types; a table of all pairs of labels is kept in memory."""

Keys = npt.NDArray[np.uint64]
Floats32 = npt.NDArray[np.float32]


def label_names(types: list[str]) -> list[str]:
    """O, then the four labels of each type (BILOU)."""
    return ["O", *(f"{part}-{type_}" for type_ in types for part in _PARTS)]


def allowed_after(n_types: int) -> npt.NDArray[np.bool_]:
    """Which labels can follow which (BILOU); the second half is for the last word of a sentence.

    >>> allowed_after(1)[0].tolist()                # after O: O, B, U
    [True, True, False, False, True]
    """
    n = 1 + 4 * n_types
    part = np.array(["O", *(_PARTS * n_types)])
    type_ = np.array([-1, *np.repeat(np.arange(n_types), 4)])
    inside = np.isin(part, ["B", "I"])
    goes_on = np.isin(part, ["I", "L"])
    allowed = np.where(inside[:, None], goes_on & (type_[:, None] == type_), ~goes_on)
    both = np.zeros((2 * n, n), np.bool_)
    both[:n] = allowed
    both[n:] = allowed & ~inside
    return both


def mirrored(n_types: int) -> npt.NDArray[np.int32]:
    """What each label is from right to left: B is L, and L is B.

    >>> mirrored(1).tolist()
    [0, 3, 2, 1, 4]
    """
    of_types = [1 + 4 * type_ + part for type_ in range(n_types) for part in (2, 1, 0, 3)]
    return np.array([0, *of_types], np.int32)


def workspace_for(n_labels: int, most_static: int = 0) -> Workspace:
    """Arrays for the kernels to work in."""
    most = most_keys(n_labels)
    return Workspace(
        np.zeros(most, np.uint64), np.zeros(most, np.float32), np.zeros(most_static, np.int64),
        np.zeros(n_labels, np.float32), np.zeros(n_labels, np.int64), np.zeros(n_labels, np.float32),
    )  # fmt: skip


class Weights:
    """Weights in training: a table that grows, weights of vectors, and the sums that averages need.

    ``vectors[place, label, component]`` are the weights of the components of vectors; the last place is that of
    the topic of the document.
    """

    def __init__(self, n_labels: int, dim: int) -> None:
        self.n_labels = n_labels
        self.vectors = np.zeros((VECTORS, n_labels, dim), np.float32)
        self.vector_sums = np.zeros((VECTORS, n_labels, dim), np.float64)
        self.table = _empty_table(1024, n_labels)

    def __len__(self) -> int:
        return int(self.table.used[0])

    def reserve(self, n: int) -> None:
        """Make room for ``n`` more rows; a table that must grow grows by half."""
        used, old = len(self), self.table
        if used + n <= len(old.keys):
            return
        self.table = _empty_table(used + used // 2 + n, self.n_labels)
        add_keys(self.table, old.keys[:used], np.empty(used, np.int64))
        self.table.weights[:used] = old.weights[:used]
        self.table.sums[:used] = old.sums[:used]

    def add(self, keys: Keys) -> npt.NDArray[np.int64]:
        """The rows of keys; new keys get rows of zeros."""
        self.reserve(len(np.unique(keys)))
        rows = np.empty(len(keys), np.int64)
        add_keys(self.table, keys, rows)
        return rows

    def averaged(self, steps: int) -> FinishedWeights:
        """The average of the weights over all steps; rows of zeros are left out."""
        used = len(self)
        mean = self.table.weights[:used] - self.table.sums[:used] / max(1, steps)
        kept = mean.any(axis=1)
        vectors = self.vectors - self.vector_sums / max(1, steps)
        return FinishedWeights(
            self.table.keys[:used][kept], mean[kept].astype(np.float32), vectors.astype(np.float32)
        )


class FinishedWeights:
    """Trained weights: a table of rows, found by their keys, and weights of vectors."""

    def __init__(self, keys: Keys, weights: Floats32, vectors: Floats32) -> None:
        self.vectors = vectors
        n_labels = weights.shape[1]
        slots = _empty_table(len(keys), 0).slots
        self.table = Table(
            slots, np.empty_like(keys), weights, np.zeros((0, n_labels)), np.zeros(1, np.int64),
            new_secret(),
        )  # fmt: skip
        add_keys(self.table, keys, np.empty(len(keys), np.int64))

    def __len__(self) -> int:
        return int(self.table.used[0])

    def rows(self, keys: Keys) -> npt.NDArray[np.int64]:
        """The rows of keys, -1 for those without one."""
        rows = np.empty(len(keys), np.int64)
        find_rows(self.table, keys, rows)
        return rows


def _empty_table(n_rows: int, n_labels: int) -> Table:
    n_slots = 1 << max(1, 2 * n_rows - 1).bit_length()
    return Table(
        np.zeros(n_slots, np.uint32), np.zeros(n_rows, np.uint64),
        np.zeros((n_rows, n_labels), np.float32), np.zeros((n_rows, n_labels), np.float64),
        np.zeros(1, np.int64), new_secret(),
    )  # fmt: skip
