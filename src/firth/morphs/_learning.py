"""EM: morphs of a list of words, and how they follow each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.morphs import _kernels as kernels
from firth.morphs._lattice import Lattice
from firth.morphs._letters import LetterModel
from firth.morphs._parameters import MorphologyParameters

__all__ = ["Learned", "State", "learn_morphs"]

Floats = npt.NDArray[np.float64]
PREFIX, STEM, SUFFIX = range(3)
_FIRST_MOVES = np.array(
    [[0.1, 0.9, 0, 0], [0.02, 0.1, 0.5, 0.38], [0.02, 0.1, 0.4, 0.48], [0.2, 0.8, 0, 0]]
)
"""From prefix, stem, suffix and the beginning, to prefix, stem, suffix and the end."""
_RARE = 5.0
"""Affixes that occur only a few times need more attested remainders: as if this many more were not."""
_DIVISIONS = (4, 8, 12)
"""After which rounds affixes are divided."""
_LETTERS_UNTIL = 8
"""The letters of stems are counted again after every second round before this one."""


@dataclass
class State:
    """What EM estimates.

    Attributes
    ----------
    shares : array, shape (n_substrings, 3)
        The probability of each substring in each state that comes from the lexicon of the state.
    fresh : array, shape (3,)
        The probability that the morph of a state is a new one.
    moves : array, shape (4, 4)
    letters : array, shape (n_positions, 3)
        The probability of each letter in a new stem; see ``LetterModel``.
    """

    shares: Floats
    fresh: Floats
    moves: Floats
    letters: Floats


@dataclass(frozen=True)
class Learned:
    """The result: the last state, marks of all words, and the log likelihood of each round."""

    state: State
    marks: npt.NDArray[np.uint32]
    log_likelihoods: list[float]


def learn_morphs(
    lattice: Lattice, fixed: npt.NDArray[np.int8], n_letters: int, how: MorphologyParameters
) -> Learned:
    """Learn from all words of a lattice; ``fixed`` has the splits to respect."""
    spelled, edges, rows = lattice.spelled, lattice.edges, lattice.rows
    letters = LetterModel(spelled.codes, spelled.starts, n_letters)
    attested = attestation(lattice.tallies, how.attestation)
    room, ways, best, came = kernels.work_space(spelled.longest)
    counts, totals = _first_counts(lattice, attested)
    shares, fresh = estimate(counts, totals, attested)
    state = State(shares, fresh, _FIRST_MOVES, letters.weigh(np.ones(len(spelled.codes))))
    divided = np.zeros((len(lattice.first), 3), np.bool_)
    cuts = np.zeros(len(spelled.codes))
    likelihoods = []
    with progress.stage("morphs", float(how.rounds), "rounds", brief=2.0) as stage:
        for k in range(how.rounds):
            soften = k == 0 and how.rounds > 1
            counts, moved = np.zeros_like(counts), np.zeros((4, 4))
            inside = np.zeros(len(spelled.codes) + 1)
            used = state
            likelihoods.append(
                kernels.expect(
                    spelled.starts, edges, rows, used.shares, lattice.is_stem, fixed, used.letters,
                    used.fresh, how.unattested, np.sqrt(used.moves) if soften else used.moves,
                    soften, room, ways, counts, moved, inside, cuts,
                )
            )  # fmt: skip
            if k < how.rounds - 1:
                state = _maximise(
                    lattice, letters, attested, divided, how, k, counts, moved, inside, used
                )
            stage.advance(1)
    marks = np.zeros(len(spelled.codes), np.uint32)
    kernels.label(
        spelled.starts, edges, rows, state.shares, lattice.is_stem, fixed, state.letters, state.fresh,
        how.unattested, state.moves, room, best, came, cuts, marks,
    )  # fmt: skip
    return Learned(state, marks, likelihoods)


def _maximise(
    lattice: Lattice, letters: LetterModel, attested: Floats, divided: npt.NDArray[np.bool_],
    how: MorphologyParameters, k: int, counts: Floats, moved: Floats, inside: Floats, before: State,
) -> State:  # fmt: skip
    """The M step after round ``k``; marks more affixes as ``divided`` in some rounds."""
    if how.divide and k + 1 in _DIVISIONS:
        for s in (PREFIX, SUFFIX):
            found = divided[:, s].copy()
            column = np.ascontiguousarray(counts[:, s])
            kernels.divisible(
                column, lattice.first, lattice.length, lattice.edges, lattice.rows, found
            )
            divided[:, s] = found
    shares, fresh = estimate(counts, moved[:, :3].sum(axis=0), np.where(divided, 0.0, attested))
    moves = np.where(_FIRST_MOVES > 0, moved + 1.0, 0.0)
    moves /= moves.sum(axis=1, keepdims=True)
    of_letters = before.letters
    if k % 2 == 1 and k < _LETTERS_UNTIL:
        of_letters = letters.weigh(np.clip(np.cumsum(inside)[:-1], 0.0, 1.0))
    return State(shares, fresh, moves, of_letters)


def attestation(tallies: Floats, full: float) -> Floats:
    """How far each substring counts in each state: the share of its remainders that are words.

    ``full`` is the share, relative to the average over attested remainders, from which it counts in full.
    Stems always do.
    """
    found = np.ones((len(tallies), 3))
    for s, column in ((PREFIX, 0), (SUFFIX, 2)):
        n, of_words = tallies[:, column], tallies[:, column + 1]
        shares = of_words / (n + _RARE)
        average = (shares * of_words).sum() / max(of_words.sum(), 1.0)
        found[:, s] = np.minimum(1.0, shares / (full * average)) if average > 0 else 0.0
    return found


def _first_counts(lattice: Lattice, attested: Floats) -> tuple[Floats, Floats]:
    """Counts to begin with: affixes with attested remainders, and words as stems."""
    counts = np.zeros_like(attested)
    counts[:, PREFIX] = lattice.tallies[:, 1] * attested[:, PREFIX]
    counts[:, STEM] = np.where(lattice.is_word, lattice.tallies[:, 0] + 1.0, 0.0)
    counts[:, SUFFIX] = lattice.tallies[:, 3] * attested[:, SUFFIX]
    return counts, counts.sum(axis=0) + np.array([0.0, lattice.n_other_words, 0.0])


def estimate(counts: Floats, totals: Floats, attested: Floats) -> tuple[Floats, Floats]:
    """Shares of the lexicons and the probabilities of new morphs, from expected counts.

    A Pitman-Yor process with a discount of 1 and a concentration of 1: the first occurrence of a morph is
    a new one, so a morph that occurs once gives no support to itself. ``totals`` includes substrings that
    are not in ``counts`` because they occur once.
    """
    first = np.minimum(counts, 1.0)
    fresh = 1.0 + first.sum(axis=0) + np.maximum(totals - counts.sum(axis=0), 0.0)
    return (counts - first) * attested / (totals + 1.0), fresh / (totals + 1.0)
