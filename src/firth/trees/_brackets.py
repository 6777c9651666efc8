"""Bracketed trees, as in the Penn Treebank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from firth.errors import InputError
from firth.formats import reading, text_lines
from firth.parameters import documents
from firth.trees._historical import (
    Format,
    LeftOut,
    TreeFormat,
    notice_left_out,
    treebank_trees,
)
from firth.trees._tree import ESCAPES, Tree
from firth.unicode import category, is_printable

__all__ = ["parse_trees", "read_trees"]

_PIECE = re.compile(r"[()]|[^\s()]+")
_DEEPEST = 10_000
_LONGEST_LABEL = 1000
_UNSEEN = ("Cc", "Cf")
_UNESCAPED = {written: plain for plain, written in ESCAPES.items()}


@documents(TreeFormat)
def read_trees(path: str | Path, format: Format | None = None) -> Iterator[Tree]:  # noqa: A002
    """Read the trees of a file, which may be compressed (``.gz .bz2 .xz .zst``).

    A tree may take one line or several, and a line may have several trees. Words such as ``-LRB-``
    become the brackets they stand for.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        The file is malformed: unbalanced brackets, a word without a tag, a tag over two words, a node
        without children, or a node inside a tree without a label. The message has the line and the
        column.
    """
    left_out: LeftOut = Counter()
    with reading(path):
        yield from treebank_trees(parse_trees(text_lines(Path(path)), str(path)), format, left_out)
    notice_left_out(left_out)


def parse_trees(lines: str | Iterable[tuple[int, str]], name: str = "the text") -> Iterator[Tree]:
    """Parse the trees in a text, or in numbered lines, in the format ``penn``.

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
        _check_unicode(line, name, number)
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
                closed = stack.pop()
                tree = closed.tree(name, where)
                if stack:
                    stack[-1].add(tree, name, closed.where)
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
        self.unlabelled: tuple[int, int] | None = None
        """Where the first child without a label begins."""

    def take(self, piece: str, name: str, where: tuple[int, int]) -> None:
        """Take the label, or, if there is one, the word."""
        if self.label is None and not self.children:
            if len(piece) > _LONGEST_LABEL:
                raise _wrong(name, where, f"a label of {len(piece):,} characters is too long")
            if not is_printable(piece) and all(category(c) in _UNSEEN for c in piece):
                raise _wrong(name, where, f"the label {piece[:40]!r} cannot be seen")
            self.label = piece
        elif self.children:
            raise _wrong(name, where, f"the word {piece[:40]!r} has no tag")
        elif self.word is not None:
            raise _wrong(
                name, where, f"{piece[:40]!r} is a second word under the tag {self.label!r}"
            )
        else:
            self.word = _UNESCAPED.get(piece, piece)

    def add(self, tree: Tree, name: str, where: tuple[int, int]) -> None:
        """Add a child. Only outermost brackets around a single tree need no label."""
        self.children.append(tree)
        if not tree.label and self.unlabelled is None:
            self.unlabelled = where
        if self.unlabelled and (self.label or len(self.children) > 1):
            raise _wrong(name, self.unlabelled, "a node inside a tree has no label")

    def tree(self, name: str, where: tuple[int, int]) -> Tree:
        if self.word is not None and self.children:
            raise _wrong(name, where, f"{self.label!r} has both a word and children")
        if self.word is not None:
            return Tree(self.label or "", self.word)
        if not self.children:
            raise _wrong(name, where, f"{self.label or 'this bracket'!r} is empty")
        return Tree(self.label or "", self.children)


def _check_unicode(line: str, name: str, number: int) -> None:
    try:
        line.encode()
    except UnicodeEncodeError as error:
        raise _wrong(name, (number, error.start + 1), "a lone surrogate is not text") from None


def _wrong(name: str, where: tuple[int, int], what: str) -> InputError:
    return InputError(
        f"{name}, line {where[0]}, column {where[1]}: {what}.",
        "A tree is written as (S (NP (N cats)) (VP (V sleep))).",
    )
