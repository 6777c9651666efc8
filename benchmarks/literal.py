"""Plain peers for the word-class benchmarks: two clusterings, written down as a paper states them.

Both follow Stratos, Kim, Collins and Hsu (2014), "A spectral algorithm for learning class-based
n-gram models of natural language", with no shortcut of ours. They stand in for the C++ programs that
paper times:

- ``start``, ``run`` and ``brown``: Brown clustering in a window of m classes (figure 1), with Liang's
  table of losses kept up to date in O(1) a pair (figure 7): O(m^3) to start, O(m^2) a step;
- ``ward_start``, ``ward_run`` and ``ward``: the variant of Ward's algorithm in figure 5.

All arithmetic is in 64-bit floats on one thread. What a careful C++ author would do is done: rows are
read in order (the pair table is also kept transposed), only the upper triangle of the losses is kept,
whatever does not depend on the pair is taken out of the loop over pairs, and 0 log 0 costs no
logarithm. The logarithm is the one of the C library, one value at a time; there is no table of
logarithms, no bound and no pruning.

Word i is the (i + 1)-th most frequent word. Compilation happens at the first call: ``warm_up`` does it
before the clock starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
State = tuple[Any, ...]

Function = TypeVar("Function", bound=Callable[..., Any])


def _jit(function: Function) -> Function:
    return cast(Function, numba.njit(error_model="numpy")(function))


def _jit_sum(function: Function) -> Function:
    """Compiled, with leave to add up in any order."""
    return cast(
        Function, numba.njit(error_model="numpy", fastmath={"reassoc", "contract", "nsz"})(function)
    )


# ---------------------------------------------------------------------------------------------------
# Brown
# ---------------------------------------------------------------------------------------------------


@_jit
def _term(p: float, independent: float) -> float:
    """One cell of the mutual information: its probability, and what independence would make of it."""
    if p > 0.0:
        return p * math.log(p / independent)
    return 0.0


@_jit
def _gather(
    row_a: Floats,
    row_b: Floats,
    col_a: Floats,
    col_b: Floats,
    p1: Floats,
    p_ab: float,
    low: int,
    high: int,
    cells: Floats,
    ratios: Floats,
    n_cells: int,
) -> int:
    """The cells that a merged pair would share with slots low..high, those of zero left out.

    They are set down without a branch: the logarithms, taken in a loop of their own, then never wait
    for a guess about which cells are zero. Returns the new number of cells.
    """
    for w in range(low, high):
        independent = p_ab * p1[w]
        p = row_a[w] + row_b[w]
        cells[n_cells] = p
        ratios[n_cells] = p / independent
        n_cells += p > 0.0
        p = col_a[w] + col_b[w]
        cells[n_cells] = p
        ratios[n_cells] = p / independent
        n_cells += p > 0.0
    return n_cells


@_jit
def _loss(
    p1: Floats,
    p2: Floats,
    p2t: Floats,
    q2: Floats,
    a: int,
    b: int,
    k: int,
    cells: Floats,
    ratios: Floats,
) -> float:
    """The loss of merging a and b (a < b) among k classes, from scratch: O(k).

    ``cells`` and ``ratios`` are scratch for 2k numbers each.
    """
    ra, rb, ca, cb, qa, qb = p2[a], p2[b], p2t[a], p2t[b], q2[a], q2[b]
    p_ab = p1[a] + p1[b]
    before = 0.0
    for w in range(k):
        before += qa[w] + qb[w]
    before -= qa[b]  # counted twice, in both rows
    n_cells = _gather(ra, rb, ca, cb, p1, p_ab, 0, a, cells, ratios, 0)
    n_cells = _gather(ra, rb, ca, cb, p1, p_ab, a + 1, b, cells, ratios, n_cells)
    n_cells = _gather(ra, rb, ca, cb, p1, p_ab, b + 1, k, cells, ratios, n_cells)
    after = _term(ra[a] + ra[b] + rb[a] + rb[b], p_ab * p_ab)
    for i in range(n_cells):
        after += cells[i] * math.log(ratios[i])
    loss: float = before - after
    return loss


@_jit
def _all_losses(p1: Floats, p2: Floats, p2t: Floats, q2: Floats, l2: Floats, k: int) -> None:
    """The losses of all pairs of the first k slots, from scratch: O(k^3)."""
    cells, ratios = np.empty(2 * k), np.empty(2 * k)
    for a in range(k):
        for b in range(a + 1, k):
            l2[a, b] = _loss(p1, p2, p2t, q2, a, b, k, cells, ratios)


@_jit
def _fill_q2(p1: Floats, p2: Floats, p2t: Floats, q2: Floats, s: int, k: int) -> None:
    """Both cells that slot s shares with each of the first k slots; its own cell once."""
    for w in range(k):
        independent = p1[s] * p1[w]
        q = _term(p2[s, w], independent)
        if w != s:
            q += _term(p2t[s, w], independent)
        q2[s, w] = q
        q2[w, s] = q


@_jit
def _transpose(indptr: Ints, indices: Ints, data: Floats, n: int) -> tuple[Ints, Ints, Floats]:
    t_indptr = np.zeros(n + 1, np.int64)
    for j in indices:
        t_indptr[j + 1] += 1
    for j in range(n):
        t_indptr[j + 1] += t_indptr[j]
    place = t_indptr[:n].copy()
    t_indices = np.empty(len(indices), np.int64)
    t_data = np.empty(len(indices), np.float64)
    for i in range(n):
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            t_indices[place[j]] = i
            t_data[place[j]] = data[at]
            place[j] += 1
    return t_indptr, t_indices, t_data


@_jit
def _root(parent: Ints, word: int) -> int:
    """The smallest word of a word's class."""
    while parent[word] != word:
        parent[word] = parent[parent[word]]
        word = parent[word]
    return word


