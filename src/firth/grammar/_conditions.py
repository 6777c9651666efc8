"""What theorem 3 of the LPCFG paper says about the size of a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import wrong_parameter
from firth.grammar._spectral import Projection, spectral_grammar
from firth.grammar._treebank import Treebank

__all__ = ["SampleConditions", "sample_conditions"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SampleConditions:
    """The quantities of theorem 3 (Cohen, Stratos, Collins, Foster and Ungar 2012).

    They are computed from the estimates of a treebank, and approach those of the grammar that the trees are
    from.

    Attributes
    ----------
    n_states : int
        m.
    n_rules : int
        R: the number of rules, including those from tags to words.
    sigmas : array of shape (n_symbols,)
        The m-th largest singular value of the covariance of inside and outside features, for each symbol;
        0 if it has fewer.
    smallest : float
        Λ: the smallest absolute value in c¹, d, D and Σ⁻¹, without the elements of Σ⁻¹ off the diagonal.
        These are 0 because projections are singular vectors, so that with them, as the paper defines it,
        Λ is 0 for two states or more, and the theorem says nothing.
    largest : float
        The largest absolute value in c¹, d, D and Σ. The theorem assumes that it is at most 1.
    examples : array of shape (n_symbols,)
        M_a: the number of nodes of each symbol.
    """

    n_states: int
    n_rules: int
    sigmas: Floats
    smallest: float
    largest: float
    examples: Floats

    @property
    def sigma(self) -> float:
        """σ: the smallest of the singular values of all symbols."""
        return float(self.sigmas.min())

    def examples_needed(self, n_rules: int, epsilon: float = 0.1, delta: float = 0.05) -> float:
        """The M_a for which the theorem holds: the number of nodes that each symbol must have.

        With probability 1 - ``delta``, the estimated probability of a tree then differs from its
        probability by a factor between 1 - ``epsilon`` and 1 + ``epsilon``.

        Parameters
        ----------
        n_rules : int
            N: the number of rules of the tree.
        epsilon, delta : float
            Between 0 and 1.
        """
        for name, value in (("epsilon", epsilon), ("delta", delta)):
            if not 0 < value < 1:
                raise wrong_parameter("examples_needed", name, "between 0 and 1", value)
        if n_rules < 1:
            raise wrong_parameter("examples_needed", "n_rules", "an int of at least 1", n_rules)
        m, rules = self.n_states, self.n_rules
        root = (1 + epsilon) ** (1 / (2 * n_rules + 1)) - 1
        below = root**2 * self.smallest**2 * self.sigma**4
        return 128 * m**2 / below * math.log(2 * m * rules / delta) if below > 0 else math.inf


def sample_conditions(
    bank: Treebank, projection: Projection, weights: Floats | None = None
) -> SampleConditions:
    """The quantities of theorem 3 for the estimates from a treebank.

    Parameters
    ----------
    bank : Treebank
    projection : Projection
    weights : array of shape (n_nodes,), optional
        As for ``spectral_grammar``.
    """
    form = spectral_grammar(bank, projection, weights)
    values, m = projection.values, projection.values.shape[1]
    # z is divided by singular values: multiplied by them again, tensors are D, and vectors are d
    products = form.tensors * values[form.rules[:, 0]][:, :, None, None]
    words = np.array([vector * values[tag] for (tag, _), vector in form.lexicon.items()])
    seen = projection.ranks > 0
    roots = form.roots[np.unique(bank.symbols[bank.starts])]
    own = np.ones(len(bank)) if weights is None else weights
    examples = np.asarray(np.bincount(bank.symbols, own, bank.n_symbols), np.float64)
    full = projection.ranks == m
    with np.errstate(divide="ignore"):
        inverse = 1 / values[seen]
    parts = [products, words, roots]
    return SampleConditions(
        m,
        len(form.rules) + len(form.lexicon),
        np.where(full, values[:, -1], 0.0)[seen],
        min(float(np.abs(part).min()) for part in (*parts, inverse) if part.size),
        max(float(np.abs(part).max()) for part in (*parts, values) if part.size),
        examples[seen],
    )
