"""Kernels of distributional clustering: memberships of objects, and sums of the distributions of members.

A matrix of distributions is in CSR form: ``indptr``, ``indices``, ``data``. Tables of clusters have a row
for each feature, so that the values for one entry are adjacent. Sums have a fixed order.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import loose_kernel

__all__ = ["add_members", "divide", "score", "step", "step_pair"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Short = npt.NDArray[np.int32]


@loose_kernel
def _score_row(
    indices: Short, data: Floats, table: Floats, begin: int, end: int, out: Floats, n: int
) -> None:
    """One row of the product of distributions and a table; four entries at a time."""
    k = table.shape[1]
    for c in range(k):
        out[n, c] = 0.0
    e = begin
    # each output is read and written once for four entries
    while e + 4 <= end:
        v0, v1, v2, v3 = indices[e], indices[e + 1], indices[e + 2], indices[e + 3]
        p0, p1, p2, p3 = data[e], data[e + 1], data[e + 2], data[e + 3]
        for c in range(k):
            out[n, c] += (p0 * table[v0, c] + p1 * table[v1, c]) + (
                p2 * table[v2, c] + p3 * table[v3, c]
            )
        e += 4
    while e < end:
        v0, p0 = indices[e], data[e]
        for c in range(k):
            out[n, c] += p0 * table[v0, c]
        e += 1


@loose_kernel
def score(
    indptr: Integers, indices: Short, data: Floats, table: Floats, first: int, last: int, out: Floats
) -> None:  # fmt: skip
    """The product of some rows and a table."""
    for n in range(first, last):
        _score_row(indices, data, table, indptr[n], indptr[n + 1], out, n)


@loose_kernel
def divide(scores: Floats, beta: float, first: int, last: int, logs: Floats) -> None:
    """Turn scores into memberships; ``logs`` gets the logarithms of the normalising constants."""
    k = scores.shape[1]
    for n in range(first, last):
        # the largest score is subtracted, so exp cannot overflow and the total is at least one
        most = scores[n, 0]
        for c in range(1, k):
            most = max(most, scores[n, c])
        total = 0.0
        for c in range(k):
            share = math.exp(beta * (scores[n, c] - most))
            scores[n, c] = share
            total += share
        for c in range(k):
            scores[n, c] /= total
        logs[n] = beta * most + math.log(total)


@loose_kernel
def step(
    indptr: Integers, indices: Short, data: Floats, table: Floats, weights: Floats, beta: float, first: int, last: int,
    shares: Floats, logs: Floats, sums: Floats,
) -> None:  # fmt: skip
    """Memberships of some objects, and the contributions of these objects to the sums of the clusters."""
    k = table.shape[1]
    for n in range(first, last):
        begin, end = indptr[n], indptr[n + 1]
        _score_row(indices, data, table, begin, end, shares, n)
        divide(shares, beta, n, n + 1, logs)
        weight = weights[n]
        # a block of objects has its own sums, and the caller adds them up in a fixed order
        for e in range(begin, end):
            v = indices[e]
            part = weight * data[e]
            for c in range(k):
                sums[v, c] += part * shares[n, c]


@loose_kernel
def step_pair(
    indptr: Integers, indices: Short, data: Floats, table: Floats, weights: Floats, others: Floats, beta: float,
    shares: Floats, logs: Floats, sums: Floats,
) -> None:  # fmt: skip
    """The same for two clusters; ``others`` is the logarithm of the weight of all other clusters."""
    for n in range(len(indptr) - 1):
        begin, end = indptr[n], indptr[n + 1]
        a, b = 0.0, 0.0
        for e in range(begin, end):
            v, p = indices[e], data[e]
            a += p * table[v, 0]
            b += p * table[v, 1]
        a, b = beta * a, beta * b
        # others can be -inf, but a and b are finite
        most = max(others[n], max(a, b))
        a, b = math.exp(a - most), math.exp(b - most)
        total = a + b + math.exp(others[n] - most)
        a, b = a / total, b / total
        shares[n, 0], shares[n, 1] = a, b
        logs[n] = most + math.log(total)
        a, b = a * weights[n], b * weights[n]
        for e in range(begin, end):
            v, p = indices[e], data[e]
            sums[v, 0] += p * a
            sums[v, 1] += p * b


@loose_kernel
def add_members(
    indptr: Integers, indices: Short, data: Floats, weights: Floats, labels: Integers, sums: Floats
) -> None:
    """Add the distribution of every object to the sum of its one cluster."""
    for n in range(len(indptr) - 1):
        c = labels[n]
        for e in range(indptr[n], indptr[n + 1]):
            sums[indices[e], c] += weights[n] * data[e]
