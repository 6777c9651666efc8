"""Kernels of prefix probabilities: charts of complete and of incomplete phrases, without pruning."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import loose_kernel

__all__ = ["closed_chart", "open_phrases"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


@loose_kernel
def closed_chart(
    n: int, rules: Integers, tensors: Floats, inside: Floats, alive: Bytes, both: Floats
) -> None:
    """Inside vectors of all phrases; those of tags must be filled in, and marked as alive.

    Split points are summed up in ``both`` first, so that each rule is applied once for a phrase.
    """
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            # children are shorter than the span, so the order of rules does not matter
            for r in range(len(rules)):
                a, b, c = rules[r, 0], rules[r, 1], rules[r, 2]
                some = False
                for k in range(i, j):
                    if alive[i, k, b] and alive[k + 1, j, c]:
                        _add_product(inside[i, k, b], inside[k + 1, j, c], both, not some)
                        some = True
                if some:
                    _apply(tensors[r], both, inside[i, j, a])
                    alive[i, j, a] = 1


@loose_kernel
def open_phrases(
    i: int, last: int, rules: Integers, tensors: Floats, inside: Floats, alive: Bytes, beyond: Floats,
    alive_beyond: Bytes, both: Floats,
) -> None:  # fmt: skip
    """Add to ``beyond[i]`` the phrases from word i that continue beyond ``last``, and whose left child does not."""
    for r in range(len(rules)):
        a, b, c = rules[r, 0], rules[r, 1], rules[r, 2]
        some = False
        # k is the last word of the left child, which is complete; the right child continues
        for k in range(i, last):
            if alive[i, k, b] and alive_beyond[k + 1, c]:
                _add_product(inside[i, k, b], beyond[k + 1, c], both, not some)
                some = True
        if some:
            _apply(tensors[r], both, beyond[i, a])
            alive_beyond[i, a] = 1


@loose_kernel
def _add_product(left: Floats, right: Floats, both: Floats, anew: bool) -> None:
    """Add the outer product of two vectors to ``both``, or replace it if ``anew``."""
    m = len(left)
    for j in range(m):
        for k in range(m):
            both[j, k] = left[j] * right[k] + (0.0 if anew else both[j, k])


@loose_kernel
def _apply(tensor: Floats, both: Floats, up: Floats) -> None:
    """Add what a rule makes of ``both`` to the vector of the parent."""
    m = len(up)
    for i in range(m):
        total = 0.0
        for j in range(m):
            for k in range(m):
                total += tensor[i, j, k] * both[j, k]
        up[i] += total
