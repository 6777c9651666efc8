"""Historical treebanks, in the format of the Penn Parsed Corpora of Historical English and IcePaHC.

Beside the tree, a bracket has an ``ID``; notes of the editors are nodes, too; empty categories have no
tag of their own; and the lemma can follow the word, after a hyphen::

    ( (IP-MAT (NP-SBJ *pro*) (CODE <P_12>) (VBPI setja-setja) (. .-.)) (ID 1150.FIRSTGRAMMAR,.2))
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal

from firth import progress
from firth.parameters import Param, Parameters
from firth.trees._cleaning import rebuilt
from firth.trees._tree import Tree

__all__ = ["Format", "LeftOut", "TreeFormat", "notice_left_out", "treebank_trees"]

Format = Literal["penn", "psd"]
NOTES = frozenset(["CODE", "COMMENT", "ID", "LB", "METADATA", "VERSION"])
"""The labels of what is not text."""
_EMPTY = re.compile(r"0|\*.*")
_WITH_LEMMA = re.compile(r"(.+?)-.+")
LeftOut = Counter[tuple[str, ...]]
"""How many there were of each kind; a kind is a singular and, if it is irregular, a plural."""
_SHARE = 0.5
"""Words have lemmas if more than this share of them has a hyphen inside."""


@dataclass(eq=False, repr=False)
class TreeFormat(Parameters):
    """How files of trees are read."""

    owner = "read_trees"

    format: Annotated[
        Format | None,
        Param(
            "Format of the trees: penn, or psd for historical treebanks; detected by default.",
            "In ``psd``, nodes such as ``ID`` and ``CODE``, empty categories, and lemmas after a "
            "hyphen are left out.",
            panel="Text",
        ),
    ] = None


def treebank_trees(trees: Iterable[Tree], kind: Format | None, left_out: LeftOut) -> Iterator[Tree]:
    """The trees of a file without what is not text; a tree without words is left out.

    Parameters
    ----------
    trees : iterable of Tree
        As they are in the file.
    kind : {"penn", "psd"} or None
        If None, the first tree decides.
    left_out : Counter
        What is left out is counted here; see ``notice_left_out``.
    """
    rest = iter(trees)
    for first in rest:
        both = chain([first], rest)
        if kind == "psd" or (kind is None and _is_historical(first)):
            return _plain(list(both), left_out)
        return both
    return rest


def notice_left_out(left_out: LeftOut) -> None:
    """Say what was left out of the trees, if anything was."""
    if left_out:
        found = [progress.count_of(n, *what) for what, n in sorted(left_out.items())]
        listed = " and ".join(filter(None, [", ".join(found[:-1]), found[-1]]))
        progress.notice(
            f"Left out of the trees: {listed}.", "To read trees as they are: --format penn"
        )


def _is_historical(tree: Tree) -> bool:
    """Whether an outer bracket without a label has a note beside the tree."""
    return not tree.label and any(child.label in NOTES for child in tree.children)


def _plain(trees: list[Tree], left_out: LeftOut) -> Iterator[Tree]:
    words = [leaf.word for tree in trees for leaf in tree.leaves() if _is_word(leaf)]
    with_lemma = sum(_WITH_LEMMA.fullmatch(word) is not None for word in words if word)
    has_lemmas = with_lemma > _SHARE * len(words)

    def text(node: Tree, children: list[Tree]) -> Tree | None:
        if node.label in NOTES:
            left_out[f"{node.label} node",] += 1
            return None
        if node.word is None:
            return Tree(node.label, children) if children else None
        if not _is_word(node):
            left_out["empty category", "empty categories"] += 1
            return None
        lemma = _WITH_LEMMA.fullmatch(node.word) if has_lemmas else None
        if lemma is None:
            return node
        left_out["lemma",] += 1
        return Tree(node.label, lemma[1])

    for tree in trees:
        found = rebuilt(tree, text)
        if found is not None:
            yield found


def _is_word(leaf: Tree) -> bool:
    """Whether a tag has a word, and neither a note nor nothing."""
    empty = _EMPTY.fullmatch(leaf.word or "") and not leaf.label.startswith("NUM")
    return leaf.label not in NOTES and not empty
