"""Brown's algorithm, windowed: words are added one by one, in order of frequency.

A new word is compared with every class; only classes that share a neighbour with it cost time. Most
often the new word is in the pair with the smallest loss, and is merged without becoming a class: the
bounds of ``_merge_kernels`` show that other pairs need not be examined.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.classes._loss_kernels import Classes, Tables, corner, g_of, m_of, renew_cell, shared
from firth.classes._merge_kernels import NONE, fold_row, least_pair, merge, pay
from firth.compute.kernels import kernel, loose_kernel
from firth.compute.portable_kernels import log

__all__ = [
    "Room",
    "Words",
    "add_words",
    "clear",
    "gather",
    "loss_with",
    "nearest_class",
    "put_into",
]

Array = npt.NDArray[Any]

_FLOAT32 = 2.0**-23
"""Twice the rounding error of one operation in single precision."""


class Words(NamedTuple):
    """How often words follow each other, in the order in which words are added."""

    f: Any
    after_start: Any
    after: Any
    after_count: Any
    before_start: Any
    before: Any
    before_count: Any


class Room(NamedTuple):
    """Scratch memory: arrays with one number for each slot."""

    out: Any
    """How often each class follows the current word."""
    into: Any
    """How often each class precedes it."""
    both: Any
    out_slots: Any
    into_slots: Any
    n_slots: Any
    """The number of slots in ``out_slots`` and ``into_slots``."""
    losses: Any
    sums: Any
    """float32."""
    pair: Any


@kernel
def _gather_side(
    x: int, start: Array, others: Array, counts: Array, slot_of: Array, cells: Array, slots: Array
) -> Any:
    """Sum the counts of one word by class; returns the number of classes and the count with itself."""
    n, itself = 0, np.int64(0)
    for e in range(start[x], start[x + 1]):
        if others[e] == x:
            itself = np.int64(counts[e])
            continue
        s = slot_of[others[e]]
        # words that are not active yet have no slot
        if s >= 0:
            # counts are positive, so a cell is zero only before its class is met
            if cells[s] == 0:
                slots[n] = s
                n += 1
            cells[s] += counts[e]
    return n, itself


@kernel
def gather(x: int, words: Words, slot_of: Array, room: Room) -> Any:
    """Sum the counts of a word by class, on both sides; returns its count with itself and the total."""
    n_out, itself = _gather_side(
        x, words.after_start, words.after, words.after_count, slot_of, room.out, room.out_slots
    )
    n_into, _ = _gather_side(
        x, words.before_start, words.before, words.before_count, slot_of, room.into, room.into_slots
    )
    room.n_slots[0], room.n_slots[1] = n_out, n_into
    # the cell of the word with itself is in its row and in its column
    a = 2 * itself
    for i in range(n_out):
        s = room.out_slots[i]
        a += room.out[s]
        room.both[s] += room.out[s]
    for i in range(n_into):
        s = room.into_slots[i]
        a += room.into[s]
        room.both[s] += room.into[s]
    return itself, a


@kernel
def clear(room: Room) -> Any:
    """Clear the counts of the current word."""
    for i in range(room.n_slots[0]):
        s = room.out_slots[i]
        room.out[s] = 0
        room.both[s] = 0
    for i in range(room.n_slots[1]):
        s = room.into_slots[i]
        room.into[s] = 0
        room.both[s] = 0


@kernel
def _subtract_shared(a: int, row: Array, losses: Array, tables: Tables) -> Any:
    """losses -= s(a, row)."""
    g = tables.g
    # unsigned indices spare the test for negative ones
    ga, top = g_of(a, tables), np.uint64(len(g))
    shift = np.uint64(a)
    for w in range(len(row)):
        b = np.uint64(row[w])
        both = b + shift
        if both < top:
            # exactly zero where b is zero, without a test
            losses[w] += g[b] + ga - g[both]
        else:
            losses[w] -= shared(a, np.int64(b), tables)


@kernel
def loss_with(
    w: int, f_x: int, itself: int, a_x: int, classes: Classes, tables: Tables, room: Room
) -> Any:
    """The exact loss of merging the current word with one class."""
    c, p, s = classes.follow[w], classes.precede[w], np.int64(0)
    # s is zero unless both counts are positive, so only the neighbours of the word matter
    for i in range(room.n_slots[0]):
        y = room.out_slots[i]
        s += shared(np.int64(room.out[y]), np.int64(c[y]), tables)
    for i in range(room.n_slots[1]):
        y = room.into_slots[i]
        s += shared(np.int64(room.into[y]), np.int64(p[y]), tables)
    return _whole_loss(w, -s, f_x, itself, a_x, classes, tables, room)


@kernel
def _whole_loss(
    w: int, loss: int, f_x: int, itself: int, a_x: int, classes: Classes, tables: Tables, room: Room
) -> Any:
    """The exact loss, given the sum of s over all cells."""
    out, into = np.int64(room.out[w]), np.int64(room.into[w])
    # the word becomes a class of its own first, which adds its cells to the margin of w
    f_w, a_w = classes.f[w], classes.a[w] + out + into
    loss += m_of(a_x + a_w, f_x + f_w, tables) - m_of(a_x, f_x, tables) - m_of(a_w, f_w, tables)
    if out > 0 or into > 0 or itself > 0:
        ww = np.int64(classes.follow[w, w])
        # the sum treated the cells of the word and w as ordinary ones; they belong to the corner
        loss += (
            shared(out, ww, tables)
            + shared(into, ww, tables)
            - corner(itself, out, into, ww, tables)
        )
    return loss


@kernel
def _add_side(
    cells: Array, slots: Array, n_slots: int, rows: Array, near: Array, room: Room, tables: Tables
) -> Any:
    """Sum s of the current word and each class on one side: approximately for small counts."""
    n_near, sums = near.shape[1], room.sums
    for i in range(n_slots):
        y = slots[i]
        a = np.int64(cells[y])
        if a <= n_near:
            # row y has s for all classes at once, contiguously
            row = near[y, a - 1]
            for w in range(len(row)):
                sums[w] += row[w]
        else:
            _subtract_shared(a, rows[y], room.losses, tables)


@loose_kernel
def _add_margins(f_x: int, a_x: int, classes: Classes, tables: Tables, room: Room) -> Any:
    """Add the contribution of the margins to the losses, and subtract the sums of s.

    ln(f_x + f) is the logarithm of the larger of the two, plus ln(1 + r) for the ratio r of the smaller:
    2 artanh(r / (2 + r)), a short series that is computed for many classes at once.
    """
    f, a, logs, losses = classes.f, classes.a, classes.log_f, room.losses
    log_x, tokens, cells = log(float(f_x)), float(f_x), float(a_x)
    for w in range(len(f)):
        # free slots have no tokens; their losses are replaced later
        here = max(float(f[w]), 1.0)
        t = min(tokens, here) / (2.0 * max(tokens, here) + min(tokens, here))
        u = t * t
        # t is at most 1/3, so these 15 terms reach the precision of float64
        series = 1.0 / 29.0
        for k in range(13, -1, -1):
            series = series * u + 1.0 / (2.0 * k + 1.0)
        both = max(log_x, logs[w]) + 2.0 * t * series
        nats = cells * (both - log_x) + float(a[w] + room.both[w]) * (both - logs[w])
        losses[w] += np.int64((nats - float(room.sums[w])) * tables.scale)


@kernel
def nearest_class(
    f_x: int, itself: int, a_x: int, classes: Classes, tables: Tables, room: Room
) -> Any:
    """The class with the smallest loss for the current word (the earliest if several), and that loss.

    Lower bounds of all losses are written to ``room.losses``. They are so tight that the exact loss of
    more than one class is rarely needed.
    """
    losses, f, out, into = room.losses, classes.f, room.out, room.into
    losses[:] = 0
    room.sums[:] = 0
    n_out, n_into = room.n_slots[0], room.n_slots[1]
    _add_side(out, room.out_slots, n_out, classes.precede, classes.near[1], room, tables)
    _add_side(into, room.into_slots, n_into, classes.follow, classes.near[0], room, tables)
    _add_margins(f_x, a_x, classes, tables, room)
    # no term is negative, so the rounding error of a sum is at most this share of it
    finest = float(n_out + n_into + 8) * _FLOAT32 * tables.scale
    best, least = np.int64(0), NONE
    for w in range(len(f)):
        if f[w] == 0:
            losses[w] = NONE
            continue
        if out[w] > 0 or into[w] > 0 or itself > 0:
            ww = np.int64(classes.follow[w, w])
            losses[w] += shared(out[w], ww, tables) + shared(into[w], ww, tables)
            losses[w] -= corner(itself, out[w], into[w], ww, tables)
        losses[w] -= np.int64(finest * room.sums[w]) + tables.slack
        if losses[w] < least:
            best, least = np.int64(w), losses[w]
    likely = best
    least = loss_with(best, f_x, itself, a_x, classes, tables, room)
    losses[best] = least
    for w in range(len(f)):
        # a bound above the best exact loss rules the class out
        if losses[w] <= least and w != likely:
            losses[w] = loss_with(w, f_x, itself, a_x, classes, tables, room)
            if losses[w] < least or (losses[w] == least and classes.first[w] < classes.first[best]):
                best, least = np.int64(w), losses[w]
    return best, least


@kernel
def put_into(
    z: int, sign: int, f_x: int, itself: int, a_x: int, classes: Classes, tables: Tables, room: Room
) -> Any:
    """Add the current word to class z (sign 1), or remove it (sign -1)."""
    c, p, a = classes.follow, classes.precede, classes.a
    c[z, z] += sign * itself
    p[z, z] += sign * itself
    for i in range(room.n_slots[0]):
        y, k = room.out_slots[i], sign * room.out[room.out_slots[i]]
        c[z, y] += k
        p[y, z] += k
        a[y] += k
    for i in range(room.n_slots[1]):
        y, k = room.into_slots[i], sign * room.into[room.into_slots[i]]
        c[y, z] += k
        p[z, y] += k
        a[y] += k
    # near is renewed at the end, because a cell may change in both loops
    for i in range(room.n_slots[0]):
        renew_cell(z, room.out_slots[i], classes, tables)
    for i in range(room.n_slots[1]):
        renew_cell(room.into_slots[i], z, classes, tables)
    renew_cell(z, z, classes, tables)
    a[z] += sign * a_x
    classes.f[z] += sign * f_x
    classes.log_f[z] = log(float(max(classes.f[z], 1)))


@kernel
def add_words(
    begin: int,
    end: int,
    words: Words,
    slot_of: Array,
    classes: Classes,
    tables: Tables,
    room: Room,
    names: Array,
    losses: Array,
) -> Any:
    """Add the words from ``begin`` to ``end``, each followed by the merge with the smallest loss.

    The first words of the two classes merged when word i was added are written to ``names[i]``.
    """
    pair = room.pair
    for x in range(begin, end):
        f_x = words.f[x]
        itself, a_x = gather(x, words, slot_of, room)
        z, least = nearest_class(f_x, itself, a_x, classes, tables, room)
        other = least_pair(least, classes, tables, pair, room.out, room.into, room.both, True)
        v, w = pair[0], pair[1]
        first = classes.first
        # on a tie the earlier first class wins; if it is z, then x is later than any other class
        if other < least or (other == least and min(first[v], first[w]) <= first[z]):
            if first[v] > first[w]:
                v, w = w, v
            names[x, 0], names[x, 1], losses[x] = first[v], first[w], other
            _merge_and_add(x, v, w, other, f_x, words, slot_of, classes, tables, room)
        else:
            names[x, 0], names[x, 1], losses[x] = first[z], x, least
            # before the counts of z change
            pay(z, least, f_x, -1, room.out, room.into, classes, tables)
            put_into(z, 1, f_x, itself, a_x, classes, tables, room)
            slot_of[x] = z
        clear(room)


@kernel
def _merge_and_add(
    x: int,
    v: int,
    w: int,
    loss: int,
    f_x: int,
    words: Words,
    slot_of: Array,
    classes: Classes,
    tables: Tables,
    room: Room,
) -> Any:
    """Merge two old classes; the new word becomes a class in the slot that becomes free."""
    f, bound, paid = classes.f, classes.bound, classes.paid
    merge(v, w, loss, classes, tables)
    for u in range(x):
        if slot_of[u] == w:
            slot_of[u] = v
    # two slots have become one, so the counts by class are gathered again
    clear(room)
    itself, a_x = gather(x, words, slot_of, room)
    put_into(w, 1, f_x, itself, a_x, classes, tables, room)
    slot_of[x] = w
    classes.first[w] = x
    paid[w] = 0
    # losses of pairs with the new word before the merge, less the loss of the merge, are bounds
    for y in range(len(f)):
        if y != w and f[y] > 0:
            loss_y = max(room.losses[v], room.losses[w]) if y == v else room.losses[y]
            bound[w, y] = loss_y - loss - 2 * tables.slack + paid[y]
            bound[y, w] = bound[w, y]
    # rows have pairs with lower slots, so those before w do not contain it
    for y in range(w, len(f)):
        if f[y] > 0:
            fold_row(y, classes)
