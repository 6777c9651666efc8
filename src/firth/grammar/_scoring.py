"""Probabilities of the sentences and trees of a text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from firth.grammar._grammar import Grammar
from firth.grammar._parameters import SentenceReading
from firth.grammar._reading import words_of
from firth.trees import Tree, parse_trees

__all__ = ["Score", "ScoreSum", "score_text"]


@dataclass(frozen=True)
class Score:
    """The probability of a sentence or of a tree.

    Attributes
    ----------
    words : list of str
    log_prob : float
        The natural logarithm; -inf if the grammar does not have the sentence or tree.
    tree : Tree or None
        None for a sentence.
    prefixes : list of float or None
        For each word of a sentence, the log-probability that a sentence begins with the words up to
        it; None if it was not asked for.
    """

    words: list[str]
    log_prob: float
    tree: Tree | None = None
    prefixes: list[float] | None = None


@dataclass
class ScoreSum:
    """Totals of scores.

    Attributes
    ----------
    n, n_words : int
        Sentences or trees with a probability, and their words.
    n_impossible : int
        Sentences or trees without one.
    log_prob : float
    """

    n: int = 0
    n_words: int = 0
    n_impossible: int = 0
    log_prob: float = 0.0

    def add(self, score: Score) -> None:
        """Add a score."""
        if score.log_prob > -math.inf:
            self.n += 1
            self.n_words += len(score.words)
            self.log_prob += score.log_prob
        else:
            self.n_impossible += 1

    @property
    def bits_per_word(self) -> float:
        """The cross-entropy."""
        return -self.log_prob / math.log(2) / self.n_words


def score_text(
    grammar: Grammar,
    lines: Iterable[tuple[int, str]],
    name: str = "the text",
    *,
    prefixes: bool = False,
    **options: Any,
) -> Iterator[Score]:
    """Score the sentences and trees of a text, one by one.

    Parameters
    ----------
    grammar : Grammar
    lines : iterable of (int, str)
        Numbered lines. A line that begins with a round bracket begins a tree; other lines are
        sentences. Empty lines are skipped.
    name : str
        The name of the text in error messages.
    prefixes : bool
        Whether prefix probabilities of sentences are computed, too; this is slow.
    **options
        How sentences are split: the parameters of ``SentenceReading``.
    """
    reading, numbered = SentenceReading(**options), iter(lines)
    for number, line in numbered:
        if line.lstrip().startswith("("):
            for tree in _trees(number, line, numbered, name):
                yield Score(tree.words, grammar.log_prob(tree), tree)
            continue
        for words in words_of(line, reading):
            beginnings = grammar.prefix_log_probs(words) if prefixes else None
            yield Score(words, grammar.sentence_log_prob(words), None, beginnings)


def _trees(number: int, line: str, more: Iterator[tuple[int, str]], name: str) -> Iterator[Tree]:
    """The trees that begin on a line; they can end on a later one."""
    lines = [(number, line)]
    n_open = line.count("(") - line.count(")")
    while n_open > 0 and (following := next(more, None)) is not None:
        lines.append(following)
        n_open += following[1].count("(") - following[1].count(")")
    yield from parse_trees(lines, name)
