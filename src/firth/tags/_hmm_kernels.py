"""Forward, backward and Viterbi passes over many sentences; scaled at every step.

Symbols of a sentence are numbered; emissions have a row for each symbol, transitions a row for the state
before, and a padded width: states past the last have probability zero everywhere.

A step at which every state has probability zero is passed over as if its symbol said nothing: the
likelihood is zero, the rest of the sentence is still told.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel, loose_kernel

__all__ = ["expect", "expect_fixed", "forward", "most_probable", "posterior", "scatter", "viterbi"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Symbols = npt.NDArray[np.int32]

_NOTHING = 1e-280
"""A state that is less probable than this, given what came before, is given up."""


@loose_kernel
def _times(row: Floats, matrix: Floats, product: Floats) -> None:
    """product = row · matrix, four rows of the matrix at a time; the width is a multiple of four."""
    m = len(row)
    for j in range(m):
        product[j] = 0.0
    # each number of the product is read and written once for four rows
    for i in range(0, m, 4):
        a, b, c, d = row[i], row[i + 1], row[i + 2], row[i + 3]
        first, second, third, fourth = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        for j in range(m):
            product[j] += (a * first[j] + b * second[j]) + (c * third[j] + d * fourth[j])


@loose_kernel
def _scale(emitted: Floats, after: Floats, m: int) -> float:
    """after ∘ emitted, scaled to sum to one; gives the sum, or 0 where the symbol was passed over."""
    total, without = 0.0, 0.0
    for j in range(m):
        p = after[j] if after[j] > _NOTHING else 0.0
        after[j] = p
        total += p * emitted[j]
        without += p
    # next to nothing counts as zero, because its inverse could overflow
    if total > 1e-290:
        inverse = 1.0 / total
        for j in range(m):
            p = after[j] * emitted[j] * inverse
            after[j] = p if p > _NOTHING else 0.0
        return total
    # not zero: probabilities before the symbol sum to one, apart from states given up
    inverse = 1.0 / without
    for j in range(m):
        after[j] *= inverse
    return 0.0


@kernel
def forward(
    symbols: Symbols, start: int, end: int, initial: Floats, transition: Floats, emission: Floats,
    alphas: Floats, scales: Floats,
) -> float:  # fmt: skip
    """Probabilities of the states given what came so far; returns the log-likelihood of the sentence."""
    m = len(initial)
    total = 0.0
    for t in range(end - start):
        emitted = emission[symbols[start + t]]
        if t == 0:
            for j in range(m):
                alphas[0, j] = initial[j]
            scale = _scale(emitted, alphas[0], m)
        else:
            _times(alphas[t - 1], transition, alphas[t])
            scale = _scale(emitted, alphas[t], m)
        scales[t] = scale
        total += math.log(scale) if scale > 0.0 else -math.inf
    return total


@loose_kernel
def _back(
    n: int, symbols: Symbols, start: int, turned: Floats, emission: Floats,
    alphas: Floats, scales: Floats, messages: Floats, beta: Floats,
) -> None:  # fmt: skip
    """Turn ``alphas`` into posteriors; leaves what each step sent back in ``messages``.

    ``messages[t]`` is emission times backward probability of step t, scaled. States that were given up
    send nothing: their backward probability, beside that of others, may be beyond all bounds.
    """
    m = alphas.shape[1]
    for j in range(m):
        beta[j] = 1.0
    for t in range(n - 1, -1, -1):
        scale = scales[t]
        message = messages[t]
        alpha = alphas[t]
        for j in range(m):
            beta[j] = beta[j] if alpha[j] > 0.0 else 0.0
        # the scale of the forward pass keeps backward probabilities in range, too
        if scale > 0.0:
            emitted = emission[symbols[start + t]]
            inverse = 1.0 / scale
            for j in range(m):
                message[j] = emitted[j] * beta[j] * inverse
        else:
            for j in range(m):
                message[j] = beta[j]
        for j in range(m):
            alpha[j] *= beta[j]
        if t > 0:
            # transposed transitions, so that rows are read contiguously
            _times(message, turned, beta)


@loose_kernel
def _normalise(rows: Floats, n: int) -> None:
    m = rows.shape[1]
    for t in range(n):
        total = 0.0
        for j in range(m):
            total += rows[t, j]
        inverse = 1.0 / total if total > 1e-290 else 0.0
        for j in range(m):
            rows[t, j] *= inverse


@kernel
def posterior(
    symbols: Symbols, ends: Integers, first: int, last: int,
    initial: Floats, transition: Floats, turned: Floats, emission: Floats,
    gammas: Floats, scales: Floats, messages: Floats, beta: Floats,
) -> float:  # fmt: skip
    """Posteriors of the states of all tokens of some sentences; returns their log-likelihood."""
    total = 0.0
    begin = ends[first - 1] if first > 0 else 0
    start = begin
    for s in range(first, last):
        end = ends[s]
        here = gammas[start - begin : end - begin]
        total += forward(symbols, start, end, initial, transition, emission, here, scales)
        _back(end - start, symbols, start, turned, emission, here, scales, messages, beta)
        _normalise(here, end - start)
        start = end
    return total


@kernel
def expect(
    symbols: Symbols, ends: Integers, first: int, last: int,
    initial: Floats, transition: Floats, turned: Floats, emission: Floats,
    gammas: Floats, alphas: Floats, scales: Floats, messages: Floats, beta: Floats,
    pairs: Floats, starts: Floats,
) -> float:  # fmt: skip
    """Posteriors as ``posterior``, and what Baum-Welch needs beside them, added up.

    ``pairs[i, j]`` is the expected number of steps from i to j divided by the probability of the step;
    ``starts`` the expected number of sentences that begin with each state.
    """
    m = len(initial)
    total = 0.0
    begin = ends[first - 1] if first > 0 else 0
    start = begin
    for s in range(first, last):
        end = ends[s]
        n = end - start
        # an empty sentence has no first state
        if n == 0:
            continue
        here = gammas[start - begin : end - begin]
        total += forward(symbols, start, end, initial, transition, emission, here, scales)
        # _back overwrites the forward probabilities, which pairs need
        for t in range(n):
            for j in range(m):
                alphas[t, j] = here[t, j]
        _back(n, symbols, start, turned, emission, here, scales, messages, beta)
        _add_products(alphas, messages, n, pairs)
        _normalise(here, n)
        for j in range(m):
            starts[j] += here[0, j]
        start = end
    return total


@loose_kernel
def _add_products(alphas: Floats, messages: Floats, n: int, pairs: Floats) -> None:
    """pairs += Σ_t alphas[t]ᵀ · messages[t + 1]."""
    m = alphas.shape[1]
    t = 0
    # four steps at a time, so that pairs are read and written less often
    while t + 4 < n:
        for i in range(m):
            a, b, c, d = alphas[t, i], alphas[t + 1, i], alphas[t + 2, i], alphas[t + 3, i]
            for j in range(m):
                pairs[i, j] += (
                    a * messages[t + 1, j] + b * messages[t + 2, j]
                    + c * messages[t + 3, j] + d * messages[t + 4, j]
                )  # fmt: skip
        t += 4
    while t + 1 < n:
        for i in range(m):
            weight = alphas[t, i]
            for j in range(m):
                pairs[i, j] += weight * messages[t + 1, j]
        t += 1


@kernel
def expect_fixed(
    rows: Integers, columns: Symbols, values: Floats, emission: Floats, forward_sums: Floats,
    first: int, last: int, back_sums: Floats,
) -> float:  # fmt: skip
    """One step of EM for pairs of neighbouring symbols whose emissions are fixed.

    ``rows`` and ``columns`` are a CSR matrix of counts of pairs; ``forward_sums[x]`` is Σ_h J[h, :]·O[x, h].
    Leaves Σ_y n(x, y)/p(x, y)·O[y, :] in ``back_sums[x]``; returns Σ n log p.
    """
    m = emission.shape[1]
    total = 0.0
    for x in range(first, last):
        before, sums = forward_sums[x], back_sums[x]
        for j in range(m):
            sums[j] = 0.0
        for e in range(rows[x], rows[x + 1]):
            emitted = emission[columns[e]]
            p = 0.0
            for j in range(m):
                p += before[j] * emitted[j]
            # a pair that is impossible with these emissions says nothing about states
            if p > 1e-290:
                weight = values[e] / p
                total += values[e] * math.log(p)
                for j in range(m):
                    sums[j] += weight * emitted[j]
    return total


@kernel
def _add_emitted(emitted: Floats, best: Floats) -> None:
    """best + emitted, unless that makes all states impossible."""
    m = len(best)
    largest = -math.inf
    for j in range(m):
        largest = max(largest, best[j] + emitted[j])
    if largest > -math.inf:
        for j in range(m):
            best[j] += emitted[j]


@kernel
def viterbi(
    symbols: Symbols, ends: Integers, first: int, last: int,
    initial: Floats, transition: Floats, emission: Floats,
    best: Floats, following: Floats, came_from: Integers, states: Symbols,
) -> float:  # fmt: skip
    """The most probable states of some sentences; probabilities are logarithms here. Returns their sum.

    A symbol that makes every sequence of states impossible is passed over, and left out of the sum.
    """
    m = len(initial)
    total = 0.0
    start = ends[first - 1] if first > 0 else 0
    for s in range(first, last):
        end = ends[s]
        if end == start:
            continue
        for j in range(m):
            best[j] = initial[j]
        _add_emitted(emission[symbols[start]], best)
        for t in range(1, end - start):
            pointers = came_from[t]
            for j in range(m):
                following[j] = best[0] + transition[0, j]
                pointers[j] = 0
            # contiguous in j, and without branches, so that it can be vectorised
            for i in range(1, m):
                for j in range(m):
                    score = best[i] + transition[i, j]
                    better = score > following[j]
                    following[j] = score if better else following[j]
                    pointers[j] = i if better else pointers[j]
            for j in range(m):
                best[j] = following[j]
            _add_emitted(emission[symbols[start + t]], best)
        state = 0
        for j in range(1, m):
            if best[j] > best[state]:
                state = j
        total += best[state]
        for t in range(end - start - 1, 0, -1):
            states[start + t] = state
            state = came_from[t, state]
        states[start] = state
        start = end
    return total


@kernel
def scatter(symbols: Symbols, values: Floats, sums: Floats) -> None:
    """Add the row of each token to the row of its symbol; ``values`` may be wider than ``sums``."""
    for t in range(len(symbols)):
        row = sums[symbols[t]]
        for j in range(sums.shape[1]):
            row[j] += values[t, j]


@kernel
def most_probable(rows: Floats, states: Symbols) -> None:
    """The place of the largest number of each row, the first of equal ones."""
    for t in range(len(rows)):
        best = 0
        for j in range(1, rows.shape[1]):
            if rows[t, j] > rows[t, best]:
                best = j
        states[t] = best
