"""Merge the pair of classes with the smallest loss, using bounds to avoid computing most losses.

Only *lower bounds* are kept between steps; ``docs/how/brown.md`` explains why they hold. They decide
which losses are computed, never which pair is chosen.

Each row of pairs is divided among the threads that work together, the *parts*. Each part
keeps its own bounds of rows, and looks for the best of its pairs; then they agree on the best of all.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.classes._loss_kernels import Classes, Tables, m_of, pair_loss, renew_cell, shared
from firth.compute.kernels import bits_of, float_of, kernel, loose_kernel
from firth.compute.meeting_kernels import leave, left_by, meet
from firth.compute.portable_kernels import log

__all__ = [
    "NONE", "add_share", "agreed_pair", "earlier", "find_shares", "first_bounds", "fold_row", "fold_rows", "least_pair",
    "likely_loss", "merge", "merge_down", "pay",
]  # fmt: skip

Array = npt.NDArray[Any]

NONE = np.iinfo(np.int64).max
_FAR = NONE // 2
"""The bound of an empty slot: far above any loss, but small enough to add to."""
_STRIDE = 128
"""The number of cells summed before checking whether the bound is high enough."""
_ROUNDING = 6e-5
"""Maximum error of a loss in single precision, in nats for each token in the cells."""
_LN2 = math.log(2)
_LASTING = 3.0
"""A new bound should be this many times the loss it is compared with, or ..."""
_USUAL = 0.7
"""... this many nats for each token of the rarer class, whichever is more, so that it stays useful."""
_RENEWED_EARLY = 8.0
"""Bounds this many times lower are recomputed when their row is examined."""


@loose_kernel
def _log2(x: float) -> Any:
    """The base-2 logarithm of a float32, with an error below 1e-6; finite for 0.

    The exponent plus a polynomial of the mantissa: a few operations that can be vectorised.
    """
    bits = bits_of(x)
    # the mantissa with the exponent of 1, so that t is from 0 to below 1
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
    """The loss, in nats, of adding some cells of two rows, and the number of tokens in them.

    In single precision: at most ``_STRIDE`` terms, each at most k log2(k) for k tokens in a cell.
    """
    sum_x, sum_y, s = np.float32(0), np.float32(0), np.float32(0)
    for i in range(begin, end):
        a, b = np.float32(x[i]), np.float32(y[i])
        both = a + b
        sum_x += a
        sum_y += b
        # a cell of zero adds nothing, because its logarithm is finite
        s += both * _log2(both) - a * _log2(a) - b * _log2(b)
    return float(sum_x) * to_x + float(sum_y) * to_y - float(s) * _LN2, float(sum_x) + float(sum_y)


@kernel
def loss_beyond(v: int, w: int, enough: float, classes: Classes, tables: Tables) -> Any:
    """A lower bound of the loss of a pair: nearly the loss itself, or a part of it above ``enough``.

    No cell lowers the loss, so the sum can stop anywhere.
    """
    f, n, c, p = classes.f, len(classes.f), classes.follow, classes.precede
    both = float(f[v] + f[w])
    to_v, to_w = log(both / float(f[v])), log(both / float(f[w]))
    loss, tokens, goal = 0.0, 0.0, enough / tables.scale
    # their common term is not negative, so what is left is still a lower bound;
    # subtracted first, so that a sum that stops early is too low, not too high
    for i in (v, w):  # leave out the four cells of the pair
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
    # the exact loss consists of rounded integers, and may be smaller by up to slack
    return np.int64((loss - _ROUNDING * tokens) * tables.scale) - tables.slack


@kernel
def first_bounds(classes: Classes, tables: Tables, begin: int, end: int, enough: float) -> Any:
    """Set the bounds of rows ``begin`` to ``end``; losses up to ``enough`` are nearly exact."""
    f, paid = classes.f, classes.paid[0]
    for v in range(begin, end):
        # the row of the higher slot owns a pair, so threads never write to the same cell
        for w in range(v):
            if f[v] > 0 and f[w] > 0:
                loss = loss_beyond(v, w, enough, classes, tables)
                classes.bound[v, w] = loss + paid[v] + paid[w]
                classes.bound[w, v] = classes.bound[v, w]
        for part in range(len(classes.row_bound)):
            fold_row(v, part, classes)


@kernel
def _place(v: int, part: int, classes: Classes) -> Any:
    """The place of a part in a row; every other row is divided in reverse, as later slots have more work."""
    return part if v % 2 == 0 else len(classes.row_bound) - 1 - part


@kernel
def _lower(v: int, part: int, classes: Classes) -> Any:
    """Begin and end of the lower slots whose pairs with slot v belong to a part."""
    n_parts, place = len(classes.row_bound), _place(v, part, classes)
    return v * place // n_parts, v * (place + 1) // n_parts


@kernel
def fold_row(v: int, part: int, classes: Classes) -> Any:
    """Make ``row_bound`` of a row tight with respect to ``bound``; returns the bound of the row."""
    least = _FAR
    begin, end = _lower(v, part, classes)
    row, paid = classes.bound[v, begin:end], classes.paid[part, begin:end]
    for w in range(len(row)):
        least = min(least, row[w] - paid[w])
    classes.row_bound[part, v] = least + classes.total[part, 0]
    return least - classes.paid[part, v]


@kernel
def fold_rows(begin: int, classes: Classes) -> Any:
    """Fold all rows from ``begin`` on, for all parts."""
    for v in range(begin, len(classes.f)):
        if classes.f[v] > 0:
            for part in range(len(classes.row_bound)):
                fold_row(v, part, classes)


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
    part: int,
) -> Any:
    """Find the pair with the smallest loss that belongs to a part; returns the loss, or NONE if above ``limit``.

    The two slots are written to ``out``. With ``with_extra`` there is one more class, given by its row
    and column of counts and what it adds to ``a``. It raises losses, but cannot be in the pair.
    """
    f, paid, rows = classes.f, classes.paid[part], classes.row_bound[part]
    total = classes.total[part, 0]
    best, lowest = NONE, _FAR
    # most often no row can have a pair below the limit, which is seen for many rows at once
    for v in range(len(f)):
        lowest = min(lowest, rows[v] - paid[v])
    if lowest - total > limit:
        return best
    for v in range(len(f)):
        now = min(limit, best)
        # the stored bound of the row is tested first: folding takes a pass over the row
        if f[v] == 0 or rows[v] - paid[v] - total > now:
            continue
        if fold_row(v, part, classes) > now:
            continue
        row = classes.bound[v]
        usual = _USUAL * float(f[v]) * tables.scale / _RENEWED_EARLY
        # not below the limit in _renew for any w, so that most pairs cost one comparison
        some = max(now, np.int64(usual)) + paid[v]
        begin, end = _lower(v, part, classes)
        for w in range(begin, end):
            if row[w] - paid[w] > some or not _renew(v, w, min(limit, best), paid, classes, tables):
                continue
            loss = pair_loss(v, w, classes, tables)
            if with_extra:
                loss = _raised(v, w, loss, classes, tables, extra_out, extra_in, extra_a)
            if loss > limit:
                continue
            if loss < best or (loss == best and earlier(v, w, out[0], out[1], classes)):
                best, out[0], out[1] = loss, v, w
        # the bounds of pairs have risen
        fold_row(v, part, classes)
    return best


@kernel
def agreed_pair(loss: int, pair: Array, classes: Classes, board: Array, part: int) -> Any:
    """Whether the parts go on, and the smallest of the losses that they found. Each of them calls this.

    ``pair`` is the pair that the part found, and becomes the one with that loss.
    """
    leave(loss, pair[0], pair[1], part, board)
    if not meet(part, board):
        return False, loss
    for other in range(len(board) - 1):
        found, v, w = left_by(other, part, board)
        tie = found == loss and found != NONE
        if found < loss or (tie and earlier(v, w, pair[0], pair[1], classes)):
            loss, pair[0], pair[1] = found, v, w
    return True, loss


@kernel
def _renew(v: int, w: int, now: int, paid: Array, classes: Classes, tables: Tables) -> Any:
    """Recompute the bound of a pair if it is low; returns whether the loss can be as small as ``now``."""
    bound = classes.bound
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
    """The loss of a pair, including the cells of one more class."""
    a, f = classes.a, classes.f
    av, aw, both = a[v] + extra_a[v], a[w] + extra_a[w], f[v] + f[w]
    # terms without the extra class are replaced; with integers, as if computed from scratch
    loss += m_of(av + aw, both, tables) - m_of(a[v] + a[w], both, tables)
    loss += m_of(a[v], f[v], tables) - m_of(av, f[v], tables)
    loss += m_of(a[w], f[w], tables) - m_of(aw, f[w], tables)
    loss -= shared(np.int64(extra_out[v]), np.int64(extra_out[w]), tables)
    loss -= shared(np.int64(extra_in[v]), np.int64(extra_in[w]), tables)
    return loss


@kernel
def find_shares(z: int, f_other: int, shares: Array, classes: Classes, tables: Tables) -> Any:
    """What each class adds to the loss of merging class z with another one that shares no neighbour.

    Returns what one cell of the other class adds.
    """
    c, p = classes.follow[z], classes.precede[z]
    both = float(classes.f[z] + f_other)
    to_z = log(both / float(classes.f[z])) * tables.scale
    # slack covers the rounding
    for v in range(len(c)):
        shares[v] = np.int64((float(c[v]) + float(p[v])) * to_z) + tables.slack
    return log(both / float(f_other)) * tables.scale


@kernel
def add_share(
    z: int, v: int, out: int, into: int, to_other: float, shares: Array, classes: Classes, tables: Tables
) -> Any:  # fmt: skip
    """Add what the cells of the other class with class v contribute to ``shares``."""
    c, p = np.int64(classes.follow[z, v]), np.int64(classes.precede[z, v])
    shares[v] += np.int64(float(out + into) * to_other)
    shares[v] -= shared(c, out, tables) + shared(p, into, tables)


@kernel
def pay(z: int, loss: int, shares: Array, part: int, classes: Classes, tables: Tables) -> Any:
    """Lower the bounds of a part for a merge of class z with another one.

    The loss of any other pair decreases by at most the sum of the shares of its two classes in the loss
    of this merge; that of a pair with z, by at most the whole loss.
    """
    paid, total, row_bound = classes.paid[part], classes.total, classes.row_bound[part]
    shares[z] = 0
    most = np.int64(0)
    for v in range(len(paid)):
        paid[v] += shares[v]
        most = max(most, shares[v])
    paid[z] += loss + tables.slack
    total[part, 0] += most
    # total does not cover what z pays, so rows where the part has a pair with z get bounds of their own:
    # those whose lower slots, divided as in _lower, have z in its place
    pairs, row = (z + 1) * len(classes.row_bound), classes.bound[z]
    for odd in range(2):
        place, end = _place(odd, part, classes), len(paid)
        if place > 0:
            end = min(end, -(-pairs // place))
        begin = -(-pairs // (place + 1))
        for v in range(begin + (begin + odd) % 2, end, 2):
            row_bound[v] = min(row_bound[v], row[v] - paid[z] + total[part, 0])


@kernel
def likely_loss(part: int, classes: Classes, tables: Tables) -> Any:
    """The loss of a pair with a low bound, an upper limit of the smallest loss; NONE without pairs."""
    f, n, paid, rows = classes.f, len(classes.f), classes.paid[part], classes.row_bound[part]
    # rows and pairs without two active classes have bounds near _FAR
    at, least = -1, _FAR // 2
    for v in range(n):
        if f[v] > 0:
            bound = rows[v] - paid[v] - classes.total[part, 0]
            if bound < least:
                at, least = v, bound
    if at < 0:
        return NONE
    partner, least = -1, _FAR // 2
    begin, end = _lower(at, part, classes)
    for w in range(begin, end):
        if f[w] > 0 and classes.bound[at, w] - paid[w] < least:
            partner, least = w, classes.bound[at, w] - paid[w]
    if partner < 0:
        return NONE
    return pair_loss(at, partner, classes, tables)


@kernel
def merge(v: int, w: int, loss: int, shares: Array, classes: Classes, tables: Tables) -> Any:
    """Merge class w into class v, which frees slot w, for all parts; ``shares`` is scratch memory."""
    c, p, f, a = classes.follow, classes.precede, classes.f, classes.a
    bound, paid = classes.bound, classes.paid[0]
    n = len(f)
    for x in range(n):  # the bounds of both classes hold for the merged one
        if x != v and x != w and f[x] > 0:
            bound[v, x] = max(bound[v, x], bound[w, x] - paid[w] + paid[v])
            bound[x, v] = bound[v, x]
    # needs the counts of both classes as they were before the merge
    to_w = find_shares(v, f[w], shares, classes, tables)
    for x in range(n):
        out, into = np.int64(c[w, x]), np.int64(p[w, x])
        if out > 0 or into > 0:
            add_share(v, x, out, into, to_w, shares, classes, tables)
    shares[w] = 0
    for part in range(len(classes.row_bound)):
        pay(v, loss, shares, part, classes, tables)
    # precede is the transpose of follow, and is merged in the same way
    for cells in (c, p):
        for x in range(n):
            cells[v, x] += cells[w, x]
            cells[w, x] = 0
        for x in range(n):
            cells[x, v] += cells[x, w]
            cells[x, w] = 0
    if classes.near.shape[2] > 0:
        for x in range(n):
            for side in range(2):
                renew_cell(side, v, x, classes, tables)
                renew_cell(side, x, v, classes, tables)
                renew_cell(side, w, x, classes, tables)
                renew_cell(side, x, w, classes, tables)
    f[v] += f[w]
    a[v] += a[w]
    classes.first[v] = min(classes.first[v], classes.first[w])
    for x in range(n):
        bound[w, x] = _FAR
        bound[x, w] = _FAR
    f[w] = 0
    a[w] = 0
    classes.log_f[v] = log(float(f[v]))
    for part in range(len(classes.row_bound)):
        classes.row_bound[part, w] = _FAR


@kernel
def merge_down(
    n_merges: int,
    classes: Classes,
    tables: Tables,
    names: Array,
    losses: Array,
    pair: Array,
    nothing: Array,
    shares: Array,
    board: Array,
    part: int,
) -> Any:
    """Merge the pair with the smallest loss, ``n_merges`` times; called by every part.

    The first words of the two classes are written to ``names``; the smaller one identifies the merged
    class. ``pair`` is scratch memory of the part, ``shares`` of the first one; ``nothing`` is zeros.
    """
    for i in range(n_merges):
        # a loss that occurs: pairs with higher bounds need not be computed
        likely = likely_loss(part, classes, tables)
        go_on, limit = agreed_pair(likely, pair, classes, board, part)
        if not go_on:
            return
        loss = least_pair(limit, classes, tables, pair, nothing, nothing, nothing, False, part)
        go_on, loss = agreed_pair(loss, pair, classes, board, part)
        if not go_on:
            return
        if part == 0:
            v, w = pair[0], pair[1]
            if classes.first[v] > classes.first[w]:
                v, w = w, v
            names[i, 0], names[i, 1], losses[i] = classes.first[v], classes.first[w], loss
            merge(v, w, loss, shares, classes, tables)
        if not meet(part, board):
            return