@_jit
def _fill_p2(
    p2: Floats,
    p2t: Floats,
    sparse: tuple[Ints, Ints, Floats],
    sparse_t: tuple[Ints, Ints, Floats],
    parent: Ints,
    slot_of: Ints,
    n_tokens: float,
    word: int,
    s: int,
    k: int,
) -> None:
    """The row and the column of slot s, which holds one word, over the first k slots."""
    row, col = p2[s], p2t[s]
    for w in range(k):
        row[w] = 0.0
        col[w] = 0.0
    for at in range(sparse[0][word], sparse[0][word + 1]):
        w = slot_of[_root(parent, sparse[1][at])]
        if w >= 0:
            row[w] += sparse[2][at]
    for at in range(sparse_t[0][word], sparse_t[0][word + 1]):
        w = slot_of[_root(parent, sparse_t[1][at])]
        if w >= 0:
            col[w] += sparse_t[2][at]
    for w in range(k):
        row[w] /= n_tokens
        col[w] /= n_tokens
        p2t[w, s] = row[w]
        p2[w, s] = col[w]


@_jit
def _start(
    indptr: Ints, indices: Ints, data: Floats, counts: Floats, m: int
) -> tuple[tuple[Ints, Ints, Floats], Floats, Floats, Floats, Floats, Floats, Ints, Ints, Ints]:
    n = len(counts)
    n_tokens = counts.sum()
    sparse = (indptr, indices, data)
    sparse_t = _transpose(indptr, indices, data, n)
    p1 = np.zeros(m + 1)
    p2 = np.zeros((m + 1, m + 1))
    p2t = np.zeros((m + 1, m + 1))
    q2 = np.zeros((m + 1, m + 1))
    l2 = np.zeros((m + 1, m + 1))
    smallest = np.full(m + 1, -1, np.int64)
    slot_of = np.full(n, -1, np.int64)
    parent = np.arange(n)
    for s in range(m):
        p1[s] = counts[s] / n_tokens
        smallest[s] = s
        slot_of[s] = s
    for s in range(m):
        _fill_p2(p2, p2t, sparse, sparse_t, parent, slot_of, n_tokens, s, s, m)
    for s in range(m):
        _fill_q2(p1, p2, p2t, q2, s, m)
    _all_losses(p1, p2, p2t, q2, l2, m)
    return sparse_t, p1, p2, p2t, q2, l2, smallest, slot_of, parent


@_jit
def _insert(p1: Floats, p2: Floats, p2t: Floats, q2: Floats, l2: Floats, k: int) -> None:
    """The losses after slot k, already filled, has joined the slots before it."""
    row, col, q = p2[k], p2t[k], q2[k]
    p_new = p1[k]
    for v in range(k):
        row_v, col_v, q_v, p_v = row[v], col[v], q[v], p1[v]
        losses = l2[v]
        for w in range(v + 1, k):
            independent = (p_v + p1[w]) * p_new
            x = losses[w] + (q_v + q[w])
            x -= _term(row_v + row[w], independent)
            x -= _term(col_v + col[w], independent)
            losses[w] = x
    cells, ratios = np.empty(2 * k + 2), np.empty(2 * k + 2)
    for v in range(k):
        l2[v, k] = _loss(p1, p2, p2t, q2, v, k, k + 1, cells, ratios)


