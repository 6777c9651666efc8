"""Learning a grammar from sentences, with or without brackets: the inside-outside algorithm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from firth import progress
from firth.compute import engine_for
from firth.errors import InputError
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._input import checked_trees, checked_words
from firth.grammar._inside_outside import random_plain_grammar, reestimate
from firth.grammar._lexicon import Lexicon
from firth.grammar._parameters import LONGEST, GrammarParameters
from firth.grammar._parser import Parser
from firth.grammar._results import States
from firth.grammar._symbols import Symbols
from firth.grammar._words import GrammarWords
from firth.parameters import share_of
from firth.progress import count_of
from firth.trees import Tree, clean

__all__ = ["Bracketed", "bracketed", "learn_from_sentences", "split_evenly"]

_SHARED = 1e-3
"""The share of the probability of a symbol that is the same for all its rules or words."""


class Bracketed(NamedTuple):
    """A sentence, and the first and last word of each of its phrases that are known."""

    words: list[str]
    brackets: list[tuple[int, int]]


def bracketed(examples: Iterable[Tree | Sequence[str]]) -> list[Bracketed]:
    """Sentences, and the brackets of trees; labels, traces and tags of trees are ignored."""
    found = []
    for example in [examples] if isinstance(examples, str | Tree) else examples:
        if not isinstance(example, Tree):
            found.append(Bracketed(checked_words(example, None)[0], []))
            continue
        trees = (tree for tree in map(clean, checked_trees([example])) if tree is not None)
        found.extend(Bracketed(tree.words, _brackets(tree)) for tree in trees)
    return found


def _brackets(tree: Tree) -> list[tuple[int, int]]:
    """The first and last word of each phrase of two words or more."""
    places = tree.numbered()
    first, last = [len(places)] * len(places), [-1] * len(places)
    n_words = len(tree.words)
    for place in range(len(places) - 1, -1, -1):  # children before their parents
        node, parent = places[place]
        if node.is_tag:
            n_words -= 1
            first[place] = last[place] = n_words
        if parent >= 0:
            first[parent] = min(first[parent], first[place])
            last[parent] = max(last[parent], last[place])
    return sorted({(i, j) for i, j in zip(first, last, strict=True) if i < j})


def split_evenly(examples: list[Any], share: float) -> tuple[list[Any], list[Any]]:
    """Examples to learn from, and held-out examples, which are spread evenly over all of them."""
    n, n_held = len(examples), int(len(examples) * share)
    chosen = {(2 * k + 1) * n // (2 * n_held) for k in range(n_held)}
    kept = [example for k, example in enumerate(examples) if k not in chosen]
    return kept, [examples[k] for k in sorted(chosen)]


def learn_from_sentences(
    examples: list[Bracketed], how: GrammarParameters, classes: Mapping[str, str] | None
) -> tuple[Parser, Symbols, GrammarWords, list[States], dict[str, Any]]:
    """What ``Grammar`` consists of, learned from sentences."""
    engine = engine_for("LPCFG", 1, how.device)
    usable = [example for example in examples if 1 < len(example.words) <= LONGEST]
    if not usable:
        raise InputError(
            "There are no sentences to learn from.", "A sentence must have two words or more."
        )
    if left_out := len(examples) - len(usable):
        progress.notice(
            f"Left out {count_of(left_out, 'sentence')} of one word or of more than {LONGEST} words."
        )
    kept, held = split_evenly(usable, share_of(how.held_out))
    sentences = [example.words for example in kept]
    words = GrammarWords.learn(sentences, classes)
    numbers = [words.numbers(sentence) for sentence in sentences]
    start = random_plain_grammar(how.n_phrases, how.n_tags, len(words), how.seed)
    brackets = [example.brackets for example in kept]
    found = reestimate(start, numbers, brackets, how.n_rounds, engine.device)
    coarse = _smoothed(found.grammar)
    parser = Parser(coarse, [FineGrammar.plain(coarse).compact()], how.threshold, how.decoder)
    symbols = Symbols(
        ["S", *(f"X{k}" for k in range(1, how.n_phrases))], [f"T{k}" for k in range(how.n_tags)]
    )
    n_words = sum(map(len, sentences))
    facts: dict[str, Any] = {
        "n_trees": len(kept), "n_tokens": n_words, "n_symbols": len(symbols),
        "n_rules": len(coarse.rules), "n_words": len(words.words), "dim": 1, "rounds": how.n_rounds,
    }  # fmt: skip
    if held:
        facts["held_out"] = _held_out_facts(parser, [words.numbers(h.words) for h in held])
    return parser, symbols, words, _counted_states(coarse, symbols, numbers), facts


def _smoothed(grammar: CoarseGrammar) -> CoarseGrammar:
    """With a little probability for all rules and words, so that every sentence has a tree."""
    lexicon, n = grammar.lexicon, grammar.n_symbols
    n_rules = np.bincount(grammar.rules[:, 0], minlength=n)[grammar.rules[:, 0]]
    n_words = np.bincount(lexicon.tags, minlength=n)[lexicon.tags]
    p = (1 - _SHARED) * grammar.p + _SHARED / n_rules
    of_words = (1 - _SHARED) * lexicon.p + _SHARED / n_words
    mixed = Lexicon(lexicon.tags, lexicon.words, of_words, lexicon.counts)
    return CoarseGrammar(grammar.rules, p, mixed, grammar.roots)


def _counted_states(
    coarse: CoarseGrammar, symbols: Symbols, sentences: list[list[int]]
) -> list[States]:
    """The number of times that each symbol is expected in the sentences, and its single state."""
    parser = Parser(coarse, [])
    often = np.zeros(coarse.n_symbols)
    for words in sentences:
        chart = parser.coarse_chart(parser.leaves(words))
        if chart is not None:
            often += (chart.inside * chart.outside).sum(axis=(0, 1))
    return [States(symbols.name(k), round(often[k]), 1, 0.0, 0.0) for k in range(len(symbols))]


def _held_out_facts(parser: Parser, sentences: list[list[int]]) -> dict[str, Any]:
    """How probable the held-out sentences are that the grammar has."""
    bits, n_words, n_found = 0.0, 0, 0
    for words in sentences:
        chart = parser.coarse_chart(parser.leaves(words))
        if chart is not None:
            bits -= chart.log_prob / math.log(2)
            n_words, n_found = n_words + len(words), n_found + 1
    return {
        "n_trees": len(sentences), "n_found": n_found, "bits_per_word": bits / n_words if n_words else None
    }  # fmt: skip
