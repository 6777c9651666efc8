"""How good parses are: labelled brackets, as EVALB counts them with Collins's parameters.

Not counted are tags, the root where it only holds the tree, and brackets around nothing. Words whose right
tag is a comma, colon, quotation mark or full stop are taken out of both trees first, so it does not matter where
punctuation is attached. ADVP and PRT count as one label. Function tags and traces are taken away beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError
from firth.evaluate._bootstrap import bootstrap
from firth.trees import Tree, clean

__all__ = ["ParseResult", "ParseRow", "bracket_counts", "evaluate_parses", "f1_difference"]

DELETED = frozenset([",", ":", "``", "''", "."])
"""Tags whose words are not counted."""
EQUAL = {"PRT": "ADVP"}
_ROOT = frozenset(["", "TOP", "ROOT", "S1"])
LENGTHS = (10, 20, 40)


@dataclass(frozen=True)
class ParseRow:
    """The brackets of some sentences: how many are right, and what share of them.

    Attributes
    ----------
    name : str
        Which sentences.
    precision, recall, f1 : float
        Of labelled brackets, from 0 to 1.
    exact : float
        The share of sentences with all brackets right and none more.
    tags : float
        The share of words with the right tag.
    n_sentences, n_gold, n_found, n_right : int
        Sentences, and brackets that should be there, that were found, and that were found and should be.
    """

    name: str
    precision: float
    recall: float
    f1: float
    exact: float
    tags: float
    n_sentences: int
    n_gold: int
    n_found: int
    n_right: int


@dataclass(frozen=True)
class ParseResult:
    """How good parses are, all together and by the length of sentences.

    Attributes
    ----------
    overall : ParseRow
    rows : list of ParseRow
        For sentences of up to 10, 20, 40 words, and longer ones.
    interval : tuple of float
        The middle 95 % of F1 over bootstrap samples of the sentences; NaN for fewer than ten.
    """

    overall: ParseRow
    rows: list[ParseRow]
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON."""
        return asdict(self)


def evaluate_parses(gold: Sequence[Tree], found: Sequence[Tree]) -> ParseResult:
    """Compare parses with the right trees.

    Parameters
    ----------
    gold, found : sequence of Tree
        Of the same sentences, in the same order.

    Raises
    ------
    InputError
        There are no trees, not as many of one as of the other, or two are not of the same words.

    Examples
    --------
    >>> from firth.trees import parse_trees
    >>> gold = list(parse_trees("(S (NP (D the) (N cat)) (VP (V sat) (PRT (R down))))"))
    >>> found = list(parse_trees("(S (NP (D the) (N cat)) (VP (V sat) (NP (N down))))"))
    >>> overall = evaluate_parses(gold, found).overall
    >>> overall.precision, overall.recall, overall.tags
    (0.75, 0.75, 0.75)
    """
    table = bracket_counts(gold, found)
    lengths = table[:, 6]
    edges = [0, *LENGTHS, np.inf]
    rows = []
    for low, high in pairwise(edges):
        here = table[(lengths > low) & (lengths <= high)]
        if len(here):
            name = (
                f"{int(low) + 1} to {int(high)} words"
                if high < np.inf
                else f"more than {int(low)} words"
            )
            rows.append(_row(name, here))
    interval = bootstrap(len(table), lambda samples: _f1(*table.T[:3, samples].sum(axis=2)))
    return ParseResult(_row("all", table), rows, interval)


def bracket_counts(gold: Sequence[Tree], found: Sequence[Tree]) -> npt.NDArray[np.int64]:
    """For each sentence brackets that should be there, that were found, and that are right; and what else is counted.

    These are: whether all brackets are right; words with the right tag, words that count, all words.
    """
    if len(gold) != len(found):
        raise InputError(
            f"There are {len(gold):,} right trees and {len(found):,} parses; each sentence needs one of both."
        )
    if not gold:
        raise InputError("There are no trees to compare.")
    return np.array([_counts(k, a, b) for k, (a, b) in enumerate(zip(gold, found, strict=True))])


def f1_difference(
    first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
) -> tuple[float, tuple[float, float]]:
    """How much larger the F1 of the second is, and the middle 95 % of that over samples of the sentences.

    Parameters
    ----------
    first, second : array of shape (n_sentences, 7)
        What ``bracket_counts`` says of two parsers, for the same sentences. A sentence that is drawn counts
        for both: differences are far surer than the figures themselves.
    """
    if len(first) != len(second):
        raise InputError("Two parsers can be compared by the same sentences only.")

    def difference(samples: Any) -> Any:
        one, other = (_f1(*table.T[:3, samples].sum(axis=-1)) for table in (first, second))
        return other - one

    return float(difference(np.arange(len(first)))), bootstrap(len(first), difference)


def _counts(number: int, gold: Tree, found: Tree) -> tuple[int, ...]:
    """Brackets there, found and right; whether all are; words with the right tag, counted words, all words."""
    right, guess = clean(gold), clean(found)
    if right is None or guess is None or right.words != guess.words:
        raise InputError(
            f"The trees of sentence {number + 1:,} are not of the same words.",
            "Parses must have every word of the sentence, in its order.",
        )
    tags = right.tags
    counted = np.array([tag not in DELETED for tag in tags])
    before = np.concatenate([[0], np.cumsum(counted)])
    a, b = (_brackets(tree, before) for tree in (right, guess))
    n_right = sum((a & b).values())
    n_gold, n_found = sum(a.values()), sum(b.values())
    same = sum(x == y for x, y, kept in zip(tags, guess.tags, counted, strict=True) if kept)
    exact = n_right == n_gold == n_found
    return n_gold, n_found, n_right, int(exact), same, int(counted.sum()), len(tags)


def _brackets(tree: Tree, before: Any) -> Counter[tuple[str, int, int]]:
    """Labels and spans of the phrases of a tree, in words that count."""
    found: Counter[tuple[str, int, int]] = Counter()
    for label, start, end in tree.spans():
        first, last = int(before[start]), int(before[end])
        if first < last and label not in _ROOT:
            found[EQUAL.get(label, label), first, last] += 1
    return found


def _row(name: str, table: Any) -> ParseRow:
    n_gold, n_found, n_right, exact, same, counted, _ = (int(x) for x in table.sum(axis=0))
    precision, recall = n_right / max(n_found, 1), n_right / max(n_gold, 1)
    return ParseRow(
        name, precision, recall, float(_f1(n_gold, n_found, n_right)), exact / len(table), same / max(counted, 1),
        len(table), n_gold, n_found, n_right,
    )  # fmt: skip


def _f1(n_gold: Any, n_found: Any, n_right: Any) -> Any:
    return 2 * n_right / np.maximum(n_gold + n_found, 1)
