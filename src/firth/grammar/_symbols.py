"""The symbols of a grammar, and their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from firth.grammar._binarisation import BETWEEN, labels_of
from firth.grammar._tensors import Node
from firth.trees import Tree

__all__ = ["Symbols"]


class Symbols:
    """The numbers of the symbols of binary trees: phrases first, then tags.

    A phrase and a tag can have the same name; they are different symbols.

    Parameters
    ----------
    phrases, tags : sequence of str
    """

    def __init__(self, phrases: Sequence[str], tags: Sequence[str]) -> None:
        self.phrases, self.tags = list(phrases), list(tags)
        self._phrase = {name: number for number, name in enumerate(self.phrases)}
        self._with_tag: dict[str, npt.NDArray[np.int64]] | None = None
        self._tag = {name: len(self.phrases) + k for k, name in enumerate(self.tags)}

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Symbols:
        """The symbols of binary trees."""
        phrases: set[str] = set()
        tags: set[str] = set()
        for tree in trees:
            for node in tree.nodes():
                (tags if node.is_tag else phrases).add(node.label)
        return cls(sorted(phrases), sorted(tags))

    def __len__(self) -> int:
        return len(self.phrases) + len(self.tags)

    def name(self, symbol: int) -> str:
        n = len(self.phrases)
        return self.phrases[symbol] if symbol < n else self.tags[symbol - n]

    def labels(self, symbol: int) -> list[str]:
        """The labels of a symbol, top-down; none for an intermediate node."""
        name = self.name(symbol)
        return [] if name.startswith(BETWEEN) else labels_of(name)

    def tag_of(self, symbol: int) -> str:
        """The part of speech of the symbol of a word."""
        return labels_of(self.name(symbol))[-1]

    def with_tag(self, tag: str) -> npt.NDArray[np.int64] | None:
        """The symbols of words with a part of speech; None if it is unknown."""
        if self._with_tag is None:
            of: dict[str, list[int]] = {}
            for number in range(len(self.phrases), len(self)):
                of.setdefault(self.tag_of(number), []).append(number)
            self._with_tag = {name: np.array(numbers, np.int64) for name, numbers in of.items()}
        return self._with_tag.get(tag)

    def families(self) -> npt.NDArray[np.int64]:
        """A number for each symbol, the same for all phrases and intermediate nodes of a label."""
        number: dict[tuple[bool, str], int] = {}
        names = [(True, labels_of(name)[-1]) for name in self.phrases] + [
            (False, name) for name in self.tags
        ]
        return np.array([number.setdefault(name, len(number)) for name in names], np.int64)

    def numbered(self, tree: Tree, words: Sequence[int]) -> Node | None:
        """A binary tree as numbers, with the numbers of its words; None if a symbol is unknown."""
        places = tree.numbered()
        below: list[list[Node]] = [[] for _ in places]
        n_words = len(words)
        found: Node | None = None
        for place in range(len(places) - 1, -1, -1):
            node, parent = places[place]
            symbol = (self._tag if node.is_tag else self._phrase).get(node.label)
            if symbol is None:
                return None
            if node.is_tag:
                n_words -= 1
                found = Node(symbol, word=words[n_words])
            else:
                right, left = below[place]
                found = Node(symbol, left, right)
            if parent >= 0:
                below[parent].append(found)
        return found

    def named(self, node: Node, words: Sequence[str]) -> Tree:
        """The tree of a tree of numbers, with the words of a sentence."""
        left = iter(words)

        def build(node: Node) -> Tree:
            if node.left is None or node.right is None:
                return Tree(self.name(node.symbol), next(left))
            first = build(node.left)
            return Tree(self.name(node.symbol), [first, build(node.right)])

        return build(node)
