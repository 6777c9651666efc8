"""Spectral estimation of a grammar with hidden states (figures 4 and 5 of the LPCFG paper).

Every node of a treebank has an inside tree below it and an outside tree around it. Both have features. For each
symbol, the singular vectors of the covariance of inside and outside features project the two to a few
dimensions, and averages of products of the projections are the tensors of the grammar. No states are inferred,
and no likelihood is maximised.

The projections of outside trees are divided by the singular values, so that the covariance of the projections
is the identity, and no matrix has to be inverted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import interruptible
from firth.errors import InputError, check_count
from firth.grammar import _moment_kernels as kernels
from firth.grammar._tensors import TensorGrammar
from firth.grammar._treebank import Treebank

__all__ = ["Projection", "project", "spectral_grammar"]

_ZERO = 1e-3
"""Smaller singular values, relative to the largest, are regarded as noise."""

Floats = npt.NDArray[np.float64]

add_products: Any = kernels.add_products


@dataclass(frozen=True, eq=False)
class Projection:
    """Projections of the inside and outside trees of all nodes.

    Attributes
    ----------
    inside, outside : array of shape (n_nodes, n_states)
        Padded with zeros for symbols with fewer dimensions.
    ranks : array of int64, shape (n_symbols,)
        The number of dimensions of each symbol.
    values : array of shape (n_symbols, n_states)
        The singular values that were kept, the largest first; 0 for other dimensions.
    """

    inside: Floats
    outside: Floats
    ranks: npt.NDArray[np.int64]
    values: Floats

    @property
    def largest(self) -> Floats:
        """The largest singular value of each symbol."""
        return self.values[:, 0]

    @property
    def smallest(self) -> Floats:
        """The smallest singular value of each symbol that was kept."""
        return self.values[np.arange(len(self.ranks)), np.maximum(self.ranks - 1, 0)]


def project(
    bank: Treebank, inside: Any, outside: Any, n_states: int, zero: float = _ZERO,
    weights: Floats | None = None,
) -> Projection:  # fmt: skip
    """Project features of inside and outside trees by the singular vectors of their covariance.

    Parameters
    ----------
    bank : Treebank
    inside, outside : CSR array of shape (n_nodes, n_features)
    n_states : int
        Maximum number of dimensions. Symbols that are rare, or whose trees differ little, have fewer.
    zero : float
        Smaller singular values, relative to the largest, are dropped.
    weights : array of shape (n_nodes,), optional
        The weight of each node; equal by default.
    """
    check_count("project", "n_states", n_states)
    n = len(bank)
    if inside.shape[0] != n or outside.shape[0] != n:
        raise InputError("Every node must have inside and outside features.")
    found_in, found_out = np.zeros((n, n_states)), np.zeros((n, n_states))
    ranks = np.zeros(bank.n_symbols, np.int64)
    kept = np.zeros((bank.n_symbols, n_states))
    order = np.argsort(bank.symbols, kind="stable")
    bounds = np.searchsorted(bank.symbols[order], np.arange(bank.n_symbols + 1))
    for symbol in range(bank.n_symbols):
        places = order[bounds[symbol] : bounds[symbol + 1]]
        weight = None if weights is None else weights[places]
        if not len(places) or (weight is not None and not weight.any()):
            continue
        below, around = _used(inside[places]), _used(outside[places])
        find = partial(_singular, below, around, weight, min(n_states, len(places)))
        left, values, right = interruptible(find)
        rank = max(1, int(np.sum(values > zero * values[0])))
        found_in[places, :rank] = below @ left[:, :rank]
        found_out[places, :rank] = (around @ right[:, :rank]) / values[:rank]
        ranks[symbol], kept[symbol, :rank] = rank, values[:rank]
    return Projection(found_in, found_out, ranks, kept)


def _singular(
    below: Any, around: Any, weights: Floats | None, rank: int
) -> tuple[Floats, Floats, Floats]:
    """The largest singular values of the covariance of two kinds of features, and their vectors."""
    from scipy.sparse.linalg import svds

    weighted = around if weights is None else around.multiply((weights / weights.mean())[:, None])
    covariance = (below.T @ weighted.tocsr()) / below.shape[0]
    rank = min(rank, *covariance.shape)
    if not rank or not covariance.nnz:
        raise InputError("Some nodes have no features.")
    if min(covariance.shape) <= max(3 * rank, 200):
        left, values, right = np.linalg.svd(covariance.toarray(), full_matrices=False)
        left, values, right = left[:, :rank], values[:rank], right[:rank].T
    else:
        left, values, right = svds(covariance, rank, rng=np.random.default_rng(0))
        order = np.argsort(-values)
        left, values, right = left[:, order], values[order], right[order].T
    # vectors have no sign of their own: the largest entry is positive, the first one of equals
    largest = np.abs(left).round(9).argmax(axis=0)
    signs = np.where(left[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    return left * signs, values, right * signs


def _used(features: Any) -> Any:
    """Remove empty columns."""
    return features[:, np.unique(features.indices)]


def spectral_grammar(
    bank: Treebank, projection: Projection, weights: Floats | None = None
) -> TensorGrammar:
    """The tensor form, from averages over nodes, without smoothing.

    Parameters
    ----------
    bank : Treebank
    projection : Projection
    weights : array of shape (n_nodes,), optional
        The weight of each node; equal by default. For the estimator of the paper, which uses one node of
        each tree, 1 for that node and 0 for others: c¹ is then estimated from the trees whose root it is.
        If no root has a weight, c¹ is estimated from all roots.
    """
    y, z = projection.inside, projection.outside
    m = y.shape[1]
    weights = np.ones(len(bank)) if weights is None else weights
    totals = np.bincount(bank.symbols, weights, bank.n_symbols)
    share = weights / np.maximum(totals, 1e-300)[bank.symbols]
    tensors = np.zeros((len(bank.table), m, m, m))
    add_products(bank.rules, bank.lefts, bank.rights, share, y, z, tensors)
    lexicon: dict[tuple[int, int], Floats] = {}
    for place in np.flatnonzero((bank.words >= 0) & (weights > 0)):
        key = int(bank.symbols[place]), int(bank.words[place])
        lexicon[key] = lexicon.get(key, 0.0) + share[place] * z[place]
    roots = np.zeros((bank.n_symbols, m))
    of_roots = weights[bank.starts] if weights[bank.starts].any() else np.ones(bank.n_trees)
    shares = (of_roots / of_roots.sum())[:, None]
    np.add.at(roots, bank.symbols[bank.starts], shares * y[bank.starts])
    return TensorGrammar(bank.table, tensors, lexicon, roots)
