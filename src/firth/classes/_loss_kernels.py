"""Exact losses of mutual information, as integers.

Notation, as in ``docs/how/brown.md``: f(v) tokens of class v, c(v, w) how often w follows v, A(v) the
sum of row and column v of c over the active classes, g(k) = k ln k. Merging v and w loses

    M(A(v) + A(w), f(v) + f(w)) - M(A(v), f(v)) - M(A(w), f(w)) - S(v, w),      M(A, f) = A ln f,

nats times the number of pairs, where S(v, w) sums s(a, b) = g(a + b) - g(a) - g(b) over the cells of
their rows and columns, and treats the four cells of v and w as one.

Everything is computed with integers: g and M are rounded once, to multiples of 1 / scale, and then only
added and subtracted. So a loss depends on the counts only, never on the order of summation. The
logarithms are Firth's own, so a loss is the same number on every machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.compute.portable_kernels import log

__all__ = [
    "Classes", "Tables", "corner", "g_of", "m_of", "pair_loss", "renew", "renew_cell", "shared",
]  # fmt: skip

Array = npt.NDArray[Any]


class Tables(NamedTuple):
    """g of small numbers, and the scale of the integers."""

    g: Any
    """int64: g(k) * scale, for k from 0."""
    scale: float
    slack: int
    """More than the sum of all rounding errors of a loss."""


class Classes(NamedTuple):
    """The active classes, in slots: arrays with one entry for each slot or pair of slots."""

    follow: Any
    """follow[v, w]: how often w follows v."""
    precede: Any
    """The same, transposed."""
    f: Any
    """The number of tokens; 0 in a free slot."""
    log_f: Any
    """Their logarithms."""
    a: Any
    """The sum of row and column."""
    first: Any
    """The most frequent word of the class, which identifies it and breaks ties."""
    near: Any
    """float32: near[0, v, a - 1, w] is s(a, follow[v, w]), near[1, v, a - 1, w] s(a, precede[v, w]), in nats."""
    bound: Any
    """bound[v, w] - paid[i, v] - paid[i, w] is never above the loss of merging v and w; symmetric."""
    paid: Any
    """How much merges can have lowered the losses of pairs with a class: the same for every thread i."""
    row_bound: Any
    """row_bound[i, v] - paid[i, v] - total[i, 0] is never above the loss of any pair of v with a lower slot
    that belongs to thread i; see ``_merge_kernels``."""
    total: Any
    """total[i, 0]: an upper bound of what any class has paid since its row was folded by thread i."""


@kernel
def g_of(k: int, tables: Tables) -> Any:
    if k < len(tables.g):
        return tables.g[k]
    return np.int64(float(k) * log(float(k)) * tables.scale)


@kernel
def m_of(a: int, f: int, tables: Tables) -> Any:
    """A ln f."""
    # no overflow: A is at most twice the number of tokens, from which the scale was chosen
    return np.int64(float(a) * log(float(f)) * tables.scale)


@kernel
def shared(a: int, b: int, tables: Tables) -> Any:
    """s(a, b)."""
    if a == 0 or b == 0:
        return np.int64(0)
    return g_of(a + b, tables) - g_of(a, tables) - g_of(b, tables)


@kernel
def renew_cell(side: int, v: int, w: int, classes: Classes, tables: Tables) -> Any:
    """Update ``near`` on one side after a change of follow[v, w] (side 0) or precede[v, w] (side 1)."""
    near, unit = classes.near, 1.0 / tables.scale
    b = np.int64(classes.follow[v, w] if side == 0 else classes.precede[v, w])
    for a in range(near.shape[2]):
        near[side, v, a, w] = float(shared(np.int64(a + 1), b, tables)) * unit


@kernel
def renew(begin: int, end: int, classes: Classes, tables: Tables) -> Any:
    """Compute ``near`` of rows ``begin`` to ``end``."""
    for side in range(2):
        for v in range(begin, end):
            for w in range(len(classes.f)):
                renew_cell(side, v, w, classes, tables)


@kernel
def corner(vv: int, vw: int, wv: int, ww: int, tables: Tables) -> Any:
    """The contribution to S of the four cells of a pair, which become one."""
    return (
        g_of(vv + vw + wv + ww, tables)
        - g_of(vv, tables)
        - g_of(vw, tables)
        - g_of(wv, tables)
        - g_of(ww, tables)
    )


@kernel
def _shared_rows(x: Array, y: Array, tables: Tables) -> Any:
    """The sum of s over two rows of counts."""
    g = tables.g
    top = np.uint64(len(g))
    total = np.int64(0)
    for i in range(len(x)):
        # unsigned indices spare the test for negative ones; most sums are in the table
        a, b = np.uint64(x[i]), np.uint64(y[i])
        if a == 0 or b == 0:
            continue
        both = a + b
        if both < top:
            total += g[both] - g[a] - g[b]
        else:
            total += shared(np.int64(a), np.int64(b), tables)
    return total


@kernel
def pair_loss(v: int, w: int, classes: Classes, tables: Tables) -> Any:
    """The exact loss of merging two classes."""
    c = classes.follow
    s = _shared_rows(c[v], c[w], tables) + _shared_rows(
        classes.precede[v], classes.precede[w], tables
    )
    vv, vw, wv, ww = np.int64(c[v, v]), np.int64(c[v, w]), np.int64(c[w, v]), np.int64(c[w, w])
    # the rows include the four cells of the pair, whose terms are replaced by that of the corner
    s -= (
        shared(vv, wv, tables)
        + shared(vw, ww, tables)
        + shared(vv, vw, tables)
        + shared(wv, ww, tables)
    )
    s += corner(vv, vw, wv, ww, tables)
    a, f = classes.a, classes.f
    return (
        m_of(a[v] + a[w], f[v] + f[w], tables)
        - m_of(a[v], f[v], tables)
        - m_of(a[w], f[w], tables)
        - s
    )
