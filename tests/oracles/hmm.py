"""Slow, obvious twins of hidden Markov models and of the anchor method: sums over all sequences of states.

Everything is written down from its definition. Emissions have a row for each symbol, transitions a row for
the state before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Model(NamedTuple):
    """A hidden Markov model."""

    initial: Floats
    transition: Floats
    emission: Floats


class Expected(NamedTuple):
    """Expected numbers of beginnings, of steps and of emissions, and the logarithm of the likelihood."""

    starts: Floats
    pairs: Floats
    emitted: Floats
    likelihood: float


def random_model(m: int, n_symbols: int, seed: int, zeros: float = 0.0) -> Model:
    """A model in which each probability is zero with some probability; never all of a distribution."""
    rng = np.random.default_rng(seed)

    def rows(n: int, width: int) -> Floats:
        drawn = rng.dirichlet(np.ones(width), n) + 1e-9
        kept = rng.random((n, width)) >= zeros
        kept[np.arange(n), rng.integers(0, width, n)] = True
        drawn = np.where(kept, drawn, 0.0)
        scaled: Floats = drawn / drawn.sum(axis=1, keepdims=True)
        return scaled

    return Model(rows(1, m)[0], rows(m, m), rows(m, n_symbols).T)


# All sequences of states --------------------------------------------------------------------------


def all_states(m: int, n: int) -> Integers:
    """Every sequence of n of m states, one a row."""
    return np.array(list(product(range(m), repeat=n)), np.int64).reshape(m**n, n)


def joints(model: Model, symbols: Sequence[int], silent: Sequence[int] = ()) -> Floats:
    """The probability of every sequence of states, together with the symbols.

    Symbols at ``silent`` places say nothing: they are emitted for certain.
    """
    states = all_states(len(model.initial), len(symbols))
    p = np.ones(len(states))
    for t, symbol in enumerate(symbols):
        here = states[:, t]
        p *= model.initial[here] if t == 0 else model.transition[states[:, t - 1], here]
        if t not in silent:
            p *= model.emission[symbol, here]
    return p


def passed_over(model: Model, symbols: Sequence[int]) -> list[int]:
    """The places whose symbols are impossible after what came before, once earlier ones are passed over."""
    silent: list[int] = []
    for t in range(len(symbols)):
        if joints(model, symbols[: t + 1], silent).sum() == 0:
            silent.append(t)
    return silent


def probability(model: Model, symbols: Sequence[int]) -> float:
    return float(joints(model, symbols).sum())


def posteriors(model: Model, symbols: Sequence[int]) -> Floats:
    """The probability of each state at each place, given all symbols but those that are passed over."""
    m, n = len(model.initial), len(symbols)
    p = joints(model, symbols, passed_over(model, symbols))
    states = all_states(m, n)
    return np.array([[p[states[:, t] == h].sum() / p.sum() for h in range(m)] for t in range(n)])


def expectations(model: Model, sentences: Sequence[Sequence[int]]) -> Expected:
    """What one step of Baum-Welch needs."""
    m = len(model.initial)
    starts, pairs, emitted = np.zeros(m), np.zeros((m, m)), np.zeros(model.emission.shape)
    likelihood = 0.0
    for symbols in sentences:
        if not len(symbols):
            continue
        silent = passed_over(model, symbols)
        p = joints(model, symbols, silent)
        likelihood += -np.inf if silent else float(np.log(p.sum()))
        states, p = all_states(m, len(symbols)), p / p.sum()
        for t, symbol in enumerate(symbols):
            np.add.at(emitted[symbol], states[:, t], p)
            if t == 0:
                np.add.at(starts, states[:, 0], p)
            else:
                np.add.at(pairs, (states[:, t - 1], states[:, t]), p)
    return Expected(starts, pairs, emitted, likelihood)


# Mixtures and anchors -----------------------------------------------------------------------------


def nearest_mixture(row: Floats, corners: Floats) -> tuple[Floats, float]:
    """The weights of the mixture of corners that is nearest to a row, and its distance.

    The nearest point of a polytope is the nearest point of the flat through one of its faces: each is tried.
    """
    best, nearest = np.zeros(len(corners)), np.inf
    for size in range(1, len(corners) + 1):
        for face in combinations(range(len(corners)), size):
            first, others = corners[face[0]], corners[list(face[1:])]
            along = np.linalg.lstsq((others - first).T, row - first, rcond=None)[0]
            weights = np.zeros(len(corners))
            weights[list(face)] = [1 - along.sum(), *along]
            distance = float(np.linalg.norm(weights @ corners - row))
            if weights.min() >= -1e-12 and distance < nearest - 1e-13:
                best, nearest = weights, distance
    return best, nearest


def distances(rows: Floats, chosen: Sequence[int]) -> Floats:
    """The squared distance of each row from the span of some of them."""
    if not chosen:
        return np.asarray((rows**2).sum(axis=1))
    basis, _ = np.linalg.qr(rows[list(chosen)].T)
    left = rows - (rows @ basis) @ basis.T
    return np.asarray((left**2).sum(axis=1))


def furthest(rows: Floats, chosen: Sequence[int]) -> int:
    """The row that is furthest from the span of some; the first of those equally far, but for rounding."""
    far = distances(rows, chosen)
    return int(np.flatnonzero(far >= far.max() * (1 - 1e-5))[0])


def anchors(rows: Floats, n: int, exchange: bool = True) -> list[int]:
    """Gram-Schmidt; then, if so, each in turn is exchanged, as long as that makes the volume larger."""
    found: list[int] = []
    for _ in range(n):
        found.append(furthest(rows, found))
    changed = exchange
    while changed:
        changed = False
        for k in range(n):
            others = found[:k] + found[k + 1 :]
            best, far = furthest(rows, others), distances(rows, others)
            if far[best] > far[found[k]] * (1 + 1e-5):
                found[k], changed = best, True
    return found


def volume(rows: Floats, chosen: Sequence[int]) -> float:
    """The squared volume of what some rows span."""
    some = rows[list(chosen)]
    return float(np.linalg.det(some @ some.T))


# Moments ------------------------------------------------------------------------------------------


def stationary(transition: Floats) -> Floats:
    """The distribution that stays the same from step to step."""
    m = len(transition)
    equations = np.vstack([transition.T - np.eye(m), np.ones(m)])
    return np.asarray(np.linalg.lstsq(equations, np.append(np.zeros(m), 1.0), rcond=None)[0])


def pair_probabilities(model: Model) -> Floats:
    """Of each symbol at the first place (rows) and each at the second."""
    n = len(model.emission)
    return np.array([[probability(model, [x, y]) for y in range(n)] for x in range(n)])


def triple_probabilities(model: Model) -> Floats:
    """Of each three symbols at the first three places, in order."""
    n = len(model.emission)
    found = [probability(model, triple) for triple in product(range(n), repeat=3)]
    return np.array(found).reshape(n, n, n)


def pair_likelihood(pairs: Floats, emission: Floats, joint: Floats) -> float:
    """The log-likelihood of counts of pairs of words, given the joint distribution of their states."""
    total = 0.0
    for x, y in zip(*np.nonzero(pairs), strict=True):
        total += pairs[x, y] * np.log(emission[x] @ joint @ emission[y])
    return float(total)