@_jit
def _least(l2: Floats, smallest: Ints, k: int, tolerance: float) -> tuple[int, int]:
    """The pair of least loss; of those no further than the tolerance from it, the first in order."""
    rows = np.empty(k)
    least = np.inf
    for v in range(k):
        losses = l2[v]
        low = np.inf
        for w in range(v + 1, k):
            if losses[w] < low:
                low = losses[w]
        rows[v] = low
        if low < least:
            least = low
    limit = least + tolerance
    best_v, best_w = -1, -1
    for v in range(k - 1):
        if rows[v] > limit:
            continue
        for w in range(v + 1, k):
            if l2[v, w] > limit:
                continue
            a, b = v, w
            if smallest[a] > smallest[b]:
                a, b = w, v
            if (
                best_v < 0
                or smallest[a] < smallest[best_v]
                or (smallest[a] == smallest[best_v] and smallest[b] < smallest[best_w])
            ):
                best_v, best_w = a, b
    return best_v, best_w


@_jit
def _merge(
    p1: Floats, p2: Floats, p2t: Floats, q2: Floats, l2: Floats, s: int, t: int, k: int
) -> None:
    """Slots s and t of k become one: s now holds it, and the last slot has moved into t.

    (Where s was the last slot, the merged class is in t.) The losses of all pairs are up to date.
    """
    rs, cs, qs, p_s = p2[s].copy(), p2t[s].copy(), q2[s].copy(), p1[s]
    rt, ct, qt, p_t = p2[t].copy(), p2t[t].copy(), q2[t].copy(), p1[t]
    p_u = p_s + p_t
    ru, cu, gone = np.empty(k), np.empty(k), np.empty(k)
    for v in range(k):
        ru[v] = rs[v] + rt[v]
        cu[v] = cs[v] + ct[v]
        independent = p_u * p1[v]
        gone[v] = qs[v] + qt[v] - _term(ru[v], independent) - _term(cu[v], independent)

    # Figure 7, for all pairs of other classes. Columns s and t are written too, and replaced below.
    for v in range(k):
        if v in (s, t):
            continue
        p_v, gone_v = p1[v], gone[v]
        rs_v, cs_v, rt_v, ct_v, ru_v, cu_v = rs[v], cs[v], rt[v], ct[v], ru[v], cu[v]
        losses = l2[v]
        for w in range(v + 1, k):
            p_vw = p_v + p1[w]
            x = losses[w] - (gone_v + gone[w])
            independent = p_vw * p_s
            x += _term(rs_v + rs[w], independent) + _term(cs_v + cs[w], independent)
            independent = p_vw * p_t
            x += _term(rt_v + rt[w], independent) + _term(ct_v + ct[w], independent)
            independent = p_vw * p_u
            x -= _term(ru_v + ru[w], independent) + _term(cu_v + cu[w], independent)
            losses[w] = x

    # The merged class, in slot s.
    own = rs[s] + rs[t] + rt[s] + rt[t]
    p1[s] = p_u
    for v in range(k):
        p2[s, v] = ru[v]
        p2t[v, s] = ru[v]
        p2t[s, v] = cu[v]
        p2[v, s] = cu[v]
    p2[s, s] = own
    p2t[s, s] = own

    # The last slot fills the hole.
    last = k - 1
    if t != last:
        p1[t] = p1[last]
        for table in (p2, p2t, q2):
            for v in range(k):
                table[t, v] = table[last, v]
            for v in range(last):
                table[v, t] = table[v, last]
        for v in range(last):
            if v < t:
                l2[v, t] = l2[v, last]
            elif v > t:
                l2[t, v] = l2[v, last]
    if s == last:
        s = t

    # The losses of the merged class, from scratch.
    _fill_q2(p1, p2, p2t, q2, s, last)
    cells, ratios = np.empty(2 * k), np.empty(2 * k)
    for v in range(s):
        l2[v, s] = _loss(p1, p2, p2t, q2, v, s, last, cells, ratios)
    for v in range(s + 1, last):
        l2[s, v] = _loss(p1, p2, p2t, q2, s, v, last, cells, ratios)


