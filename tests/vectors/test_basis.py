"""Products with the vectors of a basis, compared with their definition."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.compute.kernels import LANES
from firth.compute.product_kernels import add_product
from firth.vectors import _basis
from firth.vectors._basis import (
    WIDTH,
    columns_of,
    combine,
    in_lanes,
    inner_products,
    remove,
    slices,
)
from tests.oracles.embedding import dot


def whole_numbers(chance: np.random.Generator, *shape: int) -> Any:
    """Small ones, so that all sums are exact."""
    return chance.integers(-4, 5, shape).astype(np.float32)


def in_arrays(vectors: Any, last_width: int) -> list[Any]:
    """Vectors, a row each, as a basis; behind the last ones is room for others."""
    basis = []
    for a in range(0, len(vectors), WIDTH):
        some = vectors[a : a + WIDTH]
        width = WIDTH if len(some) == WIDTH else max(last_width, len(some))
        array = np.full((vectors.shape[1], width), np.nan, np.float32)
        array[:, : len(some)] = some.T
        basis.append(array)
    return basis


@given(
    n=st.integers(1, 600),
    blocks=st.integers(1, 6),
    data=st.data(),
    seed=st.integers(0, 99),
    last_width=st.sampled_from([0, WIDTH]),
)
def test_products_with_a_basis(n: int, blocks: int, data: Any, seed: int, last_width: int) -> None:
    chance, size = np.random.default_rng(seed), blocks * LANES
    vectors, block = whole_numbers(chance, size, n), whole_numbers(chance, n, LANES)
    basis = in_arrays(vectors, last_width)
    first = LANES * data.draw(st.integers(0, blocks - 1))
    a = data.draw(st.integers(0, n - 1))
    b = data.draw(st.integers(a + 1, n))
    inner = inner_products(basis, first, size - first, block, slice(a, b))
    before = block.copy()
    remove(basis, first, inner, block, slice(a, b))
    for i in (0, (size - first) // 2, size - first - 1):
        for j in (0, LANES // 2 + 1, LANES - 1):
            expected = dot(vectors[first + i, a:b].tolist(), before[a:b, j].tolist())
            assert inner[i, j] == expected
    for row in {0, a, b - 1, n - 1}:
        for j in (0, LANES - 1):
            taken = dot(vectors[first:, row].tolist(), inner[:, j].tolist())
            expected = before[row, j] - (taken if a <= row < b else 0)
            np.testing.assert_allclose(block[row, j], expected, rtol=1e-6, atol=1e-4)
    np.testing.assert_array_equal(columns_of(basis, first).T, vectors[first : first + LANES])


@given(
    n=st.integers(1, 40), size=st.integers(1, 4), width=st.integers(0, 100), seed=st.integers(0, 9)
)
def test_combinations_of_a_basis(n: int, size: int, width: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    vectors = whole_numbers(chance, size * LANES, n)
    small = whole_numbers(chance, size * LANES, width).astype(np.float64)
    found = np.full((n, width), np.nan, np.float32)
    rows = [slice(0, n // 2), slice(n // 2, n)]
    for some in rows:
        combine(in_arrays(vectors, WIDTH), in_lanes(small), found, some)
    for row in {0, n // 2, n - 1}:
        for j in {0, width // 2, width - 1} if width else ():
            assert found[row, j] == dot(vectors[:, row].tolist(), small[:, j].tolist())


def test_pieces_cover_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_basis, "PIECE", 4)
    assert list(slices(9)) == [slice(0, 4), slice(4, 8), slice(8, 9)]
    assert list(slices(0)) == []


def test_arrays_of_another_kind_are_refused() -> None:
    good = np.zeros((8, LANES), np.float32)
    for wrong in (good.astype(np.float64), np.asfortranarray(good), good[:, ::2], good[0]):
        with pytest.raises(numba.TypingError):
            add_product(good, 0, 1, 0, good, 0, 1, 1, wrong, 0, 1)
