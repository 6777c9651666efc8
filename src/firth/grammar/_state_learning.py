"""From a treebank to a grammar with hidden states, by each method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress, unicode
from firth.grammar._clusters import cluster_states, count_states
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._em import log_probs, random_grammar, rounds_of_em
from firth.grammar._features import inside_features, outside_features
from firth.grammar._fine import FineGrammar
from firth.grammar._heads import find_heads, head_leaves
from firth.grammar._smoothing import Moments, StateCounts
from firth.grammar._spectral import Projection, project
from firth.grammar._split_merge import SplitMerge
from firth.grammar._treebank import Treebank

__all__ = ["StateLearner", "StateModel", "word_features"]

_SPECTRAL = 20.0, 0.5
_COUNTED = 10.0, 0.6
"""Smoothing of spectral estimates and of counts, chosen by five-fold cross-validation on a treebank."""
_EVERY = 5
"""Number of EM iterations between measurements on held-out trees."""
_PATIENCE = 2
"""EM stops after this many measurements without improvement."""

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StateModel:
    """Grammars with hidden states, and how they were learned.

    Attributes
    ----------
    fine : list of FineGrammar
        One, or the factors of a product.
    projection : Projection or None
        For the methods that have one.
    rounds : int
        Number of EM iterations.
    sizes : array of int64 or None
        The number of states of each symbol, if they have been split and merged.
    """

    fine: list[FineGrammar]
    projection: Projection | None = None
    rounds: int = 0
    sizes: Integers | None = None


class StateLearner:
    """Learns hidden states from a treebank.

    Parameters
    ----------
    bank : Treebank
    coarse : CoarseGrammar
        Counted in the treebank.
    families : array of int64
        As for ``find_heads``.
    sentences : list of list of str
        The words of the trees.
    held_out : Treebank, optional
        Trees that decide when EM stops.
    """

    def __init__(
        self, bank: Treebank, coarse: CoarseGrammar, families: Integers, sentences: list[list[str]],
        held_out: Treebank | None = None,
    ) -> None:  # fmt: skip
        self.bank, self.coarse, self.held_out = bank, coarse, held_out
        self._families, self._sentences = families, sentences

    def learn(
        self, method: str, n_states: int, rounds: int, cut: float, seed: int, split_merge: int = 0
    ) -> StateModel:
        """Learn with one of ``METHODS``."""
        if method == "pcfg":
            return StateModel([FineGrammar.plain(self.coarse)])
        if method == "em" and split_merge:
            return self._split_merge(n_states, rounds, seed, split_merge)
        if method == "em":
            start = random_grammar(self.coarse, n_states, seed)
            counts, done = self._em(start, rounds)
            return StateModel([self._counted(counts)], rounds=done)
        projection = self._project(n_states, cut)
        fine, done = [], 0
        if method in ("spectral", "product"):
            with progress.stage("estimating rules", unit="", brief=1.0):
                moments = Moments.of_nodes(
                    self.bank, self.coarse.lexicon, projection.inside, projection.outside
                )
                fine.append(moments.smoothed(self.bank, self.coarse.lexicon, *_SPECTRAL))
        if method in ("clustering", "product"):
            with progress.stage("clustering phrases", unit="", brief=1.0):
                states = cluster_states(self.bank, projection, n_states, seed)
                counts = count_states(self.bank, self.coarse.lexicon, states, n_states)
            if rounds:
                counts, done = self._em(self._counted(counts, own=1.0), rounds)
            fine.append(self._counted(counts))
        return StateModel(fine, projection, done)

    def _counted(self, counts: StateCounts, own: float = _COUNTED[1]) -> FineGrammar:
        lexicon = self.coarse.lexicon
        return Moments.of_counts(self.bank, lexicon, counts).smoothed(
            self.bank, lexicon, _COUNTED[0], own
        )

    def _em(self, start: FineGrammar, rounds: int) -> tuple[StateCounts, int]:
        """The counts of the last EM iteration, or of the one with the most probable held-out trees."""
        best, kept, done, worse = -np.inf, None, 0, 0
        with progress.stage("EM", unit="iterations", total=rounds) as stage:
            for number, (counts, _) in enumerate(
                rounds_of_em(self.bank, self.coarse.lexicon, start), 1
            ):
                stage.advance(1)
                last = number == rounds
                if self.held_out is None or not (last or number % _EVERY == 0):
                    if last:
                        return counts, number
                    continue
                value = self._of_held_out(self.held_out, counts)
                if kept is None or value > best:
                    best, kept, done, worse = value, counts, number, 0
                else:
                    worse += 1
                if last or worse == _PATIENCE:
                    return kept, done
        raise AssertionError("unreachable: the last iteration returns")

    def _split_merge(self, n_states: int, rounds: int, seed: int, cycles: int) -> StateModel:
        """The grammar after the last cycle, or after the one with the most probable held-out trees."""
        learner = SplitMerge(self.bank, self.coarse.lexicon, n_states, seed)
        best, kept = -np.inf, None
        with progress.stage("EM", unit="iterations", total=cycles * rounds) as stage:
            for number in range(1, cycles + 1):
                counts = learner.cycle(rounds, stage.advance)
                value = 0.0 if self.held_out is None else self._of_held_out(self.held_out, counts)
                if kept is None or self.held_out is None or value > best:
                    fine = [self._counted(counts)]
                    best, kept = value, StateModel(fine, None, number * rounds, learner.sizes)
        assert kept is not None  # noqa: S101
        return kept

    def _of_held_out(self, trees: Treebank, counts: StateCounts) -> float:
        """The log-probability of the held-out trees that the grammar has."""
        found = log_probs(trees, self.coarse, self._counted(counts))
        return float(found[np.isfinite(found)].sum())

    def _project(self, n_states: int, cut: float) -> Projection:
        bank = self.bank
        with progress.stage("extracting features", unit="", brief=1.0):
            heads = head_leaves(bank, find_heads(bank, self._families))
            inside = inside_features(bank, heads, word_features(bank, self._sentences))
            outside = outside_features(bank, heads, bank.words)
        with progress.stage("computing singular vectors", unit="", brief=1.0):
            return project(bank, inside, outside, n_states, cut)


def word_features(bank: Treebank, sentences: list[list[str]]) -> list[Integers]:
    """Features of the word of each tag: its number, the word itself, its suffixes, its shape."""
    tags = np.flatnonzero(bank.words >= 0)
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(word, len(numbers)) for sentence in sentences for word in sentence]

    def feature(of: Callable[[str], Any]) -> Integers:
        known: dict[Any, int] = {}
        of_words = np.array([known.setdefault(of(word), len(known)) for word in numbers], np.int64)
        found = np.full(len(bank), -1, np.int64)
        found[tags] = of_words[places]
        return found

    def shape(word: str) -> Any:
        return unicode.is_upper(word[:1]), any(map(unicode.is_digit, word)), "-" in word

    suffixes = [feature(lambda word, n=n: word[-n:]) for n in (1, 2, 3)]  # type: ignore[misc]
    return [bank.words, feature(lambda word: word), *suffixes, feature(shape)]
