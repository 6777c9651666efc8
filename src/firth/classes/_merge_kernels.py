"""Exact losses of mutual information in whole numbers, and the merging of classes.

Notation, as in ``docs/how/brown.md``: f(v) tokens of class v, c(v, w) how often w follows v, A(v) the
sum of row and column v of c over the active classes, g(k) = k ln k. Merging v and w loses

    M(A(v) + A(w), f(v) + f(w)) - M(A(v), f(v)) - M(A(w), f(w)) - S(v, w),      M(A, f) = A ln f,

nats times the number of pairs, where S(v, w) sums s(a, b) = g(a + b) - g(a) - g(b) over the cells of
their rows and columns, and treats the four cells of v and w as one.

All of this is done in whole numbers: g and M are rounded once, to multiples of 1 / scale, and then only
added and subtracted. So a loss depends on the counts alone, never on the order of the sums; what is
kept between steps are only *lower bounds* that say which losses need to be looked at.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import bits_of, float_of, kernel, loose_kernel

__all__ = [
    "NONE", "Classes", "Tables", "corner", "earlier", "first_bounds", "fold_row", "g_of", "least_pair",
    "m_of", "merge", "merge_down", "likely_loss", "pair_loss", "pay", "renew", "renew_cell", "shared",
]  # fmt: skip

Array = npt.NDArray[Any]

NONE = np.iinfo(np.int64).max
_FAR = NONE // 2
"""The bound of what is not there: far above any loss, yet it can be added to."""
_STRIDE = 128
"""How many cells are added up before one looks whether the bound is good enough."""
_ROUNDING = 6e-5
"""Nats by which a loss in single precision may be wrong, for every token in the cells."""
_LN2 = math.log(2)
_LASTING = 3.0
"""A bound that is renewed should be so many times what it is compared with, or ..."""
_USUAL = 0.7
"""... so many nats for every token of the rarer class, whatever is more: then it lasts for long."""
_RENEWED_EARLY = 8.0
"""Bounds so many times below that are renewed when their row is looked at."""


class Tables(NamedTuple):
    """g for small numbers, and how fine the whole numbers are."""

    g: Any
    """int64: g(k) * scale, for k from 0."""
    scale: float
    slack: int
    """More than all roundings of a loss together."""


class Classes(NamedTuple):
    """The active classes, in slots. Arrays that are as long as there are slots, or square."""

    follow: Any
    """follow[v, w]: how often w follows v."""
    precede: Any
    """The same, transposed."""
    f: Any
    """Tokens; 0 in a slot that is free."""
    log_f: Any
    """Their logarithms."""
    a: Any
    """The sum of row and column."""
    first: Any
    """The most frequent word of the class, which names it; ties are broken by it."""
    near: Any
    """float32: near[0, v, a - 1, w] is s(a, follow[v, w]), near[1, v, a - 1, w] s(a, precede[v, w]), in nats."""
    bound: Any
    """bound[v, w] - paid[v] - paid[w] is never above the loss of merging v and w; symmetric."""
    paid: Any
    """By how much merges may have lowered the losses of a class's pairs."""
    row_bound: Any
    """row_bound[v] - paid[v] - total[0] is never above the loss of any pair of v with a lower slot."""
    total: Any
    """total[0]: at least as much as any class has paid since its row was folded."""


@kernel
def g_of(k: int, tables: Tables) -> Any:
    if k < len(tables.g):
        return tables.g[k]
    return np.int64(float(k) * math.log(float(k)) * tables.scale)


@kernel
def m_of(a: int, f: int, tables: Tables) -> Any:
    """A ln f."""
    return np.int64(float(a) * math.log(float(f)) * tables.scale)


@kernel
def shared(a: int, b: int, tables: Tables) -> Any:
    """s(a, b)."""
    if a == 0 or b == 0:
        return np.int64(0)
    return g_of(a + b, tables) - g_of(a, tables) - g_of(b, tables)


@kernel
def renew_cell(v: int, w: int, classes: Classes, tables: Tables) -> Any:
    """Bring ``near`` up to date with follow[v, w]."""
    near, b, unit = classes.near, np.int64(classes.follow[v, w]), 1.0 / tables.scale
    for a in range(near.shape[2]):
        value = np.float32(float(shared(np.int64(a + 1), b, tables)) * unit)
        near[0, v, a, w] = value
        near[1, w, a, v] = value


