"""Features of inside and outside trees, for the spectral method.

Every template gives a node at most one feature, which is a hash of symbols, rules and words. A feature is
scaled by the square root of n / (m + 5), where n is the number of nodes of the symbol and m the number of
those that have the feature, so that rare features count more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.grammar import _tree_kernels as kernels
from firth.grammar._treebank import Treebank

__all__ = ["inside_features", "outside_features"]

_DAMPING = 5
_LENGTHS = np.array([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50])

Integers = npt.NDArray[np.int64]

find_ends: Any = kernels.find_ends
find_head_above: Any = kernels.find_head_above


def inside_features(bank: Treebank, heads: Integers, spelling: list[Integers]) -> Any:
    """Features of the inside trees: a CSR array of nodes by features.

    Parameters
    ----------
    bank : Treebank
    heads : array of int64
        The index of the tag that is the head of each node.
    spelling : list of arrays of int64
        Features of the word of each tag: the word, suffixes, shape.
    """
    left, right = bank.symbols[bank.lefts], bank.symbols[bank.rights]
    inner = bank.lefts >= 0
    templates = [
        (inner, [left]), (inner, [right]), (inner, [left, right]),
        (inner, [bank.rules, bank.rules[bank.lefts]]), (inner, [bank.rules, bank.rules[bank.rights]]),
        (inner, [bank.symbols[heads]]), (inner, [spelling[0][heads]]), (inner, [_lengths(bank)]),
        (inner, [bank.words[_spans(bank)[0]]]),
    ]  # fmt: skip
    templates += [(~inner, [numbers]) for numbers in spelling]
    return _matrix(bank, templates)


def outside_features(bank: Treebank, heads: Integers, words: Integers) -> Any:
    """Features of the outside trees: a CSR array of nodes by features. ``words`` are those of tags."""
    places = np.arange(len(bank))
    parents = bank.parents
    top = parents < 0
    side = np.where(top, 0, np.where(bank.lefts[parents] == places, 1, 2))
    rule = np.where(top, -1, bank.rules[parents])
    one = rule * 3 + side
    two = np.where(top, -1, one[parents])
    three = np.where(top, -1, two[parents])
    parent = np.where(top, -1, bank.symbols[parents])
    grandparent = np.where(top, -1, parent[parents])
    before, after = _neighbours(bank)
    tag_before, tag_after = (
        np.where(near >= 0, bank.symbols[near], -1) for near in (before, after)
    )
    word_before, word_after = (np.where(near >= 0, words[near], -1) for near in (before, after))
    everywhere = np.ones(len(bank), bool)
    return _matrix(
        bank,
        [
            (everywhere, [one]), (~top, [one, two]), (~top, [one, two, three]), (everywhere, [parent, side]),
            (~top, [parent, grandparent]), (everywhere, [_head_above(bank, heads)]), (everywhere, [tag_before]),
            (everywhere, [tag_after]), (everywhere, [word_before]), (everywhere, [word_after]),
        ],
    )  # fmt: skip


def _matrix(bank: Treebank, templates: list[tuple[npt.NDArray[np.bool_], list[Integers]]]) -> Any:
    """The scaled matrix of nodes by features."""
    from scipy.sparse import csr_array

    rows, keys = [], []
    for number, (there, parts) in enumerate(templates):
        places = np.flatnonzero(there)
        rows.append(places)
        keys.append(_mixed(number, bank.symbols[places], [part[places] for part in parts]))
    row = np.concatenate(rows)
    # the symbol is part of the hash, so a count is that of the feature with the symbol
    _, column, counts = np.unique(np.concatenate(keys), return_inverse=True, return_counts=True)
    totals = np.bincount(bank.symbols, minlength=bank.n_symbols)
    values = np.sqrt(totals[bank.symbols[row]] / (counts[column] + _DAMPING))
    return csr_array((values, (row, column)), shape=(len(bank), len(counts)))


def _mixed(template: int, symbols: Integers, parts: list[Integers]) -> npt.NDArray[np.uint64]:
    """Hash rows of numbers to 64 bits (splitmix64); collisions are unlikely."""
    state = np.zeros(len(symbols), np.uint64)
    for part in (np.full_like(symbols, template), symbols, *parts):
        state = state + part.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
        state ^= state >> np.uint64(31)
    return state


def _spans(bank: Treebank) -> tuple[Integers, Integers]:
    """The indices of the first and the last tag below each node."""
    first, last = np.empty(len(bank), np.int64), np.empty(len(bank), np.int64)
    find_ends(bank.lefts, bank.rights, first, last)
    return first, last


def _lengths(bank: Treebank) -> Integers:
    """The number of words below each node, binned."""
    is_tag = np.concatenate([[0], np.cumsum(bank.lefts < 0)])
    first, last = _spans(bank)
    return np.asarray(np.searchsorted(_LENGTHS, is_tag[last + 1] - is_tag[first]), np.int64)


def _neighbours(bank: Treebank) -> tuple[Integers, Integers]:
    """The indices of the tags before and after the span of each node; -1 at the ends of the sentence."""
    tags = np.flatnonzero(bank.lefts < 0)
    rank = np.full(len(bank), -1, np.int64)
    rank[tags] = np.arange(len(tags))
    tree = np.searchsorted(bank.starts, np.arange(len(bank)), side="right")
    first, last = _spans(bank)
    found = []
    for edge, step in ((first, -1), (last, 1)):
        near = rank[edge] + step
        inside = (near >= 0) & (near < len(tags))
        place = tags[np.where(inside, near, 0)]
        found.append(np.where(inside & (tree[place] == tree), place, -1))
    return found[0], found[1]


def _head_above(bank: Treebank, heads: Integers) -> Integers:
    """The tag of the nearest head above each node that is not its own head; -1 if there is none."""
    found = np.empty(len(bank), np.int64)
    find_head_above(bank.symbols, bank.parents, heads, found)
    return found
