"""From what is known about each word to a hidden Markov model of text."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.tags import _hmm_kernels as kernels
from firth.tags._contexts import ContextCounts
from firth.tags._hmm import normalised

__all__ = ["beginnings", "steps", "transitions"]

_MOST_ROUNDS = 200
_SMALL_GAIN = 1e-7
"""Nats a pair of words: a smaller gain is none."""
_POSSIBLE = 1e-9
"""Added to initial transition estimates: EM cannot leave a probability of zero."""
_ROWS_AT_ONCE = 1 << 12
_LITTLE = 1 << 22
"""Numbers to multiply that are not worth another thread."""

Floats = npt.NDArray[np.float64]

expect_fixed: Any = kernels.expect_fixed


def steps(
    pairs: Any, emission: Floats, guess: Floats, engine: Engine, rounds: int = _MOST_ROUNDS
) -> Floats:
    """The joint distribution of the states of neighbours that makes counts of pairs of words most likely.

    Emissions are fixed, so this is a concave problem; it is solved by EM.

    Parameters
    ----------
    pairs : CSR array of shape (n_words, n_words)
    emission : array of shape (n_words, n_states)
    guess : array of shape (n_states, n_states)
        Where to start; what is zero there stays so.
    """
    joint: Floats = guess / guess.sum()
    indices, data = np.asarray(pairs.indices, np.int32), np.asarray(pairs.data, np.float64)
    rows = pairs.indptr.astype(np.int64)
    pieces = range(0, len(emission), _ROWS_AT_ONCE)
    engine = engine if len(data) * emission.shape[1] > _LITTLE else engine.at_most(1)
    total, back = data.sum(), np.empty_like(emission)
    before = -np.inf
    for _ in range(rounds if total else 0):
        progress.check_interrupted()
        ahead = emission @ joint

        def expect(first: int, ahead: Floats = ahead) -> float:
            last = min(first + _ROWS_AT_ONCE, len(emission))
            return float(expect_fixed(rows, indices, data, emission, ahead, first, last, back))

        likelihood = sum(engine.map(expect, pieces))
        updated = joint * (emission.T @ back)
        if updated.sum() <= 0:
            break
        joint = updated / updated.sum()
        if likelihood - before < _SMALL_GAIN * total:
            break
        before = likelihood
    return joint


def beginnings(
    starts: Floats, emission: Floats, guess: Floats, rounds: int = _MOST_ROUNDS
) -> Floats:
    """The distribution of the first state that makes counts of first words most likely; by EM, as ``steps``."""
    first, emitted = starts[starts > 0], emission[starts > 0]
    initial: Floats = guess / guess.sum()
    before = -np.inf
    for _ in range(rounds if len(first) else 0):
        p = np.maximum(emitted @ initial, 1e-290)
        likelihood = float(first @ np.log(p))
        updated = initial * (emitted.T @ (first / p))
        if updated.sum() <= 0:
            break
        initial = updated / updated.sum()
        if likelihood - before < _SMALL_GAIN * first.sum():
            break
        before = likelihood
    return initial


def transitions(
    counted: ContextCounts, memberships: Floats, rounds: int | None, engine: Engine
) -> tuple[Floats, Floats]:
    """How often tags begin a sentence and follow each other, from the tags of each word.

    Parameters
    ----------
    counted : ContextCounts
    memberships : array of shape (n_words, n_tags)
        The probability of each tag, given the word.
    rounds : int or None
        With a number, the estimate of the authors of the anchor method: so many rounds of EM from
        transitions that are all alike, the share of a tag and its probability at the beginning being in
        proportion to the mean emission probability of the words there. None: maximal likelihood.
    """
    emission = normalised(memberships * counted.counts[:, None], 0)
    with progress.stage("estimating transitions", unit="", brief=1.0):
        n_pairs, n_starts = counted.pairs.sum(), counted.starts.sum()
        if rounds is None:
            likely = memberships.T @ (counted.pairs @ memberships) + _POSSIBLE
            pairs = n_pairs * steps(counted.pairs, emission, likely, engine)
            likely = counted.starts @ memberships + _POSSIBLE
            return n_starts * beginnings(counted.starts, emission, likely), pairs
        shares = normalised(counted.counts @ emission, 0)
        alike = np.repeat(shares[:, None], len(shares), axis=1)
        pairs = n_pairs * steps(counted.pairs, emission, alike, engine, rounds)
        return n_starts * normalised(counted.starts @ emission, 0), pairs
