"""A sentence with its parse trees and phrase probabilities, and an example sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firth import unicode
from firth.corpus import Corpus
from firth.errors import InputError
from firth.trees import Tree

if TYPE_CHECKING:
    from firth.grammar import Grammar

__all__ = [
    "PhraseShare",
    "PlacedTree",
    "TreeNode",
    "example",
    "known_words",
    "medium_sentences",
    "parsed",
]

_LEAST = 0.01
"""Phrases with a smaller probability are left out."""
_SHORTEST, _LONGEST = 7, 12
_LOOKED_AT = 400
_WEIGHED = 40
_DRAWN = 60


@dataclass(frozen=True)
class TreeNode:
    """A node of a tree."""

    label: str
    parent: int
    """The position of its parent in the list; -1 for the root."""
    start: int
    """The position of its first word."""
    end: int
    """The position after its last word."""
    word: str | None
    """The word, if the node is a tag."""


@dataclass(frozen=True)
class PlacedTree:
    """A tree as a flat list of nodes, so that a deep tree does not become deeply nested JSON."""

    log_prob: float | None
    """The logarithm of its probability; None if that is zero."""
    brackets: str
    nodes: list[TreeNode]
    """In preorder: from the top, from left to right."""


@dataclass(frozen=True)
class PhraseShare:
    """A possible phrase of a sentence, and its probability."""

    label: str
    start: int
    end: int
    p: float


def known_words(grammar: Grammar) -> frozenset[str]:
    """The words of the training trees."""
    return frozenset([*grammar.words_.words, *grammar.words_.rare])


def parsed(
    grammar: Grammar, words: Sequence[str], n: int
) -> tuple[bool, list[PlacedTree], list[PhraseShare]]:
    """Whether the grammar can parse a sentence, its best trees, and its possible phrases."""
    if not words:
        return False, [], []
    best, likely = grammar.trees_and_phrases(words, n, _LEAST)
    trees = [
        PlacedTree(
            round(one.log_prob, 6) if math.isfinite(one.log_prob) else None, one.tree.brackets(), _nodes(one.tree)
        )
        for one in best
    ]  # fmt: skip
    if not best[0].found:
        return False, trees, []
    return True, trees, [
        PhraseShare(one.label, one.start, one.end, round(min(one.p, 1.0), 5)) for one in likely
    ]  # fmt: skip


def _nodes(tree: Tree) -> list[TreeNode]:
    numbered = tree.numbered()
    starts, ends = [0] * len(numbered), [0] * len(numbered)
    place = 0
    for k, (node, _) in enumerate(numbered):
        starts[k] = place
        place += node.is_tag
    for k in range(len(numbered) - 1, -1, -1):
        node, parent = numbered[k]
        if node.is_tag:
            ends[k] = starts[k] + 1
        if parent >= 0:
            ends[parent] = max(ends[parent], ends[k])
    return [
        TreeNode(node.label, parent, starts[k], ends[k], node.word)
        for k, (node, parent) in enumerate(numbered)
    ]


def example(
    grammar: Grammar,
    known: Collection[str],
    corpus: Corpus | None,
    fits: Callable[[list[str]], bool],
) -> list[str]:
    """An example sentence: of known words, of medium length, and probable.

    It comes from the corpus if there is one, otherwise it is sampled from the grammar.

    Parameters
    ----------
    grammar : Grammar
    known : collection of str
        The words of the training trees.
    corpus : Corpus, optional
    fits : callable
        Whether a sentence is tokenised into the same words again.
    """
    some = _some(medium_sentences(corpus), known, fits) if corpus is not None else []
    some = some or _some(_drawn(grammar), known, fits)

    def merit(words: list[str]) -> tuple[bool, float]:
        plain = all(unicode.is_word(word) for word in words[:-1])
        return plain, grammar.sentence_log_prob(words) / len(words)

    return max(some, key=merit, default=[])


def _some(
    sentences: Iterable[list[str]], known: Collection[str], fits: Callable[[list[str]], bool]
) -> list[list[str]]:
    found: list[list[str]] = []
    for words in sentences:
        if len(found) == _WEIGHED:
            break
        if all(word in known for word in words) and fits(words):
            found.append(words)
    return found


def medium_sentences(corpus: Corpus) -> Iterator[list[str]]:
    """Some sentences of medium length, from all of a corpus."""
    for i in range(0, corpus.n_sentences, max(1, corpus.n_sentences // _LOOKED_AT)):
        begin, end = corpus.bounds(i)
        if _SHORTEST <= end - begin <= _LONGEST:
            yield corpus.words_between(begin, end)


def _drawn(grammar: Grammar) -> list[list[str]]:
    """Sentences sampled from the grammar; short ones only if there are no others."""
    try:
        drawn = [tree.words for tree in grammar.sample(_DRAWN, longest=_LONGEST)]
    except InputError:  # the grammar has no short sentences
        return []
    return [words for words in drawn if len(words) >= _SHORTEST] or drawn
