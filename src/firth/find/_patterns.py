"""From a query to patterns: rows of slots, each a set of words, with gaps between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

from firth.corpus import tokenise
from firth.errors import QueryError
from firth.find._joined import Row
from firth.find._lexicon import Ids, Lexicon
from firth.find._query import Alternatives, Gap, Node, Regex, Sequence, Slot, Word
from firth.progress import check_interrupted

__all__ = ["Pattern", "Reader"]

_MOST_PATTERNS = 1_000
_MOST_SLOTS = 100
_WIDEST = 200


@dataclass(frozen=True)
class Pattern:
    """Sets of words in a row.

    Attributes
    ----------
    slots : tuple of arrays
        The ids of the words that may stand in each slot, ascending.
    gaps : tuple of (int, int)
        The fewest and the most words between each slot and the one before it; (0, 0) for the first.
    """

    slots: tuple[Ids, ...]
    gaps: tuple[tuple[int, int], ...]

    @property
    def widest(self) -> int:
        """The most words that a match has."""
        return len(self.slots) + sum(high for _, high in self.gaps)


@dataclass
class Reader:
    """Makes patterns from the tree of a query.

    Attributes
    ----------
    missing : list of str
        The words of the query that do not occur.
    """

    lexicon: Lexicon
    query: str
    missing: list[str] = field(default_factory=list)

    def patterns(self, tree: Alternatives) -> list[Pattern]:
        """Patterns of which one must match; one with an empty slot cannot."""
        rows: list[Row] = []
        for row in self._alternatives(tree):
            check_interrupted()
            rows += self.lexicon.joined.rows(row, _MOST_PATTERNS - len(rows))
            if len(rows) > _MOST_PATTERNS:
                raise self._too_many(tree.place)
        found = [Pattern(*map(tuple, zip(*row, strict=True))) for row in rows]
        for pattern in found:
            if len(pattern.slots) > _MOST_SLOTS or pattern.widest > _WIDEST:
                raise QueryError(
                    f"The query has more than {_MOST_SLOTS} words in a row, or {_WIDEST} with gaps.",
                    "Search for a shorter part of it.",
                    self.query,
                    tree.place,
                )
        return found

    def _alternatives(self, node: Alternatives) -> list[Row]:
        arms = [row for arm in node.arms for row in self._sequence(arm)]
        short = [row[0][0] for row in arms if len(row) == 1]
        longer = [row for row in arms if len(row) > 1]
        if len(short) > 1:  # single words are one set
            short = [np.unique(np.concatenate(short))]
        return [*([(ids, (0, 0))] for ids in short), *longer]

    def _sequence(self, sequence: Sequence) -> list[Row]:
        choices: list[list[Row]] = []
        gap = (0, 0)
        for item in sequence.items:
            if isinstance(item, Gap):
                gap = (item.low, item.high)
                continue
            rows = self._node(item)
            if gap != (0, 0):
                rows = [[(row[0][0], gap), *row[1:]] for row in rows]
            choices.append(rows)
            gap = (0, 0)
        if np.prod([float(len(rows)) for rows in choices]) > _MOST_PATTERNS:
            raise self._too_many(sequence.place)
        return [[slot for row in rows for slot in row] for rows in product(*choices)]

    def _too_many(self, place: int) -> QueryError:
        return QueryError(
            f"The alternatives of the query can be combined in more than {_MOST_PATTERNS:,} ways.",
            "Use fewer alternatives of several words, or several patterns.",
            self.query,
            place,
        )

    def _node(self, node: Node) -> list[Row]:
        if isinstance(node, Alternatives):
            return self._alternatives(node)
        if isinstance(node, Regex):
            return [[(self.lexicon.of_regex(node, self.query), (0, 0))]]
        if isinstance(node, Slot):
            return [[(self.lexicon.of_slot(node, self.query), (0, 0))]]
        assert isinstance(node, Word)  # noqa: S101  gaps are taken care of
        return [self._word(node)]

    def _word(self, word: Word) -> Row:
        """A word; or if it does not occur, but is several tokens in this corpus, those in a row."""
        ids = self.lexicon.of_word(word)
        if not len(ids) and word.plain is not None:
            tokens = self._tokens(word.plain)
            if 1 < len(tokens) <= _MOST_SLOTS:
                words = [Word(((False, token),), word.folded, word.place) for token in tokens]
                found = [self.lexicon.of_word(each) for each in words]
                if all(map(len, found)):
                    return [(each, (0, 0)) for each in found]
        if word.plain is not None and not (ids < self.lexicon.corpus.n_types).any():
            self.missing.append(word.plain)
        return [(ids, (0, 0))]

    def _tokens(self, word: str) -> list[str]:
        tokens = self.lexicon.corpus.reading.tokens
        if tokens == "morphs":
            return self.lexicon.morphs_of(word)
        if word.isascii() and word.isalpha() and tokens in ("words", "whitespace", "icu"):
            return [word]  # quickly: the tokeniser has compiled kernels
        whole = word.encode(errors="ignore").decode()
        return [token for part in tokenise(whole, tokens, "none") for token in part]
