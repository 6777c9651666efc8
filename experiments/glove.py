"""GloVe (Pennington, Socher and Manning 2014), for comparison, since no package for it could be installed.

Word vectors w and context vectors v with biases minimise the sum of f(x) (w·v + b + c − log x)² over
all pairs of words with a count x > 0, where f(x) = min(1, (x / X_MAX)^0.75). AdaGrad goes through the
pairs in random order. A word is represented by the sum of its two vectors. The settings are those of
the authors' program: counts are divided by the distance, x_max is 100, the learning rate 0.05 (which
AdaGrad's sums of squares include), and there are 25 epochs. There is one thread and a fixed seed, so the
result is always the same.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from experiments.common import measured

import firth

X_MAX, POWER, RATE, EPOCHS = 100.0, 0.75, 0.05, 25


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)  # type: ignore[untyped-decorator]
def _epoch(
    rows: Any, columns: Any, logs: Any, weights: Any, words: Any, contexts: Any,
    word_squares: Any, context_squares: Any, rate: float,
) -> float:  # fmt: skip
    """A step for every pair; the last column of all matrices is the bias. Returns the loss."""
    dim = words.shape[1] - 1
    total = 0.0
    rate32 = np.float32(rate)
    for e in range(len(rows)):
        w, v = words[rows[e]], contexts[columns[e]]
        s, t = word_squares[rows[e]], context_squares[columns[e]]
        off = w[dim] + v[dim] - logs[e]
        for k in range(dim):
            off += w[k] * v[k]
        total += 0.5 * weights[e] * off * off
        slope = rate32 * weights[e] * off
        for k in range(dim):
            of_w, of_v = slope * v[k], slope * w[k]
            w[k] -= of_w / np.sqrt(s[k])
            v[k] -= of_v / np.sqrt(t[k])
            s[k] += of_w * of_w
            t[k] += of_v * of_v
        w[dim] -= slope / np.sqrt(s[dim])
        v[dim] -= slope / np.sqrt(t[dim])
        s[dim] += slope * slope
        t[dim] += slope * slope
    return total


def factorise(
    rows: Any, columns: Any, x: Any, n: int, dim: int, epochs: int = EPOCHS
) -> tuple[Any, list[float]]:
    """The sums of word and context vectors, and the mean loss of each epoch."""
    random = np.random.default_rng(0)
    order = random.permutation(len(x))
    rows, columns = rows[order].astype(np.int32), columns[order].astype(np.int32)
    x = x[order].astype(np.float64)
    logs = np.log(x).astype(np.float32)
    weights = np.minimum(1.0, (x / X_MAX) ** POWER).astype(np.float32)
    matrices = [((random.random((n, dim + 1)) - 0.5) / dim).astype(np.float32) for _ in range(2)]
    squares = [np.ones((n, dim + 1), np.float32) for _ in range(2)]
    losses = [
        _epoch(rows, columns, logs, weights, *matrices, *squares, RATE) / len(x)
        for _ in range(epochs)
    ]
    if not math.isfinite(losses[-1]):
        raise ArithmeticError("GloVe has diverged")
    return (matrices[0] + matrices[1])[:, :dim], losses


def glove_vectors(
    corpus: firth.Corpus, window: int, dim: int, n_words: int
) -> tuple[firth.WordVectors, float]:
    """Vectors of the most frequent words of a corpus, and CPU seconds with counting."""
    factorise(np.zeros(1), np.zeros(1), np.ones(1), 1, 2, 1)  # compile first
    with measured() as cost:
        counts = firth.count(corpus, f"bag{window}", 1, n_words, "distance", threads=1)
        entries, n = counts.entries, counts.n_words
        rows = np.repeat(np.arange(counts.n_rows, dtype=np.int32), np.diff(entries.indptr))
        kept = (rows < n) & (entries.indices < n)  # without the symbol for rare words
        x = entries.data[kept] / counts.scale
        found, losses = factorise(rows[kept], entries.indices[kept], x, n, dim)
    print(f"  GloVe: {len(x):,} pairs, loss {losses[0]:.4f} to {losses[-1]:.4f}", flush=True)
    return firth.WordVectors.from_arrays(list(counts.vocabulary), found), cost.cpu
