"""Binarisation of trees, and its inverse.

A unary chain becomes one symbol, ``S›VP``. A node with more than two children becomes a chain of binary
nodes, with intermediate nodes such as ``@NP``. Both are undone after parsing. Characters of a label that
have a meaning in symbols are escaped, so that every tree can be restored exactly.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from firth.errors import InputError, check_count
from firth.trees import Tree, rebuilt

__all__ = ["BETWEEN", "Preparation", "labels_of", "symbol_of"]

CHAIN, BETWEEN, PARENT, SIBLING = "›", "@", "^", "~"
"""Between the labels of a chain; before an intermediate node; before a label above; before a sibling."""
_SPECIAL = re.compile(f"[%{CHAIN}{BETWEEN}{re.escape(PARENT)}{SIBLING}]")
_WRITTEN = re.compile("%([0-9A-F]+);")


@dataclass(frozen=True)
class Preparation:
    """How trees are binarised.

    Parameters
    ----------
    vertical : int
        Number of labels in the symbol of a node, counted upwards: 1 for its own label only.
    horizontal : int
        Number of preceding siblings in the symbol of an intermediate node.

    Examples
    --------
    >>> from firth.trees import parse_trees
    >>> [tree] = parse_trees("(S (NP (D the) (J old) (N cat)) (VP (V sat)))")
    >>> made = Preparation().binary(tree)
    >>> made
    (S (NP (D the) (@NP (J old) (N cat))) (VP›V sat))
    >>> Preparation().restored(made) == tree
    True
    """

    vertical: int = 1
    horizontal: int = 0

    def __post_init__(self) -> None:
        check_count("Preparation", "vertical", self.vertical)
        check_count("Preparation", "horizontal", self.horizontal, least=0)

    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    def binary(self, tree: Tree) -> Tree:
        """Binarise a tree: every node has two children or a word."""
        chains = _chains(tree, self.vertical - 1)
        below: list[list[tuple[str, Tree]]] = [[] for _ in chains]
        made = tree
        for place in range(len(chains) - 1, -1, -1):  # children before their parents
            chain = chains[place]
            made = self._joined(chain, below[place][::-1])
            if chain.parent >= 0:
                below[chain.parent].append((chain.symbol, made))
        return made

    def _joined(self, chain: _Chain, children: list[tuple[str, Tree]]) -> Tree:
        """The binary tree of a chain of nodes; children are given with their symbols."""
        if chain.node.word is not None:
            is_tag = chain.node is chain.top
            return Tree(chain.symbol if is_tag else chain.marked, chain.node.word)
        before, right = [symbol for symbol, _ in children], children[-1][1]
        for k in range(len(children) - 2, 0, -1):
            known = before[max(0, k - self.horizontal) : k]
            right = Tree(SIBLING.join([BETWEEN + chain.marked, *known]), [children[k][1], right])
        return Tree(chain.marked, [children[0][1], right])

    def restored(self, tree: Tree) -> Tree:
        """Restore the tree that was given to ``binary``."""

        def whole(node: Tree, children: list[Tree]) -> Tree:
            below: list[Tree] = []
            for symbol, child in zip(node.children, children, strict=True):
                below += child.children if symbol.label.startswith(BETWEEN) else [child]
            if node.label.startswith(BETWEEN):
                return Tree(node.label, below)
            labels = labels_of(node.label)
            found = Tree(labels[-1], node.word if node.word is not None else below)
            for label in reversed(labels[:-1]):
                found = Tree(label, [found])
            return found

        if tree.label.startswith(BETWEEN):
            raise InputError("The root of a tree cannot be an intermediate node.")
        found = rebuilt(tree, whole)
        assert found is not None  # noqa: S101
        return found


class _Chain(NamedTuple):
    """A unary chain: its first and its last node, its symbol without and with those above, its parent."""

    top: Tree
    node: Tree
    symbol: str
    marked: str
    parent: int


def _chains(tree: Tree, n_above: int) -> list[_Chain]:
    """The unary chains of a tree, top-down; there is no recursion, so trees can be deep."""
    found: list[_Chain] = []
    waiting: list[tuple[Tree, tuple[str, ...], int]] = [(tree, (), -1)]
    while waiting:
        top, above, parent = waiting.pop()
        node, labels = top, [top.label]
        while node.word is None and len(node.children) == 1:
            node = node.children[0]
            labels.append(node.label)
        symbol = symbol_of(labels)
        here = (symbol, *above)[:n_above]
        waiting += [(child, here, len(found)) for child in reversed(node.children)]
        found.append(_Chain(top, node, symbol, PARENT.join([symbol, *above]), parent))
    return found


def symbol_of(labels: list[str]) -> str:
    """The symbol of a chain of labels.

    >>> symbol_of(["S", "VP"]), symbol_of(["a@b"])
    ('S›VP', 'a%40;b')
    """
    return CHAIN.join(map(_written, labels))


@lru_cache(1 << 12)
def _written(label: str) -> str:
    """A label with escaped special characters."""
    return _SPECIAL.sub(lambda sign: f"%{ord(sign[0]):X};", label)


def labels_of(symbol: str) -> list[str]:
    """The labels of a symbol, without the labels above and the siblings.

    >>> labels_of("S›VP^S"), labels_of("a%40;b")
    (['S', 'VP'], ['a@b'])
    """
    own = symbol.removeprefix(BETWEEN).partition(SIBLING)[0].partition(PARENT)[0]
    return [_read(label) for label in own.split(CHAIN)]


@lru_cache(1 << 12)
def _read(label: str) -> str:
    return _WRITTEN.sub(lambda code: chr(int(code[1], 16)), label)