@kernel
def renew(classes: Classes, tables: Tables) -> Any:
    """Bring all of ``near`` up to date."""
    for v in range(len(classes.f)):
        for w in range(len(classes.f)):
            renew_cell(v, w, classes, tables)


@kernel
def corner(vv: int, vw: int, wv: int, ww: int, tables: Tables) -> Any:
    """What the four cells of a pair contribute to S when they become one."""
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
    """What merging two classes loses, exactly."""
    c = classes.follow
    s = _shared_rows(c[v], c[w], tables) + _shared_rows(
        classes.precede[v], classes.precede[w], tables
    )
    vv, vw, wv, ww = np.int64(c[v, v]), np.int64(c[v, w]), np.int64(c[w, v]), np.int64(c[w, w])
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


@loose_kernel
def _log2(x: float) -> Any:
    """The logarithm of a float32 to the base of 2, to less than a millionth; finite for 0.

    The exponent, and a polynomial for the rest: a few operations that are done for many numbers at once.
    """
    bits = bits_of(x)
    t = float_of((bits & np.int32(0x7FFFFF)) | np.int32(0x3F800000)) - np.float32(1)
    p = np.float32(0.014440352) * t - np.float32(0.075651377)
    p = p * t + np.float32(0.18875274)
    p = p * t - np.float32(0.3219603)
    p = p * t + np.float32(0.4720869)
    p = p * t - np.float32(0.72031605)
    p = p * t + np.float32(1.4426476)
    return np.float32((bits >> np.int32(23)) - np.int32(127)) + p * t


@loose_kernel
def _loss_of_cells(x: Array, y: Array, begin: int, end: int, to_x: float, to_y: float) -> Any:
    """What is lost, in nats, where some cells of two rows are added up; and how many tokens they hold.

    In single precision: sums of at most ``_STRIDE`` terms, none above k log2(k) for k tokens in a cell.
    """
    sum_x, sum_y, s = np.float32(0), np.float32(0), np.float32(0)
    for i in range(begin, end):
        a, b = np.float32(x[i]), np.float32(y[i])
        both = a + b
        sum_x += a
        sum_y += b
        s += both * _log2(both) - a * _log2(a) - b * _log2(b)
    return float(sum_x) * to_x + float(sum_y) * to_y - float(s) * _LN2, float(sum_x) + float(sum_y)


@kernel
def loss_beyond(v: int, w: int, enough: float, classes: Classes, tables: Tables) -> Any:
    """A lower bound of the loss of a pair: nearly the loss itself, or a part of it that is ``enough``.

    Every cell adds to the loss, never takes from it, so one may stop anywhere.
    """
    f, n, c, p = classes.f, len(classes.f), classes.follow, classes.precede
    both = float(f[v] + f[w])
    to_v, to_w = math.log(both / float(f[v])), math.log(both / float(f[w]))
    loss, tokens, goal = 0.0, 0.0, enough / tables.scale
    for i in (v, w):  # the four cells of the pair are left out
        out, n_out = _loss_of_cells(c[v], c[w], i, i + 1, to_v, to_w)
        into, n_into = _loss_of_cells(p[v], p[w], i, i + 1, to_v, to_w)
        loss -= out + into
        tokens += n_out + n_into
    for begin in range(0, n, _STRIDE):
        end = min(begin + _STRIDE, n)
        out, n_out = _loss_of_cells(c[v], c[w], begin, end, to_v, to_w)
        into, n_into = _loss_of_cells(p[v], p[w], begin, end, to_v, to_w)
        loss += out + into
        tokens += n_out + n_into
        if loss - _ROUNDING * tokens > goal:
            break
    return np.int64((loss - _ROUNDING * tokens) * tables.scale) - tables.slack


@kernel
def first_bounds(classes: Classes, tables: Tables, begin: int, end: int, enough: float) -> Any:
    """Set the bounds of the rows from ``begin`` to ``end``; losses up to ``enough`` are nearly exact."""
    f, paid = classes.f, classes.paid
    for v in range(begin, end):
        for w in range(v):
            if f[v] > 0 and f[w] > 0:
                loss = loss_beyond(v, w, enough, classes, tables)
                classes.bound[v, w] = loss + paid[v] + paid[w]
                classes.bound[w, v] = classes.bound[v, w]
        fold_row(v, classes)


