"""Slow, obvious twins of what grammars are asked: expected counts, best trees, beginnings of sentences.

All of it lists whole trees, and states of all their nodes, and adds up. Any symbol may have rules, words
or both, and any may be a root; no rule is given twice. Positions of words begin at 0, and the last word of
a phrase is part of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firth.grammar import Node, TensorGrammar

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Rule = tuple[int, int, int]
Rules = Integers | Sequence[Rule]
Entry = tuple[int, int]
"""A tag and a word."""
Span = tuple[int, int]
"""The first and the last word of a phrase."""


# Trees --------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A node in its tree: its words, and the numbers of its children among the nodes (-1: none)."""

    node: Node
    first: int
    last: int
    left: int
    right: int


def places(tree: Node, first: int = 0, number: int = 0) -> list[Place]:
    """The nodes of a tree, each before its children, and those at left before those at right.

    ``first`` is the position of the first word, and ``number`` that of the topmost node.
    """
    if tree.left is None or tree.right is None:
        return [Place(tree, first, first, -1, -1)]
    left = places(tree.left, first, number + 1)
    cut = left[0].last + 1
    right = places(tree.right, cut, number + 1 + len(left))
    top = Place(tree, first, right[0].last, number + 1, number + 1 + len(left))
    return [top, *left, *right]


def rule_numbers(rules: Rules) -> dict[Rule, int]:
    """The number of each rule."""
    numbers = {(int(a), int(b), int(c)): r for r, (a, b, c) in enumerate(rules)}
    if len(numbers) < len(rules):
        raise ValueError("A rule is given twice.")
    return numbers


def trees_of(
    rules: Collection[Rule], lexicon: Collection[Entry], words: Sequence[int], symbol: int
) -> Iterator[Node]:
    """Every tree of a symbol over some words."""
    if len(words) == 1 and (symbol, words[0]) in lexicon:
        yield Node(symbol, word=words[0])
    for above, left, right in rules:
        if above == symbol:
            for cut in range(1, len(words)):
                for a in trees_of(rules, lexicon, words[:cut], left):
                    for b in trees_of(rules, lexicon, words[cut:], right):
                        yield Node(symbol, a, b)


def all_trees(
    rules: Collection[Rule], lexicon: Collection[Entry], words: Sequence[int], n_symbols: int
) -> list[Node]:
    """Every tree of a sentence, whatever its root."""
    return [t for symbol in range(n_symbols) for t in trees_of(rules, lexicon, words, symbol)]


# Grammars with hidden states ----------------------------------------------------------------------


@cache
def all_states(m: int, n: int) -> Integers:
    """Every way to give one of m states to each of n nodes, one a row."""
    return np.array(list(product(range(m), repeat=n)), np.int64).reshape(m**n, n)


def joints(grammar: TensorGrammar, tree: Node) -> Floats:
    """The probability of a tree together with each row of ``all_states``; the nodes are as in ``places``."""
    nodes, numbers = places(tree), rule_numbers(grammar.rules)
    states = all_states(grammar.dim, len(nodes))
    p: Floats = grammar.roots[tree.symbol, states[:, 0]]
    for here, place in enumerate(nodes):
        if place.left < 0:
            vector = grammar.lexicon.get((place.node.symbol, place.node.word))
            p = p * (0.0 if vector is None else vector[states[:, here]])
        else:
            r = numbers.get(rule_at(nodes, place))
            h, j, k = states[:, here], states[:, place.left], states[:, place.right]
            p = p * (0.0 if r is None else grammar.tensors[r, h, j, k])
    return p


def rule_at(nodes: Sequence[Place], place: Place) -> Rule:
    """The rule of a node that has children."""
    return place.node.symbol, nodes[place.left].node.symbol, nodes[place.right].node.symbol


