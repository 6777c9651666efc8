"""Heads of phrases, found without language-specific rules.

The head of a phrase determines its category: verbs head verb phrases. So the heads of a symbol are on the
side, left or right, where the tag of the head is more informative about the symbol. Intermediate nodes
are treated like their phrase.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.grammar import _tree_kernels as kernels
from firth.grammar._treebank import Treebank

__all__ = ["find_heads", "head_leaves"]

_MOST_ROUNDS = 10

Integers = npt.NDArray[np.int64]

find_head_leaves: Any = kernels.find_head_leaves


def find_heads(bank: Treebank, family: Integers) -> npt.NDArray[np.bool_]:
    """For each symbol, whether its head is on the left.

    Parameters
    ----------
    bank : Treebank
    family : array of int64, shape (n_symbols,)
        Symbols with the same number have their heads on the same side: a phrase and its intermediate
        nodes.
    """
    n_families = int(family.max()) + 1
    on_left = np.zeros(n_families, bool)
    of_node = family[bank.symbols]
    inner = np.flatnonzero(bank.lefts >= 0)
    usual = (
        np.bincount(bank.symbols[bank.lefts < 0], minlength=bank.n_symbols) / (bank.lefts < 0).sum()
    )
    for _ in range(_MOST_ROUNDS):
        leaves = head_leaves(bank, on_left[family])
        tags = bank.symbols[leaves]
        sides = [
            _divergence(of_node[inner], tags[side[inner]], n_families, usual)
            for side in (bank.lefts, bank.rights)
        ]
        now = sides[0] > sides[1]
        if np.array_equal(now, on_left):
            break
        on_left = now
    return on_left[family]


def head_leaves(bank: Treebank, on_left: npt.NDArray[np.bool_]) -> Integers:
    """The index of the tag that is the head of each node."""
    leaves = np.empty(len(bank), np.int64)
    find_head_leaves(bank.symbols, bank.lefts, bank.rights, on_left, leaves)
    return leaves


def _divergence(
    families: Integers, tags: Integers, n_families: int, usual: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """For each family, the divergence of its head tags from the distribution of all tags, in nats."""
    counts = np.bincount(families * len(usual) + tags, minlength=n_families * len(usual))
    joint = counts.reshape(n_families, len(usual))
    p = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1)
    ratio = np.where(p > 0, p, 1) / np.where(p > 0, usual, 1)
    return np.asarray((p * np.log(ratio)).sum(axis=1))
