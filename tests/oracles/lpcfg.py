"""Probabilities of trees with hidden states, by adding up everything there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from firth.grammar import LatentGrammar, Node


def nodes_of(tree: Node) -> list[Node]:
    """The nodes of a tree, the root first, children after their parents."""
    found = [tree]
    if tree.left is not None and tree.right is not None:
        found += nodes_of(tree.left) + nodes_of(tree.right)
    return found


def tree_probability(grammar: LatentGrammar, tree: Node) -> float:
    """Equation 1, summed over the states of all nodes."""
    nodes = nodes_of(tree)
    rule_of = {tuple(map(int, rule)): r for r, rule in enumerate(grammar.rules)}
    if tree.symbol >= grammar.n_phrases:
        return 0.0
    total = 0.0
    for states in product(range(grammar.n_states), repeat=len(nodes)):
        state = {id(node): h for node, h in zip(nodes, states, strict=True)}
        p = float(grammar.root[tree.symbol, state[id(tree)]])
        for node in nodes:
            h = state[id(node)]
            if node.left is None or node.right is None:
                p *= float(grammar.of_words[node.symbol - grammar.n_phrases, node.word, h])
                continue
            r = rule_of.get((node.symbol, node.left.symbol, node.right.symbol))
            if r is None:
                return 0.0
            p *= float(
                grammar.of_rules[r, h] * grammar.left[r, h, state[id(node.left)]]
                * grammar.right[r, h, state[id(node.right)]]
            )  # fmt: skip
        total += p
    return total


def all_trees(grammar: LatentGrammar, words: Sequence[int], symbol: int) -> Iterator[Node]:
    """Every tree of a symbol over some words."""
    if symbol >= grammar.n_phrases:
        if len(words) == 1:
            yield Node(symbol, word=words[0])
        return
    for above, left, right in grammar.rules.tolist():
        if above == symbol:
            for cut in range(1, len(words)):
                for a in all_trees(grammar, words[:cut], left):
                    for b in all_trees(grammar, words[cut:], right):
                        yield Node(symbol, a, b)


def spans_of(tree: Node, start: int = 0) -> tuple[list[tuple[int, int, int]], int]:
    """Symbol, first and last word of every node; and the number of words."""
    if tree.left is None or tree.right is None:
        return [(tree.symbol, start, start)], 1
    left, n = spans_of(tree.left, start)
    right, m = spans_of(tree.right, start + n)
    return [(tree.symbol, start, start + n + m - 1), *left, *right], n + m


def marginals(grammar: LatentGrammar, words: Sequence[int]) -> npt.NDArray[np.float64]:
    """The probability of the sentence with each phrase: a sum over all its trees."""
    found = np.zeros((grammar.n_symbols, len(words), len(words)))
    for symbol in range(grammar.n_phrases):
        for tree in all_trees(grammar, words, symbol):
            p = tree_probability(grammar, tree)
            for a, i, j in set(spans_of(tree)[0]):
                found[a, i, j] += p
    return found