def expected_counts(
    grammar: TensorGrammar, trees: Sequence[Node]
) -> tuple[Floats, dict[Entry, Floats], Floats, float]:
    """How often each rule, word and root is expected with each of its states, given the trees alone.

    ``tensors[r, h, j, k]`` must be the probability of rule r with states j at left and k at right, given
    the symbol and the state h above; ``lexicon[t, w][h]`` that of word w, given the tag t and its state h;
    ``roots[a, h]`` that of the symbol and its state at the root.

    Returns
    -------
    rule_counts : array of shape (n_rules, dim, dim, dim)
    word_counts : dict of (tag, word) to array of shape (dim,)
        Has the keys of the lexicon, also those that are not in the trees.
    root_counts : array of shape (n_symbols, dim)
    log_likelihood : float
        Of all trees. One that the grammar cannot make adds no counts, and makes this minus infinity.
    """
    numbers = rule_numbers(grammar.rules)
    rule_counts, root_counts = np.zeros_like(grammar.tensors), np.zeros_like(grammar.roots)
    word_counts = {entry: np.zeros(grammar.dim) for entry in grammar.lexicon}
    log_likelihood = 0.0
    for tree in trees:
        p = joints(grammar, tree)
        total = float(p.sum())
        if total == 0:
            log_likelihood = -math.inf
            continue
        log_likelihood += math.log(total)
        nodes = places(tree)
        for states, posterior in zip(
            all_states(grammar.dim, len(nodes)).tolist(), (p / total).tolist(), strict=True
        ):
            root_counts[tree.symbol, states[0]] += posterior
            for here, place in enumerate(nodes):
                if place.left < 0:
                    word_counts[place.node.symbol, place.node.word][states[here]] += posterior
                else:
                    r = numbers[rule_at(nodes, place)]
                    j, k = states[place.left], states[place.right]
                    rule_counts[r, states[here], j, k] += posterior
    return rule_counts, word_counts, root_counts, log_likelihood


def weighted_trees(grammar: TensorGrammar, words: Sequence[int]) -> list[tuple[float, Node]]:
    """Every tree of a sentence with its probability, all states together; this may be 0."""
    trees = all_trees(rule_numbers(grammar.rules), grammar.lexicon, words, grammar.n_symbols)
    return [(float(joints(grammar, tree).sum()), tree) for tree in trees]


def sentence_probability(grammar: TensorGrammar, words: Sequence[int]) -> float:
    """The probability of a sentence: a sum over its trees and their states."""
    return math.fsum(p for p, _ in weighted_trees(grammar, words))


def prefix_probability(
    grammar: TensorGrammar, words: Sequence[int], tolerance: float = 1e-14, most_steps: int = 10_000
) -> tuple[float, float]:
    """The probability that a sentence begins with some words, be it longer or not.

    Derivations are followed from left to right, all of them at once, a step being the expansion of the
    first symbol that is not yet a word. What is left to expand is a stack of symbols with their states.
    No symbol is empty, so that when ``n`` words are still to be seen, only the first ``n`` symbols of the
    stack can make them; the others are forgotten, and derivations that no longer differ are added up. A
    derivation is settled when it has made all the words (it counts, whatever follows), another word, or
    too short a sentence.

    The parameters must be probabilities, as for ``expected_counts``, and all that can be done with a
    symbol and state must add up to 1. When a grammar has derivations that never end, one that has made
    the words counts too.

    Returns
    -------
    value : float
        The probability of the derivations that have made the words after some number of steps.
    bound : float
        The probability of those that are not settled. Each of them makes the words, or does not: but for
        rounding, the truth lies between ``value`` and ``value + bound``. This is at most ``tolerance``,
        unless ``most_steps`` came first.
    """
    n = len(words)
    value = 0.0 if n else float(grammar.roots.sum())
    live: dict[tuple[int, tuple[Entry, ...]], float] = {}  # words seen, stack: probability
    for a, h in np.ndindex(*grammar.roots.shape):
        if n and grammar.roots[a, h] > 0:
            live[0, ((a, h),)] = float(grammar.roots[a, h])
    expansions: dict[Entry, list[tuple[tuple[Entry, Entry], float]]] = defaultdict(list)
    for (a, b, c), tensor in zip(grammar.rules.tolist(), grammar.tensors, strict=True):
        for h, j, k in np.ndindex(*tensor.shape):
            if tensor[h, j, k] > 0:
                expansions[a, h].append((((b, j), (c, k)), float(tensor[h, j, k])))
    for _ in range(most_steps):
        if sum(live.values()) <= tolerance:
            break
        after: dict[tuple[int, tuple[Entry, ...]], float] = defaultdict(float)
        for (seen, ((a, h), *rest)), p in live.items():
            vector = grammar.lexicon.get((a, words[seen]))
            if vector is not None and vector[h] > 0:
                if seen + 1 == n:
                    value += p * float(vector[h])
                elif rest:  # else the sentence is over too soon
                    after[seen + 1, tuple(rest)] += p * float(vector[h])
            for children, q in expansions[a, h]:
                after[seen, (*children, *rest)[: n - seen]] += p * q
        live = after
    return value, sum(live.values())


