"""Splits of words that were not in the training data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from firth.morphs import _kernels as kernels
from firth.morphs._given import fixed_letters
from firth.morphs._graphemes import graphemes
from firth.morphs._index import Morph
from firth.morphs._lattice import Spelled, spell
from firth.morphs._letters import LetterModel
from firth.morphs._splitter import _morphs

__all__ = ["Decoder"]

Floats = npt.NDArray[np.float64]


class Decoder:
    """Decodes words with a learned lexicon.

    Parameters
    ----------
    spelled : Spelled
        The words of the training data.
    stems : array
        How far each of their letters is in a stem.
    lexicon : mapping of str to int
        The rows of morphs in ``shares``.
    attested : array of bool
        Whether each of them attests stems.
    words : iterable of str
        The words of the training data; those that are not in the lexicon attest stems, too.
    shares, fresh, moves, unattested
        As for ``emissions`` in ``_kernels.py``.
    """

    def __init__(
        self, spelled: Spelled, stems: Floats, lexicon: Mapping[str, int],
        attested: npt.NDArray[np.bool_], words: Iterable[str], shares: Floats,
        fresh: Floats, moves: Floats, unattested: float,
    ) -> None:  # fmt: skip
        self._alphabet = dict(zip(spelled.letters, spelled.codes.tolist(), strict=True))
        self._letters = LetterModel(spelled.codes, spelled.starts, len(self._alphabet))
        self._letters.weigh(stems)
        self._lexicon = dict(lexicon)
        others = [word for word in words if word not in self._lexicon]
        self._lexicon |= {word: len(self._lexicon) + k for k, word in enumerate(others)}
        self._shares = np.concatenate([shares, np.zeros((len(others), 3))])
        self._is_stem = np.concatenate([attested, np.ones(len(others), np.bool_)])
        self._fresh, self._moves, self._unattested = fresh, moves, unattested

    def _lattice(self, words: Sequence[str]) -> tuple[Spelled, npt.NDArray[np.int32], Floats]:
        """The words as letters, the rows of their substrings, and the probabilities of their letters."""
        spelled = spell(words, self._alphabet)
        rows = [
            self._lexicon.get("".join(letters[i : j + 1]), -1)
            for letters in map(graphemes, words)
            for i in range(len(letters))
            for j in range(i, len(letters))
        ]
        letters = self._letters.probabilities(spelled.codes, spelled.starts)
        return spelled, np.array(rows, np.int32), letters

    def analyse(
        self, words: Sequence[str], known: Mapping[str, Sequence[str]] | None = None
    ) -> list[list[Morph]]:
        """The parts of words; ``known`` has splits of some of them to respect."""
        spelled, rows, letters = self._lattice(words)
        n, edges, starts = len(spelled.codes), spelled.edges, spelled.starts
        room, ways, best, came = kernels.work_space(spelled.longest)
        fixed = fixed_letters(words, spelled, known or {})
        cuts, marks = np.zeros(n), np.zeros(n, np.uint32)
        model = (self._shares, self._is_stem, fixed, letters, self._fresh, self._unattested)
        kernels.expect(
            starts, edges, rows, *model, self._moves, False, room, ways, np.zeros_like(self._shares),
            np.zeros((4, 4)), np.zeros(n + 1), cuts,
        )  # fmt: skip
        kernels.label(starts, edges, rows, *model, self._moves, room, best, came, cuts, marks)
        return [
            _morphs(spelled.letters[a:b], marks[a:b])
            for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        ]

    def n_best(self, word: str, n: int) -> list[tuple[tuple[str, ...], float]]:
        """The most probable splits of a word, with probabilities that sum over the states."""
        spelled, rows, letters = self._lattice([word])
        size, edges = len(spelled.codes), spelled.edges
        out = np.zeros((len(rows), 3))
        kernels.emissions(
            0, size, edges, rows, self._shares, self._is_stem, np.zeros(size, np.int8), letters,
            self._fresh, self._unattested, out,
        )  # fmt: skip

        # the probabilities of a split so far, by the state of its last part: each split is kept once
        kept: list[list[tuple[tuple[int, ...], Floats]]] = [[] for _ in range(size + 1)]
        kept[0] = [((), np.zeros(3))]
        whole = np.zeros((size + 1, 3))
        for j in range(1, size + 1):
            found = []
            for i in range(j):
                emitted = out[edges[i] + j - i - 1]
                entering = self._moves[3, :3] if i == 0 else whole[i] @ self._moves[:3, :3]
                whole[j] += entering * emitted
                for cuts, ended in kept[i]:
                    into = self._moves[3, :3] if i == 0 else ended @ self._moves[:3, :3]
                    found.append(((*cuts, j), into * emitted))
            found.sort(key=lambda one: (-one[1].sum(), one[0]))
            kept[j] = found[: 4 * n + 12]
        total = float(whole[size] @ self._moves[:3, 3])
        splits = [
            (
                tuple(
                    "".join(spelled.letters[a:b]) for a, b in zip((0, *cuts), cuts, strict=False)
                ),
                float(ended @ self._moves[:3, 3]) / total if total > 0 else 0.0,
            )
            for cuts, ended in kept[size]
        ]
        return sorted(splits, key=lambda one: (-one[1], one[0]))[:n]
