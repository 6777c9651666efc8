"""Theorem 3: its quantities from their definitions; and c¹ from weighted nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from firth.errors import ParameterError
from firth.grammar import (
    LatentGrammar,
    SampleConditions,
    project,
    sample_conditions,
    spectral_grammar,
)
from tests.grammar.test_spectral import bank_of, simple_features


def by_definition(seed: int, m: int) -> tuple[SampleConditions, SampleConditions]:
    """What is found, and the same from features, singular vectors and means over nodes."""
    grammar = LatentGrammar.random(2, 2, 4, 2, 2, seed)
    _, bank = bank_of(grammar, 300, 1)
    inside, outside = simple_features(bank)
    found = sample_conditions(bank, project(bank, inside, outside, m, 1e-9))
    phi, psi = inside.toarray(), outside.toarray()
    y, z = np.zeros((len(bank), m)), np.zeros((len(bank), m))
    sigmas, values = [], []
    for a in range(bank.n_symbols):
        here = bank.symbols == a
        omega = phi[here].T @ psi[here] / here.sum()
        left, singular, right = np.linalg.svd(omega)
        y[here], z[here] = phi[here] @ left[:, :m], psi[here] @ right[:m].T
        sigma = np.diag(y[here].T @ z[here] / here.sum())  # off the diagonal there is only rounding
        sigmas.append(singular[m - 1])
        values.append(sigma)
    roots = bank.symbols[bank.starts]
    elements = [y[bank.starts[roots == a]].sum(axis=0) / bank.n_trees for a in np.unique(roots)]
    for r, (a, _, _) in enumerate(bank.table.tolist()):
        here = np.flatnonzero(bank.rules == r)
        product = np.einsum("ni,nj,nk->ijk", z[here], y[bank.lefts[here]], y[bank.rights[here]])
        elements.append(product / (bank.symbols == a).sum())
    pairs = {(int(a), int(w)) for a, w in zip(bank.symbols, bank.words, strict=True) if w >= 0}
    for a, word in pairs:
        here = (bank.symbols == a) & (bank.words == word)
        elements.append(z[here].sum(axis=0) / (bank.symbols == a).sum())
    sizes = np.abs(np.concatenate([part.ravel() for part in elements]))
    of_sigma = np.concatenate(values)
    expected = SampleConditions(
        m, len(bank.table) + len(pairs), np.array(sigmas), float(min(sizes.min(), (1 / of_sigma).min())),
        float(max(sizes.max(), of_sigma.max())), bank.symbol_counts.astype(float),
    )  # fmt: skip
    return found, expected


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_quantities_are_those_of_the_definition(seed: int) -> None:
    found, expected = by_definition(seed, 2)
    assert (found.n_states, found.n_rules) == (expected.n_states, expected.n_rules)
    np.testing.assert_allclose(found.sigmas, expected.sigmas, rtol=1e-6)
    np.testing.assert_allclose(found.examples, expected.examples)
    assert found.smallest == pytest.approx(expected.smallest, rel=1e-5)
    assert found.largest == pytest.approx(expected.largest, rel=1e-6)


def test_the_bound() -> None:
    found = SampleConditions(2, 14, np.array([0.5, 0.2]), 0.1, 0.9, np.array([10.0, 20.0]))
    assert found.sigma == 0.2
    root = 1.1 ** (1 / 7) - 1
    expected = 128 * 4 / (root**2 * 0.01 * 0.2**4) * math.log(4 * 14 / 0.05)
    assert found.examples_needed(3, 0.1, 0.05) == pytest.approx(expected)
    assert found.examples_needed(4) > found.examples_needed(3)
    none = SampleConditions(2, 14, np.array([0.5, 0.0]), 0.1, 0.9, np.array([10.0, 20.0]))
    assert none.examples_needed(3) == math.inf
    for wrong in ({"epsilon": 0.0}, {"delta": 1.0}, {"n_rules": 0}):
        with pytest.raises(ParameterError, match="examples_needed"):
            found.examples_needed(**{"n_rules": 3, **wrong})  # type: ignore[arg-type]


def test_a_symbol_with_too_few_states_has_no_bound() -> None:
    grammar = LatentGrammar.random(2, 2, 2, 2, 2, 0)
    _, bank = bank_of(grammar, 200, 1)
    found = sample_conditions(bank, project(bank, *simple_features(bank), 3, 1e-9))
    assert found.sigma == 0.0
    assert found.examples_needed(3) == math.inf


def test_c1_is_the_mean_over_the_roots_that_count() -> None:
    grammar = LatentGrammar.random(2, 2, 3, 2, 2, 3)
    _, bank = bank_of(grammar, 60, 1)
    weights = np.random.default_rng(0).random(len(bank))
    weights[bank.starts[::2]] = 0.0
    found = project(bank, *simple_features(bank), 2, weights=weights)
    form = spectral_grammar(bank, found, weights)
    for a in range(bank.n_symbols):
        roots = [place for place in bank.starts if bank.symbols[place] == a]
        total = sum(weights[bank.starts])
        expected = (
            sum((weights[place] * found.inside[place] for place in roots), np.zeros(2)) / total
        )
        np.testing.assert_allclose(form.roots[a], expected)
