"""The tensor form of a latent-variable grammar (Cohen, Stratos, Collins, Foster and Ungar 2012, section 5).

Every method results in a tensor for each rule, a vector for each pair of tag and word, and a vector for each root
symbol. Probabilities of trees and phrases are sums of products of them. This module follows figures 2 and 3 of
the paper literally, for small grammars and as a reference for the fast implementation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.errors import InputError

__all__ = ["Chart", "Node", "TensorGrammar"]

Floats = npt.NDArray[np.float64]


class Node(NamedTuple):
    """A node of a binary tree of numbers: a symbol with two children, or with a word."""

    symbol: int
    left: Node | None = None
    right: Node | None = None
    word: int = -1


@dataclass(frozen=True, eq=False)
class Chart:
    """The inside and outside vectors of all phrases of a sentence.

    ``inside[a, i, j]`` and ``outside[a, i, j]`` are the vectors of symbol a over the words i to j (inclusive);
    ``marginals[a, i, j]`` is the joint probability of the sentence and of this phrase.
    """

    inside: Floats
    outside: Floats
    marginals: Floats

    @property
    def probability(self) -> float:
        """The probability of the sentence, summed over all trees."""
        return float(self.marginals[:, 0, -1].sum())


@dataclass(frozen=True, eq=False)
class TensorGrammar:
    """A grammar in tensor form.

    Symbols, including tags, and words are numbers. All symbols have the same number of dimensions; symbols with
    fewer are padded with zeros.

    Attributes
    ----------
    rules : array of int64, shape (n_rules, 3)
        Symbols: parent, left child, right child.
    tensors : array of shape (n_rules, dim, dim, dim)
        The axes after the first are the states of parent, left child and right child.
    lexicon : dict of (int, int) to array of shape (dim,)
        Vectors by tag and word.
    roots : array of shape (n_symbols, dim)
    """

    rules: npt.NDArray[np.int64]
    tensors: Floats
    lexicon: dict[tuple[int, int], Floats]
    roots: Floats

    def __post_init__(self) -> None:
        n_rules, dim = len(self.rules), self.roots.shape[1]
        if self.rules.shape != (n_rules, 3) or self.tensors.shape != (n_rules, dim, dim, dim):
            raise InputError("The shapes of the rules and tensors of a grammar do not match.")

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