class Posteriors(NamedTuple):
    """Probabilities of parts of a tree, given the sentence.

    ``rules[(a, b, c), i, k, j]``: of a over the words i to j, made of b over i to k and c over the others;
    ``tags[t, i]``: of tag t at word i.
    """

    rules: dict[tuple[Rule, int, int, int], float]
    tags: dict[tuple[int, int], float]


def parts(tree: Node) -> tuple[list[tuple[Rule, int, int, int]], list[tuple[int, int]]]:
    """The rules and the tags of a tree at their places, as in ``Posteriors``."""
    nodes = places(tree)
    rules = [
        (rule_at(nodes, place), place.first, nodes[place.left].last, place.last)
        for place in nodes
        if place.left >= 0
    ]
    return rules, [(place.node.symbol, place.first) for place in nodes if place.left < 0]


def posteriors(grammar: TensorGrammar, words: Sequence[int]) -> Posteriors:
    """Of each rule and tag at each place: the share of the trees that have it, all states together."""
    found = Posteriors(defaultdict(float), defaultdict(float))
    weighted = weighted_trees(grammar, words)
    total = math.fsum(p for p, _ in weighted)
    if total == 0:
        raise ValueError("The sentence has no tree.")
    for p, tree in weighted:
        rules, tags = parts(tree)
        for rule in rules:
            found.rules[rule] += p / total
        for tag in tags:
            found.tags[tag] += p / total
    return Posteriors(dict(found.rules), dict(found.tags))


def max_rule_product(grammar: TensorGrammar, words: Sequence[int]) -> tuple[float, Node]:
    """The tree with the greatest product of the posteriors of its rules and tags, each at its place.

    The logarithm of the product comes with it. There is no factor for the root. A tree may win although
    its own probability is 0, if other trees have all its parts. Of trees with equal products the first
    in the order of ``all_trees`` is taken; a sentence without a tree is a ``ValueError``.
    """
    known = posteriors(grammar, words)
    best, best_tree = -math.inf, None
    for tree in all_trees(rule_numbers(grammar.rules), grammar.lexicon, words, grammar.n_symbols):
        rules, tags = parts(tree)
        factors = [known.rules[rule] for rule in rules] + [known.tags[tag] for tag in tags]
        score = sum(map(math.log, factors)) if min(factors) > 0 else -math.inf
        if score > best:
            best, best_tree = score, tree
    if best_tree is None:
        raise ValueError("The sentence has no tree.")
    return best, best_tree


# Plain grammars -----------------------------------------------------------------------------------


