"""Parsing accuracy of a grammar."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from firth import progress
from firth.errors import InputError
from firth.evaluate import ParseResult, evaluate_parses
from firth.grammar._grammar import Grammar
from firth.grammar._results import Parse
from firth.parameters import documents
from firth.trees import (
    Format,
    LeftOut,
    Tree,
    TreeFormat,
    clean,
    notice_left_out,
    parse_trees,
    treebank_trees,
)

__all__ = ["compare_trees", "evaluate_grammar", "gold_trees"]


@documents(TreeFormat)
def gold_trees(
    lines: Iterable[tuple[int, str]],
    name: str = "the text",
    format: Format | None = None,  # noqa: A002
) -> list[Tree]:
    """Read trees and clean them; trees without words are left out.

    Parameters
    ----------
    lines : iterable of (int, str)
        Numbered lines.
    name : str
        The name of the text in error messages.
    """
    left_out: LeftOut = Counter()
    trees = treebank_trees(parse_trees(lines, name), format, left_out)
    plain = [tree for tree in map(clean, trees) if tree is not None]
    notice_left_out(left_out)
    if not plain:
        raise InputError(f"{name} has no trees.", "Give a file of trees in brackets.")
    return plain


def evaluate_grammar(
    grammar: Grammar, gold: Sequence[Tree], *, tagged: bool = False, longest: int | None = None
) -> dict[str, Any]:
    """Parse the sentences of gold trees, and compare the trees.

    Parameters
    ----------
    grammar : Grammar
    gold : sequence of Tree
        Cleaned trees, as ``gold_trees`` returns them.
    tagged : bool
        Whether the parser is given the gold tags.
    longest : int, optional
        Longer sentences are left out.

    Returns
    -------
    dict
        The scores of ``evaluate_parses``, the number of sentences without a tree, and the speed.
    """
    kept = _short(gold, longest)

    def parse(trees: Sequence[Tree]) -> Iterator[Parse]:
        tags = [tree.tags if tagged else None for tree in trees]
        return grammar.parses([tree.words for tree in trees], tags)

    next(parse(kept[:1]))  # so that the time does not include the compilation of kernels
    parses, started = [], time.perf_counter()
    with progress.stage("parsing", total=len(kept), unit="sentences", brief=1.0) as stage:
        for found in parse(kept):
            parses.append(found)
            stage.advance(1)
    seconds = time.perf_counter() - started
    return {
        **_facts(evaluate_parses(kept, [parse.tree for parse in parses])),
        "n_not_found": sum(not parse.found for parse in parses),
        "seconds": seconds,
        "sentences_per_second": len(kept) / seconds,
    }


def compare_trees(
    gold: Sequence[Tree], found: Sequence[Tree], *, longest: int | None = None
) -> dict[str, Any]:
    """Compare trees of any parser with gold trees.

    Parameters
    ----------
    gold, found : sequence of Tree
        Cleaned trees of the same sentences, in the same order.
    longest : int, optional
        Longer sentences are left out.
    """
    if longest is not None and len(gold) == len(found):
        pairs = zip(gold, found, strict=True)
        found = [other for tree, other in pairs if len(tree) <= longest]
        gold = _short(gold, longest)
    return _facts(evaluate_parses(gold, found))


def _short(trees: Sequence[Tree], longest: int | None) -> Sequence[Tree]:
    kept = [tree for tree in trees if longest is None or len(tree) <= longest]
    if not kept:
        raise InputError(
            f"All sentences have more than {progress.count_of(longest or 0, 'word')}.",
            "Allow longer sentences.",
        )
    return kept


def _facts(result: ParseResult) -> dict[str, Any]:
    """The scores; there is no interval for few sentences."""
    interval = result.interval if math.isfinite(result.interval[0]) else None
    return {**result.to_dict(), "interval": interval}
