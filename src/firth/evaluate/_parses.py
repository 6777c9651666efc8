"""Parse evaluation: labelled brackets, counted like EVALB with Collins's parameters.

Tags, roots such as TOP, and empty brackets are not counted. Words whose gold tag is a comma, colon,
quotation mark or full stop are deleted from both trees first, so it does not matter where punctuation
is attached. ADVP and PRT count as one label. Function tags and traces are removed.
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
from firth.formats import Backend, Rows
from firth.trees import ROOT_LABELS, Tree, clean

__all__ = ["ParseResult", "ParseRow", "bracket_counts", "evaluate_parses", "f1_difference"]

DELETED = frozenset([",", ":", "``", "''", "."])
"""Tags whose words are not counted."""
EQUAL = {"PRT": "ADVP"}
"""Labels that count as another."""
LENGTHS = (10, 20, 40)


@dataclass(frozen=True)
class ParseRow:
    """Scores of some sentences.

    Attributes
    ----------
    name : str
        Which sentences.
    precision, recall, f1 : float
        Of labelled brackets, from 0 to 1.
    exact : float
        The share of sentences whose brackets are exactly the gold ones.
    tags : float
        Tagging accuracy.
    n_sentences, n_gold, n_found, n_right : int
        Sentences, gold brackets, brackets found, and correct brackets.
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
    """Scores of parses, overall and by sentence length.

    Attributes
    ----------
    overall : ParseRow
    rows : list of ParseRow
        Of sentences of up to 10, 20 and 40 words, and of longer ones.
    interval : tuple of float
        The 95% bootstrap interval of F1; NaN for fewer than ten sentences.
    """

    overall: ParseRow
    rows: list[ParseRow]
    interval: tuple[float, float]

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """A row for the sentences of each length, then one for all; ``backend`` as for other results."""
        return Rows([*self.rows, self.overall], ParseRow).to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data."""
        return asdict(self)


def evaluate_parses(gold: Sequence[Tree], found: Sequence[Tree]) -> ParseResult:
    """Compare parses with gold trees.

    Parameters
    ----------
    gold, found : sequence of Tree
        Of the same sentences, in the same order.

    Raises
    ------
    InputError
        There are no trees, the numbers of trees differ, or two trees have different words.

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
    """The counts of each sentence.

    The columns are: gold brackets, brackets found, correct brackets, whether the brackets are exactly the
    gold ones, words with the correct tag, words that count, all words.
    """
    if len(gold) != len(found):
        raise InputError(
            f"There are {len(gold):,} gold trees and {len(found):,} parses: the numbers must be equal."
        )
    if not gold:
        raise InputError("There are no trees to compare.")
    return np.array([_counts(k, a, b) for k, (a, b) in enumerate(zip(gold, found, strict=True))])


def f1_difference(
    first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
) -> tuple[float, tuple[float, float]]:
    """The difference in F1 of two parsers (second minus first), and its 95% bootstrap interval.

    Parameters
    ----------
    first, second : array of shape (n_sentences, 7)
        The ``bracket_counts`` of two parsers for the same sentences. The bootstrap samples are paired, so
        the interval is much narrower than those of the two scores.
    """
    if len(first) != len(second):
        raise InputError("Two parsers can only be compared on the same sentences.")

    def difference(samples: Any) -> Any:
        one, other = (_f1(*table.T[:3, samples].sum(axis=-1)) for table in (first, second))
        return other - one

    return float(difference(np.arange(len(first)))), bootstrap(len(first), difference)


def _counts(number: int, gold: Tree, found: Tree) -> tuple[int, ...]:
    """A row of ``bracket_counts``."""
    right, guess = clean(gold), clean(found)
    if right is None or guess is None or right.words != guess.words:
        raise InputError(
            f"The two trees of sentence {number + 1:,} have different words.",
            "A parse must have the words of the sentence, in their order.",
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
    """Labels and spans of the phrases of a tree; spans are in words that count."""
    found: Counter[tuple[str, int, int]] = Counter()
    for label, start, end in tree.spans():
        first, last = int(before[start]), int(before[end])
        if first < last and label not in ROOT_LABELS:
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
