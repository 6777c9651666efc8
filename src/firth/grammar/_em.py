"""Hidden states by expectation maximisation (Matsuzaki, Miyao and Tsujii 2005), from given trees.

An iteration computes the posterior probabilities of the states of every node, and re-estimates the grammar
from these expected counts. The likelihood of the trees never decreases. The result depends on the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.grammar import _tree_kernels as kernels
from firth.grammar._coarse import CoarseGrammar
from firth.grammar._fine import FineGrammar
from firth.grammar._lexicon import Lexicon
from firth.grammar._smoothing import StateCounts
from firth.grammar._treebank import Treebank

__all__ = ["Passes", "expected_counts", "log_probs", "passes", "random_grammar", "rounds_of_em"]

Floats = npt.NDArray[np.float64]
_MULTIPLICATIONS = 1 << 27

tree_inside: Any = kernels.tree_inside
add_posteriors: Any = kernels.add_posteriors


def random_grammar(coarse: CoarseGrammar, n_states: int, seed: int) -> FineGrammar:
    """The coarse grammar with states that are slightly different at random."""
    rng = np.random.default_rng(seed)
    lexicon, m = coarse.lexicon, n_states
    tensors = coarse.p[:, None, None, None] * rng.uniform(0.5, 1.5, (len(coarse.rules), m, m, m))
    vectors = lexicon.p[:, None] * rng.uniform(0.5, 1.5, (len(lexicon), m))
    sums = np.full((coarse.n_symbols, m), 1e-300)
    np.add.at(sums, coarse.rules[:, 0], tensors.sum(axis=(2, 3)))
    np.add.at(sums, lexicon.tags, vectors)
    return FineGrammar(
        tensors / sums[coarse.rules[:, 0]][:, :, None, None], vectors / sums[lexicon.tags],
        np.repeat(coarse.roots[:, None] / m, m, axis=1), np.ones_like(sums), proper=True,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Passes:
    """What a pass up and a pass down the trees of a treebank find.

    Attributes
    ----------
    counts : StateCounts
        Expected counts.
    log_likelihood : float
    inside, outside : array of shape (n_nodes, dim)
        Their product is the probability of each state of a node, or 0 in trees of probability zero.
    """

    counts: StateCounts
    log_likelihood: float
    inside: Floats
    outside: Floats


def expected_counts(
    bank: Treebank, lexicon: Lexicon, fine: FineGrammar
) -> tuple[StateCounts, float]:
    """The expected counts of states, and the log-likelihood of the trees."""
    found = passes(bank, lexicon, fine)
    return found.counts, found.log_likelihood


def passes(bank: Treebank, lexicon: Lexicon, fine: FineGrammar) -> Passes:
    """A pass up and a pass down all trees."""
    pairs, n = bank.pairs(lexicon), len(bank)
    inside, outside, logs = np.zeros((n, fine.dim)), np.zeros((n, fine.dim)), np.zeros(n)
    found = StateCounts.zero(bank, lexicon, fine.dim)
    _inside(bank, bank.rules, pairs, fine, inside, logs)
    likelihood = 0.0
    for begin, end in _pieces(n, fine.dim):
        likelihood = add_posteriors(
            begin, end, likelihood, bank.symbols, bank.rules, bank.lefts, bank.rights, bank.parents, pairs,
            fine.tensors, fine.roots, inside, outside, logs, found.of_rules, found.of_pairs, found.of_roots,
        )  # fmt: skip
    return Passes(found, float(likelihood), inside, outside)


def _inside(bank: Treebank, rules: Any, pairs: Any, fine: FineGrammar, *found: Floats) -> None:
    """The inside vectors of all nodes and their logarithms, from the leaves up."""
    for begin, end in reversed(_pieces(len(rules), fine.dim)):
        tree_inside(
            begin, end, rules, bank.lefts, bank.rights, pairs, fine.tensors, fine.vectors, *found
        )


def _pieces(n: int, dim: int) -> list[tuple[int, int]]:
    """Ranges of nodes that take a fraction of a second each."""
    size = max(1, _MULTIPLICATIONS // dim**3)
    return [(begin, min(begin + size, n)) for begin in range(0, n, size)]


def rounds_of_em(
    bank: Treebank, lexicon: Lexicon, start: FineGrammar
) -> Iterator[tuple[StateCounts, float]]:
    """The expected counts of each EM iteration and the log-likelihood before it; never ends."""
    fine = start
    while True:
        counts, likelihood = expected_counts(bank, lexicon, fine)
        yield counts, likelihood
        fine = counts.grammar(bank, lexicon)


def log_probs(bank: Treebank, coarse: CoarseGrammar, fine: FineGrammar) -> Floats:
    """The log-probabilities of trees; -inf for trees with rules or words that the grammar does not have.

    Spectral estimates can be negative; the absolute value is taken.
    """
    number = np.array(
        [coarse.numbers.get(tuple(rule), -1) for rule in bank.table.tolist()], np.int64
    )
    inner = bank.rules >= 0
    rules = np.where(inner, number[bank.rules] if len(number) else -1, -1)
    # a node with an unknown rule (-1) has no pair either, so its probability is zero
    pairs = bank.pairs(coarse.lexicon)
    inside, logs = np.zeros((len(bank), fine.dim)), np.zeros(len(bank))
    _inside(bank, rules, pairs, fine, inside, logs)
    at = bank.starts
    sizes = np.abs((inside[at] * fine.roots[bank.symbols[at]]).sum(axis=1))
    with np.errstate(divide="ignore"):
        return np.asarray(logs[at] + np.log(sizes))
