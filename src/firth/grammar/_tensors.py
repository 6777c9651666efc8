"""The tensor form of a latent-variable grammar (Cohen, Stratos, Collins, Foster and Ungar 2012, section 5).

Whatever has learned a grammar, explicit probabilities, a spectral method or EM, it ends as these: a tensor for each
rule, a vector for each tag and word, a vector for each symbol that can be a root. Probabilities of trees and of
phrases are sums of products of them. This file follows figures 2 and 3 step by step, for small grammars and to
compare with what is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import InputError

__all__ = ["Chart", "Node", "TensorGrammar"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Node:
    """A node of a binary tree of numbers: a symbol over two nodes, or over a word."""

    symbol: int
    left: Node | None = None
    right: Node | None = None
    word: int = -1


@dataclass(frozen=True, eq=False)
class Chart:
    """What is known of all phrases of a sentence.

    ``inside[a, i, j]`` and ``outside[a, i, j]`` are vectors for symbol a over the words i to j, the last one
    included; ``marginals[a, i, j]`` is the probability of the sentence with such a phrase in its tree.
    """

    inside: Floats
    outside: Floats
    marginals: Floats

    @property
    def probability(self) -> float:
        """Of the sentence, all its trees together."""
        return float(self.marginals[:, 0, -1].sum())


@dataclass(frozen=True, eq=False)
class TensorGrammar:
    """A grammar in tensor form.

    Symbols, tags among them, and words are numbers. All symbols have the same number of dimensions; one that
    has fewer is padded with zeros.

    Attributes
    ----------
    rules : array of int64, shape (n_rules, 3)
        Symbols: above, left, right.
    tensors : array of shape (n_rules, dim, dim, dim)
        ``tensors[r, i, j, k]``: the vector above at i, from those at left at j and right at k.
    lexicon : dict of (int, int) to array of shape (dim,)
        From tags and words.
    roots : array of shape (n_symbols, dim)
    """

    rules: npt.NDArray[np.int64]
    tensors: Floats
    lexicon: dict[tuple[int, int], Floats]
    roots: Floats

    def __post_init__(self) -> None:
        n_rules, dim = len(self.rules), self.roots.shape[1]
        if self.rules.shape != (n_rules, 3) or self.tensors.shape != (n_rules, dim, dim, dim):
            raise InputError("Rules and tensors of a grammar do not fit together.")

    @property
    def n_symbols(self) -> int:
        return len(self.roots)

    @property
    def dim(self) -> int:
        return int(self.roots.shape[1])

    def tree_probability(self, tree: Node) -> float:
        """The probability of a tree (figure 2)."""
        numbers = {tuple(map(int, rule)): r for r, rule in enumerate(self.rules)}
        return float(self._up(tree, numbers) @ self.roots[tree.symbol])

    def _up(self, node: Node, numbers: dict[tuple[int, ...], int]) -> Floats:
        if node.left is None or node.right is None:
            return self.lexicon.get((node.symbol, node.word), np.zeros(self.dim))
        rule = numbers.get((node.symbol, node.left.symbol, node.right.symbol))
        if rule is None:
            return np.zeros(self.dim)
        left, right = self._up(node.left, numbers), self._up(node.right, numbers)
        up: Floats = np.einsum("ijk,j,k->i", self.tensors[rule], left, right)
        return up

    def chart(self, words: Sequence[int]) -> Chart:
        """Inside and outside vectors and marginals of all phrases of a sentence (figure 3)."""
        n, s = len(words), self.n_symbols
        if not n:
            raise InputError("A sentence must have words.")
        inside, outside = np.zeros((s, n, n, self.dim)), np.zeros((s, n, n, self.dim))
        for i, word in enumerate(words):
            for tag in range(s):
                inside[tag, i, i] = self.lexicon.get((tag, word), 0.0)
        for width in range(1, n):
            for i in range(n - width):
                j = i + width
                for (a, b, c), tensor in zip(self.rules, self.tensors, strict=True):
                    for k in range(i, j):
                        inside[a, i, j] += np.einsum(
                            "ijk,j,k->i", tensor, inside[b, i, k], inside[c, k + 1, j]
                        )
        outside[:, 0, n - 1] = self.roots
        for width in range(n - 1, 0, -1):
            for i in range(n - width):
                j = i + width
                for (a, b, c), tensor in zip(self.rules, self.tensors, strict=True):
                    above = np.einsum("ijk,i->jk", tensor, outside[a, i, j])
                    for k in range(i, j):
                        outside[b, i, k] += above @ inside[c, k + 1, j]
                        outside[c, k + 1, j] += inside[b, i, k] @ above
        return Chart(inside, outside, np.einsum("aijh,aijh->aij", inside, outside))
