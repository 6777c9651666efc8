"""Cleaning: trees without traces, function tags and outer brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from firth.errors import InputError
from firth.trees._tree import Tree

__all__ = ["clean", "plain_label", "rebuilt", "retagged"]

EMPTY = "-NONE-"
"""The tag of what is not a word: traces and omissions."""
ROOT_LABELS = frozenset(["", "TOP", "ROOT", "S1"])
"""The labels of a root that is not a phrase, but only holds a tree together."""
_FUNCTION = re.compile(r"(?<=.)[-=|].*")


def clean(tree: Tree) -> Tree | None:
    """Remove traces, function tags, and a root that is not a phrase; None if no word is left.

    A root without a label that has several children cannot be removed. It is labelled ROOT.

    Examples
    --------
    >>> from firth.trees import parse_trees
    >>> [tree] = parse_trees("( (S (NP-SBJ (-NONE- *)) (VP (V go))))")
    >>> clean(tree)
    (S (VP (V go)))
    >>> [tree] = parse_trees("( (NP (N cats)) (. !))")
    >>> clean(tree)
    (ROOT (NP (N cats)) (. !))
    """

    def plain(node: Tree, children: list[Tree]) -> Tree | None:
        if node.word is not None:
            return None if node.label == EMPTY else Tree(plain_label(node.label), node.word)
        return Tree(plain_label(node.label), children) if children else None

    found = rebuilt(tree, plain)
    while found is not None and found.label in ROOT_LABELS and len(found.children) == 1:
        found = found.children[0]
    if found is not None and not found.label and found.children:
        return Tree("ROOT", found.children)
    return found


def plain_label(label: str) -> str:
    """Remove the function tags of a label.

    >>> plain_label("NP-SBJ-1"), plain_label("NP=2"), plain_label("-LRB-"), plain_label("-")
    ('NP', 'NP', '-LRB-', '-')
    """
    return label if label.startswith("-") else _FUNCTION.sub("", label)


def rebuilt(tree: Tree, make: Callable[[Tree, list[Tree]], Tree | None]) -> Tree | None:
    """Rebuild a tree from the bottom up: ``make`` is called with each node and its new children.

    Children for which ``make`` returns None are removed. There is no recursion, so trees can be deep.
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
    """Replace the tags of a tree.

    >>> retagged(Tree("NP", [Tree("D", "the"), Tree("X", "cat")]), ["D", "N"])
    (NP (D the) (N cat))
    """
    if len(tags) != len(tree):
        raise InputError(f"A tree of {len(tree)} words needs {len(tree)} tags. Got {len(tags)}.")
    left = list(tags)
    found = rebuilt(
        tree,
        lambda node, below: (
            Tree(left.pop(), node.word) if node.word is not None else Tree(node.label, below)
        ),
    )
    assert found is not None  # noqa: S101
    return found