def plain_probability(
    rules: Rules, p_rules: Floats, p_words: Mapping[Entry, float], p_roots: Floats, tree: Node
) -> float:
    """The probability of a tree in a grammar without states: a product over its nodes."""
    numbers, nodes = rule_numbers(rules), places(tree)
    p = float(p_roots[tree.symbol])
    for place in nodes:
        if place.left < 0:
            p *= p_words[place.node.symbol, place.node.word]
        else:
            p *= float(p_rules[numbers[rule_at(nodes, place)]])
    return p


def crosses(one: Span, other: Span) -> bool:
    """Whether two phrases have words in common, and neither has all words of the other."""
    a, b = set(range(one[0], one[1] + 1)), set(range(other[0], other[1] + 1))
    return bool(a & b) and not a <= b and not b <= a


def fits(tree: Node, brackets: Collection[Span]) -> bool:
    """Whether no phrase of a tree crosses a bracket."""
    return not any(
        crosses((place.first, place.last), bracket)
        for place in places(tree)
        for bracket in brackets
    )


def plain_expected_counts(
    rules: Rules,
    p_rules: Floats,
    p_words: Mapping[Entry, float],
    p_roots: Floats,
    sentences: Sequence[Sequence[int]],
    brackets: Sequence[Collection[Span]] | None = None,
) -> tuple[Floats, dict[Entry, float], Floats, float, int]:
    """How often each rule, word and root is expected in the trees of some sentences.

    Parameters
    ----------
    rules : rows of above, left, right
    p_rules : array of shape (n_rules,)
        Given the symbol above.
    p_words : dict of (tag, word) to float
        Given the tag.
    p_roots : array of shape (n_symbols,)
    sentences : lists of words
    brackets : for each sentence (first, last) words of phrases, optional
        Only trees in which no phrase crosses any of them are counted (Pereira and Schabes 1992).

    Returns
    -------
    rule_counts : array of shape (n_rules,)
    word_counts : dict of (tag, word) to float
        Has the keys of ``p_words``, also those with no count.
    root_counts : array of shape (n_symbols,)
    log_likelihood : float
        Of the sentences that have a tree; with brackets, the probability of a sentence is that of the
        trees that count, not divided by that of all its trees.
    n_without : int
        Sentences with no tree that counts and has a probability above 0: they add nothing to the others.
    """
    numbers = rule_numbers(rules)
    rule_counts, root_counts = np.zeros(len(numbers)), np.zeros(len(p_roots))
    word_counts = dict.fromkeys(p_words, 0.0)
    log_likelihood, n_without = 0.0, 0
    for number, words in enumerate(sentences):
        allowed = brackets[number] if brackets is not None else ()
        trees = [t for t in all_trees(numbers, p_words, words, len(p_roots)) if fits(t, allowed)]
        p = [plain_probability(rules, p_rules, p_words, p_roots, tree) for tree in trees]
        total = math.fsum(p)
        if total == 0:
            n_without += 1
            continue
        log_likelihood += math.log(total)
        for tree, joint in zip(trees, p, strict=True):
            nodes, posterior = places(tree), joint / total
            root_counts[tree.symbol] += posterior
            for place in nodes:
                if place.left < 0:
                    word_counts[place.node.symbol, place.node.word] += posterior
                else:
                    rule_counts[numbers[rule_at(nodes, place)]] += posterior
    return rule_counts, word_counts, root_counts, log_likelihood, n_without


def n_best(
    rules: Rules, p_rules: Floats, p_words: Mapping[Entry, float], p_roots: Floats,
    words: Sequence[int], k: int,
) -> list[tuple[float, Node]]:  # fmt: skip
    """The k most probable trees of a sentence with their probabilities, the best first.

    There are fewer when the sentence has fewer with a probability above 0. Trees with equal probabilities
    are in the order of ``all_trees``.
    """
    trees = all_trees(rule_numbers(rules), p_words, words, len(p_roots))
    found = [(plain_probability(rules, p_rules, p_words, p_roots, tree), tree) for tree in trees]
    return sorted((x for x in found if x[0] > 0), key=lambda x: -x[0])[:k]
