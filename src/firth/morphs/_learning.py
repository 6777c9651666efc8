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
_PRIOR = 0.3
"""Attested remainders that every affix has beforehand: without evidence, an affix counts as the average."""
_RARE = 1e-3
"""Affixes in fewer than this share of the words need more attested remainders."""
_CHANCE = 10.0
"""How many remainders of average strings are added when the share of the average affix is estimated."""
_FIRST_SHARE = 0.1
"""EM begins with at least this many prefixes, and suffixes, for each word."""
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
    attested = attestation(lattice.tallies, how.attestation, len(spelled.starts) - 1)
    room, ways, best, came = kernels.work_space(spelled.longest)
    counts, totals = _first_counts(lattice, attested)
    shares, fresh = estimate(counts, totals, attested)
    state = State(shares, fresh, _FIRST_MOVES, letters.weigh(np.ones(len(spelled.codes))))
    cuts, inside = np.zeros(len(spelled.codes)), np.zeros(len(spelled.codes) + 1)
    likelihoods = []
    with progress.stage("morphs", float(how.rounds), "rounds", brief=2.0) as stage:
        for k in range(how.rounds):
            soften = k == 0 and how.rounds > 1
            moved, used = np.zeros((4, 4)), state
            counts.fill(0.0)  # not new arrays: allocating large ones takes time
            inside.fill(0.0)
            likelihoods.append(
                kernels.expect(
                    spelled.starts, edges, rows, used.shares, lattice.is_stem, fixed, used.letters,
                    used.fresh, how.unattested, np.sqrt(used.moves) if soften else used.moves,
                    soften, room, ways, counts, moved, inside, cuts,
                )
            )  # fmt: skip
            if k < how.rounds - 1:
                state = _maximise(lattice, letters, attested, how, k, counts, moved, inside, used)
            stage.advance(1)
    marks = np.zeros(len(spelled.codes), np.uint32)
    kernels.label(
        spelled.starts, edges, rows, state.shares, lattice.is_stem, fixed, state.letters, state.fresh,
        how.unattested, state.moves, room, best, came, cuts, marks,
    )  # fmt: skip
    order = np.argsort(np.diff(spelled.starts), kind="stable")
    kernels.expand(spelled.starts, edges, rows, order, lattice.words, fixed, marks)
    return Learned(state, marks, likelihoods)


def _maximise(
    lattice: Lattice, letters: LetterModel, attested: Floats, how: MorphologyParameters, k: int,
    counts: Floats, moved: Floats, inside: Floats, before: State,
) -> State:  # fmt: skip
    """The M step after round ``k``; in some rounds, ``attested`` becomes 0 for affixes that are divided."""
    if how.divide and k + 1 in _DIVISIONS:
        for s in (PREFIX, SUFFIX):
            attested[divisions(lattice, np.ascontiguousarray(counts[:, s]), s), s] = 0.0
    shares, fresh = estimate(counts, moved[:, :3].sum(axis=0), attested)
    moves = np.where(_FIRST_MOVES > 0, moved + 1.0, 0.0)
    moves /= moves.sum(axis=1, keepdims=True)
    of_letters = before.letters
    if k % 2 == 1 and k < _LETTERS_UNTIL:
        of_letters = letters.weigh(np.clip(np.cumsum(inside)[:-1], 0.0, 1.0))
    return State(shares, fresh, moves, of_letters)


def divisions(lattice: Lattice, counts: Floats, state: int) -> npt.NDArray[np.bool_]:
    """Which prefixes or suffixes consist of two, from their expected counts."""
    spelled, edges, rows, suffix = lattice.spelled, lattice.edges, lattice.rows, state == SUFFIX
    halves, found = np.full(len(counts), -1, np.int32), np.zeros(len(counts), np.bool_)
    n = kernels.divisible(counts, lattice.first, lattice.length, edges, rows, halves)
    attested = np.zeros(n)
    kernels.attest_halves(spelled.starts, edges, rows, lattice.is_stem, halves, suffix, attested)
    tallies = np.ascontiguousarray(lattice.tallies[:, 2:] if suffix else lattice.tallies[:, :2])
    kernels.divide(
        counts, lattice.first, lattice.length, edges, rows, halves, suffix, tallies, attested, _PRIOR, found,
    )  # fmt: skip
    return found


def attestation(tallies: Floats, full: float, n_words: int) -> Floats:
    """How far each substring counts in each state: how many of its remainders are words.

    This is relative to an affix with the average share of such remainders. The average is over all
    remainders that are words, each with the share among the *other* words with the same affix.
    ``full`` is the ratio from which an affix counts in full. Stems always do.
    """
    found = np.ones((len(tallies), 3))
    for s, column in ((PREFIX, 0), (SUFFIX, 2)):
        n, of_words = tallies[:, column], tallies[:, column + 1]
        total = of_words.sum()
        by_chance = total / max(n.sum(), 1.0)
        others = of_words * np.maximum(of_words - 1.0, 0.0) / np.maximum(n - 1.0, 1.0)
        average = (others.sum() + _CHANCE * by_chance) / (total + _CHANCE)
        expected = average * (n + _RARE * n_words)
        found[:, s] = np.minimum(1.0, (of_words + _PRIOR) / (expected + _PRIOR) / full)
    return found


def _first_counts(lattice: Lattice, attested: Floats) -> tuple[Floats, Floats]:
    """Counts to begin with: affixes with attested remainders, and words as stems.

    In a small list few remainders are attested, so frequent beginnings and endings are added.
    """
    counts = np.zeros_like(attested)
    counts[:, STEM] = np.where(lattice.is_word, lattice.tallies[:, 0] + 1.0, 0.0)
    for s, column in ((PREFIX, 0), (SUFFIX, 2)):
        n, of_words = lattice.tallies[:, column], lattice.tallies[:, column + 1]
        counts[:, s] = of_words * attested[:, s]
        missing = _FIRST_SHARE * (len(lattice.spelled.starts) - 1) - counts[:, s].sum()
        frequent = n * attested[:, s]
        counts[:, s] += max(missing, 0.0) * frequent / max(frequent.sum(), 1.0)
    return counts, counts.sum(axis=0) + np.array([0.0, lattice.n_other_words, 0.0])


def estimate(counts: Floats, totals: Floats, attested: Floats) -> tuple[Floats, Floats]:
    """Shares of the lexicons and the probabilities of new morphs, from expected counts.

    A Pitman-Yor process with a discount of 1 and a concentration of 1: the first occurrence of a morph is
    a new one, so a morph that occurs once gives no support to itself. ``totals`` includes substrings that
    are not in ``counts`` because they occur once.
    """
    shares = np.minimum(counts, 1.0)
    fresh = 1.0 + shares.sum(axis=0) + np.maximum(totals - counts.sum(axis=0), 0.0)
    np.subtract(counts, shares, out=shares)
    shares *= attested
    shares /= totals + 1.0
    return shares, fresh / (totals + 1.0)