@_jit
def _run(
    sparse: tuple[Ints, Ints, Floats],
    sparse_t: tuple[Ints, Ints, Floats],
    counts: Floats,
    n_tokens: float,
    p1: Floats,
    p2: Floats,
    p2t: Floats,
    q2: Floats,
    l2: Floats,
    smallest: Ints,
    slot_of: Ints,
    parent: Ints,
    first: int,
    n_steps: int,
    tolerance: float,
) -> tuple[Ints, Floats]:
    n, m = len(counts), len(p1) - 1
    merges = np.empty((n_steps, 2), np.int64)
    lost = np.empty(n_steps)
    for step in range(first, first + n_steps):
        word = m + step
        if word < n:
            k = m + 1
            p1[m] = counts[word] / n_tokens
            smallest[m] = word
            slot_of[word] = m
            _fill_p2(p2, p2t, sparse, sparse_t, parent, slot_of, n_tokens, word, m, k)
            _fill_q2(p1, p2, p2t, q2, m, k)
            _insert(p1, p2, p2t, q2, l2, m)
        else:
            k = m - (word - n)
        s, t = _least(l2, smallest, k, tolerance)
        lost[step - first] = l2[min(s, t), max(s, t)]
        kept, other = smallest[s], smallest[t]
        merges[step - first, 0] = kept
        merges[step - first, 1] = other
        _merge(p1, p2, p2t, q2, l2, s, t, k)
        parent[other] = kept
        slot_of[other] = -1
        last = k - 1
        if t != last:
            smallest[t] = smallest[last]
            slot_of[smallest[t]] = t
        smallest[last] = -1
    return merges, lost


def start(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], counts: NDArray[Any], m: int
) -> State:
    """The first m words as classes, and the loss of each pair of them: what ``run`` works on.

    ``indptr``, ``indices`` and ``data`` are the counts of pairs (row: the word before) in CSR form;
    ``counts`` are those of the words, in decreasing order. Their sum is N.
    """
    counts = np.ascontiguousarray(counts, np.float64)
    if np.any(counts[1:] > counts[:-1]):
        raise ValueError("the words must be in decreasing order of frequency")
    sparse = (
        np.ascontiguousarray(indptr, np.int64),
        np.ascontiguousarray(indices, np.int64),
        np.ascontiguousarray(data, np.float64),
    )
    sparse_t, *tables = _start(*sparse, counts, min(m, len(counts)))
    return (sparse, sparse_t, counts, float(counts.sum()), *tables)


def run(state: State, first: int, n_steps: int, tolerance: float = 1e-14) -> tuple[Ints, Floats]:
    """Steps ``first`` to ``first + n_steps``, the state changed in place: the merges and their losses.

    Step 0 is the first after ``start``; a run must go on where the last one ended. A step inserts a
    word and merges a pair; once all words are in, it only merges, until one class is left. A merge is
    the smallest word of the class that is kept (the smaller of the two) and that of the other. Losses
    within ``tolerance`` (some tens of times their rounding error) of the least are taken as equal; of
    equal ones, the first pair in the order of the classes' smallest words is merged.
    """
    n_steps = max(0, min(n_steps, len(state[2]) - 1 - first))
    arguments: State = (*state, first, n_steps, tolerance)
    return _run(*arguments)


def brown(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    counts: NDArray[Any],
    m: int,
    n_steps: int,
    tolerance: float = 1e-14,
) -> Ints:
    """``start``, then the first ``n_steps`` steps of ``run``: the merges, one a row."""
    return run(start(indptr, indices, data, counts, m), 0, n_steps, tolerance)[0]


# ---------------------------------------------------------------------------------------------------
# Ward
# ---------------------------------------------------------------------------------------------------


@_jit_sum
def _squared(x: Floats, y: Floats) -> float:
    """The squared distance; the sum may be taken in any order, so that it can be vectorised."""
    total = 0.0
    for i in range(len(x)):
        difference = x[i] - y[i]
        total += difference * difference
    return total


@_jit
def _tighten(
    means: Floats,
    sizes: Floats,
    smallest: Ints,
    nearest: Ints,
    lowerbound: Floats,
    tight: NDArray[np.bool_],
    c: int,
) -> None:
    """The nearest class and its distance (equation 2), by comparison with all active ones."""
    best, arg = np.inf, -1
    mean, size = means[c], sizes[c]
    for other in range(len(sizes)):
        if other == c or sizes[other] == 0.0:
            continue
        scale = size * sizes[other] / (size + sizes[other])
        distance = scale * _squared(mean, means[other])
        if distance < best or (distance == best and smallest[other] < smallest[arg]):
            best, arg = distance, other
    nearest[c] = arg
    lowerbound[c] = best
    tight[c] = True


