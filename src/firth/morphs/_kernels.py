"""Kernels: the substrings of words, and the hidden Markov model over them.

A word is a row of letters (graphemes, as numbers), one after the other in an array; ``starts`` has the
beginning of each word. The substrings that begin at position ``i`` are the edges from ``edges[i]`` on,
one for each end, the shortest first. The states are 0 for prefixes, 1 for stems, 2 for suffixes; row 3
of ``moves`` is the beginning of a word and column 3 its end.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute.kernels import kernel
from firth.compute.portable_kernels import log

__all__ = [
    "AFFIX_STOP",
    "ITSELF",
    "SHORT",
    "STEM_STOP",
    "attest",
    "attest_halves",
    "divide",
    "divisible",
    "emissions",
    "expand",
    "expect",
    "label",
]
__all__ += ["number", "place"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

STEM_STOP, AFFIX_STOP = 0.1, 0.4
"""The probability that a new stem, or a new affix, ends after a letter."""
SHORT = 1e-3
"""A new stem of one or two letters is this much less probable."""
ITSELF = 0.03
"""What the lexicon says about a stem counts this much for the word that is that stem: its other forms
show that it is a stem, but not that it has no parts."""


@kernel
def number(
    codes: Ints, starts: Longs, n_letters: int, keys: Longs, values: Ints, rows: Ints, counts: Ints
) -> int:
    """Number the distinct substrings of all words; returns how many there are.

    A substring is the one without its last letter, and that letter, so keys are exact. ``keys`` (zeros)
    and ``values`` are a hash table; its size is a power of two above the number of edges.
    """
    mask, n, edge = len(keys) - 1, 0, 0
    for w in range(len(starts) - 1):
        for i in range(starts[w], starts[w + 1]):
            parent = 0
            for j in range(i, starts[w + 1]):
                key = np.int64(parent) * n_letters + codes[j] + 1
                mixed = key * np.int64(-7046029254386353131)
                mixed = (mixed ^ (mixed >> np.int64(32))) * np.int64(-4658895280553007687)
                slot = (mixed ^ (mixed >> np.int64(29))) & mask
                while keys[slot] != 0 and keys[slot] != key:
                    slot = (slot + 1) & mask
                if keys[slot] == 0:
                    keys[slot], values[slot] = key, n
                    n += 1
                row = values[slot]
                counts[row] += 1
                rows[edge] = row
                edge += 1
                parent = row + 1
    return n


@kernel
def place(starts: Longs, edges: Longs, rows: Ints, first: Longs, length: Ints) -> None:
    """Where each substring occurs first, and its length."""
    first[:] = -1
    for w in range(len(starts) - 1):
        for i in range(starts[w], starts[w + 1]):
            for j in range(i, starts[w + 1]):
                row = rows[edges[i] + j - i]
                if row >= 0 and first[row] < 0:
                    first[row], length[row] = i, j - i + 1


@kernel
def attest(starts: Longs, edges: Longs, rows: Ints, is_word: Flags, tallies: Floats) -> None:
    """Count substrings at the edges of words, and how often what remains is a word.

    The columns of ``tallies``: words that begin with it, those of them whose remainder is a word, words
    that end in it, those of them whose remainder is a word. A remainder has at least two letters.
    """
    for w in range(len(starts) - 1):
        begin, end = starts[w], starts[w + 1]
        for k in range(begin + 1, end):
            head, tail = rows[edges[begin] + k - begin - 1], rows[edges[k] + end - k - 1]
            if head >= 0:
                tallies[head, 0] += 1.0
                if tail >= 0 and is_word[tail] and end - k >= 2:
                    tallies[head, 1] += 1.0
            if tail >= 0:
                tallies[tail, 2] += 1.0
                if head >= 0 and is_word[head] and k - begin >= 2:
                    tallies[tail, 3] += 1.0


@kernel
def _frequent(counts: Floats, row: int, one: int, other: int) -> bool:
    """Whether both halves of an affix are at least as frequent, and one of them twice as frequent."""
    low, high = min(counts[one], counts[other]), max(counts[one], counts[other])
    return bool(low >= counts[row] and high >= 2.0 * counts[row])


@kernel
def divisible(
    counts: Floats, first: Longs, length: Ints, edges: Longs, rows: Ints, halves: Ints
) -> int:
    """Find affixes that may be two affixes; returns the number of ways to divide them.

    Both halves are at least as frequent, and one of them is twice as frequent. ``halves`` (minus ones)
    becomes the number of the first way to divide each affix: there is one for each letter but the last.
    """
    n = 0
    for row in range(len(counts)):
        if counts[row] >= 1.5:
            begin = first[row]
            for k in range(1, length[row]):
                one = rows[edges[begin] + k - 1]
                other = rows[edges[begin + k] + length[row] - k - 1]
                if one >= 0 and other >= 0:
                    if _frequent(counts, row, one, other):
                        halves[row] = n
            if halves[row] >= 0:
                n += length[row] - 1
    return n


@kernel
def attest_halves(
    starts: Longs,
    edges: Longs,
    rows: Ints,
    is_stem: Flags,
    halves: Ints,
    suffix: bool,
    found: Floats,
) -> None:
    """For each way to divide an affix, count words with it that are still words without its outer half."""
    for w in range(len(starts) - 1):
        begin, end = starts[w], starts[w + 1]
        for cut in range(begin + 1, end):
            if suffix:
                rest = rows[edges[begin] + cut - begin - 1] if cut - begin >= 2 else -1
            else:
                rest = rows[edges[cut] + end - cut - 1] if end - cut >= 2 else -1
            if rest < 0 or not is_stem[rest]:
                continue
            if suffix:
                for k in range(begin + 1, cut):
                    row = rows[edges[k] + end - k - 1]
                    if row >= 0 and halves[row] >= 0:
                        found[halves[row] + cut - k - 1] += 1.0
            else:
                for k in range(cut + 1, end):
                    row = rows[edges[begin] + k - begin - 1]
                    if row >= 0 and halves[row] >= 0:
                        found[halves[row] + cut - begin - 1] += 1.0


@kernel
def divide(
    counts: Floats, first: Longs, length: Ints, edges: Longs, rows: Ints, halves: Ints, suffix: bool,
    tallies: Floats, attested: Floats, prior: float, divided: Flags,
) -> None:  # fmt: skip
    """Mark affixes that are two affixes.

    Beside what ``divisible`` asks for, words without the outer half must be words at least 0.3 times as
    often as for that half in general. ``tallies`` has the words with each affix and those of them whose
    remainder is a word, ``attested`` is what ``attest_halves`` found, and ``prior`` is added to both
    numbers that are compared.
    """
    for row in range(len(counts)):
        if halves[row] < 0:
            continue
        begin = first[row]
        for k in range(1, length[row]):
            one = rows[edges[begin] + k - 1]
            other = rows[edges[begin + k] + length[row] - k - 1]
            if one < 0 or other < 0:
                continue
            if not _frequent(counts, row, one, other):
                continue
            outer = other if suffix else one
            usual = tallies[row, 0] * tallies[outer, 1] / max(tallies[outer, 0], 1.0)
            if attested[halves[row] + k - 1] + prior >= 0.3 * (usual + prior):
                divided[row] = True


@kernel
def emissions(
    begin: int, end: int, edges: Longs, rows: Ints, shares: Floats, is_stem: Flags, fixed: Bytes,
    letters: Floats, fresh: Floats, unattested: float, out: Floats,
) -> None:  # fmt: skip
    """The probability of each edge of a word in each state.

    ``shares`` has the part that comes from the lexicon, ``fresh`` the probability of a new morph in each
    state, and the columns of ``letters`` the probability of each letter alone, after one and after two
    letters. ``fixed`` is 1 where the word must be split before a letter, 2 where it must not be.
    """
    for i in range(begin, end):
        stem = affix = 1.0
        over = False
        for j in range(i, end):
            edge = edges[i] + j - i
            at = edge - edges[begin]
            length = j - i + 1
            stem *= letters[j, min(length, 3) - 1] * (STEM_STOP if length == 1 else 1.0 - STEM_STOP)
            affix *= letters[j, 0] * (AFFIX_STOP if length == 1 else 1.0 - AFFIX_STOP)
            row = rows[edge]
            out[at, 0] = fresh[0] * affix
            out[at, 1] = fresh[1] * (stem if length > 2 else stem * SHORT)
            out[at, 2] = fresh[2] * affix
            if row >= 0:
                itself = ITSELF if i == begin and j == end - 1 else 1.0
                out[at, 0] += shares[row, 0]
                out[at, 1] += shares[row, 1] * itself
                out[at, 2] += shares[row, 2]
            if i > begin and (row < 0 or not is_stem[row]):
                out[at, 1] *= unattested
            over = over or (j > i and fixed[j] == 1)
            if over or (i > begin and fixed[i] == 2) or (j + 1 < end and fixed[j + 1] == 2):
                for s in range(3):
                    out[at, s] = 0.0


@kernel
def _forward(
    begin: int, end: int, edges: Longs, out: Floats, moves: Floats, entering: Floats, ended: Floats
) -> float:
    """The forward probabilities of a word; returns its probability."""
    n = end - begin
    for i in range(n + 1):
        for s in range(3):
            ended[i, s] = 0.0
    for i in range(n):
        for s in range(3):
            if i == 0:
                entering[i, s] = moves[3, s]
            else:
                entering[i, s] = (
                    ended[i, 0] * moves[0, s]
                    + ended[i, 1] * moves[1, s]
                    + ended[i, 2] * moves[2, s]
                )
        for j in range(i, n):
            at = edges[begin + i] - edges[begin] + j - i
            for s in range(3):
                ended[j + 1, s] += entering[i, s] * out[at, s]
    whole: float = ended[n, 1] * moves[1, 3] + ended[n, 2] * moves[2, 3]
    return whole


@kernel
def expect(
    starts: Longs, edges: Longs, rows: Ints, shares: Floats, is_stem: Flags, fixed: Bytes, letters: Floats,
    fresh: Floats, unattested: float, moves: Floats, soften: bool, room: Floats, ways: Floats,
    counts: Floats, moved: Floats, inside: Floats, cuts: Floats,
) -> float:  # fmt: skip
    """The E step; returns the log likelihood.

    Expected numbers are added to ``counts`` (substrings by states) and ``moved`` (as ``moves``).
    ``inside`` becomes the differences, from letter to letter, of the probability of being in a stem, and
    ``cuts`` the probability of a boundary before each letter. With ``soften``, emissions are replaced by
    their square roots; the caller does the same with ``moves``. ``room`` (edges of the longest word by 3)
    and ``ways`` (3 x letters of the longest word + 1 by 3) are work space.
    """
    total = 0.0
    third = len(ways) // 3
    entering, ended, leaving = ways[:third], ways[third : 2 * third], ways[2 * third :]
    for w in range(len(starts) - 1):
        begin, end = starts[w], starts[w + 1]
        n = end - begin
        emissions(begin, end, edges, rows, shares, is_stem, fixed, letters, fresh, unattested, room)
        if soften:
            for at in range(n * (n + 1) // 2):
                for s in range(3):
                    room[at, s] = math.sqrt(room[at, s])
        whole = _forward(begin, end, edges, room, moves, entering, ended)
        if not whole > 0.0:
            continue
        total += log(whole)
        for s in range(3):
            leaving[n, s] = moves[s, 3] / whole
            moved[s, 3] += ended[n, s] * leaving[n, s]
        for i in range(n - 1, -1, -1):
            to0 = to1 = to2 = 0.0
            for j in range(i, n):
                at = edges[begin + i] - edges[begin] + j - i
                p0, p1, p2 = (
                    room[at, 0] * leaving[j + 1, 0],
                    room[at, 1] * leaving[j + 1, 1],
                    room[at, 2] * leaving[j + 1, 2],
                )
                to0 += p0
                to1 += p1
                to2 += p2
                stem = entering[i, 1] * p1
                inside[begin + i] += stem
                inside[begin + j + 1] -= stem
                row = rows[edges[begin + i] + j - i]
                if row >= 0:
                    counts[row, 0] += entering[i, 0] * p0
                    counts[row, 1] += stem
                    counts[row, 2] += entering[i, 2] * p2
            if i == 0:
                moved[3, 0] += moves[3, 0] * to0
                moved[3, 1] += moves[3, 1] * to1
                moved[3, 2] += moves[3, 2] * to2
                cuts[begin] = 1.0
            else:
                cut = 0.0
                for s in range(3):
                    leaving[i, s] = moves[s, 0] * to0 + moves[s, 1] * to1 + moves[s, 2] * to2
                    moved[s, 0] += ended[i, s] * moves[s, 0] * to0
                    moved[s, 1] += ended[i, s] * moves[s, 1] * to1
                    moved[s, 2] += ended[i, s] * moves[s, 2] * to2
                    cut += ended[i, s] * leaving[i, s]
                cuts[begin + i] = cut
    return total


@kernel
def label(
    starts: Longs, edges: Longs, rows: Ints, shares: Floats, is_stem: Flags, fixed: Bytes, letters: Floats,
    fresh: Floats, unattested: float, moves: Floats, room: Floats, best: Floats, came: Ints,
    cuts: Floats, marks: npt.NDArray[np.uint32],
) -> None:  # fmt: skip
    """Split words where a boundary is more probable than not, and label the parts with their best states.

    ``marks`` becomes 0 inside a part, and 1, 2 or 3 where a prefix, a stem or a suffix begins. ``best`` and
    ``came`` (letters of the longest word + 1 by 3) are work space.
    """
    for w in range(len(starts) - 1):
        begin, end = starts[w], starts[w + 1]
        emissions(begin, end, edges, rows, shares, is_stem, fixed, letters, fresh, unattested, room)
        n = end - begin
        i = 0
        for j in range(1, n + 1):
            if j < n and not cuts[begin + j] > 0.5:
                continue
            at = edges[begin + i] - edges[begin] + j - i - 1
            for s in range(3):
                top, before = moves[3, s] if i == 0 else -1.0, 0
                if i > 0:
                    for r in range(3):
                        if best[i, r] * moves[r, s] > top:
                            top, before = best[i, r] * moves[r, s], r
                best[j, s], came[j, s] = top * room[at, s], before
            i = j
        state = 1 if best[n, 1] * moves[1, 3] >= best[n, 2] * moves[2, 3] else 2
        j = n
        for i in range(n - 1, -1, -1):
            marks[begin + i] = 0
            if i == 0 or cuts[begin + i] > 0.5:
                marks[begin + i] = state + 1
                state = came[j, state]
                j = i


@kernel
def expand(
    starts: Longs, edges: Longs, rows: Ints, order: Longs, words: Ints, fixed: Bytes,
    marks: npt.NDArray[np.uint32],
) -> None:  # fmt: skip
    """Split stems that are words as these words are split.

    ``order`` has the words, shorter ones first, ``words`` the number of the word that each substring is,
    or -1. Splits that are given stay as they are.
    """
    for w in order:
        begin, end = starts[w], starts[w + 1]
        i = begin
        while i < end:
            j = i + 1
            given = False
            while j < end and marks[j] == 0:
                given = given or fixed[j] == 2
                j += 1
            row = rows[edges[i] + j - i - 1]
            if marks[i] == 2 and j - i < end - begin and not given and row >= 0 and words[row] >= 0:
                other = starts[words[row]]
                for k in range(j - i):
                    marks[i + k] = marks[other + k]
            i = j


def work_space(longest: int) -> tuple[Floats, Floats, Floats, Ints]:
    """What ``expect`` and ``label`` need for words of up to so many letters: room, ways, best, came."""
    shapes: list[Any] = [
        (longest * (longest + 1) // 2, 3),
        (3 * (longest + 1), 3),
        (longest + 1, 3),
    ]
    room, ways, best = (np.zeros(shape) for shape in shapes)
    return room, ways, best, np.zeros(best.shape, np.int32)
