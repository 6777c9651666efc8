"""Spectral estimation of a grammar with hidden states (figures 4 and 5 of the paper).

Every node of a treebank has an inside tree below it and an outside tree around it. Both are described by features.
The singular vectors of the covariance of the two, for each symbol, project them to a few numbers, and averages of
products of these are the tensors of the grammar. No state is ever guessed, and nothing is maximised.

Projections of outside trees are divided by the singular values, so that the covariance of the projections is the
identity, and nothing has to be inverted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import InputError, check_count
from firth.grammar import _moment_kernels as kernels
from firth.grammar._lexicon import Lexicon
from firth.grammar._tensors import TensorGrammar
from firth.grammar._treebank import Treebank

__all__ = ["Projection", "project", "smoothed_grammar", "spectral_grammar"]

_ZERO = 1e-3
"""Singular values that are smaller than this, relative to the first, say nothing."""
_FREQUENT = 1000
"""A tag and word that occur so often together need no help."""

Floats = npt.NDArray[np.float64]

add_products: Any = kernels.add_products


@dataclass(frozen=True, eq=False)
class Projection:
    """Inside and outside trees of all nodes, in a few numbers each.

    Attributes
    ----------
    inside, outside : array of shape (n_nodes, n_states)
        Zeros where a symbol has fewer dimensions.
    ranks : array of int64, shape (n_symbols,)
        The dimensions of each symbol.
    smallest, largest : array of shape (n_symbols,)
        The last and the first singular value that was kept, of each symbol.
    """

    inside: Floats
    outside: Floats
    ranks: npt.NDArray[np.int64]
    smallest: Floats
    largest: Floats


def project(
    bank: Treebank, inside: Any, outside: Any, n_states: int, zero: float = _ZERO
) -> Projection:
    """Project features of inside and outside trees by the singular vectors of their covariance.

    Parameters
    ----------
    bank : Treebank
    inside, outside : CSR array of shape (n_nodes, n_features)
    n_states : int
        The most dimensions of a symbol. One that occurs seldom, or whose trees differ little, has fewer.
    zero : float
        Singular values smaller than this, relative to the first, are left out.
    """
    check_count("project", "n_states", n_states)
    n = len(bank)
    if inside.shape[0] != n or outside.shape[0] != n:
        raise InputError("Every node needs features of its inside and of its outside.")
    found_in, found_out = np.zeros((n, n_states)), np.zeros((n, n_states))
    ranks = np.zeros(bank.n_symbols, np.int64)
    smallest, largest = np.zeros(bank.n_symbols), np.zeros(bank.n_symbols)
    order = np.argsort(bank.symbols, kind="stable")
    bounds = np.searchsorted(bank.symbols[order], np.arange(bank.n_symbols + 1))
    for symbol in range(bank.n_symbols):
        places = order[bounds[symbol] : bounds[symbol + 1]]
        if not len(places):
            continue
        below, around = inside[places], outside[places]
        left, values, right = _singular(below, around, min(n_states, len(places)))
        rank = max(1, int(np.sum(values > zero * values[0])))
        found_in[places, :rank] = below @ left[:, :rank]
        found_out[places, :rank] = (around @ right[:, :rank]) / values[:rank]
        ranks[symbol], largest[symbol], smallest[symbol] = rank, values[0], values[rank - 1]
    return Projection(found_in, found_out, ranks, smallest, largest)


def _singular(below: Any, around: Any, rank: int) -> tuple[Floats, Floats, Floats]:
    """The largest singular values of the mean of products of two kinds of features, and their vectors."""
    from scipy.sparse.linalg import svds

    used = [np.unique(matrix.indices) for matrix in (below, around)]
    a, b = below[:, used[0]], around[:, used[1]]
    covariance = (a.T @ b) / below.shape[0]
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
    wide_left = np.zeros((below.shape[1], len(values)))
    wide_right = np.zeros((around.shape[1], len(values)))
    wide_left[used[0]], wide_right[used[1]] = left, right
    return wide_left, values, wide_right


def spectral_grammar(
    bank: Treebank, projection: Projection, weights: Floats | None = None
) -> TensorGrammar:
    """The tensors, as averages over nodes; without any smoothing.

    Parameters
    ----------
    bank : Treebank
    projection : Projection
    weights : array of shape (n_nodes,), optional
        How much each node counts: for the estimator from one node of each tree, 1 for that node and 0 for others.
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
    np.add.at(roots, bank.symbols[bank.starts], y[bank.starts] / bank.n_trees)
    return TensorGrammar(bank.table, tensors, lexicon, roots)


