"""The kernel of hidden states of tags: forward and backward passes with tensors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel

__all__ = ["latent_posterior"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def _scaled(rows: Floats) -> float:
    """Divide rows by the sum of their absolute values; returns the sum."""
    size = 0.0
    for a in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            size += abs(rows[a, i])
    if size > 0.0:
        for a in range(rows.shape[0]):
            for i in range(rows.shape[1]):
                rows[a, i] /= size
    return size


@kernel
def _word(
    symbol: int, plain: Floats, least: float, emission: Floats, starts: Integers, tags: Integers,
    vectors: Floats, usual: Floats, found: Floats,
) -> None:  # fmt: skip
    """The vectors of a word with each of its tags; zero for tags that are pruned."""
    m = usual.shape[1]
    for a in range(usual.shape[0]):
        p = emission[symbol, a] if plain[a] >= least else 0.0
        for i in range(m):
            found[a, i] = p * usual[a, i]
    for place in range(starts[symbol], starts[symbol + 1]):
        a = tags[place]
        p = emission[symbol, a] if plain[a] >= least else 0.0
        for i in range(m):
            found[a, i] = p * vectors[place, i]


@kernel
def _is_zero(row: Floats) -> bool:
    size = 0.0
    for i in range(len(row)):
        size += abs(row[i])
    return size == 0.0


@kernel
def _back(words: Floats, steps: Floats, after: Floats, now: Floats) -> None:
    """The inside vectors of a position, from those of the next one."""
    n, m = words.shape
    for a in range(n):
        for i in range(m):
            now[a, i] = 0.0
        if _is_zero(words[a]):
            continue
        for b in range(n):
            if _is_zero(after[b]):
                continue
            for i in range(m):
                for j in range(m):
                    part = 0.0
                    for k in range(m):
                        part += steps[a, b, i, j, k] * after[b, k]
                    now[a, i] += part * words[a, j]


@kernel
def _ahead(words: Floats, steps: Floats, now: Floats, reached: Floats, after: Floats) -> None:
    """The outside vectors of a position with tags that are ``reached``, from those of the one before."""
    n, m = words.shape
    for b in range(n):
        for k in range(m):
            after[b, k] = 0.0
    for a in range(n):
        if _is_zero(words[a]):
            continue
        for b in range(n):
            if _is_zero(reached[b]):
                continue
            for i in range(m):
                for j in range(m):
                    weight = now[a, i] * words[a, j]
                    for k in range(m):
                        after[b, k] += weight * steps[a, b, i, j, k]


@kernel
def latent_posterior(
    symbols: npt.NDArray[np.int32], ends: Integers, first: int, last: int, least: float,
    emission: Floats, starts: Integers, tags: Integers, vectors: Floats, usual: Floats,
    steps: Floats, finals: Floats, roots: Floats,
    gammas: Floats, words: Floats, inside: Floats, outside: Floats, spare: Floats,
) -> float:  # fmt: skip
    """Replace the plain posteriors of tags (``gammas``) by those of tags with hidden states.

    Tags with a plain posterior below ``least`` are pruned. Where the estimates cancel out, the plain
    posteriors stay. Returns the sum of the logarithms of the absolute estimates of sentences.
    """
    n, m = usual.shape
    offset = ends[first - 1] if first > 0 else 0
    total = 0.0
    for sentence in range(first, last):
        begin = ends[sentence - 1] if sentence > 0 else 0
        length = ends[sentence] - begin
        if length == 0:
            continue
        log = 0.0
        for t in range(length):
            plain = gammas[begin - offset + t]
            _word(
                symbols[begin + t], plain, least, emission, starts, tags, vectors, usual, words[t]
            )
        for a in range(n):
            for i in range(m):
                inside[length - 1, a, i] = 0.0
                for j in range(m):
                    inside[length - 1, a, i] += finals[a, i, j] * words[length - 1, a, j]
        size = _scaled(inside[length - 1])
        log += np.log(size) if size > 0.0 else -np.inf
        for t in range(length - 2, -1, -1):
            _back(words[t], steps, inside[t + 1], inside[t])
            size = _scaled(inside[t])
            log += np.log(size) if size > 0.0 else -np.inf
        for a in range(n):
            for i in range(m):
                outside[a, i] = roots[a, i]
        for t in range(length):
            whole = 0.0
            for a in range(n):
                for i in range(m):
                    whole += outside[a, i] * inside[t, a, i]
            if t == 0:
                log += np.log(abs(whole)) if whole != 0.0 else -np.inf
            if abs(whole) > 1e-12:
                for a in range(n):
                    share = 0.0
                    for i in range(m):
                        share += outside[a, i] * inside[t, a, i]
                    gammas[begin - offset + t, a] = share / whole
            if t + 1 < length:
                _ahead(words[t], steps, outside, inside[t + 1], spare)
                _scaled(spare)
                for a in range(n):
                    for i in range(m):
                        outside[a, i] = spare[a, i]
        total += log
    return total
