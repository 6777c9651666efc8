"""Checks of what is given to a grammar: trees, sentences, tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from firth.errors import InputError
from firth.grammar._tensors import Node
from firth.trees import Tree

__all__ = ["checked_trees", "checked_words", "labelled_trees", "length_of", "paired"]

_MISSING: Any = object()


def length_of(tree: Node) -> int:
    """The number of words of a tree."""
    waiting, n = [tree], 0
    while waiting:
        node = waiting.pop()
        if node.left is None or node.right is None:
            n += 1
        else:
            waiting += [node.left, node.right]
    return n


def checked_trees(trees: Iterable[Tree]) -> Iterator[Tree]:
    """The trees, if that is what they are."""
    if isinstance(trees, str | Tree):
        raise InputError("Trees must be given as a list.", "Read them: firth.read_trees(FILE)")
    for tree in trees:
        if not isinstance(tree, Tree):
            raise InputError(
                f"A tree must be a firth.Tree. Got {type(tree).__name__}.",
                "Read trees: firth.read_trees(FILE), or firth.parse_trees(TEXT)",
            )
        try:
            tree.brackets().encode()
        except UnicodeEncodeError:
            raise InputError("A word or label is not valid Unicode (lone surrogate).") from None
        yield tree


def labelled_trees(trees: list[Tree]) -> list[Tree]:
    """The trees, if all of their nodes have labels."""
    for tree in trees:
        if not all(node.label for node in tree.nodes()):
            raise InputError(
                f"A node has no label in the tree of {' '.join(tree.words)[:60]!r}.",
                "Only the outermost bracket of a tree may be without a label.",
            )
    return trees


def paired(
    sentences: Iterable[Sequence[str]], tags: Iterable[Sequence[str] | None] | None
) -> Iterator[tuple[Sequence[str], Sequence[str] | None]]:
    """Sentences and their tags, which must be equally many."""
    if tags is None:
        yield from ((words, None) for words in sentences)
        return
    for words, known in zip_longest(sentences, tags, fillvalue=_MISSING):
        if words is _MISSING or known is _MISSING:
            raise InputError("The numbers of sentences and of lists of tags must be equal.")
        yield words, known


def checked_words(
    words: Sequence[str], tags: Sequence[str] | None
) -> tuple[list[str], list[str] | None]:
    """The words of a sentence, and their tags if they are known."""
    if isinstance(words, str):
        raise InputError("A sentence must be a list of words, not a str.", "Split it: text.split()")
    found = list(words)
    if not found or not all(isinstance(word, str) and word for word in found):
        raise InputError("A sentence must be a list of one or more words, none of them empty.")
    if tags is None:
        return found, None
    known = [] if isinstance(tags, str) else list(tags)
    if len(known) != len(found) or not all(isinstance(tag, str) and tag for tag in known):
        raise InputError(f"A sentence of {len(found)} words needs {len(found)} tags.")
    return found, known
