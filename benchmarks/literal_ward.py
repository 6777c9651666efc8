"""A plain peer for the word-class benchmarks: windowed Ward clustering, written as the paper states it.

Figure 5 of Stratos, Kim, Collins and Hsu (2014), "A spectral algorithm for learning class-based n-gram
models of natural language", without any of Firth's shortcuts. No other library offers the method.

All arithmetic is in 64-bit floats on one thread. Word i is the (i + 1)-th most frequent word. The first call
compiles the functions: call ``warm_up`` before the clock starts.
"""

from __future__ import annotations

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
    """Compile, and allow sums in any order."""
    return cast(
        Function, numba.njit(error_model="numpy", fastmath={"reassoc", "contract", "nsz"})(function)
    )


@_jit_sum
def _squared(x: Floats, y: Floats) -> float:
    """The squared distance; the sum may be taken in any order, so that the compiler can vectorise it."""
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
def _start(
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
def _run(
    vectors: Floats,
    means: Floats,
    sizes: Floats,
    smallest: Ints,
    nearest: Ints,
    lowerbound: Floats,
    tight: NDArray[np.bool_],
    n_steps: int,
) -> tuple[Ints, int]:
    n, m = len(vectors), len(sizes) - 1
    merges = np.empty((n_steps, 2), np.int64)
    searches = 0
    free = 0
    while sizes[free] > 0.0:
        free += 1
    for step in range(n_steps):
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
        merges[step, 0] = smallest[s]
        merges[step, 1] = smallest[t]
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


def start(vectors: NDArray[Any], m: int) -> State:
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
    _start(means, sizes, smallest, nearest, lowerbound, tight)
    return vectors, means, sizes, smallest, nearest, lowerbound, tight


def ward(vectors: NDArray[Any], m: int) -> tuple[Ints, float]:
    """All merges, each named by the most frequent words of its two classes, and gamma.

    Gamma is how often an iteration looks for the least bound, on average. While there are new words, that is
    also how often it calls ``_tighten``.
    """
    n_steps = len(vectors) - 1
    arguments: State = (*start(vectors, m), n_steps)
    merges, searches = _run(*arguments)
    return merges, searches / max(n_steps, 1)


def warm_up() -> None:
    """Compile everything with a toy example."""
    ward(np.eye(6), 3)
