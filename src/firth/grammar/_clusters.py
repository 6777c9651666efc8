"""Hidden states by clustering: nodes with similar inside and outside trees share a state."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from firth.grammar._lexicon import Lexicon
from firth.grammar._smoothing import StateCounts
from firth.grammar._spectral import Projection
from firth.grammar._treebank import Treebank

__all__ = ["cluster_states", "count_states"]

_ROUNDS = 30
"""Number of k-means iterations."""


def cluster_states(
    bank: Treebank, projection: Projection, n_states: int, seed: int = 0
) -> npt.NDArray[np.int64]:
    """The state of each node, by k-means of the projections of each symbol."""
    from scipy.cluster.vq import kmeans2

    rng = np.random.default_rng(seed)
    found = np.zeros(len(bank), np.int64)
    order = np.argsort(bank.symbols, kind="stable")
    bounds = np.searchsorted(bank.symbols[order], np.arange(bank.n_symbols + 1))
    for symbol in range(bank.n_symbols):
        places = order[bounds[symbol] : bounds[symbol + 1]]
        rank = int(projection.ranks[symbol])
        if rank < 2:
            continue
        both = [_scaled(part[places, :rank]) for part in (projection.inside, projection.outside)]
        rows = np.hstack(both)
        wanted = min(n_states, rank, len(np.unique(rows, axis=0)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about empty clusters: the symbol has fewer states
            _, found[places] = kmeans2(rows, wanted, iter=_ROUNDS, minit="++", rng=rng)
    return found


def _scaled(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale columns to unit variance."""
    spread = rows.std(axis=0)
    return np.asarray(rows / np.where(spread > 0, spread, 1.0))


def count_states(
    bank: Treebank, lexicon: Lexicon, states: npt.NDArray[np.int64], n_states: int
) -> StateCounts:
    """Count the states of rules, words and roots."""
    found = StateCounts.zero(bank, lexicon, n_states)
    inner = np.flatnonzero(bank.rules >= 0)
    left, right = states[bank.lefts[inner]], states[bank.rights[inner]]
    np.add.at(found.of_rules, (bank.rules[inner], states[inner], left, right), 1.0)
    tags = np.flatnonzero(bank.words >= 0)
    np.add.at(found.of_pairs, (bank.pairs(lexicon)[tags], states[tags]), 1.0)
    np.add.at(found.of_roots, (bank.symbols[bank.starts], states[bank.starts]), 1.0)
    return found