def smoothed_grammar(
    bank: Treebank, lexicon: Lexicon, projection: Projection, slow: float = 10.0, own: float = 0.6
) -> TensorGrammar:
    """The tensors, with those of rules that occur seldom drawn towards simpler averages.

    A rule that occurs n times has, beside the average of all three factors (z, y, y), averages of pairs times a
    single one, of single ones, and the averages of its symbols; each counts √n/(C+√n) of what those
    before have left.

    Parameters
    ----------
    bank : Treebank
    lexicon : Lexicon
    projection : Projection
    slow : float
        C: the larger, the more simple averages count.
    own : float
        How much the average of a tag and word counts beside that of the tag, where they occur fewer than 1,000 times
        together.
    """
    y, z = projection.inside, projection.outside
    m, n_rules = y.shape[1], len(bank.table)
    totals = np.maximum(np.bincount(bank.symbols, minlength=bank.n_symbols), 1)
    counts = np.bincount(bank.rules[bank.rules >= 0], minlength=n_rules)
    inner = np.flatnonzero(bank.rules >= 0)
    rule, left, right = bank.rules[inner], y[bank.lefts[inner]], y[bank.rights[inner]]
    tensors = np.zeros((n_rules, m, m, m))
    even = np.where(bank.rules >= 0, 1 / counts[bank.rules], 0.0)
    add_products(bank.rules, bank.lefts, bank.rights, even, y, z, tensors)
    around = z[inner]
    mean_z, mean_l, mean_r = (_means(rule, part, n_rules) for part in (around, left, right))
    pair_zl, pair_zr, pair_lr = (
        _means(rule, np.einsum("ni,nj->nij", a, b).reshape(len(inner), -1), n_rules).reshape(
            n_rules, m, m
        )
        for a, b in ((around, left), (around, right), (left, right))
    )
    of_symbol_y, of_symbol_z = (_means(bank.symbols, part, bank.n_symbols) for part in (y, z))
    root = np.sqrt(counts)
    share = (root / (slow + root))[:, None, None, None]
    pairs = (
        np.einsum("rij,rk->rijk", pair_zl, mean_r) + np.einsum("rik,rj->rijk", pair_zr, mean_l)
        + np.einsum("rjk,ri->rijk", pair_lr, mean_z)
    ) / 3  # fmt: skip
    single = np.einsum("ri,rj,rk->rijk", mean_z, mean_l, mean_r)
    a, b, c = bank.table.T
    simple = np.einsum("ri,rj,rk->rijk", of_symbol_z[a], of_symbol_y[b], of_symbol_y[c])
    tensors = share * tensors + (1 - share) * (
        share * pairs + (1 - share) * (share * single + (1 - share) * simple)
    )
    tensors *= (counts / totals[a])[:, None, None, None]
    return TensorGrammar(
        bank.table, tensors, _smoothed_lexicon(bank, lexicon, z, of_symbol_z, own), _roots(bank, y)
    )


def _means(groups: npt.NDArray[np.int64], rows: Floats, n_groups: int) -> Floats:
    sums = np.zeros((n_groups, rows.shape[1]))
    np.add.at(sums, groups, rows)
    found: Floats = sums / np.maximum(np.bincount(groups, minlength=n_groups), 1)[:, None]
    return found


def _roots(bank: Treebank, y: Floats) -> Floats:
    roots = np.zeros((bank.n_symbols, y.shape[1]))
    np.add.at(roots, bank.symbols[bank.starts], y[bank.starts] / bank.n_trees)
    return roots


def _smoothed_lexicon(
    bank: Treebank, lexicon: Lexicon, z: Floats, of_symbol: Floats, own: float
) -> dict[tuple[int, int], Floats]:
    """Vectors of tags and words: the direction from the nodes that have both, or else the tag; the size from ``p``."""
    tags = np.flatnonzero(bank.words >= 0)
    number = {
        (tag, word): k
        for k, (tag, word) in enumerate(
            zip(lexicon.tags.tolist(), lexicon.words.tolist(), strict=True)
        )
    }
    pair = np.array(
        [
            number[key]
            for key in zip(bank.symbols[tags].tolist(), bank.words[tags].tolist(), strict=True)
        ]
    )
    means = _means(pair, z[tags], len(number))
    counts = lexicon.counts[:, None]
    weight = np.where(counts == 0, 0.0, np.where(counts < _FREQUENT, own, 1.0))
    mixed = (weight * means + (1 - weight) * of_symbol[lexicon.tags]) * lexicon.p[:, None]
    return {key: mixed[k] for key, k in number.items()}