@_jit
def _lowest(sizes: Floats, smallest: Ints, lowerbound: Floats) -> int:
    """The active class of least bound."""
    best, arg = np.inf, -1
    for c in range(len(sizes)):
        if sizes[c] == 0.0:
            continue
        bound = lowerbound[c]
        if arg < 0 or bound < best or (bound == best and smallest[c] < smallest[arg]):
            best, arg = bound, c
    return arg


@_jit
def _ward_start(
    means: Floats,
    sizes: Floats,
    smallest: Ints,
    nearest: Ints,
    lowerbound: Floats,
    tight: NDArray[np.bool_],
) -> None:
    for c in range(len(sizes) - 1):
        _tighten(means, sizes, smallest, nearest, lowerbound, tight, c)


@_jit
def _ward_run(
    vectors: Floats,
    means: Floats,
    sizes: Floats,
    smallest: Ints,
    nearest: Ints,
    lowerbound: Floats,
    tight: NDArray[np.bool_],
    first: int,
    n_steps: int,
) -> tuple[Ints, int]:
    n, m = len(vectors), len(sizes) - 1
    merges = np.empty((n_steps, 2), np.int64)
    searches = 0
    free = 0
    while sizes[free] > 0.0:
        free += 1
    for step in range(first, first + n_steps):
        word = m + step
        if word < n:
            means[free, :] = vectors[word]
            sizes[free] = 1.0
            smallest[free] = word
            _tighten(means, sizes, smallest, nearest, lowerbound, tight, free)
        c = _lowest(sizes, smallest, lowerbound)
        searches += 1
        while not tight[c]:
            _tighten(means, sizes, smallest, nearest, lowerbound, tight, c)
            c = _lowest(sizes, smallest, lowerbound)
            searches += 1
        other = nearest[c]
        # The union stays in the slot of the smaller word. It has the bound of the pair, now loose.
        s, t = c, other
        if smallest[s] > smallest[t]:
            s, t = t, s
        merges[step - first, 0] = smallest[s]
        merges[step - first, 1] = smallest[t]
        both = sizes[s] + sizes[t]
        weight_s, weight_t = sizes[s] / both, sizes[t] / both
        for i in range(means.shape[1]):
            means[s, i] = weight_s * means[s, i] + weight_t * means[t, i]
        sizes[s] = both
        sizes[t] = 0.0
        lowerbound[s] = lowerbound[c]
        nearest[s] = t
        free = t
        for v in range(m + 1):
            if nearest[v] == s or nearest[v] == t:
                tight[v] = False
    return merges, searches


def ward_start(vectors: NDArray[Any], m: int) -> State:
    """Step 1 of figure 5: the first m vectors as classes, each with its nearest."""
    vectors = np.ascontiguousarray(vectors, np.float64)
    m = min(m, len(vectors))
    means = np.zeros((m + 1, vectors.shape[1]))
    means[:m] = vectors[:m]
    sizes = np.ones(m + 1)
    sizes[m] = 0.0
    smallest = np.arange(m + 1)
    nearest = np.full(m + 1, -1, np.int64)
    lowerbound = np.zeros(m + 1)
    tight = np.zeros(m + 1, np.bool_)
    _ward_start(means, sizes, smallest, nearest, lowerbound, tight)
    return vectors, means, sizes, smallest, nearest, lowerbound, tight


def ward_run(state: State, first: int, n_steps: int) -> tuple[Ints, float]:
    """Iterations ``first`` to ``first + n_steps`` of step 2, the state changed in place.

    Returns the merges, as ``run`` does, and gamma: how often, in the mean, an iteration looked for the
    least bound. While words are still coming in, that is also how often it called ``tighten``.
    """
    n_steps = max(0, min(n_steps, len(state[0]) - 1 - first))
    arguments: State = (*state, first, n_steps)
    merges, searches = _ward_run(*arguments)
    return merges, searches / max(n_steps, 1)


def ward(vectors: NDArray[Any], m: int, n_steps: int) -> tuple[Ints, float]:
    """``ward_start``, then the first ``n_steps`` iterations of ``ward_run``: the merges, and gamma."""
    return ward_run(ward_start(vectors, m), 0, n_steps)


def warm_up() -> None:
    """Compile everything, on a toy."""
    n = 6
    indptr = np.arange(0, n * n + 1, n)
    brown(indptr, np.tile(np.arange(n), n), np.ones(n * n), np.full(n, n), 3, n)
    ward(np.eye(n), 3, n)
