"""Trees in brackets, as the Penn Treebank has them."""

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
    """Read the trees of a file, ``.gz .bz2 .xz .zst`` included.

    A tree may stand on one line or on many; there may be several on a line. Words such as ``-LRB-`` become the
    brackets they stand for.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        With the line and the column where something is wrong: a bracket too many or too few, a word without a
        tag, a tag over two words, a node over nothing.
    """
    return parse_trees(text_lines(Path(path)), str(path))


def parse_trees(lines: str | Iterable[tuple[int, str]], name: str = "the text") -> Iterator[Tree]:
    """The trees in some text, or in numbered lines.

    Parameters
    ----------
    lines : str or iterable of (int, str)
    name : str
        What the text is called in messages.

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
                    raise _wrong(name, where, f"brackets are more than {_DEEPEST:,} deep")
                stack.append(_Open(where))
            elif not stack:
                what = (
                    "a bracket is closed that was never opened"
                    if piece == ")"
                    else f"{piece[:40]!r} is in no tree"
                )
                raise _wrong(name, where, what)
            elif piece == ")":
                tree = stack.pop().closed(name, where)
                if stack:
                    stack[-1].children.append(tree)
                else:
                    yield tree
            else:
                stack[-1].take(piece, name, where)
    if stack:
        raise _wrong(name, stack[0].where, "the tree that begins here has no end")


class _Open:
    """A node whose closing bracket has not come yet."""

    def __init__(self, where: tuple[int, int]) -> None:
        self.where = where
        self.label: str | None = None
        self.word: str | None = None
        self.children: list[Tree] = []

    def take(self, piece: str, name: str, where: tuple[int, int]) -> None:
        """The label, or else the word."""
        if self.label is None and not self.children:
            self.label = piece
        elif self.children:
            raise _wrong(name, where, f"{piece[:40]!r} stands among nodes and has no tag")
        elif self.word is not None:
            raise _wrong(
                name, where, f"{piece[:40]!r} is a second word below the tag {self.label!r}"
            )
        else:
            self.word = _UNESCAPED.get(piece, piece)

    def closed(self, name: str, where: tuple[int, int]) -> Tree:
        if self.word is not None and self.children:
            raise _wrong(name, where, f"the tag {self.label!r} is over a word and over nodes")
        if self.word is not None:
            return Tree(self.label or "", self.word)
        if not self.children:
            raise _wrong(name, where, f"below {self.label or 'this bracket'!r} there is nothing")
        return Tree(self.label or "", self.children)


def _wrong(name: str, where: tuple[int, int], what: str) -> InputError:
    return InputError(
        f"{name}, line {where[0]}, column {where[1]}: {what}.",
        "A tree is written as (S (NP (N cats)) (VP (V sleep))).",
    )