@kernel
def fold_row(v: int, classes: Classes) -> Any:
    """Make ``row_bound`` of a row tight with respect to ``bound``; returns the bound of the row."""
    least = _FAR
    row, paid = classes.bound[v], classes.paid
    for w in range(v):
        least = min(least, row[w] - paid[w])
    classes.row_bound[v] = least + classes.total[0]
    return least - paid[v]


@kernel
def earlier(v: int, w: int, p: int, q: int, classes: Classes) -> Any:
    """Whether the pair (v, w) comes before (p, q) among pairs of equal loss."""
    n = classes.first
    a, b = min(n[v], n[w]), max(n[v], n[w])
    c, d = min(n[p], n[q]), max(n[p], n[q])
    return a < c or (a == c and b < d)


@kernel
def least_pair(
    limit: int,
    classes: Classes,
    tables: Tables,
    out: Array,
    extra_out: Array,
    extra_in: Array,
    extra_a: Array,
    with_extra: bool,
) -> Any:
    """The pair of classes of least loss, where that is not above ``limit``; returns the loss, or NONE.

    ``out`` gets the two slots. With ``with_extra`` there is one more class, of which only its row and
    column of counts are given (and what it adds to ``a``); it raises losses, and takes no part itself.
    """
    f, paid, total = classes.f, classes.paid, classes.total
    best = NONE
    for v in range(len(f)):
        now = min(limit, best)
        if f[v] == 0 or classes.row_bound[v] - paid[v] - total[0] > now:
            continue
        if fold_row(v, classes) > now:
            continue
        row = classes.bound[v]
        usual = _USUAL * float(f[v]) * tables.scale / _RENEWED_EARLY
        some = max(now, np.int64(usual)) + paid[v]
        for w in range(v):
            if row[w] - paid[w] > some or not _renew(v, w, min(limit, best), classes, tables):
                continue
            loss = pair_loss(v, w, classes, tables)
            if with_extra:
                loss = _raised(v, w, loss, classes, tables, extra_out, extra_in, extra_a)
            if loss > limit:
                continue
            if loss < best or (loss == best and earlier(v, w, out[0], out[1], classes)):
                best, out[0], out[1] = loss, v, w
        fold_row(v, classes)
    return best


@kernel
def _renew(v: int, w: int, now: int, classes: Classes, tables: Tables) -> Any:
    """Renew the bound of a pair where it is low; returns whether its loss may be as small as ``now``."""
    bound, paid = classes.bound, classes.paid
    usual = _USUAL * float(min(classes.f[v], classes.f[w])) * tables.scale
    enough = max(_LASTING * float(now), usual)
    if float(bound[v, w] - paid[v] - paid[w]) > max(float(now), enough / _RENEWED_EARLY):
        return False
    loss = loss_beyond(v, w, enough, classes, tables)
    bound[v, w] = loss + paid[v] + paid[w]
    bound[w, v] = bound[v, w]
    return loss <= now


@kernel
def _raised(
    v: int,
    w: int,
    loss: int,
    classes: Classes,
    tables: Tables,
    extra_out: Array,
    extra_in: Array,
    extra_a: Array,
) -> Any:
    """The loss of a pair once the cells of one more class are counted."""
    a, f = classes.a, classes.f
    av, aw, both = a[v] + extra_a[v], a[w] + extra_a[w], f[v] + f[w]
    loss += m_of(av + aw, both, tables) - m_of(a[v] + a[w], both, tables)
    loss += m_of(a[v], f[v], tables) - m_of(av, f[v], tables)
    loss += m_of(a[w], f[w], tables) - m_of(aw, f[w], tables)
    loss -= shared(np.int64(extra_out[v]), np.int64(extra_out[w]), tables)
    loss -= shared(np.int64(extra_in[v]), np.int64(extra_in[w]), tables)
    return loss


