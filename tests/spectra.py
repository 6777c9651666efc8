"""Matrices with known singular values, and the check of a decomposition of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from firth.vectors import Svd

SPECTRA = {
    "like words": 40.0 / np.arange(1, 401) ** 0.6,
    "flat": np.linspace(1.0, 0.9, 400),
    "steep": 10.0 ** -np.linspace(0, 4, 400),
    "large and wide apart": 1e6 * 10.0 ** -np.linspace(0, 3.5, 400),
    "equal values": np.repeat([5.0, 3.0, 2.0, 1.0], 100),
    "low rank": np.linspace(3, 1, 40),
}


def with_spectrum(values: Any, n: int, m: int, seed: int = 0) -> Any:
    """A matrix with these singular values."""
    chance = np.random.default_rng(seed)
    left, _ = np.linalg.qr(chance.standard_normal((n, len(values))))
    right, _ = np.linalg.qr(chance.standard_normal((m, len(values))))
    return (left * values) @ right.T


def check_largest(matrix: Any, found: Svd, rank: int) -> None:
    """Check that a decomposition has the largest singular values of a matrix, and vectors that belong to them."""
    expected = np.linalg.svd(matrix)[1][:rank]
    assert (found.values**2).sum() >= 0.99999 * (expected**2).sum()
    np.testing.assert_allclose(found.values, expected, rtol=2e-3)
    for vectors in (found.left, found.right):
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(rank), atol=1e-4)
    np.testing.assert_allclose(
        matrix @ found.right, found.left * found.values, atol=2e-3 * found.values[0]
    )
