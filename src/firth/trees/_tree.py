"""Syntax trees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from firth.errors import InputError

__all__ = ["ESCAPES", "Tree"]

ESCAPES = {
    "(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-",
}  # fmt: skip
"""How treebanks write brackets that are words."""
_PLAIN = {"(": "-LRB-", ")": "-RRB-"}
_BREAKS = re.compile(r"[\s()]")


class Tree:
    """A node with a label, and with children or a word.

    Trees are immutable. A node with a word is called a tag (a preterminal); every word has one.

    Parameters
    ----------
    label : str
        Empty for the outer bracket that some treebanks have around every tree.
    children : sequence of Tree, or str
        Child nodes, or a word.

    Examples
    --------
    >>> tree = Tree("S", [Tree("NP", [Tree("N", "cats")]), Tree("VP", [Tree("V", "sleep")])])
    >>> tree
    (S (NP (N cats)) (VP (V sleep)))
    >>> tree.words, tree.tags
    (['cats', 'sleep'], ['N', 'V'])
    >>> [(label, start, end) for label, start, end in tree.spans()]
    [('S', 0, 2), ('NP', 0, 1), ('VP', 1, 2)]
    """

    __slots__ = ("_hash", "children", "label", "word")
    label: str
    children: tuple[Tree, ...]
    word: str | None

    def __init__(self, label: str, children: Sequence[Tree] | str) -> None:
        if not isinstance(label, str):
            raise InputError(f"The label of a tree must be a str. Got {label!r}.")
        put = object.__setattr__
        put(self, "label", label)
        if isinstance(children, str):
            if not children:
                raise InputError(f"The word under {label!r} is empty.")
            put(self, "children", ())
            put(self, "word", children)
        else:
            nodes = tuple(children)
            if not nodes or not all(isinstance(node, Tree) for node in nodes):
                raise InputError(
                    f"The children of {label!r} must be trees, or one word.",
                    'For example: Tree("NP", [Tree("N", "cats")])',
                )
            put(self, "children", nodes)
            put(self, "word", None)
        put(self, "_hash", hash((label, self.word, self.children)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Trees are immutable: {name!r} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Trees are immutable: {name!r} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self.label, self.word if self.word is not None else self.children)

    def __hash__(self) -> int:
        return int(self._hash)  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            a, b = pairs.pop()
            if a is b:
                continue
            if hash(a) != hash(b) or a.label != b.label or a.word != b.word:
                return False
            if len(a.children) != len(b.children):
                return False
            pairs += zip(a.children, b.children, strict=True)
        return True

    def __repr__(self) -> str:
        return self.brackets()

    def __len__(self) -> int:
        """The number of words."""
        return sum(1 for _ in self.leaves())

    @property
    def is_tag(self) -> bool:
        """Whether this node has a word."""
        return self.word is not None

    def nodes(self) -> Iterator[Tree]:
        """This node and all nodes below it, top-down, from left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def numbered(self) -> list[tuple[Tree, int]]:
        """The nodes in the order of ``nodes``, each with the index of its parent; -1 for the root.

        The same object may occur several times in a tree, so nodes are identified by index.
        """
        found: list[tuple[Tree, int]] = []
        waiting = [(self, -1)]
        while waiting:
            node, parent = waiting.pop()
            waiting += [(child, len(found)) for child in reversed(node.children)]
            found.append((node, parent))
        return found

    def leaves(self) -> Iterator[Tree]:
        """The tags, from left to right."""
        return (node for node in self.nodes() if node.word is not None)

    @property
    def words(self) -> list[str]:
        return [str(leaf.word) for leaf in self.leaves()]

    @property
    def tags(self) -> list[str]:
        return [leaf.label for leaf in self.leaves()]

    @property
    def height(self) -> int:
        """The number of nodes on the longest path from this node down."""
        tall = 0
        waiting = [(self, 1)]
        while waiting:
            node, depth = waiting.pop()
            tall = max(tall, depth)
            waiting += [(child, depth + 1) for child in node.children]
        return tall

    def spans(self) -> list[tuple[str, int, int]]:
        """Label, start and end (exclusive) of every node that is not a tag, top-down."""
        found: list[tuple[str, int, int]] = []
        place = 0
        waiting: list[Tree | int] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, int):
                label, start, _ = found[node]
                found[node] = (label, start, place)
            elif node.word is not None:
                place += 1
            else:
                found.append((node.label, place, place))
                waiting.append(len(found) - 1)
                waiting += reversed(node.children)
        return found

    def brackets(self) -> str:
        """The tree on one line; round brackets in words and labels become ``-LRB-`` and ``-RRB-``."""
        pieces: list[str] = []
        waiting: list[Tree | str] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                pieces.append(node)
                continue
            if node.word is not None:
                pieces.append(f"({_escaped(node.label)} {_escaped(node.word)})")
                continue
            pieces.append(f"({_escaped(node.label)}")
            waiting.append(")")
            for child in reversed(node.children):
                waiting += [child, " "]
        return "".join(pieces)

    def pretty(self) -> str:
        """The tree on several lines, indented; a phrase of tags only takes one line."""
        lines: list[str] = []
        waiting = [(self, 0)]
        while waiting:
            node, depth = waiting.pop()
            indent = "  " * depth
            if node.word is not None or all(child.word is not None for child in node.children):
                lines.append(f"{indent}{node.brackets()}")
                continue
            lines.append(f"{indent}({_escaped(node.label)}")
            waiting += [(child, depth + 1) for child in reversed(node.children)]
        return _closed(lines)

    def svg(self) -> str:
        """The tree as the text of an SVG file."""
        from firth.trees._drawing import svg

        return svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_nltk(self) -> Any:
        """Convert to an NLTK tree; needs NLTK."""
        from importlib import import_module

        kind = import_module("nltk.tree").Tree
        numbered = self.numbered()
        below: list[list[Any]] = [[] for _ in numbered]
        made = None
        for place in range(len(numbered) - 1, -1, -1):
            node, parent = numbered[place]
            made = kind(node.label, [node.word] if node.word is not None else below[place][::-1])
            if parent >= 0:
                below[parent].append(made)
        return made

    @classmethod
    def from_nltk(cls, tree: Any) -> Tree:
        """Convert from an NLTK tree; every word must have a tag of its own."""
        below = [child if isinstance(child, str) else cls.from_nltk(child) for child in tree]
        if any(isinstance(child, str) for child in below):
            if len(below) != 1:
                raise InputError(f"The words under {tree.label()!r} have no tags.")
            return cls(tree.label(), str(below[0]))
        return cls(tree.label(), below)  # type: ignore[arg-type]


def _escaped(text: str) -> str:
    """Replace whitespace and round brackets."""
    if not _BREAKS.search(text):
        return text
    for plain, written in _PLAIN.items():
        text = text.replace(plain, written)
    return re.sub(r"\s", "_", text)


def _closed(lines: list[str]) -> str:
    """Close the brackets that are open at the end of each phrase."""
    depths = [(len(line) - len(line.lstrip())) // 2 for line in lines]
    is_open = [not line.rstrip().endswith(")") for line in lines]
    stack: list[int] = []
    for k, line in enumerate(lines):
        if is_open[k]:
            stack.append(depths[k])
        following = depths[k + 1] if k + 1 < len(lines) else 0
        closing = 0
        while not is_open[k] and stack and stack[-1] >= following:
            stack.pop()
            closing += 1
        lines[k] = line + ")" * closing
    return "\n".join(lines)