@kernel
def pay(
    z: int,
    loss: int,
    f_other: int,
    own: int,
    other_row: Array,
    other_column: Array,
    classes: Classes,
    tables: Tables,
) -> Any:
    """Lower the bounds for a merge of class z with another one, before it is made.

    The loss of any other pair falls by at most the sum of the two classes' own shares in the loss of
    this merge; that of a pair with z, by at most the whole loss.
    """
    f, c, p, paid = classes.f, classes.follow[z], classes.precede[z], classes.paid
    both = float(f[z] + f_other)
    to_z = math.log(both / float(f[z])) * tables.scale
    to_other = math.log(both / float(f_other)) * tables.scale
    total, most = classes.total, np.int64(0)
    for v in range(len(f)):
        share = np.int64((float(c[v]) + float(p[v])) * to_z) + tables.slack
        out, into = np.int64(other_row[v]), np.int64(other_column[v])
        if out > 0 or into > 0:
            share += np.int64(float(out + into) * to_other)
            share -= shared(np.int64(c[v]), out, tables) + shared(np.int64(p[v]), into, tables)
        if v != z and v != own:
            paid[v] += share
            most = max(most, share)
    total[0] += most
    paid[z] += loss + tables.slack
    row, row_bound = classes.bound[z], classes.row_bound
    for v in range(z + 1, len(f)):
        row_bound[v] = min(row_bound[v], row[v] - paid[z] + total[0])


@kernel
def likely_loss(classes: Classes, tables: Tables) -> Any:
    """The loss of some pair that looks cheap: the least loss is not above it. NONE without any pair."""
    f, n, paid, total = classes.f, len(classes.f), classes.paid, classes.total
    at, least = -1, _FAR // 2
    for v in range(n):
        if f[v] > 0:
            bound = classes.row_bound[v] - paid[v] - total[0]
            if bound < least:
                at, least = v, bound
    if at < 0:
        return NONE
    partner, least = -1, _FAR // 2
    for w in range(at):
        if f[w] > 0 and classes.bound[at, w] - paid[w] < least:
            partner, least = w, classes.bound[at, w] - paid[w]
    if partner < 0:
        return NONE
    return pair_loss(at, partner, classes, tables)


@kernel
def merge(v: int, w: int, loss: int, classes: Classes, tables: Tables) -> Any:
    """Merge class w into class v; slot w is free then."""
    c, p, f, a = classes.follow, classes.precede, classes.f, classes.a
    bound, paid = classes.bound, classes.paid
    n = len(f)
    for x in range(n):  # the bounds of both hold for the merged class
        if x != v and x != w and f[x] > 0:
            bound[v, x] = max(bound[v, x], bound[w, x] - paid[w] + paid[v])
            bound[x, v] = bound[v, x]
    pay(v, loss, f[w], w, c[w], p[w], classes, tables)
    for cells in (c, p):
        for x in range(n):
            cells[v, x] += cells[w, x]
            cells[w, x] = 0
        for x in range(n):
            cells[x, v] += cells[x, w]
            cells[x, w] = 0
    if classes.near.shape[2] > 0:
        for x in range(n):
            renew_cell(v, x, classes, tables)
            renew_cell(x, v, classes, tables)
            renew_cell(w, x, classes, tables)
            renew_cell(x, w, classes, tables)
    f[v] += f[w]
    a[v] += a[w]
    classes.first[v] = min(classes.first[v], classes.first[w])
    for x in range(n):
        bound[w, x] = _FAR
        bound[x, w] = _FAR
    f[w] = 0
    a[w] = 0
    classes.log_f[v] = math.log(float(f[v]))
    classes.row_bound[w] = _FAR


@kernel
def merge_down(
    n_merges: int,
    classes: Classes,
    tables: Tables,
    names: Array,
    losses: Array,
    pair: Array,
    nothing: Array,
) -> Any:
    """Merge the classes of least loss, ``n_merges`` times; ``names`` gets pairs of first words.

    The first of a pair names the merged class. ``pair`` and ``nothing`` (zeros) are room to work in.
    """
    for i in range(n_merges):
        limit = likely_loss(classes, tables)
        loss = least_pair(limit, classes, tables, pair, nothing, nothing, nothing, False)
        v, w = pair[0], pair[1]
        if classes.first[v] > classes.first[w]:
            v, w = w, v
        names[i, 0], names[i, 1], losses[i] = classes.first[v], classes.first[w], loss
        merge(v, w, loss, classes, tables)
