"""Binarisation of trees, and its inverse.

A unary chain becomes one symbol, ``S›VP``. A node with more than two children becomes a chain of binary
nodes, with intermediate nodes such as ``@NP``. Both are undone after parsing. Characters of a label that
have a meaning in symbols are escaped, so that every tree can be restored exactly.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

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
        try:
            return _binary(self, *_shrunken(tree), ())
        except RecursionError:
            raise InputError(
                f"A tree of {tree.height:,} levels is too deep to learn from.", "Remove the tree."
            ) from None

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


def _shrunken(tree: Tree) -> tuple[list[str], Tree]:
    """The labels of a unary chain, top-down, and the node at its end."""
    labels = [tree.label]
    while tree.word is None and len(tree.children) == 1:
        tree = tree.children[0]
        labels.append(tree.label)
    return labels, tree


def _binary(how: Preparation, labels: list[str], node: Tree, above: tuple[str, ...]) -> Tree:
    symbol = symbol_of(labels)
    if node.word is not None and len(labels) == 1:
        return Tree(symbol, node.word)
    marked = PARENT.join([symbol, *above[: how.vertical - 1]])
    if node.word is not None:
        return Tree(marked, node.word)
    shrunken = [_shrunken(child) for child in node.children]
    here = (symbol, *above)
    children = [_binary(how, names, child, here) for names, child in shrunken]
    before = [symbol_of(names) for names, _ in shrunken]
    right = children[-1]
    for k in range(len(children) - 2, 0, -1):
        known = before[max(0, k - how.horizontal) : k]
        right = Tree(SIBLING.join([BETWEEN + marked, *known]), [children[k], right])
    return Tree(marked, [children[0], right])


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
