"""Bracketed trees, as in the Penn Treebank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from firth.errors import InputError
from firth.formats import text_lines
from firth.trees._tree import ESCAPES, Tree

__all__ = ["parse_trees", "read_trees"]

_PIECE = re.compile(r"[()]|[^\s()]+")
_DEEPEST = 10_000
_UNESCAPED = {written: plain for plain, written in ESCAPES.items()}


def read_trees(path: str | Path) -> Iterator[Tree]:
    """Read the trees of a file, which may be compressed (``.gz .bz2 .xz .zst``).

    A tree may take one line or several, and a line may have several trees. Words such as ``-LRB-``
    become the brackets they stand for.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        The file is malformed: unbalanced brackets, a word without a tag, a tag over two words, or a
        node without children. The message has the line and the column.
    """
    return parse_trees(text_lines(Path(path)), str(path))


def parse_trees(lines: str | Iterable[tuple[int, str]], name: str = "the text") -> Iterator[Tree]:
    """Parse the trees in a text, or in numbered lines.

    Parameters
    ----------
    lines : str or iterable of (int, str)
    name : str
        The name of the text in error messages.

    Examples
    --------
    >>> list(parse_trees("(S (NP (N cats)) (VP (V sleep)))"))
    [(S (NP (N cats)) (VP (V sleep)))]
    """
    numbered = enumerate(lines.split("\n"), 1) if isinstance(lines, str) else lines
    stack: list[_Open] = []
    for number, line in numbered:
        for found in _PIECE.finditer(line):
            piece, where = found[0], (number, found.start() + 1)
            if piece == "(":
                if len(stack) >= _DEEPEST:
                    raise _wrong(name, where, f"brackets are nested more than {_DEEPEST:,} deep")
                stack.append(_Open(where))
            elif not stack:
                outside = f"{piece[:40]!r} is outside of any tree"
                raise _wrong(name, where, "unmatched ')'" if piece == ")" else outside)
            elif piece == ")":
                tree = stack.pop().closed(name, where)
                if stack:
                    stack[-1].children.append(tree)
                else:
                    yield tree
            else:
                stack[-1].take(piece, name, where)
    if stack:
        raise _wrong(name, stack[0].where, "the tree that begins here is not closed")


class _Open:
    """A node that is not closed yet."""

    def __init__(self, where: tuple[int, int]) -> None:
        self.where = where
        self.label: str | None = None
        self.word: str | None = None
        self.children: list[Tree] = []

    def take(self, piece: str, name: str, where: tuple[int, int]) -> None:
        """Take the label, or, if there is one, the word."""
        if self.label is None and not self.children:
            self.label = piece
        elif self.children:
            raise _wrong(name, where, f"the word {piece[:40]!r} has no tag")
        elif self.word is not None:
            raise _wrong(
                name, where, f"{piece[:40]!r} is a second word under the tag {self.label!r}"
            )
        else:
            self.word = _UNESCAPED.get(piece, piece)

    def closed(self, name: str, where: tuple[int, int]) -> Tree:
        if self.word is not None and self.children:
            raise _wrong(name, where, f"{self.label!r} has both a word and children")
        if self.word is not None:
            return Tree(self.label or "", self.word)
        if not self.children:
            raise _wrong(name, where, f"{self.label or 'this bracket'!r} is empty")
        return Tree(self.label or "", self.children)


def _wrong(name: str, where: tuple[int, int], what: str) -> InputError:
    return InputError(
        f"{name}, line {where[0]}, column {where[1]}: {what}.",
        "A tree is written as (S (NP (N cats)) (VP (V sleep))).",
    )
