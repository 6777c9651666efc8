"""Brown's algorithm, windowed: words are added one by one, in order of frequency.

A new word is compared with every class; only classes that share a neighbour with it cost time. Most
often the new word is in the pair with the smallest loss, and is merged without becoming a class: the
bounds of ``_merge_kernels`` show that other pairs need not be examined.

Several threads share the work on a word. Each of them, a *part*, owns a range of columns of the tables:
it compares the word with these classes, and later puts the word into these columns. So parts read
nothing that another one is about to write, and meet only to agree on the best class and the best pair.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.classes._loss_kernels import Classes, Tables, corner, g_of, m_of, renew_cell, shared
from firth.classes._merge_kernels import (
    NONE,
    add_share,
    agreed_pair,
    find_shares,
    fold_rows,
    least_pair,
    merge,
    pay,
)
from firth.compute.kernels import kernel, loose_kernel
from firth.compute.meeting_kernels import leave, left_by, meet, share
from firth.compute.portable_kernels import log

__all__ = [
    "Room",
    "Words",
    "add_words",
    "agreed_class",
    "clear",
    "gather",
    "loss_with",
    "nearest_class",
    "put_column",
    "put_row",
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
    """Scratch memory of a part: arrays with one number for each slot."""

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
    all_losses: Any
    """Those of all parts, each of which writes its own range; only for a new class."""
    sums: Any
    """float32."""
    pair: Any
    shares: Any
    """What each class adds to the loss of a merge."""


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
    w: int, f_x: int, itself: int, a_x: int, here: int, classes: Classes, tables: Tables, room: Room
) -> Any:
    """The exact loss of merging the current word with class w, once it is taken out of class ``here``."""
    c, p, s = classes.follow, classes.precede, np.int64(0)
    # s is zero unless both counts are positive, so only the neighbours of the word matter;
    # read from the column of w, which its part owns
    for i in range(room.n_slots[0]):
        y = room.out_slots[i]
        k = np.int64(p[y, w]) - _own(y, w, here, itself, room.out, room.into)
        s += shared(np.int64(room.out[y]), k, tables)
    for i in range(room.n_slots[1]):
        y = room.into_slots[i]
        k = np.int64(c[y, w]) - _own(y, w, here, itself, room.into, room.out)
        s += shared(np.int64(room.into[y]), k, tables)
    out, into = np.int64(room.out[w]), np.int64(room.into[w])
    # the word becomes a class of its own first, which adds its cells to the margin of w
    f_w, a_w = classes.f[w], classes.a[w]
    if here < 0:
        a_w += out + into
    elif w == here:
        f_w, a_w = f_w - f_x, a_w - a_x
    loss = m_of(a_x + a_w, f_x + f_w, tables) - m_of(a_x, f_x, tables) - m_of(a_w, f_w, tables) - s
    if out > 0 or into > 0 or itself > 0:
        ww = np.int64(c[w, w]) - _own(w, w, here, itself, room.out, room.into)
        # the sum treated the cells of the word and w as ordinary ones; they belong to the corner
        loss += (
            shared(out, ww, tables)
            + shared(into, ww, tables)
            - corner(itself, out, into, ww, tables)
        )
    return loss


@kernel
def _own(y: int, w: int, here: int, itself: int, out: Array, into: Array) -> Any:
    """How much of precede[y, w] is due to the current word in class ``here``; that of follow, transposed."""
    if y == here:
        return itself + out[w] + into[w] if w == here else into[w]
    return out[y] if w == here else np.int64(0)


@kernel
def _add_side(
    cells: Array, others: Array, slots: Array, n_slots: int, rows: Array, near: Array, here: int,
    begin: int, end: int, room: Room, tables: Tables,
) -> Any:  # fmt: skip
    """Sum s of the current word and some classes on one side: approximately for small counts."""
    n_near, sums, losses = near.shape[1], room.sums[begin:end], room.losses[begin:end]
    for i in range(n_slots):
        y = slots[i]
        a = np.int64(cells[y])
        if y == here:
            # without the word itself, which adds to the other side of these cells
            for w in range(begin, end):
                losses[w - begin] -= shared(a, np.int64(rows[y, w]) - others[w], tables)
        elif a <= n_near:
            # row y has s for all classes at once, contiguously
            row = near[y, a - 1, begin:end]
            for w in range(len(row)):
                sums[w] += row[w]
        else:
            _subtract_shared(a, rows[y, begin:end], losses, tables)


@loose_kernel
def _add_margins(
    f_x: int, a_x: int, here: int, begin: int, end: int,
    classes: Classes, tables: Tables, room: Room,
) -> Any:  # fmt: skip
    """Add the contribution of the margins to the losses, and subtract the sums of s.

    ln(f_x + f) is the logarithm of the larger of the two, plus ln(1 + r) for the ratio r of the smaller:
    2 artanh(r / (2 + r)), a short series that is computed for many classes at once.
    """
    f, a, logs = classes.f[begin:end], classes.a[begin:end], classes.log_f[begin:end]
    losses, sums, mine = room.losses[begin:end], room.sums[begin:end], room.both[begin:end]
    log_x, tokens, cells = log(float(f_x)), float(f_x), float(a_x)
    # margins have the cells of a word in a class; a new word adds its own
    new = 1 if here < 0 else 0
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
        nats = cells * (both - log_x) + float(a[w] + new * mine[w]) * (both - logs[w])
        losses[w] += np.int64((nats - float(sums[w])) * tables.scale)


@kernel
def nearest_class(
    f_x: int, itself: int, a_x: int, here: int, begin: int, end: int,
    classes: Classes, tables: Tables, room: Room,
) -> Any:  # fmt: skip
    """The class with the smallest loss for the current word, and that loss.

    Among the classes from ``begin`` to ``end``; the loss is NONE if there are none. ``here`` is the class
    of the word, as if it were taken out first, or -1. Lower bounds of all losses are written to
    ``room.losses``, with the exact one for ``here``. They are so tight that the exact loss of more than
    one class is rarely needed.
    """
    losses, f, out, into = room.losses, classes.f, room.out, room.into
    for w in range(begin, end):
        losses[w], room.sums[w] = 0, 0.0
    n_out, n_into = room.n_slots[0], room.n_slots[1]
    _add_side(
        out, into, room.out_slots, n_out, classes.precede, classes.near[1], here,
        begin, end, room, tables,
    )  # fmt: skip
    _add_side(
        into, out, room.into_slots, n_into, classes.follow, classes.near[0], here,
        begin, end, room, tables,
    )  # fmt: skip
    _add_margins(f_x, a_x, here, begin, end, classes, tables, room)
    # no term is negative, so the rounding error of a sum is at most this share of it
    finest = float(n_out + n_into + 8) * _FLOAT32 * tables.scale
    best, least = np.int64(-1), NONE
    for w in range(begin, end):
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
    if begin <= here < end:
        best = np.int64(here)
    if best < 0:
        return best, least
    likely = best
    least = loss_with(best, f_x, itself, a_x, here, classes, tables, room)
    losses[best] = least
    for w in range(begin, end):
        # a bound above the best exact loss rules the class out
        if losses[w] <= least and w != likely:
            losses[w] = loss_with(w, f_x, itself, a_x, here, classes, tables, room)
            if losses[w] < least or (losses[w] == least and _preferred(w, best, here, classes)):
                best, least = np.int64(w), losses[w]
    return best, least


@kernel
def _preferred(v: int, w: int, here: int, classes: Classes) -> Any:
    """Whether class v comes before w if losses are equal: a word stays, or joins the earliest class."""
    return v == here or (w != here and classes.first[v] < classes.first[w])


@kernel
def agreed_class(z: int, loss: int, classes: Classes, board: Array, part: int) -> Any:
    """Whether the parts go on; the nearest of the classes that they found, and its loss. Each calls this."""
    leave(loss, z, 0, part, board)
    if not meet(part, board):
        return False, z, loss
    for other in range(len(board) - 1):
        found, w, _ = left_by(other, part, board)
        if found < loss or (found == loss and w != z and _preferred(w, z, -1, classes)):
            loss, z = found, w
    return True, z, loss


@kernel
def put_row(
    z: int, sign: int, itself: int, begin: int, end: int,
    classes: Classes, tables: Tables, room: Room,
) -> Any:  # fmt: skip
    """Add the current word to the row of class z (sign 1), or remove it (-1): columns ``begin`` to ``end``."""
    c, p, a, out, into = classes.follow, classes.precede, classes.a, room.out, room.into
    for side in range(2):
        cells, slots, counts = (c, room.out_slots, out) if side == 0 else (p, room.into_slots, into)
        for i in range(room.n_slots[side]):
            y = slots[i]
            if begin <= y < end and y != z:
                cells[z, y] += sign * counts[y]
                a[y] += sign * counts[y]
                renew_cell(side, z, y, classes, tables)
    if begin <= z < end:
        # the class follows itself where the word and the class follow each other
        k = sign * (itself + out[z] + into[z])
        c[z, z] += k
        p[z, z] += k
        renew_cell(0, z, z, classes, tables)
        renew_cell(1, z, z, classes, tables)


@kernel
def put_column(
    z: int, sign: int, f_x: int, a_x: int, classes: Classes, tables: Tables, room: Room
) -> Any:
    """The same for the column of class z, and its margins; only the part that owns the column calls this."""
    c, p, a, out, into = classes.follow, classes.precede, classes.a, room.out, room.into
    for side in range(2):
        cells, slots, counts = (p, room.out_slots, out) if side == 0 else (c, room.into_slots, into)
        for i in range(room.n_slots[side]):
            y = slots[i]
            if y != z:
                cells[y, z] += sign * counts[y]
                renew_cell(1 - side, y, z, classes, tables)
    a[z] += sign * (a_x + out[z] + into[z])
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
    board: Array,
    part: int,
) -> Any:
    """Add the words from ``begin`` to ``end``, each followed by the merge with the smallest loss.

    Called by every part. The first words of the two classes merged when word i was added are written to
    ``names[i]``.
    """
    pair, first = room.pair, classes.first
    left, right = share(part, len(classes.f), board)
    for x in range(begin, end):
        f_x = words.f[x]
        itself, a_x = gather(x, words, slot_of, room)
        z, least = nearest_class(f_x, itself, a_x, -1, left, right, classes, tables, room)
        go_on, z, least = agreed_class(z, least, classes, board, part)
        if not go_on:
            return
        # by every part, and before any of them puts the word into its columns
        _find_shares(z, f_x, classes, tables, room)
        other = least_pair(least, classes, tables, pair, room.out, room.into, room.both, True, part)
        go_on, other = agreed_pair(other, pair, classes, board, part)
        if not go_on:
            return
        v, w = pair[0], pair[1]
        # on a tie the earlier first class wins; if it is z, then x is later than any other class
        if other < least or (other == least and min(first[v], first[w]) <= first[z]):
            if first[v] > first[w]:
                v, w = w, v
            for y in range(left, right):
                room.all_losses[y] = room.losses[y]
            if not meet(part, board):
                return
            if part == 0:
                names[x, 0], names[x, 1], losses[x] = first[v], first[w], other
                _merge_and_add(x, v, w, other, f_x, words, slot_of, classes, tables, room)
            if not meet(part, board):
                return
        else:
            if part == 0:
                names[x, 0], names[x, 1], losses[x] = first[z], x, least
            pay(z, least, room.shares, part, classes, tables)
            put_row(z, 1, itself, left, right, classes, tables, room)
            if left <= z < right:
                put_column(z, 1, f_x, a_x, classes, tables, room)
            # by all parts: each of them reads it before it meets the others
            slot_of[x] = z
        clear(room)


@kernel
def _find_shares(z: int, f_x: int, classes: Classes, tables: Tables, room: Room) -> Any:
    """What each class adds to the loss of merging the current word with class z."""
    shares, out, into = room.shares, room.out, room.into
    to_x = find_shares(z, f_x, shares, classes, tables)
    for i in range(room.n_slots[0]):
        y = room.out_slots[i]
        add_share(z, y, out[y], into[y], to_x, shares, classes, tables)
    for i in range(room.n_slots[1]):
        y = room.into_slots[i]
        if out[y] == 0:
            add_share(z, y, out[y], into[y], to_x, shares, classes, tables)


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
    f, bound, paid, n = classes.f, classes.bound, classes.paid, len(classes.f)
    merge(v, w, loss, room.shares, classes, tables)
    for u in range(x):
        if slot_of[u] == w:
            slot_of[u] = v
    # two slots have become one, so the counts by class are gathered again
    clear(room)
    itself, a_x = gather(x, words, slot_of, room)
    put_row(w, 1, itself, 0, n, classes, tables, room)
    put_column(w, 1, f_x, a_x, classes, tables, room)
    slot_of[x] = w
    classes.first[w] = x
    paid[:, w] = 0
    # losses of pairs with the new word before the merge, less the loss of the merge, are bounds
    old = room.all_losses
    for y in range(n):
        if y != w and f[y] > 0:
            loss_y = max(old[v], old[w]) if y == v else old[y]
            bound[w, y] = loss_y - loss - 2 * tables.slack + paid[0, y]
            bound[y, w] = bound[w, y]
    # rows have pairs with lower slots, so those before w do not contain it
    fold_rows(w, classes)
