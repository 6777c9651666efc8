"""Threads that share the work on a word: the same merges, losses and moves as one thread."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firth.classes import Bigrams, _merging
from firth.classes._refining import seeds
from firth.compute import Engine
from firth.compute.meeting import Crew, crew
from tests.classes.samples import (
    NO_CHECKPOINT,
    Machine,
    assert_bounds_are_honest,
    assert_state_is_sound,
    brown,
    corpora,
    make_bigrams,
    pairs_of,
    sampled,
)
from tests.oracles import classes as oracle


@pytest.fixture(autouse=True)
def as_many_threads_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for few classes, and where fewer would be faster."""
    monkeypatch.setattr(_merging, "_LEAST_COLUMNS", 1)
    monkeypatch.setattr(Crew, "__init__", all_of_them)


def all_of_them(self: Crew, at_once: Any, most: int) -> None:
    self.size, self._most, self._at_once = most, most, at_once
    self._adapt = lambda *_: None  # type: ignore[method-assign]


def moves(bigrams: Bigrams, m: int, threads: int) -> Any:
    start = seeds(bigrams.n_words, m)
    return _merging.exchange(bigrams, start, m, 3, 0.0, Engine(threads), NO_CHECKPOINT)


def assert_same(bigrams: Bigrams, m: int, threads: int) -> None:
    """Merges, losses and classes, and moves and gains, are those of one thread."""
    for one, other in zip(brown(bigrams, m), brown(bigrams, m, threads), strict=True):
        assert one.tobytes() == other.tobytes()
    (one, history), (other, again) = moves(bigrams, m, 1), moves(bigrams, m, threads)
    assert one.tobytes() == other.tobytes()
    assert history == again


@pytest.mark.parametrize("threads", [2, 3, 5])
@pytest.mark.parametrize("m", [7, 40])
def test_the_result_does_not_depend_on_the_number_of_threads(m: int, threads: int) -> None:
    assert_same(sampled(90, 9, seed=m + threads, lines=300), m, threads)


def test_counts_beyond_32_bits() -> None:
    bigrams = sampled(40, 8, seed=5, lines=300)
    large = make_bigrams(pairs_of(bigrams) * 3_000_000_000, bigrams.counts * 3_000_000_000)
    assert_same(large, 12, 3)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bigrams=corpora(), m=st.integers(1, 6), threads=st.integers(2, 4))
def test_ties_and_empty_ranges(bigrams: Bigrams, m: int, threads: int) -> None:
    """Small corpora are full of ties, and some threads have no classes of their own."""
    m = min(m, bigrams.n_words)
    assert_same(bigrams, m, threads)
    merges, losses, _ = brown(bigrams, m, threads)
    listed = [(int(a), int(b)) for a, b in merges]
    true = oracle.check_brown(pairs_of(bigrams), bigrams.counts, m, listed, 1e-6)
    np.testing.assert_allclose(losses, true, atol=1e-6)


def test_bounds_are_honest() -> None:
    """Every thread has its own bounds of rows."""
    bigrams, m = sampled(60, 6, seed=1, lines=200), 40
    with crew(Engine(3), 3) as threads:
        machine = Machine.of_first_words(bigrams, m, threads)
        assert machine.state.row_bound.shape == (3, m)
        looked_at = assert_bounds_are_honest(machine)
        for x in range(m, 60):
            machine.add(x)
            looked_at += assert_bounds_are_honest(machine)
            assert_state_is_sound(machine)
        expected = _merging.add_words(bigrams, m, Engine(1), NO_CHECKPOINT)[0]
        assert np.array_equal(machine.merges[m:], expected)
        for _ in range(10):
            machine.merge()
            looked_at += assert_bounds_are_honest(machine)
    assert looked_at > 10_000


def test_tables_are_sound_while_words_move() -> None:
    bigrams, m = sampled(40, 6, seed=2, lines=200), 9
    with crew(Engine(3), 3) as threads:
        machine = Machine(bigrams, seeds(40, m), m, threads)
        gains = [machine.move(x) for x in range(40)]
        assert sum(gain > 0 for gain in gains) > 5
        state = machine.state
        cells = bigrams.between(machine.slot_of, m)
        assert np.array_equal(state.follow, cells)
        assert np.array_equal(state.precede, cells.T)
        assert np.array_equal(state.f, bigrams.sums(machine.slot_of, m))
        assert np.array_equal(state.a, cells.sum(axis=0) + cells.sum(axis=1))
        assert np.array_equal(state.near[1], state.near[0].transpose(2, 1, 0))
        assert np.array_equal(machine.sizes, np.bincount(machine.slot_of, minlength=m))


def test_the_number_of_threads_may_change_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    bigrams, chance = sampled(90, 9, seed=1, lines=300), Random(0)
    seen: set[int] = set()

    def run(self: Crew, work: Any, amount: int) -> Any:
        assert amount > 0
        result = original(self, work, amount)
        seen.add(self.size)
        self.size = chance.randint(1, self._most)
        return result

    original = Crew.run
    monkeypatch.setattr(Crew, "run", run)
    monkeypatch.setattr(_merging, "_SECONDS_PER_BATCH", 1e-5)
    assert_same(bigrams, 20, 4)
    assert seen == {1, 2, 3, 4}


def test_few_classes_are_for_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_merging, "_LEAST_COLUMNS", 32)
    found = [_merging._most_parts(m, Engine(16)) for m in (2, 63, 64, 320, 1000)]
    assert found == [1, 1, 2, 10, 16]
    assert _merging._most_parts(1000, Engine(1)) == 1
