"""Trees as treebanks have them, made plain: without traces, function tags and empty outer brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from firth.errors import InputError
from firth.trees._tree import Tree

__all__ = ["clean", "plain_label", "rebuilt", "retagged"]

EMPTY = "-NONE-"
"""The tag of what stands for no word: traces, and what was left out."""
_OUTER = ("", "TOP", "ROOT", "S1")
_FUNCTION = re.compile(r"(?<=.)[-=|].*")


def clean(tree: Tree) -> Tree | None:
    """The tree without traces, function tags and a root that only holds it; None where no word is left.

    Examples
    --------
    >>> from firth.trees import parse_trees
    >>> [tree] = parse_trees("( (S (NP-SBJ (-NONE- *)) (VP (V go))))")
    >>> clean(tree)
    (S (VP (V go)))
    """

    def plain(node: Tree, children: list[Tree]) -> Tree | None:
        if node.word is not None:
            return None if node.label == EMPTY else Tree(plain_label(node.label), node.word)
        return Tree(plain_label(node.label), children) if children else None

    found = rebuilt(tree, plain)
    while found is not None and found.label in _OUTER and len(found.children) == 1:
        found = found.children[0]
    return found


def plain_label(label: str) -> str:
    """A label without its function tags.

    >>> plain_label("NP-SBJ-1"), plain_label("NP=2"), plain_label("-LRB-"), plain_label("-")
    ('NP', 'NP', '-LRB-', '-')
    """
    return label if label.startswith("-") else _FUNCTION.sub("", label)


def rebuilt(tree: Tree, make: Callable[[Tree, list[Tree]], Tree | None]) -> Tree | None:
    """Make a tree anew from the bottom up: every node from itself and what its children have become.

    Children for which ``make`` gives None are left out. However deep a tree is, this does not recurse.
    """
    numbered = tree.numbered()
    below: list[list[Tree]] = [[] for _ in numbered]
    found: Tree | None = None
    for place in range(len(numbered) - 1, -1, -1):
        node, parent = numbered[place]
        found = make(node, below[place][::-1])
        if found is not None and parent >= 0:
            below[parent].append(found)
    return found


def retagged(tree: Tree, tags: Sequence[str]) -> Tree:
    """The tree with other tags for its words.

    >>> retagged(Tree("NP", [Tree("D", "the"), Tree("X", "cat")]), ["D", "N"])
    (NP (D the) (N cat))
    """
    if len(tags) != len(tree):
        raise InputError(f"A tree of {len(tree)} words needs as many tags. Got {len(tags)}.")
    left = list(tags)
    found = rebuilt(
        tree,
        lambda node, below: (
            Tree(left.pop(), node.word) if node.word is not None else Tree(node.label, below)
        ),
    )
    assert found is not None  # noqa: S101
    return found
