"""A tree of few classes as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from firth.trees import Tree

__all__ = ["drawing"]


def drawing(paths: Sequence[str], labels: Sequence[str]) -> str:
    """SVG of the tree of some classes: their paths, and their labels at the bottom.

    Examples
    --------
    >>> drawing(["0", "10", "11"], ["of in", "dog cat", "run go"]).count("<line")
    7
    """
    return _tree(sorted(zip(paths, labels, strict=True)), 0).svg()


def _tree(classes: list[tuple[str, str]], depth: int) -> Tree:
    """The tree of classes whose paths agree in their first ``depth`` bits."""
    path, label = classes[0]
    if len(classes) == 1:
        return Tree(path, label or "?")
    while len({each[depth] for each, _ in classes}) == 1:  # a node with one child
        depth += 1
    sides = ([each for each in classes if each[0][depth] == bit] for bit in "01")
    return Tree(path[:depth], [_tree(side, depth + 1) for side in sides])
