"""Hidden Markov models as right-branching grammars; one node of each tree against all nodes."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array

import firth
from firth.grammar import LatentGrammar, Node, Treebank, project, spectral_grammar
from tests.grammar.test_spectral import simple_features

pytestmark = pytest.mark.slow

N_SYMBOLS, END = 4, 4


def sequences(n: int, seed: int) -> list[list[int]]:
    """From a hidden Markov model of two states that ends with a symbol of its own, again and again."""
    hmm = firth.HMM(
        [0.6, 0.3, 0.1],
        [[0.6, 0.2, 0.2], [0.3, 0.5, 0.2], [0.0, 0.0, 1.0]],
        [[0.6, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.3, 0.0], [0.1, 0.5, 0.0], [0.0, 0.0, 1.0]],
    )
    drawn, _ = hmm.sample(n, length=8, seed=seed)
    return [[int(x) for x in one] for one in drawn]


def right_branching(sequence: list[int]) -> Node:
    """Symbol 0 over a word and what follows; word x under a symbol of its own, x + 1. The end ends it."""
    tree = Node(0, word=END)
    for x in reversed(sequence):
        tree = Node(0, Node(x + 1, word=x), tree)
    return tree


def test_a_hidden_markov_model_is_a_grammar() -> None:
    """The same moments, projections and end give the probabilities of ``SpectralHMM``.

    As many dimensions as there are symbols: nothing of the moments is left out, so that both ends are the same.
    """
    drawn = sequences(4000, 0)
    learned = firth.SpectralHMM(n_states=N_SYMBOLS + 1, everywhere=False).fit(drawn)
    # an empty sequence is one end before another; what has not ended is cut: SpectralHMM sees the first three symbols
    # only, and so do the weights below
    ends = [max(1, one.index(END)) if END in one else len(one) for one in drawn]
    trees = [right_branching(one[:end]) for one, end in zip(drawn, ends, strict=True)]
    bank = Treebank.of(trees, N_SYMBOLS + 2)
    # the node at the second place of each sequence: its inside begins with the second symbol, its outside ends
    # with the first
    suffix = bank.symbols == 0
    first_word = np.where(bank.words >= 0, bank.words, 0)
    inner = bank.lefts >= 0
    first_word[inner] = bank.words[bank.lefts[inner]]
    before = np.full(len(bank), N_SYMBOLS + 1)
    with_parent = suffix & (bank.parents >= 0)
    before[with_parent] = bank.words[bank.lefts[bank.parents[with_parent]]]
    second = with_parent.copy()
    second[with_parent] = bank.parents[bank.parents[with_parent]] < 0
    places, ones = np.arange(len(bank)), np.ones(len(bank))
    inside = csr_array((ones, (places, first_word)), shape=(len(bank), N_SYMBOLS + 2))
    outside = csr_array((ones, (places, before)), shape=(len(bank), N_SYMBOLS + 2))
    weights = (second | ~suffix).astype(float)
    found = project(bank, inside, outside, N_SYMBOLS + 1, zero=1e-9, weights=weights)
    form = spectral_grammar(bank, found, weights)
    for length in (1, 2, 3):
        for words in product(range(N_SYMBOLS), repeat=length):
            ours = form.tree_probability(right_branching(list(words)))
            state = learned.start_
            for x in (*words, END):
                state = learned.operators_[x] @ state
            assert ours == pytest.approx(float(learned.end_ @ state), abs=1e-10)


def chain_grammar() -> LatentGrammar:
    """Trees whose size says much of the state at the root: one state goes on, the other ends."""
    rules = np.array([[0, 1, 0], [0, 1, 1]])
    same = np.array([[0.9, 0.1], [0.1, 0.9]])
    alike = np.full((2, 2), 0.5)
    of_rules = np.array([[0.8, 0.1], [0.2, 0.9]])
    words = np.array([[[0.9, 0.2], [0.1, 0.8]]])
    return LatentGrammar(
        np.array([[0.5, 0.5]]), rules, of_rules, np.stack([same, same]), np.stack([same, alike]), words
    )  # fmt: skip


@cache
def chain_bank(n: int, seed: int) -> Treebank:
    grammar = chain_grammar()
    return Treebank.of(grammar.sample(n, seed), grammar.n_symbols)


def mean_error(one_node: bool, n: int, seed: int) -> float:
    grammar, bank = chain_grammar(), chain_bank(n, seed)
    weights = None
    if one_node:
        rng = np.random.default_rng(seed)
        sizes = np.diff(np.append(bank.starts, len(bank)))
        weights = np.zeros(len(bank))
        weights[bank.starts + (rng.random(len(sizes)) * sizes).astype(int)] = 1.0
    found = project(bank, *simple_features(bank), 2, 1e-9, weights)
    form, truth = spectral_grammar(bank, found, weights), grammar.tensors()
    asked = list({repr(tree): tree for tree in grammar.sample(40, 99)}.values())
    ratios = [form.tree_probability(t) / truth.tree_probability(t) for t in asked]
    return float(np.median(np.abs(np.array(ratios) - 1)))


def test_one_node_of_each_tree_leads_elsewhere() -> None:
    """Trees count by one over their size, so that inside and outside are not independent given the state."""
    assert mean_error(False, 12_000, 0) < 0.05
    assert mean_error(True, 12_000, 0) > 0.2
