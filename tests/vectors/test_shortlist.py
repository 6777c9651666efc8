"""The short list may hold too many, but never too few: the nearest words are those of the vectors themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.vectors._shortlist import Shortlist


def vectors_of(seed: int, n: int, dim: int, decimals: int) -> firth.WordVectors:
    """Random vectors, some of them equal, one of them zero; few decimals make many ties."""
    chance = np.random.default_rng(seed)
    matrix = chance.normal(size=(n, dim)).round(decimals)
    matrix[n // 2 :] *= chance.lognormal(sigma=2, size=(n - n // 2, 1))
    if n > 3:
        matrix[1], matrix[2] = matrix[0], 0
    return firth.WordVectors.from_arrays([f"w{i}" for i in range(n)], matrix)


@settings(max_examples=80)
@given(
    seed=st.integers(0, 1 << 30),
    n=st.integers(1, 200),
    dim=st.integers(1, 70),
    decimals=st.sampled_from([0, 1, 8]),
    wanted=st.integers(1, 30),
)
def test_the_nearest_are_always_listed(
    seed: int, n: int, dim: int, decimals: int, wanted: int
) -> None:
    unit = vectors_of(seed, n, dim, decimals).unit
    chance = np.random.default_rng(seed + 1)
    query = (10 ** chance.uniform(-3, 3) * chance.normal(size=dim)).astype(np.float32)
    exact = unit.astype(np.float64) @ query.astype(np.float64)
    least = np.sort(exact)[-min(wanted, n)]
    listed = Shortlist(unit).candidates(query, wanted)
    assert set(np.flatnonzero(exact >= least)) <= set(listed.tolist())
    assert np.all(np.diff(listed) > 0)


@settings(max_examples=40)
@given(seed=st.integers(0, 1 << 30), n=st.integers(4, 200), dim=st.integers(2, 40))
def test_neighbours_are_the_same_with_and_without(seed: int, n: int, dim: int) -> None:
    vectors = vectors_of(seed, n, dim, 8)
    words = [f"w{i}" for i in (0, 2, n - 1)]
    plain = vectors.neighbours(words, 7), vectors.most_similar([words[0], words[2]], n=5)
    vectors.prepare_search()
    quick = vectors.neighbours(words, 7), vectors.most_similar([words[0], words[2]], n=5)
    for before, after in zip([*plain[0], plain[1]], [*quick[0], quick[1]], strict=True):
        assert [s for _, s in after] == pytest.approx([s for _, s in before], abs=1e-6)
        for (word, score), (other, _) in zip(before, after, strict=True):
            near = [s for w, s in before if w != word and abs(s - score) < 1e-6]
            assert word == other or near, "only equals may change places"


def test_a_short_list_is_short() -> None:
    vectors = vectors_of(1, 20_000, 100, 8)
    listed = Shortlist(vectors.unit).candidates(vectors.unit[0], 10)
    assert 10 <= len(listed) < 400


def test_many_words_at_once_do_without() -> None:
    vectors = vectors_of(3, 50, 5, 8)
    words = [f"w{i}" for i in range(10, 30)]
    plain = vectors.neighbours(words, 3)
    vectors.prepare_search()
    assert vectors.neighbours(words, 3) == plain
