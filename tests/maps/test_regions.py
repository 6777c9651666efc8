"""Regions of a map: words that are near each other, named by what they have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.corpus import Vocabulary
from firth.maps import MapParameters, WordMap, regions_of
from firth.maps._regions import _apart, _near

pytestmark = pytest.mark.slow


def topics(k: int, of_each: int, seed: int = 0) -> tuple[firth.WordVectors, list[int]]:
    """Words around well separated centres, the first word of each topic the most frequent; and their topics."""
    rng = np.random.default_rng(seed)
    which = np.arange(k * of_each) % k
    rows = rng.standard_normal((k, 30))[which] + 0.1 * rng.standard_normal((k * of_each, 30))
    words = [f"topic{t}word{i}" for i, t in enumerate(which)]
    counts = [10 * i for i in range(len(words), 0, -1)]
    return firth.WordVectors.from_arrays(words, rows, counts), which.tolist()


def test_topics_become_regions_with_their_own_words() -> None:
    vectors, which = topics(12, 30)
    drawn = WordMap.learn(vectors, threads=1)
    found = regions_of(drawn, vectors)
    assert len(found.of_word) == len(drawn)
    assert sum(region.n_words for region in found.regions) == len(drawn)
    assert sum(group.n_words for group in found.groups) == len(drawn)
    sizes = [region.n_words for region in found.regions]
    assert sizes == sorted(sizes, reverse=True)
    pure = [
        len({which[i] for i in np.flatnonzero(found.of_word == k)}) == 1
        for k in range(len(found.regions))
    ]
    assert np.mean(pure) >= 0.9
    for k, region in enumerate(found.regions):
        own = {drawn.vocabulary[i] for i in np.flatnonzero(found.of_word == k).tolist()}
        assert region.words
        assert set(region.words) <= own
        assert (region.x, region.y) in {drawn[word] for word in own}
        assert 0 <= region.group < len(found.groups)


def test_the_same_map_has_the_same_regions() -> None:
    vectors, _ = topics(5, 40)
    drawn = WordMap.learn(vectors, threads=1)
    one, other = regions_of(drawn, vectors), regions_of(drawn, vectors)
    assert one.of_word.tolist() == other.of_word.tolist()
    assert (one.regions, one.groups) == (other.regions, other.groups)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_small_maps_have_regions_too(n: int) -> None:
    vectors = firth.WordVectors.from_arrays([f"w{i}" for i in range(n)], np.eye(n, 10) + 0.1)
    found = regions_of(WordMap.learn(vectors, MapParameters(method="pca"), 1), vectors)
    assert len(found.of_word) == n
    assert len(found.groups) == 1


def test_words_in_one_place_are_one_region() -> None:
    vectors = firth.WordVectors.from_arrays(["a", "b", "c"], np.ones((3, 4)))
    drawn = WordMap(
        Vocabulary(vectors.vocabulary.words, vectors.counts), np.zeros((3, 2), np.float32)
    )
    assert [region.n_words for region in regions_of(drawn, vectors).regions] == [3]


def test_punctuation_is_not_typical_if_there_are_words() -> None:
    rows = np.repeat(np.eye(2), 5, axis=0)
    words = [",", "and", "or", "but", "!", "x", "y", "z", "q", "."]
    vectors = firth.WordVectors.from_arrays(words, rows, list(range(10, 0, -1)))
    found = regions_of(WordMap.learn(vectors, threads=1), vectors)
    assert not {",", "!", "."} & {word for region in found.regions for word in region.words}


def naive_nearest(positions: Any, centres: Any) -> list[int]:
    return [int(np.argmin([((p - c) ** 2).sum() for c in centres])) for p in positions]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(*[st.integers(-50, 50)] * 2), min_size=1, max_size=60), st.integers(1, 8))
def test_every_word_is_nearest_to_the_middle_of_its_region(places: Any, k: int) -> None:
    positions = np.array(places, float) / 50
    labels = _near(positions, k)
    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))
    assert len(set(labels.tolist())) <= k
    middles = np.array([positions[labels == r].mean(axis=0) for r in range(labels.max() + 1)])
    away = ((positions[:, None] - middles[None]) ** 2).sum(axis=2)
    own = away[np.arange(len(labels)), labels]
    assert np.all(own <= away.min(axis=1) + 1e-9)


def test_words_that_begin_alike_come_last() -> None:
    assert _apart(["film", "Films", "movie", "mov"]) == ["film", "movie", "Films", "mov"]
