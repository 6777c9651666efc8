"""Prefix probabilities (Jelinek and Lafferty 1991), for grammars with states.

A phrase that continues beyond the last word of the prefix has either a complete left child and a right child
that continues, or a left child that continues and any right child. The second case is recursive: the left
child can be such a phrase again. This gives a system of linear equations, which is the same at all positions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.grammar import _prefix_kernels as kernels
from firth.grammar._fine import FineGrammar
from firth.grammar._parser import Leaf, Parser

__all__ = ["prefix_log_probs"]

_LIFTS = 16.0, 256.0, 4096.0, 1.0
"""Scale factors of the words, tried one after the other to avoid underflow."""

Floats = npt.NDArray[np.float64]

closed_chart: Any = kernels.closed_chart
open_phrases: Any = kernels.open_phrases


def prefix_log_probs(parser: Parser, leaves: Sequence[Leaf]) -> list[float]:
    """For each word, the log-probability that a sentence begins with the words up to it."""
    chart = parser.coarse_chart(leaves)
    logs: Floats = np.full(len(leaves), -np.inf)
    for lift in (*(() if chart is None else (chart.lift,)), *_LIFTS):
        with np.errstate(over="ignore", invalid="ignore"):
            found = [
                np.abs(_prefixes(parser.coarse.rules, fine, leaves, lift)) for fine in parser.fine
            ]
        scales = np.cumsum([math.log(leaf.scale / lift) for leaf in leaves])
        sizes = np.mean(found, axis=0)
        there = np.isfinite(sizes) & (sizes > 0) & ~np.isfinite(logs)
        logs[there] = np.log(sizes[there]) + scales[there]
        if np.isfinite(logs).all() or (chart is None and np.isfinite(sizes).all()):
            break  # without a tree of the whole sentence, zeros are not due to underflow
    return [float(x) for x in logs]


def _prefixes(
    rules: npt.NDArray[np.int64], fine: FineGrammar, leaves: Sequence[Leaf], lift: float
) -> Floats:
    n, m, s = len(leaves), fine.dim, len(fine.roots)
    tensors, both = np.ascontiguousarray(fine.tensors, np.float64), np.zeros((m, m))
    inside, alive = np.zeros((n, n, s, m)), np.zeros((n, n, s), np.uint8)
    for i, leaf in enumerate(leaves):
        inside[i, i, leaf.tags] = leaf.vectors(fine) * lift
        alive[i, i, leaf.tags] = 1
    closed_chart(n, rules, tensors, inside, alive, both)
    step, inner, inverse = _left_parts(rules, fine)
    found = np.zeros(n)
    for last in range(n):
        beyond, alive_beyond = np.zeros((n, s, m)), np.zeros((n, s), np.uint8)
        for i in range(last, -1, -1):
            open_phrases(i, last, rules, tensors, inside, alive, beyond, alive_beyond, both)
            flat = beyond[i].reshape(-1)
            if i == last:
                beyond[i, leaves[i].tags] = inside[i, i, leaves[i].tags]
                flat += step @ np.where(inner, 0.0, flat)
            flat[inner] = inverse @ flat[inner]
            alive_beyond[i] = beyond[i].any(axis=1)
        found[last] = float((beyond[0] * fine.roots).sum())
    return found


def _left_parts(
    rules: npt.NDArray[np.int64], fine: FineGrammar
) -> tuple[Any, npt.NDArray[np.bool_], Floats]:
    """Left recursion with any right child: one step, which entries are of phrases, and the closure."""
    from scipy.sparse import csr_array

    m, s = fine.dim, len(fine.roots)
    step = np.einsum("rijk,rk->rij", fine.tensors, fine.totals[rules[:, 2]])
    places = rules[:, :, None] * m + np.arange(m)
    rows = np.broadcast_to(places[:, 0, :, None], step.shape).ravel()
    columns = np.broadcast_to(places[:, 1, None, :], step.shape).ravel()
    whole = csr_array((step.ravel(), (rows, columns)), shape=(s * m, s * m))
    inner = np.zeros(s * m, bool)
    inner[places[:, 0]] = True
    among = whole[inner][:, inner].toarray()
    try:
        return whole, inner, np.linalg.inv(np.eye(len(among)) - among)
    except np.linalg.LinAlgError:
        raise InputError(
            "This grammar has no prefix probabilities: its left-recursive rules have no end.",
            "Retrain it, with --method em or fewer states.",
        ) from None
