"""Do classes that were found agree with classes that people made?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.portable import logs
from firth.errors import InputError

__all__ = ["Labels", "Matching", "confusion", "matching"]

Labels = Sequence[Hashable] | npt.NDArray[Any]
Integers = npt.NDArray[np.int64]
_MOST_CELLS = 1 << 27


@dataclass(frozen=True)
class Matching:
    """How well classes of tokens agree with known labels; all figures are from 0 to 1.

    Attributes
    ----------
    many_to_one : float
        The share of tokens labelled right if each class stands for its most frequent label.
    one_to_one : float
        The same if no two classes may stand for the same label, in the best of all ways to pair them.
    homogeneity, completeness : float
        The share of the entropy of the labels that goes away once the class is known, and the share of
        the entropy of the classes that goes away once the label is known; 1 where there is no entropy.
    v_measure : float
        Their harmonic mean (Rosenberg and Hirschberg 2007).
    n_tokens, n_gold, n_found : int
        Tokens, different labels, and different classes.
    """

    many_to_one: float
    one_to_one: float
    homogeneity: float
    completeness: float
    v_measure: float
    n_tokens: int
    n_gold: int
    n_found: int

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON."""
        return asdict(self)


def matching(gold: Labels, found: Labels) -> Matching:
    """Compare the classes of tokens with known labels of the same tokens.

    Parameters
    ----------
    gold : sequence
        The known label of each token: anything that can be the key of a dictionary.
    found : sequence
        The class of each token.

    Raises
    ------
    InputError
        There are no tokens, or not as many labels as classes.

    Examples
    --------
    >>> figures = matching(["N", "N", "V", "V"], [1, 2, 3, 3])
    >>> figures.many_to_one, figures.one_to_one, round(figures.v_measure, 3)
    (1.0, 0.75, 0.8)
    """
    from scipy.optimize import linear_sum_assignment

    labels, classes, counts = confusion(gold, found)
    n = int(counts.sum())
    homogeneity, completeness = _explained(counts), _explained(counts.T)
    both = homogeneity + completeness
    return Matching(
        float(counts.max(axis=0).sum() / n),
        float(counts[linear_sum_assignment(counts, maximize=True)].sum() / n),
        homogeneity,
        completeness,
        2 * homogeneity * completeness / both if both else 0.0,
        n,
        len(labels),
        len(classes),
    )


def confusion(gold: Labels, found: Labels) -> tuple[list[Any], list[Any], Integers]:
    """How often each known label goes with each class.

    Parameters
    ----------
    gold, found : sequence
        As for ``matching``.

    Returns
    -------
    labels, classes : list
        In order, or as they come first where they have none.
    counts : array of int64, shape (n_labels, n_classes)

    Examples
    --------
    >>> labels, classes, counts = confusion(["V", "N", "V"], [7, 2, 2])
    >>> labels, classes, counts.tolist()
    (['N', 'V'], [2, 7], [[1, 0], [1, 1]])
    """
    if len(gold) != len(found):
        raise InputError(
            f"There are {len(gold):,} labels and {len(found):,} classes; each token needs one of each."
        )
    if not len(gold):
        raise InputError("There are no tokens to compare.")
    labels, rows = _numbered(gold)
    classes, columns = _numbered(found)
    shape = len(labels), len(classes)
    if shape[0] * shape[1] > _MOST_CELLS:
        raise InputError(
            f"{shape[0]:,} labels and {shape[1]:,} classes are too many to compare.",
            "Compare classes with tags, not words with words.",
        )
    cells = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1])
    return labels, classes, cells.reshape(shape)


def _numbered(labels: Labels) -> tuple[list[Any], Integers]:
    """The different labels in order, and for each token the place of its label among them."""
    if isinstance(labels, np.ndarray):
        if labels.ndim == 1 and labels.dtype.kind in "iu":
            different, places = np.unique(labels, return_inverse=True)
            return different.tolist(), places
        labels = labels.tolist()
    first: dict[Any, int] = {}
    try:
        numbers = np.fromiter(
            (first.setdefault(label, len(first)) for label in labels), np.int64, len(labels)
        )
    except TypeError as error:
        raise InputError(f"A label must be text or a number: {error}.") from error
    names = list(first)
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except TypeError:  # labels of different kinds have no order
        return names, numbers
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    return [names[i] for i in order], rank[numbers]


def _explained(counts: Integers) -> float:
    """The share of the entropy of the rows that goes away once the column is known."""
    n, of_rows, of_columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    if len(of_rows) == 1:
        return 1.0
    entropy = -(of_rows * logs(of_rows / n)).sum()
    rows, columns = np.nonzero(counts)
    both = counts[rows, columns]
    remaining = -(both * logs(both / of_columns[columns])).sum()
    return float(max(1 - remaining / entropy, 0.0))  # below zero only by rounding
