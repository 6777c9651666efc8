"""Kernels for given trees: ends and heads of phrases, inside and outside vectors, expected counts.

In a treebank, children come after their parents: loops go backwards to work bottom-up, and forwards to work
top-down.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel, loose_kernel

__all__ = ["add_posteriors", "find_ends", "find_head_above", "find_head_leaves", "tree_inside"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def find_ends(lefts: Integers, rights: Integers, first: Integers, last: Integers) -> None:
    """The indices of the first and the last tag below each node."""
    for node in range(len(lefts) - 1, -1, -1):
        if lefts[node] >= 0:
            first[node], last[node] = first[lefts[node]], last[rights[node]]
        else:
            first[node], last[node] = node, node


@kernel
def find_head_leaves(
    symbols: Integers, lefts: Integers, rights: Integers, on_left: npt.NDArray[np.bool_], leaves: Integers
) -> None:  # fmt: skip
    """The index of the tag that is the head of each node."""
    for node in range(len(lefts) - 1, -1, -1):
        if lefts[node] < 0:
            leaves[node] = node
        else:
            leaves[node] = leaves[lefts[node] if on_left[symbols[node]] else rights[node]]


@kernel
def find_head_above(symbols: Integers, parents: Integers, heads: Integers, found: Integers) -> None:
    """The tag of the nearest head above each node that is not its own head; -1 if there is none."""
    for node in range(len(parents)):
        parent = parents[node]
        if parent < 0:
            found[node] = -1
        elif heads[parent] != heads[node]:
            found[node] = symbols[heads[parent]]
        else:  # the parent has the same head, and is done already
            found[node] = found[parent]


@loose_kernel
def tree_inside(
    begin: int, end: int, rules: Integers, lefts: Integers, rights: Integers, pairs: Integers,
    tensors: Floats, vectors: Floats, inside: Floats, logs: Floats,
) -> None:  # fmt: skip
    """Inside vectors of some nodes, normalised; ``logs`` has the logarithms of the factors.

    ``logs`` is -inf if a node, or one below it, has probability zero. Nodes below others come after them,
    and must be done before.
    """
    m = inside.shape[1]
    for node in range(end - 1, begin - 1, -1):
        up = inside[node]
        log = 0.0
        if rules[node] < 0:
            for i in range(m):
                # an unknown word or rule makes the tree impossible
                up[i] = vectors[pairs[node], i] if pairs[node] >= 0 else 0.0
        else:
            tensor = tensors[rules[node]]
            left, right = inside[lefts[node]], inside[rights[node]]
            log = logs[lefts[node]] + logs[rights[node]]
            for i in range(m):
                total = 0.0
                for j in range(m):
                    part = 0.0
                    for k in range(m):
                        part += tensor[i, j, k] * right[k]
                    total += part * left[j]
                up[i] = total
        # the sum of absolute values, because spectral estimates can be negative
        size = 0.0
        for i in range(m):
            size += abs(up[i])
        if size > 0.0:
            for i in range(m):
                up[i] /= size
            logs[node] = log + np.log(size)
        else:
            logs[node] = -np.inf


@loose_kernel
def add_posteriors(
    begin: int, end: int, likelihood: float,
    symbols: Integers, rules: Integers, lefts: Integers, rights: Integers, parents: Integers, pairs: Integers,
    tensors: Floats, roots: Floats, inside: Floats, outside: Floats, logs: Floats,
    of_rules: Floats, of_pairs: Floats, of_roots: Floats,
) -> float:  # fmt: skip
    """Add the posterior probabilities of states of some nodes, after those of all nodes before them.

    Returns ``likelihood``, to which the log-likelihood of trees that begin here is added. ``inside`` and
    ``logs`` are those of ``tree_inside``. Trees of probability zero are ignored.
    """
    m = inside.shape[1]
    for node in range(begin, end):
        out = outside[node]
        if parents[node] < 0:
            total = 0.0
            for i in range(m):
                out[i] = roots[symbols[node], i]
                total += out[i] * inside[node, i]
            # an outside vector of zeros makes all counts of the tree zero
            alive = total > 0.0 and logs[node] > -np.inf
            for i in range(m):
                out[i] = out[i] / total if alive else 0.0
                of_roots[symbols[node], i] += out[i] * inside[node, i]
            if alive:
                likelihood += logs[node] + np.log(total)
        if rules[node] < 0:
            if pairs[node] >= 0:
                for i in range(m):
                    of_pairs[pairs[node], i] += out[i] * inside[node, i]
            continue
        tensor, target = tensors[rules[node]], of_rules[rules[node]]
        left, right = inside[lefts[node]], inside[rights[node]]
        to_left, to_right = outside[lefts[node]], outside[rights[node]]
        # a node has one parent, so its outside vector is only written here
        to_left[:] = 0.0
        to_right[:] = 0.0
        # outside vectors of both children, and the total weight of the states of this node
        total = 0.0
        for i in range(m):
            for j in range(m):
                weight = out[i] * left[j]
                part = 0.0
                for k in range(m):
                    part += tensor[i, j, k] * right[k]
                    to_right[k] += weight * tensor[i, j, k]
                to_left[j] += out[i] * part
                total += weight * part
        # inside and outside vectors are scaled separately; the posteriors of a node must sum to one
        scale = 1.0 / total if total > 0.0 else 0.0
        for k in range(m):
            to_left[k] *= scale
            to_right[k] *= scale
        for i in range(m):
            for j in range(m):
                weight = out[i] * left[j] * scale
                for k in range(m):
                    target[i, j, k] += weight * tensor[i, j, k] * right[k]
    return likelihood
