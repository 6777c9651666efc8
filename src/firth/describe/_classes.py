"""Classes, as nodes of their tree."""

from __future__ import annotations

from typing import Any

from firth.classes import Hierarchy

__all__ = ["class_facts", "nodes_below", "word_class"]

N_UP = 3
"""How many classes up the tree are listed beside that of a word."""


def class_facts(classes: Hierarchy, prefix: str, n: int) -> dict[str, Any]:
    """A node of the tree as data."""
    begin, end = classes.tree.span(prefix)
    tokens = int(classes.tokens[begin:end].sum())
    facts: dict[str, Any] = {
        "path": prefix,
        "label": classes.label(prefix),
        "n_classes": end - begin,
        "n_words": len(classes.ids_below(prefix)),
        "tokens": tokens,
        "rare": classes.n_rare if classes.rare is not None and begin <= classes.rare < end else 0,
        "members": [{"word": m.word, "count": m.count} for m in classes.members(prefix, n)],
    }
    contexts = classes.contexts(prefix, n)
    if contexts is not None:
        for side, found in contexts.items():
            facts[side] = [{"word": c.word, "count": c.count, "pmi": c.pmi} for c in found]
    return facts


def _siblings(classes: Hierarchy, path: str, n: int) -> list[dict[str, Any]]:
    """The nodes beside a path and beside the nodes above it, the nearest first."""
    found: list[dict[str, Any]] = []
    for depth in range(len(path), 0, -1):
        other = path[: depth - 1] + ("1" if path[depth - 1] == "0" else "0")
        if other in classes.tree.node_of and len(found) < n:
            found.append({"path": other, "label": classes.label(other)})
    return found


def word_class(classes: Hierarchy, word: str, n: int) -> dict[str, Any] | None:
    """The class of a word and what is around it; None if the word has none."""
    if word not in classes:
        return None
    path = classes.path(word)
    return {**class_facts(classes, path, n), "siblings": _siblings(classes, path, N_UP)}


def nodes_below(classes: Hierarchy, prefix: str, depth: int, n: int) -> list[dict[str, Any]]:
    """The nodes at a depth below a node, and the classes that end before it."""
    begin, end = classes.tree.span(prefix)
    paths = dict.fromkeys(path[: len(prefix) + depth] for path in classes.paths[begin:end])
    return [
        {key: value for key, value in class_facts(classes, path, n).items() if key not in ("before", "after")}
        for path in paths
    ]  # fmt: skip
