"""What is lost when two states are merged, from the definition (Petrov et al. 2006, section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from firth.grammar import Node, TensorGrammar
from tests.oracles.lpcfg import nodes_of

Floats = npt.NDArray[np.float64]


def inside(form: TensorGrammar, node: Node, given: dict[int, Floats]) -> Floats:
    """The inside vector of a node; those of some nodes are given, by their id."""
    if id(node) in given:
        return given[id(node)]
    if node.left is None or node.right is None:
        return form.lexicon[node.symbol, node.word]
    [rule] = [
        r
        for r, (a, b, c) in enumerate(form.rules.tolist())
        if (a, b, c) == (node.symbol, node.left.symbol, node.right.symbol)
    ]
    left, right = inside(form, node.left, given), inside(form, node.right, given)
    return np.asarray(np.einsum("ijk,j,k->i", form.tensors[rule], left, right))


def around(form: TensorGrammar, tree: Node) -> Iterator[tuple[int, Floats, Floats]]:
    """Symbol, inside and outside vector of each node; the tree is linear in the inside vector of a node."""
    units = np.eye(form.dim)
    for node in nodes_of(tree):
        outside = [
            float(inside(form, tree, {id(node): unit}) @ form.roots[tree.symbol]) for unit in units
        ]
        yield node.symbol, inside(form, node, {}), np.array(outside)


def merge_loss(
    form: TensorGrammar, trees: list[Node], symbol: int, first: int, often: tuple[float, float]
) -> float:
    """The log-likelihood that is lost if a state and the next one are merged, node by node."""
    share, lost = often[0] / sum(often), 0.0
    for tree in trees:
        for which, below, above in around(form, tree):
            if which != symbol:
                continue
            p = float(below @ above)
            i, j = first, first + 1
            merged = (share * below[i] + (1 - share) * below[j]) * (above[i] + above[j])
            lost -= math.log((p - below[i] * above[i] - below[j] * above[j] + merged) / p)
    return lost
