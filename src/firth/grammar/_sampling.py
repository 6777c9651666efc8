"""Random trees from a grammar.

A tree is drawn top-down. The tree so far is an outside vector of the next phrase, which gives, with the
totals of the children, the probabilities of rules and words. No states are drawn, so that this also works
for spectral estimates; rules and words with negative probabilities are never drawn.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.grammar._parser import Parser
from firth.grammar._tensors import Node
from firth.grammar._words import GrammarWords

__all__ = ["Sampler"]

_TRIES = 1000

Floats = npt.NDArray[np.float64]


class _DeadEndError(Exception):
    """The tree is too long, or cannot be completed."""


class Sampler:
    """Draws random trees.

    Parameters
    ----------
    parser : Parser
    words : GrammarWords
    seed : int
    longest : int
        Maximum number of words.
    """

    def __init__(self, parser: Parser, words: GrammarWords, seed: int, longest: int) -> None:
        self._coarse, self._words = parser.coarse, words
        self._fine = next((fine for fine in parser.fine if fine.proper), parser.fine[0])
        self._rng, self._longest = np.random.default_rng(seed), longest
        rules, lexicon = parser.coarse.rules, parser.coarse.lexicon
        symbols = range(parser.coarse.n_symbols)
        self._rules_of = [np.flatnonzero(rules[:, 0] == symbol) for symbol in symbols]
        self._pairs_of = [np.flatnonzero(lexicon.tags == symbol) for symbol in symbols]
        totals = self._fine.totals
        self._of_rules = np.einsum(
            "rijk,rj,rk->ri", self._fine.tensors, totals[rules[:, 1]], totals[rules[:, 2]], optimize=True
        )  # fmt: skip
        self._groups = words.by_group()

    def draw(self) -> tuple[Node, list[str]]:
        """Draw a tree; returns it and its words."""
        start = (self._fine.roots * self._fine.totals).sum(axis=1)
        for _ in range(_TRIES):
            self._drawn: list[str] = []
            try:
                symbol = self._choose(start)
                return self._below(symbol, self._fine.roots[symbol], 1)[0], self._drawn
            except _DeadEndError:
                continue
        raise InputError(
            f"No sentence of up to {self._longest} words was drawn in {_TRIES:,} tries.",
            "Allow longer sentences.",
        )

    def _choose(self, weights: Floats) -> int:
        likely = np.maximum(weights, 0.0)
        total = likely.sum()
        if not total > 0:
            raise _DeadEndError
        return int(self._rng.choice(len(likely), p=likely / total))

    def _below(self, symbol: int, around: Floats, depth: int) -> tuple[Node, Floats]:
        """Draw a tree of a symbol; returns it and its inside vector.

        A tree has at least as many words as levels, so the depth is limited, too.
        """
        if depth > self._longest:
            raise _DeadEndError
        fine, rules, pairs = self._fine, self._rules_of[symbol], self._pairs_of[symbol]
        weights = np.concatenate([self._of_rules[rules] @ around, fine.vectors[pairs] @ around])
        chosen = self._choose(weights)
        if chosen >= len(rules):
            pair = int(pairs[chosen - len(rules)])
            word = int(self._coarse.lexicon.words[pair])
            self._drawn.append(self._spelled(word))
            if len(self._drawn) > self._longest:
                raise _DeadEndError
            return Node(symbol, word=word), _unit(fine.vectors[pair])
        rule = int(rules[chosen])
        tensor = np.einsum("ijk,i->jk", fine.tensors[rule], _unit(around))
        _, b, c = self._coarse.rules[rule].tolist()
        left, of_left = self._below(b, tensor @ fine.totals[c], depth + 1)
        right, of_right = self._below(c, of_left @ tensor, depth + 1)
        up = np.einsum("ijk,j,k->i", fine.tensors[rule], of_left, of_right)
        return Node(symbol, left, right), _unit(up)

    def _spelled(self, word: int) -> str:
        """The spelling of a word; for a group, one of its rare words."""
        known = self._words.words
        if word < len(known):
            return known[word]
        likely = self._groups[(word - len(known)) // 2] or self._words.rare or known
        return likely[int(self._rng.integers(len(likely)))]


def _unit(vector: Floats) -> Floats:
    """Normalise a vector, to avoid underflow."""
    size = float(np.abs(vector).sum())
    return vector / size if size > 0 else vector
